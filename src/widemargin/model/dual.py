"""The point of a dual problem that proves a kernel machine: what a certificate needs and a model does not keep."""

from __future__ import annotations

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
