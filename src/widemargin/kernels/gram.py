"""Kernel values between the items of a fit, in blocks: all that a kernel solver ever sees of the data."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from .. import _core
from .items import Items, RowItems
from .rows import RowKernel


class GramSource:
    """n items and the values k(i, j) between them."""

    def __init__(self, kernel: Any, items: Items, threads: int = 1) -> None:
        self.kernel, self.items, self.threads = kernel, items, threads
        self.n = len(items)

    @cached_property
    def diag(self) -> np.ndarray:
        return self.kernel.diag(self.items)

    def block(self, I: np.ndarray | None, J: np.ndarray | None, out: np.ndarray | None = None) -> np.ndarray:
        """Values of items I with items J (None = all), in float64."""
        a, b = (self.items if index is None else self.items.take(index) for index in (I, J))
        values = self.kernel.block(a, b, self.threads)
        if out is None:
            return values
        out[...] = values
        return out

    def take(self, index: np.ndarray) -> GramSource:
        return GramSource(self.kernel, self.items.take(index), self.threads)

    @cached_property
    def native(self) -> _core.KernelRows | None:
        """Rows and kernel for solvers of the core; None if the kernel is computed in Python."""
        if not (isinstance(self.kernel, RowKernel) and isinstance(self.items, RowItems)):
            return None
        return _core.kernel_rows(self.items.native, *self.kernel.native(), self.threads)
