"""Bagging: members of any kind, each on its own draw of rows and columns.

Problem  B members, each fitted on m rows (drawn with or without replacement) and some of the columns; the mean of their
         probabilities or numbers, or the majority of their labels
Symbols  a row is out of the bag of a member that has never drawn it
Stops    when there are n_estimators members, time is over or somebody says so
Method   [Breiman96]; draws are keyed by (seed, member), as in forests
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..base.callbacks import with_callbacks
from ..base.errors import BadInput, DataMismatch
from ..base.params import HasMethods, Integral, Interval, RealNotInt, StrOptions, count
from ..base.records import Trace
from ..base.seeds import keyed, seed_from
from ..base.threads import crew
from ..base.warn import warn
from ..certificate.bagging import BaggingProof, certify_bagging, rows_of_member
from ..certificate.record import ForestCertificate
from ..data.rows import Training, read_rows, read_training
from .base import Learner
from .tree import DecisionTreeClassifier, DecisionTreeRegressor
from .whole import whole_or_nothing


@dataclass(kw_only=True, eq=False, repr=False)
class Bagging(Learner):
    """What bagging of classifiers and of regressors shares."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Learner._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [count()],
        "max_samples": [None, count(), Interval(RealNotInt, 0.0, None, closed="neither")],
        "max_features": [count(), Interval(RealNotInt, 0.0, 1.0, closed="right")],
        "bootstrap": ["boolean"],
        "bootstrap_features": ["boolean"],
        "oob_score": ["boolean", callable],
        "warm_start": ["boolean"],
    }
    _regression: ClassVar[bool] = False

    estimator: Any = None
    n_estimators: int = 10
    max_samples: int | float | None = None
    max_features: int | float = 1.0
    bootstrap: bool = True
    bootstrap_features: bool = False
    oob_score: bool | Callable[[np.ndarray, np.ndarray], float] = False
    warm_start: bool = False

    # ---- the fit ---------------------------------------------------------------------------------------------------

    @with_callbacks
    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Fit the members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Rows are drawn by their weights; 0 is a row that is absent.

        Returns
        -------
        self
        """
        self._validate_params()
        data = self._read(X, y, sample_weight)
        if not self.bootstrap and self.oob_score:
            raise BadInput("Out of bag estimation only available if bootstrap=True, and oob_score asks for it.")
        old = vars(self).get("estimators_", []) if self.warm_start else []
        if len(old) > self.n_estimators:
            raise BadInput(f"n_estimators={self.n_estimators} must be at least the {len(old)} members that are there.")
        if old and len(old) == self.n_estimators:
            warn("Warm-start fitting without increasing n_estimators does not fit new members.", UserWarning)
        proof = BaggingProof(seed_from(self.random_state), self._draw_size(data), self.bootstrap)
        columns = [self._columns(proof.seed, b, data.d) for b in range(self.n_estimators)]
        fresh = range(len(old), self.n_estimators)

        def fit_one(b: int, cancelled: Any) -> Any:
            return self._member(data, proof, b, columns[b])

        grown = crew(self._threads(), fit_one, list(fresh))
        self.estimators_, self.estimators_features_ = [*old, *grown], columns
        if not self._regression:
            self.classes_, self.n_classes_ = data.labels.classes, len(data.labels)
        self.proof_: BaggingProof | None = proof
        self.stop_reason_ = f"all {self.n_estimators} members fitted"
        self.trace_ = Trace(("members",))
        self.trace_.append(self.n_estimators, {"members": self.n_estimators})
        self._look_out_of_bag(data)
        self.certificate_ = self._certify(data)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> Training:
        return read_training(
            self, X, y, sample_weight, regression=self._regression, threads=self._threads(), **options
        )

    def _draw_size(self, data: Training) -> int:
        wish = self.max_samples
        if wish is None:
            return data.n
        size = int(wish) if isinstance(wish, Integral) else max(1, int(wish * data.n))
        if not self.bootstrap and size > data.n:
            raise BadInput(f"max_samples={wish} asks for {size} different rows, but X has {data.n}.")
        return size

    def _columns(self, seed: int, b: int, d: int) -> np.ndarray:
        wish = self.max_features
        size = int(wish) if isinstance(wish, Integral) else max(1, int(wish * d))
        if size > d:
            raise BadInput(f"max_features={wish} must be at most the {d} columns of X.")
        if size == d and not self.bootstrap_features:
            return np.arange(d)
        return np.sort(keyed(seed, "split", b).choice(d, size, replace=self.bootstrap_features))

    def _member(self, data: Training, proof: BaggingProof, b: int, columns: np.ndarray) -> Any:
        times = rows_of_member(proof, b, data.n, data.weight)
        rows = np.repeat(np.arange(data.n), times)
        model = clone(self._template())
        if "random_state" in model.get_params():
            model.set_params(random_state=int(keyed(proof.seed, "learner", b).integers(2**31)))
        X = data.X if len(columns) == data.d else data.X[:, columns]
        if has_fit_parameter(model, "sample_weight"):
            used = np.flatnonzero(times)
            return model.fit(X[used], data.targets[used], sample_weight=times[used].astype(np.float64))
        return model.fit(X[rows], data.targets[rows])

    def _template(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return DecisionTreeRegressor() if self._regression else DecisionTreeClassifier()

    @property
    def estimator_(self) -> Any:
        """A member, not fitted."""
        return clone(self._template())

    # ---- what members say ------------------------------------------------------------------------------------------

    def _said_by(self, member: Any, X: Any) -> np.ndarray:
        """What one member says of rows: one column a class, or one number."""
        raise NotImplementedError

    def _mean(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._mean_of(read_rows(self, X))

    def _mean_of(self, X: Any) -> np.ndarray:
        total: Any = 0.0
        for member, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            total = total + self._said_by(member, X if len(columns) == X.shape[1] else X[:, columns])
        return total / len(self.estimators_)

    def _look_out_of_bag(self, data: Training) -> None:
        for name in ("oob_score_", "oob_error_", "oob_decision_function_", "oob_prediction_"):
            vars(self).pop(name, None)
        if not self.oob_score:
            return
        votes, voters = self._oob_votes(data)
        seen = voters > 0
        if not seen.all():
            warn(
                f"{int((~seen).sum())} rows were drawn by every member, so that nothing is known of them out of the bag: "
                "raise n_estimators. Some inputs do not have OOB scores.",
                UserWarning,
            )
        with np.errstate(invalid="ignore", divide="ignore"):
            said = np.where(seen[:, None], votes / voters[:, None], np.nan)
        if self._regression:
            self.oob_prediction_ = said[:, 0]
            chosen, self.oob_error_ = np.nan_to_num(said[:, 0]), float(np.nanmean((said[:, 0] - data.y) ** 2))
        else:
            self.oob_decision_function_ = said
            codes = np.nan_to_num(said).argmax(axis=1)
            chosen, self.oob_error_ = self.classes_[codes], float((codes != data.y)[seen].mean())
        score = self.oob_score if callable(self.oob_score) else r2_score if self._regression else accuracy_score
        self.oob_score_ = score(data.targets, chosen)

    def _oob_votes(self, data: Training) -> tuple[np.ndarray, np.ndarray]:
        votes: Any = np.zeros((data.n, 1 if self._regression else len(self.classes_)))
        voters = np.zeros(data.n, dtype=np.int64)
        for b, (member, columns) in enumerate(zip(self.estimators_, self.estimators_features_, strict=True)):
            free = np.flatnonzero(rows_of_member(self.proof_, b, data.n, data.weight) == 0)
            if len(free):
                X = data.X[free]
                votes[free] += self._said_by(member, X if len(columns) == data.d else X[:, columns])
                voters[free] += 1
        return votes, voters

    # ---- certificate -----------------------------------------------------------------------------------------------

    def _certify(self, data: Training, *, prove: bool = False) -> ForestCertificate:
        votes, voters = self._oob_votes(data) if self.proof_ is not None and self.bootstrap else (None, None)
        return certify_bagging(
            self._mean_of(data.X),
            data.y,
            n_members=len(self.estimators_),
            classes=not self._regression,
            votes=votes,
            voters=voters,
            claimed=getattr(self, "oob_error_", None),
            data_digest=data.digest,
        )

    def _recertify(self, X: Any, y: Any, sample_weight: Any, *, prove: bool) -> ForestCertificate:
        data = self._read(X, y, sample_weight, reset=False)
        same = self._regression or np.array_equal(data.labels.classes, self.classes_)
        if data.digest != self.certificate_.data_digest or not same:
            raise DataMismatch(
                f"these are not the data of the fit: {data.n} rows with digest {data.digest}, "
                f"the fit had {self.certificate_.data_digest}."
            )
        return self._certify(data, prove=prove)


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
    estimators_, estimators_features_ : list of classifiers, list of ndarray
        The members, and the columns of each.
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

    def _said_by(self, member: Any, X: Any) -> np.ndarray:
        said = np.zeros((X.shape[0], len(self.classes_)))
        known = np.searchsorted(self.classes_, member.classes_)
        if self.vote == "mean" and hasattr(member, "predict_proba"):
            said[:, known] = member.predict_proba(X)
        else:
            said[np.arange(len(said)), np.searchsorted(self.classes_, member.predict(X))] = 1.0
        return said

    def predict(self, X: Any) -> np.ndarray:
        """The class that the members favour; of equal ones the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        votes = self._mean(X)
        return self.classes_[votes.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The mean of what the members say.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._mean(X)

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
            return np.log(self._mean(X))


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
    estimators_, estimators_features_ : list of regressors, list of ndarray
        The members, and the columns of each.
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

    def _said_by(self, member: Any, X: Any) -> np.ndarray:
        return np.asarray(member.predict(X), dtype=np.float64).reshape(-1, 1)

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._mean(X)[:, 0]
