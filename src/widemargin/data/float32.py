"""Rows for trees: float32 numbers, row by row, some of which may be missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..base.errors import BadInput, TooLarge
from .rows import _validated, _weights

FINITE, MISSING, INFINITE = 0, 1, 2
BLOCK = 1 << 22  # numbers of a block of sparse rows that are written out at once


def read_float32(estimator: Any, X: Any, *, reset: bool) -> tuple[np.ndarray, bool]:
    """X as float32, and whether values are missing."""
    if not reset and _is_plain(X, estimator):
        rows = _as_float32(X)
        if _core.number_kinds(rows) == FINITE:
            return rows, False
    return checked_float32(validated(estimator, X, reset=reset))


def validated(estimator: Any, X: Any, *, reset: bool) -> Any:
    """What scikit-learn demands of X; values are not looked at."""
    return _validated(estimator, X, reset=reset)


def _is_plain(X: Any, estimator: Any) -> bool:
    """What needs no look by scikit-learn: a matrix of floats of the right width, where columns have no names."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype.kind == "f"
        and X.shape[0] > 0
        and X.shape[1] == estimator.n_features_in_
        and "feature_names_in_" not in vars(estimator)
    )


def _as_float32(X: np.ndarray) -> np.ndarray:
    if X.dtype == np.float32:
        return np.ascontiguousarray(X)
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(X, dtype=np.float32)


def checked_float32(X: Any) -> tuple[np.ndarray, bool]:
    """The same numbers in float32; refuses infinite ones."""
    X = X.toarray() if sp.issparse(X) else X
    rows = _as_float32(X)
    kinds = _core.number_kinds(rows)
    if kinds == INFINITE:
        row, column = (int(i) for i in np.argwhere(np.isinf(rows))[0])
        where = f"(row {row}, column {column})"
        if np.isinf(X[row, column]):
            raise BadInput(f"Input X contains infinity {where}: remove or replace such values.")
        raise TooLarge(
            f"Input X contains {X[row, column]:.3g} {where}, an overflow in float32, in which trees compare: "
            "scale the data, for example with sklearn.preprocessing.StandardScaler."
        )
    return rows, kinds == MISSING


def float32_blocks(estimator: Any, X: Any) -> Iterator[tuple[slice, np.ndarray, bool]]:
    """Rows of a prediction. Sparse ones are written out some at a time."""
    if not sp.issparse(X):
        rows, missing = read_float32(estimator, X, reset=False)
        yield slice(0, len(rows)), rows, missing
        return
    checked = validated(estimator, X, reset=False)
    step = max(1, BLOCK // checked.shape[1])
    for begin in range(0, checked.shape[0], step):
        part = slice(begin, begin + step)
        rows, missing = checked_float32(checked[part])
        yield part, rows, missing


def row_weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """One finite weight >= 0 a row, or None where all are 1."""
    weight = _weights(sample_weight, X)
    return None if weight is None or (weight == 1).all() else weight
