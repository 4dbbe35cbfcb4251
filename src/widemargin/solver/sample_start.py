"""What can be learnt from a part of the items, where the time is too short for all of them.

Problem  model/box.py with a sum of 0 and finite bounds; b = 0 outside of a sample is a point of the whole problem with
         the objective that it has in the sample
Stops    when no larger sample can be solved in time; `whole` says whether there is time for all items from there
Method   every q-th item in the order of t, so that classes and targets have their shares; q is halved, so that each
         sample holds the one before, whose solution is its start. Twice as many take about four times as long; where
         that is too long, a part of them is added. A machine cut short far from its optimum is worse than one that has
         learnt from fewer rows: the worst rows come first.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..base.drive import Watch
from ..base.records import Stop, Trace
from ..kernels.gram import GramSource
from ..model.box import BoxProblem
from .box import BoxOptions
from .svm import BoxFit, BoxSolution

LARGE = 0.25  # of the time: what all kernel values must take before samples are worth their while
SMALLEST = 1000
GROWTH = 2.0, 1.7, 1.4, 1.2  # of a sample: as much as there is time for
SPARE = 1.25  # of its time, for a machine that becomes busy


@dataclass
class Sampled:
    """A point of the whole problem, the sample that it was learnt from, and whether there is time for all items.

    Free variables are those of the sample, so the offsets are those of the whole problem too.
    """

    b: np.ndarray
    offsets: np.ndarray
    size: int
    steps: int
    took: float = 0.0  # seconds from the sample before; infinite where there was no time for a larger one
    whole: bool = False

    def used_of(self, size: int) -> int:
        """Items with coefficients, as many more as the sample is larger."""
        return int(np.count_nonzero(self.b) * size / max(self.size, 1))

    def solution(self) -> BoxSolution:
        """Of the whole problem, with the sample's point as it is."""
        return BoxSolution(self.b, self.offsets, Stop("time", ""), self.steps, Trace(), np.nan, sampled=self.size)


def solved_for_some(
    source: GramSource,
    problem: BoxProblem,
    options: BoxOptions,
    seconds_a_value: float,
    needed: Callable[[int], float],
    watch: Watch,
    keep: Callable[[Sampled], None] = lambda _: None,
    before: Sampled | None = None,
) -> Sampled | None:
    """Samples of growing size until time is short; `needed(used)` are the seconds that must be left afterwards.

    `keep` is told of every sample that was solved; `before` is one to go on from.

    None where the whole may well be solved in time from the first, or where no sample is possible.
    """
    n, deadline = problem.n, watch.deadline
    possible = not problem.hard and problem.total == (0.0,) and n >= 4 * SMALLEST
    if deadline is None or not possible:
        return None
    if before is None and seconds_a_value * n * n / 2 <= LARGE * (deadline - time.monotonic()):
        return None
    order = nested(problem.t[:n])
    found = before or Sampled(np.zeros(problem.n_variables), np.zeros(1), 0, 0)
    while (size := _next_size(found, n, deadline - time.monotonic(), needed)) < n:
        if size == found.size:
            return found
        began = time.monotonic()
        rows = np.sort(order[:size])
        v = (np.arange(problem.n_variables // n)[:, None] * n + rows).ravel()
        some = replace(problem, t=problem.t[v], lower=problem.lower[v], upper=problem.upper[v], n=len(rows))
        mine = Watch(cancelled=watch.cancelled)
        mine.deadline, mine.max_time = deadline, watch.max_time
        mine.needed = partial(needed, found.used_of(size))
        now = BoxFit(source.take(rows), some, options, last_digits=False).run(mine, found.b[v])
        cut = now.stop.kind == "time"
        if cut and found.size:
            return replace(found, took=np.inf)
        took = np.inf if cut else time.monotonic() - began
        found = Sampled(np.zeros(problem.n_variables), now.offsets, size, found.steps + now.steps, took)
        found.b[v] = now.b
        keep(found)
    found.whole = True
    return found


def _next_size(found: Sampled, n: int, left: float, needed: Callable[[int], float]) -> int:
    """Of the largest sample that there is time for; the same again: of none."""
    if not found.size:
        return n >> (n // SMALLEST).bit_length() - 1
    sizes = [min(int(g * found.size), n) for g in GROWTH]
    seconds = [SPARE * found.took * (size / found.size) ** 2 + needed(found.used_of(size)) for size in sizes]
    return next((size for size, wanted in zip(sizes, seconds, strict=True) if wanted <= left), found.size)


def nested(t: np.ndarray) -> np.ndarray:
    """The items in an order whose first ones, however many, lie evenly in the order of t.

    Places in that are taken by their binary digits from the last to the first: 0, 1/2, 1/4, 3/4, 1/8 ... of the way.
    """
    place, digits = np.arange(len(t)), max(len(t) - 1, 1).bit_length()
    turned = np.zeros(len(t), dtype=np.int64)
    for k in range(digits):
        turned |= (place >> k & 1) << (digits - 1 - k)
    return np.argsort(t, kind="stable")[np.argsort(turned, kind="stable")]
