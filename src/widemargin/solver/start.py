"""Where to begin a box problem that is close to one solved before.

Problem  model/box.py, twice: the old one with its solution b, and a new one with another box or other sums
Method   variables at an old bound go to the new one, others stay as far as the new box lets them; then the sums are put
         right by shrinking the heavier side                                    [DeCosteWagstaff00, alpha seeding]
"""

from __future__ import annotations

import numpy as np

from ..model.box import BoxProblem


def carried(b: np.ndarray, old: BoxProblem, new: BoxProblem) -> np.ndarray:
    """A feasible point of the new problem close to b, which solves the old one."""
    low, high = (b <= old.lower) & (old.lower < 0), (b >= old.upper) & (old.upper > 0)
    x = np.where(low, new.lower, np.where(high, new.upper, b))
    if not new.hard:
        x = np.clip(x, new.lower, new.upper)
    x = np.where(np.isfinite(x), x, b)
    for g, total in enumerate(new.total):
        here = new.groups == g
        x[here] = _with_sum(x[here], total, new.lower[here], new.upper[here])
    return x


def _with_sum(x: np.ndarray, total: float, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """x with that sum: first those on the heavier side towards 0, then, if that is not enough, others towards their bound."""
    excess = float(x.sum()) - total
    if excess < 0:
        return -_with_sum(-x, -total, -upper, -lower)
    for room in (np.maximum(x, 0.0), x - lower):
        take = min(excess, float(room.sum()))
        if take > 0:
            x = np.maximum(x - room * (take / float(room.sum())), lower)
            excess = float(x.sum()) - total
    return _rounded(x, excess, lower, upper)


def _rounded(x: np.ndarray, excess: float, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """What rounding left of the sum goes to the variable with most room."""
    v = int(np.argmax(np.minimum(x - lower, upper - x)))
    if x.size and lower[v] < x[v] - excess < upper[v]:
        x[v] -= excess
    return x
