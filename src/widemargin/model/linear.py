"""Linear functions, one for each binary part: u(x) = coef . x + intercept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot


@dataclass(frozen=True)
class LinearModel:
    coef: np.ndarray  # parts x d
    intercept: np.ndarray  # parts

    def scores(self, X: Any) -> np.ndarray:
        """n x parts."""
        return safe_sparse_dot(X, self.coef.T, dense_output=True) + self.intercept
