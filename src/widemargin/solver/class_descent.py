"""Dual coordinate descent for all classes at once: the seam between Python and core/solver/class_descent.

A step is an epoch. When the residuals that an epoch met are small enough, all rows are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..data.rows import native_rows
from ..model.class_problem import ClassProblem

COUNTERS = ("epoch", "position", "visits", "updates", "active")
SUMS = ("residual", "last_residual", "dual", "aim", "violation", "bound")
SLOW = 20_000  # epochs: what has not come by then will not


@dataclass
class ClassState:
    """W, (d + 1) x k with the biases last, signed variables b, n x k, when rows were left out; counters and sums by
    name."""

    W: np.ndarray
    b: np.ndarray
    left_at: np.ndarray
    counters: np.ndarray
    sums: np.ndarray

    def __getattr__(self, name: str) -> Any:
        if name in COUNTERS:
            return int(self.counters[COUNTERS.index(name)])
        if name in SUMS:
            return float(self.sums[SUMS.index(name)])
        raise AttributeError(name)


class ClassSolver:
    """start, advance, look."""

    columns = ("relative_gap", "primal", "dual")
    name = "class descent"

    def __init__(self, problem: ClassProblem, tol: float, max_steps: int = -1, seed: int = 0) -> None:
        p = problem
        self.problem, self.tol, self.max_steps = problem, tol, max_steps
        rows, self.centre = p.rows, np.zeros(p.d)
        if p.bias == "free" and not sp.issparse(p.X):  # free biases take up a shift, and descent is quicker about 0
            self.centre = p.X.mean(axis=0, dtype=np.float64)
            rows = native_rows(p.X - self.centre)
        mean = float(rows.squared_norms(1).mean()) or 1.0
        self.tau = {"free": mean, "regularised": p.scale**2, "none": 0.0}[p.bias]
        y = np.ascontiguousarray(p.y, dtype=np.int32)
        self.core = _core.class_descent(
            rows, y, np.ascontiguousarray(p.C, dtype=np.float64), p.k, self.tau, p.bias == "free", seed
        )
        self.work_per_unit = 2.0 * p.k * p.rows.size / max(p.n, 1)

    def start(self, w: np.ndarray | None = None, b: np.ndarray | None = None, k: float = 1.0) -> ClassState:
        """From b, if that is given; the biases of w (a line a class) are taken over."""
        p = self.problem
        counters, sums = np.zeros(len(COUNTERS), np.int64), np.zeros(len(SUMS))
        counters[-1], sums[SUMS.index("aim")] = p.n, self.tol
        left = np.zeros(p.n, np.int32)
        state = ClassState(np.zeros((p.d + 1) * p.k), np.zeros(p.n_variables), left, counters, sums)
        if b is not None:
            state.b[:] = b
            G = np.empty_like(state.W)
            self.core.walk(state.W, state.b, G)
            state.W[:] = G
            total = state.W[-p.k :].copy()
            state.W[-p.k :] = self.tau * total if p.bias != "free" or w is None else w @ [*self.centre, 1.0]
        return state

    def step(self, state: ClassState) -> int:
        return state.epoch

    def look(self, state: ClassState) -> dict[str, Any]:
        """By the residuals that the last epoch met."""
        primal = state.dual + state.last_residual
        return {"relative_gap": self.relative(state.last_residual, primal), "primal": primal, "dual": state.dual}

    def relative(self, gap: float, primal: float) -> float:
        return gap / max(abs(primal), abs(primal - gap), self.problem.least)

    def advance(self, state: ClassState, budget: int, until: int) -> str | None:
        s, most = state, min(until, SLOW) if self.max_steps < 0 else min(until, SLOW, self.max_steps)
        while budget > 0:
            if 0 <= self.max_steps <= s.epoch:
                return "epochs"
            if s.epoch >= SLOW:
                return "stalled"
            before = s.visits
            look = self.core.advance(s.W, s.b, s.left_at, s.counters, s.sums, budget, most)
            budget -= max(s.visits - before, 1)
            if look and self._judged(s):
                return "converged"
            if not look or s.epoch >= until:
                return None
        return None

    def tighten(self, state: Any, tol: float) -> None:
        """Go on from here to a smaller gap."""
        self.tol = tol

    def _judged(self, s: ClassState) -> bool:
        p = self.problem
        b, G = p.feasible(s.b), np.empty_like(s.W)
        loss, residual = self.core.walk(s.W, b, G)
        weights, off = s.W[: -p.k], s.W[: -p.k] - G[: -p.k]
        primal, gap = float(weights @ weights) / 2 + loss, float(off @ off) / 2 + residual
        if p.bias == "regularised":
            c = s.W[-p.k :] / p.scale
            bias = c - p.scale * G[-p.k :]
            primal, gap = primal + float(c @ c) / 2, gap + float(bias @ bias) / 2
        if self.relative(gap, primal) <= self.tol:
            return True
        wrong = self.tol * primal / gap
        s.left_at[:], s.counters[-1], s.sums[SUMS.index("bound")] = 0, p.n, 0.0
        now = s.last_residual / max(abs(s.dual), p.least)
        s.sums[SUMS.index("aim")] = min(self.tol, now * max(0.3, 0.7 * wrong))
        return False

    def solution(self, state: ClassState) -> tuple[np.ndarray, np.ndarray]:
        """W, a line a class with the bias last, and b, whose sums are right."""
        W = np.ascontiguousarray(state.W.reshape(-1, self.problem.k).T)
        W[:, -1] -= W[:, :-1] @ self.centre
        return W, self.problem.feasible(state.b)
