"""Scores of the items of a box problem, as exact as a certificate can make use of.

Problem  f_i = sum_j c_j k(i, j) for every item, and e_i with |exact - computed| <= e_i
Symbols  F_v = f_v - t_v, o_g the offset of group g (svm.py); an item without coefficients has b_v = 0 in all its
         variables
Stops    such an item adds nothing to the gap if its variables stand at the bound that r_v = -F_v - o_g points to, and
         nothing to the violation if F_v is no extreme of those that can go the same way. Where float32 with its bound
         on rounding leaves no doubt of both, float64 could say no more; all other items get float64. So it is, for all
         items, with a gap far above what was asked: that float32 errs by a small share of it is part of `rounding`
Method   expansion.py for items with coefficients, each pair of them once; float32 for the rest [Higham02, sec. 3.1]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.items import RowItems
from ..kernels.rows import RBF
from ..model.box import BoxProblem
from .expansion import expansion

LEAST = 1 << 21  # kernel values with items without coefficients, from which on a second way pays
FAR, SHARE = 0.01, 0.1  # a relative gap that no fit ends with, and the part of it that may be rounding


def telling_scores(
    source: Any, problem: BoxProblem, b: np.ndarray, offsets: Any, asked: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(f, e) of all items of the source; `asked` is the relative gap that was."""
    c = problem.items(b)
    used = (b.reshape(-1, problem.n) != 0).any(axis=0)
    inside, rest, support = np.flatnonzero(used), np.flatnonzero(~used), np.flatnonzero(c)
    if problem.hard or rest.size * support.size < LEAST or not np.isfinite(b).all() or not radial(source):
        return expansion(source, c)
    f, e = np.empty((2, problem.n))
    f[inside], e[inside] = expansion(source.take(inside), c[inside])
    columns = source.items.take(support)
    f[rest], e[rest] = source.kernel.bounded_sums(source.items.take(rest), columns, c[support], source.threads)
    offsets = np.asarray(offsets, dtype=np.float64) if len(offsets) else np.zeros(1)  # without a fixed sum
    doubtful = rest[_in_doubt(problem, b, f, e, offsets, inside)[rest]]
    if doubtful.size and (asked is None or not _far(problem, b, f, e, offsets, doubtful, max(asked, FAR))):
        sums = source.kernel.sums(source.items.take(doubtful), columns, c[support][None], source.threads)
        # Both bounds are the same for all items of a radial kernel.
        f[doubtful], e[doubtful] = sums[:, 0], e[inside].max()
    return f, e


def radial(source: Any) -> bool:
    """Whether float32 tells of most rows without coefficients."""
    items = getattr(source, "items", None)
    return isinstance(getattr(source, "kernel", None), RBF) and isinstance(items, RowItems)


def _in_doubt(
    p: BoxProblem, b: np.ndarray, f: np.ndarray, e: np.ndarray, offsets: np.ndarray, inside: np.ndarray
) -> np.ndarray:
    """Which items may matter; the scores of those `inside` are exact."""
    copies = p.n_variables // p.n
    F, e, o = np.tile(f, copies) - p.t, np.tile(e, copies), offsets[p.groups]
    rises, falls = b < p.upper, b > p.lower
    exact = np.zeros(p.n, dtype=bool)
    exact[inside] = True
    exact = np.tile(exact, copies)
    doubt = np.zeros(p.n_variables, dtype=bool)
    for g in range(len(offsets)):
        here = p.groups == g
        least = F[here & exact & rises].min(initial=np.inf)
        most = F[here & exact & falls].max(initial=-np.inf)
        doubt |= here & rises & ~(F - e > np.maximum(-o, least))
        doubt |= here & falls & ~(F + e < np.minimum(-o, most))
    return np.logical_or.reduce(doubt.reshape(copies, p.n))


def _far(
    p: BoxProblem, b: np.ndarray, f: np.ndarray, e: np.ndarray, offsets: np.ndarray, items: np.ndarray, asked: float
) -> bool:
    """Whether the relative gap is above what was asked, and mostly gap, whatever the scores of these items are."""
    f = np.tile(f, p.n_variables // p.n)
    r = p.t - f - offsets[p.groups]
    bound = np.where(r > 0, p.upper, p.lower)
    gap, half = float((bound - b) @ r), float(b @ f) / 2
    off = float((p.upper - p.lower).reshape(-1, p.n).sum(axis=0)[items] @ e[items])
    of_sums = sum(o * total for o, total in zip(offsets.tolist(), p.total, strict=False))
    size = max(abs(half + float(bound @ r) + of_sums), abs(float(p.t @ b) - half)) + off
    return off <= SHARE * gap and gap - off > asked * size
