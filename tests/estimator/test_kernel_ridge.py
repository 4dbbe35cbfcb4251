"""Kernel ridge regression: the closed form, its bias, its proof, and what it refuses."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import LinAlgWarning
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.linear_model import Ridge

import widemargin as wm
from widemargin.base.errors import BadInput, MemoryBudget
from widemargin.certificate.kernel_ridge import certify_kernel_ridge
from widemargin.kernels import RBF, Linear, Precomputed
from widemargin.kernels.gram import GramSource


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, np.sin(2 * X[:, 0]) + 4 + 0.1 * rng.normal(size=80), rng.uniform(0.2, 3.0, 80)


def solved(K, z, w, alpha):
    """The bordered system, at once: no Cholesky, no second solve."""
    n = len(z)
    A = np.block([[K + np.diag(alpha / w), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    found = np.linalg.solve(A, np.append(z, 0.0))
    return found[:-1], found[-1]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_bordered_system_is_solved(points, weighted):
    X, z, w = points
    w = w if weighted else np.ones(80)
    model = wm.KernelRidge(alpha=0.3, gamma=0.4).fit(X, z, sample_weight=w)
    c, b = solved(RBF(0.4)(X), z, w, 0.3)
    np.testing.assert_allclose(model.dual_coef_, c, rtol=1e-9, atol=1e-9)
    assert model.intercept_[0] == pytest.approx(b, rel=1e-10)
    np.testing.assert_allclose(model.predict(X), RBF(0.4)(X) @ c + b, rtol=1e-10)
    assert abs(model.dual_coef_.sum()) < 1e-12 * np.abs(model.dual_coef_).sum()


def test_without_a_bias_it_is_scikit_learns(points):
    X, z, w = points
    for options in ({"kernel": "rbf", "gamma": 0.4}, {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0}):
        ours = wm.KernelRidge(alpha=0.7, fit_intercept=False, **options).fit(X, z, sample_weight=w)
        theirs = Theirs(alpha=0.7, **options).fit(X, z, sample_weight=w)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
        assert ours.intercept_[0] == 0


def test_with_the_linear_kernel_it_is_ridge_regression(points):
    """Also with weights: scikit-learn's Ridge has the same objective, times two."""
    X, z, w = points
    ours = wm.KernelRidge(alpha=2.0, kernel="linear").fit(X, z, sample_weight=w)
    theirs = Ridge(alpha=2.0).fit(X, z, sample_weight=w)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    assert ours.intercept_[0] == pytest.approx(theirs.intercept_, rel=1e-9)


def test_a_centred_kernel_needs_no_bias(points):
    """On rows and targets that are centred the free bias of the linear kernel is 0, and both estimators agree."""
    X, z, _ = points
    X, z = X - X.mean(axis=0), z - z.mean()
    ours = wm.KernelRidge(alpha=0.5, kernel="linear").fit(X, z)
    assert abs(ours.intercept_[0]) < 1e-13
    np.testing.assert_allclose(ours.predict(X), Theirs(alpha=0.5, kernel="linear").fit(X, z).predict(X), atol=1e-10)


@pytest.mark.theorem("SaundersEtAl98")
@given(st.integers(0, 10**6), st.floats(-3, 3), st.sampled_from([0.01, 1.0, 50.0]))
def test_a_shift_of_the_targets_moves_only_the_bias(seed, shift, alpha):
    """With a free bias, adding s to every target adds s to the bias and leaves the coefficients alone."""
    rng = np.random.default_rng(seed)
    X, z = rng.normal(size=(15, 2)), rng.normal(size=15)
    one, two = (wm.KernelRidge(alpha=alpha, gamma=0.7).fit(X, t) for t in (z, z + shift))
    np.testing.assert_allclose(two.dual_coef_, one.dual_coef_, atol=1e-8)
    assert two.intercept_[0] == pytest.approx(one.intercept_[0] + shift, abs=1e-8)


# ---- the certificate -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gap_is_nothing_and_the_primal_is_the_objective(points, fit_intercept, weighted):
    X, z, w = points
    w = w if weighted else None
    model = wm.KernelRidge(alpha=0.3, gamma=0.4, fit_intercept=fit_intercept).fit(X, z, sample_weight=w)
    certificate = model.certificate_
    assert certificate.holds, certificate.claim
    assert abs(certificate.relative_gap) < 1e-12
    K, c, r = RBF(0.4)(X), model.dual_coef_, z - model.predict(X)
    known = ((1 if w is None else w) * r**2).sum() / 2 + 0.3 * c @ K @ c / 2
    assert certificate.primal == pytest.approx(known, rel=1e-10)
    assert certificate.dual == pytest.approx(known, rel=1e-10)
    assert wm.certify(model, X, z, w).to_dict() | {"seconds": 0} == certificate.to_dict() | {"seconds": 0}
    model.proof_ = None
    assert wm.certify(model, X, z, w).holds


@pytest.mark.theorem("BoydVandenberghe04")
@given(st.integers(0, 10**6), st.floats(-3, 3), st.booleans())
def test_no_dual_value_of_a_ridge_exceeds_a_primal_one(seed, b, free):
    """D(c) <= P(a, b) for every a and b, and every c (of sum 0 where b is free)."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    Z = rng.normal(size=(n, 3))
    K, z, w, alpha = Z @ Z.T, rng.normal(size=n), rng.uniform(0.1, 3, n), float(rng.uniform(0.01, 5))
    a, c = rng.normal(size=(2, n))
    c, a = (c - c.mean(), a - a.mean()) if free else (c, a)
    source = GramSource(Precomputed(), Precomputed().prepare(K))
    options = {"alpha": alpha, "weight": w, "fit_intercept": free}
    lower = certify_kernel_ridge(source, z, c, intercept=0.0, **options)
    upper = certify_kernel_ridge(source, z, a, intercept=b if free else 0.0, **options)
    assert lower.holds, lower.claim
    assert upper.holds, upper.claim
    assert lower.dual <= upper.primal + 1e-9 * (abs(lower.dual) + abs(upper.primal))
    missed = certify_kernel_ridge(source, z, a + 1.0, intercept=b if free else 0.0, **options)
    assert missed.holds is not free
    for one in (lower, upper, missed):
        assert one.gap == pytest.approx(one.primal - one.dual, abs=1e-9 * (1 + abs(one.primal) + abs(one.dual)))


def test_what_is_wrong_is_caught(points):
    X, z, _ = points
    model = wm.KernelRidge(alpha=0.3, gamma=0.4).fit(X, z)
    source = GramSource(RBF(0.4), Linear().prepare(X))
    c, b = model.dual_coef_, float(model.intercept_[0])
    good = {"alpha": 0.3, "intercept": b}
    assert certify_kernel_ridge(source, z, c, **good).holds
    assert certify_kernel_ridge(source, z, c, **good, coef=c * (1 + 1e-9)).holds is False
    assert certify_kernel_ridge(source, z, c + 0.01, **good).holds is False
    assert certify_kernel_ridge(source, z, c[:-1], **good).holds is False
    assert certify_kernel_ridge(source, z, np.where(np.arange(80) == 3, np.nan, c), **good).holds is False
    assert certify_kernel_ridge(source, z, c, alpha=0.3, intercept=b + 0.1).relative_gap > 1e-3
    assert certify_kernel_ridge(source, z + np.sin(np.arange(80)), c, **good).relative_gap > 1e-3
    bent = GramSource(Precomputed(), Precomputed().prepare(-np.eye(80)))
    assert certify_kernel_ridge(bent, z, c, **good).holds is None


@pytest.mark.parametrize("alpha", [1e-3, 1e-9, 1e-12])
def test_the_sum_is_0_however_bad_the_matrix_and_far_the_targets(points, alpha):
    X, z, w = points
    model = wm.KernelRidge(alpha=alpha, gamma=0.05).fit(X, z + 1e6, sample_weight=w)
    assert abs(model.dual_coef_.sum()) <= 1e-14 * np.abs(model.dual_coef_).sum()
    assert model.certificate_.holds


# ---- kernels of all kinds --------------------------------------------------------------------------------------------


def test_matrices_strings_and_functions(points):
    X, z, w = points
    w = np.where(np.arange(80) % 5 == 0, 0.0, w)
    plain = wm.KernelRidge(alpha=0.3, gamma=0.4).fit(X, z, sample_weight=w)
    assert plain.support_.tolist() == np.flatnonzero(w).tolist()
    matrix = wm.KernelRidge(alpha=0.3, kernel="precomputed").fit(RBF(0.4)(X), z, sample_weight=w)
    np.testing.assert_allclose(matrix.predict(RBF(0.4)(X[:9], X)), plain.predict(X[:9]), rtol=1e-9)
    assert wm.certify(matrix, RBF(0.4)(X), z, w).holds
    call = wm.KernelRidge(alpha=0.3, kernel=lambda A, B: RBF(0.4)(A, B)).fit(X, z, sample_weight=w)
    np.testing.assert_allclose(call.predict(X), plain.predict(X), rtol=1e-9)
    words = ["one", "two", "three", "four", "five", "six"]
    shared = wm.KernelRidge(alpha=0.1, kernel=lambda a, b: float(len(set(a) & set(b)))).fit(words, [3, 3, 5, 4, 4, 3])
    assert shared.certificate_.holds
    assert shared.predict(["seven"]).shape == (1,)
    with pytest.raises(BadInput, match="text"):
        shared.fit(words, words)


def test_threads_change_no_bit(points):
    X, z, _ = points
    one, two = (wm.KernelRidge(n_jobs=n).fit(np.tile(X, (4, 1)), np.tile(z, 4)) for n in (1, 3))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)


def test_the_kernels_parameters_can_be_searched(points):
    from sklearn.model_selection import GridSearchCV

    X, z, _ = points
    search = GridSearchCV(wm.KernelRidge(kernel=RBF(1.0)), {"kernel__gamma": [0.01, 0.4], "alpha": [0.1, 10.0]}, cv=3)
    assert search.fit(X, z).best_estimator_.kernel_ == RBF(0.4)


# ---- refusals --------------------------------------------------------------------------------------------------------


def test_a_matrix_beyond_the_budget_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(GramSource, "block", lambda *_: pytest.fail("kernel values were computed"))
    with pytest.raises(
        MemoryBudget, match=r"1000 rows need 7\.6 MB .* 5\.0 MB are allowed: raise cache_size"
    ) as caught:
        wm.KernelRidge(cache_size=5).fit(np.zeros((1000, 1)), np.arange(1000.0))
    assert (caught.value.needed, caught.value.allowed) == (8 * 1000**2, 5 << 20)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, MemoryError)
    monkeypatch.setenv("WIDEMARGIN_MEMORY", "1")
    with pytest.raises(MemoryBudget, match=r"1\.0 MB are allowed"):
        wm.KernelRidge(cache_size=50).fit(np.zeros((1000, 1)), np.arange(1000.0))


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_a_fit_holds_the_matrix_once(kernel):
    rng = np.random.default_rng(0)
    X, z = rng.normal(size=(2000, 5)), rng.normal(size=2000)
    X = RBF(0.2)(X) if kernel == "precomputed" else X
    wm.KernelRidge().fit(rng.normal(size=(20, 5)), z[:20])  # lazy imports
    tracemalloc.start()
    wm.KernelRidge(kernel=kernel).fit(X, z)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 8 * 2000**2 <= peak < 1.1 * 8 * 2000**2


def test_a_singular_matrix_is_told_and_leaves_a_usable_model(points):
    X, z, _ = points
    X, z = np.vstack([X, X]), np.append(z, z)
    with pytest.warns(LinAlgWarning, match=r"alpha=1e-18 is singular to rounding in \d+ of 160 .*raise alpha"):
        model = wm.KernelRidge(alpha=1e-18, gamma=0.4).fit(X, z)
    assert model.score(X, z) > 0.999
    assert model.certificate_.holds is not False


def test_values_that_overflow_are_refused(points):
    X, z, _ = points
    with pytest.raises(BadInput, match="overflows"):
        wm.KernelRidge(kernel="poly", degree=9, gamma=1.0).fit(X * 1e40, z)


def test_several_targets_are_refused(points):
    X, z, _ = points
    with pytest.raises(BadInput, match=r"its shape is \(80, 2\): fit one model a column"):
        wm.KernelRidge().fit(X, np.column_stack([z, z]))
