"""Expansions in kernel values over all items of a fit, in blocks of float64, with a bound on their error.

Problem  f_i = sum_j c_j k(i, j) for every item, and e_i with |exact - computed| <= e_i
Symbols  s items with c_j != 0; kernel values are taken to be right to 2^-40 of sqrt(k(i, i) k(j, j))
Method   |k(i, j)| <= sqrt(k(i, i) k(j, j)), so e_i = (gamma(s) + 2^-40) sqrt(k(i, i)) sum_j |c_j| sqrt(k(j, j))
         [Higham02, sec. 3.1]. The linear kernel's f_i is x_i.w, w = sum_j c_j x_j summed in wider numbers of unit v:
         e_i = |x_i| (gamma(d) |w| + s v sum_j |c_j| |x_j|), and nothing is taken to be right
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from ..kernels.rows import Linear, RowKernel
from ..kernels.weights import UNIT, weights
from .bounded import TINY, gamma
from .kernel import KERNEL_ERROR

CALL = 8000  # kernel values that take as long as the way to the core and back


def expansion(source: Any, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(f, e) for a source with `n`, `diag` and `expand(c)`; only columns with c != 0 are asked for."""
    c = np.asarray(c, dtype=np.float64)
    support = np.flatnonzero(c)
    with np.errstate(all="ignore"):
        length = np.sqrt(np.maximum(source.diag, 0.0))
        reach = float(np.abs(c[support]) @ length[support])
        if isinstance(getattr(source, "kernel", None), Linear):
            f, error = _by_weights(source, c, support.size, reach)
        else:
            f, error = source.expand(c), (gamma(support.size + 8) + KERNEL_ERROR) * reach
        e = error * length + TINY
    e[~np.isfinite(f)] = np.inf
    return f, e


def expansions(source: Any, parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same for many expansions (items, c), each over its own items."""
    if len(parts) < 2:
        return [expansion(source.take(items), c) for items, c in parts]
    items, c = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    ends = np.cumsum([len(part[0]) for part in parts])
    f, e = joined_expansions(source, items, c, ends)
    return [(f[i:j], e[i:j]) for i, j in zip([0, *ends[:-1]], ends, strict=True)]


def joined_expansions(source: Any, items: np.ndarray, c: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """f and e of many expansions, one behind the other: the items and coefficients of expansion k end at ends[k]."""
    kernel, first = getattr(source, "kernel", None), np.concatenate(([0], ends[:-1]))
    sizes = ends - first
    if not isinstance(kernel, RowKernel) or isinstance(kernel, Linear):
        each = [expansion(source.take(items[i:j]), c[i:j]) for i, j in zip(first, ends, strict=True)]
        return np.concatenate([f for f, _ in each]), np.concatenate([e for _, e in each])
    f, numbers = np.empty(len(c)), items.astype(np.int32)
    used = np.add.reduceat((c != 0) * 1, first)
    # All kernel values at once, which are symmetric, may cost less than those of each part and a call for each.
    if source.n**2 <= int(sizes @ used) + CALL * len(ends):
        _core.sums_of_parts(source.whole, numbers, ends, c, f)
    else:
        _core.kernel_expansions(source.items.native, *kernel.native(), numbers, ends, c, f, source.threads)
    with np.errstate(all="ignore"):
        here = np.sqrt(np.maximum(source.diag, 0.0))[items]
        reach = np.add.reduceat(np.abs(c) * here, first)
        e = np.repeat((gamma(used + 8) + KERNEL_ERROR) * reach, sizes) * here + TINY
    e[~np.isfinite(f)] = np.inf
    return f, e


def _by_weights(source: Any, c: np.ndarray, s: int, reach: float) -> tuple[np.ndarray, float]:
    """f, and what the score of a row of length 1 may err by."""
    w = weights(source.items.X, c[None])
    of_sums = 1.1 * (s + 8) * UNIT + 2.0**-100
    error = gamma(2 * source.items.X.shape[1] + 8) * float(np.linalg.norm(w)) * 1.5 + of_sums * reach
    return source.kernel.scores(source.items, w, source.threads)[:, 0], error
