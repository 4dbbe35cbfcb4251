"""Decisions that cost least: any classifier with probabilities, and a price for each kind of error.

Problem  call the class j with the least expected cost  sum_i p(i | x) cost[i, j]           [Elkan01]
Symbols  p: the probabilities of the classifier inside; they must be honest for the decisions to be right
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..base.errors import BadInput


class CostSensitiveClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Calls the class whose expected cost is least.

    Parameters
    ----------
    estimator : classifier with predict_proba
    cost : array-like of shape (n_classes, n_classes)
        cost[i, j] of a row of class i that is called j; classes in sorted order.

    Attributes
    ----------
    estimator_ : fitted classifier
    classes_ : array
    cost_ : ndarray
    """

    def __init__(self, estimator: Any, *, cost: Any) -> None:
        self.estimator = estimator
        self.cost = cost

    def fit(self, X: Any, y: Any, **fit_params: Any) -> CostSensitiveClassifier:
        """Fit the classifier inside; costs have no say in it."""
        self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        self.classes_ = self.estimator_.classes_
        if hasattr(self.estimator_, "n_features_in_"):  # texts have no features before their words are counted
            self.n_features_in_ = self.estimator_.n_features_in_
        k = len(self.classes_)
        cost = np.asarray(self.cost, dtype=np.float64)
        if cost.shape != (k, k) or not np.isfinite(cost).all():
            raise BadInput(f"cost must hold {k} x {k} finite numbers for {k} classes; it has the shape {cost.shape}")
        self.cost_ = cost
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the classifier inside."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def expected_costs(self, X: Any) -> np.ndarray:
        """Of calling each row each class, shape (n, k)."""
        return self.predict_proba(X) @ self.cost_

    def predict(self, X: Any) -> np.ndarray:
        """The class whose expected cost is least."""
        return self.classes_[np.argmin(self.expected_costs(X), axis=1)]

    @property
    def certificate_(self) -> Any:
        """That of the classifier inside, if it has one."""
        check_is_fitted(self, "estimator_")
        last = self.estimator_[-1] if hasattr(self.estimator_, "steps") else self.estimator_
        return last.certificate_


def without_costs(estimator: Any) -> Any:
    """The classifier whose probabilities decide; any other estimator is itself."""
    return estimator.estimator_ if isinstance(estimator, CostSensitiveClassifier) else estimator
