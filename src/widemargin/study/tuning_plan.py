"""What is tried on how many rows: a plan that follows from the size of the data and the seconds asked for.

Symbols  rungs: numbers of rows to learn from, each about three times the one before
Method   FIRST of the time goes into the first rung, LATER into all others together, each of which may take three times
         as long as the one before; the rest is for the average, the last fit and the report. Seconds are formulas of
         the data, not measured: a search that is killed and resumed plans the same
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from ..base.errors import BadInput
from .group_folds import StratifiedGroups
from .learners import Learner, Shape

Group = tuple[Learner, list[dict[str, Any]]]
Folds = tuple[tuple[np.ndarray, np.ndarray], ...]

KEPT = 1 / 3  # of the groups go on to the next rung
FEW = 300  # rows of the first rung at least
FIRST = 0.45  # of the time may go into the first rung
LATER = 0.3  # of the time may go into all rungs after it
SHARE = 0.3  # of the time may go into one group on the last rung
ONCE = 5000  # above so many rows one quarter is held out once


def folds_of(
    y: np.ndarray, kind: str, cv: int | None, groups: Any, random_state: int, validation: float | None = None
) -> Folds:
    """Rows to learn from, in an order of which any first part is a fair sample, and rows held out."""
    n = len(y)
    least = n
    if kind == "classes":
        classes, counts = np.unique(y, return_counts=True)
        least = int(counts.min())
        if len(classes) < 2:
            raise BadInput(f"all {n} rows have the label {classes.tolist()[0]!r}: there is nothing to decide")
    if cv is not None and (cv < 2 or cv > n):
        raise BadInput(f"cv={cv}: from 2 to {n} folds are possible for {n} rows")
    if validation is not None and not (cv is None and 0 < validation <= 0.5):
        raise BadInput(f"validation={validation!r}: a share above 0 and at most 0.5, and no cv beside it")
    once = validation is not None or (cv is None and n > ONCE)
    folds = min(n, round(1 / validation)) if validation else cv or (4 if once else min(5, n))
    stratified = kind == "classes" and least >= folds
    splitters = (GroupKFold, StratifiedGroups) if groups is not None else (KFold, StratifiedKFold)
    splitter: Any = splitters[stratified](folds, shuffle=True, random_state=random_state)
    rng = np.random.default_rng(random_state)
    parts = [(rng.permutation(train), held) for train, held in splitter.split(np.zeros(n), y, groups)]
    return tuple(parts[:1] if once else parts)


def plan(learners: list[Learner], shape: Shape, folds: Folds, time: float) -> tuple[list[int], list[Group], list[str]]:
    """Numbers of rows, who enters, and what was left out and why."""
    n, times = len(folds[0][0]), len(folds)
    entered: list[Group] = []
    left_out = []
    for learner in learners:
        needed = times * learner.cost(shape.of(n))
        if needed > SHARE * time:
            left_out.append(f"{learner.name} was left out: a fit to all rows takes about {needed:.0f} s")
        else:
            entered += [(learner, group) for group in learner.groups()]
    if not entered:  # a search ends with a winner, however little time there is
        quickest = min(learners, key=lambda learner: learner.cost(shape.of(n)))
        entered = [(quickest, group) for group in quickest.groups()]
        left_out = [sentence for sentence in left_out if not sentence.startswith(f"{quickest.name} ")]

    def first(rows: int) -> float:
        return times * sum(learner.cost(shape.of(rows)) for learner, _ in entered)

    rungs = [n]
    while first(rungs[0]) > FIRST * time and rungs[0] > FEW:
        rungs.insert(0, max(FEW, rungs[0] // 3))
    entered, thinned = _thinned(entered, shape.of(rungs[0]), FIRST * time / times)
    return rungs, entered, [*left_out, *thinned]


def _thinned(entered: list[Group], shape: Shape, seconds: float) -> tuple[list[Group], list[str]]:
    """The learner that takes longest loses its last setting, its only one last of all, until it is short enough."""
    entered, all_of = list(entered), {learner.name: len(learner.groups()) for learner, _ in entered}
    while True:
        total: dict[str, float] = {}
        for learner, _ in entered:
            total[learner.name] = total.get(learner.name, 0.0) + learner.cost(shape)
        if sum(total.values()) <= seconds or len(total) == 1:
            break
        several = {name for name in total if sum(learner.name == name for learner, _ in entered) > 1}
        slow = {name for name in several if total[name] > 0.1 * seconds}
        longest = max(slow or total, key=lambda name: total[name])
        entered.pop(max(i for i, (learner, _) in enumerate(entered) if learner.name == longest))
    kept = {name: sum(learner.name == name for learner, _ in entered) for name in all_of}
    told = {name: f"tried with {kept[name]} of {all_of[name]} settings" if kept[name] else "left out" for name in kept}
    return entered, [f"{name} was {told[name]}: all would take too long" for name in kept if kept[name] < all_of[name]]


def going_on(
    entered: list[Group], found: Sequence[float], number: int, rungs: list[int], shape: Shape, folds: Folds, time: float
) -> list[Group]:
    """The best third of those on rung `number`, as far as the time of the next one allows."""
    keep = max(3, math.ceil(KEPT * len(entered)))
    order = sorted(range(len(entered)), key=lambda i: (found[i], i))[:keep]
    spent = np.cumsum([len(folds) * entered[i][0].cost(shape.of(rungs[number + 1])) for i in order])
    share = LATER * 3.0**number / sum(3.0**later for later in range(len(rungs) - 1))
    order = order[: max(1, int(np.count_nonzero(spent <= share * time)))]
    return [entered[i] for i in sorted(order)]
