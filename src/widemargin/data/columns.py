"""The cells of a table, column by column, before they are coded as numbers.

A `Frame` is what every reader (CSV, ARFF, Parquet, data frames) hands over; a column answers two questions only:
`numbers()` (float64, NaN where missing, and the rows that hold no number) and `texts()` (None where missing).
What counts as a number is written once, in `NUMBER`, so that every engine reads the same file to the same values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

# ASCII digits only: float() would also take 1_000 and digits of other scripts, which other readers take as text.
_PLAIN = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMBER = re.compile(_PLAIN + r"|[+-]?(?:inf|infinity|nan)", re.IGNORECASE | re.ASCII)
_ONLY_NUMBER_CHARACTERS = re.compile(r"[0-9eE.+\- \t\n]*")
BLANKS = " \t"
NO_ROWS = np.empty(0, dtype=np.int64)
DEFAULT_MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL")


class Column(Protocol):
    """One column of a `Frame`."""

    @property
    def kind(self) -> str: ...  # "number", "bool", "category", "date", or "unknown" where the cells themselves tell
    @property
    def declared(self) -> tuple[str, ...] | None: ...  # the categories that the file declares (ARFF)
    def __len__(self) -> int: ...
    def numbers(self) -> tuple[np.ndarray, np.ndarray]: ...
    def texts(self) -> list[str | None]: ...


@dataclass(frozen=True)
class Numbers:
    """A column that is numeric already; NaN where missing."""

    values: np.ndarray
    kind: str = "number"
    declared: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.values)

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        return np.asarray(self.values, dtype=np.float64), NO_ROWS

    def texts(self) -> list[str | None]:
        return [_text_of(v) for v in self.values.tolist()]


@dataclass(frozen=True)
class SparseNumbers:
    """A numeric column that is zero except in `rows`; made dense only while it is looked at."""

    length: int
    rows: np.ndarray
    values: np.ndarray
    kind: str = "number"
    declared: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return self.length

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        dense = np.zeros(self.length)
        dense[self.rows] = self.values
        return dense, NO_ROWS

    def texts(self) -> list[str | None]:
        return [_text_of(v) for v in self.numbers()[0].tolist()]


@dataclass
class Cells:
    """A column of text: strings as they stand in the file (None where the format itself says missing)."""

    cells: Sequence[str | None]
    kind: str = "unknown"
    missing: frozenset[str] = frozenset(DEFAULT_MISSING)
    decimal: str = "."
    declared: tuple[str, ...] | None = None
    _numbers: tuple[np.ndarray, np.ndarray] | None = field(default=None, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.cells)

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        # Asked for twice, by the learner and by the coder: parsed once.
        if self._numbers is None:
            self._numbers = self._parsed()
        return self._numbers

    def _parsed(self) -> tuple[np.ndarray, np.ndarray]:
        cells = self.cells
        clean = self._clean_numbers(cells)
        if clean is not None:
            return clean, NO_ROWS
        value = {cell: self._number(cell) for cell in set(cells)}
        bad = {cell for cell, v in value.items() if v is None}
        values = np.array([value[cell] for cell in cells], dtype=np.float64)
        rows = np.flatnonzero([cell in bad for cell in cells]) if bad else NO_ROWS
        return values, rows

    def texts(self) -> list[str | None]:
        text = {cell: self._text(cell) for cell in set(self.cells)}
        return [text[cell] for cell in self.cells]

    def _clean_numbers(self, cells: Sequence[str | None]) -> np.ndarray | None:
        """The usual case, a column of nothing but plain numbers, at the speed of C."""
        if self.decimal != ".":
            return None
        try:
            if not _ONLY_NUMBER_CHARACTERS.fullmatch("\n".join(cells)):  # type: ignore[arg-type]
                return None
            return np.fromiter(map(float, cells), np.float64, len(cells))  # type: ignore[arg-type]
        except (ValueError, TypeError):
            return None

    def _text(self, cell: str | None) -> str | None:
        if cell is None:
            return None
        text = cell.strip(BLANKS)
        return None if text == "" or text in self.missing else text

    def _number(self, cell: str | None) -> float | None:
        """NaN for a missing cell, None for a cell that is no number."""
        text = self._text(cell)
        if text is None:
            return np.nan
        if self.decimal != ".":
            text = text.replace(".", "x").replace(self.decimal, ".")
        return float(text) if NUMBER.fullmatch(text) else None


class PolarsCells:
    """The same as `Cells`, over a polars string column; whatever is not plainly numeric is left to `Cells`."""

    def __init__(self, series: Any, kind: str, missing: frozenset[str], decimal: str) -> None:
        self.series, self.kind, self.missing, self.decimal = series, kind, missing, decimal
        self.declared: tuple[str, ...] | None = None
        self._numbers: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.series)

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        if self._numbers is None:
            self._numbers = self._parsed()
        return self._numbers

    def _parsed(self) -> tuple[np.ndarray, np.ndarray]:
        import polars

        if self.decimal == ".":
            text = self.series.str.strip_chars(BLANKS)
            known = text.filter(text.is_not_null() & ~text.is_in(sorted(self.missing | {""})))
            if known.str.contains(f"^(?:{_PLAIN})$").all():
                values = text.cast(polars.Float64, strict=False)
                if values.null_count() == len(text) - len(known):
                    return values.fill_null(float("nan")).to_numpy(), NO_ROWS
        return self._cells().numbers()

    def texts(self) -> list[str | None]:
        return self._cells().texts()

    def _cells(self) -> Cells:
        return Cells(self.series.to_list(), self.kind, self.missing, self.decimal)


@dataclass(frozen=True)
class Frame:
    """A rectangular piece of a table.

    `row_lines` holds the line of the file of each row (None: row i stands on line `first_line + i`; `first_line` None:
    there are no lines, as in Parquet). `row_numbers` holds those of some rows of a larger frame.
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    source: str
    header: bool = True
    first_line: int | None = None
    row_lines: Sequence[int] | None = None
    first_row: int = 0
    how: str = ""  # how the file was read, in words
    row_numbers: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def line(self, row: int) -> int | None:
        if self.row_lines is not None:
            return int(self.row_lines[row])
        return None if self.first_line is None else self.first_line + int(row)

    def place(self, row: int) -> str:
        """Where a row stands, in words."""
        line = self.line(row)
        return f"row {self._number(row)} (from 0)" if line is None else f"line {line}"

    def _number(self, row: int) -> int:
        return self.first_row + int(row) if self.row_numbers is None else int(self.row_numbers[row])

    def column(self, name: str) -> Column:
        return self.columns[self.names.index(name)]

    def take(self, rows: np.ndarray) -> Frame:
        """These rows alone; they stand on the lines on which they stood, and have the numbers that they had."""
        lines = None if self.line(0) is None else [self.line(row) or 0 for row in rows.tolist()]
        numbers = np.array([self._number(row) for row in rows.tolist()], dtype=np.int64)
        columns = tuple(Chosen(c, rows) for c in self.columns)
        return replace(self, columns=columns, row_lines=lines, row_numbers=numbers)


@dataclass(frozen=True)
class Chosen:
    """Some rows of a column."""

    column: Column
    rows: np.ndarray

    @property
    def kind(self) -> str:
        return self.column.kind

    @property
    def declared(self) -> tuple[str, ...] | None:
        return self.column.declared

    def __len__(self) -> int:
        return len(self.rows)

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        values, bad = self.column.numbers()
        return values[self.rows], np.flatnonzero(np.isin(self.rows, bad))

    def texts(self) -> list[str | None]:
        texts = self.column.texts()
        return [texts[row] for row in self.rows.tolist()]


def counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def text_of_number(value: float) -> str:
    """The shortest text of a number: 1.0 is "1", so that a code reads alike from a text file and from Parquet."""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)


def _text_of(value: Any) -> str | None:
    if isinstance(value, float):
        if value != value:
            return None
        return text_of_number(value) if abs(value) != float("inf") else repr(value)
    return str(value)
