"""Labels of any kind become codes 0 .. k-1, and predictions become labels again."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from ..base.errors import BadInput


@dataclass(frozen=True)
class Labels:
    """The classes in their order."""

    classes: np.ndarray

    def __len__(self) -> int:
        return len(self.classes)

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Codes of y; raises on a label that is not among the classes."""
        table = _small_integers(self.classes)
        if table is not None and (y.dtype == self.classes.dtype or y.dtype.kind in "iub"):
            codes = _encode_by_table(y, *table)
            if codes is not None:
                return codes
        try:
            codes = np.searchsorted(self.classes, y)
        except TypeError as e:
            raise BadInput(f"y holds labels that cannot be compared with the classes {_some(self.classes)}: {e}") from e
        codes = np.minimum(codes, len(self.classes) - 1)
        unknown = self.classes[codes] != y
        if np.any(unknown):
            raise BadInput(
                f"y holds {int(np.sum(unknown))} labels that are not among the classes {_some(self.classes)}, "
                f"the first being {y[np.argmax(unknown)]!r}: give all classes to the first call."
            )
        return codes


def as_column(y: Any) -> np.ndarray:
    """One label a row; a single column of a matrix is taken with a warning, several are an error."""
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected: use y.ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
        y = y.ravel()
    if y.ndim != 1:
        raise BadInput(f"y must hold one label a row, but its shape is {y.shape}: fit one model a column.")
    return y


def encode_labels(y: np.ndarray) -> Labels:
    """The classes of y, sorted."""
    _refuse_odd_objects(y)
    classes = _classes_of(y)
    if len(classes) < 2:
        raise BadInput(
            f"This classifier needs samples of at least 2 classes in the data, but the data contains only one class: "
            f"{classes[0]!r}."
        )
    return Labels(classes)


def _classes_of(y: np.ndarray) -> np.ndarray:
    """np.unique, but by counting where labels are whole numbers in a small range: sorting costs more than a fit."""
    if y.dtype.kind in "iub" or (y.dtype.kind == "f" and y.size and np.isfinite(y[0])):
        low, high = y.min().item(), y.max().item()
        if low > -(2**31) and high < 2**31 and float(high) - float(low) < 4096:
            whole = y if y.dtype.kind in "iub" else y.astype(np.int64)
            if y.dtype.kind != "f" or np.array_equal(whole, y):
                counts = np.bincount(whole.astype(np.int64, copy=False) - int(low))
                return (np.flatnonzero(counts) + int(low)).astype(y.dtype)
    check_classification_targets(y)
    return np.unique(y)


def _small_integers(classes: np.ndarray) -> tuple[int, np.ndarray] | None:
    """(lowest, code of each number from there on, -1 for none) where the classes are whole numbers close together."""
    if classes.dtype.kind not in "iubf" or not np.isfinite(classes).all():
        return None
    low, high = classes[0], classes[-1]
    if not (low > -(2**31) and high < 2**31 and float(high) - float(low) < 4096) or (classes % 1).any():
        return None
    table = np.full(int(high) - int(low) + 1, -1, dtype=np.intp)
    table[classes.astype(np.int64) - int(low)] = np.arange(len(classes))
    return int(low), table


def _encode_by_table(y: np.ndarray, low: int, table: np.ndarray) -> np.ndarray | None:
    """None where some label needs the slow way and its error message."""
    if y.size == 0 or not (low <= y.min() and y.max() < low + len(table)):
        return None
    whole = y.astype(np.int64)
    if y.dtype.kind == "f" and not np.array_equal(whole, y):
        return None
    codes = table[whole - low if low else whole]
    return None if (codes < 0).any() else codes


def class_factors(wish: Any, labels: Labels, codes: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """One factor a class: given by label (others 1), or "balanced" = total weight / (classes x weight of the class)."""
    classes = labels.classes
    if isinstance(wish, str):
        total = np.bincount(codes, weights=weight, minlength=len(classes)).astype(np.float64)
        present = total > 0
        return np.divide(total.sum() / present.sum(), total, out=np.zeros(len(classes)), where=present)
    factors = np.ones(len(classes))
    known = {label: k for k, label in enumerate(classes.tolist())}
    for label, factor in wish.items():
        if label not in known:
            raise BadInput(f"class_weight names {label!r}, which is not among the classes {_some(classes)}.")
        if not (np.isfinite(factor) and factor >= 0):
            raise BadInput(f"class_weight[{label!r}] is {factor!r}: it must be finite and not negative.")
        factors[known[label]] = factor
    return factors


def _refuse_odd_objects(y: np.ndarray) -> None:
    if y.dtype.kind != "O":
        return
    kinds: dict[type, Any] = {}
    for label in y:
        kinds.setdefault(type(label), label)
    if any(k in (list, dict, set, tuple, np.ndarray) for k in kinds):
        raise BadInput(f"y must hold one label a row, but one label is {next(iter(kinds.values()))!r}.")
    missing = [v for v in kinds.values() if v is None or v != v]
    if missing:
        raise BadInput(f"Input y contains NaN or None, for example {missing[0]!r}: drop rows without a label.")
    families = {"text" if issubclass(k, str) else "number" for k in kinds}
    if len(families) > 1:
        raise BadInput(
            "y mixes text and numbers "
            f"({', '.join(repr(v) for v in kinds.values())}): convert all labels to one kind, for example with str."
        )


def _some(classes: np.ndarray) -> str:
    shown = ", ".join(repr(c.item() if hasattr(c, "item") else c) for c in classes[:6])
    return f"[{shown}, … {len(classes)} in all]" if len(classes) > 6 else f"[{shown}]"
