"""From the solution of one box problem to a start of the next: another C, other weights, another nu.

Problem  b solves a problem of model/box.py; find a point of the box and the sums of another one, close to it
Method   what was at a bound other than 0 goes to the new one, the rest is clipped; then each sum is put right by
         shrinking the side that is too heavy, or, where nothing can shrink, by filling the room that is left, all in
         proportion
"""

from __future__ import annotations

import numpy as np

from ..base.errors import BadInput
from ..model.box import BoxProblem

ROUNDING = 2.0**-44  # of a sum: putting that right would take variables off their bounds


def carried(b: np.ndarray, old: BoxProblem, new: BoxProblem) -> np.ndarray:
    """A feasible point of `new` made of a point `b` of `old`; both problems speak of the same items.

    Parameters
    ----------
    b : ndarray of shape (N,)
    old, new : BoxProblem

    Returns
    -------
    ndarray of shape (N,)
    """
    b = np.array(b, dtype=np.float64)
    if b.size != old.n_variables or old.n_variables != new.n_variables or old.n != new.n:
        raise BadInput(f"a start of {b.size} variables was made for {old.n} rows, but there are {new.n}.")
    b = np.where((b >= old.upper) & (old.upper > 0), _finite(new.upper, b), b)
    b = np.where((b <= old.lower) & (old.lower < 0), _finite(new.lower, b), b)
    b = np.clip(b, new.lower, new.upper)
    for g, total in enumerate(new.total):
        here = new.groups == g
        b[here] = _balanced(b[here], new.lower[here], new.upper[here], total)
    return b


def _finite(bound: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The bound, or b itself where there is none."""
    return np.where(np.isfinite(bound), bound, b)


def _balanced(b: np.ndarray, lower: np.ndarray, upper: np.ndarray, total: float) -> np.ndarray:
    """b with sum `total`, inside of its bounds."""
    excess = float(b.sum()) - total
    if abs(excess) <= ROUNDING * float(np.abs(b).sum()):
        return b
    sign = 1.0 if excess > 0 else -1.0
    heavy = sign * b > 0
    weight = float(np.abs(b[heavy]).sum())
    shrunk = min(abs(excess), weight)
    b = np.where(heavy, b * (1 - shrunk / weight) if weight > 0 else b, b)
    left = abs(excess) - shrunk
    if left > 0:
        room = b - lower if sign > 0 else upper - b
        space = float(room.sum())
        b = b - sign * room * min(left / space, 1.0) if space > 0 and np.isfinite(space) else b
    return np.clip(b, lower, upper)
