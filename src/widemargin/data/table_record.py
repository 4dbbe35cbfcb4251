"""The record that `read_table` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from widemargin.data.encode import TableEncoder


@dataclass(frozen=True, eq=False)
class Table:
    """A table in numbers, with an account of what was done to it.

    Attributes
    ----------
    X : ndarray of shape (n, d) or CSR matrix
        float64.
    y : ndarray of shape (n,) or None
        The target as given: text stays text, whole numbers are int64, other numbers float64.
    feature_names : tuple of str
        One per column of X; a one-hot feature is "column=category".
    target_name : str or None
    classes : tuple or None
        The distinct labels, sorted; None without a target or where it holds fractions.
    categories : dict
        The categories of each coded column, in the order of their codes.
    encoder : TableEncoder
        Applies the very same coding to other files.
    report : tuple of str
        What was done, a sentence each.
    """

    X: Any
    y: np.ndarray | None
    feature_names: tuple[str, ...]
    target_name: str | None
    classes: tuple[Any, ...] | None
    categories: dict[str, tuple[str, ...]]
    encoder: TableEncoder
    report: tuple[str, ...]

    def __repr__(self) -> str:
        n, d = self.X.shape
        form = "dense" if isinstance(self.X, np.ndarray) else "CSR"
        return f"Table({n} rows, {d} features, {form}, target={self.target_name!r})"


def classes_of(y: np.ndarray | None) -> tuple[Any, ...] | None:
    """The distinct labels, or None where y is absent or continuous."""
    if y is None or y.dtype.kind == "f":
        return None
    return tuple(np.unique(y).tolist())
