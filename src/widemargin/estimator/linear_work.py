"""The parts of a linear machine's fit under way: who may look on, and what a model of them would be now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from ..base.blas import one_blas_thread
from ..base.callbacks import EpochTasks
from ..base.drive import Watch
from ..base.records import Stop, Trace
from ..base.threads import crew
from ..certificate.record import SVMCertificate
from ..model.linear_problem import LinearProblem
from ..solver.linear import LinearSolution
from .linear_stop import reached

REFINEMENTS = 4


@dataclass
class Solved:
    """A part: its solution, and what was proved."""

    problem: Any
    solution: LinearSolution
    certificate: SVMCertificate = SVMCertificate(claim="not recomputed yet", holds=None)  # noqa: RUF009


class LinearWork:
    """Solves the parts on several threads; one after the other where somebody looks on."""

    def __init__(self, estimator: Any, data: Any, problems: Sequence[Any], starts: Sequence[Any]) -> None:
        self.estimator, self.data, self.problems, self.starts = estimator, data, problems, starts
        self.fits: list[Any] = [None] * len(problems)
        self.done: dict[int, Solved] = {}
        self.tasks = EpochTasks(estimator, data, None)
        self.stopped = False

    def solve(self, watch: Watch, later: bool = False) -> list[Solved]:
        """`later`: what the solver takes for solved has no certificate yet, where many may be made at once. Callbacks
        hear of one fit that ends before the next one begins."""
        self.watch = watch
        shared = all(isinstance(p, LinearProblem) and p.X is self.data.X for p in self.problems)
        self.later = later and shared and not self.tasks.active
        watched = self.tasks.active or watch.observe is not None
        threads = 1 if watched else self.estimator._threads()
        with one_blas_thread():
            return crew(threads, self._one, range(len(self.problems)))

    def _one(self, k: int, cancelled: Event) -> Solved:
        fit = self.estimator._fit_of(self.problems[k])
        fit.start(*self.starts[k])
        self.fits[k] = fit
        watch, look = self._watch(cancelled), lambda _: self.model()
        found = fit.run(watch, look)
        if self.later and found.stop.kind == "converged":
            self.done[k] = Solved(self.problems[k], found)
            return self.done[k]
        solved = self._proved(k, found)
        for _ in range(REFINEMENTS):
            kind = solved.solution.stop.kind
            if kind not in ("converged", "stalled") or reached(self.estimator, solved.certificate):
                break
            found = fit.refine(watch) if kind == "converged" else fit.other(watch, look)
            if found is None:
                break
            solved = self._better(solved, self._proved(k, found))
        kind = solved.solution.stop.kind
        if kind != "asked" and reached(self.estimator, solved.certificate):  # whatever ended it, it is the end
            solved.solution.stop = Stop("converged", "")
        elif kind == "converged":
            solved.solution.stop = Stop("stalled", "")
        self.done[k] = solved
        return solved

    def _better(self, old: Solved, new: Solved) -> Solved:
        """The one to keep: the new, unless its objective is worse and its gap no proof."""
        if reached(self.estimator, new.certificate) or new.solution.stop.kind not in ("stalled", "converged"):
            return new
        before, after = old.certificate.primal, new.certificate.primal
        return new if before is None or (after is not None and after <= before) else old

    def _proved(self, k: int, found: LinearSolution) -> Solved:
        p = self.problems[k]
        return Solved(p, found, self.estimator._certificate(self.data, p, found.w, found.b))

    def _watch(self, cancelled: Event) -> Watch:
        """One stop is a stop of all parts, as is the end of the time."""
        w = Watch(
            observe=self._observe if self.watch.observe else None,
            after_step=self._after_step if self.tasks.active else None,
            cancelled=cancelled,
        )
        w.deadline, w.max_time = self.watch.deadline, self.watch.max_time
        return w

    def _observe(self, step: int, columns: dict[str, Any], snapshot: Any) -> bool:
        assert self.watch.observe is not None
        self.stopped = self.stopped or bool(self.watch.observe(step, columns, snapshot))
        return self.stopped

    def _after_step(self, _step: int, _columns: dict[str, Any]) -> bool:
        self.stopped = self.stopped or self.tasks.epoch_done(lambda: self.estimator._learnt(self, self.as_it_is()))
        return self.stopped

    # ---- what a model would be now -----------------------------------------------------------------------------

    @property
    def begun(self) -> bool:
        return any(fit is not None for fit in self.fits)

    def as_it_is(self) -> list[Solved]:
        return [self.done.get(k) or self._unfinished(k) for k in range(len(self.problems))]

    def model(self) -> Any:
        return self.estimator._linear(self.estimator._learnt(self, self.as_it_is()))

    def _unfinished(self, k: int) -> Solved:
        stop, fit, p = Stop("asked", "under way"), self.fits[k], self.problems[k]
        if fit is not None:
            return Solved(p, fit.solution(stop))
        return Solved(p, LinearSolution(np.zeros(p.shape), np.zeros(p.n_variables), stop, 0, "", Trace()))
