"""Kernel values that the user has computed: the matrix stands in for the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array

from .. import _core
from ..base.errors import BadInput


class MatrixItems:
    """Items known only by their kernel values: those of `rows` with the training items, which are the `columns`."""

    def __init__(
        self, matrix: np.ndarray | None, rows: np.ndarray, columns: np.ndarray, given: Any = np.float64
    ) -> None:
        self.matrix, self.rows, self.columns, self.given = matrix, rows, columns, np.dtype(given)  # the type before

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, index: np.ndarray) -> MatrixItems:
        columns = self.columns[index] if self.columns.size else self.columns
        return MatrixItems(self.matrix, self.rows[index], columns, self.given)

    def join(self, other: Any) -> MatrixItems:
        raise BadInput(
            "values between old and new items are missing: a precomputed kernel cannot be learnt batch by batch."
        )

    def compact(self) -> MatrixItems:
        return MatrixItems(None, self.rows, self.columns)

    @property
    def nbytes(self) -> int:
        return 0 if self.matrix is None else self.matrix.nbytes

    @property
    def digest(self) -> str:
        assert self.matrix is not None
        return f"{_core.Rows.dense(np.ascontiguousarray(self.matrix[self.rows])).scan(0, 1)[3]:016x}"


@dataclass(frozen=True)
class Precomputed:
    """`fit` gets the square matrix of values between training items, `predict` that of new with training items."""

    may_be_indefinite = True

    def prepare(self, objects: Any) -> MatrixItems:
        if isinstance(objects, MatrixItems):
            return objects
        K = check_array(objects, dtype=np.float64)
        if K.shape[0] != K.shape[1]:
            raise BadInput(f"a precomputed kernel must be a square matrix at fit, but its shape is {K.shape}.")
        return MatrixItems(K, np.arange(len(K)), np.arange(len(K)))

    def training(self, K: np.ndarray, n: int, kept: np.ndarray | None) -> MatrixItems:
        """Items of a fit from n of which only the rows `kept` are in K; columns are numbered as given."""
        if K.shape[1] != n:
            raise BadInput(
                f"a precomputed kernel must be a square matrix at fit, but its shape is ({n}, {K.shape[1]})."
            )
        columns = np.arange(n) if kept is None else kept
        return MatrixItems(np.asarray(K, dtype=np.float64), np.arange(len(K)), columns, K.dtype)

    def against_training(self, K: np.ndarray) -> MatrixItems:
        """Items of a prediction."""
        return MatrixItems(np.asarray(K, dtype=np.float64), np.arange(len(K)), np.empty(0, np.intp))

    def block(self, a: MatrixItems, b: MatrixItems, threads: int = 1) -> np.ndarray:
        assert a.matrix is not None
        return a.matrix[a.rows[:, None], b.columns]

    def diag(self, a: MatrixItems) -> np.ndarray:
        assert a.matrix is not None
        return a.matrix[a.rows, a.columns]

    def __str__(self) -> str:
        return "K[x, z]"
