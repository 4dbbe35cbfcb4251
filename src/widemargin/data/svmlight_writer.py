"""Writing the text format of SVM-light, LIBSVM and LIBLINEAR so that it reads back as the same numbers."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import numpy as np
from scipy.sparse import csr_matrix, issparse

from widemargin import _core
from widemargin.base.errors import BadInput
from widemargin.base.files import write_atomically

_ROWS = 4096  # turned into text at a time
_PACK: dict[str, Callable[..., Any]] = {
    ".gz": lambda file, mode: gzip.GzipFile("", mode, fileobj=file, mtime=0),  # same rows, same bytes
    ".xz": lzma.LZMAFile,
    ".bz2": bz2.BZ2File,
}


def write_svmlight(
    X: Any,
    y: Any,
    path: Any,
    *,
    zero_based: bool = False,
    multilabel: bool = False,
    query_id: Any = None,
    comment: str | None = None,
) -> None:
    """Write a file in svmlight / LIBSVM format, whole or not at all.

    Numbers get the fewest digits that read back as the same number, bit for bit.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Zeros of an array are left out; entries stored in a sparse matrix are all written.
    y : array of shape (n_samples,), or with multilabel a sequence of sequences of numbers
    path : path, "-" or binary file object
        Names that end with .gz, .xz or .bz2 are packed. An older file is replaced only when the new one is whole.
    zero_based : bool
        Whether indices start at 0.
    multilabel : bool
        Several labels a row, separated by commas.
    query_id : array of int, optional
        Written as ``qid:`` after the label.
    comment : str, optional
        Written above the rows, each line with ``#`` before it.

    Raises
    ------
    CannotWrite
        What was there before is untouched.
    """
    X = _rows(X)
    n = X.shape[0]
    labels, offsets = _many_labels(y, n) if multilabel else (_one_label(y, n), None)
    queries = None if query_id is None else _queries(query_id, n)
    head = "".join(f"# {line}\n" for line in (comment or "").splitlines()).encode()
    pack = None if hasattr(path, "write") else _PACK.get(os.path.splitext(os.fspath(path))[1].lower())

    def fill(file: BinaryIO) -> None:
        with pack(file, "wb") if pack else contextlib.nullcontext(file) as out:
            out.write(head)
            out.writelines(_text(X, labels, offsets, queries, 0 if zero_based else 1))

    write_atomically(path, fill)


def _text(
    X: Any, labels: np.ndarray, offsets: np.ndarray | None, queries: np.ndarray | None, first_index: int
) -> Iterator[bytes]:
    n = X.shape[0]
    for a in range(0, n, _ROWS):
        b = min(a + _ROWS, n)
        values, columns, row_offsets = _arrays(X[a:b])
        ids = None if queries is None else queries[a:b]
        if offsets is None:
            yield _core.format_svmlight(values, columns, row_offsets, labels[a:b], None, ids, first_index)
            continue
        label_offsets = offsets[a : b + 1]
        if ids is None:
            _check_not_blank(row_offsets, label_offsets, a)
        yield _core.format_svmlight(values, columns, row_offsets, labels, label_offsets, ids, first_index)


def _rows(X: Any) -> Any:
    X = X.tocsr() if issparse(X) else np.asarray(X)
    if X.ndim != 2:
        raise BadInput(f"X has {X.ndim} dimensions; a table of rows and columns is needed.")
    if X.dtype.kind not in "fiub":
        raise BadInput(f"X has values of type {X.dtype}; only real numbers can be written.")
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return X


def _arrays(block: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    block = csr_matrix(block)
    if not block.has_canonical_format:
        block = block.copy() if not block.data.flags.owndata else block
        block.sum_duplicates()
    return (
        np.ascontiguousarray(block.data),
        np.ascontiguousarray(block.indices, np.int32),
        np.ascontiguousarray(block.indptr, np.int64),
    )


def _check_not_blank(row_offsets: np.ndarray, label_offsets: np.ndarray, first: int) -> None:
    blank = np.flatnonzero((np.diff(row_offsets) == 0) & (np.diff(label_offsets) == 0))
    if len(blank):
        raise BadInput(f"Row {first + blank[0]} has neither labels nor entries; readers would skip its blank line.")


def _one_label(y: Any, n: int) -> np.ndarray:
    try:
        labels = np.ascontiguousarray(y, np.float64)
    except (TypeError, ValueError) as error:
        message = f"The labels cannot be written as numbers ({error}); for several a row pass multilabel=True."
        raise BadInput(message) from error
    if labels.shape != (n,):
        raise BadInput(f"y has shape {labels.shape}, but X has {n} rows; one label a row is needed.")
    return labels


def _many_labels(y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    try:
        parts = [np.atleast_1d(np.asarray(labels, np.float64)) for labels in y]
    except (TypeError, ValueError) as error:
        raise BadInput(f"The labels of a row must be numbers ({error}).") from error
    if len(parts) != n:
        raise BadInput(f"y has labels for {len(parts)} rows, but X has {n} rows.")
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum([len(p) for p in parts], out=offsets[1:])
    return np.concatenate([np.empty(0), *parts]), offsets


def _queries(query_id: Any, n: int) -> np.ndarray:
    queries = np.asarray(query_id)
    if queries.shape != (n,) or queries.dtype.kind not in "iu":
        raise BadInput(f"query_id has shape {queries.shape} and type {queries.dtype}; {n} integers are needed.")
    return np.ascontiguousarray(queries, np.int64)
