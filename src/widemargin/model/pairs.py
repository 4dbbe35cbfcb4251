"""Expansions of all pairs of classes, in LIBSVM's layout: an item of class i has one for each other class.

Symbols  pair (i, j), i < j: positive scores speak for class i; a support item of class i keeps its coefficient for the
         pair in row j - 1, one of class j in row i
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..base.blas import one_blas_thread
from ..base.lazy import lazy
from ..kernels.rows import Linear, RowKernel
from .kernel import blocks, many


def pairs(n_classes: int) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(n_classes) for j in range(i + 1, n_classes))


@lru_cache(maxsize=16)
def _class_pairs(n_classes: int) -> np.ndarray:
    """The pairs as rows (i, j)."""
    found = np.column_stack(np.triu_indices(n_classes, 1))
    found.flags.writeable = False
    return found


@lru_cache(maxsize=16)
def _signs_of_halves(n_pairs: int) -> np.ndarray:
    found = np.tile([-1.0, 1.0], n_pairs)
    found.flags.writeable = False
    return found


class PairRows(Sequence[np.ndarray]):
    """The rows of each pair (i, j), those of class i before those of class j, one pair behind the other in `items`."""

    def __init__(self, codes: np.ndarray, n_classes: int) -> None:
        ends = np.bincount(codes, minlength=n_classes).cumsum().tolist()
        order = codes.argsort(kind="stable")
        self.of_class = [order[i:j] for i, j in zip([0, *ends], ends, strict=False)]
        self.classes = _class_pairs(n_classes)
        self.halves = np.array([len(rows) for rows in self.of_class])[self.classes]
        self.sizes = self.halves.sum(axis=1)
        self.ends = self.sizes.cumsum()
        self.items = np.concatenate([self.of_class[c] for c in self.classes.ravel().tolist()])

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, k: Any) -> Any:
        return self.items[self.ends[k] - self.sizes[k] : self.ends[k]]

    @lazy
    def signs(self) -> np.ndarray:
        """-1 for the rows of class i, +1 for those of class j."""
        return np.repeat(_signs_of_halves(len(self)), self.halves.ravel())


@dataclass(frozen=True)
class PairsModel:
    """Scores of all pairs from one kernel block: each class's support is summed once, for all its pairs."""

    kernel: Any
    support: Any
    coef: np.ndarray  # classes - 1 x support
    n_support: np.ndarray  # of each class, in the order of `support`
    intercept: np.ndarray  # pairs

    def scores(self, items: Any, threads: int = 1) -> np.ndarray:
        """n x pairs."""
        items = self.kernel.prepare(items)
        out = np.empty((len(items), len(self.intercept)))
        if isinstance(self.kernel, Linear):
            self._by_weights(items, out, threads)
            return out
        if isinstance(self.kernel, RowKernel):
            self._add_up(slice(None), out, [self._of_class(items, c, threads) for c in range(len(self.n_support))])
            return out
        with one_blas_thread():
            for rows, K in blocks(self.kernel, items, self.support, threads):
                self._add_up(rows, out, [K[:, s] @ self.coef[:, s].T for s in self._places()])
        return out

    def _places(self) -> list[slice]:
        return [slice(e - n, e) for e, n in zip(np.cumsum(self.n_support), self.n_support, strict=True)]

    def _of_class(self, items: Any, c: int, threads: int) -> np.ndarray:
        """Sums over the support of one class, for all its pairs."""
        place = self._places()[c]
        part = self.support.take(np.arange(place.start, place.stop))
        return self.kernel.sums(items, part, self.coef[:, place], threads, single=many(self.support))

    def _by_weights(self, items: Any, out: np.ndarray, threads: int) -> None:
        """Both classes of a pair in one sum: apart, large terms that cancel would leave their rounding."""
        places = self._places()
        for p, (i, j) in enumerate(pairs(len(self.n_support))):
            at = np.r_[places[i], places[j]]
            coef = np.concatenate([self.coef[j - 1, places[i]], self.coef[i, places[j]]])
            out[:, p] = self.kernel.sums(items, self.support.take(at), coef[None], threads)[:, 0] + self.intercept[p]

    def _add_up(self, rows: slice, out: np.ndarray, sums: list[np.ndarray]) -> None:
        for p, (i, j) in enumerate(pairs(len(self.n_support))):
            out[rows, p] = sums[i][:, j - 1] + sums[j][:, i] + self.intercept[p]
