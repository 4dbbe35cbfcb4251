"""The parts of a support vector machine's fit under way: who may look on, and what a model of them would be now."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Event
from typing import Any

import numpy as np

from ..base.callbacks import EpochTasks
from ..base.drive import Watch
from ..base.records import Stop, Trace
from ..base.threads import crew
from ..certificate.record import SVMCertificate
from ..certificate.svm import Claimed, certify_parts
from ..kernels.gram import GramSource
from ..model.box import BoxProblem
from ..model.dual import DualPoint
from ..model.pairs import pairs
from ..solver.pairs import PairFits, batches, can_share, last_digits
from ..solver.sample_start import Sampled, solved_for_some
from ..solver.svm import BoxFit, BoxSolution, run_all

PROBED = 64  # columns of kernel values that tell what a certificate costs
SPARE = 1.5  # for a machine that becomes busy
RARELY = 25  # times as long as that takes passes before it is asked again


@dataclass
class Solved:
    """A part: its solution, what the model is divided by, and what was proved."""

    problem: BoxProblem
    solution: BoxSolution
    scale: float
    certificate: SVMCertificate = SVMCertificate(claim="not recomputed yet", holds=None)  # noqa: RUF009
    resolution: float = 0.0  # of the objective, where its optimum may be 0

    @cached_property
    def point(self) -> DualPoint:
        return DualPoint(self.solution.b, self.solution.rho if len(self.problem.total) == 2 else 0.0)

    @cached_property
    def coef(self) -> np.ndarray:
        """Of each item of the part."""
        return self.problem.items(self.solution.b) / self.scale

    @property
    def intercept(self) -> float:
        return self.solution.intercept / self.scale

    @property
    def free(self) -> np.ndarray:
        """Which items have a variable inside of its box."""
        b, p = self.solution.b, self.problem
        inside: np.ndarray = (b > p.lower) & (b < p.upper)
        return np.logical_or.reduce(inside.reshape(-1, p.n))


class Pace:
    """Of certificates: asked now and then, since the machine may become busy meanwhile."""

    def __init__(self, source: GramSource) -> None:
        self.source = source
        self.recent: list[float] = []
        self.due = -np.inf

    def seconds(self) -> float:
        """For one kernel value of a certificate, with a little to spare: the longer of the last two times."""
        if time.monotonic() >= self.due:
            self.recent = [*self.recent[-1:], self._a_value()]
        return SPARE * max(self.recent)

    def _a_value(self) -> float:
        """From a few columns of them."""
        n = self.source.n
        c = np.zeros(n)
        c[:: max(1, n // PROBED)] = 1.0
        began = time.monotonic()
        self.source.expand(c)
        took, used = time.monotonic() - began, np.count_nonzero(c)
        self.due = began + (1 + RARELY) * took
        return float(took / (used * (n - used / 2)))


class Work:
    """Solves the parts on several threads; one after the other where somebody looks on."""

    def __init__(
        self,
        estimator: Any,
        data: Any,
        source: GramSource,
        places: Sequence[np.ndarray | None],
        problems: Sequence[BoxProblem],
        starts: Sequence[np.ndarray | None],
        beside: dict[str, Any],
    ) -> None:
        self.estimator, self.data, self.source = estimator, data, source
        self.psd = False  # not known yet
        self.places, self.problems, self.starts, self.beside = places, problems, list(starts), beside
        self.fits: list[BoxFit | None] = [None] * len(problems)
        self.sample: Sampled | None = None  # of the only part, where time is short
        self.done: dict[int, Solved] = {}
        self.tasks = EpochTasks(estimator, data, None)
        self.stopped = False
        self.pace = Pace(source)

    def solve(self, watch: Watch) -> list[Solved]:
        self.watch, threads = watch, self.source.threads
        watched = self.tasks.active or self.watch.observe is not None
        soft = not any(problem.hard for problem in self.problems)
        paired = all(place is not None for place in self.places)
        if paired and soft and not watched and can_share(self.source):
            return self._pairs(threads)
        return crew(1 if watched else threads, self._one, range(len(self.problems)))

    def _pairs(self, threads: int) -> list[Solved]:
        """All pairs of classes on kernel values that they share."""
        options, codes = self.estimator._box_options(len(self.problems), threads), self.data.y
        k = int(codes.max()) + 1
        shared, of_pair = PairFits(self.source, codes, k, options), list(pairs(k))

        def refined(one: tuple[int, BoxSolution, Solved], cancelled: Event) -> Solved:
            q, found, solved = one
            return self.estimator._refined(self, q, self.fits[q], found, self._watch(cancelled), solved)

        for batch in batches([p.n for p in self.problems]):
            first = batch.start
            fits = [
                shared.fit(*of_pair[q], self.problems[q], last_digits(len(of_pair), self.problems[q]), self.places[q])
                for q in batch
            ]
            self.fits[first : batch.stop] = fits
            for q, fit in zip(batch, fits, strict=True):
                fit.start(self.starts[q])
            found = run_all(fits, self._watch(None), threads)
            problems, places = (v[first : batch.stop] for v in (self.problems, self.places))
            proved = self.estimator._all_proved(self.source, problems, found, places, self.psd)
            self.done.update(zip(batch, proved, strict=True))
            rest = [one for one in zip(batch, found, proved, strict=True) if not self.estimator._at_its_end(one[2])]
            for (q, *_), solved in zip(rest, crew(threads, refined, rest), strict=True):
                self.done[q] = solved
        return [self.done[q] for q in range(len(of_pair))]

    def _one(self, k: int, cancelled: Event) -> Solved:
        place, problem = self.places[k], self.problems[k]
        here = self.source if place is None else self.source.take(place)
        fit = self.estimator._part(here, problem, self.estimator._box_options(len(self.problems), self.source.threads))
        self.fits[k] = fit
        watch = self._watch(cancelled)
        some = self._sampled(here, problem, fit.options, watch) if self.starts[k] is None else None
        if some is not None and not some.whole:
            solved = self.estimator._refined(self, k, fit, some.solution(), watch)
        else:
            self.starts[k] = some.b if some is not None else self.starts[k]
            solved = self.estimator._solve(self, k, fit, watch)
        self.done[k] = solved
        return solved

    def _sampled(self, source: GramSource, problem: BoxProblem, options: Any, watch: Watch) -> Sampled | None:
        if watch.deadline is None or len(self.problems) > 1 or watch.observe or watch.after_step:
            return None
        left = lambda used: self._seconds(problem.n, used)  # noqa: E731

        def keep(found: Sampled) -> None:
            self.sample = found

        return solved_for_some(source, problem, options, self.pace.seconds(), left, watch, keep)

    def _watch(self, cancelled: Event | None) -> Watch:
        """One stop is a stop of all parts, as is the end of the time."""
        w = Watch(
            observe=self._observe if self.watch.observe else None,
            after_step=self._after_step if self.tasks.active else None,
            cancelled=cancelled,
        )
        w.deadline, w.max_time, w.needed = self.watch.deadline, self.watch.max_time, self._needed
        return w

    def _needed(self) -> float:
        """Seconds that the certificates of all that is under way will take: they are part of max_time."""
        seconds = 0.0
        for k, fit in enumerate(self.fits):
            if fit is not None and fit.state is not None and k not in self.done:
                seconds += self._seconds(self.problems[k].n, int(np.count_nonzero(fit.state.b)))
        return seconds

    def _seconds(self, n: int, used: int) -> float:
        """Pairs among those used are computed once."""
        return self.pace.seconds() * min(used, n) * (n - min(used, n) / 2)

    def _observe(self, step: int, columns: dict[str, Any], snapshot: Any) -> bool:
        assert self.watch.observe is not None
        self.stopped = self.stopped or bool(self.watch.observe(step, columns, snapshot))
        return self.stopped

    def _after_step(self, _step: int, _columns: dict[str, Any]) -> bool:
        now = lambda: self.estimator._learnt(self, self.as_it_is())  # noqa: E731
        self.stopped = self.stopped or self.tasks.epoch_done(now)
        return self.stopped

    def of_given(self, values: np.ndarray, place: np.ndarray | None, missing: float) -> np.ndarray:
        """Values of the items of a part as values of all rows that were given."""
        out = np.full(self.beside["shape_fit_"][0], missing)
        out[self.data.numbers(np.arange(self.data.n) if place is None else place)] = values
        return out

    # ---- what a model would be now -----------------------------------------------------------------------------

    @property
    def begun(self) -> bool:
        return self.sample is not None or any(fit is not None and fit.state is not None for fit in self.fits)

    def as_it_is(self) -> list[Solved]:
        return [self.done.get(k) or self._unfinished(k) for k in range(len(self.problems))]

    def model(self) -> Any:
        return self.estimator._model(self.estimator._learnt(self, self.as_it_is()))

    def _unfinished(self, k: int) -> Solved:
        """The offsets are those of the last look, since scores may lag behind the variables where work was cut off."""
        problem, fit = self.problems[k], self.fits[k]
        stop = Stop("asked", "under way")
        if fit is None or fit.state is None:
            return self._not_begun(k) if self.sample is None else Solved(problem, self.sample.solution(), 1.0)
        state, groups = fit.state, len(fit.problem.total)
        found = fit._solution(state.b, state.f, state.figures[4 : 4 + groups].copy(), stop)
        scale = self.estimator._divisor_under_way(problem, found)
        found = self.estimator._solution(problem, replace(found, square=np.nan, f=None))
        return Solved(problem, found, scale)

    def _not_begun(self, k: int) -> Solved:
        """The point that a solver starts from. Where that is 0 its gap is known without a kernel value."""
        problem, b, place = self.problems[k], self.problems[k].start(), self.places[k]
        nothing = BoxSolution(b, np.zeros(max(len(problem.total), 1)), Stop("asked", "not begun"), 0, Trace(), 0.0)
        solved = Solved(problem, nothing, 1.0)
        if not b.any():
            zero = np.zeros(problem.n)
            claimed = Claimed(problem, b, 0.0, scores=(zero, zero), items=place)
            solved.certificate = certify_parts(self.source, [claimed], asked=self.estimator.gap_tol, psd=self.psd)[0]
        return solved
