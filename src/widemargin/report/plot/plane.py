"""The plane on which data are drawn: the data's own, two of their columns, or a projection; always said in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ...base.errors import BadInput

_BLOCK = 1 << 22  # numbers in one block of grid points


@dataclass(frozen=True)
class Plane:
    """Points origin + p axes (p has two entries), the names of the two directions, and what the picture leaves out."""

    origin: np.ndarray
    axes: np.ndarray  # 2 × d, orthonormal rows
    names: tuple[str, str]
    note: str = ""

    def project(self, X: Any) -> np.ndarray:
        return np.asarray(X @ self.axes.T) - self.origin @ self.axes.T

    def lift(self, points: np.ndarray) -> np.ndarray:
        return self.origin + points @ self.axes


def choose_plane(
    X: Any, linear: tuple[np.ndarray, float] | None, columns: Any = None, feature_names: Any = None
) -> Plane:
    """The plane for the data X.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    linear : (w, b) or None
        The linear decision between two classes, if there is one.
    columns : pair of names or numbers, optional
        The columns to draw; all others stay at their medians.
    feature_names : sequence of str, optional
    """
    d = X.shape[1]
    names = _names(X, feature_names)
    if d < 2:
        raise BadInput(f"a picture of a plane needs 2 columns, got {d}: add one, or draw decision_function against x.")
    if columns is not None:
        return _slice(X, names, _pair(columns, names))
    if d == 2:
        return Plane(np.zeros(2), np.eye(2), (names[0], names[1]))
    if linear is not None and np.any(linear[0]):
        return _along(X, *linear)
    first, second = _principal(X, 2)
    note = f"plane of the two main directions of {d} columns, through the mean: regions are exact only in the plane"
    return Plane(_mean(X), np.array([first, second]), ("first main direction", "second main direction"), note)


def window(points: np.ndarray, room: float = 0.08) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of the picture, with some room around the points."""
    low, high = points.min(axis=0), points.max(axis=0)
    pad = room * np.where(high > low, high - low, 1.0)
    return low - pad, high + pad


def over_grid(function: Any, plane: Plane, low: np.ndarray, high: np.ndarray, grid: int) -> tuple[Any, Any, np.ndarray]:
    """x and y of a grid and the function's values there (grid × grid, or one more axis), in blocks of rows."""
    x, y = np.linspace(low[0], high[0], grid), np.linspace(low[1], high[1], grid)
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    step = max(1, _BLOCK // plane.axes.shape[1])
    values = [function(plane.lift(points[i : i + step])) for i in range(0, len(points), step)]
    joined = np.concatenate(values)
    return x, y, joined.reshape(grid, grid, *joined.shape[1:])


def _names(X: Any, given: Any) -> list[str]:
    d = X.shape[1]
    if given is None:
        return [f"x{j}" for j in range(d)]
    if len(given) != d:
        raise BadInput(f"{len(given)} feature names for {d} columns.")
    return [str(name) for name in given]


def _pair(columns: Sequence[Any], names: list[str]) -> tuple[int, int]:
    picked = []
    for column in columns:
        if isinstance(column, str):
            if column not in names:
                raise BadInput(f"no column is called {column!r}; there are {', '.join(names[:12])}.")
            column = names.index(column)
        if not 0 <= int(column) < len(names):
            raise BadInput(f"column {column} does not exist: there are {len(names)}, counted from 0.")
        picked.append(int(column))
    if len(picked) != 2 or picked[0] == picked[1]:
        raise BadInput(f"columns={columns!r}: two different columns are needed.")
    return picked[0], picked[1]


def _slice(X: Any, names: list[str], pair: tuple[int, int]) -> Plane:
    d = X.shape[1]
    axes = np.zeros((2, d))
    axes[0, pair[0]] = axes[1, pair[1]] = 1.0
    if d == 2:
        return Plane(np.zeros(2), axes, (names[pair[0]], names[pair[1]]))
    # Medians of a sparse column that is mostly zero are zero.
    middle = np.zeros(d) if sparse.issparse(X) else np.median(X, axis=0)
    others = [j for j in range(d) if j not in pair]
    at = ", ".join(f"{names[j]} = {middle[j]:.3g}" for j in others[:3]) + (" …" if len(others) > 3 else "")
    middle[list(pair)] = 0.0
    return Plane(middle, axes, (names[pair[0]], names[pair[1]]), f"regions for {at}: points may lie in another slice")


def _along(X: Any, w: np.ndarray, b: float) -> Plane:
    """Across the boundary of a linear decision: every point keeps its exact distance to it."""
    d = X.shape[1]
    length = float(np.linalg.norm(w))
    across = w / length
    (beside,) = _principal(X, 1, without=across)
    note = f"projection of {d} columns that keeps each point's distance to the boundary"
    names = ("distance to the boundary", "along the boundary")
    return Plane(-b / length * across, np.array([across, beside]), names, note)


def _mean(X: Any) -> np.ndarray:
    return np.asarray(X.mean(axis=0), dtype=np.float64).ravel()


def _principal(X: Any, k: int, without: np.ndarray | None = None) -> list[np.ndarray]:
    """The k directions of largest variance, orthogonal to `without`, by power iteration: sparse X stays sparse."""
    rng = np.random.default_rng(0)
    mean, found = _mean(X), [] if without is None else [without]
    wanted = len(found) + k

    def orthogonal(v: np.ndarray) -> np.ndarray:
        for _ in range(2):
            for u in found:
                v = v - (v @ u) * u
        return v

    while len(found) < wanted:
        v = orthogonal(rng.standard_normal(X.shape[1]))
        v /= np.linalg.norm(v)
        for _ in range(60):
            centred = np.asarray(X @ v).ravel() - mean @ v
            moved = orthogonal(np.asarray(X.T @ centred).ravel() - mean * centred.sum())
            length = float(np.linalg.norm(moved))
            if not length > 1e-12 * len(centred):
                break  # nothing varies in what is left: any direction will do
            v = moved / length
        found.append(v)
    return found[wanted - k :]
