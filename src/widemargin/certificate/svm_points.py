"""Dual points of one or many box problems with all that follows from them, figure by figure for all at once.

Symbols  b, t, lower, upper by variable, f, e, c by item; the variables and items of one problem after those of another
         (see the head of svm.py for the formulas)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base.lazy import lazy
from ..model.boxes import BoxProblems
from .bounded import TINY, UNIT, gamma


class Points:
    """f at every item with its error, and the offsets of each problem's groups."""

    def __init__(
        self, problems: BoxProblems, b: np.ndarray, scores: tuple[np.ndarray, np.ndarray], offsets: np.ndarray
    ) -> None:
        p = self.problems = problems
        self.sizes, self.first, self.n, self.first_item = p.sizes, p.first, p.n, p.first_item
        self.t, self.lower, self.upper, self.group = p.t, p.lower, p.upper, p.group
        self.total, self.groups, self.fixed = p.total, p.groups, p.fixed
        self.b, self.c, (self.f, self.e), self.offsets = b, p.items(b), scores, offsets

    # ---- by variable -------------------------------------------------------------------------------------------

    def _each(self, of_items: np.ndarray) -> np.ndarray:
        """Values of items as values of variables."""
        if len(of_items) == len(self.b):
            return of_items
        ends = self.first_item + self.n
        pieces = zip(self.first_item, ends, self.sizes // self.n, strict=True)
        return np.concatenate([np.tile(of_items[i:j], m) for i, j, m in pieces])

    @lazy
    def offset(self) -> np.ndarray:
        """Of each variable's group; 0 where no sum is fixed."""
        if self.group is None:
            return np.repeat(self.offsets[:, 0], self.sizes)
        return self.offsets[np.repeat(np.arange(len(self.sizes)), self.sizes), self.group]

    @lazy
    def size(self) -> np.ndarray:
        """|b|."""
        return np.abs(self.b)

    def _here(self, g: int, values: np.ndarray, otherwise: Any) -> np.ndarray:
        return values if self.group is None else np.where(self.group == g, values, otherwise)

    # ---- by problem --------------------------------------------------------------------------------------------

    def _sum(self, values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values, self.first)

    def _item_sum(self, values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values, self.first_item)

    @lazy
    def square(self) -> np.ndarray:
        """|w|^2 = b'Kb."""
        return self._item_sum(self.c * self.f)

    @lazy
    def square_error(self) -> np.ndarray:
        c = self.size if self.c is self.b else np.abs(self.c)
        return self._item_sum(c * (self.e + np.repeat(gamma(self.n + 4), self.n) * np.abs(self.f)))

    @lazy
    def dual(self) -> np.ndarray:
        return self._sum(self.t * self.b) - self.square / 2

    @lazy
    def missing(self) -> np.ndarray:
        """What is missing from each group's total; 0 where no sum is fixed."""
        missing = np.empty_like(self.total)
        for g in range(self.groups):
            missing[:, g] = self.total[:, g] - self._sum(self._here(g, self.b, 0.0))
        missing[~self.fixed] = 0.0
        return missing

    @lazy
    def most_missing(self) -> np.ndarray:
        return np.abs(self.missing[:, 0]) if self.groups == 1 else np.abs(self.missing).max(axis=1)

    def _of_groups(self, values: np.ndarray) -> np.ndarray:
        """Summed over the groups of each problem."""
        return values[:, 0] if self.groups == 1 else values.sum(axis=1)

    @lazy
    def farthest(self) -> np.ndarray:
        """How far a variable is outside of its bounds, at most; not above 0 if none is."""
        return np.maximum.reduceat(np.maximum(self.lower - self.b, self.b - self.upper), self.first)

    def soft_margin(self) -> dict[str, np.ndarray]:
        o, f, e = self.offset, self._each(self.f), self._each(self.e)
        r = self.t - f - o
        bound = np.where(r > 0, self.upper, self.lower)
        terms = (bound - self.b) * r
        of_total, of_missing = self.offsets * self.total, self.offsets * self.missing
        primal = self.square / 2 + self._sum(bound * r) + self._of_groups(of_total)
        gap = self._sum(terms) + self._of_groups(of_missing)
        size = np.abs(self.t) + np.abs(f) + np.abs(o)
        of_r = e + 4 * UNIT * size
        # Where the sign of r is sure and b stands at the bound that it points to, the term is 0 whatever r is.
        sure = (self.b == bound) & (np.abs(r) > of_r)
        rounding = self._sum(np.where(sure, 0.0, (self.upper - self.lower) * of_r))
        # Scores move the dual by half of b'Kb's error, and the primal, gap plus dual, by both; then come the sums.
        rounding += self.square_error / 2 + self._of_groups(np.abs(of_missing))
        sums = self._sum((np.abs(bound) + self.size) * size) + self._of_groups(np.abs(of_total))
        rounding += gamma(self.sizes + 8) * sums
        least = 1e-12 * self.problems.sums_of_bounds
        return gap_figures(primal, self.dual, gap, rounding, least)

    def hard_margin(self) -> dict[str, np.ndarray]:
        """All problems have infinite bounds."""
        a, q, e, o = np.abs(self.b), self.square, self.e, self.offset
        margins = self.t * (self.f + o)
        proved, least = (np.minimum.reduceat(v, self.first) for v in (margins - e, margins))
        good = proved > 0
        proved, least = np.where(good, proved, 1.0), np.where(good, least, 1.0)
        stretch, most = 1 / least**2, 1 / proved**2
        missing = self._of_groups(self.offsets * self.missing)
        gap = q * (stretch - 1) / 2 + self._sum(a * (margins - 1)) + missing
        rounding = q * (most - stretch) / 2 + (most + 1) * self.square_error / 2
        rounding += self._sum(a * e) + 4 * UNIT * q * (most + 1)
        rounding += gamma(self.n + 8) * self._sum(a * (np.abs(margins) + 1 + np.abs(o))) + np.abs(missing)
        infinite = np.full(len(q), math.inf)
        primal, gap = np.where(good, q * stretch / 2, infinite), np.where(good, gap, infinite)
        return gap_figures(primal, self.dual, gap, np.where(good, rounding, 0.0), np.zeros(len(q)))

    def conditions(self) -> dict[str, np.ndarray]:
        b, F = self.b, self._each(self.f) - self.t
        can_fall, can_rise = b > self.lower, b < self.upper
        violation = np.zeros(len(self.sizes))
        for g in range(self.groups):
            down, up = self._here(g, can_fall, False), self._here(g, can_rise, False)
            highest = np.maximum.reduceat(np.where(down, F, -math.inf), self.first)
            lowest = np.minimum.reduceat(np.where(up, F, math.inf), self.first)
            # With a fixed sum the offset may be anything; without one it is 0.
            here = np.where(self.fixed, highest - lowest, np.maximum(highest, -lowest))
            violation = np.maximum(violation, here)
        free = can_fall & can_rise
        return {
            "kkt_violation": violation,
            "infeasibility": np.maximum(np.maximum(self.farthest, 0.0), self.most_missing),
            "n_free": self._sum(free * 1),
            "n_bounded": self._sum((~free & (b != 0)) * 1),
        }


def gap_figures(primal: Any, dual: Any, gap: Any, rounding: Any, least: Any) -> dict[str, Any]:
    """Of one problem or many; `least` is the smallest scale that the gap is measured against."""
    against = np.maximum(np.maximum(np.abs(primal), np.abs(dual)), least)
    relative = np.where(np.isinf(primal), math.inf, gap / np.where(against > 0, against, 1.0))
    return {"primal": primal, "dual": dual, "gap": gap, "relative_gap": relative, "rounding": rounding + TINY}
