"""Rows in as few columns as they need: where columns depend on one another, all products are found in fewer.

Problem  X of n rows and d columns, of rank r < d: find Y of r columns with y_i . y_j = x_i . x_j
Method   Y = X V, V an orthonormal basis of the rows' span, from a sample of the rows; what the sample does not tell is
         seen in all of them: |y_i|^2 = |x_i|^2
"""

from __future__ import annotations

import numpy as np

from ..base.blas import one_blas_thread

COLUMNS = 24, 256  # fewer cost little, and of more the basis costs much
SAMPLE = 4  # rows a column
LONG = 64  # rows a column that make it worth looking
WORTH = 0.9  # of the columns
NOTHING = 1e-10  # of the largest eigenvalue: a direction that no row has
LOST = 1e-12  # of a squared norm: far below what float32 can tell


def narrowed(X: np.ndarray) -> np.ndarray:
    """Dense rows with the same products but for rounding, or X itself where that would save little.

    Parameters
    ----------
    X : ndarray of shape (n, d)

    Returns
    -------
    ndarray of shape (n, r) or (n, d)
    """
    n, d = X.shape
    if not COLUMNS[0] <= d <= COLUMNS[1] or n < LONG * d:
        return X
    some = X[:: n // (SAMPLE * d)].astype(np.float64)
    if 2 * np.count_nonzero(some) < some.size:  # zeros are worth more
        return X
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        products = some.T @ some
        if not np.isfinite(products).all():
            return X
        size, V = np.linalg.eigh(products)
        V = V[:, size > NOTHING * size[-1]]
        if not 0 < V.shape[1] <= WORTH * d:
            return X
        Y = X.astype(np.float64, copy=False) @ V
        before, after = (np.einsum("ij,ij->i", rows, rows, dtype=np.float64) for rows in (X, Y))
    return Y if bool((np.abs(before - after) <= LOST * before).all()) else X
