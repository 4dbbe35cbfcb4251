"""All pairs of classes on shared kernel values: those among the rows of one class are computed once for all its pairs.

Problem  the box problems of pairs (i, j) of classes, one behind the other: see core/solver/box_pairs.hpp
Stops    each pair as if it were alone; what rounds and joint equations do not end goes on by itself (`alone`)
Method   rounds, last digits and offsets for all pairs at once, without a loop over them
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from .. import _core
from ..base.drive import STRETCH, Cancelled, Watch
from ..base.records import Stop, Trace
from ..data.rows import native_rows
from ..kernels.gram import GramSource
from ..kernels.items import RowItems
from ..kernels.rows import Linear, RowKernel
from ..model.boxes import BoxProblems
from ..model.pairs import PairRows
from .active_set import WHOLE, polish_joined
from .box import COUNTERS, FIGURES, KINDS, BoxOptions, BoxSolver, BoxState, row_memory, working_set
from .interior import is_thin
from .svm import NOTHING, BoxFit, BoxSolution, spared

FEW = 3  # so many pairs, or so few items, are worth the last digits
SMALL = 256
CALLS = 30_000  # kernel values that take as long as what is done in Python for the last digits of one part


class PairFits:
    """Variables `b`, scores `f`, `offsets` of the groups, `steps`, and how each pair ended (`kinds`)."""

    def __init__(
        self,
        source: GramSource,
        rows: PairRows,
        problems: BoxProblems,
        options: BoxOptions,
        starts: Sequence[np.ndarray | None],
    ) -> None:
        # Pairs are small: their rows are soon known, and packing what is left of them anew would cost more.
        self.source, self.rows, self.problems, self.asked = source, rows, problems, _without_shrinking(options)
        items = source.near_origin
        spec: tuple[int, float, float, int] = source.kernel.native()
        self.native = _core.class_rows(
            [native_rows(items.X[r]) for r in rows.of_class], *spec, options.memory // 2, source.threads
        )
        sizes, self.spared = problems.sizes, spared(self.asked, 0)
        self.working = _of_sizes(working_set, sizes)
        self._work = self.working.cumsum() - self.working
        self.core = _core.box_pairs(
            self.native,
            rows.classes.astype(np.int32).ravel(),
            problems.ends,
            problems.t,
            problems.lower,
            problems.upper,
            np.empty(0, np.int8) if problems.group is None else problems.group,
            problems.total.ravel(),
            1e-12 * problems.sums_of_bounds,
            self.working,
            self._most_steps(),
            _of_sizes(lambda n: row_memory(n, options.memory), sizes),
            self.spared.tol,
            self.spared.gap_tol,
        )
        self.b = problems.start()
        for k, start in enumerate(starts):
            if start is not None:
                self.b[problems.first[k] : problems.ends[k]] = start
        self.f, self.work = np.zeros(len(self.b)), np.full(int(self.working.sum()), -1, np.int32)
        self.counters = np.zeros((len(sizes), len(COUNTERS)), np.int64)
        self.figures = np.zeros((len(sizes), FIGURES + problems.groups))
        self.stop = np.zeros(len(sizes), np.int8)
        self.offsets = np.zeros((len(sizes), problems.groups))
        self.kinds: list[str] = ["asked"] * len(sizes)
        self.seen: tuple[np.ndarray, ...] = ()  # the last look

    def _most_steps(self) -> np.ndarray:
        """Those of pairs that the interior point method would end are few."""
        most = np.full(len(self.problems), self.spared.max_steps)
        if isinstance(self.source.kernel, Linear):
            thin = [is_thin(self.source, p, self.asked.memory) and p.n_variables for p in self.problems]
            most = np.array([spared(self.asked, n).max_steps for n in thin])
        most[most < 0] = 1 << 60
        return most

    @property
    def steps(self) -> np.ndarray:
        return self.counters[:, 1]

    @property
    def intercept(self) -> np.ndarray:
        return (self.offsets[:, 0] + self.offsets[:, -1]) / 2

    @property
    def rho(self) -> np.ndarray:
        """0 for machines that have none."""
        return (self.offsets[:, -1] - self.offsets[:, 0]) / 2

    def _arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self.b, self.f, self.work, self.counters.ravel(), self.figures.ravel(), self.stop

    # ---- all of them -------------------------------------------------------------------------------------------

    def run(self, watch: Watch) -> None:
        """To the end of each pair, or of the time."""
        threads = self.source.threads
        while self.core.advance(*self._arrays(), STRETCH, threads) > 0:
            if watch.cancelled is not None and watch.cancelled.is_set():
                raise Cancelled
            if watch.out_of_time():
                break
        self.kinds = [KINDS[stop] or "time" for stop in self.stop.tolist()]
        self._judge(self.stop != 1)
        self._look()
        thin = isinstance(self.source.kernel, Linear)
        alone = [k for k, kind in enumerate(self.kinds) if kind == "stalled" or (thin and kind == "epochs")]
        wants = self._wants_last_digits()
        free = self._free()
        together = self._together(wants, free)
        if together is None:
            alone = sorted({*alone, *wants.tolist()})
        else:
            most = int(free.max())
            found = polish_joined(self.source, self.problems, self.rows.items, self.b, self.f, together, most)
            known = ~np.isnan(found)
            self._judge(together & ~known.all(axis=1))
            self.offsets[known] = found[known]
        self._settle_offsets()
        for k in alone:
            self.take(k, self.alone(k).finished(Stop(self.kinds[k], ""), watch))

    def _look(self) -> None:
        """What the columns of the traces are taken from."""
        self.seen = self.counters.copy(), self.figures.copy(), self.b.copy()

    def _wants_last_digits(self) -> np.ndarray:
        """The pairs that converged and whose equations are few."""
        good = self.stop == 1
        return np.flatnonzero(good if len(good) <= FEW else good & (self.problems.sizes <= SMALL))

    def _free(self) -> np.ndarray:
        """How many variables of each pair are inside of their boxes."""
        p = self.problems
        return np.add.reduceat((self.b > p.lower) & (self.b < p.upper), p.first, dtype=np.intp)

    def _together(self, wants: np.ndarray, free: np.ndarray) -> np.ndarray | None:
        """Which pairs get their last digits from one matrix of all kernel values; None: each computes its own."""
        n, p = self.source.n, self.problems
        apart = int(p.sizes[wants] @ free[wants]) + CALLS * len(wants)
        if len(wants) < 2 or n > WHOLE or n**2 > apart:
            return None
        here = np.zeros(len(p), dtype=bool)
        here[wants] = True
        return here

    def _judge(self, which: np.ndarray) -> None:
        """The figures and offsets of pairs whose last round did not look at them as they are."""
        if which.any():
            self.core.judge(*self._arrays(), which.astype(np.int8), self.source.threads)
        self.offsets[:] = self.figures[:, 4 : 4 + self.problems.groups]

    def _settle_offsets(self) -> None:
        """A rho or a bias of nothing but rounding is none."""
        if self.problems.groups != 2:
            return
        low, high = self.offsets.T
        size = np.add.reduceat(np.abs(self.b) * np.abs(self.source.diag)[self.rows.items], self.problems.first)
        no_rho = np.abs(high - low) <= NOTHING * size
        no_bias = ~no_rho & (np.abs(low + high) <= NOTHING * np.abs(high))
        self.offsets[no_rho] = ((low + high) / 2)[no_rho, None]
        self.offsets[no_bias] = ((high - low) / 2)[no_bias, None] * np.array([-1.0, 1.0])

    # ---- one of them -------------------------------------------------------------------------------------------

    def alone(self, k: int) -> BoxFit:
        """A pair by itself, from where it is: what it finds is seen here."""
        p, i, j = self.problems, int(self.problems.first[k]), int(self.problems.ends[k])
        values = _core.pair_source(self.native, *self.rows.classes[k].tolist())
        last_digits = bool(len(p) <= FEW or j - i <= SMALL)
        fit = BoxFit(self.source, p[k], self.asked, values, last_digits, self.rows[k])
        work = self.work[self._work[k] : self._work[k] + self.working[k]]
        fit.state = BoxState(self.b[i:j], self.f[i:j], work, self.counters[k], self.figures[k])
        fit.trace = self.trace(k)
        return fit

    def trace(self, k: int) -> Trace:
        """The last look; nobody asked for others."""
        trace = Trace(BoxSolver.columns)
        if not self.seen:
            return trace
        counters, figures, b = self.seen
        (rounds, steps), here = counters[k, :2].tolist(), slice(self.problems.first[k], self.problems.ends[k])
        columns = *figures[k, :2].tolist(), steps, int(np.count_nonzero(b[here]))
        trace.append(rounds, dict(zip(BoxSolver.columns, columns, strict=True)))
        return trace

    def take(self, k: int, found: BoxSolution) -> None:
        """What a pair by itself has found."""
        here = slice(int(self.problems.first[k]), int(self.problems.ends[k]))
        self.b[here], self.f[here], self.offsets[k], self.kinds[k] = found.b, found.f, found.offsets, found.stop.kind


@lru_cache(maxsize=64)
def _without_shrinking(options: BoxOptions) -> BoxOptions:
    return replace(options, shrink=False)


def _of_sizes(rule: Callable[[int], int], sizes: np.ndarray) -> np.ndarray:
    """The rule for each size, of which there are few that differ."""
    known = {n: rule(n) for n in set(sizes.tolist())}
    return np.array([known[n] for n in sizes.tolist()])


def can_share(source: GramSource) -> bool:
    return isinstance(source.kernel, RowKernel) and isinstance(source.items, RowItems)
