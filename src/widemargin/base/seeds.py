"""One seed a fit; every random number is keyed by (seed, purpose, index), in the core and here."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.utils import check_random_state

# What the numbers are for is part of their key, so that two uses never share numbers; those of core/base/rng.hpp are
# small. Append only: a seed means for ever what it meant once.
PURPOSES = {"sample": 1000, "split": 1001, "source": 1002, "learner": 1003, "flip": 1004, "turn": 1005}
Purpose = Literal["sample", "split", "source", "learner", "flip", "turn"]


def seed_from(random_state: int | np.random.RandomState | None) -> int:
    """An integer is the seed itself, so that the same integer means the same orders everywhere."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**31 - 1))


def keyed(seed: int, purpose: Purpose, index: int) -> np.random.Generator:
    """NumPy's Philox with the key (seed, purpose) and the counter at (index): no shared stream, any order of use."""
    low, high = seed % 2**64, PURPOSES[purpose]
    return np.random.Generator(np.random.Philox(key=low | high << 64, counter=index << 64))
