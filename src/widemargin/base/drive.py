"""Runs a solver in short stretches and lets others look in between.

A solver has `advance(state, budget, until)`: it works until `budget` units are spent or step `until` is reached and
returns a Stop kind or None. Cutting the work in other places changes no bit of the result, so time limits, Ctrl-C,
callbacks, progress and traces all live here and nowhere else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any, Protocol

from .records import Stop, Trace

STRETCH = 0.03  # seconds of native work between two looks: far below what Ctrl-C may take


class Solver(Protocol):
    columns: tuple[str, ...]
    work_per_unit: float  # numbers touched by one unit of budget, for the first guess of a stretch

    def advance(self, state: Any, budget: int, until: int) -> str | None: ...
    def step(self, state: Any) -> int: ...
    def look(self, state: Any) -> dict[str, Any]: ...


Observe = Callable[[int, dict[str, Any], Callable[[], Any]], bool | None]


def geometric_steps(first: int = 1, ratio: float = 1.2) -> Iterator[int]:
    """1, 2, 3, 4, 5, 6, 8, 10, 12, 15 …: dense at first, then ever sparser."""
    step = first
    while True:
        yield step
        step = max(step + 1, int(step * ratio))


class Watch:
    """What may look at a running solver and stop it: a clock, an observer, callbacks after every step."""

    def __init__(
        self,
        *,
        max_time: float | None = None,
        observe: Observe | None = None,
        after_step: Callable[[int, dict[str, Any]], bool | None] | None = None,
        cancelled: Event | None = None,
    ) -> None:
        self.deadline = None if max_time is None else time.monotonic() + max_time
        self.max_time = max_time
        self.needed: Callable[[], float] = lambda: 0.0  # seconds for what must still be done after the solver
        self.observe = observe
        self.after_step = after_step
        self.cancelled = cancelled
        self._seen = -1.0

    def out_of_time(self) -> bool:
        return self.deadline is not None and time.monotonic() + self.needed() >= self.deadline

    def asks_to_stop(self, step: int, columns: dict[str, Any], snapshot: Callable[[], Any]) -> bool:
        """At most 30 looks a second reach the observer."""
        now = time.monotonic()
        if self.observe is None or now - self._seen < 1 / 30:
            return False
        self._seen = now
        return bool(self.observe(step, columns, snapshot))


class Cancelled(Exception):
    """Another thread was interrupted; this one's work is not wanted any more."""


def drive(
    solver: Solver,
    state: Any,
    *,
    last: int,
    explain: Callable[[str], Stop],
    watch: Watch | None = None,
    snapshot: Callable[[], Any] = lambda: None,
) -> tuple[Stop, Trace]:
    """Advances `state` until the solver stops by itself, `last` steps are done, or somebody says stop."""
    watch = watch or Watch()
    trace = Trace(solver.columns)
    looks = geometric_steps(solver.step(state) + 1)
    look = min(next(looks), last)
    budget = max(1, int(2e6 / max(solver.work_per_unit, 1.0)))
    while True:
        if watch.cancelled is not None and watch.cancelled.is_set():
            raise Cancelled
        before, began = solver.step(state), time.perf_counter()
        until = min(before + 1, last) if watch.after_step else look
        kind = solver.advance(state, budget, until)
        step = solver.step(state)
        budget = _next_budget(budget, time.perf_counter() - began, spent=kind is None and step < until)
        columns = None
        if step >= look or kind is not None:
            columns = solver.look(state)
            trace.append(step, columns)
            while look <= step and look < last:
                look = min(next(looks), last)
        if kind is not None:
            return explain(kind), trace
        if watch.after_step is not None and step > before and watch.after_step(step, columns or solver.look(state)):
            return explain("asked"), trace
        if columns is not None and watch.asks_to_stop(step, columns, snapshot):
            return explain("asked"), trace
        if step >= last:
            return explain("epochs"), trace
        if watch.out_of_time():
            if columns is None:
                trace.append(step, solver.look(state))
            return explain("time"), trace


def _next_budget(budget: int, seconds: float, *, spent: bool) -> int:
    """Shorter stretches where one took too long, longer ones only where a whole budget was spent in no time."""
    if seconds > STRETCH:
        return max(1, int(budget * max(STRETCH / seconds, 0.1)))
    return min(budget * 2, 1 << 40) if spent and seconds < STRETCH / 2 else budget
