"""From any source to frames: the whole at once, or piece by piece in constant memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from widemargin.base.errors import BadInput
from widemargin.data.arff import read_arff, stream_arff
from widemargin.data.columns import Frame
from widemargin.data.csv_file import read_csv, stream_csv
from widemargin.data.dialect import Dialect
from widemargin.data.frames import as_table, frame_of, read_parquet, stream_parquet
from widemargin.data.source import describe, format_of, is_file, open_bytes

FORMATS = ("auto", "csv", "arff", "parquet")
ENGINES = ("auto", "python", "polars")


def read_frame(source: Any, dialect: Dialect, format: str = "auto", engine: str = "auto") -> Frame:
    """The whole of a file (path, "-", file object) or data frame."""
    check_choice("format", format, FORMATS)
    check_choice("engine", engine, ENGINES)
    if not is_file(source):
        return frame_of(source)
    with open_bytes(source) as opened:
        found = format_of(opened.head) if format == "auto" else format
        if found == "parquet":
            return read_parquet(opened)
        if found == "arff":
            return read_arff(opened, dialect.encoding)
        return read_csv(opened, dialect, engine)


def stream_frames(
    source: Any, dialect: Dialect, batch_rows: int, format: str = "auto", engine: str = "auto"
) -> Iterator[Frame]:
    """The same in frames of at most `batch_rows` rows."""
    check_choice("format", format, FORMATS)
    check_choice("engine", engine, ENGINES)
    if not is_file(source):
        yield from _slices(source, batch_rows)
        return
    with open_bytes(source) as opened:
        found = format_of(opened.head) if format == "auto" else format
        if found == "parquet":
            if not isinstance(source, (str, os.PathLike)) or source == "-":
                raise BadInput("Parquet is read from its end and can be streamed only from a path: give the path")
            yield from stream_parquet(os.fspath(source), describe(source), batch_rows)
        elif found == "arff":
            yield from stream_arff(opened, dialect.encoding, batch_rows)
        else:
            yield from stream_csv(opened, dialect, batch_rows, engine)


def _slices(native: Any, batch_rows: int) -> Iterator[Frame]:
    table = as_table(native)
    for start in range(0, max(len(table), 1), batch_rows):
        yield frame_of(table[start : start + batch_rows], first_row=start)


def check_choice(what: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise BadInput(f"{what}={value!r} must be one of {', '.join(map(repr, known))}")
