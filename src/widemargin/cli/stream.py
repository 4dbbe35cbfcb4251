"""Training from a stream: batch after batch, in memory that does not grow with the file."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.estimator.file_model import FileModel, whole_labels

from .models import kind_of
from .out import Out
from .sources import check_labels, coding, dialect, is_svmlight, target_of
from .train import describe, use_labels

_BATCH_BYTES = 1 << 22  # of svmlight text: its rows may be long or short


class _Stream:
    """A file that can be gone through again and again."""

    def __init__(self, args: argparse.Namespace, regression: bool) -> None:
        self.args, self.regression = args, regression
        self.encoder: Any = None
        self.width: int | None = args.n_features
        self.svmlight = is_svmlight(args)
        self.rows: int | None = None

    def look(self, out: Out) -> np.ndarray | None:
        """The classes (None for a regressor); finds coding and width on the way, by a first pass where needed."""
        args = self.args
        if not self.svmlight:
            from widemargin.data import learn_encoder

            self.encoder = learn_encoder(
                args.file,
                target_of(args),
                batch_rows=args.batch_rows,
                format=args.format,
                **dialect(args),
                **coding(args),
            )
        known = args.classes is not None or self.regression
        if known and (self.width is not None or not self.svmlight):
            return self._named_classes()
        if args.file == "-":
            raise BadInput("standard input can be read only once: give --classes and --n-features, or a file")
        found, self.rows, top = np.empty(0), 0, -1
        with out.progress("first look", None) as advance:
            for X, y in self._raw(2**31 - 1):
                self.rows += len(y)
                advance(self.rows, f"{self.rows} rows")
                if not known:
                    found = np.unique(np.concatenate([found, np.unique(y)]) if len(found) else y)
                if self.svmlight:
                    top = max(top, int(X.indices.max(initial=-1)))
        self.width = self.width or top + 1
        if self.rows == 0 or (self.svmlight and self.width == 0):
            raise BadInput(f"{args.file} holds no rows: there is nothing to learn from")
        if known:
            return self._named_classes()
        if self.svmlight:
            return whole_labels(found)
        check_labels(found, args, kind="classes")
        return found

    def _named_classes(self) -> np.ndarray | None:
        if self.regression:
            return None
        named = self.args.classes
        if not self.svmlight and self.encoder.target_kind == "text":
            return np.unique(named)
        if not self.svmlight and self.encoder.target_kind == "bool":
            return np.array([False, True])
        try:
            return np.unique(whole_labels(np.array(named, dtype=np.float64)))
        except ValueError:
            raise BadInput(f"--classes {','.join(named)}: the labels of {self.args.file} are numbers") from None

    def _raw(self, width: int) -> Iterator[tuple[Any, np.ndarray]]:
        args = self.args
        if self.svmlight:
            from widemargin.data import stream_svmlight

            return stream_svmlight(
                args.file, n_features=width, zero_based=args.zero_based, batch_bytes=_BATCH_BYTES, n_jobs=args.threads
            )
        from widemargin.data import stream_table

        return stream_table(
            args.file, encoder=self.encoder, batch_rows=args.batch_rows, format=args.format, **dialect(args)
        )

    def batches(self, classes: np.ndarray | None) -> Iterator[tuple[Any, np.ndarray]]:
        for X, y in self._raw(self.width or 0):
            if classes is not None and classes.dtype.kind == "i" and y.dtype.kind == "f":
                y = whole_labels(y)
            yield X, y


def train_stream(args: argparse.Namespace, estimator: Any, out: Out) -> tuple[FileModel, dict[str, Any]]:
    """The model and what is to be told about it."""
    stream = _Stream(args, kind_of(estimator) == "numbers")
    classes = stream.look(out)
    if classes is not None:
        use_labels(estimator, classes)
    estimator.set_params(max_time=None)  # the limit is on all batches together
    epochs, rows, stop = _learn(args, estimator, stream, classes, out)
    estimator.stop_reason_ = stop
    facts = describe(args, estimator, (rows, estimator.n_features_in_))
    facts |= {"epochs": epochs, "reading": []}
    if args.file != "-":
        facts |= _training_error(estimator, stream, classes, rows, out)
    return FileModel(estimator, stream.encoder, bool(args.zero_based)), facts


def _learn(
    args: argparse.Namespace, estimator: Any, stream: _Stream, classes: np.ndarray | None, out: Out
) -> tuple[int, int, str]:
    """(whole epochs, rows of one, why it ended)."""
    deadline = time.monotonic() + args.max_time if args.max_time else np.inf
    asked = args.epochs or 1
    if asked > 1 and args.file == "-":
        raise BadInput("standard input can be read only once: --epochs 1, or give a file")
    first = {} if classes is None else {"classes": classes}
    rows = 0
    with out.progress("learning", stream.rows and stream.rows * asked) as advance:
        for epoch in range(asked):
            before, rows = getattr(estimator, "n_updates_", 0), 0
            for X, y in stream.batches(classes):
                estimator.partial_fit(X, y, **first)
                first, rows = {}, rows + len(y)
                advance(epoch * (stream.rows or 0) + rows, f"epoch {epoch + 1}, {rows} rows")
                if time.monotonic() > deadline:
                    return epoch, rows, f"stopped after {args.max_time:g} seconds, {rows} rows into epoch {epoch + 1}"
            if rows == 0:
                raise BadInput(f"{args.file} holds no rows: there is nothing to learn from")
            if epoch > 0 and estimator.n_updates_ == before:
                return epoch + 1, rows, f"epoch {epoch + 1} of the stream made no update"
    what = "pass" if asked == 1 else "passes"
    return asked, rows, f"{asked} {what} over a stream of {rows} rows, as asked: raise --epochs to learn more"


def _training_error(estimator: Any, stream: _Stream, classes: np.ndarray | None, rows: int, out: Out) -> dict[str, Any]:
    wrong, absolute, seen = 0, 0.0, 0
    with out.progress("counting errors", rows) as advance:
        for X, y in stream.batches(classes):
            called = estimator.predict(X)
            if classes is None:
                absolute += float(np.abs(called - y).sum())
            else:
                wrong += int(np.count_nonzero(called != y))
            seen += len(y)
            advance(seen, "")
    if classes is None:
        return {"rows": seen, "mean_absolute_error": absolute / seen}
    return {"rows": seen, "training_errors": wrong, "training_error": wrong / seen}
