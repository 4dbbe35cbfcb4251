"""Dual coordinate descent for linear machines: the seam between Python and core/solver/dual_descent.

A step is an epoch. When the residuals that an epoch met are small enough, all rows are looked at; where the gap is not
yet what was asked, the rows that were left out come back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..model.linear_problem import LinearProblem
from .newton import GIVEN, NONE

COUNTERS = ("epoch", "position", "visits", "updates", "active")
SUMS = ("residual", "violation", "bound", "last_residual", "dual", "aim")
LOOK = 2
HELD = 3  # the mark of a row as if so many visits had found it held: it rests for the first epochs
MOST = 100_000  # epochs
FIRST, PATIENCE = 30.0, 150.0  # visits to each row before the pace is judged, and that it may then still take


@dataclass
class DescentState:
    """w with the bias last, signed variables b, marks of rows that were held; counters and sums by name."""

    w: np.ndarray
    b: np.ndarray
    marks: np.ndarray
    counters: np.ndarray
    sums: np.ndarray
    pace: np.ndarray  # visits at the last mark, and the residual then

    def __getattr__(self, name: str) -> Any:
        if name in COUNTERS:
            return int(self.counters[COUNTERS.index(name)])
        if name in SUMS:
            return float(self.sums[SUMS.index(name)])
        raise AttributeError(name)


class DescentSolver:
    """start, advance, look."""

    columns = ("relative_gap", "primal", "dual")
    name = "dual descent"

    def __init__(
        self, problem: LinearProblem, tol: float, max_steps: int = -1, seed: int = 0, gives_up: bool = False
    ) -> None:
        self.problem, self.tol, self.max_steps = problem, tol, max_steps
        self.gives_up = gives_up  # where it would take too long: a fit then tries another method, if one is left
        free = problem.bias == "free"
        self.tau = self._tau(problem)
        self.core = _core.dual_descent(problem.core, self.tau, free, True, seed, problem.squared_norms)
        self.work_per_unit = 2.0 * problem.native.size / max(problem.n, 1)

    @staticmethod
    def _tau(problem: LinearProblem) -> float:
        """The squared constant feature; of a free bias that of rows of mean length."""
        if problem.bias == "free":
            return float(problem.squared_norms.mean()) or 1.0
        return problem.scale**2 if problem.bias == "regularised" else 0.0

    def start(
        self, w: np.ndarray | None = None, b: np.ndarray | None = None, k: float = 1.0, last: Any = None
    ) -> DescentState:
        """From b alone, if that is given: w must be its sum; the bias is taken over. `last` is the state in which a fit
        of these rows at other prices ended: rows that were held there may rest at first."""
        p = self.problem
        counters, sums = np.zeros(len(COUNTERS), np.int64), np.zeros(len(SUMS))
        counters[-1], sums[-1] = p.n, self.tol
        state = DescentState(np.zeros(p.d + 1), np.zeros(p.n), np.zeros(p.n, np.int32), counters, sums, np.zeros(2))
        if b is not None:
            state.b[:] = p.feasible(b)  # a sum that is far from 0 takes longer to mend than all else
            if last is not None and p.loss.unbounded:
                state.marks[last.marks != 0] = HELD
                total = self._sum(state.b, state.w)
            else:
                z = np.empty(p.n)
                _, _, total = self._walk(np.zeros(p.d + 1) if w is None else w, state.b, state.w, z)
                if w is not None:
                    state.marks[p.loss.residual(z, state.b, p.t, p.C) == 0] = HELD
            length = self._best_length(state.b, state.w[:-1], total)
            state.b *= length
            state.w *= length
            state.w[-1] = self.tau * length * total if p.bias != "free" or w is None else w[-1]
        return state

    def _best_length(self, b: np.ndarray, w: np.ndarray, total: float) -> float:
        """The factor of b at which the dual is highest; 1 where bounds would be in the way."""
        p = self.problem
        if not p.loss.unbounded:
            return 1.0
        square = float((b * b / p.C).sum()) / 2  # the reward is linear in the length but for half of this
        bias = (p.scale * total) ** 2 if p.bias == "regularised" else 0.0
        curve = float(w @ w) + bias + square
        return max(0.0, float(p.loss.reward(b, p.t, p.C).sum()) + square / 2) / curve if curve > 0 else 1.0

    def _sum(self, b: np.ndarray, g: np.ndarray) -> float:
        """sum_i b_i x_i into g, without a look at rows that have none; sum_i b_i."""
        p = self.problem
        return float(p.core.walk(GIVEN, 1.0, NONE, b, np.zeros(p.n), np.empty(p.n), g, NONE)[3])

    def _walk(
        self, w: np.ndarray, b: np.ndarray, g: np.ndarray, z: np.ndarray | None = None
    ) -> tuple[float, float, float]:
        p = self.problem
        z = np.empty(p.n) if z is None else z
        loss, residual, _, total = p.core.walk(GIVEN, 1.0, w, b, z, np.empty(p.n), g, NONE)
        return loss, residual, total

    def step(self, state: DescentState) -> int:
        return state.epoch

    def look(self, state: DescentState) -> dict[str, Any]:
        """By the residuals that the last epoch met; rows that were left out have none."""
        primal = state.dual + state.last_residual
        return {"relative_gap": self.relative(state.last_residual, primal), "primal": primal, "dual": state.dual}

    def relative(self, gap: float, primal: float) -> float:
        return gap / max(abs(primal), abs(primal - gap), self.problem.least)

    def advance(self, state: DescentState, budget: int, until: int) -> str | None:
        """Epochs until the gap is small enough, or there are so many that another method should be tried."""
        s, most = state, until if self.max_steps < 0 else min(until, self.max_steps)
        while budget > 0:
            if 0 <= self.max_steps <= s.epoch:
                return "epochs"
            before = s.visits
            stop = self.core.advance(s.w, s.b, s.marks, s.counters, s.sums, budget, min(most, self._unjudged(s)))
            budget -= max(s.visits - before, 1)
            if stop == LOOK and self._judged(s):
                return "converged"
            if s.position == 0 and self._too_slow(s):
                return "stalled"
            if s.epoch >= until:
                return None
        return None

    def tighten(self, state: Any, tol: float) -> None:
        """Go on from here to a smaller gap."""
        self.tol = tol

    def _next_pace(self, s: DescentState) -> float:
        """The visits after which the pace is judged again."""
        return max(2 * s.pace[0], FIRST * self.problem.n / 2)

    def _unjudged(self, s: DescentState) -> int:
        """The epoch up to which that cannot be, since an epoch visits a row at most once: so the pace is judged at the
        end of the same epochs wherever the work is cut."""
        left = max(1, int((self._next_pace(s) - s.visits) // max(self.problem.n, 1)))
        return min(s.epoch + left, max(s.epoch, MOST) + 1)

    def _too_slow(self, s: DescentState) -> bool:
        """Whether the fall of the residual since half the visits says that it would take too many more."""
        n = self.problem.n
        if not np.isfinite(s.last_residual + s.dual) or s.epoch > MOST:
            return True
        if s.visits < self._next_pace(s):
            return False
        (visits, residual), s.pace[:] = s.pace.copy(), (s.visits, s.last_residual)
        if visits == 0 or s.visits < FIRST * n:
            return False
        fall = np.log(max(residual, 1e-300) / max(s.last_residual, 1e-300)) / (s.visits - visits)
        left = np.log(max(s.last_residual / max(self.tol * abs(s.dual), self.problem.least), 1.0))
        return self.gives_up and bool(left > PATIENCE * n * fall)

    def _judged(self, s: DescentState) -> bool:
        """Look at all rows; where they are not good enough, bring them back and aim lower."""
        p, d = self.problem, self.problem.d
        b = p.feasible(s.b)
        g = NONE if b is s.b else np.empty(d + 1)  # where no sum had to be mended it is w
        loss, residual, total = self._walk(s.w, b, g)
        ridge, off = 0.0, s.w[:d] - g[:d] if g.size else np.zeros(1)
        gap = float(off @ off) / 2 + residual
        if p.bias == "regularised":
            ridge = (s.w[d] / p.scale) ** 2 / 2
            gap += (s.w[d] / p.scale - p.scale * total) ** 2 / 2
        primal = float(s.w[:d] @ s.w[:d]) / 2 + ridge + loss
        if self.relative(gap, primal) <= self.tol:
            return True
        s.marks[:] = 0
        s.counters[COUNTERS.index("active")] = p.n
        s.sums[SUMS.index("bound")] = 0.0
        wrong = self.tol * primal / gap if gap > 0 else 1.0
        now = s.last_residual / max(abs(s.dual), p.least)
        s.sums[SUMS.index("aim")] = min(self.tol, now * max(0.3, 0.7 * wrong))
        return False

    def solution(self, state: DescentState) -> tuple[np.ndarray, np.ndarray]:
        """w and b as they are now; the sum of b is right."""
        return state.w, self.problem.feasible(state.b)
