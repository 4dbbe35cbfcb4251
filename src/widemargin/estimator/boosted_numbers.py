"""What boosters of numbers have in common: one answer a row, also after each round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from .boosting_base import Boosting
from .boosting_input import BoostRows


class BoostedNumbers(RegressorMixin, Boosting):
    """Answers of a booster of numbers; its subclasses say how members are learnt and put together."""

    def _held_loss(self, held: BoostRows) -> float:
        return float(np.average((self._sum_of(held.X)[:, 0] - held.y) ** 2, weights=held.u))

    def predict(self, X: Any) -> np.ndarray:
        """What all members say together.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._sum(X)[:, 0]

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """What they say after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for F in self._staged(X):
            yield F[:, 0]

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """R² after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Yields
        ------
        float
        """
        for said in self.staged_predict(X):
            yield r2_score(y, said, sample_weight=sample_weight)
