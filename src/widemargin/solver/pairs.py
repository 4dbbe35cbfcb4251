"""All pairs of classes on shared kernel values: those among the rows of one class are computed once for all its pairs.

Problem  the box problems of pairs (i, j) of classes; see core/kernel/pair_source.hpp
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from .. import _core
from ..kernels.gram import GramSource
from ..kernels.items import RowItems
from ..kernels.rows import RowKernel
from ..model.box import BoxProblem
from .box import BoxOptions
from .svm import BoxFit

BATCH = 32  # pairs under way at a time: what they keep of kernel values is given back when they end
VALUES, MOST = 1 << 22, 512  # kernel values and pairs that more may be under way with, if they are small
FEW = 3  # so many pairs, or so few items, are worth the last digits
SMALL = 256


class PairFits:
    """The rows of every class, ready for problems of two of them."""

    def __init__(self, source: GramSource, codes: np.ndarray, n_classes: int, options: BoxOptions) -> None:
        assert isinstance(source.items, RowItems)
        # Pairs are small: their rows are soon known, and packing what is left of them anew would cost more.
        self.source, self.options = source, replace(options, shrink=False)
        self.rows = [np.flatnonzero(codes == c) for c in range(n_classes)]
        items = [source.near_origin.take(r).native for r in self.rows]
        spec: tuple[int, float, float, int] = source.kernel.native()
        self.native = _core.class_rows(items, *spec, options.memory // 2, source.threads)

    def fit(self, i: int, j: int, problem: BoxProblem, last_digits: bool, items: np.ndarray | None = None) -> BoxFit:
        """Of a pair whose problem has the items of class i before those of class j."""
        items = np.concatenate([self.rows[i], self.rows[j]]) if items is None else items
        return BoxFit(self.source, problem, self.options, _core.pair_source(self.native, i, j), last_digits, items)


def batches(sizes: Sequence[int]) -> Iterator[range]:
    """Numbers of pairs that are under way together, from those of their items."""
    first = 0
    while first < len(sizes):
        stop, values = min(first + BATCH, len(sizes)), sum(n * n for n in sizes[first : first + BATCH])
        while stop < min(len(sizes), first + MOST) and values + sizes[stop] ** 2 <= VALUES:
            values += sizes[stop] ** 2
            stop += 1
        yield range(first, stop)
        first = stop


def last_digits(n_pairs: int, problem: BoxProblem) -> bool:
    """Whether linear equations are to end the fit of a pair."""
    return n_pairs <= FEW or problem.n <= SMALL


def can_share(source: GramSource) -> bool:
    return isinstance(source.kernel, RowKernel) and isinstance(source.items, RowItems)
