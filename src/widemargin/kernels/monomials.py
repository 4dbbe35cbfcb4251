"""Kernels that are polynomials, written out: k(x, z) = Σ_m c_m u(x)^m u(z)^m with c_m >= 0, so φ_m(x) = √c_m u(x)^m.

Symbols  u the base: the columns of x, and Rx for every form xᵀAz = Rx·Rz inside; m a monomial, the tuple of its places
         in the base in growing order, with repetitions; c_m its coefficient
Method   (g x·z + o)^p has c_m = o^(p - |m|) g^|m| p! / ((p - |m|)! Π m_j!); a sum of kernels adds the c, a product
         multiplies the polynomials out, a multiple scales them                  [ShaweTaylorCristianini04, sec. 9.1]
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from ..base.errors import BadInput
from .algebra import PolynomialOf, Product, Scaled, Sum
from .columns import OnColumns
from .expression import parts
from .mahalanobis import Mahalanobis
from .rows import Linear, Polynomial

Monomial = tuple[int, ...]
Terms = dict[Monomial, float]


@dataclass
class Base:
    """Where the places of monomials point: columns of x first, then the rows of every R, each with its columns."""

    d: int
    most: int
    forms: list[tuple[Mahalanobis, tuple[int, ...], int]] = field(default_factory=list)  # kernel, columns, first place

    def place(self, kernel: Mahalanobis, columns: tuple[int, ...]) -> range:
        for known, where, first in self.forms:
            if known == kernel and where == columns:
                return range(first, first + len(kernel.root))
        first = self.size
        self.forms.append((kernel, columns, first))
        return range(first, first + len(kernel.root))

    @property
    def size(self) -> int:
        return self.d + sum(len(kernel.root) for kernel, _, _ in self.forms)

    def refuse(self, kernel: Any, count: int, exactly: bool = True) -> None:
        if count > self.most:
            raise BadInput(
                f"the map of {kernel} on {self.d} columns has {'' if exactly else 'more than '}{count} features, and "
                f"at most {self.most} are allowed: raise max_features, or use Nystroem."
            )


def terms(kernel: Any, columns: tuple[int, ...], base: Base) -> Terms:
    """The monomials of the kernel on these columns of x, with their coefficients."""
    if isinstance(kernel, Linear):
        base.refuse(kernel, len(columns))
        return {m: float(c) for m, c in Counter((j,) for j in columns).items()}
    if isinstance(kernel, Polynomial):
        return _polynomial(kernel, columns, base)
    if isinstance(kernel, Mahalanobis):
        if len(kernel.A) != len(columns):
            raise BadInput(f"A is for {len(kernel.A)} features, but the rows have {len(columns)}.")
        return {(j,): 1.0 for j in base.place(kernel, columns)}
    if isinstance(kernel, OnColumns):
        return terms(kernel.kernel, tuple(columns[j] for j in kernel.indices(len(columns))), base)
    if isinstance(kernel, Sum):
        return _sum(terms(kernel.left, columns, base), terms(kernel.right, columns, base))
    if isinstance(kernel, Product):
        return _product(terms(kernel.left, columns, base), terms(kernel.right, columns, base), kernel, base)
    if isinstance(kernel, Scaled):
        return _scaled(terms(kernel.kernel, columns, base), kernel.factor)
    assert isinstance(kernel, PolynomialOf)  # refuse_infinite has looked
    return _polynomial_of(kernel, terms(kernel.kernel, columns, base), base)


def refuse_infinite(kernel: Any) -> None:
    """Raises unless the kernel is a polynomial of rows."""
    if isinstance(kernel, Linear | Polynomial | Mahalanobis):
        return
    if not isinstance(kernel, Sum | Product | Scaled | PolynomialOf | OnColumns):
        raise BadInput(
            f"{kernel} has no finite feature map that could be written out: use Nystroem, or RandomFourier for RBF "
            "and Laplacian."
        )
    for part in parts(kernel).values():
        refuse_infinite(part)


def _polynomial(kernel: Polynomial, columns: tuple[int, ...], base: Base) -> Terms:
    d, p, offset = len(columns), int(kernel.degree), float(kernel.offset)
    degrees = range(p + 1) if offset else [p]
    base.refuse(kernel, sum(math.comb(d + q - 1, q) for q in degrees))
    out: Terms = {}
    for q in degrees:
        front = offset ** (p - q) * float(kernel.gamma) ** q * math.perm(p, q)
        for m in combinations_with_replacement(range(d), q):
            place = tuple(sorted(columns[j] for j in m))
            repeated = math.prod(math.factorial(times) for times in Counter(m).values()) if q > 1 else 1
            out[place] = out.get(place, 0.0) + front / repeated
    return out


def _sum(left: Terms, right: Terms) -> Terms:
    out = dict(left)
    for m, c in right.items():
        out[m] = out.get(m, 0.0) + c
    return out


def _scaled(inside: Terms, factor: float) -> Terms:
    return {m: factor * c for m, c in inside.items()}


def _product(left: Terms, right: Terms, kernel: Any, base: Base) -> Terms:
    out: Terms = {}
    for m, c in left.items():
        for n, e in right.items():
            place = tuple(sorted(m + n))
            out[place] = out.get(place, 0.0) + c * e
        base.refuse(kernel, len(out), exactly=False)
    return out


def _polynomial_of(kernel: PolynomialOf, inside: Terms, base: Base) -> Terms:
    out: Terms = {}
    for c in kernel.coefficients[::-1]:
        out = _sum(_product(out, inside, kernel, base), {(): c} if c else {})
    return out


def arranged(found: Terms) -> tuple[list[Monomial], np.ndarray]:
    """The monomials by degree and place, and the weights √c of their features; none with c = 0."""
    kept = sorted((m for m, c in found.items() if c > 0), key=lambda m: (len(m), m))
    return kept, np.sqrt([found[m] for m in kept])
