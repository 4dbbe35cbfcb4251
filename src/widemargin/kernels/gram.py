"""Kernel values between the items of a fit, in blocks: all that a kernel solver ever sees of the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _core
from ..base.errors import BadInput
from ..base.lazy import lazy
from .items import Items, RowItems
from .narrow import narrowed
from .rows import RBF, RowKernel

ROWS, COLUMNS = 2048, 1024  # of a block: both sides are long, so that preparing them costs little beside the values
FULL = 4  # times as many values as entries that sparse rows may have to be taken for full
SINGLE = 1e-30, 1e38  # the largest number of rows that keep their digits in float32
PIECE = 1 << 21  # float64 values at a time on the way to float32


class GramSource:
    """n items and the values k(i, j) between them."""

    def __init__(self, kernel: Any, items: Items, threads: int = 1) -> None:
        self.kernel, self.items, self.threads = kernel, items, threads
        self.n = len(items)

    @property
    def _in_core(self) -> bool:
        """Whether these are rows of numbers under a kernel that the core computes."""
        return isinstance(self.kernel, RowKernel) and isinstance(self.items, RowItems)

    @lazy
    def diag(self) -> np.ndarray:
        return self.kernel.diag(self.items)

    @lazy
    def squared_norms(self) -> np.ndarray:
        """Of rows of numbers."""
        assert isinstance(self.items, RowItems)
        return self.items.native.squared_norms(1)

    def block(self, I: np.ndarray | None, J: np.ndarray | None, out: np.ndarray | None = None) -> np.ndarray:
        """Values of items I with items J (None = all), in float64."""
        a, b = (self.items if index is None else self.items.take(index) for index in (I, J))
        values = self.kernel.block(a, b, self.threads)
        if out is None:
            return values
        out[...] = values
        return out

    @lazy
    def whole(self) -> np.ndarray:
        """All values, read-only, for few items; the diagonal is that of `diag`, since a distance of 0 may be rounded
        otherwise."""
        K = self.block(None, None)
        K = K if isinstance(self.kernel, RowKernel) else np.array(K, order="C")  # a function may keep what it gives
        K.flat[:: self.n + 1] = self.diag
        K.flags.writeable = False
        return K

    def single(self, I: np.ndarray | None, J: np.ndarray | None = None) -> np.ndarray:
        """Values of items I with items J (None = all), in float32; float64 ones are there a piece at a time only."""
        I = np.arange(self.n) if I is None else I
        columns = self.n if J is None else len(J)
        out = np.empty((len(I), columns), np.float32)
        size = max(1, PIECE // max(columns, 1))
        for first in range(0, len(I), size):
            here = out[first : first + size]
            with np.errstate(over="ignore"):
                here[...] = self.block(I[first : first + size], J)
            if not np.isfinite(here).all():
                raise BadInput(f"the kernel {self.kernel} gives values that float32 cannot hold: scale the data.")
        return out

    def expand(self, c: np.ndarray) -> np.ndarray:
        """sum_j c_j k(i, j) for every item i, in float64."""
        c = np.asarray(c, dtype=np.float64)
        if self._in_core:
            return self.kernel.expand(self.items, c, self.threads)
        support = np.flatnonzero(c)
        f = np.zeros(self.n)
        for rows in _pieces(np.arange(self.n), ROWS):
            for columns in _pieces(support, COLUMNS):
                f[rows] += self.block(*(None if len(i) == self.n else i for i in (rows, columns))) @ c[columns]
        return f

    def expand_at(self, index: np.ndarray, c: np.ndarray) -> np.ndarray:
        """The same for some items i only."""
        support = np.flatnonzero(c)
        if self._in_core:
            some, others = self.items.take(index), self.items.take(support)
            return self.kernel.sums(some, others, c[support][None], self.threads)[:, 0]
        f = np.zeros(len(index))
        for here in _pieces(np.arange(len(index)), ROWS):
            for columns in _pieces(support, COLUMNS):
                f[here] += self.block(index[here], columns) @ c[columns]
        return f

    def take(self, index: np.ndarray) -> GramSource:
        return _Some(self, index)

    @lazy
    def native(self) -> _core.KernelRows | None:
        """Rows and kernel for solvers of the core; None if the kernel is computed in Python."""
        if not self._in_core:
            return None
        return self._with_kernel(self.near_origin)

    @lazy
    def narrow(self) -> _core.KernelRows | None:
        """The same in as few columns as the rows need, for solvers to which rounding does not matter."""
        if not self._in_core:
            return None
        X = self.narrow_rows
        return self.native if X is None else self._with_kernel(RowItems(X))

    def _with_kernel(self, items: RowItems) -> _core.KernelRows:
        kind, gamma, offset, degree = self.kernel.native()
        return _core.kernel_rows(items.native, kind, gamma, offset, degree, self.threads)

    @lazy
    def narrow_rows(self) -> np.ndarray | None:
        """Rows of numbers in fewer columns, in float32 where that holds them; None where that would save little."""
        items = self.near_origin
        X = None if items.sparse else narrowed(items.X)
        if X is None or X is items.X:
            return None
        held = SINGLE[0] < np.abs(X).max() < SINGLE[1]
        return X.astype(np.float32) if held else X

    @lazy
    def near_origin(self) -> Any:
        """The items; for a radial kernel moved by a mean far out, where float32 would lose their distances.

        Sparse rows have no zeros when they are moved: only those that have few are.
        """
        items = self.items
        if not (isinstance(self.kernel, RBF) and isinstance(items, RowItems)) or not len(items):
            return items
        if items.sparse and FULL * items.X.nnz < items.X.shape[0] * items.X.shape[1]:
            return items
        mean = np.ravel(items.X.sum(axis=0, dtype=np.float64)) / len(items)
        far = float(mean @ mean)
        if not far > self.squared_norms.sum() / len(items) / 2:
            return items
        X = items.X.toarray() if items.sparse else items.X
        return RowItems((X - mean).astype(X.dtype), items.names)


class _Some(GramSource):
    """Some of the items of another source, copied when they are first needed."""

    def __init__(self, whole: GramSource, index: np.ndarray) -> None:
        self.kernel, self.threads, self.n = whole.kernel, whole.threads, len(index)
        self._whole, self._index = whole, index

    @lazy
    def items(self) -> Items:
        return self._whole.items.take(self._index)

    @property
    def _in_core(self) -> bool:
        return self._whole._in_core

    @lazy
    def diag(self) -> np.ndarray:
        """Of rows of numbers all values cost less than a copy of some rows."""
        return self._whole.diag[self._index] if self._in_core else super().diag

    @lazy
    def narrow_rows(self) -> np.ndarray | None:
        """Where all rows are narrow, so are some, which are not copied in all their columns."""
        X = self._whole.narrow_rows
        return super().narrow_rows if X is None else X[self._index]


def _pieces(index: np.ndarray, size: int) -> Iterator[np.ndarray]:
    for start in range(0, len(index), size):
        yield index[start : start + size]
