"""What every kernel of ours can do beside giving values: be called, combined with others, and printed as a formula.

    k1 + k2      k1 * k2      2.5 * k      k.on([0, 3])      k.exp()      k.polynomial([1, 0, 2])      k.normalized()

All of these keep a kernel a kernel: the matrix of values between any items stays positive semidefinite
[ShaweTaylorCristianini04, prop. 3.22 and 3.24].
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from ..base.errors import BadInput

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4  # how tightly the outermost sign of a formula binds


class Expression:
    """Base of our kernels. `binding` tells where the formula needs parentheses inside of another one."""

    binding = ATOM
    may_be_indefinite = False  # whether some of its matrices may have a negative eigenvalue
    __array_ufunc__ = None  # NumPy's numbers leave their products with kernels to us

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray | float:
        """The matrix of values for two 2-D arguments (Z=None: X itself), one value for two 1-D arguments."""
        if Z is not None and _is_vector(self, X) and _is_vector(self, Z):
            x, z = (self.prepare(np.asarray(v)[None, :]) for v in (X, Z))
            return float(self.block(x, z)[0, 0])
        a = self.prepare(X)
        return self.block(a, a if Z is None else self.prepare(Z))

    def prepare(self, objects: Any) -> Any:
        raise NotImplementedError

    def block(self, a: Any, b: Any, threads: int = 1) -> np.ndarray:
        raise NotImplementedError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The fields, and with `deep` those of kernels inside, so that `kernel__left__gamma` can be searched over."""
        params = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params"):
                    params |= {f"{name}__{key}": inner for key, inner in value.get_params().items()}
        return params

    def __sklearn_clone__(self) -> Expression:
        return self  # nothing about it can change

    def __add__(self, other: Any) -> Any:
        from .algebra import Sum

        return Sum(self, _operand(other, "+"))

    def __radd__(self, other: Any) -> Any:
        from .algebra import Sum

        return Sum(_operand(other, "+"), self)

    def __mul__(self, other: Any) -> Any:
        from .algebra import Product, Scaled

        return Scaled(self, float(other)) if _is_number(other) else Product(self, _operand(other, "*"))

    def __rmul__(self, other: Any) -> Any:
        from .algebra import Product, Scaled

        return Scaled(self, float(other)) if _is_number(other) else Product(_operand(other, "*"), self)

    def on(self, columns: Any) -> Any:
        """The kernel on some coordinates only: indices, a slice, or names if the data have them."""
        from .columns import OnColumns

        return OnColumns(self, columns)

    def exp(self) -> Any:
        """exp(k)."""
        from .algebra import Exponential

        return Exponential(self)

    def polynomial(self, coefficients: Iterable[float]) -> Any:
        """c0 + c1 k + c2 k² + …, no coefficient being negative."""
        from .algebra import PolynomialOf

        return PolynomialOf(self, coefficients)  # type: ignore[arg-type]

    def normalized(self) -> Any:
        """k(x, z) / √(k(x, x) k(z, z)); 0 where k(x, x) is 0."""
        from .algebra import Normalized

        return Normalized(self)


def with_params(kernel: Any, /, **changes: Any) -> Any:
    """The kernel with other parameters; `left__gamma` is the parameter `gamma` of the kernel `left` inside."""
    if not is_dataclass(kernel) or isinstance(kernel, type):
        raise BadInput(f"{kernel!r} has no parameters to set: give a kernel object, such as RBF(gamma=0.1).")
    known = [f.name for f in fields(kernel)]
    own: dict[str, Any] = {}
    inside: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        head, _, rest = name.partition("__")
        if head not in known:
            raise BadInput(f"{kernel!r} has no parameter {head!r}: it has {', '.join(known) or 'none'}.")
        if rest:
            inside.setdefault(head, {})[rest] = value
        else:
            own[head] = value
    for head, parts in inside.items():
        own[head] = with_params(own.get(head, getattr(kernel, head)), **parts)
    return replace(kernel, **own)


def parts(kernel: Any) -> dict[str, Any]:
    """The kernels that this one is made of, by the names of its fields."""
    values = {f.name: getattr(kernel, f.name) for f in fields(kernel)} if isinstance(kernel, Expression) else {}  # type: ignore[arg-type]
    return {name: value for name, value in values.items() if hasattr(value, "prepare")}


def formula(kernel: Any, least: int) -> str:
    """The kernel's formula, in parentheses unless it binds at least so tightly."""
    text = str(kernel)
    return text if getattr(kernel, "binding", 0) >= least else f"({text})"


def number(value: float) -> str:
    return f"{value:g}"


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | np.number) and not isinstance(value, bool)


def _operand(other: Any, sign: str) -> Any:
    from .resolve import as_kernel

    if _is_number(other):
        raise BadInput(f"k {sign} {other!r}: add a constant with k.polynomial([{other!r}, 1]).")
    return as_kernel(other)


def _is_vector(kernel: Any, x: Any) -> bool:
    """Whether x is one row; a flat list may also be the items of a kernel that does not compare rows."""
    if np.ndim(x) != 1:
        return False
    return getattr(kernel, "rows", False) or (isinstance(x, np.ndarray) and x.dtype.kind in "biuf")
