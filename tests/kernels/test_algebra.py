"""Kernels made of kernels: what they compute, how they print, and that they stay kernels."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from tests.kernels.expressions import EVERY_KIND, KERNELS, D, gram_matrix

import widemargin as wm
from widemargin.base.errors import BadInput
from widemargin.kernels import (
    RBF,
    ChiSquared,
    Function,
    GramSource,
    Kernel,
    Laplacian,
    Linear,
    ListItems,
    Mahalanobis,
    Polynomial,
    Precomputed,
    RowItems,
    Sum,
    Tanh,
    as_kernel,
    with_params,
)


def positive_rows(n, seed=0):
    return np.random.default_rng(seed).gamma(1.0, size=(n, D))


@pytest.mark.theorem("ShaweTaylorCristianini04")
@given(KERNELS, st.integers(0, 10**6))
def test_every_expression_of_kernels_is_a_kernel(kernel, seed):
    """Sums, products, multiples, exp, polynomials, restrictions and normalised forms of psd kernels are psd."""
    X = positive_rows(12, seed)
    X[1] = X[0]
    X[2] = 0
    K = kernel(X)
    size = max(np.abs(K).max(), np.finfo(float).tiny)
    assert np.abs(K - K.T).max() <= 1e-12 * size
    assert np.linalg.eigvalsh((K + K.T) / 2)[0] >= -1e-11 * size
    assert_allclose(kernel.diag(kernel.prepare(X)), np.diag(K), rtol=1e-9, atol=1e-11 * size)
    assert kernel.may_be_indefinite == ("Function" in repr(kernel))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)], ids=["f8", "csr", "f4"])
def test_values_are_those_of_the_formulas(make):
    X, Z = make(positive_rows(7)), make(positive_rows(5, 1))
    a, b = RBF(0.3)(X, Z), Linear()(X, Z)
    dense = [M.toarray() if sp.issparse(M) else M for M in (X, Z)]
    cases = {
        RBF(0.3) + Linear(): a + b,
        RBF(0.3) * Linear(): a * b,
        2.5 * Linear(): 2.5 * b,
        Linear() * np.float64(2.5): 2.5 * b,
        np.float32(0.5) * Linear(): 0.5 * b,
        RBF(0.3).on([2, 0]): RBF(0.3)(dense[0][:, [2, 0]], dense[1][:, [2, 0]]),
        RBF(0.3).on(-1): RBF(0.3)(dense[0][:, [3]], dense[1][:, [3]]),
        RBF(0.3).on(slice(1, None, 2)): RBF(0.3)(dense[0][:, 1::2], dense[1][:, 1::2]),
        RBF(0.3).on([0, 1, 3]).on([2]): None,
        (0.1 * Linear()).exp(): np.exp(0.1 * b),
        Linear().polynomial([1, 0, 2.5]): 1 + 2.5 * b**2,
        Linear().normalized(): b / np.sqrt(np.outer(Linear()(X).diagonal(), Linear()(Z).diagonal())),
    }
    for kernel, expected in cases.items():
        if expected is None:  # three columns seen through one
            with pytest.raises(BadInput, match="column 1, but the rows have 1"):
                kernel(X, Z)
            continue
        assert_allclose(kernel(X, Z), expected, rtol=1e-6 if dense[0].dtype == np.float32 else 1e-13, err_msg=kernel)


@pytest.mark.parametrize("kernel", EVERY_KIND, ids=str)
def test_a_kernel_is_a_value(kernel):
    assert isinstance(kernel, Kernel)
    for again in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel), clone(kernel, safe=False)):
        assert again == kernel
        assert hash(again) == hash(kernel)
    assert kernel != Linear() + kernel
    x, z = np.arange(D) / 2.0, np.ones(D)
    value = kernel(x, z)
    assert isinstance(value, float)
    assert value == kernel(x[None], z[None])[0, 0]
    with pytest.raises(AttributeError):
        kernel.gamma = 3.0
    changed = with_params(kernel, **kernel.get_params(deep=False))
    assert changed == kernel


@pytest.mark.parametrize("kernel", EVERY_KIND, ids=str)
def test_any_number_of_threads_gives_the_same_bits(kernel):
    items = RowItems(positive_rows(150))
    assert_array_equal(kernel.block(items, items, 1), kernel.block(items, items, 2))
    assert_allclose(GramSource(kernel, items).block(np.array([3]), None), kernel.block(items, items)[[3]], rtol=1e-12)


def test_kernels_print_as_formulas():
    linear, rbf, square = Linear(), RBF(), Polynomial(2)
    formulas = {
        linear + rbf * square: "x·z + exp(-|x - z|²) × (x·z + 1)^2",
        (linear + rbf) * square: "(x·z + exp(-|x - z|²)) × (x·z + 1)^2",
        linear + rbf + square: "x·z + exp(-|x - z|²) + (x·z + 1)^2",
        2.5 * (linear + rbf): "2.5 (x·z + exp(-|x - z|²))",
        2 * (3 * linear): "2 (3 x·z)",
        linear * (3 * rbf): "x·z × 3 exp(-|x - z|²)",
        (linear + rbf).exp(): "exp(x·z + exp(-|x - z|²))",
        linear.polynomial([1, 0, 2]): "1 + 2 (x·z)^2",
        square.polynomial([0, 1, 0, 1]): "(x·z + 1)^2 + ((x·z + 1)^2)^3",
        (linear + rbf).polynomial([0, 2]): "2 (x·z + exp(-|x - z|²))",
        (2 * linear).polynomial([0, 3]): "3 (2 x·z)",
        linear.polynomial([0.0]): "0",
        linear.polynomial([1, 1]) * rbf: "(1 + x·z) × exp(-|x - z|²)",
        (linear * rbf).normalized(): "normalized(x·z × exp(-|x - z|²))",
        rbf.on([0, 2]): "exp(-|x - z|²)[0, 2]",
        linear.on("age"): "(x·z)[age]",
        rbf.on(slice(2, None)) + linear: "exp(-|x - z|²)[2:] + x·z",
        rbf.on(slice(None, None, 2)): "exp(-|x - z|²)[::2]",
        Mahalanobis(np.eye(2)).polynomial([0, 0, 1]): "(xᵀAz)^2",
    }
    assert {str(k): text for k, text in formulas.items()} == {text: text for text in formulas.values()}
    assert repr(2.5 * rbf) == "Scaled(kernel=RBF(gamma=1.0), factor=2.5)"


HUGE = np.array([[1e60, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: -1 * Linear(), "factor -1.0 would turn"),
        (lambda: Linear() * np.nan, "factor nan"),
        (lambda: Linear().polynomial([1, -0.5]), "coefficient 1 is -0.5"),
        (lambda: Linear().polynomial([]), "coefficients is empty"),
        (lambda: Linear().on([0, 5])(np.ones((2, 3))), r"column 5, but the rows have 3 columns \(0 to 2\)"),
        (lambda: Linear().on([-4])(np.ones((2, 3))), "column -4"),
        (lambda: Linear().on([]), "columns is empty"),
        (lambda: Linear().on([0.5]), "columns holds 0.5"),
        (lambda: Linear().on([True, False]), "columns holds True"),
        (lambda: Linear().on(slice(5, 9))(np.ones((2, 3))), "5:9 of 3 columns is empty"),
        (lambda: Linear().on("age")(np.ones((2, 3))), "'age', but the data have no names"),
        (lambda: Linear().on("age")(pd.DataFrame({"a": [1.0], "b": [2.0]})), "'age', but the data have 0 .* a, b"),
        (lambda: Linear() + 1, r"polynomial\(\[1, 1\]\)"),
        (lambda: Linear() + "rainbow", "'rainbow'"),
        (lambda: Linear() + Precomputed(), "precomputed kernel is a matrix"),
        (lambda: Precomputed() * RBF(), "precomputed kernel is a matrix"),
        (lambda: Sum(Linear(), 3), "3 is no kernel"),
        (lambda: Linear().exp()(HUGE), "gave inf for items 0 and 0"),
        (lambda: (Polynomial(3) * Polynomial(3))(HUGE), "gave inf for items 0 and 0"),
        (lambda: Polynomial(6).normalized()(HUGE), "gave inf"),
        (lambda: (RBF() + Linear().polynomial([0, 0, 0, 1]))(HUGE), "gave inf"),
        (lambda: Tanh(1, -5).normalized()(np.ones((2, 3)) * [[0.1], [2]]), "is -1 for item 0"),
        (lambda: with_params(RBF(1) + Linear(), left__size=3), "has no parameter 'size': it has gamma"),
        (lambda: with_params(RBF(1) + Linear(), middle__gamma=3), "has no parameter 'middle': it has left, right"),
        (lambda: with_params("rbf", gamma=3), "'rbf' has no parameters"),
        (lambda: with_params(RBF(1), gamma=-3), "gamma is -3"),
    ],
)
def test_what_is_no_kernel_is_refused(make, message):
    with pytest.raises(BadInput, match=message):
        make()


def test_columns_can_be_chosen_by_name():
    X = pd.DataFrame(positive_rows(20), columns=["a", "b", "c", "d"])
    kernel = RBF(0.3).on(["d", "a"]) + Linear().on("b") * Linear().on("c").on(["c", "b"])
    numbers = RBF(0.3).on([3, 0]) + Linear().on(1) * Linear().on([0]).on([2, 1])
    assert_array_equal(kernel(X), numbers(X.to_numpy()))
    assert_allclose(kernel(X, X[:3]), numbers(X.to_numpy())[:, :3], rtol=1e-14)
    assert as_kernel(kernel, names=list(X.columns)) == numbers
    y = np.where(X["a"] * X["b"] > 0.5, "yes", "no")
    model = wm.KernelPerceptron(kernel=kernel, max_iter=20).fit(X, y)
    assert model.kernel_ == numbers
    assert_array_equal(model.predict(X), wm.KernelPerceptron(kernel=numbers, max_iter=20).fit(X, y).predict(X))
    sliced = as_kernel(RBF().on("d").on(slice(1, None)), names=["a", "b", "c", "d"])
    assert sliced == RBF().on(2).on(slice(1, None))
    assert_array_equal(sliced(X), RBF().on(3)(X))


def test_items_of_any_kind_can_be_added_and_multiplied():
    shared = Function(lambda a, b: float(len(set(a) & set(b))))
    words = ["kernel", "colonel", "kettle", "oak"]
    both = shared + shared * shared
    values = shared(words)
    assert_array_equal(both(words), values + values**2)
    assert_array_equal(both.normalized().diag(ListItems(words)), np.ones(4))
    model = wm.KernelPerceptron(kernel=both, max_iter=30).fit(words, [1, 1, 1, 0])
    assert_array_equal(model.predict(words), [1, 1, 1, 0])
    X = positive_rows(5)
    with_function = RBF(0.5) + (lambda A, B: A @ B.T)
    assert_allclose(with_function(X), (RBF(0.5) + Linear())(X))
    assert with_function.may_be_indefinite
    assert with_function.rows


@pytest.mark.parametrize("kernel", EVERY_KIND, ids=str)
def test_scikit_learn_takes_our_kernels(kernel):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3] / 4, y[::3]
    ours, theirs = SVC(kernel=kernel, tol=1e-8).fit(X, y), SVC(kernel="precomputed", tol=1e-8).fit(kernel(X), y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(kernel(X)), atol=1e-5)
    ridge = KernelRidge(kernel=kernel).fit(X, y)
    assert_allclose(ridge.predict(X), KernelRidge(kernel="precomputed").fit(kernel(X), y).predict(kernel(X)), atol=1e-7)
    assert clone(ridge).kernel == kernel


def test_parameters_inside_an_expression_can_be_searched():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        wm.KernelPerceptron(kernel=RBF(0.1) + 0.01 * Linear(), max_iter=5),
        {"kernel__left__gamma": [1e-9, 0.5], "kernel__right__factor": [1e-3]},
        cv=3,
    ).fit(X, y)
    assert search.best_estimator_.kernel_ == RBF(0.5) + 0.001 * Linear()
    model = wm.KernelPerceptron(kernel=RBF(0.1) + Linear())
    assert model.get_params()["kernel__left__gamma"] == 0.1
    model.set_params(kernel__left=Laplacian(3.0), kernel__left__gamma=2.0)
    assert model.kernel == Laplacian(2.0) + Linear()
    with pytest.raises(BadInput, match="'rbf' has no parameters"):
        wm.KernelPerceptron().set_params(kernel__gamma=0.1)


def test_selected_columns_are_kept_but_not_pickled():
    items = RowItems(positive_rows(50))
    kernel = RBF(0.5).on([0, 2])
    kernel.block(items, items)
    assert items.on((0, 2)) is items.on((0, 2))
    assert len(pickle.dumps(items)) < items.nbytes + 1000


def test_only_what_may_be_indefinite_says_so():
    for kernel in EVERY_KIND:
        assert kernel.may_be_indefinite == isinstance(kernel, Tanh)
    assert (2 * (Tanh() + RBF())).normalized().on([0]).may_be_indefinite
    assert Precomputed().may_be_indefinite
    assert not (ChiSquared() * Mahalanobis(gram_matrix(1))).may_be_indefinite
