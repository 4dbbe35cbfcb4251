"""Certificates of linear machines: weak duality for any point, LIBLINEAR's optima, and no false claim."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from widemargin.certificate.linear import certify_linear
from widemargin.certificate.linear_classes import certify_classes
from widemargin.data.rows import native_rows
from widemargin.loss.losses import Hinge, Logistic, SquaredHinge, SquaredTube, Tube
from widemargin.model.class_problem import ClassProblem
from widemargin.model.linear_problem import LinearProblem

LOSSES = [Hinge(), SquaredHinge(), Logistic(), Tube(0.2), SquaredTube(0.2)]
BIASES = ["free", "regularised", "none"]


def problem(loss, bias, penalty="l2", seed=0, n=30, d=4, sparse=False, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) * rng.integers(0, 2, (n, d))).astype(dtype)
    t = rng.standard_normal(n)
    if isinstance(loss, Hinge | SquaredHinge | Logistic):
        t = np.where(t + X[:, 0] > 0, 1.0, -1.0)
    X = sp.csr_array(X) if sparse else X
    return LinearProblem(X, t, rng.uniform(0.1, 3, n), loss, bias, 0.7, penalty)


def dual_point(p, seed):
    """A feasible one."""
    lower, upper = p.loss.bounds(p.t, p.C)
    lower, upper = np.maximum(lower, -2 * p.C), np.minimum(upper, 2 * p.C)
    b = p.feasible(lower + np.random.default_rng(seed).uniform(0, 1, p.n) * (upper - lower))
    if p.penalty == "l1":
        v = np.abs(np.append(p.X.T @ b, p.scale * b.sum()))
        b = b / max(1.0, float(v.max()) * (1 + 1e-12))
    return b


def proved(p, w, c, b, **options):
    radius = float(np.sqrt(p.native.squared_norms(1).max()))
    return certify_linear(p, w, c, b, radius=radius, **options)


def plain_objectives(p, w, c, b):
    """By the formulas of model/linear_problem, in NumPy and no other way."""
    X = np.asarray(p.X.todense() if sp.issparse(p.X) else p.X, dtype=np.float64)
    v, s = X.T @ b, p.scale * b.sum()
    reg = p.bias == "regularised"
    loss = float(p.C @ p.loss.value(X @ w + c, p.t))
    reward = float(p.loss.reward(b, p.t, p.C).sum())
    if p.penalty == "l1":
        return np.abs(w).sum() + reg * abs(c / p.scale) + loss, reward
    return w @ w / 2 + reg * (c / p.scale) ** 2 / 2 + loss, reward - v @ v / 2 - reg * s * s / 2


@pytest.mark.theorem("BoydVandenberghe04")
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
@given(seed=st.integers(0, 10**6), size=st.floats(0, 3), c=st.floats(-2, 2), l1=st.booleans(), sparse=st.booleans())
def test_no_model_is_better_than_any_point_of_the_dual(loss, bias, seed, size, c, l1, sparse):
    """P(w, c) >= D(b) for every model and every feasible b; the gap is their difference."""
    p = problem(loss, bias, "l1" if l1 else "l2", seed, sparse=sparse)
    w, c = size * np.random.default_rng(seed + 1).standard_normal(p.d), 0.0 if bias == "none" else c
    b = dual_point(p, seed + 2)
    found = proved(p, w, c, b)
    primal, dual = plain_objectives(p, w, c, b)
    assert found.holds
    assert found.gap >= -found.rounding
    assert found.primal == pytest.approx(primal, rel=1e-12)
    assert found.dual == pytest.approx(dual, rel=1e-9, abs=1e-9)
    assert found.gap == pytest.approx(primal - dual, rel=1e-9, abs=1e-9 * primal)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_rows_of_any_kind_give_the_same_figures(dtype, sparse):
    p, q = (
        problem(Hinge(), "free", seed=3, n=5000, sparse=s, dtype=t) for s, t in ((False, np.float32), (sparse, dtype))
    )
    w, b = np.full(p.d, 0.1), dual_point(p, 5)
    if dtype == np.float32:
        assert proved(p, w, 0.3, b).primal == pytest.approx(proved(q, w, 0.3, b).primal, rel=1e-13)
    one, two = proved(q, w, 0.3, b), proved(q, w, 0.3, b)
    assert one.gap == two.gap


def test_liblinears_optimum_has_no_gap():
    """The dual variables of the squared hinge follow from the model."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((200, 5))
    y = np.where(X[:, 0] + rng.standard_normal(200) > 0, 1.0, -1.0)
    peer = LinearSVC(C=0.5, tol=1e-12, max_iter=10**6, intercept_scaling=2.0).fit(X, y)
    p = LinearProblem(X, y, np.full(200, 0.5), SquaredHinge(), "regularised", 2.0)
    w, c = peer.coef_[0], float(peer.intercept_[0])
    assert proved(p, w, c, -p.C * p.loss.slope(X @ w + c, y)).relative_gap < 1e-9
    assert proved(p, w, c, np.zeros(200)).gap == pytest.approx(proved(p, w, c, np.zeros(200)).primal)


def spoilt(p, w, c, b, how):
    b, w = b.copy(), w.copy()
    if how == "outside":
        b[0] = 5 * p.C[0] * p.t[0]
        b[1:] -= b.sum() / (len(b) - 1)
    elif how == "sum":
        b[np.argmax(np.abs(b))] *= 0.5
    elif how == "nan":
        b[3] = np.nan
    elif how == "model":
        w[0] = np.inf
    return proved(p, w, c, b)


@pytest.mark.parametrize(
    ("how", "words"),
    [("outside", "outside"), ("sum", "miss their sum"), ("nan", "not finite"), ("model", "not finite")],
)
def test_a_spoilt_proof_is_seen(how, words):
    p = problem(Hinge(), "free")
    b = dual_point(p, 1)
    assert proved(p, np.zeros(p.d), 0.0, b).holds
    found = spoilt(p, np.zeros(p.d), 0.0, b, how)
    assert found.holds is False
    assert words in found.claim


def test_a_slope_above_one_is_no_proof_of_a_sparse_model():
    p = problem(SquaredHinge(), "none", "l1")
    found = proved(p, np.zeros(p.d), 0.0, 100 * dual_point(p, 1))
    assert found.holds is False
    assert "above 1" in found.claim


def test_a_proof_of_another_size_is_refused():
    p = problem(Hinge(), "free")
    assert "variables for 30 rows" in certify_linear(p, np.zeros(4), 0.0, np.zeros(7), radius=1.0).claim


# ---- all classes at once -------------------------------------------------------------------------------------------


def classes(bias, seed=0, n=40, k=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    y = np.arange(n) % k
    return ClassProblem(X, native_rows(X), y, rng.uniform(0.2, 2, n), k, bias, 0.6)


def class_point(p, seed):
    a = np.random.default_rng(seed).dirichlet(np.ones(p.k), p.n) * p.C[:, None]
    b = -a
    b[np.arange(p.n), p.y] += p.C
    return p.feasible(b.ravel())


@pytest.mark.theorem("CrammerSinger01")
@given(bias=st.sampled_from(BIASES), seed=st.integers(0, 10**6), size=st.floats(0, 3))
def test_no_model_of_all_classes_is_better_than_any_point_of_the_dual(bias, seed, size):
    """1/2 sum |w_m|^2 + sum C max(e + z_m - z_y) >= -sum e b - 1/2 sum |v_m|^2 for every W and feasible b."""
    p, rng = classes(bias, seed), np.random.default_rng(seed + 1)
    W, b = size * rng.standard_normal(p.shape), class_point(p, seed + 2)
    W[:, -1] *= bias != "none"
    found = certify_classes(p, W, b, radius=10.0)
    z = p.X @ W[:, :-1].T + W[:, -1] + 1.0
    own = np.arange(p.n), p.y
    z[own] -= 1
    reg = bias == "regularised"
    primal = (W[:, :-1] ** 2).sum() / 2 + reg * (W[:, -1] ** 2).sum() / 2 / 0.36 + p.C @ (z.max(axis=1) - z[own])
    b2 = b.reshape(p.n, p.k)
    v = p.X.T @ b2
    dual = b2[own].sum() - (v**2).sum() / 2 - reg * 0.36 * (b2.sum(axis=0) ** 2).sum() / 2
    assert found.holds, found.claim
    assert found.gap >= -found.rounding
    assert found.gap == pytest.approx(primal - dual, rel=1e-9, abs=1e-9 * primal)


@pytest.mark.parametrize(("row", "words"), [(slice(0, 1), "above its bound"), (slice(1, 2), "miss")])
def test_a_spoilt_proof_of_all_classes_is_seen(row, words):
    p = classes("free")
    b = class_point(p, 3).reshape(p.n, p.k)
    if words == "miss":
        b[row] *= 0.5
        b[row, 0] -= 0.1
    else:
        b[row] = [9.0, -9.0, 0.0, 0.0]
    found = certify_classes(p, np.zeros(p.shape), b.ravel(), radius=10.0)
    assert found.holds is False
    assert words in found.claim
