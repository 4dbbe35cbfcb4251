"""What forests for numbers say beside the mean: quantiles of the targets in the leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import BadInput
from ..data.float32 import float32_blocks
from .tree_base import NumberVotes

ROWS = 256  # of a block


class ForestNumbers(NumberVotes):
    """Means and quantiles."""

    def predict_quantiles(self, X: Any, quantiles: Any = (0.05, 0.5, 0.95), *, train: Any = None) -> np.ndarray:
        """Quantiles of the training targets, weighed by how often they share a leaf with the row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        quantiles : float or array-like, default=(0.05, 0.5, 0.95)
            Between 0 and 1.
        train : tuple (X, y)
            The rows of the fit and their targets: a forest keeps neither.

        Returns
        -------
        ndarray of shape (n_samples, n_quantiles), or (n_samples,) for one number
        """
        trees = self._fitted_trees()
        if train is None:
            raise BadInput("quantiles need the targets of the fit: give train=(X, y).")
        if self.n_outputs_ != 1:
            raise BadInput(f"quantiles are for one output, and there are {self.n_outputs_}: fit one forest a column.")
        q = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
        if not ((q >= 0) & (q <= 1)).all():
            raise BadInput(f"quantiles={quantiles!r} must lie between 0 and 1.")
        y = np.asarray(train[1], dtype=np.float64).ravel()
        order = np.argsort(y, kind="stable")
        home = self._leaf_places(train[0])[order]  # the leaves of the training rows, smallest target first
        sizes = [np.bincount(home[:, t], minlength=int(trees.first[t + 1] - trees.first[t])) for t in range(len(trees))]
        out = np.empty((0, len(q)))
        for _, rows, missing in float32_blocks(self, X):
            for begin in range(0, len(rows), ROWS):
                places = trees.leaves(rows[begin : begin + ROWS], missing)
                out = np.vstack([out, _quantiles(places, home, sizes, y[order], q)])
        return out[:, 0] if np.ndim(quantiles) == 0 else out


def _quantiles(
    places: np.ndarray, home: np.ndarray, sizes: list[np.ndarray], y: np.ndarray, q: np.ndarray
) -> np.ndarray:
    """For each row the smallest target up to which its weights reach the quantile.  [Meinshausen06, sec. 3]"""
    weight = np.zeros((len(places), len(y)))
    for t in range(places.shape[1]):
        same = places[:, t, None] == home[None, :, t]
        weight += same / np.maximum(sizes[t][places[:, t]], 1)[:, None]
    reached = np.cumsum(weight, axis=1)
    reached /= reached[:, -1:]
    at = [(reached < one - 1e-12).sum(axis=1) for one in q]
    return y[np.minimum(np.column_stack(at), len(y) - 1)]
