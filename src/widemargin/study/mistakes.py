"""The fewest mistakes that any hyperplane must make, enclosed from both sides.

Problem  min over (w, b) of the number of rows with y_i (w.x_i + b) <= 0; NP-hard
Symbols  z_i = y_i [x_i, 1]; r_i = 1 if row i is given up; S an irreducible set: rows that no hyperplane separates,
         but every smaller set of them is separable
Stops    upper: a hyperplane in hand with that many mistakes, its signs computed without rounding error. lower: every
         S found must lose a row, so min sum r s.t. sum over S of r_i >= 1 for the S known so far is a bound; when the
         rows it keeps are separable, both meet. Stops there or when the time is up.
Method   upper: pocket perceptron with ratchet [Gallant90], over every w that the perceptron passes through, then
         exact line searches (the count is piecewise constant along a line). lower: hitting sets by HiGHS over
         irreducible sets, which are the vertices of Gordan's polytope [GleesonRyan90], [Pfetsch08, sec. 2]; no big
         constant, so nothing is cut off.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from .. import _core
from ..certificate.bounded import row_norms, signs
from ..certificate.separation import read_two_classes, separate_signed
from ..solver.online import OnlineOptions, OnlineSolver


@dataclass(frozen=True, kw_only=True, eq=False)
class FewestMistakes:
    """Bounds on the mistakes of the best hyperplane.

    Attributes
    ----------
    upper, lower : int
        The best hyperplane makes at most `upper` (this one does) and at least `lower` mistakes.
    gap : int
        upper - lower; 0 means that `coef` and `intercept` are optimal.
    coef, intercept : ndarray of shape (d,), float
        The hyperplane found.
    rows_wrong : ndarray of int
        The rows on which it errs.
    sets : tuple of tuple of int
        Rows that no hyperplane separates: they prove `lower`.
    claim : str
    """

    upper: int
    lower: int
    coef: np.ndarray
    intercept: float
    rows_wrong: np.ndarray
    sets: tuple[tuple[int, ...], ...]
    claim: str

    @property
    def gap(self) -> int:
        return self.upper - self.lower


def fewest_mistakes(X: Any, y: Any, *, max_time: float = 10.0, seed: int = 0) -> FewestMistakes:
    """Enclose the smallest number of mistakes that a hyperplane can make on two classes.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Meant for small sets: up to a few hundred rows.
    y : array of shape (n,)
        Two different labels.
    max_time : float
        Seconds after which the bounds reached so far are returned.
    seed : int
        Key of the random directions and orders.

    Returns
    -------
    FewestMistakes
    """
    X, y, *_ = read_two_classes(X, y, None)
    X = np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    deadline = time.monotonic() + max_time
    Z = np.hstack([X, np.ones((len(y), 1))]) * y[:, None]
    v = _improved(Z, _pocket(X, y, Z, seed), seed, deadline)
    best = _Best(X, y)
    best.offer(v[:-1], float(v[-1]))
    lower, sets = _lower_bound(X, y, Z, best, seed, deadline)
    said = "the fewest mistakes of any hyperplane are" if lower == best.upper else "any hyperplane makes at least"
    claim = (
        f"{said} {lower} of {len(y)}, proved by {len(sets)} inseparable sets of rows; one with {best.upper} is given"
    )
    return FewestMistakes(
        upper=best.upper,
        lower=lower,
        coef=best.w,
        intercept=best.b,
        rows_wrong=best.rows,
        sets=tuple(sets),
        claim=claim,
    )


class _Best:
    """The best hyperplane so far, counted with exact signs."""

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        # Always right about the larger class.
        self.X, self.y, self.w, self.b = X, y, np.zeros(X.shape[1]), 1.0 if y.sum() > 0 else -1.0
        self.rows = np.flatnonzero(y != self.b)
        self.R = float(row_norms(X).max())

    @property
    def upper(self) -> int:
        return self.rows.size

    def offer(self, w: np.ndarray, b: float) -> None:
        wrong = np.flatnonzero(signs(self.X, self.y, w, b, self.R) <= 0)
        if wrong.size < self.rows.size:
            self.w, self.b, self.rows = w, b, wrong


def _pocket(X: np.ndarray, y: np.ndarray, Z: np.ndarray, seed: int, epochs: int = 40) -> np.ndarray:
    """The weights with fewest mistakes among all that a shuffled perceptron passes through."""
    solver = OnlineSolver(_core.Rows.dense(X), y, OnlineOptions(seed=seed, log=True))
    state = solver.start()
    best, fewest = state.w.copy(), len(y) + 1
    for epoch in range(1, epochs + 1):
        start, state.log = state.w.copy(), []
        stop = solver.advance(state, solver.visits_per_epoch, epoch)
        _, rows, steps = state.joined_log()
        if rows.size:
            path = start + np.cumsum(np.hstack([X[rows], np.ones((rows.size, 1))]) * steps[:, None], axis=0)
            mistakes = np.count_nonzero(path @ Z.T <= 0, axis=1)
            k = int(np.argmin(mistakes))
            if mistakes[k] < fewest:
                best, fewest = path[k].copy(), int(mistakes[k])
        if stop == "converged":
            break
    return best


def _improved(Z: np.ndarray, v: np.ndarray, seed: int, deadline: float, rounds: int = 400) -> np.ndarray:
    """Exact line searches from v along rows, axes and random directions, with small leaps to leave a plateau."""
    random = np.random.default_rng(seed)
    scale = np.abs(Z).max(axis=0)
    scale[scale == 0] = 1.0
    Z = Z / scale  # all directions alike
    best = v = _unit(v * scale)
    fewest = _count(Z, v)
    for k in range(rounds):
        direction = _direction(Z, v, k, random)
        v, count = _line_search(Z, v, direction)
        if count <= fewest:
            best, fewest = v, count
        if fewest == 0 or time.monotonic() > deadline:
            break
        if k % 50 == 49:
            v = _unit(best + random.normal(0, 0.3, v.size))
    return best / scale


def _direction(Z: np.ndarray, v: np.ndarray, k: int, random: np.random.Generator) -> np.ndarray:
    wrong = np.flatnonzero(Z @ v <= 0)
    if k % 3 == 0 and wrong.size:
        return Z[random.choice(wrong)]
    return np.eye(v.size)[random.integers(v.size)] if k % 3 == 1 else random.standard_normal(v.size)


def _line_search(Z: np.ndarray, v: np.ndarray, direction: np.ndarray) -> tuple[np.ndarray, int]:
    """v + s direction for the s with fewest mistakes: one candidate between any two places where a row changes side."""
    m, g = Z @ v, Z @ direction
    with np.errstate(all="ignore"):
        s = -m / g
    s = np.unique(s[np.isfinite(s)])
    if not s.size:
        return v, _count(Z, v)
    s = np.concatenate([[s[0] - 1], (s[1:] + s[:-1]) / 2, [s[-1] + 1], [0.0]])
    mistakes = np.count_nonzero(m + np.multiply.outer(s, g) <= 0, axis=1)
    fewest = mistakes.min()
    # Of equally good places the nearest, so that small steps add up.
    good = s[mistakes == fewest]
    return _unit(v + good[np.argmin(np.abs(good))] * direction), int(fewest)


def _count(Z: np.ndarray, v: np.ndarray) -> int:
    return int(np.count_nonzero(Z @ v <= 0))


def _unit(v: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(v)
    return v / length if length > 0 else v


def _lower_bound(
    X: np.ndarray, y: np.ndarray, Z: np.ndarray, best: _Best, seed: int, deadline: float
) -> tuple[int, list[tuple[int, ...]]]:
    random = np.random.default_rng([seed, 1])
    sets: dict[tuple[int, ...], None] = {}
    lower = 0
    while lower < best.upper and time.monotonic() < deadline:
        given_up, bound = _hitting_set(sets, len(y), deadline)
        lower = max(lower, min(bound, best.upper))
        if given_up is None or lower >= best.upper:
            break
        before = len(sets)
        _add_sets(X, y, Z, given_up, sets, best, random)
        if len(sets) == before:
            break
    return lower, list(sets)


def _hitting_set(sets: dict, n: int, deadline: float) -> tuple[np.ndarray | None, int]:
    """Fewest rows that meet every set, and the bound that is proved even if the time ran out before the optimum."""
    if not sets:
        return np.zeros(n, dtype=bool), 0
    rows = np.repeat(np.arange(len(sets)), [len(s) for s in sets])
    A = sparse.csr_array((np.ones(rows.size), (rows, np.concatenate([*sets]))), shape=(len(sets), n))
    answer = milp(
        np.ones(n), constraints=LinearConstraint(A, 1, np.inf), bounds=Bounds(0, 1), integrality=np.ones(n),
        options={"time_limit": max(0.1, deadline - time.monotonic())},
    )  # fmt: skip
    bound = answer.mip_dual_bound
    # HiGHS meets constraints to 1e-6: a bound must pass the next integer by more than that to count.
    proved = max(0, math.ceil(bound - 1e-4)) if bound is not None and math.isfinite(bound) else 0
    return (None if answer.x is None else answer.x > 0.5), proved


def _add_sets(
    X: np.ndarray,
    y: np.ndarray,
    Z: np.ndarray,
    given_up: np.ndarray,
    sets: dict,
    best: _Best,
    random: np.random.Generator,
) -> None:
    """Inseparable sets among the rows kept: one after another without rows in common, from several random costs."""
    for attempt in range(8):
        kept = ~given_up
        # One class alone is always separable.
        while abs(y[kept].sum()) < np.count_nonzero(kept):
            rows = np.flatnonzero(kept)
            support = _vertex(Z[rows], random.random(rows.size) if attempt else np.ones(rows.size))
            found = None if support is None else _proved(X, y, rows[support], best)
            found = found or _proved(X, y, rows, best)
            if found is None:
                break
            sets[found] = None
            kept[list(found)] = False
        else:
            best.offer(np.zeros(X.shape[1]), float(y[kept][0]) if kept.any() else 1.0)


def _vertex(Z: np.ndarray, cost: np.ndarray) -> np.ndarray | None:
    """Support of a vertex of  {lambda >= 0, sum 1, sum lambda_i z_i = 0}  that is cheap by `cost`; None if empty."""
    scale = np.abs(Z).max(axis=0)
    A = np.vstack([(Z / np.where(scale > 0, scale, 1.0)).T, np.ones(Z.shape[0])])
    answer = linprog(cost, A_eq=A, b_eq=np.append(np.zeros(Z.shape[1]), 1.0), method="highs-ds")
    return np.flatnonzero(answer.x > 1e-9) if answer.status == 0 else None


def _proved(X: np.ndarray, y: np.ndarray, rows: np.ndarray, best: _Best) -> tuple[int, ...] | None:
    """Those of the rows that the witness needs, if it is proved that no hyperplane separates them."""
    answer = separate_signed(X[rows], y[rows])
    if answer.coef is not None:
        best.offer(answer.coef, float(answer.intercept or 0.0))
    return tuple(int(i) for i in rows[np.flatnonzero(answer.witness)]) if answer.separable is False else None
