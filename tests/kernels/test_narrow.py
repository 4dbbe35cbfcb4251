"""Rows whose columns depend on one another, in fewer columns."""

import numpy as np
import pytest

from widemargin.kernels import RBF
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
