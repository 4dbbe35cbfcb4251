"""All folds and binary parts of a classification problem along C, with one set of kernel values.

The folds of a part advance side by side; several parts share the threads, one has them all. What pairs do not finish
(solver/interior says where) is finished fold by fold.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np

from ..base.drive import Watch
from ..base.threads import crew
from ..kernels.rows import RowKernel
from ..kernels.whole import LazyGram, WholeGram, expansions
from ..model.box import BoxProblem
from ..model.multiclass import Part
from .box import BoxOptions, row_memory
from .interior import is_thin, solved_inside
from .path import BoxPaths, Reached
from .svm import THIN

SINGLE, FELT = 2.0**-24, 2e-3  # rounding of float32, and what of it a score may show


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
    b: list[np.ndarray]  # of the items of the part, for each C that was reached

    @staticmethod
    def empty(n_C: int, n_test: int) -> PartPath:
        gaps, steps, seconds = np.full((3, n_C), np.nan)
        return PartPath(np.full((n_C, n_test), np.nan), gaps, steps, seconds, [])


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
    threads = options.threads if len(parts) > 1 else 1
    inside = replace(
        options, threads=1 if len(parts) > 1 else options.threads, memory=options.memory // min(threads, len(parts))
    )

    def one(part: Part, cancelled: Event) -> list[PartPath]:
        mine = Watch(cancelled=cancelled)
        mine.deadline, mine.max_time = watch.deadline, watch.max_time
        return _one_part(gram, codes, part, folds, Cs, inside, mine, keep)

    by_part = crew(threads, one, parts)
    return [[paths[k] for paths in by_part] for k in range(len(folds))]


def _one_part(
    gram: Any,
    codes: np.ndarray,
    part: Part,
    folds: Sequence[Fold],
    Cs: np.ndarray,
    options: BoxOptions,
    watch: Watch,
    keep: bool,
) -> list[PartPath]:
    """All folds of a part. Test items are items too, whose scores follow; those of other classes are scored at last."""
    items = part.among(codes)
    signs = part.signs(codes) if items is None else part.signs(codes)[items]
    weight = np.array([fold.weight if items is None else fold.weight[items] for fold in folds])
    out = [PartPath.empty(len(Cs), len(fold.test)) for fold in folds]
    memory = 0 if isinstance(gram, WholeGram) and items is None else row_memory(len(signs), options.memory)
    rest = _Rest(gram, items, signs, weight, options, watch)
    path = BoxPaths(gram.rows(items), signs, weight, replace(options, memory=memory, max_steps=rest.most_steps))
    found: list[list[Reached]] = []
    for c, C in enumerate(Cs):
        began = time.perf_counter()
        reached = [rest.finished(path, k, r) for k, r in enumerate(path.reach(float(C), watch))]
        if any(r.stop == "time" for r in reached):
            break
        seconds = (time.perf_counter() - began) / len(folds)
        for o, r in zip(out, reached, strict=True):
            o.gaps[c], o.steps[c], o.seconds[c] = r.gap, r.steps, seconds
        found.append(reached)
    for k, (o, fold) in enumerate(zip(out, folds, strict=True)):
        of_fold = [reached[k] for reached in found]
        if of_fold:
            exact = any(rest.is_felt(r.b) for r in of_fold)
            o.scores[: len(found)] = _scores(gram, items, fold, of_fold, exact)
        if keep:
            o.b.extend(r.b for r in of_fold)
    return out


class _Rest:
    """What pairs do not finish of one part, and what kernel values of float32 do not tell."""

    def __init__(
        self,
        gram: Any,
        items: np.ndarray | None,
        signs: np.ndarray,
        weight: np.ndarray,
        options: BoxOptions,
        watch: Watch,
    ) -> None:
        self.gram, self.items, self.signs, self.weight, self.options = gram, items, signs, weight, options
        self.watch, asked = watch, options.max_steps
        thin = is_thin(gram.source, BoxProblem.c_svc(signs, 1.0), options.memory)
        self.most_steps = asked if not thin or asked >= 0 else THIN[0] * len(signs) + THIN[1]
        diag = gram.source.diag if items is None else gram.source.diag[items]
        self.length = np.sqrt(np.maximum(diag, 0.0))

    def is_felt(self, b: np.ndarray) -> bool:
        """Whether the rounding of float32 may show in a score, which is 1 at the margin."""
        return SINGLE * float(np.linalg.norm(b * self.length)) * float(self.length.max(initial=0.0)) > FELT

    def finished(self, path: BoxPaths, k: int, r: Reached) -> Reached:
        """The column k of the path, which goes on from what was found."""
        if r.stop == "time":
            return r
        here = np.flatnonzero(self.weight[k])
        problem = BoxProblem.c_svc(self.signs[here], r.C * self.weight[k][here])
        if self.is_felt(r.b):
            r = self._judged(path, k, r, problem, here, r.b, None)
        if r.stop == "converged" or (r.stop == "epochs" and self.options.max_steps >= 0):
            return r
        source, at = self.gram.source, here if self.items is None else self.items[here]
        found = solved_inside(source.take(at), problem, self.watch.out_of_time, self.options.memory)
        if found is None:
            return r
        b = np.zeros(len(self.signs))
        b[here] = found.b
        better = self._judged(path, k, r, problem, here, b, float(found.offsets[0]))
        return better if better.gap < r.gap else self._judged(path, k, r, problem, here, r.b, r.intercept)

    def _judged(
        self,
        path: BoxPaths,
        k: int,
        r: Reached,
        problem: BoxProblem,
        here: np.ndarray,
        b: np.ndarray,
        offset: float | None,
    ) -> Reached:
        """With scores, and what follows from them, in float64; without an offset, one of b's own."""
        source = self.gram.source if self.items is None else self.gram.source.take(self.items)
        f = source.expand(b)
        if offset is None:
            inside = (b[here] > problem.lower) & (b[here] < problem.upper)
            offset = -float((f[here] - problem.t)[inside].mean()) if inside.any() else r.intercept
        gap, violation = _judged(problem, b[here], f[here], offset)
        path.state.b[k], path.state.f[k] = b, f
        good = gap <= self.options.gap_tol and violation <= self.options.tol
        stop = "converged" if good else "stalled" if r.stop == "converged" else r.stop
        return replace(r, b=b, scores=f + offset, intercept=offset, gap=gap, violation=violation, stop=stop)


def _judged(p: BoxProblem, b: np.ndarray, f: np.ndarray, o: float) -> tuple[float, float]:
    """Relative gap and violation of a point: that of the machine, or of its multiple with no row inside of the margin,
    since at a huge price the last digit of a slack costs more than all of the weights."""
    r, F = p.t - f - o, f - p.t
    bound, square = np.where(r > 0, p.upper, p.lower), float(b @ f)
    primal, dual = square / 2 + float(bound @ r), float(p.t @ b) - square / 2
    gap, least = float((bound - b) @ r), float((p.t * (f + o)).min(initial=np.inf))
    if least > 0 and square / (2 * least**2) - dual < gap:
        primal = square / (2 * least**2)
        gap = primal - dual
    highest, lowest = F[b > p.lower].max(initial=-np.inf), F[b < p.upper].min(initial=np.inf)
    return gap / max(abs(primal), abs(dual), 1e-300), max(float(highest - lowest), 0.0)


def _scores(gram: Any, items: np.ndarray | None, fold: Fold, found: list[Reached], exact: bool) -> np.ndarray:
    """n_C x test; `exact`: with kernel values of float64."""
    if items is None:
        return np.array([r.scores[fold.test] for r in found])
    coef, bias = np.array([r.b for r in found]), np.array([r.intercept for r in found])
    if not exact:
        return expansions(gram, fold.test, items, coef) + bias[:, None]
    used = np.flatnonzero(coef.any(axis=0))
    test, support = (gram.source.items.take(i) for i in (fold.test, items[used]))
    if isinstance(gram.source.kernel, RowKernel):
        return gram.source.kernel.sums(test, support, coef[:, used], gram.source.threads).T + bias[:, None]
    return coef[:, used] @ gram.source.kernel.block(support, test, gram.source.threads) + bias[:, None]
