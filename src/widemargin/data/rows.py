"""From whatever the user has to rows that the core can walk along.

Dense arrays of any strides, order and byte order, and every sparse format become either a float array whose rows are
contiguous or a canonical CSR (columns sorted, unique, int32; offsets int64). Nothing is copied that need not be, and
the caller's arrays are never changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from .. import _core
from ..base.errors import BadInput, TooLarge
from ..base.lazy import lazy
from .labels import Labels, as_column, as_numbers, class_factors, labels_and_codes

FLOATS = [np.float64, np.float32]
LONGEST, HEAVIEST = 1e100, 1e30  # row and weight: the square of a sum of such rows, so weighted, is finite
BLOCK = 1 << 17  # numbers of a block: a megabyte


def canonical(X: Any) -> Any:
    """A C-like dense array or a canonical CSR with the same numbers; `X` itself if it is one already."""
    if sp.issparse(X):
        X = X if X.format == "csr" else X.tocsr()
        return X if X.has_canonical_format else _in_order(X)
    contiguous = X.shape[1] <= 1 or X.strides[1] == X.itemsize
    return X if contiguous and X.dtype.isnative and X.flags.aligned else _plain(X, X.dtype.newbyteorder("="))


def _in_order(X: Any) -> Any:
    """A copy of a CSR whose columns rise and stand there once."""
    X = type(X)((X.data[: X.nnz], X.indices[: X.nnz], X.indptr), shape=X.shape)
    if X.indices.dtype != np.int32 or X.dtype not in FLOATS:
        X = X.copy()
        X.sum_duplicates()
        return X
    values, columns = np.empty(X.nnz, X.dtype.newbyteorder("=")), np.empty(X.nnz, np.int32)
    once = native_rows(X).in_column_order(values, columns)
    X = type(X)((values, columns, X.indptr.copy()), shape=X.shape)
    X.has_sorted_indices = True
    if not once:
        X.sum_duplicates()
    X.has_canonical_format = True
    return X


def _plain(x: np.ndarray, dtype: Any) -> np.ndarray:
    """Contiguous and aligned (which np.ascontiguousarray does not see to); `x` itself if it is so already."""
    return np.require(x, dtype, ["C", "A"])


def native_rows(X: Any, threads: int = 1) -> _core.Rows:
    """The core's view of a canonical X."""
    if not sp.issparse(X):
        return _core.Rows.dense(X)
    if X.shape[1] >= 2**31:
        raise BadInput(f"X has {X.shape[1]} columns; at most {2**31 - 1} are supported: hash the features.")
    values, columns, offsets = _plain(X.data, X.dtype), _plain(X.indices, np.int32), _plain(X.indptr, np.int64)
    return _core.Rows.csr(values, columns, offsets, X.shape[1], threads)


def row_blocks(X: Any) -> Iterator[tuple[slice, Any]]:
    """X in float64: itself if it is that already, else some rows at a time, so that no second X comes into being."""
    n = X.shape[0]
    numbers = X.nnz if sp.issparse(X) else X.size
    step = n if X.dtype == np.float64 else max(1, BLOCK * n // max(1, numbers))
    for start in range(0, n, max(1, step)):
        rows = slice(start, start + step)
        yield rows, (X if step >= n else X[rows]).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Scanned:
    """What one look at every row tells."""

    digest: int
    max_squared_norm: float


def scan(rows: _core.Rows, X: Any, *, first: int = 0, threads: int = 1) -> Scanned:
    """Digest and largest norm; raises if a value is not finite, naming the first."""
    return checked_scan(rows.scan(first, threads), X)


def checked_scan(seen: tuple[int, int, float, int], X: Any) -> Scanned:
    """The core's findings as a record, or the error that they are."""
    bad_row, bad_column, norm, digest = seen
    if bad_row >= 0:
        kind = "NaN" if np.isnan(X[bad_row, bad_column]) else "infinity"
        raise BadInput(
            f"Input X contains {kind} (row {bad_row}, column {bad_column}); "
            "remove or fill such values first, for example with sklearn.impute.SimpleImputer."
        )
    if norm > LONGEST**2:
        row, column = np.unravel_index(np.argmax(abs(X)), X.shape)
        raise TooLarge(
            f"Input X contains {X[row, column]:.3g} (row {row}, column {column}), and sums of products of rows longer "
            f"than {LONGEST:.0e} may overflow: scale the data, for example with sklearn.preprocessing.StandardScaler."
        )
    return Scanned(digest, norm)


@dataclass
class Training:
    """The rows of a fit: data, labels or targets, weights (None = all one).

    `scanned` may be None until a solver has looked at all rows on its way.
    """

    X: Any
    rows: _core.Rows
    y: np.ndarray  # codes 0 .. k-1 of the classes, or float64 targets
    weight: np.ndarray | None
    labels: Labels  # without classes for targets
    scanned: Scanned | None
    kept: np.ndarray | None = None  # numbers of these rows in the X that was given, if some had weight 0

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def d(self) -> int:
        return self.X.shape[1]

    @property
    def max_squared_norm(self) -> float:
        assert self.scanned is not None  # by the end of the first epoch
        return self.scanned.max_squared_norm

    @lazy
    def digest(self) -> str:
        """16 hexadecimal digits for the rows, 16 for labels and weights; the same for the same numbers."""
        assert self.scanned is not None
        beside = self.y.astype(np.float64).reshape(-1, 1)
        if self.weight is not None:
            beside = np.column_stack([beside, self.weight])
        return f"{self.scanned.digest:016x}{_core.Rows.dense(beside).scan(0, 1)[3]:016x}"

    @lazy
    def squared_norms(self) -> np.ndarray:
        """Of the rows."""
        return self.rows.squared_norms(1)

    @property
    def targets(self) -> np.ndarray:
        """The labels or numbers of these rows, as they were given."""
        return self.labels.classes[self.y] if len(self.labels) else self.y

    def numbers(self, rows: np.ndarray) -> np.ndarray:
        """The numbers of these rows in the X that was given."""
        return rows if self.kept is None else self.kept[rows]


def read_training(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    regression: bool = False,
    labels: Labels | None = None,
    class_weight: Any = None,
    reset: bool = True,
    first: int = 0,
    threads: int = 1,
    scan_now: bool = True,
) -> Training:
    """Reads and checks. Rows of weight 0 are absent; `labels` fixes the classes beforehand (partial_fit)."""
    X = _validated(estimator, X, reset=reset)
    y = as_column(y)
    if len(y) != X.shape[0]:
        raise BadInput(f"X has {X.shape[0]} rows, but y has {len(y)}: one label a row is needed.")
    weight = _weights(sample_weight, X)
    kept = None
    if weight is not None and not weight.all():
        kept = np.flatnonzero(weight)
        y, weight = y[kept], weight[kept]
    if regression:
        labels, codes = Labels(np.empty(0)), as_numbers(y)
    else:
        labels, codes, weight, left = _classified(y, labels, class_weight, weight)
        if left is not None:
            kept = left if kept is None else kept[left]
    if weight is not None and (weight == 1).all():
        weight = None
    X = canonical(X if kept is None else X[kept])
    rows = native_rows(X, threads)
    scanned = scan(rows, X, first=first, threads=threads) if scan_now else None
    return Training(X, rows, codes, weight, labels, scanned, kept)


def _classified(
    y: np.ndarray, labels: Labels | None, class_weight: Any, weight: np.ndarray | None
) -> tuple[Labels, np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Labels, codes and weights; the rows that are left, or None for all, where class_weight leaves no weight to some.

    A class without rows is no class, unless `labels` says so.
    """
    found, codes = (labels, labels.encode(y)) if labels else labels_and_codes(y)
    if class_weight is None:
        return found, codes, weight, None
    factors = class_factors(class_weight, found, codes, weight)[codes]
    weight = _some_weight(factors if weight is None else factors * weight)
    if weight.all():
        return found, codes, weight, None
    left = np.flatnonzero(weight)
    found, codes = (labels, codes[left]) if labels else labels_and_codes(y[left])
    return found, codes, weight[left], left


def read_rows(estimator: Any, X: Any, *, check_finite: bool = True, reset: bool = False) -> Any:
    """X of a prediction: same number and names of features as at fit (`reset`: X of a fit that needs no labels)."""
    X = canonical(_validated(estimator, X, reset=reset))
    if check_finite:
        scan(native_rows(X), X)
    return X


def _validated(estimator: Any, X: Any, *, reset: bool) -> Any:
    if reset and type(X) is np.ndarray and X.ndim == 2 and X.size and X.dtype in FLOATS:
        # Nothing could be wrong with it, and on small data scikit-learn's checks take longer than a fit.
        vars(estimator).pop("feature_names_in_", None)
        estimator.n_features_in_ = X.shape[1]
        return X
    if X is None:
        raise BadInput("X is None: give one row of numbers for each sample.")
    if np.ma.is_masked(X):
        row, column = (int(i) for i in np.argwhere(np.ma.getmaskarray(X))[0][:2])
        raise BadInput(f"X is masked (row {row}, column {column}): fill such values first.")
    dtypes = np.ravel(np.asarray(getattr(X, "dtypes", getattr(X, "dtype", None)), dtype=object))
    for column, dtype in enumerate(dtypes):
        if getattr(dtype, "kind", "") in ("M", "m"):  # scikit-learn would take the count of days or nanoseconds
            raise BadInput(f"X holds dates or times ({dtype}, column {column}): turn them into numbers first.")
    return validate_data(
        estimator, X, reset=reset, accept_sparse="csr", accept_large_sparse=True, dtype=FLOATS, ensure_all_finite=False
    )


def _weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """One finite weight >= 0 a row; a single number is the weight of all."""
    if sample_weight is None:
        return None
    n = X.shape[0]
    try:
        weight = np.asarray(sample_weight)
        if weight.dtype.kind not in "biufO":
            raise TypeError(f"type {weight.dtype}")
        weight = weight.astype(np.float64)
    except (TypeError, ValueError) as e:
        raise BadInput(f"sample_weight must hold one number a row ({e}), but begins {str(sample_weight)[:40]}.") from e
    if weight.ndim == 0:
        weight = np.full(n, weight)
    if weight.shape != (n,):
        raise BadInput(f"sample_weight has shape {weight.shape}, but X has {n} rows: one weight a row is needed.")
    return _some_weight(weight)


def _some_weight(weight: np.ndarray) -> np.ndarray:
    bad = ~((weight >= 0) & (weight <= HEAVIEST))
    if bad.any():
        row = int(np.argmax(bad))
        raise BadInput(
            f"the sample_weight (times class_weight) is {weight[row]} in row {row}: "
            f"it must lie between 0 and {HEAVIEST:.0e}."
        )
    if not weight.any():
        raise BadInput(
            f"Invalid input - all samples have zero or negative weights (all {weight.size} sample weights are zero): "
            "at least one row must have a positive weight."
        )
    return weight
