"""Reading for boosters: float32 rows that may have missing values for stumps and trees, any rows for other learners."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import BadInput, SingleClass
from ..data.float32 import float32_blocks
from ..data.labels import Labels
from ..data.rows import read_rows, read_training
from .tree_base import TreeLearner
from .tree_input import read_trees


@dataclass(frozen=True, eq=False)
class BoostRows:
    """The rows of a fit: codes or numbers, weights (None = all one), labels (none for numbers)."""

    X: Any
    y: np.ndarray
    u: np.ndarray | None
    labels: Labels
    digest: str

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def targets(self) -> np.ndarray:
        return self.labels.classes[self.y] if len(self.labels) else self.y

    def take(self, rows: np.ndarray) -> BoostRows:
        u = None if self.u is None else np.ascontiguousarray(self.u[rows])
        return BoostRows(self.X[rows], self.y[rows], u, self.labels, "")


def compares(template: Any) -> bool:
    """Whether the learner only compares numbers: stumps (None) and our trees."""
    return template is None or isinstance(template, TreeLearner)


def read_boosting(estimator: Any, X: Any, y: Any, sample_weight: Any, *, regression: bool, reset: bool) -> BoostRows:
    """Reads and checks. Rows of weight 0 are absent."""
    _refuse_negative(sample_weight)
    weights = None if regression else estimator.class_weight
    if not compares(estimator.estimator):
        data = read_training(
            estimator,
            X,
            y,
            sample_weight,
            regression=regression,
            class_weight=weights,
            reset=reset,
            threads=estimator._threads(),
        )
        rows = type(X)(data.X) if getattr(X, "format", "") == "csc" else data.X  # columns for those who go by columns
        return BoostRows(rows, data.y, data.weight, data.labels, data.digest)
    rows = read_trees(estimator, X, y, sample_weight, regression=regression, reset=reset)
    if rows.outputs > 1 or not rows.flat:
        raise BadInput(
            f"y must hold one label a row, but its shape is {(rows.given, rows.outputs)}: fit one model a column."
        )
    labels = rows.labels[0] if rows.labels else Labels(np.empty(0))
    if not regression and len(labels) < 2:
        raise SingleClass(
            "This classifier needs samples of at least 2 classes in the data, but the data contains only one class: "
            f"{labels.classes.tolist()[0]!r}."
        )
    return BoostRows(rows.X, rows.y[:, 0], rows.weight, labels, rows.digest)


def _refuse_negative(sample_weight: Any) -> None:
    given = np.asarray(sample_weight) if sample_weight is not None else np.empty(0)
    if given.ndim == 1 and given.size > 1 and given.dtype.kind in "iuf" and (given < 0).any():
        row = int(np.argmax(given < 0))
        raise BadInput(
            f"Negative values in data passed to `sample_weight`: {given[row]} in row {row}; give weights of 0 or more."
        )


def blocks_of(estimator: Any, X: Any) -> Iterator[Any]:
    """Rows of a prediction, some at a time where they are sparse and the learner needs them written out."""
    if compares(estimator.estimator):
        yield from (rows for _, rows, _ in float32_blocks(estimator, X))
    else:
        yield read_rows(estimator, X)
