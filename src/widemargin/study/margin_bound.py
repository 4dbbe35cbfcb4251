"""What margins on the training rows say about rows that were never seen.

Problem  an upper bound on the error of a vote f of members of H, that holds with probability 1 - delta for all f
Symbols  m rows, k classes, theta a margin out of a fixed list of `GRID`;  N kinds of answers that members of H can give
         on m rows: R <= sqrt(2 ln N / m) bounds the Rademacher complexity of H and of all its votes
Method   error <= share of margins <= theta + 2 R / theta + sqrt(ln(GRID / delta) / 2m)     [MohriEtAl18, ch. 7]
         for k > 2 classes 4 k R / theta in place of 2 R / theta                            [MohriEtAl18, ch. 9]
         for all theta of the list at once, by the sum of their probabilities. The first bound of this kind is
         [SchapireEtAl98, th. 1]. Real answers within [-1, 1] on the sides of a question are means of answers -1 and 1,
         so that N counts for them too. Trees of any size: delta is shared out to all numbers of leaves L by 1 / L(L+1).
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np

GRID = 100


def log_growth(model: Any, members: int, shape: tuple[int, int], k: int) -> tuple[float, float] | None:
    """(ln N, what delta is divided by) of the first members of a booster; None where nobody knows N."""
    m, d = shape
    if model.stumps_ is not None:  # a column, one of m cuts, an answer for each of three sides
        return log(d * m) + 3 * log(k) + _of_class(k), 1.0
    trees: list[Any] = [getattr(member, "tree_", None) for member in model.members_[:members]]
    if not trees or None in trees:
        return None
    leaves = max(int(tree.n_leaves) for tree in trees)
    # Shapes of L leaves are at most 4^(L-1); each question has a column, a cut and a side for missing values.
    growth = (leaves - 1) * log(4 * 2 * d * m) + leaves * log(k)
    return growth + _of_class(k), leaves * (leaves + 1.0)


def _of_class(k: int) -> float:
    """Of many classes each is looked at alone."""
    return log(k) if k > 2 else 0.0


def margin_bound(
    margins: np.ndarray, growth: tuple[float, float] | None, k: int, delta: float
) -> tuple[float | None, float | None]:
    """(the bound, the theta that gives it); at most 1, which says nothing."""
    if growth is None:
        return None, None
    m, (log_n, shared) = len(margins), growth
    theta = np.arange(1, GRID + 1) / GRID
    below = np.searchsorted(np.sort(margins), theta, side="right") / m
    complexity = sqrt(2 * log_n / m) * (2 if k == 2 else 4 * k)
    values = below + complexity / theta + sqrt(log(GRID * shared / delta) / (2 * m))
    best = int(np.argmin(values))
    return min(1.0, float(values[best])), float(theta[best])
