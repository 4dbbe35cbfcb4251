"""All folds and binary parts of a classification problem along C, on several threads, with one set of kernel values."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np

from ..base.drive import Watch
from ..base.threads import crew
from ..kernels.whole import LazyGram, WholeGram, expansions
from ..model.multiclass import Part
from .box import BoxOptions, row_memory
from .path import BoxPath


@dataclass(frozen=True, eq=False)
class Fold:
    """weight: of each item in the training of this fold, 0 for those that stand beside; test: numbers of items."""

    weight: np.ndarray
    test: np.ndarray


@dataclass(frozen=True, eq=False)
class PartPath:
    """One binary part of one fold along C: scores of the test items, how they came about; NaN if time was over."""

    scores: np.ndarray  # n_C x test
    gaps: np.ndarray
    steps: np.ndarray
    seconds: np.ndarray
    b: list[np.ndarray]  # of the items trained on, for each C that was reached


def all_paths(
    gram: WholeGram | LazyGram,
    codes: np.ndarray,
    parts: Sequence[Part],
    folds: Sequence[Fold],
    Cs: np.ndarray,
    options: BoxOptions,
    watch: Watch,
    keep: bool = False,
) -> list[list[PartPath]]:
    """For each fold all parts. The result does not depend on the number of threads; `keep`: with the variables."""
    threads = options.threads
    inside = replace(options, threads=1, memory=options.memory // max(threads, 1))

    def one(task: tuple[Fold, Part], cancelled: Event) -> PartPath:
        mine = Watch(cancelled=cancelled)
        mine.deadline, mine.max_time = watch.deadline, watch.max_time
        return _one_path(gram, codes, task[1], task[0], Cs, inside, mine, keep)

    flat = crew(threads, one, [(fold, part) for fold in folds for part in parts])
    return [flat[k * len(parts) : (k + 1) * len(parts)] for k in range(len(folds))]


def _one_path(
    gram: Any, codes: np.ndarray, part: Part, fold: Fold, Cs: np.ndarray, options: BoxOptions, watch: Watch, keep: bool
) -> PartPath:
    """A part of all items has its test items beside it, whose scores follow; others are scored at the end."""
    place = part.among(codes)
    items = None if place is None else place[fold.weight[place] > 0]
    n = len(codes) if items is None else len(items)
    signs, weight = part.signs(codes), fold.weight
    if items is not None:
        signs, weight = signs[items], weight[items]
    gaps, steps, seconds = np.full((3, len(Cs)), np.nan)
    out = PartPath(np.full((len(Cs), len(fold.test)), np.nan), gaps, steps, seconds, [])
    if n == 0:  # neither class of a pair is in this fold
        out.scores[:], out.gaps[:], out.steps[:], out.seconds[:] = 0.0, 0.0, 0.0, 0.0
        return out
    memory = 0 if isinstance(gram, WholeGram) and items is None else row_memory(n, options.memory)
    path = BoxPath(gram.rows(items), signs, weight, replace(options, memory=memory))
    found = []
    for c, C in enumerate(Cs):
        began = time.perf_counter()
        reached = path.reach(float(C), watch)
        if reached.stop == "time":
            break
        out.gaps[c], out.steps[c], out.seconds[c] = reached.gap, reached.steps, time.perf_counter() - began
        found.append(reached)
    if items is None:
        for c, reached in enumerate(found):
            out.scores[c] = reached.scores[fold.test]
    elif found:
        coef, bias = np.array([r.b for r in found]), np.array([r.intercept for r in found])
        out.scores[: len(found)] = expansions(gram, fold.test, items, coef) + bias[:, None]
    if keep:
        out.b.extend(r.b for r in found)
    return out
