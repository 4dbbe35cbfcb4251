"""The parts of a support vector machine's fit under way: who may look on, and what a model of them would be now."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np

from ..base.callbacks import EpochTasks
from ..base.drive import Watch
from ..base.records import Stop, Trace
from ..base.threads import crew
from ..certificate.svm import Claimed, certify_parts
from ..certificate.telling import radial
from ..kernels.gram import GramSource
from ..model.box import BoxProblem
from ..model.boxes import BoxProblems
from ..model.pairs import PairRows
from ..solver.pairs import PairFits, can_share
from ..solver.sample_start import Sampled, solved_for_some
from ..solver.svm import BoxFit, BoxSolution
from .svm_solved import Solved, SolvedPairs, SolvedParts

PROBED = 256  # columns of kernel values that tell what a certificate costs
SPARE = 1.5  # for a machine that becomes busy
RARELY = 25  # times as long as that takes passes before it is asked again


class Pace:
    """Of certificates: asked now and then, since the machine may become busy meanwhile."""

    def __init__(self, source: GramSource) -> None:
        self.source = source
        self.recent: list[tuple[float, float]] = []
        self.due = -np.inf

    def seconds(self) -> float:
        """For one kernel value of a certificate, with a little to spare: the longer of the last two times."""
        self._ask()
        return SPARE * max(exact for exact, _ in self.recent)

    def of_rest(self) -> float:
        """The same for a value with an item without coefficients, of which most need no float64."""
        self._ask()
        return SPARE * max(rest for _, rest in self.recent)

    def took(self, seconds: float, planned: float) -> None:
        """A certificate that was planned with this pace: a better guess than a few columns."""
        share = SPARE * seconds / max(planned, 1e-9)
        self.recent = [tuple(share * max(each) for each in zip(*self.recent, strict=True))]
        self.due = time.monotonic() + RARELY * seconds

    def _ask(self) -> None:
        if time.monotonic() >= self.due:
            self.recent = [*self.recent[-1:], self._a_value()]

    def _a_value(self) -> tuple[float, float]:
        """From a few columns of them."""
        source, n = self.source, self.source.n
        c = np.zeros(n)
        c[:: max(1, n // PROBED)] = 1.0
        began, used = time.monotonic(), np.count_nonzero(c)
        source.expand(c)
        rest = exact = (time.monotonic() - began) / (used * (n - used / 2))
        if radial(source):
            first = time.monotonic()
            source.kernel.bounded_sums(source.items, source.items.take(np.flatnonzero(c)), c[c != 0], source.threads)
            rest = (time.monotonic() - first) / (used * n)
        self.due = time.monotonic() + RARELY * (time.monotonic() - began)
        return float(exact), float(rest)


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
        self.pairs: PairFits | None = None  # if they are solved together
        self.proved: SolvedPairs | None = None  # these with their certificates
        self.pace = Pace(source)

    def solve(self, watch: Watch) -> SolvedParts:
        self.watch, threads = watch, self.source.threads
        watched = self.tasks.active or self.watch.observe is not None
        if not watched and isinstance(self.places, PairRows) and can_share(self.source):
            problems = BoxProblems.of(self.problems)
            if not problems.hard:
                return self._pairs(self.places, problems, threads)
        return SolvedParts(crew(1 if watched else threads, self._one, range(len(self.problems))))

    def _pairs(self, places: PairRows, problems: BoxProblems, threads: int) -> SolvedParts:
        """All pairs of classes on kernel values that they share."""
        options = self.estimator._box_options(len(problems), threads)
        fits = self.pairs = PairFits(self.source, places, problems, options, self.starts)
        fits.run(self._watch(None))
        solved = self.proved = self.estimator._pairs_proved(self.source, fits, self.psd)

        def refined(k: int, cancelled: Event) -> Solved:
            one = solved[k]
            fit = self.fits[k] = fits.alone(k)
            self.done[k] = self.estimator._refined(self, k, fit, one.solution, self._watch(cancelled), one)
            return self.done[k]

        rest = self.estimator._not_at_their_end(solved)
        if not rest:
            return solved
        for k, one in zip(rest, crew(threads, refined, rest), strict=True):
            solved[k] = one
        return solved

    def _one(self, k: int, cancelled: Event) -> Solved:
        place, problem = self.places[k], self.problems[k]
        here = self.source if place is None else self.source.take(place)
        fit = self.estimator._part(here, problem, self.estimator._box_options(len(self.problems), self.source.threads))
        self.fits[k] = fit
        watch = self._watch(cancelled)
        some, proved = self._sampled(here, problem, fit.options, watch) if self.starts[k] is None else None, None
        while some is not None and not some.whole and (proved is None or some.size > proved.solution.sampled):
            proved = self.done[k] = self.estimator._refined(self, k, fit, some.solution(), watch)
            self.pace.took(proved.certificate.seconds, self._seconds(problem.n, some.used_of(some.size)))
            some = self._sampled(here, problem, fit.options, watch, some)  # the time may do for more
        if some is None or some.whole:
            self.done.pop(k, None)
            self.starts[k] = some.b if some is not None else self.starts[k]
            solved = self.estimator._solve(self, k, fit, watch)
            if proved is not None and solved.certificate.relative_gap > proved.certificate.relative_gap:
                solved = proved  # cut short: the sample says more
            self.done[k] = solved
        return self.done[k]

    def _sampled(
        self, source: GramSource, problem: BoxProblem, options: Any, watch: Watch, before: Sampled | None = None
    ) -> Sampled | None:
        if watch.deadline is None or len(self.problems) > 1 or watch.observe or watch.after_step:
            return None
        left = lambda used: self._seconds(problem.n, used)  # noqa: E731

        def keep(found: Sampled) -> None:
            self.sample = found

        return solved_for_some(source, problem, options, self.pace.seconds(), left, watch, keep, before)

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
        if self.pairs is not None and self.proved is None:
            n, first = self.pairs.problems.sizes, self.pairs.problems.first
            used = np.add.reduceat((self.pairs.b != 0) * 1, first)
            seconds = self.pace.seconds() * float(used @ (n - used / 2))
        for k, fit in enumerate(self.fits):
            if fit is not None and fit.state is not None and k not in self.done:
                seconds += self._seconds(self.problems[k].n, int(np.count_nonzero(fit.state.b)))
        return seconds

    def _seconds(self, n: int, used: int) -> float:
        """Pairs among those used are computed once."""
        used = min(used, n)
        return self.pace.seconds() * used * used / 2 + self.pace.of_rest() * used * (n - used)

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
        if self.sample is not None or self.pairs is not None:
            return True
        return any(fit is not None and fit.state is not None for fit in self.fits)

    def as_it_is(self) -> SolvedParts:
        return SolvedParts([self.done.get(k) or self._unfinished(k) for k in range(len(self.problems))])

    def model(self) -> Any:
        return self.estimator._model(self.estimator._learnt(self, self.as_it_is()))

    def _unfinished(self, k: int) -> Solved:
        """The offsets are those of the last look, since scores may lag behind the variables where work was cut off."""
        problem, fit = self.problems[k], self.fits[k]
        if fit is None and self.proved is not None:  # nothing has touched it since
            return self.proved[k]
        fit = self.pairs.alone(k) if fit is None and self.pairs is not None else fit
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
