"""ARFF, dense and sparse: quoted names and values, nominal, numeric and string attributes, `?` for missing.

SciPy's reader refuses string attributes and sparse rows, which is why there is one here. In a sparse row `{3 1.5, 7 b}`
an attribute left out is 0, which for a nominal one means its first declared value, and for a string a missing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from widemargin.base.errors import MalformedFile
from widemargin.data.columns import NUMBER, Cells, Column, Frame, Numbers, SparseNumbers
from widemargin.data.source import Opened, lines_of

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_TOKEN = re.compile(rf"\s*({_QUOTED}|[^,\s'\"{{}}%][^,\t'\"]*?|)\s*(,|\t|$)")
_NAME = re.compile(rf"@attribute\s+({_QUOTED}|[^\s'\"{{]+)\s*(.*)", re.IGNORECASE)
_PAIR = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^,\s'\"]+)\s*(,|$)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_Cell = str | float | None
_Row = list[_Cell] | dict[int, _Cell]


@dataclass(frozen=True)
class Attribute:
    """One declared column; `values` are the declared categories of a nominal one."""

    name: str
    kind: str  # "number", "nominal", "text" or "date"
    values: tuple[str, ...] = ()


def read_arff(opened: Opened, encoding: str) -> Frame:
    """The whole file as one frame."""
    return next(stream_arff(opened, encoding, None))


def stream_arff(opened: Opened, encoding: str, batch_rows: int | None) -> Iterator[Frame]:
    """The file in frames of at most `batch_rows` rows (None: all in one)."""
    name = opened.name
    lines = enumerate(lines_of(opened.stream, opened.encoding(encoding), name), start=1)
    attributes = _attributes(lines, name)
    rows: list[_Row] = []
    numbers: list[int] = []
    done = 0
    for number, line in lines:
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        try:
            rows.append(_row(line, attributes))
        except _Bad as bad:
            raise MalformedFile(str(bad), path=name, line=number) from None
        numbers.append(number)
        if len(rows) == batch_rows:
            yield _frame(attributes, rows, numbers, name, done)
            done += len(rows)
            rows, numbers = [], []
    if rows or done == 0:
        yield _frame(attributes, rows, numbers, name, done)


class _Bad(Exception):
    """What is wrong with a line; the caller knows where."""


def _attributes(lines: Iterator[tuple[int, str]], name: str) -> list[Attribute]:
    attributes: list[Attribute] = []
    number = 0
    for number, line in lines:
        line = line.strip()
        word = line.split(None, 1)[0].lower() if line else "%"
        if word.startswith("%") or word == "@relation":
            continue
        if word == "@data":
            if not attributes:
                raise MalformedFile("@data comes before any @attribute", path=name, line=number)
            return attributes
        if word != "@attribute":
            raise MalformedFile(f"{line[:40]!r} is no @attribute and no @data", path=name, line=number)
        try:
            attribute = _attribute(line)
            if any(attribute.name == other.name for other in attributes):
                raise _Bad(f"the attribute {attribute.name!r} is declared twice")
        except _Bad as bad:
            raise MalformedFile(str(bad), path=name, line=number) from None
        attributes.append(attribute)
    raise MalformedFile("the file ends before @data", path=name, line=number)


def _attribute(line: str) -> Attribute:
    match = _NAME.fullmatch(line)
    if not match:
        raise _Bad(f"{line[:60]!r} is no attribute declaration: @attribute name type")
    name, rest = _unquoted(match[1]), match[2].strip()
    if rest.startswith("{"):
        if not rest.endswith("}"):
            raise _Bad(f"the values of attribute {name!r} are not closed by '}}'")
        values = tuple(str(v) for v in _tokens(rest[1:-1], missing="?"))
        if len(set(values)) < len(values) or "" in values:
            raise _Bad(f"attribute {name!r} declares a value twice, or an empty one")
        return Attribute(name, "nominal", values)
    word = rest.split(None, 1)[0].lower() if rest else ""
    kinds = {"numeric": "number", "real": "number", "integer": "number", "string": "text", "date": "date"}
    if word not in kinds:
        raise _Bad(f"attribute {name!r} has the type {rest!r}; known are numeric, real, integer, string, date, {{...}}")
    return Attribute(name, kinds[word])


def _tokens(line: str, missing: str | None = None) -> list[str | None]:
    """The values of a line; an unquoted `?` becomes `missing`."""
    if "'" not in line and '"' not in line and "\t" not in line and "{" not in line:
        return [missing if token == "?" else token for token in map(str.strip, line.split(","))]
    tokens: list[str | None] = []
    at = 0
    while True:
        match = _TOKEN.match(line, at)
        if not match:
            rest = line[at : at + 30]
            hint = " (weights of rows are not supported)" if rest.lstrip().startswith("{") else ""
            raise _Bad(f"cannot read a value at {rest!r}: a quote is not closed, or a comma is missing{hint}")
        tokens.append(missing if match[1] == "?" else _unquoted(match[1]))
        at = match.end()
        if not match[2]:
            return tokens


def _unquoted(token: str) -> str:
    if token[:1] not in ("'", '"'):
        return token
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), token[1:-1])


def _row(line: str, attributes: list[Attribute]) -> _Row:
    if line.startswith("{"):
        return _sparse_row(line, attributes)
    tokens = _tokens(line)
    if len(tokens) != len(attributes):
        raise _Bad(f"{len(tokens)} values where {len(attributes)} attributes are declared")
    return [_cell(token, attribute) for token, attribute in zip(tokens, attributes, strict=True)]


def _sparse_row(line: str, attributes: list[Attribute]) -> dict[int, _Cell]:
    if not line.endswith("}"):
        raise _Bad("the sparse row is not closed by '}'")
    row: dict[int, _Cell] = {}
    body = line[1:-1].strip()
    at = 0
    while at < len(body):
        match = _PAIR.match(body, at)
        if not match:
            raise _Bad(f"cannot read 'index value' at {body[at : at + 30]!r}")
        index = int(match[1])
        if index >= len(attributes):
            raise _Bad(f"index {index}, but the {len(attributes)} attributes are numbered 0 to {len(attributes) - 1}")
        if index in row:
            raise _Bad(f"index {index} stands twice in one row")
        row[index] = _cell(None if match[2] == "?" else _unquoted(match[2]), attributes[index])
        at = match.end()
    return row


def _cell(token: str | None, attribute: Attribute) -> _Cell:
    if token is None:
        return None
    if attribute.kind == "number":
        if not NUMBER.fullmatch(token):
            raise _Bad(f"{token!r} is no number, and attribute {attribute.name!r} is numeric")
        return float(token)
    if attribute.kind == "nominal" and token not in attribute.values:
        raise _Bad(f"{token!r} is not among the {len(attribute.values)} values declared for {attribute.name!r}")
    return token


def _frame(attributes: list[Attribute], rows: list[_Row], numbers: list[int], name: str, done: int) -> Frame:
    """Rows turned into columns, by way of (row, value) lists so that wide sparse files stay small."""
    at: list[list[int]] = [[] for _ in attributes]
    cells: list[list[_Cell]] = [[] for _ in attributes]
    for i, row in enumerate(rows):
        for f, cell in row.items() if isinstance(row, dict) else enumerate(row):
            at[f].append(i)
            cells[f].append(cell)
    columns = tuple(_column(a, len(rows), at[f], cells[f]) for f, a in enumerate(attributes))
    return Frame(tuple(a.name for a in attributes), columns, name, row_lines=numbers, first_row=done)


def _column(attribute: Attribute, n_rows: int, at: list[int], cells: list[_Cell]) -> Column:
    if attribute.kind == "number":
        values = np.array(cells, dtype=np.float64)
        return Numbers(values) if len(at) == n_rows else SparseNumbers(n_rows, np.array(at, dtype=np.int64), values)
    texts: list[_Cell] = [attribute.values[0] if attribute.values else None] * n_rows
    for i, cell in zip(at, cells, strict=True):
        texts[i] = cell
    kind = "date" if attribute.kind == "date" else "category"
    return Cells(texts, kind, frozenset(), declared=attribute.values or None)  # type: ignore[arg-type]
