"""The separator of largest margin, so that the bounds it gives are as small as they can be.

Problem  min |v| s.t. v.z_i >= 1, z_i = y_i [x_i, 1]; its dual point is the shortest vector of the hull of the z_i
Symbols  u >= 0 the solution of min | [Z; 1'] u - (0, .., 0, 1) |, Z with the columns z_i; v = Z u / (1 - sum u)
Stops    when no row outside the working rows has a margin below theirs by more than a millionth, or after 30 rounds:
         any v that separates is kept, and u / sum u bounds every margin, so an early end costs width, never truth.
Method   least distance programming by non-negative least squares on a few rows at a time [LawsonHanson74, ch. 23,
         sec. 4]; with many columns pairwise Frank-Wolfe steps towards the shortest vector of the hull
         [LacosteJaggi15, sec. 2.1]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import nnls

from . import bounded
from .witness import Proof, margin_above

_MOST_COLUMNS, _MOST_ROWS, _ROUNDS, _PAIRS = 300, 1500, 30, 3000


def widest_separator(X: Any, y: np.ndarray, w: np.ndarray, b: float, weights: np.ndarray, intercept: bool) -> Proof:
    """A separator at least as wide as the given one, with weights that bound every margin at least as tightly."""
    best = Proof(True, w, b, weights)
    if X.shape[1] > _MOST_COLUMNS:
        return _by_pairs(X, y, best, intercept)
    width, bound = _width(X, y, w, b), margin_above(X, y, weights, intercept)
    m, _ = bounded.margins(X, y, w, b)
    used = np.union1d(_nearest(m, 3 * X.shape[1] + 20), np.flatnonzero(weights))
    for _ in range(_ROUNDS):
        found = _shortest(X[used], y[used], width, intercept)
        if found is None:
            break
        v, u = found
        m, e = bounded.margins(X, y, v[:-1], float(v[-1]))
        if np.min(m - e) > 0 and (wider := _width(X, y, v[:-1], float(v[-1]))) > width:
            best, width = Proof(True, v[:-1], float(v[-1]), best.weights), wider
        spread = np.zeros(y.size)
        spread[used] = u
        if (tighter := margin_above(X, y, spread, intercept)) < bound:
            best, bound = Proof(True, best.w, best.b, spread), tighter
        low = np.flatnonzero(m < m[used].min() - 1e-6 * abs(m[used].min()))
        if not low.size or used.size > _MOST_ROWS:
            break
        used = np.union1d(used, low[_nearest(m[low], 2 * X.shape[1] + 10)])
    return best


def _by_pairs(X: Any, y: np.ndarray, start: Proof, intercept: bool) -> Proof:
    """Weight moves, by the best amount, from the row of largest product with v = sum c_i z_i to that of least."""
    Z = _signed(X, y, intercept)
    c = start.weights.copy()
    v = Z.T @ c
    m = Z @ v
    for _ in range(_PAIRS):
        i, j = int(np.argmin(m)), int(np.argmax(np.where(c > 0, m, -np.inf)))
        if m[i] >= 0.99 * (v @ v):
            break
        step = np.zeros_like(y)
        step[[i, j]] = 1.0, -1.0
        along = Z.T @ step
        t = min(c[j], (m[j] - m[i]) / max(along @ along, bounded.TINY))
        c[i], c[j] = c[i] + t, c[j] - t if t < c[j] else 0.0
        v = v + t * along
        m = m + t * (Z @ along)
    assert start.w is not None
    wider = v.any() and _width(X, y, v[:-1], v[-1]) > _width(X, y, start.w, start.b)
    w, b = (v[:-1], float(v[-1])) if wider else (start.w, start.b)
    tighter = margin_above(X, y, c, intercept) < margin_above(X, y, start.weights, intercept)
    return Proof(True, w, b, c / c.sum() if tighter else start.weights)


def _signed(X: Any, y: np.ndarray, intercept: bool) -> Any:
    """The rows y [x, 1] as a matrix of X's own kind."""
    one = np.full((y.size, 1), float(intercept))
    if sparse.issparse(X):
        return sparse.hstack([X.astype(np.float64), sparse.csr_array(one)]).multiply(y[:, None]).tocsr()
    return np.hstack([X.astype(np.float64), one]) * y[:, None]


def _shortest(X: Any, y: np.ndarray, width: float, intercept: bool) -> tuple[np.ndarray, np.ndarray] | None:
    Z = _signed(X.toarray() if sparse.issparse(X) else X, y, intercept)
    # Over the width already reached, the least distance is at most 1: the problem is well scaled.
    system = np.vstack([Z.T / width, np.ones(y.size)])
    if not np.isfinite(system).all():
        return None
    try:
        u, _ = nnls(system, np.append(np.zeros(Z.shape[1]), 1.0))
    except RuntimeError:
        return None
    total = u.sum()
    v = Z.T @ u
    return (v, u / total) if total > 0 and np.isfinite(v).all() and v.any() else None


def _width(X: Any, y: np.ndarray, w: np.ndarray, b: float) -> float:
    m, e = bounded.margins(X, y, w, b)
    return float(np.min(m - e)) / bounded.norm_above(np.append(w, b))


def _nearest(m: np.ndarray, size: int) -> np.ndarray:
    return np.arange(m.size) if m.size <= size else np.argpartition(m, size)[:size]
