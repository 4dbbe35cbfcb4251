"""Bagging: members of any kind, each on its own draw of rows and columns.

Problem  B members, each fitted on m rows (drawn with or without replacement) and some of the columns; the mean of their
         probabilities or numbers, or the majority of their labels
Symbols  a row is out of the bag of a member that has never drawn it
Stops    when there are n_estimators members, time is over or somebody says so
Method   [Breiman96]; draws are keyed by (seed, member), as in forests
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..base.params import StrOptions
from .bagging_base import Bagging, whole
from .bagging_input import read_bag_rows
from .bagging_route import routed


def _members_score(self: Any) -> bool:
    return hasattr(self.estimators_[0] if "members_" in vars(self) else self._template(), "decision_function")


@dataclass(eq=False, repr=False)
class BaggingClassifier(ClassifierMixin, Bagging):
    """Bagging of classifiers.

    Parameters
    ----------
    estimator : classifier, optional
        What the members are copies of; a decision tree where it is left out.
    n_estimators : int, default=10
        Number of members.
    max_samples : int, float or None, default=None
        Rows to draw for each member: a number, or a share of all rows; None is as many as there are.
    max_features : int or float, default=1.0
        Columns to draw for each member: a number, or a share of all.
    bootstrap : bool, default=True
        Draw rows with replacement, by their weights; otherwise each at most once.
    bootstrap_features : bool, default=False
        Draw columns with replacement.
    oob_score : bool or callable, default=False
        Score each row by the members that have never drawn it: accuracy, or callable(y, predictions).
    vote : {"mean", "majority"}, default="mean"
        The mean of the members' probabilities, where they have any, or the majority of their labels.
    warm_start : bool, default=False
        Keep the members that are there and add to them.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    random_state : int, RandomState or None, default=0
        Seed of all draws.
    max_time : ignored
        Members are fitted to their end.
    observe : ignored
    verbose : ignored

    Attributes
    ----------
    estimators_, estimators_features_, estimators_samples_ : list of classifiers, lists of ndarray
        The members, their columns and the rows that they drew. Our own trees grow together, as `forest_`.
    classes_, n_classes_ : ndarray, int
    oob_score_, oob_error_, oob_decision_function_
        Only with `oob_score`.
    certificate_ : ForestCertificate
        Training and out-of-bag error, recomputed.
    proof_ : BaggingProof or None
        The seed of the draws.
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Bagging._parameter_constraints,
        "vote": [StrOptions({"mean", "majority"})],
    }

    estimator: Any = None
    n_estimators: int = 10
    vote: str = field(default="mean", kw_only=True)

    def _said_by(self, member: Any, X: Any, **params: Any) -> np.ndarray:
        said = np.zeros((X.shape[0], len(self.classes_)))
        if self.vote == "mean" and hasattr(member, "predict_proba"):
            said[:, np.searchsorted(self.classes_, member.classes_)] = member.predict_proba(X, **params)
        else:
            said[np.arange(len(said)), np.searchsorted(self.classes_, member.predict(X, **params))] = 1.0
        return said

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """The class that the members favour; of equal ones the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        **params : any
            For the members, by scikit-learn's metadata routing.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        votes = self._mean(X, **routed(self, "predict", params))
        return self.classes_[votes.argmax(axis=1)]

    @available_if(_members_score)
    def decision_function(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of the members' scores, where they have any.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        **params : any
            For the members, by scikit-learn's metadata routing.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X, params = read_bag_rows(self, X, reset=False), routed(self, "decision_function", params)
        members = zip(self.estimators_, self.estimators_features_, strict=True)
        said = [m.decision_function(X if whole(c, X.shape[1]) else X[:, c], **params) for m, c in members]
        return np.mean(said, axis=0)

    def predict_proba(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of what the members say.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        **params : any
            For the members, by scikit-learn's metadata routing.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._mean(X, **routed(self, "predict_proba", params))

    def predict_log_proba(self, X: Any, **params: Any) -> np.ndarray:
        """Logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        **params : any
            For the members, by scikit-learn's metadata routing.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self._mean(X, **routed(self, "predict_log_proba", params)))


@dataclass(eq=False, repr=False)
class BaggingRegressor(RegressorMixin, Bagging):
    """Bagging of regressors.

    Parameters
    ----------
    estimator : regressor, optional
        What the members are copies of; a decision tree where it is left out.
    n_estimators : int, default=10
        Number of members.
    max_samples : int, float or None, default=None
        Rows to draw for each member: a number, or a share of all rows; None is as many as there are.
    max_features : int or float, default=1.0
        Columns to draw for each member: a number, or a share of all.
    bootstrap : bool, default=True
        Draw rows with replacement, by their weights; otherwise each at most once.
    bootstrap_features : bool, default=False
        Draw columns with replacement.
    oob_score : bool or callable, default=False
        Score each row by the members that have never drawn it: R², or callable(y, predictions).
    warm_start : bool, default=False
        Keep the members that are there and add to them.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    random_state : int, RandomState or None, default=0
        Seed of all draws.
    max_time : ignored
        Members are fitted to their end.
    observe : ignored
    verbose : ignored

    Attributes
    ----------
    estimators_, estimators_features_, estimators_samples_ : list of regressors, lists of ndarray
        The members, their columns and the rows that they drew. Our own trees grow together, as `forest_`.
    oob_score_, oob_error_, oob_prediction_
        Only with `oob_score`.
    certificate_ : ForestCertificate
        Training and out-of-bag error, recomputed.
    proof_ : BaggingProof or None
        The seed of the draws.
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _regression: ClassVar[bool] = True

    estimator: Any = None
    n_estimators: int = 10

    def _said_by(self, member: Any, X: Any, **params: Any) -> np.ndarray:
        said = np.asarray(member.predict(X, **params), dtype=np.float64)
        return said if said.ndim == 2 else said.reshape(-1, 1)

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of the members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        **params : any
            For the members, by scikit-learn's metadata routing.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        said = self._mean(X, **routed(self, "predict", params))
        return said[:, 0] if said.shape[1] == 1 else said
