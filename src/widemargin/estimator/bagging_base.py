"""What bagging of classifiers and of regressors shares: draws, the fit of the members, out-of-bag figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..base.callbacks import with_callbacks
from ..base.errors import BadInput, DataMismatch
from ..base.params import HasMethods, Integral, Interval, RealNotInt, count
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
        grown = crew(self._threads(), lambda b, cancelled: self._member(data, proof, b, columns[b]), list(fresh))
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
        return read_training(self, X, y, sample_weight, regression=self._regression, threads=self._threads(), **options)

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
    def estimator_(self) -> Any:  # a member, not fitted
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
        if not self.oob_score or self.proof_ is None:
            return
        votes, voters = self._oob_votes(data, self.proof_)
        seen = voters > 0
        if not seen.all():
            warn(
                f"{int((~seen).sum())} rows were drawn by every member: Some inputs do not have OOB scores. "
                "Raise n_estimators.",
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

    def _oob_votes(self, data: Training, proof: BaggingProof) -> tuple[np.ndarray, np.ndarray]:
        votes: Any = np.zeros((data.n, 1 if self._regression else len(self.classes_)))
        voters = np.zeros(data.n, dtype=np.int64)
        for b, (member, columns) in enumerate(zip(self.estimators_, self.estimators_features_, strict=True)):
            free = np.flatnonzero(rows_of_member(proof, b, data.n, data.weight) == 0)
            if len(free):
                X = data.X[free]
                votes[free] += self._said_by(member, X if len(columns) == data.d else X[:, columns])
                voters[free] += 1
        return votes, voters

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Any:
        return iter(self.estimators_)

    # ---- certificate -----------------------------------------------------------------------------------------------

    def _certify(self, data: Training, *, prove: bool = False) -> ForestCertificate:
        proof = self.proof_
        votes, voters = self._oob_votes(data, proof) if proof is not None and proof.replace else (None, None)
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
