"""A weighted average of models of different kinds.

Problem  f(x) = sum_j w_j f_j(x), w >= 0 with sum 1: of probabilities where there are classes, else of numbers
Method   every member is fitted to all rows by itself; weights are given, `study.tune` finds them on held-out rows
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..base.errors import BadInput
from ..certificate.average import certify_average
from ..certificate.certify import certify
from ..certificate.record import Certificate
from .whole import whole_or_nothing


class _Average(MetaEstimatorMixin, BaseEstimator):
    """What averages have in common: members, weights, a certificate."""

    def __init__(self, estimators: Sequence[tuple[str, Any]], *, weights: Sequence[float] | None = None) -> None:
        self.estimators = estimators
        self.weights = weights

    @whole_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Fit every member to all rows."""
        self.weights_ = self._checked_weights()
        self.estimators_ = [clone(member).fit(X, y) for _, member in self.estimators]
        first = self.estimators_[0]
        for name in ("classes_", "n_features_in_", "feature_names_in_"):  # texts have no features before their words
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))
        parts = {name: proof for name, proof in zip(self._names(), map(_proof, self.estimators_), strict=True) if proof}
        self.certificate_ = self._certified(X, y, parts)
        return self

    def __sklearn_tags__(self) -> Any:
        """Takes what all members take."""
        tags = super().__sklearn_tags__()
        taken = [get_tags(member).input_tags for _, member in self.estimators]
        tags.input_tags.sparse = all(member.sparse for member in taken)
        tags.input_tags.allow_nan = all(member.allow_nan for member in taken)
        return tags

    def _names(self) -> list[str]:
        return [name for name, _ in self.estimators]

    def heaviest_first(self) -> list[tuple[str, float, Any]]:
        """(name, weight, fitted member) of all that have any, by falling weight."""
        check_is_fitted(self)
        return [
            (self._names()[k], float(self.weights_[k]), self.estimators_[k])
            for k in np.argsort(-self.weights_, kind="stable")
            if self.weights_[k] > 0
        ]

    def _checked_weights(self) -> np.ndarray:
        names = self._names()
        if not names or len(set(names)) != len(names):
            raise BadInput(f"estimators must be pairs (name, estimator), each name once; the names are {names}")
        given = np.ones(len(names)) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        if given.shape != (len(names),) or not np.isfinite(given).all() or given.min() < 0 or not given.sum() > 0:
            raise BadInput(f"weights={self.weights!r}: one number >= 0 for each of {len(names)} estimators is needed")
        return given / given.sum()

    def _averaged(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return sum(w * self._told(member, X) for w, member in zip(self.weights_, self.estimators_, strict=True))

    def _certified(self, X: Any, y: Any, parts: dict[str, Certificate]) -> Certificate:
        answers = [self._told(member, X) for member in self.estimators_]
        seen = hashlib.sha256("".join(part.data_digest for part in parts.values()).encode()).hexdigest()[:32]
        return certify_average(
            answers, self.weights_, self._target(np.asarray(y)), parts, data_digest=seen if parts else ""
        )

    def _recertify(self, X: Any, y: Any, sample_weight: Any, *, prove: bool = False) -> Certificate:
        """Of the members that keep a certificate, theirs; they tell where the data are others."""
        if sample_weight is not None:
            raise BadInput("an average is fitted without weights of rows: leave sample_weight out")
        both = zip(self._names(), self.estimators_, strict=True)
        parts = {name: certify(member, X, y, prove=prove) for name, member in both if _proof(member)}
        return self._certified(X, y, parts)


def _proof(member: Any) -> Any:
    """The certificate of the learner at the end of a pipeline, if it can be computed again."""
    last = member[-1] if hasattr(member, "steps") else member
    return getattr(last, "certificate_", None) if hasattr(last, "_recertify") else None


class AverageClassifier(ClassifierMixin, _Average):
    """Calls the class with the highest average probability.

    Parameters
    ----------
    estimators : list of (str, classifier with predict_proba)
    weights : list of float, optional
        By default all alike; divided by their sum.

    Attributes
    ----------
    estimators_ : list of fitted classifiers
    weights_ : ndarray
    classes_ : ndarray
    certificate_ : AverageCertificate
    """

    def _told(self, member: Any, X: Any) -> np.ndarray:
        return np.asarray(member.predict_proba(X), dtype=np.float64)

    def _target(self, y: np.ndarray) -> np.ndarray:
        return (y[:, None] == self.classes_).astype(np.float64)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The average of the members' probabilities, shape (n, k)."""
        return self._averaged(X)

    def predict(self, X: Any) -> np.ndarray:
        """The class with the highest of them."""
        averaged = self._averaged(X)
        return self.classes_[np.argmax(averaged, axis=1)]


class AverageRegressor(RegressorMixin, _Average):
    """The average of the members' numbers.

    Parameters
    ----------
    estimators : list of (str, regressor)
    weights : list of float, optional
        By default all alike; divided by their sum.

    Attributes
    ----------
    estimators_ : list of fitted regressors
    weights_ : ndarray
    certificate_ : AverageCertificate
    """

    def _told(self, member: Any, X: Any) -> np.ndarray:
        return np.asarray(member.predict(X), dtype=np.float64)

    def _target(self, y: np.ndarray) -> np.ndarray:
        return y.astype(np.float64)

    def predict(self, X: Any) -> np.ndarray:
        """The average."""
        return self._averaged(X)
