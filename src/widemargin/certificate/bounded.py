"""Sums over rows in float64 together with a bound on their rounding error.

Problem  margins m_i = y_i (w.x_i + b) and combinations v = sum_i c_i [x_i, 1], each with e such that |exact -
         computed| <= e
Symbols  u = 2^-53, gamma(k) = k u / (1 - k u); the row is extended by 1 (by 0 without an intercept)
Method   any order of a sum of k products errs by at most gamma(k) sum |terms| [Higham02, sec. 3.1]
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

UNIT = 2.0**-53
TINY = 2.0**-1000  # far above anything that underflow can lose, far below anything that matters
_BLOCK = 1 << 17  # entries at a time: a megabyte

Matrix = Any  # a 2-D ndarray or a SciPy CSR array of floats
Seen = tuple[np.ndarray, float]  # margins and one bound on their error


def gamma(k: Any) -> Any:
    """Relative error of a sum of k products (k one number or many), with room for the roundings of the bound itself.

    k u / (1 - k u) is below 1.01 k u for every k that a memory can hold.
    """
    return (1.02 * UNIT) * k


def blocks(X: Matrix, among: np.ndarray | None = None) -> Iterator[tuple[slice, Matrix]]:
    """X (or its rows `among`) in float64, some rows at a time, so that what is derived from a block stays small."""
    n, d = X.shape
    width = max(1, X.nnz // max(1, n)) if sparse.issparse(X) else max(1, d)
    step = max(1, _BLOCK // width)
    count = n if among is None else len(among)
    for start in range(0, count, step):
        rows = slice(start, min(count, start + step))
        block = X if among is None and step >= n else X[rows if among is None else among[rows]]
        yield rows, block.astype(np.float64, copy=False)


def margins(X: Matrix, y: np.ndarray, w: np.ndarray, b: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """y (X w + b) and the bound on its error, infinite where a sum overflows."""
    w = np.asarray(w, dtype=np.float64)
    m, e = np.empty(len(y)), np.empty(len(y))
    with np.errstate(all="ignore"):
        for rows, block in blocks(X):
            m[rows] = y[rows] * (block @ w + b)
            e[rows] = gamma(_terms(X) + 3) * (abs(block) @ np.abs(w) + abs(b)) + TINY
    e[~np.isfinite(m)] = math.inf
    return m, e


def margins_within(X: Matrix, y: np.ndarray, w: np.ndarray, b: float, R: float) -> tuple[np.ndarray, float]:
    """The same in half the time: one bound for all rows, from |[x, 1]| <= R and Cauchy and Schwarz's inequality."""
    v = np.append(np.asarray(w, dtype=np.float64), b)
    m = np.empty(len(y))
    with np.errstate(all="ignore"):
        for rows, block in [(slice(None), X)] if X.dtype == np.float64 else blocks(X):
            m[rows] = y[rows] * (block @ v[:-1] + b)
        e = gamma(_terms(X) + 4) * R * norm_above(v) + TINY
    return m, e if np.isfinite(m).all() else math.inf


def least_margin(X: Matrix, y: np.ndarray, w: np.ndarray, b: float, R: float, seen: Seen | None = None) -> float:
    """min y (X w + b), rounded down. `seen` is what `margins_within` gave, if it was asked before."""
    m, e = seen or margins_within(X, y, w, b, R)
    least = float(np.min(m, initial=math.inf))
    if e <= 1e-9 * abs(least):
        return least - e
    # Only rows this near to the least can have the least margin.
    near = np.flatnonzero(~(m > least + 2 * e))
    m, sharp = margins(X[near], y[near], w, b)
    return float(np.min(m - sharp, initial=math.inf))


def _terms(X: Matrix) -> int:
    """Products in the longest sum along a row."""
    return int(np.diff(X.indptr).max(initial=0)) if sparse.issparse(X) else X.shape[1]


def combination(X: Matrix, c: np.ndarray, intercept: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """sum_i c_i [x_i, 1] (d + 1 entries) and the bound on the error of each entry."""
    used = np.flatnonzero(c)
    d = X.shape[1]
    v, e = np.zeros(d + 1), np.zeros(d + 1)
    c = np.asarray(c, dtype=np.float64)[used]
    with np.errstate(all="ignore"):
        for rows, block in blocks(X, used):
            v[:d] += block.T @ c[rows]
            e[:d] += abs(block).T @ np.abs(c[rows])
        if intercept:
            v[d], e[d] = c.sum(), np.abs(c).sum()
        e = gamma(used.size + 3) * e + TINY
    e[~np.isfinite(v)] = math.inf
    return v, e


def norm_above(v: np.ndarray, e: np.ndarray | float = 0.0) -> float:
    """A number not below |v| for the exact v."""
    return _norm(np.abs(v) + e) * (1 + gamma(v.size + 4))


def norm_below(v: np.ndarray, e: np.ndarray | float = 0.0) -> float:
    """A number not above |v| for the exact v."""
    return _norm(np.maximum(np.abs(v) - e, 0.0)) * (1 - gamma(v.size + 4))


def _norm(v: np.ndarray) -> float:
    largest = float(np.max(v, initial=0.0))
    if largest == 0.0 or not math.isfinite(largest):
        return largest
    return largest * float(np.linalg.norm(v / largest))


def row_norms(X: Matrix, intercept: bool = True) -> np.ndarray:
    """|[x_i, 1]| for each row, never below the exact one."""
    n, d = X.shape
    q = np.empty(n)
    for rows, block in blocks(X):
        # A power of two keeps the squares of huge entries finite and changes no digit of the others.
        top = max(float(block.max()), -float(block.min())) if block.shape[0] and d else 0.0
        scale = 1.0 if top < 1e150 else 2.0**600
        part = block / scale if scale > 1 else block
        squares = part.multiply(part).sum(axis=1) if sparse.issparse(block) else np.einsum("ij,ij->i", part, part)
        q[rows] = scale * np.sqrt(np.asarray(squares).ravel() * (1 + gamma(d + 4)) + TINY)
    with np.errstate(over="ignore"):
        return (np.hypot(q, 1.0) if intercept else q) * (1 + gamma(8))


def exact_row(X: Matrix, i: int) -> list[tuple[int, Fraction]]:
    """The non-zero entries of row i as fractions: every float is one."""
    if sparse.issparse(X):
        span = slice(X.indptr[i], X.indptr[i + 1])
        columns, values = X.indices[span], X.data[span]
    else:
        columns, values = np.flatnonzero(X[i]), X[i][np.flatnonzero(X[i])]
    return [(int(j), Fraction(float(v))) for j, v in zip(columns, values, strict=True)]


def exact_margin(X: Matrix, y: np.ndarray, i: int, w: list[Fraction], b: Fraction) -> Fraction:
    """y_i (w.x_i + b) without any rounding."""
    return int(y[i]) * (sum((w[j] * v for j, v in exact_row(X, i)), Fraction(0)) + b)


def signs(X: Matrix, y: np.ndarray, w: np.ndarray, b: float, R: float, seen: Seen | None = None) -> np.ndarray:
    """The exact sign of every y_i (w.x_i + b), |[x, 1]| <= R; what rounding leaves open is computed as fractions."""
    m, e = seen or margins_within(X, y, w, b, R)
    out = np.sign(m)
    doubtful = np.flatnonzero(~(np.abs(m) > e))
    if doubtful.size:
        m, sharp = margins(X[doubtful], y[doubtful], w, b)
        out[doubtful] = np.sign(m)
        doubtful = doubtful[~(np.abs(m) > sharp)]
    if doubtful.size and not _no_rounding(X[doubtful], w, b):
        exact_w, exact_b = [Fraction(float(v)) for v in w], Fraction(float(b))
        for i in doubtful:
            exact = exact_margin(X, y, int(i), exact_w, exact_b)
            out[i] = (exact > 0) - (exact < 0)
    return out


def _no_rounding(X: Matrix, w: np.ndarray, b: float) -> bool:
    """Whether all numbers are integers so small that float64 makes no error at all."""
    values = X.data if sparse.issparse(X) else X
    if not all(np.array_equal(v, np.rint(v)) for v in (values, w, b)):
        return False
    with np.errstate(all="ignore"):
        size = abs(X).astype(np.float64) @ np.abs(w) + abs(b)
    return bool(np.max(size, initial=0.0) < 2.0**52)
