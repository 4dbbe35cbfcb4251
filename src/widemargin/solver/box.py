"""The box problem of support vector machines: the seam to core/solver/box, for kernels of the core and of Python.

Problem  min 1/2 b'Kb - t'b over the box and the sums of model/box.py
Symbols  b signed variables, f = Kb by item, F = f - t; a round solves one small problem, a step moves one pair
Stops    when the violation of the optimality conditions is <= tol and the relative duality gap <= gap_tol, both of
         float32 kernel values: what follows (finish.py) makes them true in float64
Method   see the head of the core's file
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..base.records import Stop
from ..kernels.gram import GramSource
from ..model.box import BoxProblem

KINDS = (None, "converged", "stalled", "epochs", "unbounded")
COUNTERS = ("rounds", "steps", "rows", "waited", "halved")
FIGURES = 6  # and one a group


@dataclass(frozen=True)
class BoxOptions:
    tol: float = 1e-3
    gap_tol: float = 1e-4
    max_steps: int = -1
    memory: int = 0  # bytes for rows of kernel values
    threads: int = 1
    working: int = 0  # variables of a small problem; 0: chosen by the size
    shrink: bool = False  # leave out items that stay at their bounds; their f is NaN then


@dataclass
class BoxState:
    """b, f, the last working set, counters, figures: violation, relative gap, primal, dual, bias of each group,
    the violation and the gap that are to be halved."""

    b: np.ndarray
    f: np.ndarray
    work: np.ndarray
    counters: np.ndarray
    figures: np.ndarray

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self.b, self.f, self.work, self.counters, self.figures

    @property
    def steps(self) -> int:
        return int(self.counters[1])

    @property
    def violation(self) -> float:
        return float(self.figures[0])

    @property
    def relative_gap(self) -> float:
        return float(self.figures[1])


class BoxSolver:
    """start, advance, look; a round is the step."""

    columns: tuple[str, ...] = ("violation", "relative_gap", "steps", "support")

    def __init__(
        self, source: GramSource, problem: BoxProblem, options: BoxOptions, rows: _core.RowSource | None = None
    ) -> None:
        self.source, self.problem, self.options = source, problem, options
        N, n = problem.n_variables, problem.n
        self.working = options.working or working_set(N)
        self.work_per_unit = 0.25 * self.working * n
        t, lower, upper = (np.ascontiguousarray(v, np.float64) for v in (problem.t, problem.lower, problem.upper))
        self.core = _core.box_solver(
            row_source(source, options.memory) if rows is None else rows,
            t,
            lower,
            upper,
            np.empty(0, np.int8) if problem.group is None else problem.group,
            list(problem.total),
            options.tol,
            options.gap_tol,
            1e-12 * problem.sum_of_bounds if not problem.hard else 0.0,
            self.working,
            1 << 60 if options.max_steps < 0 else options.max_steps,
            row_memory(n, options.memory),
            options.threads,
            options.shrink,
        )

    def start(self, b: np.ndarray | None = None) -> BoxState:
        b = self.problem.start() if b is None else np.array(b, dtype=np.float64)
        state = BoxState(
            b,
            np.zeros(self.problem.n),
            np.full(self.working, -1, np.int32),
            np.zeros(len(COUNTERS), np.int64),
            np.zeros(FIGURES + len(self.problem.total)),
        )
        if b.any():
            self.core.rescore(*state.arrays())
        return state

    def advance(self, state: BoxState, budget: int, until: int) -> str | None:
        rounds = min(budget, until - int(state.counters[0]))
        return KINDS[self.core.advance(*state.arrays(), max(rounds, 0))]

    def step(self, state: BoxState) -> int:
        return int(state.counters[0])

    def look(self, state: BoxState, *, judged: bool = False) -> dict[str, Any]:
        """`judged`: the figures of the state are those of its variables."""
        if not judged:
            self.core.judge(*state.arrays())
        return {
            "violation": state.violation,
            "relative_gap": state.relative_gap,
            "steps": state.steps,
            "support": int(np.count_nonzero(state.b)),
        }

    def explain(self, state: BoxState, max_time: float | None):
        """The sentence for a stop of each kind."""

        def sentence(kind: str) -> Stop:
            o = self.options
            gap, violation = f"relative gap {state.relative_gap:.2g}", f"violation {state.violation:.2g}"
            asked = f"{o.gap_tol:.2g} and {o.tol:.2g} asked"
            if kind == "converged":
                figures = f"{gap} <= {o.gap_tol:.2g} and {violation} <= {o.tol:.2g}"
                return Stop(kind, f"converged: {figures} after {state.steps} steps")
            words = {
                "stalled": f"float32 kernel values allow no further step: {gap}, {violation} ({asked})",
                "epochs": f"max_iter={o.max_steps} steps made: {gap}, {violation} reached, {asked}: raise max_iter",
                "time": f"max_time={max_time} s is over after {state.steps} steps: {gap}, {violation} reached, "
                f"{asked}: raise max_time, lower C, or scale the features",
                "unbounded": f"no hard margin exists beyond rounding: the dual grows without end ({state.steps} steps)",
                "asked": f"stopped on request after {state.steps} steps: {gap}, {violation}",
            }
            return Stop(kind, words[kind])

        return sentence


def working_set(N: int) -> int:
    """Small problems are solved whole; of large ones, a set whose kernel values stay in the cache."""
    if N <= 256:
        return max(N, 2)
    return 160 if N < 3000 else 256 if N < 5000 else 512 if N < 10_000 else 1024


def row_memory(n: int, allowed: int) -> int:
    """A third of all rows is enough nearly always."""
    return min(allowed, max(64 << 20, 4 * n * n // 3))


def row_source(source: GramSource, memory: int) -> _core.RowSource:
    """Rows of kernel values for the core: computed there, read from a matrix that fits, or asked for in blocks."""
    if source.narrow is not None:
        return _core.native_source(source.narrow)
    diag = np.ascontiguousarray(source.diag, dtype=np.float64)
    if 4 * source.n**2 <= memory:
        return _core.matrix_source(source.single(None), diag)
    return _core.called_source(
        diag,
        lambda items: source.single(items),
        lambda items: source.single(items, items),
    )
