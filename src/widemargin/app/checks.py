"""What a careful person looks at before believing a figure: named checks, each with its finding and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .reading import Learnable

_LISTED = 6
_ENOUGH = 5000  # rows to look for leaks in
_ROWS_A_PART = 5


@dataclass(frozen=True)
class Check:
    """One thing looked at: `state` is "fine", "note" or "warning"."""

    name: str
    state: str
    finding: str
    advice: str = ""

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def copies(data: Learnable) -> np.ndarray:
    """For each row the number of the first row that is the same in all features."""
    first: dict[bytes | str, int] = {}
    groups = np.empty(len(data.y), dtype=np.int64)
    for i, key in enumerate(_keys(data.X)):
        groups[i] = first.setdefault(key, i)
    return groups


def _keys(X: Any) -> Any:
    if X.ndim == 1:
        yield from X
        return
    if sp.issparse(X):
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            yield X.indices[a:b].tobytes() + X.data[a:b].tobytes()
        return
    for row in np.ascontiguousarray(X):
        yield row.tobytes()


def check_data(data: Learnable, groups: np.ndarray) -> list[Check]:
    """All checks of the rows themselves."""
    found = [_rows(data), *_unanswered(data), *_text_alone(data), _missing(data), _constant(data)]
    found += [_identifiers(data), *_dates(data), _duplicates(data, groups)]
    if data.kind == "classes":
        found += [_balance(data), _contradictions(data, groups)]
    if data.feature_names and data.X.shape[1] <= 5000:
        found += _golden(data)
    return found


def check_split(groups: np.ndarray, train: np.ndarray, test: np.ndarray) -> Check:
    """No row of the test set may have a copy among those learnt from."""
    both = np.intersect1d(groups[train], groups[test])
    if len(both) == 0:
        return Check("test set apart", "fine", "no row of the test set stands among the others")
    shared = int(np.isin(groups[test], both).sum())
    return Check(
        "test set apart", "warning", f"{shared} test rows stand among the others too", "the figure is too good"
    )


def _listed(names: Any) -> str:
    names = list(names)
    return ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def _rows(data: Learnable) -> Check:
    n = len(data.y)
    d = "texts" if data.is_text else f"{data.X.shape[1]} features"
    if n < 100:
        return Check("enough rows", "warning", f"{n} rows, {d}", "figures of so few rows are rough: gather more")
    return Check("enough rows", "fine", f"{n} rows, {d}")


def _unanswered(data: Learnable) -> list[Check]:
    if not data.unanswered:
        return []
    n, all_ = data.unanswered, data.unanswered + len(data.y)
    return [
        Check(
            "rows without an answer",
            "warning" if n > 0.1 * all_ else "note",
            f"{n} of {all_} rows have no {data.target}: left out",
            "why are they missing? Where the answer has to do with it, the figures hold for the other rows only",
        )
    ]


def _text_alone(data: Learnable) -> list[Check]:
    if not data.beside_text:
        return []
    return [
        Check(
            "text alone",
            "note",
            f"learnt from the words of {data.text} alone, without {_listed(data.beside_text)}",
            f"to learn from the other columns ignore {data.text}, or name it in categorical",
        )
    ]


def _dates(data: Learnable) -> list[Check]:
    if not data.dates:
        return []
    return [
        Check(
            "dates",
            "note",
            f"left out: {_listed(data.dates)}",
            "a new date says nothing to a learner of old ones: add columns of numbers (days since, month, weekday), or "
            "name them in categorical to keep them as names",
        )
    ]


def _missing(data: Learnable) -> Check:
    if not data.missing:
        return Check("missing cells", "fine", "none")
    cells = sum(count for _, count in data.missing)
    listed = _listed(f"{name} ({count})" for name, count in data.missing)
    return Check(
        "missing cells",
        "note",
        f"{cells} in {len(data.missing)} columns: {listed}",
        "trees take them as they are; for other learners the median stands in",
    )


def _constant(data: Learnable) -> Check:
    if not data.constant:
        return Check("constant columns", "fine", "none")
    return Check("constant columns", "note", _listed(data.constant), "they say nothing: leave them out of the file")


def _identifiers(data: Learnable) -> Check:
    if not data.left_out:
        return Check("identifiers", "fine", "no column looks like one")
    return Check("identifiers", "note", f"left out: {_listed(data.left_out)}", "name them in categorical to keep them")


def _duplicates(data: Learnable, groups: np.ndarray) -> Check:
    again = int(np.count_nonzero(groups != np.arange(len(groups))))
    if again == 0:
        return Check("repeated rows", "fine", "none")
    share = again / len(groups)
    return Check(
        "repeated rows",
        "warning" if share > 0.2 else "note",
        f"{again} rows ({share:.1%}) repeat an earlier one",
        "copies are kept on one side of every split",
    )


def _balance(data: Learnable) -> Check:
    classes, counts = np.unique(data.y, return_counts=True)
    rare, share = classes[counts.argmin()], counts.min() / counts.sum()
    words = f"{len(classes)} classes; the rarest, {rare}, has {counts.min()} rows ({share:.1%})"
    if counts.min() < 10:
        return Check("balance of classes", "warning", words, "too few rows to learn this class from: gather more")
    if share < 0.1 / max(1, len(classes) / 2):
        return Check("balance of classes", "note", words, "look at the table of errors, not only at the share of them")
    return Check("balance of classes", "fine", words)


def _contradictions(data: Learnable, groups: np.ndarray) -> Check:
    odd = int(np.count_nonzero(data.y != data.y[groups]))
    if odd == 0:
        return Check("contradictions", "fine", "equal rows have equal labels")
    return Check(
        "contradictions",
        "warning" if odd > 0.01 * len(groups) else "note",
        f"{odd} rows have another label than an equal row before them",
        "no learner can get both right: look at the labels, or add a column that tells them apart",
    )


def _golden(data: Learnable) -> list[Check]:
    """A single column that gives the answer away is more often a leak than luck."""
    if data.kind == "numbers" and sp.issparse(data.X):
        return []
    name, how = _by_classes(data) if data.kind == "classes" else (None, "")
    if name is None and not sp.issparse(data.X):
        name, how = _by_correlation(data)
    if name is None:
        return [Check("leaks", "fine", "no single column gives the target away")]
    return [Check("leaks", "warning", f"{name} alone gives the target away ({how})", "is it known beforehand?")]


def _by_correlation(data: Learnable) -> tuple[str | None, str]:
    codes = np.unique(data.y, return_inverse=True)[1] if data.kind == "classes" else data.y
    if data.kind == "classes" and codes.max(initial=0) > 1:
        return None, ""
    X, y = data.X, codes.astype(np.float64)
    with np.errstate(all="ignore"):
        filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
        a, b = filled - filled.mean(axis=0), y - y.mean()
        r = np.abs(a.T @ b) / np.sqrt((a * a).sum(axis=0) * (b @ b))
    r = np.where(np.isfinite(r), r, 0.0)  # squares of numbers as small as 1e-200 are 0
    if r.max(initial=0.0) < 0.98:
        return None, ""
    return data.feature_names[int(r.argmax())], f"correlation {r.max():.3f}"


def _by_classes(data: Learnable) -> tuple[str | None, str]:
    """The first column of which each value, or each of few intervals, has one class; missing is a value too."""
    rows = np.unique(np.linspace(0, len(data.y) - 1, min(len(data.y), _ENOUGH)).astype(np.int64))
    classes, y = np.unique(data.y[rows], return_inverse=True)
    guessed = len(y) - np.bincount(y).max()  # errors of always giving the same answer
    assert data.encoder is not None
    X, at = data.X[rows], 0
    for column in data.encoder.columns:
        width = len(column.feature_names)
        part = X[:, at : at + width]
        part, at = np.asarray(part.toarray() if sp.issparse(part) else part), at + width
        if column.kind == "category" and width > 1:
            parts = np.where(part.any(axis=1), part.argmax(axis=1), width)
        else:
            parts = _intervals(part[:, 0], y, len(classes))
        counts = np.zeros((parts.max(initial=0) + 1, len(classes)), dtype=np.int64)
        np.add.at(counts, (parts, y), 1)
        wrong = len(y) - counts.max(axis=1).sum()
        if len(counts) * _ROWS_A_PART <= len(y) and wrong <= 0.02 * guessed:
            return column.name, f"right in {1 - wrong / len(y):.1%} of the rows"
    return None, ""


def _intervals(x: np.ndarray, y: np.ndarray, n_classes: int) -> np.ndarray:
    """For each row the run of neighbouring values with the same most frequent class; missing values are one more."""
    values, place = np.unique(x, return_inverse=True)  # NaN is one value, the last
    counts = np.zeros((len(values), n_classes), dtype=np.int64)
    np.add.at(counts, (place, y), 1)
    said = counts.argmax(axis=1)
    new = np.concatenate([[0], (said[1:] != said[:-1]) | np.isnan(values[1:])])
    return np.cumsum(new)[place]
