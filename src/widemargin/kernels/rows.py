"""Kernels of rows of numbers that the core computes: linear, polynomial, radial, hyperbolic tangent.

Symbols  x, z rows; values are float64, all of it by the core in tiles, exp with a relative error below 3e-16
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..base.errors import BadInput
from .expression import POWER, PRODUCT, Expression, number
from .items import RowItems, same_storage
from .weights import weights

KINDS = ("linear", "polynomial", "rbf", "tanh")  # in the order of the core's KernelKind


class KernelOfRows(Expression):
    """Base of the kernels of rows of numbers."""

    rows = True

    def prepare(self, objects: Any) -> RowItems:
        return objects if isinstance(objects, RowItems) else RowItems.checked(objects)


class RowKernel(KernelOfRows):
    """Base of the kernels that the core knows; a subclass says which one in `native`."""

    def native(self) -> tuple[int, float, float, int]:
        """(kind, gamma, offset, degree) for the core."""
        raise NotImplementedError

    def block(self, a: RowItems, b: RowItems, threads: int = 1) -> np.ndarray:
        a, b = same_storage(a, b)
        out = np.empty((len(a), len(b)))
        _core.kernel_block(a.native, b.native, *self.native(), out, threads)
        return out

    def sums(self, a: RowItems, b: RowItems, coef: np.ndarray, threads: int = 1, *, single: bool = False) -> np.ndarray:
        """block(a, b) @ coef.T for coef of shape (parts, len(b)), without the block; in float32 if `single`."""
        a, b = same_storage(a, b)
        if not len(b):
            return np.zeros((len(a), len(coef)))
        out = np.empty((len(coef), len(a)))
        coef = np.ascontiguousarray(coef, dtype=np.float64)
        _core.kernel_sums(a.native, b.native, *self.native(), coef, single, out, threads)
        return out.T

    def expand(self, a: RowItems, c: np.ndarray, threads: int = 1) -> np.ndarray:
        """block(a, a) @ c without the block: every pair of rows with coefficients once, only columns with c != 0."""
        used = np.flatnonzero(c).astype(np.int32)
        out = np.empty(len(a))
        _core.kernel_expansion(a.native, *self.native(), used, np.ascontiguousarray(c[used]), False, out, threads)
        return out

    def diag(self, a: RowItems) -> np.ndarray:
        raise NotImplementedError


def check_positive(name: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0):
        raise BadInput(f"{name} is {value!r}: it must be positive and finite.")


@dataclass(frozen=True)
class Linear(RowKernel):
    """k(x, z) = x·z."""

    binding = PRODUCT

    def native(self) -> tuple[int, float, float, int]:
        return KINDS.index("linear"), 1.0, 0.0, 1

    def sums(self, a: RowItems, b: RowItems, coef: np.ndarray, threads: int = 1, *, single: bool = False) -> np.ndarray:
        """Through the weights of the features: one product a row instead of one for every row of b."""
        a, b = same_storage(a, b)
        return self.scores(a, weights(b.X, np.asarray(coef, dtype=np.float64)), threads)

    def expand(self, a: RowItems, c: np.ndarray, threads: int = 1) -> np.ndarray:
        return self.scores(a, weights(a.X, np.asarray(c, dtype=np.float64)[None]), threads)[:, 0]

    def scores(self, a: RowItems, w: np.ndarray, threads: int = 1) -> np.ndarray:
        """x·w for every row and part, where w is (high, low) of `weights`."""
        high, low = w
        W = np.concatenate([high, low]) if low.any() else high
        values = self.block(a, RowItems(sp.csr_array(W) if a.sparse else W), threads)
        k = len(high)
        return values[:, :k] + values[:, k:] if len(W) > k else values

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
    binding = POWER

    def __post_init__(self) -> None:
        if self.degree != int(self.degree) or self.degree < 0:
            raise BadInput(f"degree is {self.degree!r}: it must be an integer and not negative.")
        check_positive("gamma", self.gamma)
        if not (np.isfinite(self.offset) and self.offset >= 0):
            raise BadInput(f"offset is {self.offset!r}: a polynomial kernel needs it finite and not negative.")

    def native(self) -> tuple[int, float, float, int]:
        return KINDS.index("polynomial"), float(self.gamma), float(self.offset), int(self.degree)

    def diag(self, a: RowItems) -> np.ndarray:
        with np.errstate(over="ignore"):
            return (self.gamma * a.native.squared_norms(1) + self.offset) ** int(self.degree)

    def __str__(self) -> str:
        return f"({_affine(self.gamma, self.offset)})^{self.degree}"


@dataclass(frozen=True)
class PolynomialFunction(RowKernel):
    """(gamma x·z + offset)^degree with any finite numbers: scikit-learn's "poly", which need not be a kernel.

    With a negative offset it is positive semidefinite for hardly any data; `mercer` finds out. With gamma=0 all values
    are the same.
    """

    degree: int = 3
    gamma: float = 1.0
    offset: float = 0.0
    binding = POWER
    may_be_indefinite = True

    def native(self) -> tuple[int, float, float, int]:
        return KINDS.index("polynomial"), float(self.gamma), float(self.offset), int(self.degree)

    def diag(self, a: RowItems) -> np.ndarray:
        with np.errstate(over="ignore"):
            return (self.gamma * a.native.squared_norms(1) + self.offset) ** int(self.degree)

    def __str__(self) -> str:
        return f"({_affine(self.gamma, self.offset)})^{self.degree}"


@dataclass(frozen=True)
class RBF(RowKernel):
    """k(x, z) = exp(-gamma |x - z|²).

    Parameters
    ----------
    gamma : float, default=1.0
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_positive("gamma", self.gamma)

    def native(self) -> tuple[int, float, float, int]:
        return KINDS.index("rbf"), float(self.gamma), 0.0, 1

    def bounded_sums(self, a: RowItems, b: RowItems, c: np.ndarray, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """block(a, b) @ c from float32 values, and a bound on the error of each sum."""
        a, b = same_storage(a, b)
        out, error = np.zeros((2, len(a)))
        if len(b):
            c = np.ascontiguousarray(c, dtype=np.float64)
            _core.radial_sums(a.native, b.native, float(self.gamma), c, out, error, threads)
        return out, error

    def diag(self, a: RowItems) -> np.ndarray:
        return np.ones(len(a))

    def __str__(self) -> str:
        return "exp(-|x - z|²)" if self.gamma == 1 else f"exp(-{self.gamma:g} |x - z|²)"


@dataclass(frozen=True)
class Tanh(RowKernel):
    """k(x, z) = tanh(alpha x·z + beta): not positive semidefinite for most alpha and beta; `mercer` finds out.

    Parameters
    ----------
    alpha : float, default=1.0
    beta : float, default=0.0
    """

    alpha: float = 1.0
    beta: float = 0.0
    may_be_indefinite = True

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            if not np.isfinite(getattr(self, name)):
                raise BadInput(f"{name} is {getattr(self, name)!r}: it must be finite.")

    def native(self) -> tuple[int, float, float, int]:
        return KINDS.index("tanh"), float(self.alpha), float(self.beta), 1

    def diag(self, a: RowItems) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.tanh(self.alpha * a.native.squared_norms(1) + self.beta)

    def __str__(self) -> str:
        return f"tanh({_affine(self.alpha, self.beta)})"


def _affine(slope: float, offset: float) -> str:
    product = "x·z" if slope == 1 else f"{number(slope)} x·z"
    return f"{product} {'-' if offset < 0 else '+'} {number(abs(offset))}" if offset else product
