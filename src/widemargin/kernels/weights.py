"""The weights of the features that stand for an expansion in products of rows: w = sum_i c_i x_i.

Where a boundary lies close to far-away rows, the terms are much larger than their sum. Summed with more digits than
float64 has (where the platform knows such numbers) and kept as high + low, w is what the coefficients say, and scores
cost one product a row instead of one a row of the support.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

WIDE = np.longdouble
UNIT = float(np.finfo(WIDE).eps) / 2  # relative rounding of one operation of the sums
BLOCK = 1 << 16  # wide numbers at a time


def weights(X: Any, coef: np.ndarray) -> np.ndarray:
    """(high, low), each of shape (parts, d), for rows X and coefficients of shape (parts, n)."""
    used = np.flatnonzero(coef.any(axis=0))
    c = coef[:, used].astype(WIDE)
    w = np.zeros((len(coef), X.shape[1]), WIDE)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is met by those who asked
        if sp.issparse(X):
            w += (X[used].T.astype(WIDE) @ c.T).T
        else:
            step = max(1, BLOCK // max(X.shape[1], 1))
            for first in range(0, len(used), step):
                here = slice(first, first + step)
                w += c[:, here] @ X[used[here]].astype(WIDE)
        high = w.astype(np.float64)
        return np.stack([high, (w - high).astype(np.float64)])
