"""From the columns of a table to its `TableEncoder`, and the account of what was decided."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from widemargin.base.errors import BadInput
from widemargin.data.columns import Frame
from widemargin.data.dialect import Dialect
from widemargin.data.encode import ColumnCode, TableEncoder
from widemargin.data.encoder_dict import MISSING
from widemargin.data.readers import check_choice
from widemargin.data.sketch import Sketch

CATEGORIES = ("onehot", "ordinal", "error")
# One-hot columns beyond this width and below this density go to CSR: 12 bytes an entry against 8 a cell.
_SPARSE_WIDTH, _SPARSE_DENSITY = 50, 0.2


@dataclass(frozen=True)
class Coding:
    """What the caller wants done with categories, missing cells, and a column of prose, which is then learnt from alone."""

    categories: str = "onehot"
    missing: str = "error"
    categorical: Sequence[str] = ()
    ignore: Sequence[str] = ()
    sparse: bool | str = "auto"
    text: str | None = None

    def __post_init__(self) -> None:
        check_choice("categories", self.categories, CATEGORIES)
        check_choice("missing", self.missing, MISSING)
        if self.sparse not in (True, False, "auto"):
            raise BadInput(f"sparse={self.sparse!r} must be True, False or 'auto'")
        for what, names in (("categorical", self.categorical), ("ignore", self.ignore)):
            if isinstance(names, str) or not all(isinstance(name, str) for name in names):
                raise BadInput(f"{what}={names!r} must be a list of column names")


@dataclass(frozen=True)
class Learned:
    """An encoder and what it was learned from."""

    encoder: TableEncoder
    sketches: tuple[Sketch, ...]
    n_rows: int
    source: str
    how: str
    coding: Coding


def learn(frames: Callable[[], Iterator[Frame]], target: Any, coding: Coding, dialect: Dialect) -> Learned:
    """Look at every row, once; twice where a column turns out to hold both numbers and text."""
    sketches, first = _sketch(frames(), coding, _named(coding))
    name = target_name(target, first)
    if name is not None and name == coding.text:
        raise BadInput(f"text={name!r} is the target: a column cannot be learnt from and predicted")
    for sketch in sketches:
        if sketch.name not in coding.ignore:
            sketch.settle(first.source, is_target=sketch.name == name)
    mixed = {sketch.name for sketch in sketches if sketch.is_mixed}
    if mixed:
        sketches, first = _sketch(frames(), coding, mixed | _named(coding))
    if sketches[0].n_rows == 0:
        raise BadInput(f"{first.source} has no rows below the header: a table needs at least one row")
    columns = tuple(_code(s, coding, first.source) for s in sketches if _is_feature(s, name, coding))
    if not columns:
        raise BadInput(f"{first.source} has no feature left beside the target {name!r}: columns {list(first.names)}")
    encoder = TableEncoder(
        columns=columns,
        source_columns=first.names,
        target=name,
        target_kind=None if name is None else _target_kind(sketches[first.names.index(name)]),
        header=first.header,
        missing=coding.missing,
        missing_values=tuple(dialect.missing),
        decimal=dialect.decimal,
        quote=dialect.quote,
        sparse=_wants_sparse(columns, sketches, coding),
    )
    return Learned(encoder, tuple(sketches), sketches[0].n_rows, first.source, first.how, coding)


def _words_of(coding: Coding) -> tuple[str, ...]:
    return () if coding.text is None else (coding.text,)


def _named(coding: Coding) -> set[str]:
    """Columns that are text whatever stands in them."""
    return {*coding.categorical, *_words_of(coding)}


def _sketch(frames: Iterator[Frame], coding: Coding, as_text: set[str]) -> tuple[list[Sketch], Frame]:
    sketches: list[Sketch] = []
    first: Frame | None = None
    for frame in frames:
        if first is None:
            first = frame
            named = (("categorical", coding.categorical), ("ignore", coding.ignore), ("text", _words_of(coding)))
            for what, names in named:
                for name in names:
                    if name not in frame.names:
                        raise BadInput(f"{frame.source} has no column {name!r} ({what}){_meant(name, frame.names)}")
            sketches = [Sketch(name, name in as_text, coding.missing == "median") for name in frame.names]
        elif coding.missing == "median" and frame.n_rows:
            raise BadInput("missing='median' needs the whole table in memory: use 'mean', or give an encoder")
        for sketch, column in zip(sketches, frame.columns, strict=True):
            sketch.add(column, frame)
    if first is None or not sketches:
        raise BadInput("the table has no columns")
    return sketches, first


def target_name(target: Any, frame: Frame) -> str | None:
    """The target's name, from a name or a position (from 0; negative from the end)."""
    if target is None or target in frame.names:
        return target
    try:
        position = int(target)
    except (TypeError, ValueError):
        raise BadInput(f"{frame.source} has no column {target!r} (target){_meant(str(target), frame.names)}") from None
    n = len(frame.names)
    if isinstance(target, (bool, float)) or not -n <= position < n:
        raise BadInput(f"target={target!r}: {frame.source} has {n} columns, numbered 0 to {n - 1}")
    return frame.names[position]


def _meant(name: str, names: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    known = ", ".join(map(repr, names[:10])) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return (f"; did you mean {near[0]!r}?" if near else "") + f"; it has {known}"


def _is_feature(sketch: Sketch, target: str | None, coding: Coding) -> bool:
    if coding.text is not None:
        return sketch.name == coding.text
    return sketch.name != target and sketch.name not in coding.ignore and not is_left_out(sketch, coding)


def is_left_out(sketch: Sketch, coding: Coding) -> bool:
    """Nothing can be learned from an empty column; where missing cells are errors it is one, unless it has no name."""
    unnamed = sketch.name.startswith("x") and sketch.name[1:].isdigit()
    return sketch.is_empty and (coding.missing not in ("error", "drop") or unnamed)


def _code(sketch: Sketch, coding: Coding, source: str) -> ColumnCode:
    if sketch.name == coding.text:
        return ColumnCode(sketch.name, "text", "text")
    if sketch.is_empty:
        raise BadInput(f"{source}: column {sketch.name!r} is empty in all {sketch.n_rows} rows: ignore it")
    fills = coding.missing in ("mean", "median")
    if not sketch.is_text:
        fill = (sketch.mean if coding.missing == "mean" else sketch.median) if fills else None
        return ColumnCode(sketch.name, "number", "number", (), fill)
    if coding.categories == "error":
        example = next(iter(sketch.texts))
        raise BadInput(
            f"{source}: column {sketch.name!r} holds text ({len(sketch.texts)} different values, such as {example!r}) "
            "and categories='error': pass 'onehot' or 'ordinal', or ignore the column"
        )
    fill_text = sketch.most_frequent if fills else None
    return ColumnCode(sketch.name, "category", coding.categories, sketch.category_names, fill_text)


def _target_kind(sketch: Sketch) -> str:
    if sketch.is_bool and not sketch.is_text:
        return "bool"
    return "text" if sketch.is_text else "number"


def _wants_sparse(columns: tuple[ColumnCode, ...], sketches: list[Sketch], coding: Coding) -> bool:
    if coding.text is not None:
        return False
    if coding.sparse != "auto":
        return bool(coding.sparse)
    by_name = {sketch.name: sketch for sketch in sketches}
    n_rows, width = sketches[0].n_rows, sum(len(column.feature_names) for column in columns)
    entries = sum(by_name[c.name].n_nonzero if c.coding == "number" else n_rows for c in columns)
    return width >= _SPARSE_WIDTH and entries < _SPARSE_DENSITY * width * n_rows
