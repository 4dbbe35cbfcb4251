"""A kernel that looks at some coordinates only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import BadInput
from .algebra import _OfOne
from .expression import ATOM, formula, parts, with_params
from .items import RowItems


@dataclass(frozen=True)
class Span:
    """start:stop:step as in a slice, which is no value that could be compared and hashed in every Python."""

    start: int | None = None
    stop: int | None = None
    step: int | None = None

    def __post_init__(self) -> None:
        for name in ("start", "stop", "step"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, int(value))
        if self.step == 0:
            raise BadInput("the step of a slice of columns is 0.")

    def __str__(self) -> str:
        ends = [("" if v is None else str(v)) for v in (self.start, self.stop)]
        return ":".join(ends + ([] if self.step is None else [str(self.step)]))


Columns = tuple[int | str, ...] | Span


@dataclass(frozen=True)
class OnColumns(_OfOne):
    """The kernel on some coordinates of x and z.

    Parameters
    ----------
    kernel : kernel of rows
    columns : int, str, sequence of them, or slice
        Negative indices count from the end; names are those of a data frame's columns.
    """

    kernel: Any
    columns: Columns
    binding = ATOM
    rows = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "columns", _as_columns(self.columns))

    def block(self, a: RowItems, b: RowItems, threads: int = 1) -> np.ndarray:
        return self.kernel.block(self._seen(a), self._seen(b), threads)

    def diag(self, a: RowItems) -> np.ndarray:
        return self.kernel.diag(self._seen(a))

    def prepare(self, objects: Any) -> RowItems:
        return objects if isinstance(objects, RowItems) else RowItems.checked(objects)

    def indices(self, d: int, names: Any = None) -> tuple[int, ...]:
        """The columns as numbers from 0 to d - 1."""
        if isinstance(self.columns, Span):
            found = tuple(range(d))[slice(self.columns.start, self.columns.stop, self.columns.step)]
            if not found:
                raise BadInput(f"the slice {self.columns} of {d} columns is empty.")
            return found
        return tuple(_index(c, d, names) for c in self.columns)

    def _seen(self, items: RowItems) -> RowItems:
        return items.on(self.indices(items.X.shape[1], items.names))

    def __str__(self) -> str:
        inside = str(self.columns) if isinstance(self.columns, Span) else ", ".join(map(str, self.columns))
        return f"{formula(self.kernel, ATOM)}[{inside}]"


def with_indices(kernel: Any, names: Any) -> Any:
    """The kernel with numbers in place of names of columns, so that it needs no names any more."""
    if isinstance(kernel, OnColumns) and not isinstance(kernel.columns, Span):
        chosen = tuple(c if isinstance(c, int) else _index(c, 0, names) for c in kernel.columns)
        inside = with_indices(kernel.kernel, None if names is None else [names[c] for c in chosen])
        return OnColumns(inside, chosen)
    if isinstance(kernel, OnColumns):
        span = kernel.columns
        left = None if names is None else list(names)[slice(span.start, span.stop, span.step)]  # type: ignore[union-attr]
        return OnColumns(with_indices(kernel.kernel, left), span)
    inside = {name: with_indices(part, names) for name, part in parts(kernel).items()}
    return with_params(kernel, **inside) if inside else kernel


def _as_columns(given: Any) -> Columns:
    if isinstance(given, Span):
        return given
    if isinstance(given, slice):
        return Span(given.start, given.stop, given.step)
    chosen = tuple(_as_column(c) for c in ([given] if isinstance(given, str) or np.ndim(given) == 0 else list(given)))
    if not chosen:
        raise BadInput("columns is empty: name at least one column.")
    return chosen


def _as_column(c: Any) -> int | str:
    if isinstance(c, str):
        return str(c)
    if isinstance(c, int | np.integer) and not isinstance(c, bool | np.bool_):
        return int(c)
    raise BadInput(f"columns holds {c!r}: columns are chosen by whole numbers, by names, or by a slice.")


def _index(column: int | str, d: int, names: Any) -> int:
    if isinstance(column, str):
        if names is None:
            raise BadInput(f"the kernel looks at the column {column!r}, but the data have no names: give its number.")
        where = [i for i, name in enumerate(names) if name == column]
        if len(where) != 1:
            raise BadInput(
                f"the kernel looks at the column {column!r}, but the data have {len(where)} of that name among "
                f"{', '.join(map(str, list(names)[:20]))}."
            )
        return where[0]
    if not -d <= column < d:
        raise BadInput(f"the kernel looks at column {column}, but the rows have {d} columns (0 to {d - 1}).")
    return column % d
