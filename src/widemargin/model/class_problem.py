"""The problem of all classes at once, as Crammer and Singer state it.

Problem  min over W   1/2 sum_m |w_m|^2 + R(c) + sum_i C_i max_m (e_im + z_im - z_iy),   z_im = w_m.x_i + c_m,
         e_im = 1 for m != y_i, else 0.   The bias is free: R(c) = 0; or regularised: R(c) = 1/2 |c / s|^2; or none
Dual     max over b   -sum_im e_im b_im - 1/2 sum_m |v_m|^2 (- s^2/2 |sum_i b_i|^2),   v_m = sum_i b_im x_i
         b_im <= C_i [m = y_i],  sum_m b_im = 0;  for a free bias sum_i b_im = 0 for all m            [CrammerSinger01]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .linear_problem import Bias

SLIGHT = 2.0**-40  # of a row's price: what rounding of ordinary rows leaves of the sum of its variables is less


@dataclass(frozen=True, eq=False)
class ClassProblem:
    """X canonical rows, y codes 0 .. k-1, C prices."""

    X: Any
    rows: _core.Rows
    y: np.ndarray
    C: np.ndarray
    k: int
    bias: Bias = "free"
    scale: float = 1.0

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def d(self) -> int:
        return self.X.shape[1]

    @property
    def shape(self) -> tuple[int, ...]:
        """Of weights and biases: a line a class."""
        return (self.k, self.d + 1)

    @property
    def n_variables(self) -> int:
        return self.n * self.k

    @property
    def least(self) -> float:
        """What an objective is compared with where it is 0."""
        return 1e-12 * float(self.C.sum())

    def inside(self, b: np.ndarray) -> np.ndarray:
        """The variables of another price: a = C [m = y] - b scaled to it."""
        b = b.reshape(self.n, self.k)
        own = np.arange(self.n), self.y
        old = np.maximum(b[own], 0.0)
        factor = np.where(old > self.C, self.C / np.where(old > 0, old, 1.0), 1.0)
        return (b * factor[:, None]).ravel()

    def carried(self, b: np.ndarray, old: ClassProblem) -> np.ndarray:
        """The variables of the same rows at other prices, scaled like them."""
        return (b.reshape(self.n, self.k) * (self.C / old.C)[:, None]).ravel()

    def feasible(self, b: np.ndarray) -> np.ndarray:
        """With rows whose sums are 0; with a free bias a little of rows of the classes that lack weight is mixed in,
        until the sums of all classes are 0 too."""
        b = self._mended(b.reshape(self.n, self.k))
        sums = b.sum(axis=0)
        if self.bias != "free" or not np.abs(sums).max() > 0:
            return b.ravel()
        lacking, many = -np.minimum(sums, 0.0), np.maximum(sums, 0.0)
        price = np.bincount(self.y, weights=self.C, minlength=self.k)
        share = float(np.max(lacking / (price + lacking)))
        if not (0 < share < 1 and many.sum() > 0):
            return np.zeros(self.n_variables)
        out = (1 - share) * b
        wanted = (1 - share) * lacking / price  # of each row's C, by class
        of_row = wanted[self.y] * self.C
        out[np.arange(self.n), self.y] += of_row
        out -= np.outer(of_row, many / many.sum())
        return out.ravel()

    def _mended(self, b: np.ndarray) -> np.ndarray:
        """Scores of a short row hardly depend on b, and their rounding is much of b: where a sum is not 0, the heavier
        of the own class and the others is scaled down to the lighter one."""
        off = np.flatnonzero(np.abs(b.sum(axis=1)) > SLIGHT * self.C)
        if not off.size:
            return b
        some, own = b[off], (np.arange(off.size), self.y[off])
        weight = np.maximum(some[own], 0.0)
        some[own] = 0.0
        others = -some.sum(axis=1)
        least = np.minimum(weight, others)
        some *= np.divide(least, others, out=np.zeros_like(least), where=others > 0)[:, None]
        some[own] = least
        out: np.ndarray = b.copy()
        out[off] = some
        return out
