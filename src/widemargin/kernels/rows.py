"""Kernels of rows of numbers that the core computes: linear, polynomial, radial.

Symbols  x, z rows; values are float64, dot products by BLAS in tiles, exp by the core (relative error below 3e-16)
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from .. import _core
from ..base.errors import BadInput
from .items import RowItems

KINDS = ("linear", "polynomial", "rbf")  # in the order of the core's KernelKind


def ensure_blas() -> None:
    """Hands SciPy's matrix products to the core, once."""
    if not _core.has_blas():
        from scipy.linalg import cython_blas

        table = cython_blas.__pyx_capi__
        _core.set_blas(table["sgemm"], table["dgemm"])


class RowKernel:
    """Base of the kernels that the core knows; a subclass says which one in `native`."""

    rows = True

    def native(self) -> tuple[int, float, float, int]:
        """(kind, gamma, offset, degree) for the core."""
        raise NotImplementedError

    def prepare(self, objects: Any) -> RowItems:
        return objects if isinstance(objects, RowItems) else RowItems.checked(objects)

    def block(self, a: RowItems, b: RowItems, threads: int = 1) -> np.ndarray:
        if a.X.shape[1] != b.X.shape[1]:
            raise BadInput(
                f"the rows have {a.X.shape[1]} and {b.X.shape[1]} features: both sides need the same number."
            )
        ensure_blas()
        if a.sparse != b.sparse:
            a, b = a.as_sparse(), b.as_sparse()
        out = np.empty((len(a), len(b)))
        _core.kernel_block(a.native, b.native, *self.native(), out, threads)
        return out

    def diag(self, a: RowItems) -> np.ndarray:
        raise NotImplementedError

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray | float:
        """The matrix of values for two 2-D arguments (Z=None: X itself), one value for two 1-D arguments."""
        if np.ndim(X) == 1 and Z is not None and np.ndim(Z) == 1:
            x, z = (self.prepare(np.asarray(v)[None, :]) for v in (X, Z))
            return float(self.block(x, z)[0, 0])
        a = self.prepare(X)
        return self.block(a, a if Z is None else self.prepare(Z))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The fields, so that `kernel__gamma` can be searched over."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]


def _positive(name: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0):
        raise BadInput(f"{name} is {value!r}: it must be positive and finite.")


@dataclass(frozen=True)
class Linear(RowKernel):
    """k(x, z) = x·z."""

    def native(self) -> tuple[int, float, float, int]:
        return KINDS.index("linear"), 1.0, 0.0, 1

    def diag(self, a: RowItems) -> np.ndarray:
        return a.native.squared_norms(1)

    def __str__(self) -> str:
        return "x·z"


@dataclass(frozen=True)
class Polynomial(RowKernel):
    """k(x, z) = (gamma x·z + offset)^degree.

    Parameters
    ----------
    degree : int, default=3
    gamma : float, default=1.0
    offset : float, default=1.0
        Not negative: with a negative one this is no kernel.
    """

    degree: int = 3
    gamma: float = 1.0
    offset: float = 1.0

    def __post_init__(self) -> None:
        if self.degree != int(self.degree) or self.degree < 0:
            raise BadInput(f"degree is {self.degree!r}: it must be an integer and not negative.")
        _positive("gamma", self.gamma)
        if not (np.isfinite(self.offset) and self.offset >= 0):
            raise BadInput(f"offset is {self.offset!r}: a polynomial kernel needs it finite and not negative.")

    def native(self) -> tuple[int, float, float, int]:
        return KINDS.index("polynomial"), float(self.gamma), float(self.offset), int(self.degree)

    def diag(self, a: RowItems) -> np.ndarray:
        with np.errstate(over="ignore"):
            return (self.gamma * a.native.squared_norms(1) + self.offset) ** int(self.degree)

    def __str__(self) -> str:
        product = "x·z" if self.gamma == 1 else f"{self.gamma:g} x·z"
        inside = f"({product} + {self.offset:g})" if self.offset else f"({product})"
        return f"{inside}^{self.degree}"


@dataclass(frozen=True)
class RBF(RowKernel):
    """k(x, z) = exp(-gamma |x - z|²).

    Parameters
    ----------
    gamma : float, default=1.0
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        _positive("gamma", self.gamma)

    def native(self) -> tuple[int, float, float, int]:
        return KINDS.index("rbf"), float(self.gamma), 0.0, 1

    def diag(self, a: RowItems) -> np.ndarray:
        return np.ones(len(a))

    def __str__(self) -> str:
        return "exp(-|x - z|²)" if self.gamma == 1 else f"exp(-{self.gamma:g} |x - z|²)"
