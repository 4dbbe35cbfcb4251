"""From the parameters of an estimator to a kernel. Names take scikit-learn's defaults."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import BadInput
from .columns import with_indices
from .function import Function
from .precomputed import Precomputed
from .protocol import Kernel
from .rows import RBF, Linear, Polynomial, PolynomialFunction, Tanh

NAMES = ("linear", "poly", "rbf", "sigmoid", "precomputed")


def as_kernel(
    wish: Any,
    X: Any = None,
    *,
    gamma: float | str = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    weight: np.ndarray | None = None,
    names: Any = None,
) -> Any:
    """The kernel for a name, a kernel object or a callable; `X` is needed for gamma="scale" or "auto".

    gamma="scale" is 1 / (features x variance of all values, weighted), "auto" is 1 / features. With the `names` of the
    columns, a kernel that looks at some of them by name gets their numbers.
    """
    if not isinstance(wish, str) and isinstance(wish, Kernel):
        return wish if names is None else with_indices(wish, names)
    if callable(wish):
        return Function(wish)
    if wish == "linear":
        return Linear()
    if wish == "precomputed":
        return Precomputed()
    if wish not in NAMES:
        raise BadInput(f"kernel is {wish!r}: it must be one of {', '.join(NAMES)}, a kernel, or a callable.")
    number = gamma if not isinstance(gamma, str) else 1.0 / X.shape[1] if gamma == "auto" else 1.0 / _spread(X, weight)
    if wish == "poly":
        kind = Polynomial if number > 0 and coef0 >= 0 else PolynomialFunction
        return kind(degree=degree, gamma=number, offset=coef0)
    if wish == "sigmoid":
        return Tanh(alpha=number, beta=coef0)
    return RBF(gamma=number) if number > 0 else Polynomial(degree=0)  # all values are exp(0)


def _spread(X: Any, weight: np.ndarray | None) -> float:
    """Features x variance of all values; 1 if they are all the same."""
    with np.errstate(over="ignore", invalid="ignore"):  # a variance beyond float64 is met by the checks of the values
        variance = _variance(X, weight)
    return float(X.shape[1] * variance) if variance > 0 and np.isfinite(variance) else 1.0


def _variance(X: Any, weight: np.ndarray | None) -> float:
    n, d = X.shape
    if weight is None and not sp.issparse(X):
        away = X - X.sum(dtype=np.float64) / X.size  # NumPy's own takes twice as long for small data
        away *= away
        return away.sum() / X.size
    w = np.ones(n) if weight is None else weight
    if sp.issparse(X):
        X64 = X.astype(np.float64)
        first, second = (np.asarray(m.sum(axis=1)).ravel() for m in (X64, X64.multiply(X64)))
        mean = w @ first / (w.sum() * d)
        return w @ second / (w.sum() * d) - mean * mean
    mean = w @ X.sum(axis=1, dtype=np.float64) / (w.sum() * d)
    return w @ ((X - mean) ** 2).sum(axis=1, dtype=np.float64) / (w.sum() * d)
