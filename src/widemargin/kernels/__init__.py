"""Kernels: how alike two things are, as an inner product somewhere.

A kernel of rows is a frozen dataclass: `k(X, Z)` is a matrix for 2-D arguments and a float for 1-D ones. Kernels are
combined by `+`, `*`, `.on(columns)`, `.exp()`, `.polynomial(coefficients)` and `.normalized()`, and print as formulas.
Anything with the three methods of :class:`Kernel` is a kernel too, whatever its items are, and so is any Python
callable.
"""

from .algebra import Exponential, Normalized, PolynomialOf, Product, Scaled, Sum
from .columns import OnColumns
from .distances import ChiSquared, Laplacian
from .expression import with_params
from .feature_map import FeatureMap, feature_map
from .fourier import FourierError, RandomFourier
from .function import Function
from .gram import GramSource
from .items import Items, ListItems, RowItems
from .mahalanobis import Mahalanobis
from .mercer import Mercer, mercer, warn_unless_psd
from .nystroem import Nystroem, NystroemError
from .precomputed import Precomputed
from .protocol import Kernel
from .resolve import as_kernel
from .rows import RBF, Linear, Polynomial, Tanh

__all__ = [
    "RBF",
    "ChiSquared",
    "Exponential",
    "FeatureMap",
    "FourierError",
    "Function",
    "GramSource",
    "Items",
    "Kernel",
    "Laplacian",
    "Linear",
    "ListItems",
    "Mahalanobis",
    "Mercer",
    "Normalized",
    "Nystroem",
    "NystroemError",
    "OnColumns",
    "Polynomial",
    "PolynomialOf",
    "Precomputed",
    "Product",
    "RandomFourier",
    "RowItems",
    "Scaled",
    "Sum",
    "Tanh",
    "as_kernel",
    "feature_map",
    "mercer",
    "warn_unless_psd",
    "with_params",
]
