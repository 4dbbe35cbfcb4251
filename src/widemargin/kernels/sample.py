"""Items drawn at random by key: the same seed and purpose give the same items."""

from __future__ import annotations

import numpy as np

from .. import _core

# What the numbers are for, so that no two uses share them; far above the numbers of parts, which solvers use.
LANDMARKS, PAIRS, FREQUENCIES, MERCER = (2**32 + k for k in range(4))


def drawn(n: int, most: int, seed: int, purpose: int) -> np.ndarray:
    """At most so many of 0 … n - 1, every choice equally likely, in growing order."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.argpartition(_core.uniform(n, seed, purpose), most)[:most])
