"""Any Python callable as a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import BadInput, WrongType
from .expression import Expression
from .items import Items, ListItems, RowItems


@dataclass(frozen=True)
class Function(Expression):
    """A callable as kernel.

    Parameters
    ----------
    call : callable
        For rows of numbers it is called as in scikit-learn's SVC, with two 2-D arrays, and returns the matrix. For all
        other items (strings, graphs …) it is called with two lists and may return the matrix; if it does not, it is
        called with two items and returns one number.
    """

    call: Callable[[Any, Any], Any]
    may_be_indefinite = True

    def prepare(self, objects: Any) -> Items:
        if isinstance(objects, RowItems | ListItems):
            return objects
        return RowItems.checked(objects) if looks_like_rows(objects) else ListItems(objects)

    def block(self, a: Any, b: Any, threads: int = 1) -> np.ndarray:
        if isinstance(a, RowItems) != isinstance(b, RowItems):
            raise WrongType(
                "the kernel function is asked to compare rows of numbers with other items: give items of the kind that "
                "were learnt from."
            )
        if isinstance(a, RowItems):
            values = np.asarray(self.call(a.X, b.X))
            if values.shape != (len(a), len(b)):
                raise BadInput(
                    f"the kernel function gave an array of shape {values.shape} for {len(a)} and {len(b)} rows: "
                    f"it is called with two matrices and must return one of shape ({len(a)}, {len(b)})."
                )
            if values.dtype.kind not in "biuf":
                raise BadInput(f"the kernel function gave values of type {values.dtype}: it must return real numbers.")
            return finite(values.astype(np.float64, copy=False))
        return finite(self._of_lists(a.objects, b.objects))

    def _of_lists(self, a: list[Any], b: list[Any]) -> np.ndarray:
        """By one call, if the function is of that kind; a function of two items fails there, or gives another shape."""
        failed = None
        try:
            values = np.asarray(self.call(a, b))
            if values.shape == (len(a), len(b)) and values.dtype.kind in "biuf":
                return values.astype(np.float64)
        except Exception as error:
            failed = error
        try:
            pairs = [[self._of_two(x, z) for z in b] for x in a]
        except Exception as error:
            raise error from failed
        return np.array(pairs, dtype=np.float64).reshape(len(a), len(b))

    def _of_two(self, x: Any, z: Any) -> float:
        value = self.call(x, z)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise BadInput(
                f"the kernel function gave {value!r:.60} for {x!r:.60} and {z!r:.60}: it must return a real number."
            ) from None

    def diag(self, a: Any) -> np.ndarray:
        one = np.arange(1)
        return np.array([self.block(a.take(one + i), a.take(one + i))[0, 0] for i in range(len(a))])

    def __str__(self) -> str:
        return f"{getattr(self.call, '__name__', repr(self.call))}(x, z)"


def looks_like_rows(objects: Any) -> bool:
    """Whether these are rows of numbers rather than items of another kind."""
    if sp.issparse(objects) or hasattr(objects, "iloc") or hasattr(objects, "__dataframe__"):
        return True
    if isinstance(objects, np.ndarray):
        return objects.dtype.kind in "biuf" or (objects.ndim == 2 and objects.dtype.kind == "O")
    first = next(iter(objects), None) if isinstance(objects, list | tuple) else None
    return (
        first is None
        or isinstance(first, list | tuple | np.ndarray)
        or (np.isscalar(first) and not isinstance(first, str | bytes))
    )


def finite(values: np.ndarray) -> np.ndarray:
    if not np.isfinite(values).all():
        i, j = np.argwhere(~np.isfinite(values))[0]
        raise BadInput(
            f"the kernel gave {values[i, j]} for items {i} and {j} of a block: scale the data, or change the kernel."
        )
    return values
