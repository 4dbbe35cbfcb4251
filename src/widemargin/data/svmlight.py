"""Reading the text format of SVM-light, LIBSVM and LIBLINEAR, at once or in batches.

A line is ``label[,label...] [qid:number] index:value index:value ... [# comment]``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from widemargin import _core
from widemargin.base.errors import BadInput, MalformedFile
from widemargin.base.threads import threads

from .pieces import texts
from .source import describe, open_bytes

_BLOCK = 1 << 18  # the unit of work of a thread: small enough for the cache, and the same for any number of threads
_PIECE = 1 << 22  # what is unpacked at a time
_FIRST_INDEX = {"auto": 0, True: 1, False: 2}
_READERS = {np.dtype(np.float64): _core.SvmlightReader64, np.dtype(np.float32): _core.SvmlightReader32}


class _Rows(NamedTuple):
    """Rows as the core hands them out; `ends` is where the entries of each row end."""

    labels: np.ndarray
    label_ends: np.ndarray
    queries: np.ndarray
    values: np.ndarray
    columns: np.ndarray
    ends: np.ndarray

    def matrix(self, width: int) -> csr_matrix:
        wide = len(self.values) > np.iinfo(np.int32).max
        offsets = np.zeros(len(self.ends) + 1, np.int64 if wide else np.int32)
        offsets[1:] = self.ends
        X = csr_matrix((self.values, self.columns, offsets), shape=(len(self.ends), width), copy=False)
        X.has_canonical_format = True  # the core sorts rows and refuses duplicates
        return X

    def part(self, begin: int, end: int) -> _Rows:
        first, last = (int(self.ends[i - 1]) if i else 0 for i in (begin, end))
        return self._replace(
            labels=self.labels[begin:end],
            values=self.values[first:last],
            columns=self.columns[first:last],
            ends=self.ends[begin:end] - first,
        )


_NAMES = (".svm", ".svmlight", ".libsvm", ".svml")
_PACKED = (".gz", ".xz", ".bz2")
_TABLES = (".csv", ".tsv", ".tab", ".txt", ".arff", ".parquet", ".pq")
_LINE = re.compile(rb"\s*[-+]?[\d.]+(e[-+]?\d+)?(\s+qid:\d+)?(\s+\d+:[-+.\w]+)+\s*(#.*)?", re.IGNORECASE)


def looks_like_svmlight(source: Any, *, has_target: bool = False) -> bool:
    """By the name, else by the first line; whoever names a target has a table."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    path = os.fspath(source).lower()
    stem, end = os.path.splitext(path)
    if end in _PACKED:
        end = os.path.splitext(stem)[1]
    if end in _NAMES:
        return True
    if path == "-" or end in _TABLES or has_target:
        return False
    with open_bytes(source) as opened:
        lines = (line for line in opened.head.splitlines()[:50] if line.strip() and not line.startswith(b"#"))
        return _LINE.fullmatch(next(lines, b"")) is not None


def read_svmlight(
    path_or_file: Any,
    *,
    n_features: int | None = None,
    dtype: Any = np.float64,
    zero_based: bool | Literal["auto"] = "auto",
    multilabel: bool = False,
    query_id: bool = False,
    n_jobs: int | None = None,
    _block_bytes: int = _BLOCK,
) -> tuple[Any, ...]:
    """Read a file in svmlight / LIBSVM format.

    Parameters
    ----------
    path_or_file : path, "-" or file object
        "-" is standard input. What is packed with gzip, xz or bzip2 is unpacked. A plain file given by name is mapped
        into memory and must not shrink meanwhile.
    n_features : int, optional
        Number of columns of X; by default the largest index decides. A larger index in the file is an error.
    dtype : float64 or float32
        Of the values of X. Values are rounded to float64 first.
    zero_based : bool or "auto"
        Whether indices start at 0. "auto" takes them to start at 1 unless an index 0 occurs.
    multilabel : bool
        Lines may have any number of labels, separated by commas; y is then a list of sorted tuples.
    query_id : bool
        Also return the numbers after ``qid:``, which every line must have.
    n_jobs : int, optional
        Threads, as in scikit-learn. The result is the same for any number.

    Returns
    -------
    X : scipy.sparse.csr_matrix of shape (n_samples, n_features)
        Indices of each row are sorted (also where those in the file are not).
    y : ndarray of float64, or list of tuples
    qid : ndarray of int64
        Only with ``query_id=True``.

    Raises
    ------
    MalformedFile
        With the number of the first bad line and what is wrong with it.
    """
    name = describe(path_or_file)
    _check_n_features(n_features)
    reader = _reader(dtype, zero_based, multilabel, query_id, n_jobs, _block_bytes)
    with texts(path_or_file, _PIECE, whole=True) as pieces:
        for text in pieces:
            _feed(reader, text, name)
            del text  # a mapped file can only be closed when nobody looks at it
    shift = int(reader.bottom < 0)  # only "auto" lets an index 0 through where indices should start at 1
    width = reader.top + 1 + shift if n_features is None else n_features
    _check_width(width, reader, shift, zero_based, name)
    rows = _Rows(*reader.take())
    if shift:
        np.add(rows.columns, shift, out=rows.columns)
    result = rows.matrix(width), _label_tuples(rows) if multilabel else rows.labels
    return (*result, rows.queries) if query_id else result


def stream_svmlight(
    path_or_file: Any,
    *,
    batch_rows: int | None = None,
    batch_bytes: int | None = None,
    n_features: int | None = None,
    dtype: Any = np.float64,
    zero_based: bool = False,
    n_jobs: int | None = None,
) -> Iterator[tuple[csr_matrix, np.ndarray]]:
    """Read a file in svmlight / LIBSVM format in batches, in memory that does not grow with the file.

    Parameters
    ----------
    path_or_file : path, "-" or file object
        As in `read_svmlight`.
    batch_rows : int, optional
        Rows in each batch; the last may have fewer.
    batch_bytes : int, optional
        Instead: about how many bytes of text make a batch. By default 8 MB.
    n_features : int, optional
        Columns of every batch. By default the first batch decides; a larger index later on is an error that names
        line and index.
    dtype, n_jobs
        As in `read_svmlight`.
    zero_based : bool
        Whether indices start at 0. There is no "auto": an index 0 may come after the first batch is gone.

    Yields
    ------
    X : scipy.sparse.csr_matrix
    y : ndarray of float64
    """
    if batch_rows is not None and batch_bytes is not None:
        raise BadInput("Both batch_rows and batch_bytes are given; choose one.")
    for key, size in (("batch_rows", batch_rows), ("batch_bytes", batch_bytes)):
        if size is not None and not (isinstance(size, (int, np.integer)) and size >= 1):
            raise BadInput(f"{key} is {size!r}; it must be an integer of at least 1.")
    if zero_based not in (True, False):
        raise BadInput(f"zero_based is {zero_based!r}; a stream needs True or False, since it cannot look ahead.")
    _check_n_features(n_features)
    reader = _reader(dtype, zero_based, False, False, n_jobs, _BLOCK)
    size = batch_bytes or (1 << 20 if batch_rows else 1 << 23)
    return _stream(path_or_file, reader, size, batch_rows, n_features, zero_based)


def _stream(
    source: Any, reader: Any, size: int, batch_rows: int | None, width: int | None, zero_based: bool
) -> Iterator[tuple[csr_matrix, np.ndarray]]:
    name = describe(source)
    with texts(source, size) as pieces:
        for rows in _batches(_parsed(reader, pieces, name), batch_rows):
            if width is None:
                width = int(rows.columns.max(initial=-1)) + 1
            else:
                _check_width(width, reader, 0, zero_based, name)
            yield rows.matrix(width), rows.labels


def _parsed(reader: Any, texts: Iterator[np.ndarray], name: str) -> Iterator[_Rows]:
    for text in texts:
        _feed(reader, text, name)
        if reader.count:
            yield _Rows(*reader.take())


def _batches(parts: Iterator[_Rows], batch_rows: int | None) -> Iterator[_Rows]:
    """Joins and cuts parts to `batch_rows` rows each; None leaves them as they are."""
    if batch_rows is None:
        yield from parts
        return
    waiting: list[_Rows] = []
    missing = batch_rows
    for part in parts:
        at = 0
        while len(part.ends) - at >= missing:
            yield _joined([*waiting, part.part(at, at + missing)])
            at += missing
            waiting, missing = [], batch_rows
        if at < len(part.ends):
            waiting.append(part.part(at, len(part.ends)))
            missing -= len(part.ends) - at
    if waiting:
        yield _joined(waiting)


def _joined(parts: list[_Rows]) -> _Rows:
    starts = np.cumsum([0] + [len(p.values) for p in parts])
    return _Rows(
        labels=np.concatenate([p.labels for p in parts]),
        label_ends=parts[0].label_ends,
        queries=parts[0].queries,
        values=np.concatenate([p.values for p in parts]),
        columns=np.concatenate([p.columns for p in parts]),
        ends=np.concatenate([p.ends + start for p, start in zip(parts, starts, strict=False)]),
    )


def _reader(dtype: Any, zero_based: Any, multilabel: bool, query_id: bool, n_jobs: int | None, block_bytes: int) -> Any:
    kind = _READERS.get(np.dtype(dtype))
    if kind is None:
        raise BadInput(f"dtype is {np.dtype(dtype)}; values can be read as float64 or float32.")
    if not (isinstance(zero_based, (bool, np.bool_)) or zero_based == "auto"):
        raise BadInput(f'zero_based is {zero_based!r}; it must be True, False or "auto".')
    return kind(_FIRST_INDEX[zero_based], bool(multilabel), bool(query_id), threads(n_jobs), block_bytes)


def _feed(reader: Any, text: np.ndarray, name: str) -> None:
    fault = reader.feed(text)
    if fault is not None:
        line, message = fault
        raise MalformedFile(message, path=name, line=line)


def _check_n_features(n_features: int | None) -> None:
    if n_features is not None and not (isinstance(n_features, (int, np.integer)) and 0 <= n_features < 2**31):
        raise BadInput(f"n_features is {n_features!r}; it must be an integer from 0 to 2147483647, or None.")


def _check_width(width: int, reader: Any, shift: int, zero_based: Any, name: str) -> None:
    if reader.top + shift >= width:
        index = reader.top + (0 if zero_based is True else 1)
        message = (
            f"index {index} does not fit into {width} features: pass as n_features the number of features "
            f"of the whole file, at least {reader.top + shift + 1}"
        )
        raise MalformedFile(message, path=name, line=reader.top_line)


def _label_tuples(rows: _Rows) -> list[tuple[float, ...]]:
    labels, ends = rows.labels.tolist(), rows.label_ends.tolist()
    return [tuple(sorted(labels[a:b])) for a, b in zip([0, *ends[:-1]], ends, strict=True)] if ends else []
