"""One frame in numbers: X (dense or CSR) and y, column by column, by the rules of a `TableEncoder`."""

from __future__ import annotations

import difflib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from widemargin.base.errors import BadInput, MalformedFile
from widemargin.data.columns import Column, Frame, Numbers, counted

if TYPE_CHECKING:
    from widemargin.data.encode import ColumnCode, TableEncoder

_ADVICE = "pass missing='mean', 'median', 'keep' or 'drop' when reading the training file"
logger = logging.getLogger("widemargin")


@dataclass
class Coded:
    """One frame in numbers; `incomplete` marks rows to drop, `unknown` counts unseen categories by column."""

    X: Any
    y: np.ndarray | None
    incomplete: np.ndarray
    unknown: dict[str, int]

    def complete(self) -> tuple[Any, np.ndarray | None]:
        if not self.incomplete.any():
            return self.X, self.y
        keep = ~self.incomplete
        return self.X[keep], None if self.y is None else self.y[keep]

    def warn_of_unknown(self, source: str) -> list[str]:
        """One warning for all columns together, as a list of at most one sentence."""
        if not self.unknown:
            return []
        by_column = ", ".join(f"{name!r}: {count}" for name, count in self.unknown.items())
        sentence = (
            f"{source}: {counted(sum(self.unknown.values()), 'cell')} with categories that training never saw "
            f"({by_column}), coded as all zeros (ordinal: -1)"
        )
        logger.warning(sentence)
        return [sentence]


class Coder:
    """Builds X column by column, dense or as CSR triples."""

    def __init__(self, encoder: TableEncoder, frame: Frame, dropping: bool) -> None:
        self.encoder, self.frame, self.dropping = encoder, frame, dropping
        n, d = frame.n_rows, encoder.n_features
        self.shape, self.at = (n, d), 0
        self.dense = None if encoder.sparse else np.zeros((n, d))
        self.triples: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.incomplete = np.zeros(n, dtype=bool)
        self.unknown: dict[str, int] = {}
        self.prose: np.ndarray | None = None

    def add(self, code: ColumnCode, column: Column) -> None:
        if code.kind == "text":  # the only feature: the rows are its cells
            self.prose = np.array([text or "" for text in column.texts()], dtype=object)
        elif code.coding == "onehot":
            codes = self._codes(code, column)
            rows = np.flatnonzero(codes >= 0)
            self._put(rows, self.at + codes[rows], np.ones(len(rows)))
        else:
            values = self._numbers(code, column) if code.kind == "number" else self._ordinals(code, column)
            if self.dense is not None:
                self.dense[:, self.at] = values
            else:
                rows = np.flatnonzero(values)
                self._put(rows, np.full(len(rows), self.at), values[rows])
        self.at += len(code.feature_names)

    def _put(self, rows: np.ndarray, columns: np.ndarray, values: np.ndarray) -> None:
        if self.dense is not None:
            self.dense[rows, columns] = values
        else:
            self.triples.append((rows, columns, values))

    def matrix(self) -> Any:
        if self.prose is not None:
            return self.prose
        if self.dense is not None:
            return self.dense
        rows, columns, values = (
            np.concatenate(part) if self.triples else np.empty(0) for part in zip(*self.triples, strict=True)
        )
        return scipy.sparse.csr_matrix((values, (rows, columns)), shape=self.shape)

    def _numbers(self, code: ColumnCode, column: Column) -> np.ndarray:
        values, bad = column.numbers()
        if len(bad):
            raise self._no_number(f"column {code.name!r}", column, int(bad[0]), len(bad))
        refuse_infinite(code.name, values, self.frame)
        gaps = np.isnan(values)
        if not gaps.any():
            return values
        self._missing(code, gaps)
        return values if code.fill is None else np.where(gaps, code.fill, values)

    def _codes(self, code: ColumnCode, column: Column) -> np.ndarray:
        """Category numbers; -1 where unknown or missing."""
        index: dict[str | None, int] = {category: i for i, category in enumerate(code.categories)}
        texts = column.texts()
        if None in texts:
            self._missing(code, np.array([text is None for text in texts]))
            index[None] = -1 if code.fill is None else index[str(code.fill)]
        codes = np.array([index.get(text, -2) for text in texts], dtype=np.int64)
        unknown = int(np.count_nonzero(codes == -2))
        if unknown:
            self.unknown[code.name] = unknown
        return codes

    def _ordinals(self, code: ColumnCode, column: Column) -> np.ndarray:
        codes = self._codes(code, column)
        return np.where(codes == -1, np.nan, np.where(codes == -2, -1, codes)).astype(np.float64)

    def _missing(self, code: ColumnCode, gaps: np.ndarray) -> None:
        policy = self.encoder.missing
        if policy == "drop" and self.dropping:
            self.incomplete |= gaps
        elif policy in ("error", "drop"):
            raise missing_error(code.name, gaps, self.frame)

    def labels(self, column: Column) -> np.ndarray:
        """y as it stands in the file: text stays text, whole numbers become int64."""
        name = self.encoder.target
        if self.encoder.target_kind == "bool":
            return self._truths(column)
        if self.encoder.target_kind == "text":
            texts = column.texts()
            self._missing_label(np.array([text is None for text in texts], dtype=bool))
            return np.array(["" if text is None else text for text in texts], dtype=str)
        if isinstance(column, Numbers) and column.values.dtype.kind in "iu":
            return column.values.astype(np.int64)
        values, bad = column.numbers()
        if len(bad):
            raise self._no_number(f"target {name!r}", column, int(bad[0]), len(bad))
        refuse_infinite(str(name), values, self.frame)
        self._missing_label(np.isnan(values))
        whole = values[~self.incomplete]
        is_whole = bool(np.all(whole == np.floor(whole))) and bool(np.all(np.abs(whole) < 2**53))
        return np.where(np.isnan(values), 0, values).astype(np.int64) if is_whole else values

    def _truths(self, column: Column) -> np.ndarray:
        words = {"true": True, "1": True, "false": False, "0": False}
        truths = [None if t is None else words.get(t.lower()) for t in column.texts()]
        gaps = np.array([t is None for t in truths], dtype=bool)
        self._missing_label(gaps)
        return np.array([bool(t) for t in truths])

    def _missing_label(self, gaps: np.ndarray) -> None:
        if not gaps.any():
            return
        if self.encoder.missing == "drop" and self.dropping:
            self.incomplete |= gaps
            return
        raise missing_error(
            str(self.encoder.target),
            gaps,
            self.frame,
            "a target is never filled in, missing='drop' leaves such rows out",
        )

    def _no_number(self, what: str, column: Column, row: int, count: int) -> MalformedFile:
        cell = column.texts()[row]
        return MalformedFile(
            f"{what} is numeric, but the cell is {cell!r} ({counted(count, 'such cell')} in all): mend it, or name it "
            "among the missing_values",
            path=self.frame.source,
            line=self.frame.line(row),
        )


def align(encoder: TableEncoder, frame: Frame) -> tuple[list[Column], Column | None]:
    """The columns of `frame` in the encoder's order, and the target's column if it is there.

    By name; by position where the training file or this one has no header (with or without the target's column).
    """
    wanted = [code.name for code in encoder.columns]
    by_name = dict(zip(frame.names, frame.columns, strict=True))
    if not (encoder.header and frame.header) and not set(wanted) <= set(frame.names if frame.header else ()):
        by_name = _by_position(encoder, frame)
    absent = [name for name in wanted if name not in by_name]
    if absent:
        near = difflib.get_close_matches(absent[0], [name for name in frame.names if name not in wanted], n=1)
        guess = f" (for {absent[0]!r} did you mean {near[0]!r}?)" if near else ""
        raise BadInput(
            f"{frame.source} lacks {len(absent)} of the {len(wanted)} columns used in training: "
            f"{_listed(absent)}; it has {_listed(list(frame.names))}{guess}"
        )
    return [by_name[name] for name in wanted], by_name.get(encoder.target) if encoder.target is not None else None


def _by_position(encoder: TableEncoder, frame: Frame) -> dict[str, Column]:
    names = list(encoder.source_columns)
    if encoder.target in names and len(frame.names) == len(names) - 1:
        names.remove(str(encoder.target))
    if len(frame.names) != len(names):
        raise BadInput(
            f"{frame.source} has {len(frame.names)} columns and no header to tell them apart; the training file had "
            f"{len(encoder.source_columns)}: {_listed(names)}"
        )
    return dict(zip(names, frame.columns, strict=True))


def _listed(names: list[str], most: int = 10) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def refuse_infinite(name: str, values: np.ndarray, frame: Frame) -> None:
    rows = np.flatnonzero(np.isinf(values))
    if len(rows):
        raise BadInput(
            f"{frame.source}, {frame.place(rows[0])}: column {name!r} holds {values[rows[0]]} "
            f"({counted(len(rows), 'infinite value')} in all): remove or replace them"
        )


def missing_error(name: str, gaps: np.ndarray, frame: Frame, advice: str = "") -> BadInput:
    rows = np.flatnonzero(gaps)
    return BadInput(
        f"{frame.source}, {frame.place(rows[0])}: column {name!r} has {counted(len(rows), 'missing cell')}, "
        f"the first one here: {advice or _ADVICE}"
    )
