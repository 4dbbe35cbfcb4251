"""Reading for trees: rows that may have missing values and categories, one or several outputs, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import compute_sample_weight

from .. import _core
from ..base.errors import BadInput
from ..data.float32 import read_float32, row_weights
from ..data.labels import Labels, as_column, as_numbers, class_factors, encode_labels


@dataclass
class TreeTraining:
    """The rows of a fit of trees."""

    X: np.ndarray  # float32
    missing: bool
    y: np.ndarray  # codes (int32) or numbers (float64), one column an output
    labels: tuple[Labels, ...]  # of each output; empty for numbers
    weight: np.ndarray | None  # sample weight times class weight
    balance: bool = False  # classes are balanced in what each tree draws
    flat: bool = True  # y had one dimension

    @property
    def n(self) -> int:
        return len(self.X)

    @property
    def classes(self) -> tuple[int, ...]:
        return tuple(len(one) for one in self.labels)

    @property
    def outputs(self) -> int:
        return self.y.shape[1]

    @property
    def digest(self) -> str:
        """16 hexadecimal digits for the rows, 16 for targets and weights."""
        beside = self.y.astype(np.float64)
        if self.weight is not None:
            beside = np.column_stack([beside, self.weight])
        rows = np.nan_to_num(self.X, nan=np.float32(3e38)) if self.missing else self.X
        parts = (rows, np.ascontiguousarray(beside))
        return "".join(f"{_core.Rows.dense(part).scan(0, 1)[3]:016x}" for part in parts)

    @property
    def targets(self) -> np.ndarray:
        """The labels or numbers, as they were given."""
        columns = [one.classes[self.y[:, o]] for o, one in enumerate(self.labels)]
        y = np.column_stack(columns) if columns else self.y
        return y[:, 0] if self.flat else y

    def ground(self, categorical: np.ndarray | None, bins: int, threads: int) -> _core.Ground:
        codes, numbers = (self.y.ravel(), None) if self.labels else (None, self.y.ravel())
        return _core.Ground(
            self.X, codes, numbers, list(self.classes), self.outputs, self.weight, categorical, bins, threads
        )


def read_trees(estimator: Any, X: Any, y: Any, sample_weight: Any, *, regression: bool, reset: bool) -> TreeTraining:
    """Reads and checks. A row of weight 0 stays in its place and is in no tree."""
    if y is None:
        as_column(y)  # says what is missing
    columns, flat = _columns(y)
    rows, missing = read_float32(estimator, X, reset=reset)
    if len(columns[0]) != len(rows):
        raise BadInput(f"X has {len(rows)} rows, but y has {len(columns[0])}: one target a row is needed.")
    weight = row_weights(sample_weight, rows)
    if regression:
        numbers = np.column_stack([as_numbers(column) for column in columns])
        return TreeTraining(rows, missing, np.ascontiguousarray(numbers), (), weight, flat=flat)
    kept = slice(None) if weight is None else weight > 0
    labels = tuple(encode_labels(column[kept], least=1) for column in columns)
    codes = np.column_stack([_encoded(one, column, kept) for one, column in zip(labels, columns, strict=True)])
    codes = np.ascontiguousarray(codes, dtype=np.int32)
    balance = isinstance(estimator.class_weight, str) and estimator.class_weight == "balanced_subsample"
    if estimator.class_weight is not None and not balance:
        factor = _class_weights(estimator.class_weight, labels, codes, columns, weight)
        weight = row_weights(factor if weight is None else factor * weight, rows)
    return TreeTraining(rows, missing, codes, labels, weight, balance, flat)


def _encoded(labels: Labels, column: np.ndarray, kept: Any) -> np.ndarray:
    """Codes; rows of weight 0 may have labels that no other row has, and are in no tree."""
    if isinstance(kept, slice):
        return labels.encode(column)
    codes = np.zeros(len(column), dtype=np.intp)
    codes[kept] = labels.encode(column[kept])
    return codes


def _columns(y: Any) -> tuple[list[np.ndarray], bool]:
    """The targets, output by output."""
    plain = np.asarray(y) if not hasattr(y, "to_numpy") else y.to_numpy()
    if plain.ndim == 2 and plain.shape[1] > 1:
        return [as_column(np.ascontiguousarray(plain[:, o])) for o in range(plain.shape[1])], False
    return [as_column(y)], True


def _class_weights(
    wish: Any, labels: tuple[Labels, ...], codes: np.ndarray, columns: list[np.ndarray], weight: np.ndarray | None
) -> np.ndarray:
    if len(labels) == 1:
        if isinstance(wish, list):
            raise BadInput(f"class_weight is a list of {len(wish)}, but y has one output: give a dictionary.")
        return class_factors(wish, labels[0], codes[:, 0], weight)[codes[:, 0]]
    if isinstance(wish, dict) or (isinstance(wish, list) and len(wish) != len(labels)):
        raise BadInput(f"y has {len(labels)} outputs: class_weight must be a list of as many dictionaries.")
    return compute_sample_weight(wish, np.column_stack(columns))
