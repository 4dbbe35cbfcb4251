"""Kernels of rows: values, blocks, names, and the accuracy that their bounds rest on."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import widemargin as wm
from widemargin import _core
from widemargin.base.errors import BadInput
from widemargin.kernels import RBF, GramSource, Kernel, Linear, Polynomial, RowItems, Tanh, as_kernel

PAIRS = [
    (Linear(), linear_kernel),
    (Polynomial(), lambda X, Z: polynomial_kernel(X, Z, degree=3, gamma=1.0, coef0=1.0)),
    (Polynomial(degree=5, gamma=0.3, offset=0.0), lambda X, Z: polynomial_kernel(X, Z, degree=5, gamma=0.3, coef0=0.0)),
    (RBF(0.2), lambda X, Z: rbf_kernel(X, Z, gamma=0.2)),
    (Tanh(0.7, -0.2), lambda X, Z: sigmoid_kernel(X, Z, gamma=0.7, coef0=-0.2)),
]


@pytest.fixture(params=["avx512", "avx2", "scalar"])
def simd(request):
    before = _core.simd_level()
    _core.set_simd_level(request.param)
    yield request.param
    _core.set_simd_level(before)


@pytest.mark.parametrize(("kernel", "peer"), PAIRS, ids=[str(k) for k, _ in PAIRS])
@pytest.mark.parametrize("d", [1, 7, 50, 300, 700])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_values_are_scikit_learns(kernel, peer, d, make, simd):
    rng = np.random.default_rng(d)
    X, Z = (rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5) / np.sqrt(d) for n in (70, 131))
    assert_allclose(kernel(make(X), make(Z)), peer(X, Z), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kernel", [k for k, _ in PAIRS], ids=str)
def test_all_storages_and_threads_give_one_block(kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 21)).astype(np.float32)
    whole = kernel(X.astype(np.float64))
    assert_allclose(kernel(X), whole, rtol=1e-13)
    # Sums in another order; where their terms cancel, the error is that of the terms.
    assert_allclose(kernel(X, sp.csr_matrix(X)), whole, rtol=1e-12, atol=1e-14)
    assert_allclose(kernel(np.asfortranarray(X), X[::-1])[:, ::-1], whole, rtol=1e-13)
    items = RowItems(X)
    assert_array_equal(kernel.block(items, items, 1), kernel.block(items, items, 2))
    assert_allclose(kernel.diag(items), np.diag(whole), rtol=1e-12)
    gram = GramSource(kernel, items)
    assert_allclose(gram.block(np.array([5, 2]), None), whole[[5, 2]], rtol=1e-13)
    assert_allclose(gram.block(None, np.array([7]), np.empty((300, 1))), whole[:, [7]], rtol=1e-13)


@pytest.mark.parametrize("kernel", [k for k, _ in PAIRS], ids=str)
def test_a_kernel_is_a_value(kernel):
    assert isinstance(kernel, Kernel)
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert hash(clone(kernel, safe=False)) == hash(kernel)
    x, z = np.arange(3.0), np.ones(3)
    value = kernel(x, z)
    assert isinstance(value, float)
    assert value == kernel(x[None], z[None])[0, 0]


def test_kernels_print_as_formulas():
    assert [str(k) for k in (Linear(), Polynomial(2), Polynomial(3, 0.5, 0), RBF(1), RBF(0.25))] == [
        "x·z",
        "(x·z + 1)^2",
        "(0.5 x·z)^3",
        "exp(-|x - z|²)",
        "exp(-0.25 |x - z|²)",
    ]
    assert [str(k) for k in (Tanh(), Tanh(0.5, 1), Tanh(-2, -0.5))] == [
        "tanh(x·z)",
        "tanh(0.5 x·z + 1)",
        "tanh(-2 x·z - 0.5)",
    ]
    assert repr(RBF(0.5)) == "RBF(gamma=0.5)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RBF(0), "gamma is 0"),
        (lambda: RBF(np.nan), "gamma is nan"),
        (lambda: Polynomial(offset=-1), "offset is -1"),
        (lambda: Polynomial(degree=1.5), "degree is 1.5"),
        (lambda: Polynomial(degree=-1), "degree is -1"),
        (lambda: Tanh(np.inf), "alpha is inf"),
        (lambda: Tanh(1, np.nan), "beta is nan"),
        (lambda: RBF(1)(np.ones((2, 3)), np.ones((2, 4))), "3 and 4 features"),
        (lambda: RBF(1)([[np.nan]]), "NaN"),
        (lambda: as_kernel("cosine"), "'cosine'"),
    ],
)
def test_what_is_no_kernel_is_refused(make, message):
    with pytest.raises(BadInput, match=message):
        make()


def test_scikit_learn_takes_our_kernels():
    X, y = load_iris(return_X_y=True)
    ours, theirs = SVC(kernel=RBF(0.1), tol=1e-9).fit(X, y), SVC(gamma=0.1, tol=1e-9).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)
    ridge = KernelRidge(kernel=RBF(0.1)).fit(X[:40], y[:40])
    assert_allclose(ridge.predict(X[:40]), KernelRidge(kernel="rbf", gamma=0.1).fit(X[:40], y[:40]).predict(X[:40]))


def test_parameters_of_the_kernel_can_be_searched():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(wm.KernelPerceptron(kernel=RBF(), max_iter=5), {"kernel__gamma": [1e-9, 0.5]}, cv=3).fit(X, y)
    assert search.best_params_ == {"kernel__gamma": 0.5}
    assert search.best_estimator_.kernel_ == RBF(0.5)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_scale_is_scikit_learns_and_counts_weights(make):
    X = np.random.default_rng(1).normal(2, 3, size=(40, 5))
    assert_allclose(as_kernel("rbf", make(X)).gamma, 1 / (5 * X.var()))
    assert as_kernel("rbf", make(X), gamma="auto") == RBF(0.2)
    assert as_kernel("rbf", make(np.ones((3, 4)))).gamma == 1
    times = np.arange(40) % 3
    weighted = as_kernel("rbf", make(X), weight=times.astype(float))
    assert_allclose(weighted.gamma, as_kernel("rbf", X.repeat(times, 0)).gamma)


@pytest.mark.parametrize(("dtype", "least", "error"), [(np.float32, -87.33, 1.2e-7), (np.float64, -708.39, 3e-16)])
def test_exp_has_the_stated_accuracy(dtype, least, error, simd):
    x = np.concatenate([np.linspace(least, 0, 400_001), -np.logspace(-12, np.log10(-least), 400_000)])
    x = np.maximum(x.astype(dtype), dtype(least))
    ours = x.copy()
    _core.exp_nonpositive(ours)
    exact = np.exp(x.astype(np.longdouble))
    assert np.max(np.abs(ours - exact) / exact) < error
    ends = np.array([0, -0.0, -1e4, -np.inf, np.nan] * 7, dtype=dtype)
    _core.exp_nonpositive(ends)
    assert_array_equal(ends, [1, 1, 0, 0, np.nan] * 7)


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 4e-7), (np.float64, 8e-16)])
def test_tanh_has_the_stated_accuracy(dtype, error, simd):
    """Also next to 0, where 1 - exp(-2 x) would cancel, and on both sides of the change of method at 0.35."""
    sizes = np.concatenate([np.linspace(0, 30, 200_001), np.logspace(-30, 3, 200_000), np.linspace(0.34, 0.36, 20_003)])
    x = np.concatenate([sizes, -sizes]).astype(dtype)
    ours = x.copy()
    _core.tanh_in_place(ours)
    exact = np.tanh(x.astype(np.longdouble))
    assert np.all(np.abs(ours - exact) <= error * np.abs(exact))
    assert_array_equal(ours[: len(sizes)], -ours[len(sizes) :])
    ends = np.array([0, -0.0, 1e30, -1e30, np.inf, -np.inf, np.nan] * 5, dtype=dtype)
    _core.tanh_in_place(ends)
    assert_array_equal(ends, [0, -0.0, 1, -1, 1, -1, np.nan] * 5)


def test_sigmoid_is_scikit_learns_name():
    assert as_kernel("sigmoid", gamma=0.5, coef0=-1.0) == Tanh(0.5, -1.0)


@pytest.mark.parametrize("columns", [64, 1500])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_rows_with_many_zeros_give_the_sums_of_their_sparse_form(simd, columns, dtype):
    """Products leave the zeros out; few columns have a place each, many get one when they are used."""
    rng = np.random.default_rng(columns)
    X, Z = (rng.normal(size=(n, columns)) * (rng.random((n, columns)) < 0.1) for n in (150, 90))
    X, Z = X.astype(dtype), Z.astype(dtype)
    c = rng.normal(size=150)
    for kernel in (RBF(0.05), Polynomial(2, gamma=0.1)):
        exact = kernel.block(kernel.prepare(X), kernel.prepare(X)) @ c
        assert kernel.expand(kernel.prepare(X), c) == pytest.approx(exact, rel=1e-12, abs=1e-12)
        exact = kernel.block(kernel.prepare(Z), kernel.prepare(X)) @ c
        for single, near in ((False, 1e-12), (True, 3e-5)):
            sums = kernel.sums(kernel.prepare(Z), kernel.prepare(X), c[None], single=single)[:, 0]
            assert sums == pytest.approx(exact, rel=near, abs=near * np.abs(exact).max())


def test_a_machine_of_many_classes_with_many_zeros_is_that_of_the_sparse_rows():
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(4), 60)
    X = (rng.normal(size=(240, 80)) + y[:, None] % 2) * (rng.random((240, 80)) < 0.2)
    dense, sparse = (wm.SVC(C=2.0, gamma=0.05).fit(rows, y) for rows in (X, sp.csr_array(X)))
    assert dense.certificate_.relative_gap <= 1e-4
    assert dense.decision_function(X) == pytest.approx(sparse.decision_function(sp.csr_array(X)), abs=1e-6)
