"""Coordinate descent over features: the seam between Python and core/solver/feature_descent.

A step is an epoch over the features. At growing epochs the gap is asked for: the slopes of the losses, scaled so that
no feature's sum of them is above 1, are a point of the dual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..data.rows import canonical, native_rows
from ..model.linear_problem import LinearProblem
from .newton import GIVEN, NONE, SLOPE

COUNTERS = ("epoch", "position", "visits", "updates", "active")
SUMS = ("violation", "bound", "last_violation")
FIGURES = ("primal", "gap", "best", "next", "since")
SLOW = 400  # epochs without a better gap after which there will be none
INSIDE = 1 - 2.0**-45  # a little below 1, for rounding


@dataclass
class FeatureState:
    """w with the bias last, scores z, when features were left out; the dual point of the best gap and its w; figures:
    objective and gap of the last look, best gap, epoch of the next look and of the best."""

    w: np.ndarray
    z: np.ndarray
    left_at: np.ndarray
    counters: np.ndarray
    sums: np.ndarray
    best_w: np.ndarray
    best_b: np.ndarray
    figures: np.ndarray

    def __getattr__(self, name: str) -> Any:
        if name in COUNTERS:
            return int(self.counters[COUNTERS.index(name)])
        if name in FIGURES:
            return float(self.figures[FIGURES.index(name)])
        raise AttributeError(name)


class FeatureSolver:
    """start, advance, look."""

    columns = ("relative_gap", "primal", "dual")
    name = "feature descent"

    def __init__(self, problem: LinearProblem, tol: float, max_steps: int = -1, seed: int = 0) -> None:
        self.problem, self.tol, self.max_steps = problem, tol, max_steps
        X, p = problem.X, problem
        # The columns of X as rows; kept alive by the core's view.
        across = canonical(sp.csr_array(X.T)) if p.sparse else np.ascontiguousarray(X.T)
        t, C = (np.ascontiguousarray(v, dtype=np.float64) for v in (p.t, p.C))
        self.bias_penalty = 1 / p.scale if p.bias == "regularised" else 0.0
        self.core = _core.feature_descent(
            native_rows(across), t, C, p.loss.code, p.bias != "none", self.bias_penalty, seed
        )
        self.work_per_unit = 8.0 * p.native.size / max(p.d, 1)

    def start(self, w: np.ndarray | None = None, b: np.ndarray | None = None, k: float = 1.0) -> FeatureState:
        p = self.problem
        counters, figures = np.zeros(len(COUNTERS), np.int64), np.array([0.0, np.inf, np.inf, 1.0, 0.0])
        counters[-1] = p.d + 1
        w = np.zeros(p.d + 1) if w is None else np.array(w, dtype=np.float64)
        left, sums, best = np.zeros(p.d + 1, np.int32), np.zeros(len(SUMS)), np.zeros(p.n)
        state = FeatureState(w, np.zeros(p.n), left, counters, sums, w.copy(), best, figures)
        self._judge(state)
        return state

    def step(self, state: FeatureState) -> int:
        return state.epoch

    def look(self, state: FeatureState) -> dict[str, Any]:
        dual = state.primal - state.gap
        return {"relative_gap": self.relative(state.gap, state.primal), "primal": state.primal, "dual": dual}

    def relative(self, gap: float, primal: float) -> float:
        return gap / max(abs(primal), abs(primal - gap), self.problem.least)

    def advance(self, state: FeatureState, budget: int, until: int) -> str | None:
        s = state
        while budget > 0:
            if self.relative(s.best, s.primal) <= self.tol:
                return "converged"
            if 0 <= self.max_steps <= s.epoch:
                return "epochs"
            if s.epoch - s.since > SLOW:
                return "stalled"
            before = s.visits
            to = min(until, int(s.next)) if self.max_steps < 0 else min(until, int(s.next), self.max_steps)
            self.core.advance(s.w, s.z, s.left_at, s.counters, s.sums, budget, to)
            budget -= max(s.visits - before, 1)
            if s.position == 0 and s.epoch >= s.next:
                s.figures[FIGURES.index("next")] = max(s.epoch + 1, int(1.2 * s.epoch))
                self._judge(s)
                continue
            if s.position == 0 and s.epoch >= until:
                return None
        return None

    def tighten(self, state: Any, tol: float) -> None:
        """Go on from here to a smaller gap."""
        self.tol = tol

    def _judge(self, s: FeatureState) -> None:
        """Scores anew, the gap, and all features back: those left out may be wanted again."""
        p, d = self.problem, self.problem.d
        b, h, g = np.empty(p.n), np.empty(p.n), np.empty(d + 1)
        loss, *_ = p.core.walk(SLOPE, 1.0, s.w, b, s.z, h, g, NONE)
        if p.bias == "free":
            b = p.feasible(b)
            p.core.walk(GIVEN, 1.0, s.w, b, s.z, h, g, NONE)
        most = float(np.abs(g[:d]).max(initial=0.0))
        most = max(most, p.scale * abs(g[d])) if p.bias == "regularised" else most
        shrunk = INSIDE / most if most > INSIDE else 1.0
        b *= shrunk
        g *= shrunk
        gap = float(p.loss.residual(s.z, b, p.t, p.C).sum()) + float((np.abs(s.w[:d]) - s.w[:d] * g[:d]).sum())
        gap += self.bias_penalty * abs(s.w[d]) - s.w[d] * g[d] if p.bias == "regularised" else 0.0
        primal = loss + float(np.abs(s.w[:d]).sum()) + self.bias_penalty * abs(s.w[d])
        s.figures[:2] = primal, gap
        if gap < s.best:
            s.figures[FIGURES.index("since")] = s.epoch if gap < 0.9 * s.best else s.since
            s.figures[FIGURES.index("best")] = gap
            s.best_w[:], s.best_b[:] = s.w, b
        s.left_at[:] = 0
        s.counters[-1] = d + 1
        s.sums[SUMS.index("bound")] = 0.0

    def solution(self, state: FeatureState) -> tuple[np.ndarray, np.ndarray]:
        """w and b of the smallest gap so far."""
        return state.best_w, state.best_b
