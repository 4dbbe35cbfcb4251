"""Many box problems, one behind the other: what is done for all of them at once is done without a loop over them.

Problem  those of model/box.py
Symbols  variables of problem k stand behind those of k - 1 and end at ends[k]; its items likewise
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from ..base.lazy import lazy
from .box import BoxProblem


class BoxProblems(Sequence[BoxProblem]):
    """Problems with the same number of groups, but for those without any.

    Attributes
    ----------
    t, lower, upper : ndarray
        Of all variables.
    group : ndarray of int8, or None
        Which sum of its problem each variable belongs to; None: there is one, or none.
    total : ndarray of shape (problems, groups)
        The value of each sum; 0 where none is fixed.
    sizes, n : ndarray of int of shape (problems,)
        Variables and items.
    fixed : ndarray of bool of shape (problems,)
        Whether a problem has sums.
    """

    def __init__(
        self,
        arrays: tuple[np.ndarray, np.ndarray, np.ndarray],
        group: np.ndarray | None,
        total: np.ndarray,
        sizes: np.ndarray,
        n: np.ndarray | None = None,
        fixed: np.ndarray | None = None,
    ) -> None:
        self.t, self.lower, self.upper = arrays
        self.group, self.total, self.sizes = group, total, sizes
        self.n = sizes if n is None else n
        self.fixed = np.ones(len(sizes), dtype=bool) if fixed is None else fixed
        self.ends = self.end_items = self.sizes.cumsum()
        self.first = self.first_item = self.ends - self.sizes
        if self.n is not self.sizes:
            self.end_items = self.n.cumsum()
            self.first_item = self.end_items - self.n

    @classmethod
    def of(cls, problems: Sequence[BoxProblem]) -> BoxProblems:
        if isinstance(problems, BoxProblems):
            return problems
        groups = max(max(len(p.total) for p in problems), 1)
        total = np.zeros((len(problems), groups))
        for k, p in enumerate(problems):
            total[k, : len(p.total)] = p.total
        return cls(
            (joined([p.t for p in problems]), joined([p.lower for p in problems]), joined([p.upper for p in problems])),
            None if groups == 1 else joined([p.groups for p in problems]),
            total,
            np.array([p.n_variables for p in problems]),
            np.array([p.n for p in problems]),
            np.array([bool(p.total) for p in problems]),
        )

    @classmethod
    def c_svc(cls, y: np.ndarray, C: Any, sizes: np.ndarray) -> BoxProblems:
        """Labels of -1 and +1 and C, one number or one a row, of all problems."""
        p = BoxProblem.c_svc(y, C)
        all_of_them = cls((p.t, p.lower, p.upper), None, np.zeros((len(sizes), 1)), sizes)
        if not np.ndim(C):
            vars(all_of_them).update(hard=math.isinf(C), sums_of_bounds=C * sizes)
        return all_of_them

    def __len__(self) -> int:
        return len(self.sizes)

    @overload
    def __getitem__(self, k: int) -> BoxProblem: ...
    @overload
    def __getitem__(self, k: slice) -> list[BoxProblem]: ...
    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return [self[q] for q in range(*k.indices(len(self)))]
        v = slice(int(self.first[k]), int(self.ends[k]))
        total = tuple(self.total[k].tolist()) if self.fixed[k] else ()
        group = self.group[v] if self.group is not None and len(total) > 1 else None
        return BoxProblem(self.t[v], self.lower[v], self.upper[v], group, total, int(self.n[k]))

    @property
    def groups(self) -> int:
        return self.total.shape[1]

    @lazy
    def hard(self) -> bool:
        """Whether a bound of some problem is infinite."""
        return bool(np.isinf(self.lower).any() or np.isinf(self.upper).any())

    @lazy
    def single(self) -> bool:
        """Whether every item has one variable."""
        return len(self.t) == int(self.end_items[-1])

    @lazy
    def sums_of_bounds(self) -> np.ndarray:
        """`sum_of_bounds` of each."""
        if not self.single:
            return np.array([p.sum_of_bounds for p in self])
        return np.add.reduceat(self.upper - self.lower, self.first)

    def items(self, b: np.ndarray) -> np.ndarray:
        """The coefficient of each item, from all variables."""
        if self.single:
            return b
        return np.concatenate([p.items(b[i:j]) for p, i, j in zip(self, self.first, self.ends, strict=True)])

    def largest(self, b: np.ndarray) -> np.ndarray:
        """The larger of the sizes of each item's variables."""
        if self.single:
            return np.abs(b)
        pieces = zip(self.first, self.ends, self.n, strict=True)
        return np.concatenate([np.abs(b[i:j]).reshape(-1, n).max(axis=0) for i, j, n in pieces])

    def start(self) -> np.ndarray:
        """A feasible point of each."""
        return np.concatenate([p.start() for p in self]) if self.total.any() else np.zeros(len(self.t))


def joined(pieces: Sequence[np.ndarray]) -> np.ndarray:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
