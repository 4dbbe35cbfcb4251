"""Kernels: how alike two things are, as an inner product somewhere.

A kernel of rows is a frozen dataclass: `k(X, Z)` is a matrix for 2-D arguments and a float for 1-D ones. Anything with
the three methods of :class:`Kernel` is a kernel too, whatever its items are, and so is any Python callable.
"""

from .function import Function
from .gram import GramSource
from .items import Items, ListItems, RowItems
from .precomputed import Precomputed
from .protocol import Kernel
from .resolve import as_kernel
from .rows import RBF, Linear, Polynomial

__all__ = [
    "RBF",
    "Function",
    "GramSource",
    "Items",
    "Kernel",
    "Linear",
    "ListItems",
    "Polynomial",
    "Precomputed",
    "RowItems",
    "as_kernel",
]
