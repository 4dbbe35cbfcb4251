"""The last digits of a box problem: with the right variables at their bounds, the others solve linear equations.

Problem  min 1/2 b'Kb - t'b over the box and the sums of model/box.py, from a point close to the optimum
Symbols  S the free variables, F = Kb - t, o_g the offset of group g: at the optimum F_v = -o_g on S
Stops    when all of S fulfils that to rounding and, where all kernel values are known, no bound is held wrongly; the
         objective never rises, so any earlier end is a point at least as good as the start
Method   see the head of core/solver/face.hpp. Two free variables of one item would be one equation twice: see `parted`
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..base.blas import one_blas_thread
from ..base.lapack import dsysv
from ..kernels.gram import GramSource
from ..kernels.rows import RowKernel
from ..model.box import BoxProblem
from ..model.boxes import BoxProblems

MOST_FREE = 2000
WHOLE = 2000  # items all of whose scores are kept right, so that bounds can be left
# Free items whose equations no library divides among threads; the way to forbid it costs more than they do.
SMALL = 48
TURNS, MORE = 8, 64  # times that items may be added to those with values, and how many at a time


@dataclass
class Polished:
    b: np.ndarray
    offsets: np.ndarray  # of each group, NaN where no variable is free
    f: np.ndarray | None  # of every item, where all values were computed


def polish(source: GramSource, problem: BoxProblem, b: np.ndarray) -> Polished:
    """Solves for the free variables in float64, if they are few; otherwise at most `parted` has changed something."""
    b = parted(problem, b).copy()
    free = (b > problem.lower) & (b < problem.upper)
    whole, n = problem.n <= WHOLE, problem.n
    nothing = Polished(b, np.full(len(problem.total), np.nan), None)
    if np.count_nonzero(free) > MOST_FREE or not (whole or free.any()) or not dsysv():
        return nothing
    items, c = np.flatnonzero(free.reshape(-1, n).any(axis=0)), problem.items(b)
    if not whole:
        f, place, used = np.zeros(n), _place(n, items), np.flatnonzero(c)
        f[items] = source.block(items, used) @ c[used]
        found, _ = _solved(source, _values(source, items, items), [(problem, b, f, place, place)], whole, True)
        return Polished(found[0].b, found[0].offsets, None)
    native, column = isinstance(source.kernel, RowKernel), np.arange(n, dtype=np.int32)
    items = items if native else np.arange(n)  # a kernel in Python is asked once for all
    K = _values(source, items, None)
    f = source.expand(c) if native else K @ c
    for _ in range(TURNS):
        (here,), (missing,) = _solved(source, K, [(problem, b, f, _place(n, items), column)], whole, True)
        if not missing:
            break
        more = np.unique(missing)[:MORE]
        items, K = np.concatenate([items, more]), np.concatenate([K, _values(source, more, None)])
    return here


def polish_joined(
    source: GramSource,
    problems: BoxProblems,
    items: np.ndarray,
    b: np.ndarray,
    f: np.ndarray,
    which: np.ndarray,
    most_free: int,
) -> np.ndarray:
    """The same for some of many problems, whose items stand in `items`, by one matrix of all kernel values.

    b and f are moved; returns the offsets of each problem's groups, NaN where they are not known. `most_free` is the
    number of free variables that any of them has.
    """
    offsets = np.full(problems.total.shape, np.nan)
    if not dsysv():
        return offsets
    K, scale = source.whole, float(source.diag.sum()) / source.n
    group = np.empty(0, np.int8) if problems.group is None else problems.group
    arrays = problems.t, problems.lower, problems.upper, group, problems.total.ravel(), problems.ends
    state = b, f, offsets.ravel()
    with one_blas_thread() if most_free > SMALL else nullcontext():
        _core.polish_joined(
            dsysv(), K, scale, *arrays, items.astype(np.int32), which.astype(np.int8), *state, source.threads
        )
    return offsets


def _solved(
    source: GramSource, K: np.ndarray, work: Sequence[tuple[Any, ...]], whole: bool, scored: bool
) -> tuple[list[Polished], list[list[int]]]:
    """b and f of each (problem, b, f, rows, columns) are moved by the core (core/solver/face); items without a row that
    should have one."""
    found = [Polished(b, np.empty(len(problem.total)), f) for problem, b, f, *_ in work]
    none = np.empty(0, np.int8)
    parts = [
        (p.t, p.lower, p.upper, none if p.group is None else p.group, b, f, to.offsets, place, column)
        for (p, b, f, place, column), to in zip(work, found, strict=True)
    ]
    totals, scale = [list(p.total) for p, *_ in work], float(source.diag.mean())
    alone = len(K) > SMALL or len(work) > 1
    with one_blas_thread() if alone else nullcontext():
        return found, _core.polish_all(dsysv(), K, scale, parts, totals, whole, scored, source.threads)


def _place(n: int, items: np.ndarray) -> np.ndarray:
    place = np.full(n, -1, np.int32)
    place[items] = np.arange(len(items))
    return place


def parted(problem: BoxProblem, b: np.ndarray) -> np.ndarray:
    """b with the same coefficient of each item, but as few items as can be with both variables inside of their boxes.

    Where the tube is empty, both variables of an item may be away from 0, and what they have in common shows in no
    coefficient. If one sum binds both sides it is taken away, which never raises the objective. If each side has its
    own sum it is moved at no cost: a few items hold as much as their boxes allow, at most one some, all others nothing.
    """
    n = problem.n
    if problem.n_variables == n:
        return b
    common, c = np.minimum(b[:n], -b[n:]), problem.items(b)
    if not common.any():
        return b
    side = np.where(c >= 0, problem.upper[:n], -problem.lower[n:])  # the bound that the larger variable meets first
    held = np.zeros(n)
    if len(problem.total) == 2:
        room = side - np.abs(c)
        order = np.argsort(-common, kind="stable")
        left = common.sum() - (np.cumsum(room[order]) - room[order])
        rounding = n * np.finfo(np.float64).eps * side.sum()
        left[left <= rounding] = 0.0
        held[order] = np.where(left >= room[order] - rounding, room[order], left)
    full = (held > 0) & (held == side - np.abs(c))
    large = np.where(full, side, np.abs(c) + held)
    small = large - np.abs(c)
    return np.concatenate([np.where(c >= 0, large, small), -np.where(c >= 0, small, large)])


def _values(source: GramSource, I: np.ndarray, J: np.ndarray | None) -> np.ndarray:
    """Of items I with items J, which are the same or all; the diagonal as it is known apart, since a distance of 0 may
    be rounded otherwise."""
    if not len(I):
        return np.empty((0, source.n))
    if len(I) == source.n:
        return source.whole
    K, at = source.block(I, J), np.arange(len(I))
    K[at, I if J is None else at] = source.diag[I]
    return K
