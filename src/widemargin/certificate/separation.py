"""Linear separability: a separator, or a proof that none exists.

Problem  max t s.t. y_i (w.x_i + b) >= t for all i, |w|, |b| <= 1
Symbols  z_i = y_i [x_i, 1] (0 in place of 1 without an intercept); lambda the multipliers of the rows, sum 1
Stops    (w, b) is a separator if every y_i (w.x_i + b) exceeds the bound on its own rounding error; lambda is a
         witness if sum lambda_i z_i = 0, for then no (w, b) has all w.z_i > 0. In between, any lambda proves that no
         unit (w, b) has a margin above |sum lambda_i z_i|. What float64 leaves open is decided by integer arithmetic
         or not at all.
Method   the linear program by HiGHS on a few rows, to which the rows it violates are added; rows and columns are
         scaled by powers of two, which changes no digit. [Mangasarian65], [Gordan1873]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.linalg import lsqr

from ..base.errors import BadInput
from . import bounded
from .rational_separation import prove_by_integers
from .widest import widest_separator
from .witness import Proof, contradiction, float_witness, margin_above

_NOTHING = 1e-9  # HiGHS meets its constraints to about 1e-7 relative; a t below this says nothing about separability


@dataclass(frozen=True, kw_only=True, eq=False)
class Separation:
    """The answer of `find_separator`, with its proof.

    Attributes
    ----------
    separable : bool or None
        True, False, or None if neither could be proved; `claim` then says what is known.
    claim : str
        What was shown, in one sentence.
    coef, intercept : ndarray of shape (d,), float; or None
        A separator: positive on the rows of `classes[1]`, negative on those of `classes[0]`.
    margin : float or None
        Smallest y(w.x + b)/|(w, b)| of that separator, rounded down.
    distance : float or None
        Smallest y(w.x + b)/|w|, the distance of the nearest row from the boundary.
    margin_upper : float
        No unit (w, b) has a larger margin, rounding included; 0 if `separable` is False.
    witness : ndarray of shape (n,)
        lambda >= 0 with sum 1 that proves `margin_upper`. Rows of weight 0 have 0.
    classes : ndarray of shape (2,)
        The labels that count as -1 and +1.
    exact : bool
        The verdict was reached in integer arithmetic; `rational` then holds it without rounding.
    rational : tuple of Fraction, dict of int to Fraction, or None
        (w.., b) or row: lambda, exact.
    """

    separable: bool | None
    claim: str
    margin_upper: float
    witness: np.ndarray
    classes: np.ndarray
    coef: np.ndarray | None = None
    intercept: float | None = None
    margin: float | None = None
    distance: float | None = None
    exact: bool = False
    rational: tuple[Fraction, ...] | dict[int, Fraction] | None = None

    def __repr__(self) -> str:
        return f"<Separation: {self.claim}>"


@dataclass
class Attempt:
    """What a method without proof gave: w and b, lambda over all rows, and whether w surely separates them."""

    w: np.ndarray
    b: float
    weights: np.ndarray
    separates: bool


def find_separator(
    X: Any, y: Any, *, sample_weight: Any = None, fit_intercept: bool = True, exact: bool = False
) -> Separation:
    """Find a hyperplane that has each class strictly on its own side, or prove that there is none.

    Parameters
    ----------
    X : array or SciPy sparse matrix of shape (n, d)
        Rows of finite numbers.
    y : array of shape (n,)
        Two different labels of any kind.
    sample_weight : array of shape (n,), optional
        Rows of weight 0 count as absent; other weights do not matter.
    fit_intercept : bool
        False asks for a hyperplane through the origin.
    exact : bool
        Decide in integer arithmetic even where float64 with its error bounds suffices.

    Returns
    -------
    Separation
        Either `coef`, `intercept`, `margin`, or `separable=False` with a `witness`.

    Examples
    --------
    >>> find_separator([[0.0], [1.0], [3.0]], ["no", "no", "yes"]).separable
    True
    """
    X, y, kept, classes, n = read_two_classes(X, y, sample_weight)
    proof = _search(X, y, fit_intercept, exact)
    witness = np.zeros(n)
    witness[kept] = proof.weights
    rational = proof.rational
    if isinstance(rational, dict):
        rational = {int(kept[i]): v for i, v in rational.items()}
    return _record(X, y, proof, witness, classes, rational, fit_intercept)


def separate_signed(X: Any, y: np.ndarray, *, fit_intercept: bool = True, exact: bool = False) -> Separation:
    """`find_separator` for labels that already are -1 and +1 (one may be missing) and clean rows."""
    proof = _search(X, y, fit_intercept, exact)
    return _record(X, y, proof, proof.weights, np.array([-1, 1]), proof.rational, fit_intercept)


def _search(X: Any, y: np.ndarray, intercept: bool, exact: bool) -> Proof:
    """From the cheapest proof to the dearest."""
    pair = contradiction(X, y)
    if pair is not None:
        return Proof(False, weights=pair, exact=True, rational={int(i): Fraction(1, 2) for i in np.flatnonzero(pair)})
    # What overflows here proves nothing and is not taken for a proof: every verdict is checked with its rounding bound.
    with np.errstate(all="ignore"):
        attempt = _least_squares(X, y, intercept) or _linear_program(X, y, intercept)
        if attempt.separates:
            proof = widest_separator(X, y, attempt.w, attempt.b, attempt.weights, intercept)
        else:
            proof = float_witness(X, y, attempt.weights, intercept)
        if exact or proof.separable is None:
            return prove_by_integers(X, y, proof, attempt.w, attempt.b, intercept, thorough=exact)
    return proof


def _least_squares(X: Any, y: np.ndarray, intercept: bool) -> Attempt | None:
    """A guess for wide data: the flattest function through the labels, kept only if it separates every row."""
    n, d = X.shape
    if 4 * (d + 1) < n:
        return None
    columns, rows = _powers_of_two(X, intercept)
    v = lsqr(_scaled(X, y, columns, rows, intercept), np.ones(n), atol=1e-9, btol=1e-9, iter_lim=1000)[0]
    w, b = v[:d] * columns, float(v[d]) if intercept else 0.0
    m, e = bounded.margins(X, y, w, b)
    # Half the weight on either class: the bound on the margin is then half the distance of the means.
    weights = 0.5 / np.where(y > 0, np.sum(y > 0), np.sum(y < 0))
    return Attempt(w, b, weights / weights.sum(), True) if np.min(m - e) > 0 else None


def _linear_program(X: Any, y: np.ndarray, intercept: bool) -> Attempt:
    n, d = X.shape
    columns, rows = _powers_of_two(X, intercept)
    used = _first_rows(y, 4 * (d + 1) + 200)
    while True:
        t, v, weights = _solve(_scaled(X[used], y[used], columns, rows[used], intercept))
        w = v[:d] * columns
        b = float(v[d]) if intercept else 0.0
        m, e = bounded.margins(X, y, w, b)
        spread = np.zeros(n)
        spread[used] = weights * rows[used]
        total = spread.sum()
        spread = spread / total if total > 0 else spread
        if np.min(m - e) > 0:
            return Attempt(w, b, spread, True)
        m *= rows
        m[used] = np.inf
        wrong = np.flatnonzero(m <= 0)
        if t <= _NOTHING or not wrong.size:
            return Attempt(w, b, spread, False)
        most = max(d + 1, used.size // 2)
        if wrong.size > most:
            wrong = wrong[np.argpartition(m[wrong], most)[:most]]
        used = np.concatenate([used, wrong])


def _powers_of_two(X: Any, intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """Factors that bring the largest entry of every column, then of every row [x, 1], into [1/2, 1)."""
    largest = np.zeros(X.shape[1])
    for _, block in bounded.blocks(X):
        np.maximum(largest, _largest(block, 0), out=largest)
    columns = np.ldexp(1.0, np.clip(-np.frexp(largest)[1], -1000, 1000))
    rows = np.empty(X.shape[0])
    for part, block in bounded.blocks(X):
        size = _largest(block.multiply(columns).tocsr() if sparse.issparse(block) else block * columns, 1)
        rows[part] = np.maximum(size, 1.0) if intercept else np.where(size > 0, size, 1.0)
    return columns, np.ldexp(1.0, np.clip(-np.frexp(rows)[1], -1000, 1000))


def _largest(block: Any, axis: int) -> np.ndarray:
    if block.shape[1 - axis] and block.shape[axis]:
        top = abs(block).max(axis=axis)
        return np.asarray(top.toarray() if sparse.issparse(top) else top).ravel()
    return np.zeros(block.shape[1 - axis])


def _scaled(X: Any, y: np.ndarray, columns: np.ndarray, rows: np.ndarray, intercept: bool) -> Any:
    """y [x, 1] with both scalings."""
    factor = y * rows
    one = factor[:, None] if intercept else np.zeros((len(y), 1))
    if sparse.issparse(X):
        body = X.astype(np.float64).multiply(columns).multiply(factor[:, None])
        return sparse.hstack([body, sparse.csr_array(one)], format="csr")
    return np.hstack([X.astype(np.float64) * factor[:, None] * columns, one])


def _solve(Z: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """t, v and the multipliers of: max t s.t. Z v >= t, -1 <= v <= 1."""
    m, k = Z.shape
    one = np.ones((m, 1))
    A = sparse.hstack([-Z, sparse.csr_array(one)], format="csr") if sparse.issparse(Z) else np.hstack([-Z, one])
    answer = linprog(
        np.append(np.zeros(k), -1.0), A_ub=A, b_ub=np.zeros(m), bounds=[(-1, 1)] * k + [(None, None)], method="highs"
    )
    if answer.x is None:
        return 0.0, np.zeros(k), np.full(m, 1.0 / m)
    return float(answer.x[k]), answer.x[:k], np.maximum(-answer.ineqlin.marginals, 0.0)


def _first_rows(y: np.ndarray, size: int) -> np.ndarray:
    """Rows of both classes, evenly from the whole length."""
    if y.size <= 2 * size:
        return np.arange(y.size)
    sides = [np.flatnonzero(y > 0), np.flatnonzero(y < 0)]
    return np.concatenate([s[np.linspace(0, s.size - 1, min(s.size, size), dtype=int)] for s in sides if s.size])


def read_two_classes(X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, int]:
    """(X, y as -1 and +1, rows of positive weight, the two labels, number of rows given)."""
    X = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise BadInput(f"X must be a table of numbers, got {X.ndim} dimension(s) of type {X.dtype}: pass shape (n, d)")
    X = X if X.dtype in (np.float64, np.float32) else X.astype(np.float64)
    if sparse.issparse(X):
        X.sum_duplicates()
    y = np.asarray(y)
    n = X.shape[0]
    if y.shape != (n,):
        raise BadInput(f"y has shape {y.shape} but X has {n} rows: pass one label per row")
    if not np.isfinite(X.data if sparse.issparse(X) else X).all():
        raise BadInput("X contains NaN or infinity: remove or fill those entries")
    kept = np.arange(n)
    if sample_weight is not None:
        weight = np.asarray(sample_weight, dtype=np.float64)
        if weight.shape != (n,) or not (weight >= 0).all():
            raise BadInput(f"sample_weight must be {n} numbers of at least 0, got shape {weight.shape}")
        kept = np.flatnonzero(weight)
        X, y = X[kept], y[kept]
    classes, code = np.unique(y, return_inverse=True)
    if classes.size != 2:
        raise BadInput(
            f"y has {classes.size} different label(s) on {kept.size} rows of positive weight: two are needed"
        )
    return X, np.where(code == 1, 1.0, -1.0), kept, classes, n


def _record(
    X: Any, y: np.ndarray, proof: Proof, witness: np.ndarray, classes: np.ndarray, rational: Any, intercept: bool
) -> Separation:
    upper = 0.0 if proof.separable is False else margin_above(X, y, proof.weights, intercept)
    shared: dict[str, Any] = {"separable": proof.separable, "witness": witness, "classes": classes}
    shared |= {"exact": proof.exact, "rational": rational, "margin_upper": upper}
    if proof.separable:
        margin, distance = _margin_below(X, y, proof)
        claim = f"separable with margin {margin:.6g} (any separator: at most {upper:.6g})"
        found: dict[str, Any] = {"coef": proof.w, "intercept": proof.b, "margin": margin, "distance": distance}
        return Separation(claim=claim, **found, **shared)
    rows = np.count_nonzero(witness)
    if proof.separable is False:
        return Separation(claim=f"no separator exists (witness of {rows} rows)", **shared)
    known = f"none has a margin above {upper:.3g} (witness of {rows} rows)"
    claim = f"not decided: no separator found, and {known}; {proof.why}"
    return Separation(claim=claim, **shared)


def _margin_below(X: Any, y: np.ndarray, proof: Proof) -> tuple[float, float]:
    if proof.exact_margin is not None:
        return proof.exact_margin
    assert proof.w is not None
    m, e = bounded.margins(X, y, proof.w, proof.b)
    least = float(np.min(m - e))
    whole = bounded.norm_above(np.append(proof.w, proof.b))
    plain = bounded.norm_above(proof.w)
    return least / whole * (1 - 2 * bounded.UNIT), least / plain * (1 - 2 * bounded.UNIT) if plain > 0 else math.inf
