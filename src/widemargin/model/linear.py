"""Linear functions, one for each binary part: u(x) = coef . x + intercept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from ..data.rows import row_blocks


@dataclass(frozen=True)
class LinearModel:
    coef: np.ndarray  # parts x d
    intercept: np.ndarray  # parts

    def scores(self, X: Any) -> np.ndarray:
        """n x parts."""
        out = np.empty((X.shape[0], len(self.coef)))
        for rows, block in row_blocks(X):
            out[rows] = safe_sparse_dot(block, self.coef.T, dense_output=True)
        out += self.intercept
        return out
