"""One seed a fit; every random number is keyed by (seed, purpose, index) in the core."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state


def seed_from(random_state: int | np.random.RandomState | None) -> int:
    """An integer is the seed itself, so that the same integer means the same orders everywhere."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**31 - 1))
