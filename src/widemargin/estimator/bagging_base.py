"""What bagging of classifiers and of regressors shares: draws, the fit of the members, out-of-bag figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import _is_fitted, check_is_fitted, has_fit_parameter

from ..base.callbacks import with_callbacks
from ..base.errors import BadInput, DataMismatch
from ..base.params import HasMethods, Integral, Interval, RealNotInt, count
from ..base.records import Trace
from ..base.seeds import keyed, seed_from
from ..base.threads import crew
from ..base.warn import warn
from ..certificate.bagging import BaggingProof, DrawnFrom, certify_bagging, rows_of_member
from ..certificate.record import ForestCertificate
from .bagging_input import BagTraining, read_bag, read_bag_rows
from .bagging_route import members_method, routed
from .bagging_trees import grown_together
from .base import Learner
from .tree import DecisionTreeClassifier, DecisionTreeRegressor
from .tree_base import NEARLY_FREE
from .whole import whole_or_nothing

SAYING = ("predict", "predict_proba", "predict_log_proba", "decision_function")


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
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any):
        """Fit the members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), or (n_samples, n_outputs) for regressors that take it
        sample_weight : array-like of shape (n_samples,), optional
            Rows are drawn by their weights; 0 is a row that nobody draws.
        **fit_params : any
            For `fit` of the members.

        Returns
        -------
        self
        """
        self._validate_params()
        data = self._read(X, y, sample_weight)
        params = routed(self, "fit", fit_params)
        if not self.bootstrap and self.oob_score:
            raise BadInput("Out of bag estimation only available if bootstrap=True, and oob_score asks for it.")
        if not self.bootstrap and data.given_weights:
            warn(
                f"When fitting {type(self).__name__} with sample_weight it is recommended to use bootstrap=True: rows "
                "that are drawn once each follow their weights only roughly.",
                UserWarning,
            )
        old = self._kept_members()
        proof = BaggingProof(seed_from(self.random_state), self._draw_size(data), self.bootstrap)
        columns = [self._columns(proof.seed, b, data.d) for b in range(self.n_estimators)]
        if data.labels is not None:
            self.classes_, self.n_classes_ = data.labels.classes, len(data.labels)
        before = vars(self).get("forest_") if old else None
        apart = params or columns_drawn(columns, data.d) or (old and before is None)
        self.forest_: Any = None if apart else grown_together(self, data, proof, before)
        if self.forest_ is None:
            fresh = range(len(old), self.n_estimators)
            grown = crew(self._threads(), lambda b, _: self._member(data, proof, b, columns[b], params), list(fresh))
            self.members_: list[Any] | None = [*old, *grown]
        else:
            self.members_ = None
        self.estimators_features_ = columns
        self.proof_: BaggingProof | None = proof
        self.drawn_from_ = DrawnFrom(data.n, data.weight, data.kept)
        self.stop_reason_ = f"all {self.n_estimators} members fitted"
        self.trace_ = Trace(("members",))
        self.trace_.append(self.n_estimators, {"members": self.n_estimators})
        self._look_out_of_bag(data)
        self.certificate_ = self._first_certificate(data)
        return self

    def _kept_members(self) -> list[Any]:
        """Those that a warm start goes on with."""
        old = list(self.estimators_) if self.warm_start and "members_" in vars(self) else []
        if len(old) > self.n_estimators:
            raise BadInput(f"n_estimators={self.n_estimators} must be at least the {len(old)} members that are there.")
        if old and len(old) == self.n_estimators:
            warn("Warm-start fitting without increasing n_estimators does not fit new members.", UserWarning)
        return old

    def _read(self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True) -> BagTraining:
        return read_bag(self, X, y, sample_weight, regression=self._regression, reset=reset)

    def _draw_size(self, data: BagTraining) -> int:
        wish = self.max_samples
        if wish is None:
            return data.n
        if isinstance(wish, Integral):
            size = int(wish)
        else:
            total = data.n if data.weight is None else data.weight.sum()
            size = max(1, int(wish * total))
            if size < max(10, data.n // 100) and data.weight is not None:
                warn(
                    f"Using the fractional value max_samples={wish} when the total sum of sample weights is {total} "
                    f"results in a low number ({size}) of bootstrap samples. We recommend passing `max_samples` as an "
                    "integer.",
                    UserWarning,
                )
        if not self.bootstrap and size > data.n:
            raise BadInput(
                f"max_samples={size} must be <= n_samples={data.n} to be able to sample without replacement."
            )
        return size

    def _columns(self, seed: int, b: int, d: int) -> np.ndarray:
        wish = self.max_features
        size = int(wish) if isinstance(wish, Integral) else max(1, int(wish * d))
        if size > d:
            raise BadInput(f"max_features={wish} must be at most the {d} columns of X.")
        if size == d and not self.bootstrap_features:
            return np.arange(d)
        return np.sort(keyed(seed, "split", b).choice(d, size, replace=self.bootstrap_features))

    def _member(
        self, data: BagTraining, proof: BaggingProof, b: int, columns: np.ndarray, params: dict[str, Any]
    ) -> Any:
        """A copy of the template, fitted: rows are weighed by their draws where it can be told so, else repeated."""
        times = rows_of_member(proof, b, data.n, data.weight)
        model = clone(self._template())
        seeds = [name for name in model.get_params() if name == "random_state" or name.endswith("__random_state")]
        draw = keyed(proof.seed, "learner", b)
        model.set_params(**{name: int(draw.integers(2**31)) for name in sorted(seeds)})
        if has_fit_parameter(model, "sample_weight"):
            model.fit(data.part(None, columns), data.targets, sample_weight=times.astype(np.float64), **params)
            return model
        rows = np.repeat(np.arange(data.n), times)
        model.fit(data.part(rows, columns), data.targets[rows], **params)
        return model

    def _template(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return DecisionTreeRegressor() if self._regression else DecisionTreeClassifier()

    @property
    def estimator_(self) -> Any:  # a member, not fitted
        return clone(self._template())

    @property
    def estimators_(self) -> list[Any]:
        """The members; trees that grew together are made when asked for."""
        if "members_" not in vars(self):
            raise AttributeError(f"this {type(self).__name__} has no members yet: call fit first.")
        return self.members_ if self.members_ is not None else self.forest_.estimators_

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each member has drawn, as often as it has."""
        check_is_fitted(self)
        if self.proof_ is None:
            raise AttributeError("the rows that members drew are known with the proof, and it was not kept.")
        known, members = self.drawn_from_, range(len(self.estimators_features_))
        numbers = np.arange(known.rows) if known.kept is None else known.kept
        return [np.repeat(numbers, rows_of_member(self.proof_, b, known.rows, known.weight)) for b in members]

    # ---- what members say ------------------------------------------------------------------------------------------

    def _said_by(self, member: Any, X: Any, **params: Any) -> np.ndarray:
        """What one member says of rows: one column a class, or an output."""
        raise NotImplementedError

    def _mean(self, X: Any, **params: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._mean_of(read_bag_rows(self, X, reset=False), **params)

    def _mean_of(self, X: Any, **params: Any) -> np.ndarray:
        if self.forest_ is not None and not params:
            return self.forest_._mean_votes(X)
        total: Any = 0.0
        for member, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            total = total + self._said_by(member, X if whole(columns, X.shape[1]) else X[:, columns], **params)
        return total / len(self.estimators_)

    def _look_out_of_bag(self, data: BagTraining) -> None:
        for name in ("oob_score_", "oob_error_", "oob_decision_function_", "oob_prediction_"):
            vars(self).pop(name, None)
        if not self.oob_score or self.proof_ is None:
            return
        votes, voters = self._oob_votes(data, self.proof_)
        seen = voters > 0
        if not seen.all():
            warn(
                "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any "
                f"reliable oob estimates: {int((~seen).sum())} rows were drawn by every member. Raise n_estimators.",
                UserWarning,
            )
        with np.errstate(invalid="ignore", divide="ignore"):
            said = np.where(seen[:, None], votes / voters[:, None], np.nan)
        if self._regression:
            flat = data.y.shape[1] == 1
            self.oob_prediction_ = data.spread(said[:, 0] if flat else said)
            chosen = np.nan_to_num(said[:, 0] if flat else said)
            self.oob_error_ = float(np.nanmean((said - data.y) ** 2))
        else:
            self.oob_decision_function_ = data.spread(said)
            codes = np.nan_to_num(said).argmax(axis=1)
            chosen, self.oob_error_ = self.classes_[codes], float((codes != data.y)[seen].mean())
        score = self.oob_score if callable(self.oob_score) else r2_score if self._regression else accuracy_score
        self.oob_score_ = score(data.targets, chosen)

    def _oob_votes(self, data: BagTraining, proof: BaggingProof) -> tuple[np.ndarray, np.ndarray]:
        if self.forest_ is not None:
            return self.forest_._oob_votes_of(data.X, proof.seed, proof.draws, data.weight)
        votes: Any = np.zeros((data.n, data.y.shape[1] if self._regression else len(self.classes_)))
        voters = np.zeros(data.n, dtype=np.int64)
        for b, (member, columns) in enumerate(zip(self.estimators_, self.estimators_features_, strict=True)):
            free = np.flatnonzero(rows_of_member(proof, b, data.n, data.weight) == 0)
            if len(free):
                votes[free] += self._said_by(member, data.part(free, columns))
                voters[free] += 1
        return votes, voters

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Any:
        return iter(self.estimators_)

    # ---- certificate -----------------------------------------------------------------------------------------------

    def _first_certificate(self, data: BagTraining) -> ForestCertificate:
        """At the end of a fit: all figures where they cost next to nothing and members can say something."""
        members = len(self.estimators_features_)
        own = [] if self.forest_ is not None else list(self)
        mute = not all(_is_fitted(m) and (self._regression or hasattr(m, "classes_")) for m in own)
        if data.n * members <= NEARLY_FREE and not mute:
            return self._certify(data)
        return ForestCertificate(
            claim=f"{members} members: certify(model, X, y) recomputes what can be shown",
            kind="estimate",
            data_digest=data.digest,
            n_trees=members,
        )

    def _certify(self, data: BagTraining, *, prove: bool = False) -> ForestCertificate:
        proof = self.proof_
        votes, voters = self._oob_votes(data, proof) if proof is not None and proof.replace else (None, None)
        return certify_bagging(
            self._mean_of(data.X if data.form is None else data.X.asformat(data.form)),
            data.y,
            n_members=len(self.estimators_features_),
            classes=not self._regression,
            votes=votes,
            voters=voters,
            claimed=getattr(self, "oob_error_", None),
            data_digest=data.digest,
        )

    def _recertify(self, X: Any, y: Any, sample_weight: Any, *, prove: bool) -> ForestCertificate:
        data = self._read(X, y, sample_weight, reset=False)
        same = data.labels is None or np.array_equal(data.labels.classes, self.classes_)
        if data.digest != self.certificate_.data_digest or not same:
            raise DataMismatch(
                f"these are not the data of the fit: {data.n} rows with digest {data.digest}, "
                f"the fit had {self.certificate_.data_digest}."
            )
        return self._certify(data, prove=prove)

    def get_metadata_routing(self) -> MetadataRouter:
        """What is handed on to the members, as scikit-learn's routing asks.

        Returns
        -------
        MetadataRouter
        """
        mapping = MethodMapping()
        for caller in ("fit", "predict") if self._regression else ("fit", *SAYING):
            mapping.add(caller=caller, callee=members_method(self, caller))
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=self._template(), method_mapping=mapping)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        own = get_tags(self._template()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = own.sparse, own.allow_nan
        return tags


def whole(columns: np.ndarray, d: int) -> bool:
    """Whether these are all columns, in their order."""
    return len(columns) == d and np.array_equal(columns, np.arange(d))


def columns_drawn(columns: list[np.ndarray], d: int) -> bool:
    return not all(whole(one, d) for one in columns)
