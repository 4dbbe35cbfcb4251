"""Perceptron and its average: theorems, the state between two calls, orders, and what they say when they stop."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle.perceptrons import perceptron_vectors

import widemargin as wm
from widemargin import store
from widemargin.base.errors import BadInput
from widemargin.data import load_iris_tenths
from widemargin.solver.online import OnlineOptions, OnlineSolver


@st.composite
def separable(draw, n=st.integers(2, 40), d=st.integers(1, 5)):
    """Whole-numbered rows with y = sign(u.x + c) for a known u, none on the plane itself."""
    n, d, seed = draw(n), draw(d), draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    u = rng.integers(-3, 4, d + 1)
    u[0] = u[0] or 1
    X = rng.integers(-10, 11, (n, d)).astype(float)
    s = X @ u[:-1] + u[-1]
    X, s = X[s != 0], s[s != 0]
    if len(np.unique(np.sign(s))) < 2:
        X = np.vstack([X, np.eye(1, d)[0] * 20 * np.sign(u[0]), -np.eye(1, d)[0] * 20 * np.sign(u[0])])
        s = X @ u[:-1] + u[-1]
    return X, np.sign(s).astype(int), u


def novikoff(X, y, u):
    """floor(max|z|^2 |u|^2 / min(z.u)^2) with z = y [x, 1], in whole numbers."""
    Z = (y[:, None] * np.column_stack([X, np.ones(len(X))])).astype(int)
    R2, m = int((Z**2).sum(axis=1).max()), int((Z @ u).min())
    return Fraction(R2 * int(u @ u), m * m)


@pytest.mark.theorem("Novikoff62")
@given(separable(), st.integers(0, 5), st.sampled_from([True, False, "once"]))
def test_perceptron_errs_at_most_radius_over_margin_squared(sample, seed, shuffle):
    """If y u.[x, 1] >= m > 0 for all rows, then updates <= (max|[x, 1]| |u| / m)^2, in any order."""
    X, y, u = sample
    model = wm.Perceptron(random_state=seed, shuffle=shuffle, max_iter=10**6, oscillation="ignore").fit(X, y)
    assert model.converged_
    assert (model.predict(X) == y).all()
    assert model.n_updates_ <= novikoff(X, y, u)
    c = model.certificate_
    assert c.holds
    assert c.separable
    assert model.n_updates_ <= c.mistake_bound


def test_the_bound_can_be_met_so_a_quarter_of_it_cannot_hold():
    """Two rows x = 1 and x = -1 without intercept: R = margin = 1, the bound is 1 and one update is made."""
    model = wm.Perceptron(fit_intercept=False, shuffle=False).fit([[1.0], [-1.0]], [1, -1])
    assert model.n_updates_ == model.certificate_.mistake_bound == 1
    assert not model.n_updates_ <= model.certificate_.mistake_bound // 4


@pytest.mark.theorem("Novikoff62")
@given(separable(), st.integers(0, 3))
def test_from_a_random_start_the_general_bound_holds(sample, seed):
    """From w_1 with step eta: updates <= |w_1/eta - a u|^2 / R^2 with a = R^2/m."""
    X, y, _ = sample
    model = wm.Perceptron(start="random", eta0=0.25, random_state=seed, max_iter=10**6, oscillation="ignore").fit(X, y)
    assert model.converged_
    assert model.certificate_.holds
    assert model.n_updates_ <= model.certificate_.mistake_bound


@given(st.integers(0, 2**31 - 1), st.sampled_from([0, 1]), st.sampled_from([True, False, "once"]))
def test_averaged_perceptron_is_the_explicit_mean_of_all_vectors(seed, birth, shuffle):
    """The lazy average equals sum c w / sum c over the vectors w with their survival times c."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (30, 3)).astype(float)
    y = rng.choice([-1, 1], 30)
    y[:2] = -1, 1
    epochs = 4
    model = wm.AveragedPerceptron(
        birth=birth, shuffle=shuffle, random_state=seed, max_iter=epochs, oscillation="ignore"
    ).fit(X, y)
    vectors, lives = perceptron_vectors(X, y, orders(30, seed, shuffle, model.n_iter_), birth)
    np.testing.assert_array_equal(model.last_coef_[0], vectors[-1, :-1])
    mean = lives @ vectors / max(lives.sum(), 1)
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_[0]), mean, rtol=1e-12, atol=1e-9)


def orders(n, seed, shuffle, epochs):
    from widemargin import _core

    for epoch in range(epochs):
        yield range(n) if shuffle is False else _core.permutation(n, seed, 0 if shuffle == "once" else epoch)


@given(st.integers(0, 10**6), st.lists(st.integers(1, 50), min_size=1, max_size=8), st.booleans())
def test_any_cut_of_the_work_gives_the_same_bits(seed, budgets, average):
    """n single steps equal one call of n steps, bit for bit."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((23, 4)), rng.choice([-1.0, 1.0], 23)
    from widemargin.data.rows import native_rows

    rows = native_rows(X)
    options = OnlineOptions(seed=seed, average=average, log=True)
    whole, pieces = (OnlineSolver(rows, y, options) for _ in range(2))
    a, b = whole.start(), pieces.start()
    whole.advance(a, 200, 10**9)
    done = 0
    for budget in [*budgets, *[1] * 200]:
        step = min(budget, 200 - done)
        if step <= 0:
            break
        pieces.advance(b, step, 10**9)
        done += step
    for name in ("w", "a", "updates_of", "counters", "sums"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name
    for one, other in zip(a.joined_log(), b.joined_log(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_state_saved_in_mid_fit_continues_to_the_identical_model():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((60, 5)), rng.choice([-1.0, 1.0], 60)
    from widemargin.data.rows import native_rows

    solver = OnlineSolver(native_rows(X), y, OnlineOptions(seed=9, average=True))
    straight, broken = solver.start(), solver.start()
    solver.advance(straight, 10**9, 7)
    solver.advance(broken, 217, 7)
    resumed = store.loads(store.dumps(broken))
    OnlineSolver(native_rows(X), y, OnlineOptions(seed=9, average=True)).advance(resumed, 10**9, 7)
    assert straight.w.tobytes() == resumed.w.tobytes()
    assert straight.a.tobytes() == resumed.a.tobytes()


def test_the_order_changes_the_answer_and_the_seed_fixes_it():
    X, y = load_iris_tenths()[:2]
    y = y == "virginica"
    fits = [wm.Perceptron(random_state=seed, max_iter=20).fit(X, y).coef_ for seed in (0, 0, 1)]
    assert (fits[0] == fits[1]).all()
    assert not (fits[0] == fits[2]).all()


@pytest.mark.parametrize("shuffle", [True, False, "once"])
def test_oscillation_is_noticed_long_before_max_iter_and_never_called_convergence(shuffle):
    X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]  # XOR
    model = wm.Perceptron(shuffle=shuffle, max_iter=10**6).fit(X, y)
    assert not model.converged_
    assert model.n_iter_ < 200
    assert "oscillates" in model.stop_reason_
    assert wm.certify(model, X, y, prove=True).separable is False


def test_every_stop_has_its_sentence():
    X, y = load_iris_tenths()[:2]
    rest = y == "virginica"
    assert "converged" in wm.Perceptron().fit(X, y == "setosa").stop_reason_
    assert "all 3 epochs done" in wm.Perceptron(max_iter=3).fit(X, rest).stop_reason_
    assert "max_time=1e-06 s" in wm.Perceptron(max_time=1e-6, oscillation="ignore").fit(X, rest).stop_reason_
    assert "has not risen" in wm.Perceptron(tol=1e-3).fit(X, rest).stop_reason_
    assert "on request" in wm.Perceptron(observe=lambda *_: True).fit(X, rest).stop_reason_
    assert "2 of 3 binary parts" in wm.Perceptron(multiclass="ovo").fit(X, y).stop_reason_


def test_threads_change_no_bit():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 10)), rng.integers(0, 7, 300)
    for scheme in ("ovr", "ovo"):
        fits = [wm.AveragedPerceptron(multiclass=scheme, n_jobs=k, max_iter=9).fit(X, y) for k in (1, 2, 3, 8)]
        assert all(f.coef_.tobytes() == fits[0].coef_.tobytes() for f in fits)
        assert all(f.certificate_.holds for f in fits)


def test_a_penalty_shrinks_and_the_certificate_claims_no_bound():
    X, y = load_iris_tenths()[:2]
    y = y == "virginica"
    plain = wm.Perceptron(max_iter=5).fit(X, y)
    ridge = wm.Perceptron(max_iter=5, penalty="l2", alpha=1e-2).fit(X, y)
    assert np.linalg.norm(ridge.coef_) < np.linalg.norm(plain.coef_)
    assert ridge.certificate_.mistake_bound is None
    # The lazy scale equals shrinking at every visit.
    w, b = np.zeros(4), 0.0
    for order in orders(150, 0, True, 5):
        for i in order:
            s = 1 if y[i] else -1
            mistake = s * (X[i] @ w + b) <= 0
            w = w * (1 - 1e-2)
            if mistake:
                w, b = w + s * X[i], b + s
    np.testing.assert_allclose(ridge.coef_[0], w, rtol=1e-9)
    assert ridge.intercept_[0] == b


def test_a_forged_model_does_not_pass():
    X, y = load_iris_tenths()[:2]
    model = wm.Perceptron().fit(X, y == "setosa")
    assert wm.certify(model, X, y == "setosa").holds
    model.coef_ = model.coef_ * 1.01
    assert wm.certify(model, X, y == "setosa").holds is False


@pytest.mark.parametrize("make", [wm.Perceptron, wm.AveragedPerceptron, wm.VotedPerceptron])
def test_scores_that_overflow_are_never_called_convergence(make):
    X, y = load_iris_tenths()[:2]
    model = make(max_iter=30, eta0=1e200).fit(X * 1e95, y == "setosa")
    assert not model.converged_
    assert model.certificate_.separable is not True


def test_a_vector_that_overflows_is_an_error():
    with pytest.raises(BadInput, match="overflow"):
        wm.Perceptron(shuffle=False, eta0=1.7e308).fit([[3.0, 3.0], [3.0, -3.0], [-1, -1]], [1, 1, 0])
    far = wm.PassiveAggressiveClassifier().fit([[5e99, 5e99], [-5e99, 5e99]] * 3, [0, 1] * 3)
    assert np.isfinite(far.coef_).all()
