"""What a kernel must be able to do. Twelve lines are enough for a new one: see the toy string kernel in the tests."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from .items import Items


@runtime_checkable
class Kernel(Protocol):
    """A symmetric positive semidefinite function of two items.

    `prepare` turns the user's objects into :class:`Items` (checking them), `block` gives the float64 matrix of values
    between two of these, `diag` the values of items with themselves. A kernel of rows of numbers also has
    `rows = True`: its input is then checked as an array.
    """

    def prepare(self, objects: Any) -> Items: ...
    def block(self, a: Items, b: Items, threads: int = 1) -> np.ndarray: ...
    def diag(self, a: Items) -> np.ndarray: ...
