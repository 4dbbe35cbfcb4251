"""Data frames of pandas, polars and pyarrow (through narwhals, which scikit-learn brings), and Parquet files.

Parquet is read by pyarrow where it is installed: some damaged files make polars abort the process, which nothing in
Python can catch.
"""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput, MalformedFile, MissingExtra, WidemarginError
from widemargin.data.columns import Cells, Column, Frame, Numbers
from widemargin.data.source import Opened


def as_table(native: Any) -> Any:
    """The narwhals view of any eager data frame."""
    import narwhals as nw

    try:
        return nw.from_native(native, eager_only=True)
    except TypeError as error:
        raise BadInput(
            "a table is read from a path, '-', a file object or a data frame (pandas, polars, pyarrow), "
            f"not from {type(native).__name__}"
        ) from error


def frame_of(native: Any, source: str = "the data frame", first_row: int = 0) -> Frame:
    """A frame from any eager data frame that narwhals knows."""
    table = as_table(native)
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        raise BadInput(f"{source}: two columns have the same name")
    columns = tuple(_column(series, name, source) for name, series in zip(names, table.iter_columns(), strict=True))
    return Frame(tuple(names), columns, source, first_row=first_row)


def _column(series: Any, name: str, source: str) -> Column:
    import narwhals as nw

    dtype = series.dtype
    if series.null_count() == len(series):
        return Numbers(np.full(len(series), np.nan))
    whole = series.null_count() == 0
    if dtype == nw.Boolean and whole:
        return Numbers(np.array(series.to_list(), dtype=bool), "bool")
    if dtype.is_integer() and whole:
        return Numbers(np.asarray(series.to_numpy()))
    if dtype.is_numeric() or dtype == nw.Boolean:
        gaps = np.asarray(series.is_null().to_numpy(), dtype=bool)
        known = series if whole else series.fill_null(False if dtype == nw.Boolean else 0)
        return Numbers(np.where(gaps, np.nan, np.asarray(known.cast(nw.Float64).to_numpy(), dtype=np.float64)))
    if dtype.is_temporal():
        return Cells([None if v is None else str(v) for v in series.to_list()], "date", frozenset())
    if dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object):
        return Cells([_text(v, name, source) for v in series.to_list()], "category", frozenset())
    raise BadInput(f"{source}: column {name!r} holds {dtype}, which is neither numbers nor text: ignore or convert it")


def _text(value: Any, name: str, source: str) -> str | None:
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, (str, bool, int, float)):
        return str(value)
    if type(value).__name__ == "NAType":  # pandas
        return None
    raise BadInput(f"{source}: column {name!r} holds a {type(value).__name__}, which is neither number nor text")


def read_parquet(opened: Opened) -> Frame:
    """The whole file as one frame."""
    data = io.BytesIO(opened.stream.read())
    engine = _engine()
    with _damage_refused(opened.name):
        if engine == "polars":
            import polars

            return frame_of(polars.read_parquet(data), opened.name)
        import pyarrow.parquet

        return frame_of(pyarrow.parquet.read_table(data), opened.name)


def stream_parquet(path: str, name: str, batch_rows: int) -> Iterator[Frame]:
    """The file in frames of at most `batch_rows` rows; needs a file on disk, since Parquet is read from its end."""
    done = 0
    with _damage_refused(name):
        for piece in _pieces(path, batch_rows):
            frame = frame_of(piece, name, done)
            done += frame.n_rows
            yield frame
        if done == 0:
            raise BadInput(f"{name} has no rows: a table needs at least one row")


@contextmanager
def _damage_refused(name: str) -> Iterator[None]:
    try:
        yield
    except WidemarginError:
        raise
    except BaseException as error:
        # Some damage makes polars panic, and its PanicException is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        why = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise MalformedFile(f"the Parquet file is damaged, cut off or too large ({why})", path=name) from error


def _pieces(path: str, batch_rows: int) -> Iterator[Any]:
    if _engine() == "pyarrow":
        import pyarrow
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=batch_rows):
                yield pyarrow.Table.from_batches([batch])
        return
    import polars

    lazy = polars.scan_parquet(path)
    start = 0
    while True:
        piece = lazy.slice(start, batch_rows).collect()
        if piece.height == 0:
            return
        yield piece
        start += piece.height


def _engine() -> str:
    for engine in ("pyarrow", "polars"):
        if importlib.util.find_spec(engine) is not None:
            return engine
    raise MissingExtra("polars (or pyarrow)", "files", "reading Parquet")
