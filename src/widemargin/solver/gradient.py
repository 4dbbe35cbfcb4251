"""Pegasos and stochastic gradient descent: the seam between Python and core/solver/gradient.

The state is plain: arrays and counters. It can be saved, loaded and advanced by any number of steps, and the result
does not depend on where the work was cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _core
from ..model.linear_problem import LinearProblem
from .online import STOPS, visits_for

RULES = ("pegasos", "sgd")
DRAWINGS = ("never", "once", "every_epoch", "replace")
COUNTERS = ("epoch", "position", "visits", "steps", "rounds", "updates", "epoch_updates", "projections")
SUMS = ("epoch_loss", "p", "t", "squared_norm", "squared_radius", "lift", "mass", "mean_bias")


@dataclass(frozen=True)
class GradientOptions:
    rule: str = "pegasos"
    lam: float = 1e-4  # lambda, which is a word of Python's own
    batch: int = 1
    scale: float = 1.0  # m and n of the step m / (e + n)
    delay: float = 0.0
    intercept: bool = False
    drawing: str = "every_epoch"
    seed: int = 0
    average: bool = False
    prove: bool = True  # keep what a dual point is made of
    normalise: bool = True  # divide the weights by their mean

    def in_a_stream(self) -> GradientOptions:
        """Its rows were drawn when they came, the mean of all weights is not known, and no row can be proved with."""
        drawing = "every_epoch" if self.drawing == "replace" else self.drawing
        return replace(self, drawing=drawing, prove=False, normalise=False)


@dataclass
class GradientState:
    """w = f u (the last entry of u is the bias itself), lazy average, weights of visits by row, counters."""

    u: np.ndarray
    h: np.ndarray
    active_of: np.ndarray
    visited_of: np.ndarray
    counters: np.ndarray
    sums: np.ndarray

    def __getattr__(self, name: str) -> Any:
        if name in COUNTERS:
            return int(self.counters[COUNTERS.index(name)])
        if name in SUMS:
            return float(self.sums[SUMS.index(name)])
        raise AttributeError(name)

    def factor(self, options: GradientOptions) -> float:
        """f with w = f u."""
        if options.rule == "sgd":
            return self.p
        return self.p / (options.lam * self.t) if self.t > 0 else 0.0

    def weights(self, options: GradientOptions) -> tuple[np.ndarray, float]:
        if options.average and self.mass > 0:
            mean = (self.lift * self.u[:-1] + self.h) / (options.lam * self.mass)
            return mean, self.mean_bias / self.mass
        return self.factor(options) * self.u[:-1], float(self.u[-1])

    def continue_from(self, old: GradientState) -> None:
        """Take over what was learnt on other rows; the counters of epochs begin anew."""
        self.u, self.h, self.sums = old.u, old.h, old.sums
        for name in ("visits", "steps", "rounds", "updates", "projections"):
            self.counters[COUNTERS.index(name)] = getattr(old, name)

    def without_rows(self) -> GradientState:
        """The same without what refers to rows, which may be gone."""
        none = np.empty(0)
        return GradientState(self.u, self.h, none, none, self.counters, self.sums)


class GradientSolver:
    """start, advance, look; the epoch is the step."""

    columns = ("updates", "epoch_updates", "loss")

    def __init__(
        self,
        rows: _core.Rows,
        y: np.ndarray,
        options: GradientOptions,
        weight: np.ndarray | None = None,
        among: np.ndarray | None = None,
    ) -> None:
        visits, step = visits_for(weight, among)
        o = options
        self.options, self.rows = options, rows
        self.work_per_unit = rows.size / max(rows.n, 1)
        self._core = _core.gradient_solver(
            rows,
            np.ascontiguousarray(y, dtype=np.float64),
            step,
            visits,
            RULES.index(o.rule),
            o.lam,
            o.batch,
            o.scale,
            o.delay,
            _gain(visits, step) if o.normalise else 1.0,
            o.intercept,
            DRAWINGS.index(o.drawing),
            o.seed,
        )
        self.visits_per_epoch = self._core.visits_per_epoch
        self.weight_per_epoch = self.visits_per_epoch / _gain(visits, step)

    def start(self, after: tuple[np.ndarray, int] | None = None) -> GradientState:
        """From 0, or from w (the bias is its last entry) `after` so many epochs on rows like these."""
        o, n, d = self.options, self.rows.n, self.rows.d
        sums = np.zeros(len(SUMS))
        sums[SUMS.index("p")] = 1.0
        state = GradientState(
            np.zeros(d + 1),
            np.zeros(d if o.average else 0),
            np.zeros(n if o.prove else 0),
            np.zeros(n if o.prove else 0),
            np.zeros(len(COUNTERS), dtype=np.int64),
            sums,
        )
        if after is not None:
            self._go_on(state, *after)
        return state

    def _go_on(self, state: GradientState, w: np.ndarray, epochs: int) -> None:
        o, t = self.options, epochs * self.weight_per_epoch
        state.counters[COUNTERS.index("rounds")] = epochs
        state.counters[COUNTERS.index("visits")] = epochs * self.visits_per_epoch
        state.sums[SUMS.index("t")] = t
        state.sums[SUMS.index("squared_radius")] = float(self.rows.squared_norms(1).max(initial=0.0))
        state.u[:] = w
        if o.rule == "pegasos":
            state.u[:-1] *= o.lam * t

    def advance(self, state: GradientState, budget: int, until: int) -> str | None:
        s = state
        return STOPS[self._core.advance(s.u, s.h, s.active_of, s.visited_of, s.counters, s.sums, budget, until)]

    def step(self, state: GradientState) -> int:
        return state.epoch

    def look(self, state: GradientState) -> dict[str, Any]:
        return {"updates": state.updates, "epoch_updates": state.epoch_updates, "loss": state.epoch_loss}


def _gain(visits: np.ndarray, step: np.ndarray) -> float:
    """1 / (mean weight of a visit)."""
    if not step.size:
        return 1.0
    steps = step[visits] if visits.size else step
    return len(steps) / float(steps.sum())


def dual_point(problem: LinearProblem, state: GradientState, rows: np.ndarray | None = None) -> np.ndarray:
    """A feasible point of the dual: the share of its bound that the steps tell of each variable, times a factor.

    `rows` are those of the problem among all that the state knows of, None = all. See core/solver/gradient.hpp.
    """
    pick = slice(None) if rows is None else rows
    active, visited = state.active_of[pick], state.visited_of[pick]
    share = np.divide(active, visited, out=np.zeros_like(active), where=visited > 0)
    b = problem.feasible(problem.t * problem.C * share)
    v = problem.combination(b)
    # D(f b) = f sum |b| - f^2/2 |v|^2 is largest at f = sum |b| / |v|^2, and f share may not exceed 1.
    earned, square, most = float(np.abs(b).sum()), float(v @ v), float(share.max(initial=0.0))
    factor = min(earned / square if square > 0 else np.inf, 1 / most if most > 0 else 1.0)
    return problem.inside(b * factor)
