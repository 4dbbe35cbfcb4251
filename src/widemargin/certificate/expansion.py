"""Expansions in kernel values over all items of a fit, in blocks of float64, with a bound on their error.

Problem  f_i = sum_j c_j k(i, j) for every item, and e_i with |exact - computed| <= e_i
Symbols  s items with c_j != 0; kernel values are taken to be right to 2^-40 of sqrt(k(i, i) k(j, j))
Method   |k(i, j)| <= sqrt(k(i, i) k(j, j)), so e_i = (gamma(s) + 2^-40) sqrt(k(i, i)) sum_j |c_j| sqrt(k(j, j))
         [Higham02, sec. 3.1]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bounded import TINY, gamma
from .kernel import KERNEL_ERROR


def expansion(source: Any, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(f, e) for a source with `n`, `diag` and `expand(c)`; only columns with c != 0 are asked for."""
    c = np.asarray(c, dtype=np.float64)
    support = np.flatnonzero(c)
    with np.errstate(all="ignore"):
        f = source.expand(c)
        length = np.sqrt(np.maximum(source.diag, 0.0))
        reach = float(np.abs(c[support]) @ length[support])
        e = (gamma(support.size + 8) + KERNEL_ERROR) * reach * length + TINY
    e[~np.isfinite(f)] = np.inf
    return f, e
