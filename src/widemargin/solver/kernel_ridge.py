"""Kernel ridge regression in closed form.

Problem  min over (c, b):  1/2 sum_i w_i (f_i + b - z_i)^2 + alpha/2 c'Kc,   f = Kc, b free and not penalised
Symbols  A = K + alpha diag(1/w)
Stops    at the solution of  A c + b 1 = z,  1'c = 0
Method   A = LL' (Cholesky), two solves: A u = z, A v = 1, then b = 1'u / 1'v and c = u - b v [SaundersEtAl98]. Where
         rounding leaves A without a Cholesky factor, by its eigenvectors, those of the smallest eigenvalues left out
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg


@dataclass(frozen=True)
class Ridge:
    c: np.ndarray
    b: float
    left_out: int  # directions in which A is singular to rounding


def ridge(K: np.ndarray, z: np.ndarray, alpha: float, weight: np.ndarray | None, intercept: bool) -> Ridge:
    """The solution; K (n x n, float64) is overwritten."""
    n = len(z)
    diagonal = np.full(n, alpha) if weight is None else alpha / weight
    right = np.column_stack([z, np.ones(n)]) if intercept else z[:, None]
    kept = K.diagonal().copy()
    K.flat[:: n + 1] += diagonal
    try:
        # LAPACK writes one triangle only: the other still holds K where this fails.
        factor = linalg.cho_factor(K.T, lower=True, overwrite_a=True, check_finite=False)
        found, left_out = linalg.cho_solve(factor, right, check_finite=False), 0
    except linalg.LinAlgError:
        K.flat[:: n + 1] = kept + diagonal
        found, left_out = _by_eigenvectors(K, right)
    c = found[:, 0]
    if not intercept:
        return Ridge(c, 0.0, left_out)
    v, b = found[:, 1], 0.0
    whole = float(v.sum())
    for _ in range(2):  # the second time takes away what rounding left of the sum
        step = float(c.sum()) / whole if whole else 0.0
        c, b = c - step * v, b + step
    return Ridge(c, b, left_out)


def _by_eigenvectors(A: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, int]:
    """A^-1 right, and how many directions were left out because A vanishes along them."""
    values, vectors = linalg.eigh(A.T, lower=False, overwrite_a=True, check_finite=False)
    least = len(A) * np.finfo(np.float64).eps * float(np.abs(values).max())
    good = np.abs(values) > least
    along = vectors[:, good].T @ right
    return vectors[:, good] @ (along / values[good, None]), int(np.count_nonzero(~good))
