"""Strict separation decided without any rounding, for a few rows in a few dimensions.

Problem  given integer vectors a_1 .. a_m: either v with v.a_i > 0 for all i, or lambda >= 0, not 0, with sum lambda_i
         a_i = 0
Symbols  A the matrix with columns a_i (k x m); T / p the simplex tableau of max sum lambda s.t. A lambda = 0, lambda
         >= 0
Stops    when a column can grow without bound (the ray is lambda), or when no column pays (the prices v have v.a_i >=
         1). One of the two always happens: Bland's rule never returns to a basis. [Gordan1873], [Bland77]
Method   integer pivots: T stays a matrix of integers with the common divisor p, the last pivot [Edmonds67]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np


class Verdict(NamedTuple):
    """Exactly one of the two is given: integers, v of length k or lambda of length m."""

    separator: list[int] | None
    witness: list[int] | None


def as_integers(row: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """The row times the smallest positive number that makes it integers, and that number."""
    scale = Fraction(math.lcm(*(v.denominator for v in row)))
    numbers = [int(v * scale) for v in row]
    common = math.gcd(*numbers)
    if common > 1:
        return [v // common for v in numbers], scale / common
    return numbers, scale


def decide(columns: Sequence[Sequence[int]], *, witness_only: bool = False, max_pivots: int = 10_000) -> Verdict | None:
    """Separate the vectors strictly or prove it impossible; None only after `max_pivots` (then nothing is known).

    Earlier vectors are tried first: put those expected in the witness in front. `witness_only` spares the work of
    finding a separator: None then also means that one exists.
    """
    A = np.array(columns, dtype=object).T
    tableau = _Tableau(A, prices=not witness_only)
    tableau.fill_basis()
    for _ in range(max_pivots):
        entering = tableau.column_that_pays()
        if entering is None:
            return None if witness_only else Verdict(tableau.prices(), None)
        column = tableau.T[: tableau.k, entering]
        blocking = [i for i in range(tableau.k) if column[i] > 0]
        if not blocking:
            return Verdict(None, tableau.ray(entering))
        # All values are 0, so every blocking row ties in the ratio test: the smallest variable leaves (Bland).
        tableau.pivot(min(blocking, key=lambda i: tableau.basis[i]), entering)
    return None


def effort(columns: Sequence[Sequence[int]], *, witness_only: bool = False) -> float:
    """About how many small multiplications `decide` takes if every vector enters once."""
    m, k = len(columns), len(columns[0])
    digits = max(abs(v) for column in columns for v in column).bit_length() * min(k, m) / 60
    return (k + 1) * (m if witness_only else m + k) * min(k, m) * (1 + digits / 20)


class _Tableau:
    """Rows of [A | I] (or A alone, without prices) and the row of gains, all over the common positive divisor p."""

    def __init__(self, A: np.ndarray, prices: bool) -> None:
        self.k, self.m = A.shape
        body = np.hstack([A, np.array(np.eye(self.k, dtype=int), dtype=object)]) if prices else A
        gains = np.array([[1] * self.m + [0] * (body.shape[1] - self.m)], dtype=object)
        self.T = np.vstack([body, gains])
        self.p = 1
        # Artificial variables come last: Bland's rule then throws out the rows' own variables first.
        self.basis = [self.m + i for i in range(self.k)]

    def pivot(self, r: int, c: int) -> None:
        T, p = self.T, self.T[r, c]
        row = T[r].copy()
        T = (T * p - np.multiply.outer(T[:, c], row)) // self.p
        T[r] = row
        self.T, self.p, self.basis[r] = (T, p, c) if p > 0 else (-T, -p, c)

    def fill_basis(self) -> None:
        """Bring rows' variables in for the artificial ones; at the value 0 the sign of a pivot does not matter."""
        for r in range(self.k):
            nonzero = np.flatnonzero(self.T[r, : self.m] != 0)
            if nonzero.size:
                self.pivot(r, int(nonzero[0]))

    def column_that_pays(self) -> int | None:
        paying = np.flatnonzero(self.T[self.k, : self.m] > 0)
        return int(paying[0]) if paying.size else None

    def prices(self) -> list[int]:
        return [-int(v) for v in self.T[self.k, self.m :]]

    def ray(self, entering: int) -> list[int]:
        growth = [0] * self.m
        growth[entering] = self.p
        for i, j in enumerate(self.basis):
            if j < self.m:
                growth[j] = -int(self.T[i, entering])
        return growth
