"""Support vector machines solved in the plainest ways: to be read, to be drawn, and to check the fast solver by.

Problem  max over b:  D(b) = t.b - 1/2 b'Kb  s.t.  lower <= b <= upper, and fixed sums of the groups (model/box.py)
Symbols  K the whole matrix over the N variables, F = Kb - t = -gradient of D
Stops    pairs: max {F_v : b_v > lower_v} - min {F_v : b_v < upper_v} <= tol in every group. Coordinates, where no sum
         is fixed: no variable that may rise has F < -tol, none that may fall F > tol. At tol = 0 these are the
         conditions of Karush, Kuhn and Tucker, and b is optimal. Also when rounding lets nothing move any more
Method   one coordinate: b_v moves by -F_v / K_vv, cut at its bounds; in turn, by chance, or where D gains most
         [HsiehEtAl08, sec. 2]. With a fixed sum one coordinate cannot move alone, so two do: b_i rises and b_j falls by
         the same (F_j - F_i) / (K_ii + K_jj - 2 K_ij), cut at the end of the segment in the box [Platt99]. i is the
         variable that wants to rise most, j the partner with which D gains most [FanChenLin05, sec. 2]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..model.box import BoxProblem

TINY = 1e-12  # curvature of two equal items, as in LIBSVM
IDLE = 100  # visits a variable without any move


@dataclass(frozen=True)
class Step:
    """One move: the first variable by `by`, the second (of a pair) by minus that."""

    at: tuple[int, ...]
    by: float
    whole: float  # the step to the maximum along the line, if there were no bounds
    objective: float  # D afterwards


class Ascent:
    """A point of the dual, its slopes and its objective, kept up to date move by move."""

    def __init__(self, K: np.ndarray, problem: BoxProblem, b: np.ndarray | None = None) -> None:
        copies = problem.n_variables // problem.n
        self.K = np.tile(np.asarray(K, dtype=np.float64), (copies, copies))
        self.problem = problem
        self.b = problem.start() if b is None else b
        self.F = self.K @ self.b - problem.t
        self.objective = float(problem.t @ self.b - self.b @ (self.F + problem.t) / 2)

    def may_rise(self) -> np.ndarray:
        return self.b < self.problem.upper

    def may_fall(self) -> np.ndarray:
        return self.b > self.problem.lower

    def slopes(self) -> np.ndarray:
        """How fast D grows along each variable, 0 where a bound is in the way."""
        return np.where(self.F < 0, self.may_rise(), self.may_fall()) * -self.F

    def move(self, v: int, to: float) -> None:
        by = to - self.b[v]
        self.objective -= by * self.F[v] + by**2 * self.K[v, v] / 2
        self.F += by * self.K[v]
        self.b[v] = to

    # ---- one variable ------------------------------------------------------------------------------------------

    def one(self, v: int) -> Step:
        """Variable v goes to the maximum of D along it, or to the bound before."""
        whole = -self.F[v] / max(self.K[v, v], TINY)
        before = self.b[v]
        self.move(v, float(np.clip(before + whole, self.problem.lower[v], self.problem.upper[v])))
        return Step((v,), float(self.b[v] - before), float(whole), self.objective)

    def gains(self) -> np.ndarray:
        """What D gains when each variable alone is moved."""
        curvature = np.maximum(np.diag(self.K), TINY)
        by = np.clip(self.b - self.F / curvature, self.problem.lower, self.problem.upper) - self.b
        return -by * self.F - by**2 * curvature / 2

    # ---- two variables -----------------------------------------------------------------------------------------

    def pair(self, tol: float) -> tuple[int, int] | None:
        """(who rises, who falls), or None when no group breaks its condition by more than tol."""
        best, most = None, 0.0
        rise, fall, groups = self.may_rise(), self.may_fall(), self.problem.groups
        for g in range(len(self.problem.total)):
            ups, downs = np.flatnonzero(rise & (groups == g)), np.flatnonzero(fall & (groups == g))
            if not (ups.size and downs.size):
                continue
            i = ups[np.argmin(self.F[ups])]
            downs = downs[self.F[downs] > self.F[i]]
            if not downs.size or self.F[downs].max() - self.F[i] <= tol:
                continue
            difference = self.F[downs] - self.F[i]
            gain = difference**2 / np.maximum(self.K[i, i] + self.K[downs, downs] - 2 * self.K[i, downs], TINY)
            if gain.max() > most:
                best, most = (int(i), int(downs[np.argmax(gain)])), float(gain.max())
        return best

    def two(self, i: int, j: int) -> Step:
        """b_i rises and b_j falls by the same amount: to the maximum of D along that line, or to the box's edge."""
        lower, upper = self.problem.lower, self.problem.upper
        whole = (self.F[j] - self.F[i]) / max(self.K[i, i] + self.K[j, j] - 2 * self.K[i, j], TINY)
        by = min(whole, upper[i] - self.b[i], self.b[j] - lower[j])
        # Whoever meets its bound lands on it exactly: otherwise rounding would leave it almost there for ever.
        to_i = upper[i] if by == upper[i] - self.b[i] else self.b[i] + by
        to_j = lower[j] if by == self.b[j] - lower[j] else self.b[j] - by
        moved = float(to_i - self.b[i])
        self.move(i, to_i)
        self.move(j, to_j)
        return Step((i, j), moved, float(whole), self.objective)


def smo(K: np.ndarray, problem: BoxProblem, tol: float = 1e-3, b: np.ndarray | None = None) -> Iterator[Step]:
    """Sequential minimal optimisation: pairs, until every group meets its condition.

    Parameters
    ----------
    K : ndarray of shape (n, n)
    problem : BoxProblem
    tol : float, default=1e-3
    b : ndarray of shape (N,), optional
        A feasible start, which is moved in place; `problem.start()` by default.

    Yields
    ------
    Step
    """
    ascent = Ascent(K, problem, b)
    while (pair := ascent.pair(tol)) is not None:
        step = ascent.two(*pair)
        if step.by == 0:
            return
        yield step


def coordinate_ascent(
    K: np.ndarray,
    problem: BoxProblem,
    rule: str = "round_robin",
    tol: float = 1e-3,
    b: np.ndarray | None = None,
    seed: int = 0,
) -> Iterator[Step]:
    """One variable at a time, where no sum is fixed: "round_robin", "random" or "greedy".

    Visits that move nothing are not steps. Parameters as in `smo`; `seed` is that of the random rule.

    Yields
    ------
    Step
    """
    if problem.total:
        raise ValueError("a single variable cannot move while sums are fixed: use smo, or problem.without_sums()")
    ascent = Ascent(K, problem, b)
    idle = 0
    for v in RULES[rule](ascent, tol, seed):
        step = ascent.one(v)
        idle = idle + 1 if step.by == 0 else 0
        if idle == 0:
            yield step
        elif idle > IDLE * len(ascent.b):
            return


# ---- who is next -----------------------------------------------------------------------------------------------------


def _in_turn(ascent: Ascent, tol: float, seed: int) -> Iterator[int]:
    while np.abs(ascent.slopes()).max() > tol:
        yield from range(len(ascent.b))


def _by_chance(ascent: Ascent, tol: float, seed: int) -> Iterator[int]:
    rng = np.random.default_rng(seed)
    while np.abs(ascent.slopes()).max() > tol:
        yield from rng.integers(0, len(ascent.b), len(ascent.b)).tolist()


def _where_most_is_gained(ascent: Ascent, tol: float, seed: int) -> Iterator[int]:
    while np.abs(ascent.slopes()).max() > tol:
        yield int(np.argmax(ascent.gains()))


RULES = {"round_robin": _in_turn, "random": _by_chance, "greedy": _where_most_is_gained}


def intercept_of(problem: BoxProblem, F: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """(intercept, rho) of a solution: the mean of -F over the free variables of each group, else the middle.

    A group without free variables leaves an interval of optimal offsets; its middle is taken.
    """
    offsets = []
    for g in range(len(problem.total)):
        here = problem.groups == g
        free = here & (b > problem.lower) & (b < problem.upper)
        if free.any():
            offsets.append(-float(F[free].mean()))
            continue
        ends = [F[here & (b < problem.upper)], F[here & (b > problem.lower)]]
        ends = [float(end) for end in (ends[0].min(initial=np.inf), ends[1].max(initial=-np.inf)) if np.isfinite(end)]
        offsets.append(-sum(ends) / max(len(ends), 1))
    if len(offsets) < 2:
        return (offsets or [0.0])[0], 0.0
    return (offsets[0] + offsets[1]) / 2, (offsets[1] - offsets[0]) / 2
