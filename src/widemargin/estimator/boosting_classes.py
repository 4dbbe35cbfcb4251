"""What boosters for classes say: scores, labels and probabilities, at the end and after every round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score

from .boosting_input import BoostRows


class BoostedClasses(ClassifierMixin):
    """Subclasses may say how sums become scores (`_scored`) and probabilities (`_shares`)."""

    def _scored(self, F: np.ndarray, rounds: int) -> np.ndarray:
        """Scores of the sum after so many rounds."""
        return F[:, 0] if F.shape[1] == 1 else F

    def _shares(self, F: np.ndarray) -> np.ndarray:
        """Probabilities: F is half of the logit."""
        return class_shares(np.column_stack([-F, F]) if F.shape[1] == 1 else 2 * F)

    def _codes(self, F: np.ndarray) -> np.ndarray:
        return (F[:, 0] > 0).astype(np.intp) if F.shape[1] == 1 else F.argmax(axis=1)

    def _labels(self, F: np.ndarray) -> np.ndarray:
        return self.classes_[self._codes(F)]

    def _held_loss(self, held: BoostRows) -> float:
        """The share of wrong labels."""
        wrong = self._codes(self._sum_of(held.X)) != held.y
        return float(wrong.mean() if held.u is None else np.average(wrong, weights=held.u))

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: of the second class (two classes), or one a class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._scored(self._sum(X), self.n_rounds_)

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score; of equal ones the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._labels(self._sum(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities that the sum stands for.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._shares(self._sum(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Scores after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        for t, F in enumerate(self._staged(X), 1):
            yield self._scored(F, t)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Labels after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for F in self._staged(X):
            yield self._labels(F)

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Probabilities after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
        """
        for F in self._staged(X):
            yield self._shares(F)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Yields
        ------
        float
        """
        for labels in self.staged_predict(X):
            yield accuracy_score(y, labels, sample_weight=sample_weight)


def class_shares(F: np.ndarray) -> np.ndarray:
    """exp(F) by class, made to sum 1."""
    e = np.exp(F - F.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
