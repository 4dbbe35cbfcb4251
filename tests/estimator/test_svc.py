"""Support vector classifiers: the conditions of their optimum, row by row, and what their attributes say."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.estimator.machines import CLASSES, coefs, feasible_nu, fitted, make, objective, rbf, rows, scores, sets

import widemargin as wm

PRICES = st.sampled_from([0.01, 0.3, 1.0, 20.0, 1000.0])
NEAR = 1e-6  # a violation of 1e-8 in every row, and sums of them


def machine(cls, r, C):
    return make(cls, r, C=C) if cls is wm.SVC else make(cls, r)


def bound(model, w):
    """The largest coefficient that each row may have."""
    return model.C * w if isinstance(model, wm.SVC) else w / model.proof_.rho[0]


# ---- the optimum ---------------------------------------------------------------------------------------------------


@pytest.mark.theorem("CortesVapnik95")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cls", CLASSES)
@given(sets(), PRICES)
def test_each_rows_coefficient_and_margin_agree(cls, weighted, r, C):
    """a_i = 0: y f >= 1; 0 < a_i < C_i: y f = 1; a_i = C_i: y f <= 1; sum y a = 0. For nu-SVC C_i = w_i / rho."""
    w = r.w if weighted else np.ones(len(r.y))
    model = fitted(machine(cls, r, C), r.X, r.y, w)
    a, most = r.y * coefs(model, len(r.y)), bound(model, w)
    margins = r.y * (rbf(r.X, r.X, r.gamma) @ (a * r.y) + model.intercept_[0])
    off = NEAR * max(1.0, most.max()) if cls is wm.NuSVC else NEAR
    assert (a >= 0).all()
    assert (a <= most * (1 + 1e-12)).all()
    assert abs(a @ r.y) <= 1e-12 * a.sum()
    kinds = np.full(len(r.y), "none", dtype="<U7")
    kinds[model.support_] = model.support_kinds_
    assert (margins[kinds == "none"] >= 1 - off).all()
    assert np.abs(margins[kinds == "free"] - 1).max(initial=0) <= off
    assert (margins[kinds == "bounded"] <= 1 + off).all()
    np.testing.assert_allclose(a[kinds == "bounded"], most[kinds == "bounded"], rtol=1e-12)
    assert (a[kinds == "free"] < most[kinds == "free"]).all()


@pytest.mark.theorem("CortesVapnik95")
@given(sets(), PRICES)
def test_the_bias_is_the_mean_over_free_support_vectors(r, C):
    """b is the mean of y_i - w.phi(x_i) over 0 < a_i < C; with none, the middle of the interval of optimal b."""
    model = fitted(make(wm.SVC, r, C=C), r.X, r.y)
    c = coefs(model, len(r.y))
    wanted = r.y - rbf(r.X, r.X, r.gamma) @ c
    free = model.support_[model.support_kinds_ == "free"]
    if len(free):
        assert model.intercept_[0] == pytest.approx(wanted[free].mean(), abs=NEAR)
        return
    at_most = wanted[(c == 0) == (r.y < 0)]  # a row at 0 must have y f >= 1, one at C y f <= 1
    at_least = wanted[(c == 0) == (r.y > 0)]
    ends = [e for e in (at_least.max(initial=-np.inf), at_most.min(initial=np.inf)) if np.isfinite(e)]
    assert ends == sorted(ends)
    assert model.intercept_[0] == pytest.approx(np.mean(ends), abs=NEAR)


def test_where_all_rows_are_at_their_bound_the_bias_is_in_the_middle():
    X, y = np.array([[0.0], [1.0], [3.0], [4.5]]), np.array([1, 1, 2, 2])
    model = fitted(make(wm.SVC, C=1e-3, kernel="linear"), X, y)
    assert model.support_kinds_.tolist() == ["bounded"] * 4
    w = 1e-3 * (3 + 4.5 - 0 - 1)
    # Rows 2 and 3 allow b <= 1 - w x, rows 0 and 1 b >= -1 - w x.
    assert model.intercept_[0] == pytest.approx(((1 - 4.5 * w) + (-1 - 0 * w)) / 2, rel=1e-12)
    assert model.coef_[0, 0] == pytest.approx(w, rel=1e-12)


@given(sets(smallest=8), PRICES)
def test_no_function_near_by_costs_less(r, C):
    """Coefficients and bias moved at random: the objective, written down as people know it, does not fall."""
    K, n, rng = rbf(r.X, r.X, r.gamma), len(r.y), np.random.default_rng(0)
    for cls in CLASSES:
        model = fitted(machine(cls, r, C), r.X, r.y, r.w)
        c, b = coefs(model, n), model.intercept_[0]
        best = objective(model, K, r.y, c, b, r.w)
        assert best == pytest.approx(model.certificate_.primal, rel=1e-7)
        for size in (1e-4, 1e-2, 1.0):
            moved = c + size * np.abs(c).max() * rng.normal(size=n)
            assert objective(model, K, r.y, moved, b + size * rng.normal(), r.w) >= best - 1e-9 * abs(best)


@pytest.mark.theorem("CortesVapnik95")
@given(sets())
def test_a_higher_price_buys_less_slack_for_a_narrower_margin(r):
    """As C rises, 1/2 |w|^2 does not fall and the sum of the slacks does not rise."""
    models = [fitted(make(wm.SVC, r, C=C), r.X, r.y) for C in (0.01, 0.1, 1.0, 10.0, 100.0)]
    margins, slacks = ([getattr(m, name) for m in models] for name in ("margin_", "slacks_"))
    assert (np.diff(np.concatenate(margins)) <= NEAR).all()
    assert (np.diff([s.sum() for s in slacks]) <= NEAR).all()


# ---- the linear machine --------------------------------------------------------------------------------------------


def primal(X, y, C):
    """(w, b) of the soft margin by SciPy, on slacks as variables of their own."""
    n, d = X.shape
    Z = y[:, None] * np.column_stack([X, np.ones(n)])
    cost = lambda v: v[:d] @ v[:d] / 2 + C * v[d + 1 :].sum()  # noqa: E731
    slope = lambda v: np.concatenate([v[:d], [0.0], np.full(n, C)])  # noqa: E731
    rules = [
        {"type": "ineq", "fun": lambda v: Z @ v[: d + 1] + v[d + 1 :] - 1, "jac": lambda v: np.hstack([Z, np.eye(n)])},
    ]
    start = np.concatenate([np.zeros(d + 1), np.ones(n)])
    bounds = [(None, None)] * (d + 1) + [(0, None)] * n
    found = minimize(cost, start, jac=slope, bounds=bounds, constraints=rules, method="SLSQP", options={"ftol": 1e-12})
    return found.x[:d], found.x[d]


@pytest.mark.theorem("CortesVapnik95")
@given(sets(largest=10), st.sampled_from([0.05, 1.0, 10.0]))
def test_the_linear_kernel_is_the_linear_machine(r, C):
    """w = sum a y x minimises 1/2 |w|^2 + C sum (1 - y(w.x + b))+ over all w and b, as a solver of the primal finds."""
    model = fitted(make(wm.SVC, C=C, kernel="linear"), r.X, r.y)
    W, b = model.coef_[0], model.intercept_[0]
    np.testing.assert_allclose(W, coefs(model, len(r.y)) @ r.X, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scores(model, r.X), r.X @ W + b, rtol=1e-10, atol=1e-10)

    def cost(v, b):
        return v @ v / 2 + C * np.maximum(0, 1 - r.y * (r.X @ v + b)).sum()

    theirs = cost(*primal(r.X, r.y, C))
    assert cost(W, b) == pytest.approx(model.certificate_.primal, rel=1e-10)
    assert cost(W, b) <= theirs * (1 + 1e-9)
    assert cost(W, b) == pytest.approx(theirs, rel=1e-5)


# ---- attributes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", CLASSES)
@given(r=sets())
def test_margins_slacks_and_distances_are_those_of_feature_space(cls, r):
    model = fitted(make(cls, r), r.X, r.y, r.w)
    c, K = coefs(model, len(r.y)), rbf(r.X, r.X, r.gamma)
    f, size = K @ c + model.intercept_[0], np.sqrt(c @ K @ c)
    np.testing.assert_allclose(scores(model, r.X), f, rtol=1e-9, atol=1e-9)
    assert model.margin_ == pytest.approx([1 / size], rel=1e-9)
    assert model.margin_width_ == pytest.approx([2 / size], rel=1e-9)
    np.testing.assert_allclose(model.distances(r.X), f / size, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.slacks_, np.maximum(0, 1 - r.y * f), rtol=1e-9, atol=1e-9)
    assert ((model.slacks_ > 1) <= (r.y * f < 1e-9)).all()
    beyond = np.setdiff1d(np.arange(len(r.y)), model.support_)
    assert model.slacks_[beyond].max(initial=0) <= NEAR
    np.testing.assert_array_equal(model.support_vectors_, r.X[model.support_])
    assert (np.diff(r.y[model.support_]) >= 0).all()
    assert model.n_support_.tolist() == [(r.y[model.support_] == s).sum() for s in (-1, 1)]


def test_a_distance_leads_to_the_boundary():
    r = rows(3)
    model = fitted(make(wm.SVC, C=2.0, kernel="linear"), r.X, r.y)
    normal = model.coef_[0] / np.linalg.norm(model.coef_)
    feet = r.X - model.distances(r.X)[:, None] * normal
    np.testing.assert_allclose(scores(model, feet), 0, atol=1e-12)
    on = model.support_[model.support_kinds_ == "free"]
    np.testing.assert_allclose(np.abs(model.distances(r.X[on])), model.margin_[0], rtol=1e-8)


def test_slacks_of_rows_without_weight_are_unknown():
    r = rows(4)
    w = np.floor(r.w)
    model = fitted(make(wm.SVC, r), r.X, r.y, w)
    np.testing.assert_array_equal(np.isnan(model.slacks_), w == 0)


# ---- the other form ------------------------------------------------------------------------------------------------


@pytest.mark.theorem("ScholkopfEtAl00")
@given(sets(smallest=12), st.sampled_from([0.1, 1.0, 10.0]))
def test_nu_svc_with_the_nu_of_an_svc_is_that_svc(r, C):
    """nu = sum a / (C W) of a C-SVC makes nu-SVC find the same function, whose margin before division is 1 / C."""
    one = fitted(make(wm.SVC, r, C=C), r.X, r.y, r.w)
    free = one.support_[one.support_kinds_ == "free"]
    assume(set(r.y[free]) == {-1, 1})  # otherwise the margin is not unique
    nu = np.abs(one.dual_coef_).sum() / (C * r.w.sum())
    assert nu <= feasible_nu(r.y, r.w) * (1 + 1e-12)
    two = fitted(make(wm.NuSVC, r, nu=nu), r.X, r.y, r.w)
    np.testing.assert_allclose(scores(two, r.X), scores(one, r.X), rtol=1e-6, atol=1e-6)
    assert two.proof_.rho[0] == pytest.approx(1 / C, rel=1e-6)


@pytest.mark.theorem("ScholkopfEtAl00")
@given(sets(smallest=12), st.sampled_from([0.2, 0.5, 0.8, 1.0]))
def test_nu_lies_between_margin_errors_and_support(r, share):
    """The weight of rows with slack is at most nu W, and that of the support at least."""
    nu = share * feasible_nu(r.y, r.w)
    model = fitted(make(wm.NuSVC, r, nu=nu), r.X, r.y, r.w)
    total = r.w.sum()
    assert r.w[model.slacks_ > NEAR].sum() / total <= nu + 1e-12
    assert r.w[model.support_].sum() / total >= nu - 1e-12
