"""Reading for bags: rows as they are, since members look at them themselves; targets, weights, a digest."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..base.errors import BadInput
from ..data.float32 import row_weights, validated
from ..data.labels import Labels, as_column, as_numbers, labels_and_codes
from ..data.rows import canonical, native_rows


@dataclass
class BagTraining:
    """The rows of a fit of a bag."""

    X: Any
    form: str | None  # sparse rows had this format
    y: np.ndarray  # codes (one dimension) or numbers (one column an output)
    labels: Labels | None
    targets: np.ndarray  # as members get them
    weight: np.ndarray | None
    given_weights: bool = False
    given: int = 0  # rows that were given, those of weight 0 among them
    kept: np.ndarray | None = None  # numbers of these rows among those given; None: all

    @property
    def n(self) -> int:
        return self.X.shape[0]

    @property
    def d(self) -> int:
        return self.X.shape[1]

    @property
    def digest(self) -> str:
        """16 hexadecimal digits for the rows, 16 for targets and weights."""
        beside = self.y.astype(np.float64).reshape(self.n, -1)
        if self.weight is not None:
            beside = np.column_stack([beside, self.weight])
        return f"{_digest(self.X):016x}{_core.Rows.dense(np.ascontiguousarray(beside)).scan(0, 1)[3]:016x}"

    def spread(self, values: np.ndarray) -> np.ndarray:
        """One line for each row that was given: NaN for those that are absent."""
        if self.kept is None:
            return values
        out = np.full((self.given, *values.shape[1:]), np.nan)
        out[self.kept] = values
        return out

    def part(self, rows: Any, columns: np.ndarray) -> Any:
        """Some rows and columns, in the format in which rows were given."""
        X = self.X if rows is None else self.X[rows]
        X = X if len(columns) == self.d and np.array_equal(columns, np.arange(self.d)) else X[:, columns]
        return X if self.form is None else X.asformat(self.form)


def _digest(X: Any) -> int:
    if not sp.issparse(X) and X.dtype.kind not in "biuf":
        return int.from_bytes(hashlib.blake2b(repr(X.tolist()).encode(), digest_size=8).digest(), "big")
    X = canonical(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64))
    if not sp.issparse(X) and not np.isfinite(X).all():
        X = np.nan_to_num(X, nan=3e38, posinf=3.1e38, neginf=-3.1e38)
    return native_rows(X).scan(0, 1)[3]


def read_bag_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Rows of numbers, some of which may be missing or infinite: whether that will do is for members to say."""
    form = X.format if sp.issparse(X) else None
    rows = validated(estimator, X, reset=reset)
    return rows.asformat(form) if form in ("csr", "csc") else rows


def read_bag(estimator: Any, X: Any, y: Any, sample_weight: Any, *, regression: bool, reset: bool) -> BagTraining:
    """Reads and checks what no member would: that there are as many targets and weights as rows. Rows of weight 0 are
    absent."""
    if y is None:
        as_column(y)  # says what is missing
    rows = read_bag_rows(estimator, X, reset=reset)
    form = rows.format if sp.issparse(rows) else None
    rows, targets = rows.tocsr() if form else rows, _targets(y, several=regression)
    n = rows.shape[0]
    if len(targets) != n:
        raise BadInput(f"X has {n} rows, but y has {len(targets)}: one target a row is needed.")
    weight = row_weights(sample_weight, rows)
    kept = None if weight is None or weight.all() else np.flatnonzero(weight)
    if weight is not None and kept is not None:
        rows, targets, weight = rows[kept], targets[kept], weight[kept]
        weight = None if (weight == 1).all() else weight
    made = BagTraining(rows, form, targets, None, targets, weight, sample_weight is not None, n, kept)
    if regression:
        made.y = np.column_stack([as_numbers(column) for column in targets.reshape(len(targets), -1).T])
        made.targets = made.y if targets.ndim == 2 else made.y[:, 0]
        return made
    made.labels, made.y = labels_and_codes(targets, least=1)
    return made


def _targets(y: Any, *, several: bool) -> np.ndarray:
    """One column, or more where several outputs may be."""
    try:
        plain = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    except ValueError:  # rows of different lengths
        return as_column(y)
    return plain if several and plain.ndim == 2 and plain.shape[1] > 1 else as_column(y)
