"""A start for a box problem that is too large for the time there is: the solution for some of its items.

Problem  model/box.py with sums of 0 and finite bounds; b = 0 outside of a sample is a point of the box with the same
         objective as in the sample, so a machine that was cut short is at least as good as the sample's
Stops    as solver/box, at the latest after a quarter of the time
Method   every q-th item in the order of t, so that classes and targets have their shares; q such that all kernel values
         of the sample take a twentieth of the time
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ..base.drive import Watch
from ..kernels.gram import GramSource
from ..model.box import BoxProblem
from .box import BoxOptions
from .svm import BoxFit

LARGE = 0.25  # of the time: what all kernel values must take before a sample is worth its while
SHARE = 0.05


def sample_size(n: int, seconds_a_value: float, max_time: float | None) -> int:
    """How many items to begin with; 0 where the whole may well be solved in time."""
    if max_time is None or seconds_a_value * n * n / 2 <= LARGE * max_time:
        return 0
    return min(int(math.sqrt(SHARE * max_time / seconds_a_value)), n // 4)


def solved_for_some(
    source: GramSource, problem: BoxProblem, options: BoxOptions, size: int, watch: Watch
) -> np.ndarray | None:
    """The variables of all items, those outside of the sample at 0; None where no sample is possible."""
    n = problem.n
    if size < 2 or problem.hard or any(problem.total) or len(problem.total) != 1:
        return None
    order = np.argsort(problem.t[:n], kind="stable")
    rows = np.sort(order[np.linspace(0, n - 1, size).astype(np.intp)])
    v = (np.arange(problem.n_variables // n)[:, None] * n + rows).ravel()
    some = replace(problem, t=problem.t[v], lower=problem.lower[v], upper=problem.upper[v], n=size)
    quarter = Watch(max_time=(watch.max_time or 0.0) / 4, cancelled=watch.cancelled)
    found = BoxFit(source.take(rows), some, options, last_digits=False).run(quarter)
    b = np.zeros(problem.n_variables)
    b[v] = found.b
    return b
