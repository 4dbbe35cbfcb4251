"""The points of dual problems that prove kernel machines: what a certificate needs and a model does not keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class DualPoint:
    """One solved problem.

    Attributes
    ----------
    b : ndarray of shape (N,)
        The signed variables, as they left the solver.
    rho : float
        LIBSVM's second number: the margin of nu-SVC, minus the half-width of nu-SVR's tube, else 0.
    """

    b: np.ndarray
    rho: float = 0.0


@dataclass(frozen=True, eq=False)
class DualPoints:
    """Several, one after the other: those of the binary parts.

    Attributes
    ----------
    b : ndarray
        The variables of all parts.
    ends : ndarray of int of shape (parts,)
        Where each part's variables end.
    rho : ndarray of shape (parts,)
    """

    b: np.ndarray
    ends: np.ndarray
    rho: np.ndarray

    @classmethod
    def of(cls, points: Sequence[DualPoint]) -> DualPoints:
        return cls(
            np.concatenate([p.b for p in points]),
            np.cumsum([p.b.size for p in points]),
            np.array([p.rho for p in points], dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, k: int) -> DualPoint:
        begin = 0 if k == 0 else int(self.ends[k - 1])
        return DualPoint(self.b[begin : int(self.ends[k])], float(self.rho[k]))
