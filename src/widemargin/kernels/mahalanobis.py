"""The bilinear form xᵀAz of a symmetric positive semidefinite matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..base.errors import BadInput
from .expression import PRODUCT
from .function import finite
from .items import RowItems
from .rows import KernelOfRows, Linear

# A may be asymmetric by so much of its largest entry, and have eigenvalues below 0 by so much times its size.
ROUNDING = 2.0**-44


@dataclass(frozen=True, eq=False)
class Mahalanobis(KernelOfRows):
    """k(x, z) = xᵀAz.

    Parameters
    ----------
    A : array-like of shape (n_features, n_features)
        Symmetric and positive semidefinite. It is copied and cannot be changed.
    """

    A: np.ndarray
    binding = PRODUCT

    def __post_init__(self) -> None:
        A = np.array(self.A, dtype=np.float64, order="C")
        if A.ndim != 2 or A.shape[0] != A.shape[1] or not A.size:
            raise BadInput(f"A has the shape {A.shape}: a square matrix is needed.")
        if not np.isfinite(A).all():
            i, j = np.argwhere(~np.isfinite(A))[0]
            raise BadInput(f"A[{i}, {j}] is {A[i, j]}: all entries must be finite.")
        _check_symmetric(A)
        A = (A + A.T) / 2
        A.flags.writeable = False
        object.__setattr__(self, "A", A)
        least = float(self.spectrum[0][0])
        if least < -ROUNDING * len(A) * np.abs(A).max():
            raise BadInput(
                f"A is not positive semidefinite: its smallest eigenvalue is {least:.6g}, so xᵀAz is no kernel."
            )

    @cached_property
    def spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues in growing order, and their vectors as columns."""
        return np.linalg.eigh(self.A)

    @property
    def root(self) -> np.ndarray:
        """R of shape (rank, d) with RᵀR = A to rounding."""
        values, vectors = self.spectrum
        kept = values > ROUNDING * len(values) * np.abs(self.A).max()
        return np.ascontiguousarray((vectors[:, kept] * np.sqrt(values[kept])).T[::-1])

    def block(self, a: RowItems, b: RowItems, threads: int = 1) -> np.ndarray:
        self._refuse_other_width(a)
        self._refuse_other_width(b)
        if len(a) > len(b):
            return self.block(b, a, threads).T.copy()
        product = Linear().block(a, RowItems(self.A), threads)  # A is symmetric: its rows are its columns
        return finite(Linear().block(RowItems(finite(product)), b, threads))

    def _refuse_other_width(self, items: RowItems) -> None:
        if items.X.shape[1] != len(self.A):
            raise BadInput(
                f"A is for {len(self.A)} features, but the rows have {items.X.shape[1]}: give a matrix of that size."
            )

    def diag(self, a: RowItems) -> np.ndarray:
        self._refuse_other_width(a)
        product = Linear().block(a, RowItems(self.A))
        if a.sparse:
            return np.asarray(a.X.multiply(product).sum(axis=1)).ravel()
        return np.einsum("ij,ij->i", product, a.X)

    def __eq__(self, other: Any) -> bool:
        return type(other) is Mahalanobis and np.array_equal(self.A, other.A)

    def __hash__(self) -> int:
        return hash((self.A.shape, (self.A + 0.0).tobytes()))  # -0 and 0 are equal

    def __getstate__(self) -> dict[str, Any]:
        return {"A": self.A}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state["A"].flags.writeable = False
        object.__setattr__(self, "A", state["A"])

    def __str__(self) -> str:
        return "xᵀAz"


def _check_symmetric(A: np.ndarray) -> None:
    off = np.abs(A - A.T)
    i, j = (int(k) for k in np.unravel_index(np.argmax(off), A.shape))
    if off[i, j] > ROUNDING * np.abs(A).max():
        raise BadInput(f"A is not symmetric: A[{i}, {j}] is {A[i, j]:.6g}, but A[{j}, {i}] is {A[j, i]:.6g}.")
