"""Reading for trees: rows that may have missing values and categories, one or several outputs, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import compute_sample_weight

from .. import _core
from ..base.errors import BadInput, WrongType
from ..data.float32 import checked_float32, row_weights, validated
from ..data.labels import Labels, as_column, as_numbers, class_factors, labels_and_codes


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
    given: int = 0  # rows that were given, those of weight 0 among them
    kept: np.ndarray | None = None  # numbers of these rows among those given; None: all

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
        rows = np.nan_to_num(self.X, nan=3e38) if self.missing else self.X
        parts = (rows, np.ascontiguousarray(beside))
        return "".join(f"{_core.Rows.dense(part).scan(0, 1)[3]:016x}" for part in parts)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """One line for each row that was given: NaN for those that are absent."""
        if self.kept is None:
            return values
        out = np.full((self.given, *values.shape[1:]), np.nan)
        out[self.kept] = values
        return out

    @property
    def targets(self) -> np.ndarray:
        """The labels or numbers, as they were given."""
        columns = [one.classes[self.y[:, o]] for o, one in enumerate(self.labels)]
        y = np.column_stack(columns) if columns else self.y
        return y[:, 0] if self.flat else y

    def ground(self, categorical: np.ndarray | None, bins: int, random: bool, threads: int) -> _core.Ground:
        codes, numbers = (self.y.ravel(), None) if self.labels else (None, self.y.ravel())
        return _core.Ground(
            self.X, codes, numbers, list(self.classes), self.outputs, self.weight, categorical, bins, random, threads
        )


def read_trees(estimator: Any, X: Any, y: Any, sample_weight: Any, *, regression: bool, reset: bool) -> TreeTraining:
    """Reads and checks. Rows of weight 0 are absent."""
    if y is None:
        as_column(y)  # says what is missing
    given = validated(estimator, X, reset=reset)
    columns, flat = _columns(y)
    n = given.shape[0]
    if len(columns[0]) != n:
        raise BadInput(f"X has {n} rows, but y has {len(columns[0])}: one target a row is needed.")
    weight = row_weights(sample_weight, given)
    kept = None if weight is None else np.flatnonzero(weight)
    weight, columns, kept = _only(kept, weight, columns)
    labels: tuple[Labels, ...] = ()
    codes, balance = np.empty(0), False
    if not regression:
        wish = estimator.class_weight
        balance = isinstance(wish, str) and wish == "balanced_subsample"
        labels, codes = _encoded(columns)
        if wish is not None and not balance:
            factor = _class_weights(wish, labels, codes, columns, weight)
            weight = row_weights(factor if weight is None else factor * weight, factor[:, None])
            if weight is not None and not weight.all():
                left = np.flatnonzero(weight)
                weight, columns, _ = _only(left, weight, columns)
                kept = left if kept is None else kept[left]
                labels, codes = _encoded(columns)
    rows, missing = checked_float32(given if kept is None else given[kept])
    if regression:
        codes = np.ascontiguousarray(np.column_stack([as_numbers(column) for column in columns]))
        if getattr(estimator, "criterion", None) == "poisson":  # boosters have none
            _refuse_no_counts(codes)
    return TreeTraining(rows, missing, codes, labels, weight, balance, flat, n, kept)


def _refuse_no_counts(y: np.ndarray) -> None:
    if (y < 0).any():
        row = int(np.argmax((y < 0).any(axis=1)))
        raise BadInput(
            f"Some value(s) of y are negative which is not allowed for Poisson regression, the first in row {row}."
        )
    if not (y.sum(axis=0) > 0).all():
        raise BadInput("Sum of y is not strictly positive which is necessary for Poisson regression: all counts are 0.")


def _only(
    kept: np.ndarray | None, weight: np.ndarray | None, columns: list[np.ndarray]
) -> tuple[np.ndarray | None, list[np.ndarray], np.ndarray | None]:
    """Weights and targets of the rows that are kept; None for all of them."""
    if kept is None or weight is None or len(kept) == len(weight):
        return weight, columns, None
    weight = weight[kept]
    return (None if (weight == 1).all() else weight), [column[kept] for column in columns], kept


def _encoded(columns: list[np.ndarray]) -> tuple[tuple[Labels, ...], np.ndarray]:
    labels, codes = zip(*(labels_and_codes(column, least=1) for column in columns), strict=True)
    return labels, np.ascontiguousarray(np.column_stack(codes), dtype=np.int32)


def _columns(y: Any) -> tuple[list[np.ndarray], bool]:
    """The targets, output by output."""
    if sp.issparse(y):
        raise WrongType("sparse multilabel-indicator for y is not supported: give y.toarray().")
    try:
        plain = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    except ValueError:  # rows of different lengths
        return [as_column(y)], True
    if plain.ndim == 2 and plain.shape[1] > 1:
        return [as_column(np.ascontiguousarray(plain[:, o])) for o in range(plain.shape[1])], False
    return [as_column(y)], True


def _class_weights(
    wish: Any, labels: tuple[Labels, ...], codes: np.ndarray, columns: list[np.ndarray], weight: np.ndarray | None
) -> np.ndarray:
    if len(labels) == 1:
        if isinstance(wish, list):
            raise BadInput(f"'class_weight' is the list {wish}, but y has one output: give a dictionary.")
        return class_factors(wish, labels[0], codes[:, 0], weight)[codes[:, 0]]
    if isinstance(wish, dict) or (isinstance(wish, list) and len(wish) != len(labels)):
        raise BadInput(
            "For multi-output, number of elements in class_weight should match number of outputs: "
            f"y has {len(labels)}, so give a list of as many dictionaries."
        )
    return compute_sample_weight(wish, np.column_stack(columns))
