"""The one problem behind all linear machines of two classes or of numbers.

Problem  min over (w, c)   R(w) + R(c) + sum_i C_i l(z_i, t_i),   z_i = w.x_i + c
         R(w) = 1/2 |w|^2 or |w|_1.  The bias is free: R(c) = 0; or regularised, as a weight of the constant feature s:
         R(c) = 1/2 (c/s)^2 or |c/s|; or there is none: c = 0
Dual     max over b   sum_i D_i(b_i) - R*(sum_i b_i x_i) - R*(s sum_i b_i),   D_i(b) = -C_i l*(-b / C_i)
         with sum_i b_i = 0 for a free bias; R* is 1/2 |v|^2, or 0 where |v| <= 1 and infinite elsewhere
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..data.rows import BLOCK, native_rows
from ..loss.losses import Loss

Bias = Literal["free", "regularised", "none"]
GOLDEN = (5**0.5 - 1) / 2  # multiples of it, less whole numbers, lie evenly however many are taken
FAR = 30.0  # times the way between two solutions: where a line through them leads beyond, it says nothing
NEARLY = 0.999  # of a bound counts as the bound: `feasible` takes a little from a whole side


@dataclass(frozen=True, eq=False)
class LinearProblem:
    """X canonical rows, t targets, C prices (all positive)."""

    X: Any
    t: np.ndarray
    C: np.ndarray
    loss: Loss
    bias: Bias = "free"
    scale: float = 1.0
    penalty: Literal["l2", "l1"] = "l2"
    rows: _core.Rows | None = None
    norms: Callable[[], np.ndarray] | None = None  # squared lengths of the rows, where many problems share them

    @property
    def n(self) -> int:
        return self.X.shape[0]

    @property
    def d(self) -> int:
        return self.X.shape[1]

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the weights and the bias."""
        return (self.d + 1,)

    @property
    def n_variables(self) -> int:
        """Of the dual."""
        return self.n

    def inside(self, b: np.ndarray) -> np.ndarray:
        """The variables of another problem of these rows, brought into the bounds of this one."""
        return np.clip(b, *self.loss.bounds(self.t, self.C))

    def carried(self, b: np.ndarray, old: LinearProblem) -> np.ndarray:
        """The variables of the same rows at other prices: those at a bound go with it."""
        if self.loss.unbounded:
            return b
        lower, upper = old.loss.bounds(old.t, old.C)
        held = (b != 0) & ((b <= NEARLY * lower) | (b >= NEARLY * upper))
        both = np.isfinite(lower) & np.isfinite(upper)
        smooth = both & (not self.loss.kinked)  # always between their bounds: at the same share
        return self.inside(np.where(held | smooth, b * (self.C / old.C), b))

    def sample(self, every: int) -> LinearProblem:
        """One of each `every` rows at `every` times its price, at places that no period of the rows can agree with:
        some rows of a time series, whose features say where in the period they are, would else never be seen."""
        first = np.arange(0, self.n, every)
        some = np.minimum(first + (np.arange(len(first)) * GOLDEN % 1 * every).astype(np.int64), self.n - 1)
        return replace(self, X=self.X[some], t=self.t[some], C=self.C[some] * every, rows=None, norms=None)

    def best_bias(self, z: np.ndarray) -> float:
        """A c at which kinked losses of the scores z + c are least: it lies among their kinks."""
        kinks = self.t - z
        low, high = float(kinks.min()) - self.loss.eps, float(kinks.max()) + self.loss.eps
        for _ in range(53):
            c = (low + high) / 2
            if float(self.C @ self.loss.slope(z + c, self.t)) < 0:
                low = c
            else:
                high = c
        return high

    @property
    def sparse(self) -> bool:
        return sp.issparse(self.X)

    @cached_property
    def native(self) -> _core.Rows:
        return native_rows(self.X) if self.rows is None else self.rows

    @cached_property
    def squared_norms(self) -> np.ndarray:
        """Of the rows."""
        return self.native.squared_norms(1) if self.norms is None else self.norms()

    @cached_property
    def core(self) -> _core.LinearProblem:
        t, C = (np.ascontiguousarray(v, dtype=np.float64) for v in (self.t, self.C))
        return _core.linear_problem(self.native, t, C, self.loss.code, float(self.loss.eps))

    @cached_property
    def least(self) -> float:
        """What an objective is compared with where it is 0."""
        return 1e-12 * float(self.C.sum())

    def combination(self, b: np.ndarray) -> np.ndarray:
        """sum_i b_i x_i in float64, some rows at a time."""
        v, numbers = np.zeros(self.d), self.X.nnz if self.sparse else self.X.size
        step = max(1, BLOCK * self.n // max(1, numbers))
        for first in range(0, self.n, step):
            rows = self.X[first : first + step]
            # Contiguous, since sums of other strides are added in another order.
            rows = rows.astype(np.float64, copy=False) if self.sparse else np.ascontiguousarray(rows, np.float64)
            v += rows.T @ b[first : first + step]
        return v

    def feasible(self, b: np.ndarray) -> np.ndarray:
        """With a free bias: b whose heavier side is scaled down until the sum is 0; else b itself."""
        if self.bias != "free":
            return b
        above, below = np.maximum(b, 0.0), np.minimum(b, 0.0)
        up, down = float(above.sum()), -float(below.sum())
        if up == down:
            return b
        heavy, light = (above, below) if up > down else (below, above)
        b = heavy * (min(up, down) / max(up, down)) + light
        left = float(b.sum())  # rounding: the largest variable that it makes smaller takes it
        at = int(np.argmax(b) if left > 0 else np.argmin(b))
        if abs(left) < 0.5 * abs(b[at]):
            b[at] -= left
        return b


def times_further(first: float, second: float, third: float) -> float | None:
    """How many times the way from first to second it is from there to third, if that is not too far: two solutions that
    are near each other show their tolerances, not where a third one lies."""
    way, on = second - first, third - second
    return on / way if abs(on) <= FAR * abs(way) and way != 0 else None
