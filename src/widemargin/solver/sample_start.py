"""What can be learnt from a part of the items, where the time is too short for all of them.

Problem  model/box.py with a sum of 0 and finite bounds; b = 0 outside of a sample is a point of the whole problem with
         the objective that it has in the sample
Stops    when no larger sample can be solved in time; `whole` says whether there is time for all items from there
Method   every q-th item in the order of t, so that classes and targets have their shares; q is halved, so that each
         sample holds the one before, whose solution is its start. Solving takes about four times as long each time. A
         machine cut short far from its optimum is worse than one that has learnt from fewer rows: the worst rows come
         first.
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
GROWTH = 4  # of the time, from one sample to the next


@dataclass
class Sampled:
    """A point of the whole problem, the sample that it was learnt from, and whether there is time for all items.

    Free variables are those of the sample, so the offsets are those of the whole problem too.
    """

    b: np.ndarray
    offsets: np.ndarray
    size: int
    steps: int
    whole: bool = False

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
) -> Sampled | None:
    """Samples of growing size until time is short; `needed(used)` are the seconds that must be left afterwards.

    `keep` is told of every sample that was solved.

    None where the whole may well be solved in time, or where no sample is possible.
    """
    n, deadline = problem.n, watch.deadline
    possible = not problem.hard and problem.total == (0.0,) and n >= 4 * SMALLEST
    if deadline is None or not possible or seconds_a_value * n * n / 2 <= LARGE * (deadline - time.monotonic()):
        return None
    order = np.argsort(problem.t[:n], kind="stable")
    q = 1 << (n // SMALLEST).bit_length() - 1
    found = Sampled(np.zeros(problem.n_variables), np.zeros(1), 0, 0)
    while q > 1:
        began = time.monotonic()
        rows = np.sort(order[::q])
        v = (np.arange(problem.n_variables // n)[:, None] * n + rows).ravel()
        some = replace(problem, t=problem.t[v], lower=problem.lower[v], upper=problem.upper[v], n=len(rows))
        mine = Watch(cancelled=watch.cancelled)
        mine.deadline, mine.max_time = deadline, watch.max_time
        mine.needed = partial(needed, int(np.count_nonzero(found.b)))
        now = BoxFit(source.take(rows), some, options, last_digits=False).run(mine, found.b[v])
        if now.stop.kind == "time" and found.size:
            return found
        found = Sampled(np.zeros(problem.n_variables), now.offsets, len(rows), found.steps + now.steps)
        found.b[v] = now.b
        keep(found)
        left = deadline - time.monotonic() - needed(2 * int(np.count_nonzero(found.b)))
        if now.stop.kind == "time" or left < GROWTH * (time.monotonic() - began):
            return found
        q //= 2
    found.whole = True
    return found
