"""Kernels of distances between rows that are no functions of dot products: Laplacian and chi squared.

Symbols  x, z rows of d features; values are float64, sums over features and exp by the core
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _core
from ..base.errors import BadInput
from .expression import number
from .items import RowItems, same_storage
from .rows import KernelOfRows, check_positive

MANHATTAN, CHI_SQUARED = 0, 1  # the core's DistanceKind


def _minus(gamma: float) -> str:
    return "-" if gamma == 1 else f"-{number(gamma)} "


def _block(a: RowItems, b: RowItems, kind: int, gamma: float, threads: int) -> np.ndarray:
    a, b = same_storage(a, b)
    out = np.empty((len(a), len(b)))
    _core.distance_block(a.native, b.native, kind, float(gamma), out, threads)
    return out


@dataclass(frozen=True)
class Laplacian(KernelOfRows):
    """k(x, z) = exp(-gamma Σ |x_j - z_j|).

    Parameters
    ----------
    gamma : float, default=1.0
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_positive("gamma", self.gamma)

    def block(self, a: RowItems, b: RowItems, threads: int = 1) -> np.ndarray:
        return _block(a, b, MANHATTAN, self.gamma, threads)

    def diag(self, a: RowItems) -> np.ndarray:
        return np.ones(len(a))

    def __str__(self) -> str:
        return f"exp({_minus(self.gamma)}|x - z|₁)"


@dataclass(frozen=True)
class ChiSquared(KernelOfRows):
    """k(x, z) = exp(-gamma Σ (x_j - z_j)² / (x_j + z_j)), for rows without negative values, such as histograms.

    A feature that is 0 in both rows adds nothing.

    Parameters
    ----------
    gamma : float, default=1.0
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_positive("gamma", self.gamma)

    def block(self, a: RowItems, b: RowItems, threads: int = 1) -> np.ndarray:
        return _block(_not_negative(a), _not_negative(b), CHI_SQUARED, self.gamma, threads)

    def diag(self, a: RowItems) -> np.ndarray:
        return np.ones(len(_not_negative(a)))

    def __str__(self) -> str:
        return f"exp({_minus(self.gamma)}Σ (x - z)²/(x + z))"


def _not_negative(items: RowItems) -> RowItems:
    value, row, column = items.least
    if value < 0:
        raise BadInput(
            f"Negative values in data passed to the chi squared kernel: {value:.6g} in row {row}, column {column}; it "
            "compares histograms, so use counts or shares, or another kernel."
        )
    return items
