"""Kernel values of some items for many problems at once: folds, pairs of classes, values of C.

They are all computed once, in float32, where memory allows; otherwise each problem keeps rows of its own.
"""

from __future__ import annotations

import numpy as np

from .. import _core
from ..base.blas import one_blas_thread
from ..base.errors import BadInput
from .gram import GramSource

BLOCK = 1 << 21  # values at a time


class WholeGram:
    """K[i, j] = k(i, j), with the bits that the core's own rows have; the diagonal in float64.

    `memory` is a matrix of an earlier one that nobody reads any more.
    """

    def __init__(self, source: GramSource, memory: np.ndarray | None = None) -> None:
        n, self.source = source.n, source
        self.diag = np.ascontiguousarray(source.diag, dtype=np.float64)
        if source.native is None:
            self.K = source.single(None)
            return
        if self.diag.max(initial=0.0) > np.finfo(np.float32).max:  # no value of a kernel is above those
            raise BadInput(f"the kernel {source.kernel} gives values that float32 cannot hold: scale the data.")
        # Memory that was touched before is filled in a fraction of the time.
        self.K = np.empty((n, n), np.float32) if memory is None or memory.shape != (n, n) else memory
        _core.native_source(source.native).fill(self.K, source.threads)

    @staticmethod
    def bytes(n: int) -> int:
        return 4 * n * n

    def rows(self, items: np.ndarray | None = None) -> _core.RowSource:
        """For one solver: all items, or some by their numbers."""
        if items is None:
            return _core.matrix_source(self.K, self.diag)
        return _core.submatrix_source(self.K, self.diag, np.ascontiguousarray(items, dtype=np.int32))

    def block(self, I: np.ndarray, J: np.ndarray) -> np.ndarray:
        return self.K[I[:, None], J]


class LazyGram:
    """The same for more items than memory holds the values of."""

    def __init__(self, source: GramSource) -> None:
        self.source = source

    def rows(self, items: np.ndarray | None = None) -> _core.RowSource:
        some = self.source if items is None else self.source.take(items)
        if some.native is not None:
            return _core.native_source(some.native)
        return _core.called_source(
            np.ascontiguousarray(some.diag, dtype=np.float64),
            lambda I: some.single(I),
            lambda I: some.single(I, I),
        )

    def block(self, I: np.ndarray, J: np.ndarray) -> np.ndarray:
        return self.source.block(I, J)


def expansions(gram: WholeGram | LazyGram, at: np.ndarray, items: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """sum_j coef[c, j] k(items[j], i) for each row c of coefficients and each item i of `at`."""
    used = np.flatnonzero(coef.any(axis=0))
    out = np.zeros((len(coef), len(at)))
    size = max(1, BLOCK // max(len(used), 1))
    with one_blas_thread():
        for first in range(0, len(at), size):
            here = slice(first, first + size)
            out[:, here] = coef[:, used] @ gram.block(at[here], items[used]).T.astype(np.float64, copy=False)
    return out
