import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.oracle.perceptrons import largest_margin

import widemargin as wm
from widemargin import store
from widemargin.base.errors import BadInput
from widemargin.data.rows import native_rows
from widemargin.solver.margin_perceptron import MarginOptions, MarginSolver


def separable(seed, n=150, d=4, gap=0.15, flipped=0.0):
    """n rows at a distance of at least `gap` from a plane; also which labels were turned over."""
    rng = np.random.default_rng(seed)
    u, X = rng.normal(size=d), rng.normal(size=(4 * n, d))
    m = X @ u / np.linalg.norm(u)
    X, m = X[np.abs(m) > gap][:n], m[np.abs(m) > gap][:n]
    flip = rng.random(n) < flipped
    return X, np.where((m > 0) ^ flip, 1, -1), flip


@pytest.mark.theorem("PanagiotakopoulosTsampouka11")
@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 0.1, 0.03]))
def test_a_clean_epoch_proves_a_margin_within_a_factor_of_the_largest(seed, eps):
    """At an epoch without update, (1 - eps) g* <= margin <= g* <= |a| / t, with g* the largest margin of all."""
    X, y, _ = separable(seed)
    model = wm.MarginPerceptron(approximation=eps, max_iter=10**6, random_state=seed).fit(X, y)
    best, _ = largest_margin(X, y)
    assert model.converged_
    assert len(model.given_up_) == 0
    assert model.margin_[0] >= (1 - eps) * model.margin_upper_[0]
    assert (1 - 1e-9) * best <= model.margin_upper_[0]
    assert model.margin_[0] <= (1 + 1e-6) * best


@pytest.mark.theorem("PanagiotakopoulosTsampouka11")
@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 2000))
def test_the_sum_of_updates_over_their_number_bounds_every_margin(seed, visits):
    """After any number of visits |a| / t >= g*, because a.u >= g* t for the best unit vector u."""
    X, y, _ = separable(seed, n=60)
    solver = MarginSolver(native_rows(X), y, MarginOptions(seed=seed))
    state = solver.start()
    solver.advance(state, visits, 10**9)
    Z = np.column_stack([X, np.ones(len(X))])
    assert_allclose(state.w, (state.updates_of * y) @ Z, atol=1e-9)
    assert state.total == state.updates_of.sum() == state.updates
    assert state.margin_upper() >= largest_margin(X, y)[0] * (1 - 1e-9)


def test_margin_reached_on_iris_against_the_hard_margin():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    s = np.where(y == 0, 1, -1)
    best, _ = largest_margin(X, s)
    assert best == pytest.approx(0.7491, abs=1e-3)
    share = wm.MarginPerceptron(approximation=0.05, random_state=1).fit(X, s).margin_[0] / best
    assert 0.99 < share <= 1 + 1e-6


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_turned_labels_are_the_rows_given_up_and_the_rest_is_certified(make):
    given_up = right = turned = 0
    for seed in range(6):
        X, y, flip = separable(seed, n=400, d=6, flipped=0.05)
        model = wm.MarginPerceptron(random_state=seed).fit(make(X), y)
        assert model.converged_
        given_up, turned = given_up + len(model.given_up_), turned + flip.sum()
        right += flip[model.given_up_].sum()
        left = np.setdiff1d(np.arange(400), model.given_up_)
        best, _ = largest_margin(X[left], y[left])
        margin = (y * model.decision_function(X))[left].min()
        assert_allclose(margin, model.margin_[0], rtol=1e-9)
        assert 0.9 * best * (1 - 1e-9) <= margin <= best * (1 + 1e-6)
    assert right / given_up > 0.97
    assert right / turned > 0.97


def test_separable_rows_are_never_given_up():
    for seed in range(20):
        X, y, _ = separable(seed, n=200, gap=0.1)
        model = wm.MarginPerceptron(approximation=0.3, random_state=seed).fit(X, y)
        assert model.converged_
        assert len(model.given_up_) == 0


def test_rows_given_up_are_numbered_as_in_the_X_that_was_given():
    X, y, flip = separable(3, n=400, d=6, flipped=0.05)
    weight = np.ones(400)
    weight[::3] = 0
    model = wm.MarginPerceptron().fit(X, y, weight)
    assert weight[model.given_up_].all()
    assert flip[model.given_up_].mean() > 0.9


def test_without_leave_to_give_up_it_says_that_it_oscillates():
    X, y, _ = separable(1, flipped=0.05)
    for params in ({"give_up": None}, {"max_given_up": 0.0}):
        model = wm.MarginPerceptron(**params).fit(X, y)
        assert not model.converged_
        assert "oscillates" in model.stop_reason_
        assert len(model.given_up_) == 0
        assert model.margin_[0] <= 0


def test_a_class_is_never_given_up_whole():
    X = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])
    model = wm.MarginPerceptron(max_given_up=1.0).fit(X, [0, 0, 1, 1])
    assert model.converged_
    assert len(model.given_up_) == 1
    assert "1 rows given up" in model.stop_reason_


def test_the_epochs_that_ran_out_are_named():
    X, y, _ = separable(1)
    model = wm.MarginPerceptron(approximation=0.001, max_iter=5).fit(X, y)
    assert not model.converged_
    assert "all 5 epochs" in model.stop_reason_


@pytest.mark.parametrize("cut", [1, 7, 150, 333])
def test_any_cut_of_the_work_and_a_saved_state_give_the_same_end(cut):
    X, y, _ = separable(2, flipped=0.1)
    weight = np.random.default_rng(0).uniform(0.5, 3, 150)

    def solver():
        return MarginSolver(native_rows(X), y, MarginOptions(seed=4, patience=5, most=0.27), weight)

    whole, piece = solver().start(), solver().start()
    kind = solver().advance(whole, 15_000, 10**9)
    one, done = solver(), 0
    while done < 15_000:
        if one.advance(piece, min(cut, 15_000 - done), 10**9):
            break
        done += cut
        if done % (50 * cut) == 0:
            piece, one = store.loads(store.dumps(piece)), solver()
    assert whole.given_up > 3
    assert kind in (None, "converged")
    assert store.dumps(whole) == store.dumps(piece)


def test_the_seed_fixes_the_result_and_the_order_changes_it():
    X, y, _ = separable(5)
    a, b, c = (wm.MarginPerceptron(random_state=s).fit(X, y).coef_ for s in (1, 1, 2))
    assert_array_equal(a, b)
    assert (a != c).any()


def test_it_starts_at_zero_only():
    X, y, _ = separable(5)
    with pytest.raises(BadInput, match="starts at zero"):
        wm.MarginPerceptron().fit(X, y, coef_init=np.ones((1, 4)))
    with pytest.raises(BadInput, match="starts at zero"):
        wm.MarginPerceptron(warm_start=True).fit(X, y)


def test_parts_of_several_classes_list_their_own_rows():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 6], [6, 0], [-6, -6]])
    y = rng.integers(0, 3, 300)
    X = centres[y] + rng.normal(size=(300, 2))
    y[:5] = (y[:5] + 1) % 3
    for multiclass, parts in (("ovr", 3), ("ovo", 3)):
        model = wm.MarginPerceptron(multiclass=multiclass, n_jobs=2).fit(X, y)
        assert model.converged_
        assert len(model.given_up_by_part_) == len(model.margin_) == parts
        assert_array_equal(model.given_up_, np.arange(5))
        assert model.score(X, y) > 0.97


def test_the_certificate_proves_the_share_of_the_largest_margin_and_notices_less():
    X, y, _ = separable(4, n=300, flipped=0.05)
    model = wm.MarginPerceptron(approximation=0.2).fit(X, y)
    left = np.setdiff1d(np.arange(300), model.given_up_)
    c = wm.certify(model, X, y)
    assert c.holds
    assert c.separable
    assert c.margin >= 0.8 * c.margin_upper * (1 - 1e-9)
    assert c.margin <= largest_margin(X[left], y[left])[0] * (1 + 1e-6) <= c.margin_upper * (1 + 2e-6)
    assert f"about the {len(model.given_up_)} of 300 rows given up" in c.claim
    assert len(c.witness) == len(left)
    model.intercept_ = model.intercept_ + 0.05
    c = wm.certify(model, X, y)
    assert c.holds is False
    assert "0.8000 of it was promised" in c.claim


def test_what_did_not_converge_is_certified_for_what_it_is():
    X, y, _ = separable(1, flipped=0.05)
    model = wm.MarginPerceptron(give_up=None).fit(X, y)
    assert model.certificate_.holds
    assert model.certificate_.separable is None
    assert model.certificate_.rows_wrong > 0
    assert wm.certify(model, X, y, prove=True).separable is False
    streamed = wm.MarginPerceptron().partial_fit(X, y, classes=[-1, 1])
    assert streamed.certificate_.holds is None
