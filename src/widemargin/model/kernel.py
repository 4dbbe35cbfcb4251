"""Expansions in kernel values, one for each binary part: u(x) = sum_j c_j k(x_j, x) + b."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..base.blas import one_blas_thread
from ..kernels.rows import RowKernel

MANY = 4096  # items of support from which on kernel values are float32: their errors are far below what a fit leaves
EDGE = 2.0**-33  # of rho of one class: scores below are 0, so that rounding decides nothing
_BLOCK = 1 << 21  # kernel values held at a time


def blocks(kernel: Any, items: Any, support: Any, threads: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Kernel values of some items at a time with all of the support."""
    size = max(64, _BLOCK // max(len(support), 1))
    for start in range(0, len(items), size):
        stop = min(start + size, len(items))
        part = items if stop - start == len(items) else items.take(np.arange(start, stop))
        yield slice(start, stop), kernel.block(part, support, threads)


def many(support: Any) -> bool:
    """Whether the support is so large that its sums are worth float32; a matter of the model, never of the question."""
    return len(support) >= MANY


@dataclass(frozen=True)
class KernelModel:
    """The last or the averaged expansion."""

    kernel: Any
    support: Any
    coef: np.ndarray  # parts x support
    intercept: np.ndarray  # parts

    def scores(self, items: Any, threads: int = 1) -> np.ndarray:
        """n x parts."""
        items = self.kernel.prepare(items)
        if isinstance(self.kernel, RowKernel):
            return self.kernel.sums(items, self.support, self.coef, threads, single=many(self.support)) + self.intercept
        out = np.empty((len(items), len(self.coef)))
        with one_blas_thread():
            for rows, K in blocks(self.kernel, items, self.support, threads):
                out[rows] = K @ self.coef.T + self.intercept
        return out


@dataclass(frozen=True)
class Steps:
    """The updates of one part in order: which support item, the signed step, and the lives of all expansions."""

    at: np.ndarray
    step: np.ndarray
    life: np.ndarray  # one more than steps: the first is that of u = 0


@dataclass(frozen=True)
class VotedKernelModel:
    """All expansions that a perceptron passed through, each with as many votes as visits that it survived."""

    kernel: Any
    support: Any
    steps: tuple[Steps, ...]
    intercept: bool

    def scores(self, items: Any, threads: int = 1) -> np.ndarray:
        """n x parts: votes for the positive class minus votes against, as a share of all."""
        items = self.kernel.prepare(items)
        out = np.zeros((len(items), len(self.steps)))
        for rows, K in blocks(self.kernel, items, self.support, threads):
            values = np.ascontiguousarray(K.T).ravel()
            for part, s in enumerate(self.steps):
                u, vote, score = np.zeros((3, len(K)))
                _core.cast_votes(s.at, s.step, s.life, self.intercept, values, u, vote, score)
                out[rows, part] = vote / max(s.life.sum(), 1.0)
        return out
