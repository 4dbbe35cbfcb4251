"""From a box problem to its solution in float64: rounds in float32, then the last digits, then the offsets.

Problem  model/box.py
Symbols  o_g the offset of group g: the bias of C-SVC and regression; nu-forms have two, whose half sum is the bias and
         whose half difference is rho
Stops    see solver/box and solver/active_set; `refine` makes f exact and goes on, where float32 was not enough. Where
         pairs get no further, solver/interior ends it, if kernel values are products of few numbers
Method   o_g is minus the mean of F over the free variables, and where there are none the middle of the interval of
         optimal offsets                                                                 [ChangLin11, sec. 4.1.5]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from .. import _core
from ..base.drive import Cancelled, Watch, drive
from ..base.records import Stop, Trace
from ..kernels.gram import GramSource
from ..model.box import BoxProblem
from .active_set import WHOLE, polish
from .box import BoxOptions, BoxSolver, BoxState
from .interior import is_thin, solved_inside

ENDLESS = 1 << 40
STEPS = 100_000  # that a refinement may take at least
THIN = 10, 10_000  # steps a variable and at least, before products of few numbers are left to the interior point method
SPARE = 0.9  # of the tolerances is used, so that the certificate, which is exact, seldom sends a fit back
SINGLE = 1e-6  # tolerances that kernel values of float32 can be trusted with
# What the last digits may cost: a share of the kernel values computed, each worth so many operations of linear algebra.
SHARE = 0.1
OPERATIONS = 60  # of which a factorisation of n x n takes n^3 / 3, so this is three times what a value costs
SOLVES = 4
DOUBLE = 2.5  # values in float64
ERROR = 1e-7  # of a kernel value in float32
NOISE = 0.3  # of the tolerance may be due to it
NOTHING = 2.0**-50  # of the largest that a score could be


@dataclass
class BoxSolution:
    b: np.ndarray
    offsets: np.ndarray
    stop: Stop
    steps: int
    trace: Trace
    square: float  # |w|^2
    f: np.ndarray | None = None  # K b, by item
    sampled: int = 0  # items that it was learnt from, if not all

    @property
    def intercept(self) -> float:
        return float(self.offsets[0] + self.offsets[-1]) / 2

    @property
    def rho(self) -> float:
        """The margin of nu-SVC, minus the half-width of nu-SVR's tube."""
        return float(self.offsets[-1] - self.offsets[0]) / 2


class BoxFit:
    """One problem from its start to its solution, and further if that was not good enough.

    `rows` are the kernel values in float32, if not those of `source`; `last_digits` says whether linear equations end
    it; `among` are the items of `source` that the problem speaks of, if not all.
    """

    def __init__(
        self,
        source: GramSource,
        problem: BoxProblem,
        options: BoxOptions,
        rows: _core.RowSource | None = None,
        last_digits: bool = True,
        among: np.ndarray | None = None,
    ) -> None:
        self.problem, self.last_digits, self.rows = problem, last_digits, rows
        self.asked = options
        self._all, self._among = source, among
        self.options = spared(options, is_thin(source, problem, options.memory) and problem.n_variables)
        self.solver = BoxSolver(source if rows is not None else self.source, problem, self.options, rows)
        self.state: BoxState | None = None
        self.refined = 0
        self._exact = -1  # steps when the scores were exact
        self.ended = False  # by the interior point method: nothing gets further
        self.trace = Trace(self.solver.columns)

    @cached_property
    def source(self) -> GramSource:
        return self._all if self._among is None else self._all.take(self._among)

    def start(self, b: np.ndarray | None = None) -> BoxState:
        if self.state is None:
            self.state = self.solver.start(b)
        return self.state

    def run(self, watch: Watch | None = None, start: np.ndarray | None = None, snapshot: Any = None) -> BoxSolution:
        self.trace = Trace(self.solver.columns)
        while True:
            stop, trace = drive(
                self.solver,
                self.start(start),
                last=ENDLESS,
                explain=self.solver.explain(self.start(), watch.max_time if watch else None),
                watch=watch,
                snapshot=(lambda: snapshot(self.solution())) if snapshot else lambda: None,
            )
            self.trace.extend(trace)
            if stop.kind != "converged" or not self._adrift():
                return self.finished(stop, watch)

    def _adrift(self) -> bool:
        """Whether errors of float32 may matter; scores of the items still in question are exact from then on.

        f is off by about the root of the sum of (error k b)^2, and each free variable adds as much times its box to the
        gap.
        """
        s, p = self.state, self.problem
        assert s is not None
        if p.hard or p.n <= WHOLE or self._exact == s.steps:
            return False
        c, diag = p.items(s.b), np.abs(self.source.diag)
        free = (s.b > p.lower) & (s.b < p.upper)
        drift = ERROR * np.sqrt(float(c**2 @ diag) * float(diag.mean()))
        noise = drift * float((p.upper - p.lower)[free].sum()) / max(*np.abs(s.figures[2:4]), 1e-300)
        if noise <= NOISE * self.options.gap_tol and drift <= NOISE * self.options.tol:
            return False
        known = np.flatnonzero(np.isfinite(s.f))
        s.f[known] = self.source.expand_at(known, c)
        self._exact = s.steps
        return True

    def refine(self, watch: Watch | None = None, f: np.ndarray | None = None) -> BoxSolution:
        """f anew in float64, and on from there: what float32 cannot say of the whole it can of what is left."""
        assert self.state is not None
        # Where values of float32 did not lead further twice, those of float64 may.
        if self.refined > 1 and (found := self._from_inside(Stop("stalled", ""), watch)) is not None:
            return found
        self.state.f[:] = self.source.expand(self.problem.items(self.state.b)) if f is None else f
        self.state.counters[3], self.state.counters[4], self.state.figures[-2:] = 0, self.state.steps, 0.0
        self.refined += 1
        o, most = self.options, self.asked.max_steps
        # Where as many steps again do not help, more will not: the values are not good enough.
        enough = self.state.steps + max(self.state.steps // self.refined, STEPS)
        self.options = replace(
            o,
            tol=_closer(o.tol, self.asked.tol),
            gap_tol=_closer(o.gap_tol, self.asked.gap_tol),
            max_steps=enough if most < 0 else min(most, enough),
        )
        self.solver = BoxSolver(self.source, self.problem, self.options, self.rows)
        return self.run(watch)

    def solution(self, stop: Stop | None = None) -> BoxSolution:
        """The state as it is."""
        assert self.state is not None
        if stop is None or stop.kind != "converged":  # the last round of one that converged has looked at all
            self.solver.core.judge(*self.state.arrays())
        offsets = self.state.figures[4 : 4 + len(self.problem.total)].copy()
        stop = stop or Stop("asked", "under way")
        return self._solution(self.state.b, self.state.f, offsets, stop)

    def finished(self, stop: Stop, watch: Watch | None = None) -> BoxSolution:
        """The rounds have ended: the last digits, or another method where they got no further."""
        assert self.state is not None
        if stop.kind == "epochs" and self.state.steps != self.asked.max_steps:
            stop = Stop("stalled", stop.sentence)
        if stop.kind == "stalled" and (found := self._from_inside(stop, watch)) is not None:
            return found
        if not self._wants_polish(stop):
            return self.solution(stop)
        better = polish(self.source, self.problem, self.state.b)
        self.state.b[:] = better.b
        f = self.state.f if better.f is None else better.f
        offsets = self._offsets(better.b, f, better.offsets)
        return self._solution(better.b, f, offsets, stop)

    def _from_inside(self, stop: Stop, watch: Watch | None) -> BoxSolution | None:
        """The optimum by the interior point method, if that applies and gets further than the pairs did."""
        assert self.state is not None
        found = solved_inside(self.source, self.problem, _over(watch), self.asked.memory)
        if found is None:
            return None
        f, old = (self.source.expand(self.problem.items(b)) for b in (found.b, self.state.b))
        before = self._offsets(self.state.b, old, np.full(len(self.problem.total), np.nan))
        if not self._gap(found.b, f, found.offsets) <= self._gap(self.state.b, old, before):
            return None
        self.ended = True
        self.state.b[:], self.state.f[:] = found.b, f
        return self._solution(found.b, f, found.offsets, stop)

    def _gap(self, b: np.ndarray, f: np.ndarray, offsets: np.ndarray) -> float:
        """The duality gap of a point with its scores."""
        p = self.problem
        r = p.t - np.tile(f, p.n_variables // p.n) - offsets[p.groups]
        return float((np.where(r > 0, p.upper, p.lower) - b) @ r)

    def _wants_polish(self, stop: Stop) -> bool:
        return stop.kind in ("converged", "stalled") and self.last_digits and self._cheap_to_polish()

    def _cheap_to_polish(self) -> bool:
        """Whether linear equations for the free variables cost little beside what was done, or nothing else helps."""
        assert self.state is not None
        b, p = self.state.b, self.problem
        if p.n <= WHOLE or self.refined > 1 or self.options.gap_tol > self.asked.gap_tol:
            return True
        free, used = np.count_nonzero((b > p.lower) & (b < p.upper)), np.count_nonzero(b)
        rounds, _, rows = (int(v) for v in self.state.counters[:3])
        values = rows * p.n + rounds * self.solver.working**2
        return bool(SOLVES * free**3 / OPERATIONS + DOUBLE * free * (free / 2 + used) <= SHARE * values)

    def _solution(self, b: np.ndarray, f: np.ndarray, offsets: np.ndarray, stop: Stop) -> BoxSolution:
        assert self.state is not None
        c = self.problem.items(b)
        if len(offsets) == 2 and abs(offsets[1] - offsets[0]) <= NOTHING * float(np.abs(c) @ np.abs(self._all_diag)):
            offsets = np.full(2, (offsets[0] + offsets[1]) / 2)  # a rho of nothing but rounding
        elif len(offsets) == 2 and abs(offsets[0] + offsets[1]) <= NOTHING * abs(offsets[1]):
            offsets = (offsets[1] - offsets[0]) / 2 * np.array([-1.0, 1.0])  # a bias of nothing but rounding
        return BoxSolution(b.copy(), offsets, stop, self.state.steps, self.trace, float(c @ f), f.copy())

    @cached_property
    def _all_diag(self) -> np.ndarray:
        return self._all.diag if self._among is None else self._all.diag[self._among]

    def _offsets(self, b: np.ndarray, f: np.ndarray, known: np.ndarray) -> np.ndarray:
        p, offsets = self.problem, known.copy()
        F = np.tile(f, p.n_variables // p.n) - p.t
        for g in np.flatnonzero(np.isnan(known)):
            here = p.groups == g
            free = here & (b > p.lower) & (b < p.upper)
            if free.any():
                offsets[g] = -float(F[free].mean())
                continue
            here &= np.isfinite(F)  # items that were left out bind nothing
            ends = [F[here & (b > p.lower)].max(initial=-np.inf), F[here & (b < p.upper)].min(initial=np.inf)]
            inner = [e for e in ends if np.isfinite(e)]
            offsets[g] = -float(np.mean(inner)) if inner else 0.0
        return offsets


@lru_cache(maxsize=64)
def spared(asked: BoxOptions, thin: int) -> BoxOptions:
    """A little more than what was asked; `thin`: variables of a problem that pairs are not to work on for long."""
    tol, gap_tol = (max(SPARE * wish, SINGLE) for wish in (asked.tol, asked.gap_tol))
    enough = THIN[0] * thin + THIN[1]
    most = asked.max_steps if not thin else enough if asked.max_steps < 0 else min(asked.max_steps, enough)
    return replace(asked, tol=tol, gap_tol=gap_tol, max_steps=most)


def _closer(now: float, asked: float) -> float:
    """The next tolerance: as much closer as float32 values allow, at the end a little beyond what was asked."""
    return max(now * 1e-3, asked) if now > asked else now / 2


def _over(watch: Watch | None) -> Any:
    """Whether somebody wants an end; another thread's interrupt is one at once."""

    def over() -> bool:
        if watch is not None and watch.cancelled is not None and watch.cancelled.is_set():
            raise Cancelled
        return watch is not None and watch.out_of_time()

    return over
