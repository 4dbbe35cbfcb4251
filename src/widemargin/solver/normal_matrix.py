"""The matrix of Newton's equations: made once, then followed row by row as rows change sides.

Problem  H = sum_i h_i [x_i, 1][x_i, 1]' over the rows whose curvature h_i is not 0
Symbols  k sharpness: the matrix kept is that of h / k, which changes little when k does
Method   squared losses: h is C times 2 or 0, so only rows that changed sides are added or taken away. Rounding of what
         was added and taken away stays in it: it is made anew after AFRESH times, or where little is left of an entry.
         Of many features it is not made: conjugate gradients with its diagonal
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .. import _core
from ..model.linear_problem import LinearProblem

AFRESH, UNLIKE = 20, 1e-12  # times that it is followed, changes of a curvature that count
LOST = 1e-6  # of the most that an entry of its diagonal was: if less remains, rounding is too much of it
BLOCK = 1 << 16  # numbers of a block of rows
NONE = np.empty(0)


class NormalMatrix:
    """Of one problem's rows; its lower triangle: what is above may be anything. What is returned is written over by the
    next call: fresh memory for each would cost as much as the work."""

    def __init__(self, problem: LinearProblem) -> None:
        self.problem = problem
        self.H: np.ndarray | None = None  # the last one, of curvatures h
        self.h = self.peak = NONE  # peak: the most that its diagonal was since it was made
        self.age = 0
        self.found = np.empty(problem.n, np.int32), np.empty(problem.n, np.int32)

    @cached_property
    def out(self) -> np.ndarray:
        return np.empty((self.problem.d + 1, self.problem.d + 1))

    def scaled(self, problem: LinearProblem, factor: float) -> NormalMatrix:
        """That of the same rows at prices that are all `factor` times these."""
        other = NormalMatrix(problem)
        if self.H is not None:
            other.H, other.h, other.peak = factor * self.H, factor * self.h, factor * self.peak
            other.age = self.age
        return other

    def rows(self, h: np.ndarray) -> np.ndarray:
        """Those that tell the curvature."""
        return self.found[0][: _core.unlike_rows(h, NONE, 0.0, self.found[0])]

    def followed(self, rows: np.ndarray, h: np.ndarray, k: float, ridge: np.ndarray) -> np.ndarray:
        """That of `rows`, all that tell the curvature: the last one, less the rows that left it, and the new."""
        per_k = h if k == 1 else h / k
        if self.H is not None and self.age < AFRESH:
            moved = self.found[1][: _core.unlike_rows(per_k, self.h, UNLIKE, self.found[1])]
            if 2 * len(moved) < len(rows):
                change = np.zeros_like(self.h)
                change[moved] = per_k[moved] - self.h[moved]
                self._add(moved, change, self.H)
                self.peak = np.maximum(self.peak, self.H.diagonal())
                self.h[moved] = per_k[moved]
                self.age += 1
                if (k * self.H.diagonal() + ridge > LOST * k * self.peak).all():
                    return np.multiply(self.H, k, out=self.out)
        if self.H is None:
            self.H = np.empty_like(self.out)
        self.H.fill(0.0)
        self._add(rows, per_k, self.H)
        self.h, self.age = per_k.copy(), 0
        self.peak = self.H.diagonal().copy()
        return np.multiply(self.H, k, out=self.out)

    def whole(self, rows: np.ndarray, h: np.ndarray) -> np.ndarray:
        """Both triangles."""
        H = self.lower(rows, h)
        return np.tril(H) + np.tril(H, -1).T

    def lower(self, rows: np.ndarray, h: np.ndarray) -> np.ndarray:
        self.out.fill(0.0)
        self._add(rows, h, self.out)
        return self.out

    def _add(self, rows: np.ndarray, h: np.ndarray, H: np.ndarray) -> None:
        """To H; the h of rows that leave it are below 0."""
        p, d = self.problem, self.problem.d
        if p.sparse:
            _core.normal_matrix(p.native, rows, h, H)
            if p.bias == "none":
                H[d], H[:, d] = 0.0, 0.0
            return
        step = max(1, BLOCK // (d + 1))
        for sign in (1.0, -1.0):
            some = rows[sign * h[rows] > 0]
            for first in range(0, len(some), step):
                here = some[first : first + step]
                root = np.sqrt(sign * h[here])
                B = p.X.take(here, axis=0).astype(np.float64, copy=False)
                B *= root[:, None]
                H[:d, :d] += sign * (B.T @ B)
                if p.bias != "none":
                    H[d, :d] += sign * (root @ B)
                    H[d, d] += sign * float(root @ root)

    def by_gradients(
        self, rows: np.ndarray, h: np.ndarray, ridge: np.ndarray, least_bias: float, slope: np.ndarray
    ) -> np.ndarray:
        """Newton's step without the matrix: conjugate gradients until the equations hold to a tenth."""
        native, out = self.problem.native, np.empty_like(slope)
        _core.normal_diagonal(native, rows, h, out)
        least = np.zeros_like(slope)
        least[-1] = max(0.0, least_bias - ridge[-1] - out[-1])
        ridge = ridge + least
        M = 1 / (out + ridge)
        x, r = np.zeros_like(slope), -slope
        y = M * r
        q, rho = y.copy(), float(r @ y)
        end = 0.01 * rho
        for _ in range(250):
            _core.normal_product(native, rows, h, q, out)
            Hq = out + ridge * q
            if self.problem.bias == "none":
                Hq[-1] = 0.0
            curve = float(q @ Hq)
            if not curve > 0:
                break
            alpha = rho / curve
            x += alpha * q
            r -= alpha * Hq
            y = M * r
            rho, last = float(r @ y), rho
            if rho <= end:
                break
            q = y + rho / last * q
        return x
