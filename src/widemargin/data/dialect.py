"""How a text table is written: what the caller says, and what the beginning of the file tells.

**Delimiter**: the first of tab, semicolon, bar, comma, space that splits every row of the sample into the same number
(> 1) of fields; failing that, the one that splits most rows alike. **Header**: the first row is one if none of its
cells is a number, missing, or found again below in its own column, and all differ.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from widemargin.base.errors import BadInput, MalformedFile
from widemargin.data.columns import BLANKS, DEFAULT_MISSING, NUMBER
from widemargin.data.source import Opened

_DELIMITERS = "\t;|, "
_SAMPLE_ROWS = 200
_SVMLIGHT = re.compile(r"\S+(?: +[0-9]+:[^ :]+)+\s*(?:#.*)?")


@dataclass(frozen=True)
class Dialect:
    """What the caller says; None: found out."""

    delimiter: str | None = None
    header: bool | None = None
    quote: str | None = '"'
    decimal: str = "."
    missing: tuple[str, ...] = DEFAULT_MISSING
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        for what, value in (("delimiter", self.delimiter), ("quote", self.quote)):
            if value is not None and (not isinstance(value, str) or len(value) != 1 or value in "\r\n"):
                raise BadInput(f"{what}={value!r} must be one character (or None), not a line end")
        if self.delimiter is not None and self.delimiter in (self.quote, self.decimal):
            raise BadInput(f"delimiter={self.delimiter!r} is also the quote or the decimal sign: they must differ")
        if self.decimal not in (".", ","):
            raise BadInput(f"decimal={self.decimal!r} must be '.' or ','")
        if isinstance(self.missing, str) or not all(isinstance(word, str) for word in self.missing):
            raise BadInput(f"missing_values={self.missing!r} must be a list of strings")


@dataclass(frozen=True)
class Layout:
    """The same with every question answered."""

    delimiter: str
    header: bool
    quote: str | None
    decimal: str
    missing: frozenset[str]
    encoding: str

    def csv_options(self) -> dict[str, Any]:
        return _csv_options(self.delimiter, self.quote)


def layout_of(opened: Opened, dialect: Dialect) -> Layout:
    encoding = opened.encoding(dialect.encoding)
    lines = _sample_lines(opened, encoding)
    if lines and lines[0].lower().startswith("sep=") and len(lines[0]) == 5:
        hint = f"delete this line and pass delimiter={lines[0][4]!r}"
        raise MalformedFile(f"{lines[0]!r} is a note to a spreadsheet, not data: {hint}", path=opened.name, line=1)
    delimiter = dialect.delimiter or _delimiter(lines, dialect)
    if dialect.delimiter is None and lines and all(map(_SVMLIGHT.fullmatch, lines[:20])):
        raise BadInput(f"{opened.name} looks like an svmlight file (index:value pairs): use read_svmlight")
    header = dialect.header
    if header is None:
        header = _has_header(_split(lines, delimiter, dialect.quote), dialect)
    return Layout(delimiter, header, dialect.quote, dialect.decimal, frozenset(dialect.missing), encoding)


def _sample_lines(opened: Opened, encoding: str) -> list[str]:
    text = opened.head.decode(encoding, "replace").removeprefix("\ufeff")
    lines = text.split("\n")
    if len(lines) > 2:
        lines.pop()  # cut off in its middle, or empty after the last line end
    return [line.rstrip("\r") for line in lines[: 4 * _SAMPLE_ROWS] if line.strip()]


def _csv_options(delimiter: str, quote: str | None) -> dict[str, Any]:
    quoting = {"quoting": csv.QUOTE_NONE} if quote is None else {"quotechar": quote}
    return {"delimiter": delimiter, **quoting}


def _split(lines: list[str], delimiter: str, quote: str | None) -> list[list[str]]:
    if delimiter == " ":
        lines = [line.strip(BLANKS) for line in lines]
    reader = csv.reader((line + "\n" for line in lines), skipinitialspace=True, **_csv_options(delimiter, quote))
    rows: list[list[str]] = []
    with suppress(csv.Error):  # the reading proper says what is wrong, and where
        rows.extend(islice(reader, _SAMPLE_ROWS))
    return rows


def _delimiter(lines: list[str], dialect: Dialect) -> str:
    best, best_share = ",", 0.5
    for delimiter in _DELIMITERS:
        if delimiter == dialect.decimal:
            continue
        widths = Counter(map(len, _split(lines, delimiter, dialect.quote)))
        if not widths:
            continue
        width, count = widths.most_common(1)[0]
        share = count / widths.total()
        if width > 1 and share > best_share:
            best, best_share = delimiter, share
    return best


def _has_header(rows: list[list[str]], dialect: Dialect) -> bool:
    if len(rows) < 2:
        return False
    first = [cell.strip(BLANKS) for cell in rows[0]]
    # Empty at an end is allowed: an index column has no name, and a delimiter may close the row.
    if (
        not any(first)
        or "" in first[1:-1]
        or any(_number_like(cell) or (cell and cell in dialect.missing) for cell in first)
    ):
        return False
    named = [cell for cell in first if cell]
    if len(set(named)) < len(named):
        return False
    below = [[row[i].strip(BLANKS) for row in rows[1:] if i < len(row)] for i in range(len(first))]
    return not any(cell and cell in cells for cell, cells in zip(first, below, strict=True))


def _number_like(cell: str) -> bool:
    return NUMBER.fullmatch(cell.replace(",", ".")) is not None
