"""The hard margin: the limit of soft ones, the distance of two hulls, or a proof that the hulls meet."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.estimator.machines import coefs, fitted, make, rbf, rows, scores, sets

import widemargin as wm
from widemargin.base.errors import NotSeparable
from widemargin.certificate.ray import check_ray
from widemargin.kernels import RBF, Linear
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems


def apart(seed, n=20, d=2, gap=0.3):
    """Rows on both sides of a plane, none nearer than `gap`."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    normal = rng.normal(size=d)
    normal /= np.linalg.norm(normal)
    y = np.where(X @ normal > 0, 1.0, -1.0)
    y[:2] = -1.0, 1.0
    X[:2] = -normal, normal
    return X + gap * y[:, None] * normal, y


def hull_distance(X, y):
    """By SciPy, on weights of the rows: the nearest points of both classes' hulls."""
    Z = y[:, None] * X
    n = len(y)
    start = np.where(y > 0, 1 / (y > 0).sum(), 1 / (y < 0).sum())
    rules = [
        {"type": "eq", "fun": lambda v, s=s: v[y == s].sum() - 1, "jac": lambda v, s=s: 1.0 * (y == s)} for s in (-1, 1)
    ]
    found = minimize(
        lambda v: (v @ Z) @ (v @ Z),
        start,
        jac=lambda v: 2 * Z @ (v @ Z),
        bounds=[(0, 1)] * n,
        constraints=rules,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return np.linalg.norm(found.x @ Z)


@pytest.mark.theorem("BennettBredensteiner00")
@given(st.integers(0, 10**6), st.integers(4, 16), st.integers(1, 3))
def test_the_width_of_the_hard_margin_is_the_distance_of_the_hulls(seed, n, d):
    """2 / |w| is the distance of the convex hulls; the nearest rows of both classes are half of it away."""
    X, y = apart(seed, n, d)
    model = fitted(make(wm.SVC, C=np.inf, kernel="linear"), X, y)
    assert model.margin_width_[0] == pytest.approx(hull_distance(X, y), rel=1e-5)
    assert model.margin_width_[0] <= hull_distance(X, y) * (1 + 1e-9)
    distances = y * model.distances(X)
    for s in (-1, 1):
        assert distances[y == s].min() == pytest.approx(model.margin_[0], rel=1e-6)
    assert model.slacks_.max() <= 1e-6
    assert set(model.support_kinds_) == {"free"}


@pytest.mark.theorem("CortesVapnik95")
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@given(seed=st.integers(0, 10**6))
def test_the_soft_margin_meets_the_hard_one_when_slack_costs_enough(kernel, seed):
    """From C = the largest coefficient of the hard margin on both are the same; below that the soft one is wider."""
    X, y = apart(seed)
    hard = fitted(make(wm.SVC, C=np.inf, kernel=kernel, gamma=0.5), X, y)
    enough = np.abs(hard.dual_coef_).max()
    for factor in (1.01, 1e4):
        soft = fitted(make(wm.SVC, C=factor * enough, kernel=kernel, gamma=0.5), X, y)
        assert soft.certificate_.primal == pytest.approx(hard.certificate_.primal, rel=1e-7)
        np.testing.assert_allclose(scores(soft, X), scores(hard, X), rtol=1e-4, atol=1e-4)
    less = fitted(make(wm.SVC, C=0.5 * enough, kernel=kernel, gamma=0.5), X, y)
    assert less.margin_[0] > hard.margin_[0]
    assert less.slacks_.max() > 0


@given(sets(smallest=8))
def test_a_narrow_kernel_parts_all_rows_that_differ(r):
    """The matrix of an RBF kernel on distinct rows has full rank, so every labelling has a hard margin."""
    model = fitted(make(wm.SVC, C=np.inf, gamma=8.0), r.X, r.y)
    c, K = coefs(model, len(r.y)), rbf(r.X, r.X, 8.0)
    assert (r.y * (K @ c + model.intercept_[0])).min() >= 1 - 1e-6
    assert model.score(r.X, r.y) == 1
    assert 0.5 * c @ K @ c == pytest.approx(np.abs(c).sum() - 0.5 * c @ K @ c, rel=1e-6)  # primal = dual


def test_weights_do_not_matter_where_no_slack_is_allowed():
    X, y = apart(5)
    one = fitted(make(wm.SVC, C=np.inf, kernel="linear"), X, y)
    two = fitted(make(wm.SVC, C=np.inf, kernel="linear"), X, y, rows(0, 20).w)
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_several_classes_have_a_hard_margin_each():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    X = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[y] + rng.uniform(-1, 1, (45, 2))
    model = fitted(make(wm.SVC, C=np.inf, kernel="linear"), X, y)
    for width, (i, j) in zip(model.margin_width_, ((0, 1), (0, 2), (1, 2)), strict=True):
        here = (y == i) | (y == j)
        assert width == pytest.approx(hull_distance(X[here], np.where(y[here] == i, 1.0, -1.0)), rel=1e-5)


# ---- no margin -----------------------------------------------------------------------------------------------------


def refused(X, y, **params):
    model = make(wm.SVC, C=np.inf, **params)
    with pytest.raises(NotSeparable, match="cannot be separated") as raised:
        model.fit(X, y)
    assert not hasattr(model, "support_")
    witness = raised.value.witness
    assert witness.shape == (len(y),)
    assert (witness >= 0).all()
    assert witness.sum() == pytest.approx(1, rel=1e-12)
    return witness


@pytest.mark.theorem("Gordan1873")
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 3))
def test_classes_that_overlap_are_refused_with_a_point_of_both_hulls(seed, n, d):
    """lambda >= 0 of sum 1 with sum lambda y [x, 1] = 0 excludes every separator."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + d + 2, d))
    y = np.where(rng.normal(size=len(X)) > 0, 1.0, -1.0)
    y[: d + 2] = 1.0, *[-1.0] * (d + 1)
    X[1 : d + 2] -= X[1 : d + 2].mean(axis=0) - X[0]  # the first row is in the middle of the next ones
    witness = refused(X, y, kernel="linear")
    assert np.abs((witness * y) @ X).max() <= 1e-12 * np.abs(X).max()
    assert abs(witness @ y) <= 1e-12
    assert check_ray(GramSource(Linear(), RowItems(X)), y, witness).holds


@pytest.mark.theorem("Gordan1873")
@given(sets(), st.integers(2, 5))
def test_equal_rows_of_both_labels_are_refused_by_every_kernel(r, at):
    """phi(x) lies in both hulls, whatever phi: half of each label's row is the ray."""
    X = r.X.copy()
    X[at] = X[0] if r.y[at] > 0 else X[1]
    for kernel, made in (("rbf", RBF(r.gamma)), ("linear", Linear())):
        witness = refused(X, r.y, kernel=kernel, gamma=r.gamma)
        proof = check_ray(GramSource(made, RowItems(X)), r.y, witness)
        assert proof.holds, proof.claim
        # The same proof says nothing about labels that could be told apart.
        assert not check_ray(GramSource(made, RowItems(X)), np.where(np.arange(len(X)) == at, -r.y, r.y), witness).holds


def test_the_pair_of_classes_that_overlaps_is_named():
    X = np.array([[0.0], [1.0], [4.0], [6.0], [5.0], [7.0]])
    y = np.array(["low", "low", "high", "high", "top", "top"])
    model = make(wm.SVC, C=np.inf, kernel="linear")
    with pytest.raises(NotSeparable, match="top vs high") as raised:
        model.fit(X, y)
    witness = raised.value.witness
    assert not witness[:2].any()
    signs = np.where(y == "high", 1.0, -1.0)
    assert abs((witness * signs) @ X[:, 0]) <= 1e-12
