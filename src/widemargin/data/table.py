"""`read_table` and `stream_table`: files and data frames in, numbers and an account of the coding out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.data.account import account
from widemargin.data.columns import DEFAULT_MISSING, Frame
from widemargin.data.dialect import Dialect
from widemargin.data.encode import TableEncoder
from widemargin.data.learn import Coding, learn
from widemargin.data.readers import read_frame, stream_frames
from widemargin.data.table_record import Table, classes_of

__all__ = ["Table", "TableEncoder", "learn_encoder", "read_table", "stream_table"]
logger = logging.getLogger("widemargin")


def read_table(
    source: Any,
    target: str | int | None = None,
    *,
    categories: str = "onehot",
    missing: str = "error",
    categorical: Sequence[str] = (),
    ignore: Sequence[str] = (),
    sparse: bool | str = "auto",
    text: str | None = None,
    missing_values: Sequence[str] = DEFAULT_MISSING,
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = '"',
    decimal: str = ".",
    encoding: str = "utf-8",
    format: str = "auto",
    engine: str = "auto",
) -> Table:
    """Read a table and code it as numbers.

    Parameters
    ----------
    source : path, "-" (standard input), file object, or data frame (pandas, polars, pyarrow)
        CSV in any dialect, ARFF (dense or sparse) or Parquet; also compressed by gzip, xz or bzip2. Compression and
        format are told by the contents, not by the name.
    target : str or int, optional
        Name or position (from 0, or from the end if negative) of the column to be predicted.
    categories : {"onehot", "ordinal", "error"}
        What becomes of columns of text.
    missing : {"error", "mean", "median", "keep", "drop"}
        What becomes of missing cells. "mean" and "median" fill categories with the most frequent one; "keep" leaves
        NaN (one-hot: all zeros); "drop" leaves out the rows, here but never when the encoder is applied later.
    categorical, ignore : sequences of column names
        Columns of numbers that are names; columns to leave out.
    sparse : bool or "auto"
        CSR or dense; "auto" takes CSR where at least 50 features are less than one fifth full.
    text : str, optional
        A column of prose. X is then the array of its cells, for `BagOfWords` and the like; other columns are left out.
    missing_values : sequence of str
        What marks a missing cell in CSV; an empty cell always does.
    delimiter, header : optional
        Found out unless given.
    quote : str or None
        None where quotes are ordinary characters.
    decimal : {".", ","}
    encoding : str
        UTF-16 is recognised by its byte order mark.
    format : {"auto", "csv", "arff", "parquet"}
    engine : {"auto", "python", "polars"}
        Who splits CSV; the results are the same.

    Returns
    -------
    Table

    Raises
    ------
    MalformedFile
        The file breaks its format (with the line), or a column of numbers holds text.
    BadInput
        Anything else that cannot be used: missing cells, infinite values, unknown columns, no rows.
    MissingExtra
        Parquet without polars or pyarrow.
    """
    coding = Coding(categories, missing, categorical, ignore, sparse, text)
    dialect = Dialect(delimiter, header, quote, decimal, missing_values, encoding)  # type: ignore[arg-type]
    return table_of(read_frame(source, dialect, format, engine), target, coding, dialect)


def table_of(frame: Frame, target: str | int | None, coding: Coding, dialect: Dialect) -> Table:
    """A frame that was read, coded."""
    learned = learn(lambda: iter([frame]), target, coding, dialect)
    encoder = learned.encoder
    X, y = encoder.code(frame, dropping=True).complete()
    n_dropped = frame.n_rows - X.shape[0]
    if n_dropped == frame.n_rows:
        raise BadInput(
            f"{frame.source}: each of the {n_dropped} rows has a missing cell, none is left: missing='mean'?"
        )
    return Table(
        X,
        y,
        encoder.feature_names,
        encoder.target,
        classes_of(y),
        encoder.categories,
        encoder,
        account(learned, n_dropped),
    )


def learn_encoder(
    source: Any,
    target: str | int | None = None,
    *,
    batch_rows: int = 10_000,
    categories: str = "onehot",
    missing: str = "error",
    categorical: Sequence[str] = (),
    ignore: Sequence[str] = (),
    sparse: bool | str = "auto",
    text: str | None = None,
    missing_values: Sequence[str] = DEFAULT_MISSING,
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = '"',
    decimal: str = ".",
    encoding: str = "utf-8",
    format: str = "auto",
    engine: str = "auto",
) -> TableEncoder:
    """The coding that `read_table` would choose, learned in constant memory, for `stream_table`.

    The parameters are those of `read_table`; missing="median" needs the whole column and is refused if the table has
    more than `batch_rows` rows. The file may be read twice, so it must be a path, a data frame, or a file object that
    can seek.
    """
    coding = Coding(categories, missing, categorical, ignore, sparse, text)
    dialect = Dialect(delimiter, header, quote, decimal, missing_values, encoding)  # type: ignore[arg-type]
    frames = _repeatable(source, dialect, _checked(batch_rows), format, engine)
    learned = learn(frames, target, coding, dialect)
    for sentence in account(learned, 0):
        logger.info(sentence)
    return learned.encoder


def stream_table(
    source: Any,
    target: str | int | None = None,
    *,
    batch_rows: int = 10_000,
    encoder: TableEncoder | None = None,
    drop_incomplete: bool = True,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    format: str = "auto",
    engine: str = "auto",
    **coding: Any,
) -> Iterator[tuple[Any, np.ndarray | None]]:
    """Read a table in batches (X, y) of at most `batch_rows` rows, in constant memory.

    Parameters
    ----------
    source, target, delimiter, header, encoding, format, engine
        As in `read_table`. Parquet must be a path.
    batch_rows : int
        Rows in memory at a time.
    encoder : TableEncoder, optional
        The coding to apply; `target` then is the encoder's, and y is None where the file has no such column. Without
        one, `learn_encoder` goes through the file first, so standard input needs an encoder.
    drop_incomplete : bool
        Whether an encoder learned with missing="drop" leaves rows out (as training needs) or refuses missing cells
        (as prediction needs, where each row must get its answer).
    **coding
        Further parameters of `learn_encoder`, where no encoder is given.

    Returns
    -------
    iterator of (X, y)
    """
    batch_rows = _checked(batch_rows)
    if encoder is None:
        said = {"delimiter": delimiter, "header": header, "encoding": encoding, "format": format, "engine": engine}
        encoder = learn_encoder(source, target, batch_rows=batch_rows, **said, **coding)  # type: ignore[arg-type]
    elif coding:
        raise BadInput(f"{', '.join(coding)}: the coding is fixed by the encoder, leave these parameters out")
    elif target is not None and target != encoder.target:
        raise BadInput(f"target={target!r}, but the encoder's target is {encoder.target!r}: leave it out")
    start = source.tell() if _is_seekable(source) else None
    dialect = encoder.dialect(delimiter=delimiter, header=header, encoding=encoding)

    def frames() -> Iterator[Frame]:
        if start is not None:
            source.seek(start)
        return stream_frames(source, dialect, batch_rows, format, engine)

    return _batches(frames, encoder, drop_incomplete)


def _batches(
    frames: Callable[[], Iterator[Frame]], encoder: TableEncoder, dropping: bool
) -> Iterator[tuple[Any, np.ndarray | None]]:
    warned = False
    for frame in frames():
        if frame.n_rows == 0:
            continue
        coded = encoder.code(frame, dropping=dropping)
        if not warned:
            warned = bool(coded.warn_of_unknown(frame.source))
        X, y = coded.complete()
        if X.shape[0]:
            yield X, y


def _checked(batch_rows: Any) -> int:
    if isinstance(batch_rows, bool) or not isinstance(batch_rows, (int, np.integer)) or batch_rows < 1:
        raise BadInput(f"batch_rows={batch_rows!r} must be a whole number of at least 1")
    return int(batch_rows)


def _is_seekable(source: Any) -> bool:
    return hasattr(source, "read") and hasattr(source, "seekable") and source.seekable()


def _repeatable(
    source: Any, dialect: Dialect, batch_rows: int, format: str, engine: str
) -> Callable[[], Iterator[Frame]]:
    """Frames that can be gone through more than once; a file object is left where it stood."""
    if not _is_seekable(source):
        if hasattr(source, "read") or (isinstance(source, str) and source == "-"):
            raise BadInput("a pipe can be read only once: give a file, or an encoder learned before")
        return lambda: stream_frames(source, dialect, batch_rows, format, engine)
    start = source.tell()

    def frames() -> Iterator[Frame]:
        source.seek(start)
        yield from stream_frames(source, dialect, batch_rows, format, engine)
        source.seek(start)

    return frames
