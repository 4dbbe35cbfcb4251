"""Rows whose columns depend on one another, in fewer columns."""

import numpy as np
import pytest

from widemargin import _core
from widemargin.kernels import RBF, Linear
from widemargin.kernels.function import Function
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems
from widemargin.kernels.narrow import narrowed

N, D, RANK = 3000, 30, 20


@pytest.fixture
def dependent() -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.normal(size=(N, RANK)) @ rng.normal(size=(RANK, D))


def test_products_stay_in_as_many_columns_as_the_rank(dependent):
    Y = narrowed(dependent)
    assert Y.shape == (N, RANK)
    few = slice(None, None, 37)
    expected = dependent[few] @ dependent[few].T
    np.testing.assert_allclose(Y[few] @ Y[few].T, expected, rtol=0, atol=1e-12 * expected.max())


def test_a_single_row_that_needs_more_columns_keeps_them_all(dependent):
    for row in (1, 7, N - 1):
        X = dependent.copy()
        X[row, 0] += 1e-3
        assert narrowed(X) is X


@pytest.mark.parametrize("what", ["independent", "short", "few columns", "zeros", "nothing", "huge"])
def test_rows_stay_as_they_are_where_nothing_is_won(dependent, what):
    X = {
        "independent": np.random.default_rng(0).normal(size=(N, D)),
        "short": dependent[:200],
        "few columns": np.ascontiguousarray(dependent[:, :23]),
        "zeros": np.where(np.arange(D) % 3 == 0, dependent, 0.0),
        "nothing": np.zeros((N, D)),
        "huge": dependent * 1e200,
    }[what]
    assert narrowed(X) is X


def test_solvers_get_the_narrow_rows_and_perceptrons_those_that_were_given(dependent):
    source = GramSource(RBF(gamma=0.01), RowItems(dependent), 1)
    assert source.narrow is not source.native
    whole = GramSource(RBF(gamma=0.01), RowItems(dependent[:200]), 1)
    assert whole.narrow is whole.native


@pytest.mark.parametrize("scale", [1e-45, 1e-42, 1e38, 1e45])
def test_narrow_rows_that_float32_cannot_hold_stay_in_float64(dependent, scale):
    """Kernel values of such rows are numbers like any others."""
    source = GramSource(RBF(gamma=0.01 / scale / scale), RowItems(dependent * scale), 1)
    assert source.narrow is not source.native
    for narrow in (source, source.take(np.arange(0, N, 50))):
        K = np.empty((60, 60), np.float32)
        _core.native_source(narrow.take(np.arange(60)).narrow).fill(K, 1)
        expected = narrow.block(np.arange(60), np.arange(60))
        np.testing.assert_allclose(K, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("far", [0.0, 50.0])
@pytest.mark.parametrize("kernel", [RBF(gamma=0.01), Linear()])
def test_some_rows_are_taken_from_the_narrow_ones_in_the_order_that_is_asked_for(dependent, kernel, far):
    source = GramSource(kernel, RowItems(dependent + far), 1)
    index = np.random.default_rng(0).permutation(N)[:60]
    some = source.take(index)
    K = np.empty((60, 60), np.float32)
    _core.native_source(some.narrow).fill(K, 1)
    diag = some.diag
    assert "items" not in vars(some)  # no copy in all their columns
    expected = source.block(index, index)
    np.testing.assert_allclose(K, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_allclose(diag, expected.diagonal(), rtol=1e-12)


def test_some_rows_that_are_not_narrow_are_as_they_were_given():
    X = np.random.default_rng(0).normal(size=(N, D))
    some = GramSource(RBF(gamma=0.01), RowItems(X), 1).take(np.array([5, 3, 900]))
    assert some.narrow is some.native
    np.testing.assert_array_equal(some.items.X, X[[5, 3, 900]])


def test_values_of_a_function_are_of_some_items_as_of_all():
    X = np.random.default_rng(0).normal(size=(40, 3))
    source = GramSource(Function(lambda a, b: a @ b.T), RowItems(X), 1)
    some = source.take(np.array([7, 2]))
    assert some.narrow is None
    np.testing.assert_array_equal(some.diag, source.diag[[7, 2]])
