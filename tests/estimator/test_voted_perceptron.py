import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.oracle.perceptrons import perceptron_vectors

import widemargin as wm
from widemargin import _core
from widemargin.base.errors import BadInput


def integers(seed, n=40, d=3):
    """Rows of small integers, on which every sum is exact, with labels that no plane separates."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, d)).astype(float)
    return X, np.where(X @ rng.integers(-3, 4, d) + rng.normal(size=n) > 0, 1, -1)


def slow_votes(X, y, Z, epochs, seed, birth):
    orders = [_core.permutation(len(X), seed, epoch) for epoch in range(epochs)]
    W, c = perceptron_vectors(X, y, orders, birth)
    u = np.column_stack([Z, np.ones(len(Z))]) @ W.T
    return np.sign(u) @ c / c.sum(), u @ c / c.sum(), c


@pytest.mark.theorem("FreundSchapire99")
@pytest.mark.parametrize("make", [np.asarray, np.float32, sp.csr_array], ids=["dense", "float32", "sparse"])
@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([0, 1]))
def test_votes_and_scores_equal_those_of_the_explicit_vectors(make, seed, birth):
    """sum c_n sgn(w_n.z) / sum c_n, from mistakes alone, is the vote of all vectors w_n formed one by one."""
    X, y = integers(seed)
    Z = np.vstack([X, integers(seed + 1)[0]])
    if len(set(y)) < 2:
        return
    model = wm.VotedPerceptron(max_iter=4, birth=birth, random_state=seed, oscillation="ignore").fit(make(X), y)
    epochs = model.n_iter_
    vote, score, lives = slow_votes(X, y, Z, epochs, seed, birth)
    assert_array_equal(model.lives_[0], lives)
    assert_allclose(model.decision_function(make(Z)), vote, atol=1e-14)
    labels = np.where(np.arange(len(Z)) % 2, 1, -1)
    assert_allclose(model.voting_margins(make(Z), labels), labels * vote, atol=1e-14)
    assert_allclose(model.voting_margins(make(Z), labels, kind="score"), labels * score, rtol=1e-12, atol=1e-12)


@pytest.mark.theorem("FreundSchapire99")
def test_the_mean_score_is_the_averaged_perceptron():
    """sum c_n u_n / sum c_n = (sum c_n w_n).z / sum c_n."""
    X, y = integers(4, n=300, d=6)
    voted = wm.VotedPerceptron(max_iter=5, oscillation="ignore").fit(X, y)
    averaged = wm.AveragedPerceptron(max_iter=5, oscillation="ignore").fit(X, y)
    assert_allclose(voted.voting_margins(X, y, kind="score"), y * averaged.decision_function(X), rtol=1e-10, atol=1e-12)
    last = wm.Perceptron(max_iter=5, oscillation="ignore").fit(X, y)
    assert_array_equal(voted.last_coef_, last.coef_)
    assert voted.n_updates_ == last.n_updates_ == len(voted.mistakes_["row"])


def test_survival_times_count_the_visits():
    X, y = integers(2)
    for birth in (1, 0):
        model = wm.VotedPerceptron(max_iter=3, birth=birth, oscillation="ignore").fit(X, y)
        assert model.lives_[0].sum() == model.visits_[0] - (1 - birth) * model.n_updates_


def test_the_source_s_iris_votes_lie_in_its_range():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    tenths = np.column_stack([np.round(10 * X[:, 2:]), np.full(150, 10.0)])
    for seed in range(3):
        model = wm.VotedPerceptron(max_iter=100, random_state=seed, fit_intercept=False, oscillation="ignore").fit(
            tenths, y == 2
        )
        assert 1519 <= model.n_updates_ <= 1699
        assert 5 <= (model.voting_margins(tenths, y == 2) <= 0).sum() <= 7
        assert (model.voting_margins(tenths, y == 2, kind="score") <= 0).sum() == 6


def test_a_row_gets_the_same_votes_alone_and_in_company_and_by_any_threads():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 7)), rng.integers(0, 3, 300)
    model = wm.VotedPerceptron(max_iter=3).fit(X, y)
    together = model.decision_function(X)
    assert_array_equal(together[17:19], model.decision_function(X[17:19]))
    assert_array_equal(together, model.set_params(n_jobs=2).decision_function(X))
    assert_array_equal(np.argmax(together, axis=1), model.predict(X))


def test_weights_are_visits():
    X, y = integers(9)
    s = np.random.default_rng(1).integers(0, 3, len(X))
    a = wm.VotedPerceptron(shuffle=False, max_iter=3, oscillation="ignore").fit(X, y, s)
    b = wm.VotedPerceptron(shuffle=False, max_iter=3, oscillation="ignore").fit(np.repeat(X, s, 0), np.repeat(y, s))
    assert_array_equal(a.lives_[0], b.lives_[0])
    assert_array_equal(a.decision_function(X), b.decision_function(X))


def test_only_rows_with_mistakes_are_kept_as_they_were():
    X, y = integers(5)
    model = wm.VotedPerceptron(max_iter=2).fit(sp.csr_array(X), y)
    before = model.decision_function(X)
    assert model.support_.shape[0] == len(np.unique(model.mistakes_["row"])) < len(X)
    X[:] = 0
    assert_array_equal(model.decision_function(np.vstack([integers(5)[0]])), before)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_stream_votes_with_the_mistakes_of_all_batches(make):
    X, y = integers(6, n=90)
    labels = np.array(["a", "b", "c"])[(y > 0).astype(int) + (X[:, 0] > 2)]
    stream = wm.VotedPerceptron(shuffle=False)
    for k in range(3):
        stream.partial_fit(make(X[30 * k : 30 * k + 30]), labels[30 * k : 30 * k + 30], classes=["a", "b", "c"])
    whole = wm.VotedPerceptron(shuffle=False, max_iter=1).fit(make(X), labels)
    assert_array_equal(stream.decision_function(make(X)), whole.decision_function(make(X)))
    assert_array_equal(stream.visits_, whole.visits_)
    stream.fit(make(X[:50]), labels[:50])
    assert stream.support_.shape[0] <= 50


def test_a_given_start_votes_too_and_warm_start_goes_on_from_the_last_vector():
    X, y = integers(7)
    plain = wm.VotedPerceptron(max_iter=2, shuffle=False, oscillation="ignore").fit(X, y)
    warm = wm.VotedPerceptron(max_iter=2, shuffle=False, oscillation="ignore", warm_start=True).fit(X, y).fit(X, y)
    given = wm.VotedPerceptron(max_iter=2, shuffle=False, oscillation="ignore").fit(
        X, y, coef_init=plain.last_coef_, intercept_init=plain.last_intercept_
    )
    assert_array_equal(warm.decision_function(X), given.decision_function(X))
    four = wm.VotedPerceptron(max_iter=4, shuffle=False, oscillation="ignore").fit(X, y)
    assert_array_equal(four.last_coef_, given.last_coef_)
    both = plain.lives_[0].sum() * plain.decision_function(X) + given.lives_[0].sum() * given.decision_function(X)
    assert_allclose(four.decision_function(X), both / four.lives_[0].sum(), atol=1e-14)


def test_without_a_mistake_the_start_alone_votes():
    X = np.array([[1.0], [-1.0]])
    model = wm.VotedPerceptron(n_members=None).fit(X, [1, 0], coef_init=[[1.0]], intercept_init=[0.0])
    assert model.n_updates_ == 0
    assert_array_equal(model.decision_function(X), [1, -1])
    assert_array_equal(model.compress(2).decision_function(X), [1, -1])


def test_a_few_members_speak_for_all():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1200, 10))
    y = np.where(X @ rng.normal(size=10) + 1.5 * rng.normal(size=1200) > 0, 1, -1)
    model = wm.VotedPerceptron(max_iter=10).fit(X[:800], y[:800])
    curve = model.accuracy_by_size(X[800:], y[800:], (1, 5, 20))
    assert curve["size"].tolist() == [1, 5, 20, len(model.lives_[0])]
    assert curve["agreement"][2] > 0.95
    assert curve["agreement"][-1] == 1
    assert curve["accuracy"][2] > curve["accuracy"][-1] - 0.02
    small, again = model.compress(20), wm.VotedPerceptron(max_iter=10, n_members=20).fit(X[:800], y[:800])
    assert small.members_[0].shape == (20, 11)
    assert small.support_ is None
    assert model.members_ is None
    assert_array_equal(small.decision_function(X), again.decision_function(X))
    assert np.abs(small.decision_function(X)).max() <= 1 + 1e-12
    with pytest.raises(BadInput, match="mistakes are gone"):
        small.compress(3)


def test_members_are_vectors_that_the_perceptron_passed_through():
    X, y = integers(3)
    model = wm.VotedPerceptron(max_iter=3, random_state=3, oscillation="ignore").fit(X, y)
    W, _ = perceptron_vectors(X, y, [_core.permutation(len(X), 3, e) for e in range(model.n_iter_)])
    for w in model.compress(4).members_[0]:
        assert (w == W).all(axis=1).any()


def test_bad_requests_are_named():
    X, y = integers(3)
    model = wm.VotedPerceptron(max_iter=2).fit(X, y)
    with pytest.raises(BadInput, match="kind='scores'"):
        model.voting_margins(X, y, kind="scores")
    with pytest.raises(BadInput, match="40 rows, y has 3"):
        model.voting_margins(X, y[:3])
    with pytest.raises(ValueError, match="'k'"):
        model.compress(0)


def test_the_certificate_is_that_of_the_perceptron_below():
    X, y = integers(4, n=300, d=6)
    voted = wm.VotedPerceptron(max_iter=5).fit(X, y)
    plain = wm.Perceptron(max_iter=5).fit(X, y)
    for c in (voted.certificate_, wm.certify(voted, X, y), wm.certify(voted.compress(3), X, y)):
        assert c.holds
        assert c.updates == plain.certificate_.updates == voted.n_updates_
        assert c.margin_upper == plain.certificate_.margin_upper
    assert wm.VotedPerceptron().partial_fit(X, y, classes=[-1, 1]).certificate_.holds is None


def test_early_stopping_and_observers_see_the_votes():
    X, y = integers(4, n=300, d=6)
    seen = []

    def observe(step, columns, snapshot):
        seen.append(snapshot().scores(X).shape)

    model = wm.VotedPerceptron(early_stopping=True, max_iter=20, observe=observe, n_iter_no_change=2).fit(X, y)
    assert seen
    assert set(seen) == {(300, 1)}
    assert model.n_iter_ <= 20
