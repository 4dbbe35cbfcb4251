"""Kernels made of kernels: sums, products, multiples, exp, polynomials, normalisation.

Symbols  k the kernel inside, x and z items
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import BadInput
from .expression import ATOM, PRODUCT, SUM, Expression, formula, number
from .function import finite
from .precomputed import Precomputed


def inner_kernel(kernel: Any) -> Any:
    """The kernel, if algebra can be done with it."""
    if isinstance(kernel, Precomputed):
        raise BadInput("a precomputed kernel is a matrix: do the algebra with the matrix, before it is given to fit.")
    if not all(hasattr(kernel, name) for name in ("prepare", "block", "diag")):
        raise BadInput(f"{kernel!r} is no kernel: it must have the methods prepare, block and diag.")
    return kernel


class _OfOne(Expression):
    """A function of one kernel."""

    kernel: Any

    def __post_init__(self) -> None:
        inner_kernel(self.kernel)

    @property
    def rows(self) -> bool:
        return getattr(self.kernel, "rows", False)

    @property
    def may_be_indefinite(self) -> bool:  # type: ignore[override]
        return getattr(self.kernel, "may_be_indefinite", False)

    def prepare(self, objects: Any) -> Any:
        return self.kernel.prepare(objects)

    def block(self, a: Any, b: Any, threads: int = 1) -> np.ndarray:
        return self._checked(self.kernel.block(a, b, threads))

    def diag(self, a: Any) -> np.ndarray:
        return self._checked(self.kernel.diag(a)[:, None])[:, 0]

    def _checked(self, values: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return finite(self._of(values))

    def _of(self, values: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class _OfTwo(Expression):
    """A function of two kernels of the same items."""

    left: Any
    right: Any

    def __post_init__(self) -> None:
        inner_kernel(self.left)
        inner_kernel(self.right)

    @property
    def rows(self) -> bool:
        return getattr(self.left, "rows", False) or getattr(self.right, "rows", False)

    @property
    def may_be_indefinite(self) -> bool:  # type: ignore[override]
        return any(getattr(k, "may_be_indefinite", False) for k in (self.left, self.right))

    def prepare(self, objects: Any) -> Any:
        """A kernel of rows decides what the items are, since a function takes any."""
        first, second = (self.left, self.right) if getattr(self.left, "rows", False) else (self.right, self.left)
        return second.prepare(first.prepare(objects))

    def block(self, a: Any, b: Any, threads: int = 1) -> np.ndarray:
        return self._checked(self.left.block(a, b, threads), self.right.block(a, b, threads))

    def diag(self, a: Any) -> np.ndarray:
        return self._checked(self.left.diag(a)[:, None], self.right.diag(a)[:, None])[:, 0]

    def _checked(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return finite(self._of(left, right))

    def _of(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        raise NotImplementedError


@dataclass(frozen=True)
class Sum(_OfTwo):
    """left + right: the features of both, side by side."""

    left: Any
    right: Any
    binding = SUM

    def _of(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left + right

    def __str__(self) -> str:
        return f"{formula(self.left, SUM)} + {formula(self.right, SUM)}"


@dataclass(frozen=True)
class Product(_OfTwo):
    """left × right: all products of a feature of one and a feature of the other."""

    left: Any
    right: Any
    binding = PRODUCT

    def _of(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left * right

    def __str__(self) -> str:
        return f"{formula(self.left, PRODUCT)} × {formula(self.right, PRODUCT)}"


@dataclass(frozen=True)
class Scaled(_OfOne):
    """factor × kernel, the factor not being negative."""

    kernel: Any
    factor: float = 1.0
    binding = PRODUCT

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.isfinite(self.factor) and self.factor >= 0):
            raise BadInput(
                f"the factor {self.factor!r} would turn a kernel into something else: it must be finite and not "
                "negative."
            )

    def _of(self, values: np.ndarray) -> np.ndarray:
        return self.factor * values

    def __str__(self) -> str:
        inside = formula(self.kernel, PRODUCT)
        return f"{number(self.factor)} {f'({inside})' if inside[0].isdigit() else inside}"


@dataclass(frozen=True)
class Exponential(_OfOne):
    """exp(kernel)."""

    kernel: Any
    binding = ATOM

    def _of(self, values: np.ndarray) -> np.ndarray:
        return np.exp(values)

    def __str__(self) -> str:
        return f"exp({self.kernel})"


@dataclass(frozen=True)
class PolynomialOf(_OfOne):
    """c0 + c1 k + c2 k² + … of a kernel k, no coefficient being negative.

    Parameters
    ----------
    kernel : kernel
    coefficients : tuple of float
        c0, c1, c2, …
    """

    kernel: Any
    coefficients: tuple[float, ...] = (0.0, 1.0)
    binding = SUM

    def __post_init__(self) -> None:
        super().__post_init__()
        given = tuple(float(c) for c in np.atleast_1d(np.asarray(self.coefficients, dtype=np.float64)))
        if not given:
            raise BadInput("coefficients is empty: give c0, c1, … of the polynomial c0 + c1 k + …")
        for index, c in enumerate(given):
            if not (np.isfinite(c) and c >= 0):
                raise BadInput(
                    f"coefficient {index} is {c!r}: a polynomial of a kernel is a kernel only if all coefficients are "
                    "finite and not negative."
                )
        object.__setattr__(self, "coefficients", given)

    def _of(self, values: np.ndarray) -> np.ndarray:
        out = np.full_like(values, self.coefficients[-1])
        for c in self.coefficients[-2::-1]:
            out *= values
            out += c
        return out

    def __str__(self) -> str:
        terms = [self._term(power, c) for power, c in enumerate(self.coefficients) if c]
        return " + ".join(terms) or "0"

    def _term(self, power: int, c: float) -> str:
        if power == 0:
            return number(c)
        inside = formula(self.kernel, PRODUCT if power == 1 else ATOM) + (f"^{power}" if power > 1 else "")
        if c == 1:
            return inside
        return f"{number(c)} {f'({inside})' if inside[0].isdigit() else inside}"


@dataclass(frozen=True)
class Normalized(_OfOne):
    """k(x, z) / √(k(x, x) k(z, z)): the angle between features; 0 for an item whose features are all 0."""

    kernel: Any
    binding = ATOM

    def block(self, a: Any, b: Any, threads: int = 1) -> np.ndarray:
        values = finite(self.kernel.block(a, b, threads))
        down = self._inverse_length(a)
        return values * down[:, None] * (down if a is b else self._inverse_length(b))

    def diag(self, a: Any) -> np.ndarray:
        return (self._inverse_length(a) > 0).astype(np.float64)

    def _inverse_length(self, a: Any) -> np.ndarray:
        square = finite(np.asarray(self.kernel.diag(a), dtype=np.float64)[:, None])[:, 0]
        if (square < 0).any():
            i = int(np.argmin(square))
            raise BadInput(
                f"{self.kernel} is {square[i]:.3g} for item {i} of a block with itself, so it has no length there and "
                "cannot be normalised."
            )
        return np.divide(1.0, np.sqrt(square), out=np.zeros_like(square), where=square > 0)

    def __str__(self) -> str:
        return f"normalized({self.kernel})"
