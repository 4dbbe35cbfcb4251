"""What float64 leaves open about separability, decided in integers where the sizes allow it.

Problem  as in separation.py, for rows taken as the exact fractions that floats are
Symbols  front the rows that the linear program left at or near its bound; v = (w, b) in integers
Stops    with a witness among the rows used, or with a v that has every row strictly on its side (rows that float64
         with its error bound cannot settle are computed as fractions), or undecided when the numbers grow too large.
Method   exact simplex on few rows, rows that it leaves on the wrong side are added [ApplegateCookDashEspinoza07]
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from . import bounded
from .rational import as_integers, decide, effort
from .witness import Proof

_EFFORT, _EFFORT_THOROUGH = 1e6, 1e8  # multiplications we start on by ourselves (about a second), and when asked to
_MOST_ROWS = 1000


def prove_by_integers(
    X: Any, y: np.ndarray, proof: Proof, w: np.ndarray, b: float, intercept: bool, *, thorough: bool
) -> Proof:
    """Turn an open question, or a verdict reached in float64, into an exact one; unchanged if too large for that."""
    m, _ = bounded.margins(X, y, w, b)
    support = np.flatnonzero(proof.weights)
    most = _EFFORT_THOROUGH if thorough else _EFFORT
    if not proof.separable and support.size < _MOST_ROWS:
        _, columns, scales = _integer_columns(X, y, support, intercept)
        found = decide(columns, witness_only=True) if effort(columns, witness_only=True) <= most else None
        if found is not None and found.witness is not None:
            return _as_witness(X, y, support, found.witness, scales, intercept)
    near = np.argsort(m, kind="stable")[: 2 * X.shape[1] + 10]
    used = np.concatenate([support, np.setdiff1d(near, support)])
    while used.size < _MOST_ROWS:
        features, columns, scales = _integer_columns(X, y, used, intercept)
        verdict = decide(columns) if effort(columns) <= most else None
        if verdict is None:
            break
        if verdict.witness is not None:
            return _as_witness(X, y, used, verdict.witness, scales, intercept)
        assert verdict.separator is not None
        v = _all_features(verdict.separator, features, X.shape[1])
        wrong = _wrong_rows(X, y, v, X.shape[1] + 1)
        if not wrong.size:
            return _as_separator(X, y, proof, v)
        used = np.concatenate([used, wrong])
    size = f"{used.size} rows of {X.shape[1]} features are too many for integer arithmetic"
    return replace(proof, why=f"{proof.why}, and {size}" if proof.why else size)


def _integer_columns(
    X: Any, y: np.ndarray, used: np.ndarray, intercept: bool
) -> tuple[np.ndarray, list[list[int]], list[Fraction]]:
    """(features in use, y [x, 1] of each row on them in integers, the factor that made them so)."""
    part = X[used]
    features = np.unique(part.indices) if sparse.issparse(part) else np.arange(X.shape[1])
    part = part[:, features].toarray() if sparse.issparse(part) else part
    columns, scales = [], []
    for row, sign in zip(part.tolist(), y[used], strict=True):
        numbers, scale = as_integers([int(sign) * Fraction(v) for v in [*row, float(intercept)]])
        columns.append(numbers)
        scales.append(scale)
    return features, columns, scales


def _all_features(v: list[int], features: np.ndarray, d: int) -> list[int]:
    full = [0] * (d + 1)
    for j, value in zip([*features.tolist(), d], v, strict=True):
        full[j] = value
    return full


def _wrong_rows(X: Any, y: np.ndarray, v: list[int], most: int) -> np.ndarray:
    """Up to `most` rows that are exactly on or beyond the boundary; none only if there are none."""
    near = _rounded(v)
    m, e = bounded.margins(X, y, near[:-1], float(near[-1]))
    exact_near = [Fraction(float(x)) for x in near] == [Fraction(x, _power(v)) for x in v]
    # The rounded v errs by u times itself: one more term of the same size as each in the bound.
    open_rows = np.flatnonzero(~(m > e * (1 if exact_near else 2)))
    w, b = [Fraction(x) for x in v[:-1]], Fraction(v[-1])
    wrong = []
    for i in open_rows[np.argsort(m[open_rows], kind="stable")]:
        if bounded.exact_margin(X, y, int(i), w, b) <= 0:
            wrong.append(int(i))
            if len(wrong) == most:
                break
    return np.array(wrong, dtype=int)


def _power(v: list[int]) -> Fraction:
    return Fraction(2) ** max(0, max(abs(x) for x in v).bit_length() - 1)


def _rounded(v: list[int]) -> np.ndarray:
    """v over a power of two, to the nearest float64."""
    return np.array([float(Fraction(x) / _power(v)) for x in v])


def _as_witness(
    X: Any, y: np.ndarray, used: np.ndarray, numbers: list[int], scales: list[Fraction], intercept: bool
) -> Proof:
    exact = {int(i): Fraction(c) * s for i, c, s in zip(used, numbers, scales, strict=True) if c}
    total = sum(exact.values())
    exact = {i: c / total for i, c in exact.items()}
    weights = np.zeros(y.size)
    weights[list(exact)] = [float(c) for c in exact.values()]
    # Checked against the data themselves, so that a slip in the simplex method can never become a claim.
    sums = {-1: sum(int(y[i]) * c for i, c in exact.items()) if intercept else Fraction(0)}
    for i, c in exact.items():
        for j, v in bounded.exact_row(X, i):
            sums[j] = sums.get(j, Fraction(0)) + int(y[i]) * c * v
    if any(sums.values()) or min(exact.values()) < 0:
        return Proof(None, weights=weights, why="the exact witness did not pass its check")
    return Proof(False, weights=weights, exact=True, rational=exact)


def _as_separator(X: Any, y: np.ndarray, proof: Proof, v: list[int]) -> Proof:
    """The wide separator of the float64 stage if that one is right, otherwise the integer one."""
    if proof.separable and proof.w is not None:
        numbers = [Fraction(float(x)) for x in [*proof.w, proof.b]]
        return replace(proof, exact=True, rational=tuple(numbers))
    near = _rounded(v)
    margin = _exact_margin(X, y, v, near)
    return Proof(
        True, near[:-1], float(near[-1]), proof.weights, True, tuple(Fraction(x) / _power(v) for x in v), margin
    )


def _exact_margin(X: Any, y: np.ndarray, v: list[int], near: np.ndarray) -> tuple[float, float]:
    """(margin, distance) of the integer separator, rounded down."""
    m, e = bounded.margins(X, y, near[:-1], float(near[-1]))
    candidates = np.flatnonzero(m <= np.min(m + 2 * e) + 2 * e)
    w, b = [Fraction(x) for x in v[:-1]], Fraction(v[-1])
    least = min(bounded.exact_margin(X, y, int(i), w, b) for i in candidates)
    squares = sum(x * x for x in w)
    return _root_below(least * least / (squares + b * b)), _root_below(least * least / squares) if squares else math.inf


def _root_below(q: Fraction) -> float:
    """sqrt(q) rounded down, for any size of the numbers."""
    shift = 2 * ((q.denominator.bit_length() - q.numerator.bit_length()) // 2 + 60)
    root = Fraction(math.isqrt(int(q * Fraction(2) ** shift)), 1) / Fraction(2) ** (shift // 2)
    value = float(root)
    return math.nextafter(value, 0.0) if Fraction(value) > root else value
