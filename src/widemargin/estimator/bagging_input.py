"""Reading for bags: rows as they are, since members look at them themselves; targets, weights, a digest."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from .. import _core
from ..base.errors import BadInput
from ..data.float32 import row_weights
from ..data.labels import Labels, as_column, as_numbers, encode_labels
from ..data.rows import canonical, native_rows


@dataclass
class BagTraining:
    """The rows of a fit of a bag. Rows of weight 0 are there, but nobody draws them."""

    X: Any
    form: str | None  # sparse rows had this format
    y: np.ndarray  # codes (one dimension) or numbers (one column an output)
    labels: Labels | None
    targets: np.ndarray  # as members get them
    weight: np.ndarray | None
    given_weights: bool = False

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
    """Rows of any kind that has rows and columns."""
    return validate_data(estimator, X, reset=reset, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=False)


def read_bag(estimator: Any, X: Any, y: Any, sample_weight: Any, *, regression: bool, reset: bool) -> BagTraining:
    """Reads and checks what no member would: that there are as many targets and weights as rows."""
    if y is None:
        as_column(y)  # says what is missing
    X = read_bag_rows(estimator, X, reset=reset)
    form = X.format if sp.issparse(X) else None
    X = X.tocsr() if form else X
    plain = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    several = regression and plain.ndim == 2 and plain.shape[1] > 1
    targets = plain if several else as_column(y)
    if len(targets) != X.shape[0]:
        raise BadInput(f"X has {X.shape[0]} rows, but y has {len(targets)}: one target a row is needed.")
    weight = row_weights(sample_weight, X)
    given = sample_weight is not None
    if not regression:
        labels = encode_labels(targets, least=1)
        return BagTraining(X, form, labels.encode(targets), labels, targets, weight, given)
    columns = [as_numbers(plain[:, o]) for o in range(plain.shape[1])] if several else [as_numbers(targets)]
    y = np.column_stack(columns)
    return BagTraining(X, form, y, None, y if several else y[:, 0], weight, given)
