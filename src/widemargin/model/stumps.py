"""Sums of stumps: f(x) = sum_t step_t values_t[side], the side being left (x <= threshold), right or missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import _core


@dataclass(frozen=True, eq=False)
class Stumps:
    """Stumps one after the other.

    Attributes
    ----------
    column, threshold : ndarray of shape (n_stumps,)
        The question that each asks; an infinite threshold asks nothing.
    values : ndarray of shape (n_stumps, 3, n_outputs)
        What it says of rows on the left, on the right and without a value.
    steps : ndarray of shape (n_stumps,)
        Factors of what they say in the sum.
    """

    column: np.ndarray
    threshold: np.ndarray
    values: np.ndarray
    steps: np.ndarray

    @classmethod
    def none(cls, k: int) -> Stumps:
        return cls(np.empty(0, np.int64), np.empty(0, np.float32), np.empty((0, 3, k)), np.empty(0))

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def n_outputs(self) -> int:
        return self.values.shape[2]

    def __getitem__(self, part: slice) -> Stumps:
        return Stumps(self.column[part], self.threshold[part], self.values[part], self.steps[part])

    def __add__(self, other: Stumps) -> Stumps:
        names = ("column", "threshold", "values", "steps")
        return Stumps(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "tables"}

    # ---- what they say ---------------------------------------------------------------------------------------------

    def says(self, t: int, X: np.ndarray) -> np.ndarray:
        """What stump t says of each row."""
        x = X[:, self.column[t]]
        side = (x > self.threshold[t]).astype(np.intp)
        side[np.isnan(x)] = 2
        return self.values[t][side]

    def staged(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """What each one adds to the sum, one after the other."""
        for t in range(len(self)):
            yield self.steps[t] * self.says(t, X)

    def scores(self, X: np.ndarray, threads: int = 1) -> np.ndarray:
        """The sum, from tables of columns: their size does not depend on the number of stumps that a column has."""
        columns, first, thresholds, tables = self.tables
        out = np.zeros((len(X), self.n_outputs))
        _core.add_stump_tables(X, columns, first, thresholds, tables, out, threads)
        return out

    @cached_property
    def tables(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(columns, where their thresholds begin, thresholds, what holds between these and for missing values)."""
        columns = np.unique(self.column)
        thresholds, tables, first = [], [], [0]
        for column in columns:
            own = np.flatnonzero(self.column == column)
            order = own[np.argsort(self.threshold[own], kind="stable")]
            cuts, inverse = np.unique(self.threshold[order], return_inverse=True)
            said = self.steps[order, None, None] * self.values[order]
            jumps = np.zeros((len(cuts) + 1, self.n_outputs))
            np.add.at(jumps, inverse + 1, said[:, 1] - said[:, 0])
            jumps[0] = said[:, 0].sum(axis=0)
            tables += [np.cumsum(jumps, axis=0), said[:, 2].sum(axis=0)[None]]
            thresholds.append(cuts)
            first.append(first[-1] + len(cuts))
        if not len(columns):
            return columns, np.zeros(1, np.int64), np.empty(0, np.float32), np.empty((0, self.n_outputs))
        return columns, np.array(first, np.int64), np.concatenate(thresholds), np.concatenate(tables)
