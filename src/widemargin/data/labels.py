"""Labels of any kind become codes 0 .. k-1, and predictions become labels again."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning

from .. import _core
from ..base.errors import BadInput, SingleClass
from ..base.warn import warn

SPAN = 4096  # whole numbers less than this apart become codes by a table


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
        if (y.dtype.kind in "OU") != (self.classes.dtype.kind in "OU"):
            raise BadInput(
                f"y holds labels such as {y[:1].tolist()}, which cannot be compared with the classes "
                f"{_some(self.classes)}: numbers and text are never the same label."
            )
        codes = np.searchsorted(self.classes, y)
        codes = np.minimum(codes, len(self.classes) - 1)
        unknown = self.classes[codes] != y
        if np.any(unknown):
            row = int(np.argmax(unknown))
            raise BadInput(
                f"y holds {int(np.sum(unknown))} labels that are not among the classes {_some(self.classes)}, "
                f"the first being {y[[row]].tolist()[0]!r} in row {row}: give all classes to the first call."
            )
        return codes


def as_column(y: Any) -> np.ndarray:
    """One label or number a row; a single column of a matrix is taken with a warning, several are an error."""
    if y is None:
        raise BadInput("This estimator requires y to be passed, but the target y is None: give one label a row.")
    if np.ma.is_masked(y):
        raise BadInput(f"y is masked in {int(np.ma.getmaskarray(y).sum())} rows: drop rows without a label.")
    y = _as_array(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warn(
            "A column-vector y was passed when a 1d array was expected: use y.ravel().",
            DataConversionWarning,
        )
        y = y.ravel()
    if y.ndim != 1:
        raise BadInput(f"y must hold one label a row, but its shape is {y.shape}: fit one model a column.")
    if y.dtype.kind == "O":
        y = _plain_objects(y)
    if y.dtype.kind not in "biufUO":
        raise BadInput(
            f"y holds labels of type {y.dtype}, such as {y[:1].tolist()}: use whole numbers or text instead."
        )
    _refuse_nonfinite(y)
    return y


def as_numbers(y: np.ndarray) -> np.ndarray:
    """The targets of a regression in float64."""
    if y.dtype.kind not in "biuf":
        raise BadInput(f"y holds text, such as {y[0]!r}: a regressor needs one number a row.")
    return y.astype(np.float64)


def _as_array(y: Any) -> np.ndarray:
    # NumPy turns ["a", 1] into two texts without a word.
    mixed = isinstance(y, list | tuple) and 0 < sum(isinstance(label, str) for label in y) < len(y)
    try:
        return np.asarray(y, dtype=object) if mixed else np.asarray(y)
    except ValueError as e:
        raise BadInput(f"y must hold one label a row, but its entries differ in length: {e}") from e


def _plain_objects(y: np.ndarray) -> np.ndarray:
    """Numbers kept as objects become numbers; text stays as it is; everything else is refused."""
    if all(issubclass(kind, str) for kind in set(map(type, y))):
        return y
    first: dict[str, str] = {}
    for row, label in enumerate(y):
        first.setdefault(_family(label), f"{label!r} in row {row}")
    if "other" in first:
        raise BadInput(f"y must hold one number or text a row, but there is {first['other']}.")
    if "missing" in first:
        raise BadInput(f"Input y contains NaN or None, the first being {first['missing']}: drop rows without a label.")
    if len(first) > 1:
        raise BadInput(
            f"y mixes text and numbers ({first['text']}, {first['number']}): "
            "convert all labels to one kind, for example with str."
        )
    numbers = np.asarray(y.tolist())
    if numbers.dtype.kind not in "biuf" or np.any(numbers.astype(object) != y):
        raise BadInput(f"y holds numbers that need more than 64 bits, such as {max(y, key=abs)!r}: use text instead.")
    return numbers


def _family(label: Any) -> str:
    if isinstance(label, str):
        return "text"
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return "missing"
    if isinstance(label, bool | int | float | np.bool_ | np.integer | np.floating):
        return "number" if label == label else "missing"
    return "other"


def _refuse_nonfinite(y: np.ndarray) -> None:
    if y.dtype.kind != "f" or np.isfinite(y).all():
        return
    row = int(np.argmin(np.isfinite(y)))
    what = "NaN" if np.isnan(y[row]) else f"infinity or a value too large for {y.dtype!r}"
    raise BadInput(f"Input y contains {what}, the first in row {row}: drop or repair such rows.")


def encode_labels(y: np.ndarray, least: int = 2) -> Labels:
    """The classes of y, sorted; at least so many."""
    return labels_and_codes(y, least)[0]


def labels_and_codes(y: np.ndarray, least: int = 2) -> tuple[Labels, np.ndarray]:
    """The classes of y, sorted, at least so many; and which of them each label is."""
    classes, codes = _by_table(y) or (_by_sorting(y), None)
    if len(classes) < least:
        raise SingleClass(
            "This classifier needs samples of at least 2 classes in the data, but the data contains "
            + (f"only one class: {classes.tolist()[0]!r}." if len(classes) else "no class at all.")
        )
    labels = Labels(classes)
    return labels, labels.encode(y) if codes is None else codes


def _by_table(y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    if y.dtype.kind not in "iubf" or y.dtype == np.uint64 or y.dtype.itemsize > 8:
        return None
    found = _core.whole_labels(np.require(y, np.float64 if y.dtype.kind == "f" else np.int64, ["C", "A"]), SPAN)
    return None if found is None else (found[0].astype(y.dtype), found[1])


def _by_sorting(y: np.ndarray) -> np.ndarray:
    if y.dtype.kind == "f" and (y % 1).any():
        row = int(np.argmax(y % 1 != 0))
        raise BadInput(
            f"Unknown label type: continuous, the first being {y[row]} in row {row}. Labels must be whole numbers or "
            "text; to predict numbers use a regressor."
        )
    return np.unique(y)


def _small_integers(classes: np.ndarray) -> tuple[int, np.ndarray] | None:
    """(lowest, code of each number from there on, -1 for none) where the classes are whole numbers close together."""
    if classes.dtype.kind not in "iubf" or not np.isfinite(classes).all():
        return None
    low, high = classes[0].item(), classes[-1].item()
    if not (low > -(2**31) and high < 2**31 and float(high) - float(low) < SPAN) or (classes % 1).any():
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
        if not (isinstance(factor, Real) and 0 <= float(factor) < np.inf):
            raise BadInput(f"class_weight[{label!r}] is {factor!r}: it must be finite and not negative.")
        factors[known[label]] = factor
    return factors


def _some(classes: np.ndarray) -> str:
    shown = ", ".join(repr(c.item() if hasattr(c, "item") else c) for c in classes[:6])
    return f"[{shown}, … {len(classes)} in all]" if len(classes) > 6 else f"[{shown}]"
