"""The kernel perceptron: the seam to core/solver/kernel_perceptron, and the same rule for kernels computed in Python.

Problem  if y_i u(x_i) <= 0:  c_i += eta s_i y_i,   u(x) = sum_j c_j (k(x_j, x) + 1)   (no + 1 without an intercept)
Symbols  c signed sums of steps, s_i the step of item i (its weight), f_i = sum_j c_j k(x_j, x_i), b = sum_j c_j
Stops    at an epoch without update, when the updates per epoch have stopped falling, or at a limit
Method   [AizermanEtAl64], orders and average as in solver/online; see the head of the core's file for rows of numbers
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..base.records import Stop
from ..kernels.gram import GramSource
from .online import COUNTERS, SHUFFLES, STOPS, visits_for

SUMS = ("epoch_weight", "best_weight")


@dataclass(frozen=True)
class KernelPerceptronOptions:
    eta: float = 1.0
    intercept: bool = True
    shuffle: str = "every_epoch"
    seed: int = 0
    patience: int = 0
    log: bool = False  # keep every update in order (voting)
    memory: int = 0  # bytes for rows of kernel values
    threads: int = 1


@dataclass
class KernelState:
    """c, lazy average, updates by item, counters, scores (kernels of Python only: f, then b), log of updates."""

    c: np.ndarray
    a: np.ndarray
    updates_of: np.ndarray
    counters: np.ndarray
    sums: np.ndarray
    f: np.ndarray
    log: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        if name in COUNTERS:
            return int(self.counters[COUNTERS.index(name)])
        if name in SUMS:
            return float(self.sums[SUMS.index(name)])
        raise AttributeError(name)

    def average(self) -> np.ndarray:
        """(sum over visits of c) / visits."""
        return self.c - self.a / max(self.visits, 1)

    def joined_log(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(visit, item, step) of every update so far."""
        if not self.log:
            return np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0)
        visit, item, step = (np.concatenate(column) for column in zip(*self.log, strict=True))
        return visit, item, step


class KernelPerceptronSolver:
    """start, advance, look; the epoch is the step. `among` lists the items to visit, none of them before `first`."""

    columns = ("updates", "epoch_updates")

    def __init__(
        self,
        source: GramSource,
        y: np.ndarray,
        options: KernelPerceptronOptions,
        weight: np.ndarray | None = None,
        among: np.ndarray | None = None,
        first: int = 0,
    ) -> None:
        if first > 0 and among is None:
            among = np.arange(first, source.n)
        visits, step = visits_for(weight, among)
        self.options, self.n = options, source.n
        # A mistake costs one row of kernel values; a first guess is that every tenth visit is one.
        self.work_per_unit = source.n * 10.0
        y = np.ascontiguousarray(y, dtype=np.float64)
        if source.native is not None:
            self._loop: Any = _NativeLoop(source.native, y, step, visits, options, first)
        else:
            self._loop = _PythonLoop(source, y, step, visits, options, first)

    def start(self, c: np.ndarray | None = None) -> KernelState:
        c = np.zeros(self.n) if c is None else np.array(c, dtype=np.float64)
        counters = np.zeros(len(COUNTERS), dtype=np.int64)
        counters[COUNTERS.index("best_updates")] = -1
        return KernelState(c, np.zeros(self.n), np.zeros(self.n, np.int32), counters, np.zeros(2), self._loop.scores(c))

    def advance(self, state: KernelState, budget: int, until: int) -> str | None:
        return STOPS[self._loop.advance(state, budget, until)]

    def step(self, state: KernelState) -> int:
        return state.epoch

    def look(self, state: KernelState) -> dict[str, Any]:
        return {"updates": state.updates, "epoch_updates": state.epoch_updates}

    def explain(self, state: KernelState, max_iter: int, max_time: float | None):
        """The sentence for a stop of each kind."""

        def sentence(kind: str) -> Stop:
            done = f"{state.updates} updates in {state.epoch} epochs"
            words = {
                "converged": f"converged: epoch {state.epoch} made no update ({done})",
                "stalled": (
                    f"oscillates: {done}; the fewest in one epoch were {state.best_updates} in epoch "
                    f"{state.best_epoch} and no later epoch had fewer, so this kernel seems not to separate the data: "
                    'use decide="averaged" or a kernel with more freedom'
                ),
                "epochs": f"all {max_iter} epochs done ({done}), the last with {state.epoch_updates}: raise max_iter",
                "time": f"max_time={max_time} s is over after {done}: raise max_time",
                "asked": f"stopped on request after {done}",
            }
            return Stop(kind, words[kind])

        return sentence


class _NativeLoop:
    def __init__(
        self, rows: Any, y: np.ndarray, step: np.ndarray, visits: np.ndarray, o: KernelPerceptronOptions, first: int
    ) -> None:
        shuffle = SHUFFLES.index(o.shuffle)
        self.log = o.log
        self.core = _core.kernel_perceptron(
            rows, y, step, visits, o.eta, o.intercept, shuffle, o.seed, 1, o.patience, first, o.memory, o.threads
        )

    def scores(self, c: np.ndarray) -> np.ndarray:
        return np.empty(0)  # the core derives them from c

    def advance(self, s: KernelState, budget: int, until: int) -> int:
        stop, *log = self.core.advance(s.c, s.a, s.updates_of, s.counters, s.sums, budget, until, self.log)
        if len(log[0]):
            s.log.append(tuple(log))
        return stop


class _PythonLoop:
    """One mistake at a time: the next one is found by a scan of the scores, its row of kernel values is added to them.

    Rows of values are asked for one by one, so that they, and with them all decisions, do not depend on where the work
    was cut. Only what is between two mistakes is vectorised, which suits kernels that cost a Python call a value.
    """

    def __init__(
        self,
        source: GramSource,
        y: np.ndarray,
        step: np.ndarray,
        visits: np.ndarray,
        o: KernelPerceptronOptions,
        first: int,
    ) -> None:
        self.source, self.y, self.o, self.first = source, y, o, first
        self.size = step if step.size else np.ones(source.n)
        self.visits = visits if visits.size else np.arange(source.n, dtype=np.int32)
        self.targets = None if first == 0 else np.arange(first, source.n)
        self.kept: dict[int, np.ndarray] = {}
        self.room = o.memory // max(8 * (source.n - first), 1)
        self.order_of, self.order = -1, self.visits

    def row(self, i: int) -> np.ndarray:
        if i in self.kept:
            return self.kept[i]
        values = self.source.block(np.array([i]), self.targets)[0]
        if len(self.kept) < self.room:
            self.kept[i] = values
        return values

    def scores(self, c: np.ndarray) -> np.ndarray:
        f = np.zeros(self.source.n - self.first + 1)
        for i in np.flatnonzero(c):
            f[:-1] += c[i] * self.row(int(i))
        f[-1] = c.sum() * self.o.intercept
        return f

    def _set_order(self, epoch: int) -> None:
        if self.o.shuffle == "never":
            return
        key = epoch if self.o.shuffle == "every_epoch" else 0
        if key != self.order_of:
            self.order = self.visits[_core.permutation(len(self.visits), self.o.seed, key)]
            self.order_of = key

    def _next_mistake(self, f: np.ndarray, begin: int, end: int) -> int:
        """Position of the first visit in begin .. end-1 with y u <= 0, or end."""
        size = 64
        while begin < end:
            items = self.order[begin : min(begin + size, end)]
            bad = self.y[items] * (f[items - self.first] + f[-1]) <= 0
            if bad.any():
                return begin + int(bad.argmax())
            begin, size = begin + len(items), 4 * size
        return end

    def _update(self, s: KernelState, i: int, visit: int) -> None:
        step = float(self.o.eta * self.size[i] * self.y[i])
        s.c[i] += step
        s.a[i] += visit * step
        s.updates_of[i] += 1
        s.f[:-1] += step * self.row(i)
        s.f[-1] += step * self.o.intercept
        if self.o.log:
            s.log.append((np.array([visit]), np.array([i], np.int32), np.array([step])))

    def advance(self, s: KernelState, budget: int, until: int) -> int:
        epoch, position, visits, updates, epoch_updates, best_updates, best_epoch = map(int, s.counters)
        epoch_weight, best_weight = map(float, s.sums)
        m, stop = len(self.visits), 0
        while budget > 0 and stop == 0:
            self._set_order(epoch)
            if position == 0:
                epoch_updates, epoch_weight = 0, 0.0
            at = self._next_mistake(s.f, position, min(m, position + budget))
            mistake = at < min(m, position + budget)
            done = at - position + mistake
            if mistake:
                self._update(s, int(self.order[at]), visits + done - 1)
                epoch_weight += float(self.size[self.order[at]])
                updates, epoch_updates = updates + 1, epoch_updates + 1
            budget, visits, position = budget - done, visits + done, position + done
            if position == m:
                position, epoch = 0, epoch + 1
                if best_updates < 0 or epoch_weight < best_weight:
                    best_updates, best_weight, best_epoch = epoch_updates, epoch_weight, epoch
                stalled = 0 < self.o.patience <= epoch - best_epoch and epoch - best_epoch >= best_epoch
                stop = 2 if epoch_updates == 0 else 3 if stalled else 1 if epoch >= until else 0
        s.sums[:] = epoch_weight, best_weight
        s.counters[:] = epoch, position, visits, updates, epoch_updates, best_updates, best_epoch
        return stop
