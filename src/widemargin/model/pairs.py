"""Expansions of all pairs of classes, in LIBSVM's layout: a support item of class i has one coefficient for each other class.

Symbols  pair (i, j), i < j: positive scores speak for class i; a support item of class i keeps its coefficient for the pair
         in row j - 1, one of class j in row i
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.blas import one_blas_thread
from .kernel import blocks


def pairs(n_classes: int) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(n_classes) for j in range(i + 1, n_classes))


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
        items, k = self.kernel.prepare(items), len(self.n_support)
        ends = np.cumsum(self.n_support)
        out = np.empty((len(items), len(self.intercept)))
        with one_blas_thread():
            for rows, K in blocks(self.kernel, items, self.support, threads):
                sums = [
                    K[:, end - count : end] @ self.coef[:, end - count : end].T
                    for end, count in zip(ends, self.n_support, strict=True)
                ]
                for p, (i, j) in enumerate(pairs(k)):
                    out[rows, p] = sums[i][:, j - 1] + sums[j][:, i] + self.intercept[p]
        return out
