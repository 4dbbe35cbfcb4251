"""Sums over rows go through one door. Here the rows are all in this process; a cluster puts its own sum in."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


def allreduce(parts: Iterable[np.ndarray | float]) -> np.ndarray | float:
    """The sum of the parts in their order, so that it is the same for any number of threads or workers."""
    total: np.ndarray | float = 0.0
    for part in parts:
        total = total + part
    return total
