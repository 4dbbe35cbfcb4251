"""Perceptrons and passive-aggressive learners: the seam between Python and core/solver/online.

The state is plain: arrays and counters. It can be saved, loaded and advanced by any number of steps, and the result
does not depend on where the work was cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..base.records import Stop

RULES = ("perceptron", "pa1", "pa2", "pa1_regression", "pa2_regression")
SHUFFLES = ("never", "once", "every_epoch")
STOPS = (None, None, "converged", "stalled")  # in the order of the core's OnlineStop
COUNTERS = ("epoch", "position", "visits", "updates", "epoch_updates", "best_updates", "best_epoch")
SUMS = ("epoch_loss", "loss", "squared_loss", "scale", "epoch_weight", "best_weight")
MOST_VISITS = 16  # of one row in an epoch; a heavier row takes longer steps instead


@dataclass(frozen=True)
class OnlineOptions:
    rule: str = "perceptron"
    eta: float = 1.0  # step of the perceptron, C of the passive-aggressive rules
    epsilon: float = 0.1
    decay: float = 0.0
    intercept: bool = True
    shuffle: str = "every_epoch"
    seed: int = 0
    birth: int = 1
    patience: int = 0
    average: bool = False
    log: bool = False  # keep every update in order (voting)


@dataclass
class OnlineState:
    """w (d + 1 entries, the last is the bias), lazy average, updates by row, counters, log of updates."""

    w: np.ndarray
    a: np.ndarray
    updates_of: np.ndarray
    counters: np.ndarray
    sums: np.ndarray
    log: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        if name in COUNTERS:
            return int(self.counters[COUNTERS.index(name)])
        if name in SUMS:
            return float(self.sums[SUMS.index(name)])
        raise AttributeError(name)

    def weights(self) -> tuple[np.ndarray, float]:
        return self.w[:-1] * self.sums[3], float(self.w[-1])

    def average(self, birth: int = 1) -> tuple[np.ndarray, float]:
        """sum c w / sum c over all vectors with their survival times c: the lazy average made explicit."""
        t = max(self.visits if birth else self.visits - self.updates, 1)
        mean = self.w - self.a / t
        return mean[:-1], float(mean[-1])

    def joined_log(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(visit, row, step) of every update so far."""
        if not self.log:
            return np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0)
        visit, row, step = (np.concatenate(column) for column in zip(*self.log, strict=True))
        return visit, row, step

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What the core works on."""
        return self.w, self.a, self.updates_of, self.counters, self.sums

    def continue_from(self, old: OnlineState) -> None:
        """Take over what was learnt on other rows; the counters of epochs begin anew."""
        self.w, self.a, self.sums = old.w, old.a, old.sums
        for name in ("visits", "updates"):
            self.counters[COUNTERS.index(name)] = getattr(old, name)

    def without_rows(self) -> OnlineState:
        """The same without what refers to rows, which may be gone."""
        return OnlineState(self.w, self.a, np.empty(0, np.int32), self.counters, self.sums)


@dataclass(frozen=True)
class OnlineProof:
    """What data and model alone do not tell: who caused how many updates, the losses met on the way, the start.

    Part k: rows[offsets[k]:offsets[k + 1]] caused counts[...] updates each.
    """

    rows: np.ndarray
    counts: np.ndarray
    offsets: np.ndarray
    updates: np.ndarray
    epochs: np.ndarray
    losses: np.ndarray
    squared_losses: np.ndarray
    whole_epochs: np.ndarray  # whether the part stopped at the end of an epoch
    starts: np.ndarray | None
    seed: int

    @classmethod
    def of(cls, states: list[OnlineState], seed: int, starts: list[np.ndarray] | None) -> OnlineProof:
        rows = [np.flatnonzero(s.updates_of) for s in states]
        counts = [s.updates_of[r] for s, r in zip(states, rows, strict=True)]
        return cls(
            np.concatenate(rows).astype(np.int64),
            np.concatenate(counts).astype(np.int32),
            np.cumsum([0, *(len(r) for r in rows)]),
            np.array([s.updates for s in states]),
            np.array([s.epoch for s in states]),
            np.array([getattr(s, "loss", 0.0) for s in states]),
            np.array([getattr(s, "squared_loss", 0.0) for s in states]),
            np.array([s.position == 0 for s in states]),
            None if starts is None else np.array(starts),
            seed,
        )

    def counts_of(self, part: int, n: int) -> np.ndarray:
        """Updates caused by each of the n rows."""
        dense = np.zeros(n, dtype=np.int64)
        here = slice(int(self.offsets[part]), int(self.offsets[part + 1]))
        dense[self.rows[here]] = self.counts[here]
        return dense

    def start_of(self, part: int) -> np.ndarray | None:
        return None if self.starts is None else self.starts[part]


def row_steps(weight: np.ndarray | None) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Visits in an epoch and length of the step of each row for the given weights; None = 1 for all."""
    if weight is None:
        return None, None
    times = np.clip(np.ceil(weight), 1, MOST_VISITS)
    return times.astype(np.int64), weight / times


def visits_for(weight: np.ndarray | None, among: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Visits of an epoch and the step of each row for the given weights; only rows in `among` are visited.

    A weight of 3 is three visits, as if the row stood there three times; 2.5 is three visits with a step of 2.5 / 3;
    beyond 16 visits the step grows instead.
    """
    times, step = row_steps(weight)
    if weight is None or times is None or step is None:
        return (np.empty(0, np.int32) if among is None else among.astype(np.int32)), np.empty(0)
    rows = np.arange(len(weight), dtype=np.int32) if among is None else among.astype(np.int32)
    plain = among is None and not (times > 1).any()
    visits = np.empty(0, np.int32) if plain else np.repeat(rows, times[rows])
    return visits, (step if (step != 1).any() else np.empty(0))


class OnlineSolver:
    """start, advance, look; the epoch is the step."""

    columns = ("updates", "epoch_updates", "loss")

    def __init__(
        self,
        rows: _core.Rows,
        y: np.ndarray,
        options: OnlineOptions,
        weight: np.ndarray | None = None,
        among: np.ndarray | None = None,
    ) -> None:
        visits, step = visits_for(weight, among)
        o = options
        self.options = options
        self.rows = rows
        self.work_per_unit = rows.size / max(rows.n, 1)
        self._core = _core.online_solver(
            rows,
            np.ascontiguousarray(y, dtype=np.float64),
            step,
            visits,
            RULES.index(o.rule),
            o.eta,
            o.epsilon,
            o.decay,
            o.intercept,
            SHUFFLES.index(o.shuffle),
            o.seed,
            o.birth,
            o.patience,
        )
        self.visits_per_epoch = self._core.visits_per_epoch
        self.visits_each_row_once = len(visits) == 0
        self._tell: Callable[[tuple[int, int, float, int]], None] | None = None

    def scan_first_epoch(self, tell: Callable[[tuple[int, int, float, int]], None]) -> None:
        """Look at every row while the first epoch visits it, which spares a pass over the data, then `tell`."""
        self._core.scan_first_epoch(0)
        self._tell = tell

    def start(self, w: np.ndarray | None = None) -> OnlineState:
        d = self.rows.d
        w = np.zeros(d + 1) if w is None else np.array(w, dtype=np.float64)
        a = np.zeros(d + 1) if self.options.average else np.empty(0)
        counters = np.zeros(len(COUNTERS), dtype=np.int64)
        counters[COUNTERS.index("best_updates")] = -1
        return OnlineState(w, a, np.zeros(self.rows.n, np.int32), counters, np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]))

    def advance(self, state: OnlineState, budget: int, until: int) -> str | None:
        return self._take(state, *self._core.advance(*state.arrays(), budget, until, self.options.log))

    @staticmethod
    def advance_all(
        solvers: list[OnlineSolver], states: list[OnlineState], budget: int, until: int, threads: int
    ) -> list[str | None]:
        """The same for several at once, on the threads of the core."""
        cores, log = [s._core for s in solvers], solvers[0].options.log
        done = _core.online_advance_parts(cores, [s.arrays() for s in states], budget, until, log, threads)
        return [solver._take(state, *one) for solver, state, one in zip(solvers, states, done, strict=True)]

    def _take(self, state: OnlineState, stop: int, visit: np.ndarray, row: np.ndarray, step: np.ndarray) -> str | None:
        if self._tell is not None and state.epoch > 0:
            seen = self._core.scanned()
            assert seen is not None  # it was asked to look
            self._tell(seen)
            self._tell = None
        if len(visit):
            state.log.append((visit, row, step))
        return STOPS[stop]

    def step(self, state: OnlineState) -> int:
        return state.epoch

    def look(self, state: OnlineState) -> dict[str, Any]:
        return {"updates": state.updates, "epoch_updates": state.epoch_updates, "loss": state.epoch_loss}

    def explain(self, state: OnlineState, max_iter: int, max_time: float | None):
        """The sentence for a stop of each kind."""

        def sentence(kind: str) -> Stop:
            done = f"{state.updates} updates in {state.epoch} epochs"
            mixed = self.options.average or self.options.log
            advice = "" if mixed else ": an averaged or voted perceptron suits them better"
            words = {
                "converged": f"converged: epoch {state.epoch} made no update ({done})",
                "stalled": (
                    f"oscillates: {done}; the fewest in one epoch were {state.best_updates} in epoch "
                    f"{state.best_epoch} and no later epoch had fewer, so the data seem not separable{advice}"
                ),
                "epochs": f"all {max_iter} epochs done ({done}), the last with {state.epoch_updates}: raise max_iter",
                "time": f"max_time={max_time} s is over after {done}: raise max_time",
                "asked": f"stopped on request after {done}",
                "flat": f"the score has not risen for some epochs ({done})",
            }
            return Stop(kind, words[kind])

        return sentence
