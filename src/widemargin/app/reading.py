"""Rows to learn from, out of any file: what is predicted, which columns say nothing, whether there is prose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import BadInput
from ..data.columns import DEFAULT_MISSING, Frame
from ..data.dialect import Dialect
from ..data.encode import TableEncoder
from ..data.learn import Coding, learn, target_name
from ..data.readers import read_frame
from ..data.sketch import Sketch
from ..data.svmlight import looks_like_svmlight, read_svmlight
from ..data.table import table_of
from ..estimator.file_model import whole_labels

KINDS = ("auto", "classes", "numbers")
_WORDS = 4  # in a cell of prose, on average, at least
_LOOKED_AT = 500  # cells
_GREATEST = float(np.finfo(np.float32).max)  # trees compare in float32


@dataclass(frozen=True, eq=False)
class Learnable:
    """A file in the form that learners take.

    Attributes
    ----------
    source : str
    X : array, CSR matrix, or array of texts
    y : array
    kind : {"classes", "numbers"}
    encoder : TableEncoder or None
        None for an svmlight file.
    feature_names : tuple of str
        Empty for an svmlight file and for texts.
    report : tuple of str
        What reading did, a sentence each.
    left_out : tuple of str
        Columns that look like identifiers.
    dates : tuple of str
        Columns of dates, left out too.
    unanswered : int
        Rows without a target, left out.
    text : str or None
        The column of prose that is learnt from alone.
    beside_text : tuple of str
        The other columns, left out for it.
    missing : tuple of (str, int)
        Columns with missing cells and their number.
    constant : tuple of str
    """

    source: str
    X: Any
    y: np.ndarray
    kind: str
    encoder: TableEncoder | None
    feature_names: tuple[str, ...] = ()
    report: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    missing: tuple[tuple[str, int], ...] = ()
    constant: tuple[str, ...] = ()
    zero_based: bool = False
    dates: tuple[str, ...] = ()
    unanswered: int = 0
    text: str | None = None
    beside_text: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        return self.X.ndim == 1

    @property
    def target(self) -> str:
        return "label" if self.encoder is None else str(self.encoder.target)


def read_learnable(
    source: Any,
    target: str | int | None = None,
    *,
    kind: str = "auto",
    text: str | None = None,
    ignore: Sequence[str] = (),
    categorical: Sequence[str] = (),
    format: str = "auto",
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    missing_values: Sequence[str] = DEFAULT_MISSING,
    zero_based: bool = False,
    n_jobs: int | None = None,
) -> Learnable:
    """Read a table or an svmlight file; the parameters are those of `read_table`.

    `kind` "auto" takes text and few whole numbers for classes, anything else for numbers; `text` names a column of
    prose, which is also found by itself.
    """
    if kind not in KINDS:
        raise BadInput(f"kind={kind!r} must be one of {', '.join(KINDS)}")
    if format == "svmlight" or (format == "auto" and target is None and looks_like_svmlight(source)):
        return _from_svmlight(source, kind, zero_based, n_jobs)
    if target is None:
        raise BadInput("target is needed: the name of the column to be predicted, or its number from 0")
    dialect = Dialect(delimiter, header, '"', decimal, tuple(missing_values), encoding)
    frame, unanswered = _answered(read_frame(source, dialect, format), target)
    # what the file itself calls dates is refused as features; a first look goes past it
    typed = [name for name, column in zip(frame.names, frame.columns, strict=True) if column.kind == "date"]
    past = tuple(name for name in typed if name not in (target_name(target, frame), text, *categorical, *ignore))
    coding = Coding(missing="keep", categorical=tuple(categorical), ignore=(*ignore, *past))
    first = learn(lambda: iter([frame]), target, coding, dialect)
    features = [s for s in first.sketches if s.name != first.encoder.target and s.name not in ignore]
    unnamed = [s for s in features if s.name not in categorical]
    text = _prose(unnamed, frame) if text is None else text
    dates = () if text else tuple(s.name for s in unnamed if s.looks_like_dates)
    left_out = () if text else tuple(s.name for s in unnamed if s.looks_like_identifier and s.name not in dates)
    if len(left_out) + len(dates) == len(features):
        left_out, dates = (), past
    gone = (*ignore, *past, *(name for name in (*left_out, *dates) if name not in past))
    coding = Coding(missing="keep", categorical=tuple(categorical), ignore=gone, text=text)
    table = table_of(frame, target, coding, dialect)
    assert table.y is not None
    used = [s for s in features if s.name not in (*left_out, *dates) and text in (None, s.name)]
    _refuse_huge([*used, *(s for s in first.sketches if s.name == table.target_name)], frame.source)
    return Learnable(
        frame.source,
        table.X,
        table.y,
        _kind(table.y, kind, str(table.target_name)),
        table.encoder,
        () if text else table.feature_names,
        table.report,
        left_out,
        tuple((s.name, s.n_missing) for s in used if s.n_missing),
        tuple(s.name for s in used if s.is_constant),
        dates=dates,
        unanswered=unanswered,
        text=text,
        beside_text=tuple(s.name for s in features if s.name not in (text, *dates)) if text else (),
    )


def _from_svmlight(source: Any, kind: str, zero_based: bool, n_jobs: int | None) -> Learnable:
    X, y = read_svmlight(source, zero_based=zero_based, n_jobs=n_jobs)
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise BadInput(f"{source} has {X.shape[0]} rows with {X.shape[1]} features: there is nothing to learn from")
    y = whole_labels(y)
    return Learnable(str(source), X, y, _kind(y, kind, "label"), None, zero_based=zero_based)


def _refuse_huge(sketches: list[Sketch], source: str) -> None:
    """Such numbers overflow in one learner or another, which then says so of a row and a column that nobody knows."""
    for sketch in sketches:
        worst = max(sketch.low, sketch.high, key=abs) if sketch.n_numbers and not sketch.is_text else 0.0
        if abs(worst) > _GREATEST:
            raise BadInput(
                f"{source}: column {sketch.name!r} holds {worst:.3g}, and numbers beyond {_GREATEST:.2g} overflow in "
                "learners: write it in another unit, or ignore it"
            )


def _answered(frame: Frame, target: str | int) -> tuple[Frame, int]:
    """The rows whose target is known, and the number of the others: nobody can learn from those, or test on them."""
    name = target_name(target, frame)
    assert name is not None
    column = frame.column(name)
    known = np.array([text is not None for text in column.texts()], dtype=bool)
    if column.kind not in ("category", "date"):
        values, words = column.numbers()
        known &= ~np.isnan(values) | bool(len(words))  # among words "nan" is one more
    if known.all():
        return frame, 0
    if not known.any():
        raise BadInput(
            f"{frame.source}: the target {name!r} is missing in all {len(known)} rows: choose another column"
        )
    return frame.take(np.flatnonzero(known)), int(np.count_nonzero(~known))


def _prose(features: list[Sketch], frame: Frame) -> str | None:
    """The first column whose cells are different sentences."""
    for sketch in features:
        cells = list(sketch.texts)[:_LOOKED_AT]
        if sketch.n_rows < 20 or len(sketch.texts) < 0.5 * sketch.n_rows or not cells:
            continue
        if sum(len(cell.split()) for cell in cells) >= _WORDS * len(cells):
            return sketch.name
    return None


def _kind(y: np.ndarray, kind: str, target: str) -> str:
    if kind == "numbers" and y.dtype.kind not in "iuf":
        raise BadInput(
            f"the target {target!r} holds text, for instance {str(y[0])!r}: it cannot be predicted as numbers"
        )
    if kind == "classes" and y.dtype.kind == "f":
        raise BadInput(f"the target {target!r} holds fractions, which are no classes: leave kind to be found out")
    if kind != "auto":
        return kind
    if y.dtype.kind == "f":
        return "numbers"
    few = min(1000, max(20, len(y) // 20))
    return "classes" if y.dtype.kind not in "iu" or len(np.unique(y)) <= few else "numbers"
