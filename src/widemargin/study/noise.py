"""Labels at the same place: what the noise of a point is estimated from.

Method   rows that repeat the x of a point carry labels that differ by noise alone. Where no x repeats, its nearest
         rows stand in for repeats: their labels also differ because their x do, so that the noise comes out too large
         and the bias too small, the less the closer the rows lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import BadInput
from ..data.rows import canonical, native_rows

KINDS = ("repeats", "neighbours")


@dataclass(frozen=True, eq=False)
class Places:
    """Which rows count as labels at the place of each row.

    `same` numbers the rows by place (repeats); `near` holds each row and its neighbours. With neither, a row has
    nothing but its own label.
    """

    n: int
    same: np.ndarray | None = None
    near: np.ndarray | None = None

    def __post_init__(self) -> None:
        for rows in (self.same, self.near):
            if rows is not None and (len(rows) != self.n or rows.min() < 0 or rows.max() >= self.n):
                raise BadInput(f"places from {rows.min()} to {rows.max()} do not belong to {self.n} rows.")

    @property
    def repeats(self) -> np.ndarray:
        """Labels at each place."""
        if self.same is not None:
            return np.bincount(self.same)[self.same]
        return np.full(self.n, 1 if self.near is None else self.near.shape[1])

    @property
    def cluster(self) -> np.ndarray:
        """A number a place, for rows whose labels are judged together."""
        return np.arange(self.n) if self.same is None else self.same

    def variance(self, y: np.ndarray) -> np.ndarray:
        """Variance of the numbers at each place by 1/(r-1); NaN where there is only one."""
        if self.near is not None:
            return y[self.near].var(axis=1, ddof=1)
        if self.same is None:
            return np.full(self.n, np.nan)
        r = np.bincount(self.same)
        mean = np.bincount(self.same, weights=y) / r
        spread = np.bincount(self.same, weights=np.square(y - mean[self.same]))
        return np.where(r >= 2, spread / np.maximum(r - 1, 1), np.nan)[self.same]

    def shares(self, y: np.ndarray, k: int) -> np.ndarray | None:
        """Share of each of k classes among the labels at each place."""
        if self.near is not None:
            return np.stack([(y[self.near] == c).mean(axis=1) for c in range(k)], axis=1)
        if self.same is None:
            return None
        counts = np.bincount(self.same * k + y, minlength=(self.same.max() + 1) * k).reshape(-1, k)
        return (counts / counts.sum(axis=1, keepdims=True))[self.same]


def places_of(X: Any, noise: str | None, neighbours: int) -> Places:
    """Places of the rows of X by `noise`: None, "repeats" or "neighbours"."""
    n = len(X) if hasattr(X, "__len__") and not sp.issparse(X) else X.shape[0]
    if noise is None:
        return Places(n)
    X = _numbers(X, noise)
    if noise == "repeats":
        _, same = np.unique(native_rows(X).hashes(), return_inverse=True)
        if same.max() == n - 1:
            raise BadInput(
                f"noise='repeats', but no two of the {n} rows have the same x: "
                "use noise='neighbours', or None, which leaves the noise in the bias."
            )
        return Places(n, same=same)
    if not 1 <= neighbours < n:
        raise BadInput(f"neighbours={neighbours}: of {n} rows each has 1 to {n - 1}.")
    return Places(n, near=_nearest(X, neighbours))


def _numbers(X: Any, noise: str) -> Any:
    try:
        X = canonical(X.astype(np.float64)) if sp.issparse(X) else canonical(np.asarray(X, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise BadInput(f"noise={noise!r} compares rows, so X must hold numbers ({error}).") from error
    if X.ndim != 2:
        raise BadInput(f"noise={noise!r} compares rows, but X has {X.ndim} dimensions.")
    return X


def _nearest(X: Any, k: int) -> np.ndarray:
    """Each row and its k nearest others, in columns of equal spread."""
    from sklearn.neighbors import NearestNeighbors
    from sklearn.preprocessing import StandardScaler

    X = StandardScaler(with_mean=not sp.issparse(X)).fit_transform(X)
    # Without rows given, a row is not its own neighbour, also where x repeats.
    others = NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)
    return np.column_stack([np.arange(len(others)), others])
