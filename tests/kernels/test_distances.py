"""Laplacian, chi squared and Mahalanobis kernels: values, storages, and what they refuse."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics.pairwise import chi2_kernel, laplacian_kernel
from tests.kernels.expressions import gram_matrix

import widemargin as wm
from widemargin import _core
from widemargin.base.errors import BadInput
from widemargin.kernels import ChiSquared, GramSource, Laplacian, Mahalanobis, RowItems


def rows(n, d, seed=0):
    """Counts with many zeros, so that rows share zeros, have none in common, or are all zero."""
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(n, d)) * (rng.random((n, d)) < 0.4)
    X[n // 2] = 0
    return X


def kernels(d):
    A = gram_matrix(d, d, min(3, d))
    return [
        (Laplacian(0.2), lambda X, Z: laplacian_kernel(X, Z, gamma=0.2)),
        (ChiSquared(0.6), lambda X, Z: chi2_kernel(X, Z, gamma=0.6)),
        (Mahalanobis(A), lambda X, Z: X @ A @ Z.T),
    ]


@pytest.fixture(params=["avx2", "scalar"])
def simd(request):
    before = _core.simd_level()
    _core.set_simd_level(request.param)
    yield request.param
    _core.set_simd_level(before)


@pytest.mark.parametrize("which", [0, 1, 2], ids=["laplacian", "chi2", "mahalanobis"])
@pytest.mark.parametrize("d", [1, 3, 8, 21, 130])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_values_are_scikit_learns(which, d, make, simd):
    kernel, peer = kernels(d)[which]
    X, Z = rows(37, d, 1), rows(300, d, 2)
    expected = peer(X, Z)
    # Where the terms of xᵀAz cancel, the error is that of the terms, which are as large as the largest value.
    assert_allclose(kernel(make(X), make(Z)), expected, rtol=1e-12, atol=1e-13 + 2e-15 * np.abs(expected).max())


@pytest.mark.parametrize("which", [0, 1, 2], ids=["laplacian", "chi2", "mahalanobis"])
def test_all_storages_and_threads_give_one_block(which):
    kernel, _ = kernels(13)[which]
    X = rows(300, 13).astype(np.float32)
    whole = kernel(X.astype(np.float64))
    near = {"rtol": 1e-11, "atol": 1e-13}
    for a, b in [(X, X), (X, X.astype(np.float64)), (X, sp.csr_array(X)), (np.asfortranarray(X), X)]:
        assert_allclose(kernel(a, b), whole, **near)
    items = RowItems(X)
    assert_array_equal(kernel.block(items, items, 1), kernel.block(items, items, 2))
    assert_allclose(kernel.diag(items), np.diag(whole), **near)
    assert_allclose(kernel.diag(items.as_sparse()), np.diag(whole), **near)
    gram = GramSource(kernel, items)
    assert gram.native is None
    assert_allclose(gram.block(np.array([5, 2]), None), whole[[5, 2]], **near)
    assert_allclose(gram.block(None, np.array([7])), whole[:, [7]], **near)
    assert kernel.block(items.take(np.arange(0)), items).shape == (0, 300)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_the_chi_squared_kernel_names_the_negative_value(make):
    X = rows(6, 5)
    X[4, 3] = -0.25
    for call in (
        lambda: ChiSquared()(make(X)),
        lambda: ChiSquared()(make(rows(3, 5)), make(X)),
        lambda: ChiSquared().diag(RowItems(make(X))),
    ):
        with pytest.raises(BadInput, match=r"-0\.25 in row 4, column 3"):
            call()


def test_the_place_of_a_negative_value_is_that_in_the_data():
    """Also where a learner looks at some rows and a kernel at some columns."""
    X = rows(30, 5)
    X[21, 3] = -0.25
    y = np.arange(30) % 2
    for kernel in (ChiSquared(0.5), Laplacian() + ChiSquared().on([3, 1])):
        with pytest.raises(BadInput, match=r"-0\.25 in row 21, column 3"):
            wm.KernelPerceptron(kernel=kernel).fit(X, y)
        model = wm.KernelPerceptron(kernel=kernel).fit(abs(X), y)
        with pytest.raises(BadInput, match=r"-0\.25 in row 21, column 3"):
            model.predict(X)
        with pytest.raises(BadInput, match=r"-0\.25 in row 21, column 3"):
            kernel(X[:3], sp.csr_array(X))


def test_a_form_is_a_value_though_it_holds_an_array():
    A = gram_matrix(3)
    kernel, same, other = Mahalanobis(A), Mahalanobis(A.tolist()), Mahalanobis(2 * A)
    assert kernel == same
    assert hash(kernel) == hash(same)
    assert kernel != other
    assert kernel != "xᵀAz"
    A[0, 0] = 99.0
    assert kernel == same
    for copy in (pickle.loads(pickle.dumps(kernel)), clone(kernel, safe=False)):
        assert copy == kernel
        with pytest.raises(ValueError, match="read-only"):
            copy.A[0, 0] = 1.0
    zeros = np.zeros((2, 2))
    assert hash(Mahalanobis(zeros)) == hash(Mahalanobis(-zeros))


def test_the_root_of_a_form_has_its_rank():
    A = gram_matrix(5, 6, 3)
    R = Mahalanobis(A).root
    assert R.shape == (3, 6)
    assert_allclose(R.T @ R, A, atol=1e-13)


def test_formulas():
    assert [str(k) for k in (Laplacian(1), Laplacian(0.5), ChiSquared(2), Mahalanobis(np.eye(2)))] == [
        "exp(-|x - z|₁)",
        "exp(-0.5 |x - z|₁)",
        "exp(-2 Σ (x - z)²/(x + z))",
        "xᵀAz",
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mahalanobis([[1.0, 2.0], [2.0, 1.0]]), r"smallest eigenvalue is -1,"),
        (lambda: Mahalanobis([[1.0, 2.0], [0.5, 1.0]]), r"A\[0, 1\] is 2, but A\[1, 0\] is 0\.5"),
        (lambda: Mahalanobis([[1.0, np.nan], [np.nan, 1.0]]), r"A\[0, 1\] is nan"),
        (lambda: Mahalanobis(np.ones((2, 3))), r"shape \(2, 3\)"),
        (lambda: Mahalanobis(np.eye(3))(np.ones((2, 4))), "for 3 features, but the rows have 4"),
        (lambda: Mahalanobis([[1e300]])([[1e80]]), "gave inf"),
        (lambda: Laplacian(-1), "gamma is -1"),
        (lambda: ChiSquared(np.inf), "gamma is inf"),
        (lambda: Laplacian()(np.ones((2, 3)), np.ones((2, 4))), "3 and 4 features"),
    ],
)
def test_what_is_no_kernel_is_refused(make, message):
    with pytest.raises(BadInput, match=message):
        make()


def test_the_door_of_the_core_refuses_what_does_not_fit():
    X = _core.Rows.dense(np.ones((2, 3)))
    sparse = RowItems(sp.csr_array(np.ones((2, 3)))).native
    with pytest.raises(ValueError, match="one side is sparse"):
        _core.distance_block(X, sparse, 0, 1.0, np.zeros((2, 2)), 1)
    with pytest.raises(ValueError, match="different numbers of features"):
        _core.distance_block(X, _core.Rows.dense(np.ones((2, 4))), 0, 1.0, np.zeros((2, 2)), 1)
    with pytest.raises(ValueError, match="another shape"):
        _core.distance_block(X, X, 0, 1.0, np.zeros((2, 3)), 1)
    with pytest.raises(ValueError, match="distance 2 is not known"):
        _core.distance_block(X, X, 2, 1.0, np.zeros((2, 2)), 1)
