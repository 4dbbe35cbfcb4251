"""What boosters of any weak learner share: the learner, what its members say, importances, the certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..base.errors import BadInput
from ..base.params import HasMethods, Interval, StrOptions
from ..certificate.boosting import BoostedRows, certify_boosting
from ..certificate.record import BoostingCertificate
from ..solver.boost import BoostSolver, BoostState
from ..solver.boosters import Booster
from ..solver.weak import EstimatorLearner, Sample, StumpLearner, what_it_says
from .boosting_input import BoostRows, blocks_of, read_boosting
from .boosting_rounds import NEARLY_FREE, Rounds
from .boosting_trees import HistogramLearner, grows_by_counting


@dataclass(kw_only=True, eq=False, repr=False)
class Boosting(Rounds):
    """Subclasses give the booster of some rows (`_booster`) and the kind of their claim (`_claim_kind`)."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Rounds._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict"]), None],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "sampling": [StrOptions({"auto", "weights", "draws"})],
        "early_stopping": ["boolean", StrOptions({"oob"})],
    }

    estimator: Any = None
    min_weight_fraction_leaf: float = 0.0
    sampling: str = "auto"
    early_stopping: Any = False

    # ---- what a subclass says --------------------------------------------------------------------------------------

    def _claim_kind(self, k: int) -> str:
        raise NotImplementedError

    def _asked(self, k: int) -> str:
        """The kind of what members are asked: see solver/weak.py."""
        raise NotImplementedError

    def _solver(self, booster: Booster, sample: Sample, seed: int) -> BoostSolver:
        return BoostSolver(booster, sample, self._learner(sample, seed))

    # ---- the fit ---------------------------------------------------------------------------------------------------

    def _read(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> BoostRows:
        return read_boosting(self, X, y, sample_weight, regression=self._regression, reset=reset)

    def _check_learner(self) -> None:
        if self.early_stopping == "oob" and self.sampling != "draws":
            raise BadInput(
                f"early_stopping='oob' needs rows that are not drawn, but sampling is {self.sampling!r}: use "
                "sampling='draws', or early_stopping=True."
            )
        if self.estimator is None or self.sampling == "draws" or has_fit_parameter(self.estimator, "sample_weight"):
            return
        raise BadInput(f"{type(self.estimator).__name__} doesn't support sample_weight: use sampling='draws'.")

    def _learner(self, sample: Sample, seed: int) -> Any:
        if self.estimator is None and self.sampling != "draws":
            return StumpLearner(sample, float(self.min_weight_fraction_leaf), self._threads())
        return self._learner_of(self.estimator if self.estimator is not None else self._template(), sample, seed)

    def _learner_of(self, template: Any, sample: Sample, seed: int) -> Any:
        labels = self.classes_ if sample.k else np.empty(0)
        drawn = {"weights": False, "draws": True, "auto": None}[self.sampling]
        if self._asked(sample.k) == "numbers" and not drawn and grows_by_counting(template):
            return HistogramLearner(sample, template, labels, seed, drawn, self._threads())
        return EstimatorLearner(sample, template, labels, seed, drawn)

    def _template(self) -> Any:
        """A single tree in place of the stumps, where rows are drawn."""
        from .tree import DecisionStump, DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=1) if self._asked(2) == "numbers" else DecisionStump()

    @property
    def estimator_(self) -> Any:  # a member, not fitted
        return clone(self.estimator if self.estimator is not None else self._template())

    def _keep(self, state: BoostState, booster: Booster) -> None:
        if not state.steps and self.estimator is not None and not self._regression:
            raise BadInput(
                "the first weak learner is worse than random on these rows, so that there is nothing to boost: "
                "give another estimator, or features that tell the classes apart."
            )
        super()._keep(state, booster)

    # ---- what members say ------------------------------------------------------------------------------------------

    def _said_by_members(self, X: Any) -> Iterator[np.ndarray]:
        """What each member says of rows that were read, one line a row."""
        if self.stumps_ is not None:
            yield from (self.stumps_.says(t, X) for t in range(len(self.stumps_)))
            return
        labels = np.empty(0) if self._regression else self.classes_
        k = len(labels)
        for t, member in enumerate(self.members_):
            said = what_it_says(member, X, self._asked(k), labels)
            yield said * self._spread(t % k, k) if self.per_round_ > 1 else said

    def _spread(self, c: int, k: int) -> np.ndarray:
        """How the member of class c in a round is dealt out to the classes."""
        raise NotImplementedError

    def _blocks(self, X: Any) -> Iterator[Any]:
        return blocks_of(self, X)

    def _sum_of(self, X: Any) -> np.ndarray:
        if self.stumps_ is not None:
            threads = self._threads() if len(X) * len(self.stumps_.tables[0]) > 100_000 else 1
            return self.start_ + self.stumps_.scores(X, threads)
        F: Any = np.full((X.shape[0], 1), self.start_)
        for said, step in zip(self._said_by_members(X), self.steps_, strict=True):
            F = F + step * said
        return F

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of each column in the steps of stumps; of others by the members' own importances."""
        check_is_fitted(self)
        share = np.abs(self.steps_) / max(float(np.abs(self.steps_).max(initial=0.0)), 1e-300)
        out = np.zeros(self.n_features_in_)
        if self.stumps_ is not None:
            spread = np.ptp(self.stumps_.values, axis=1).max(axis=1) if len(self.stumps_) else np.empty(0)
            np.add.at(out, self.stumps_.column, share * spread * np.isfinite(self.stumps_.threshold))
        else:
            for member, part in zip(self.members_, share, strict=True):
                if not hasattr(member, "feature_importances_"):
                    raise AttributeError(f"{type(member).__name__} has no feature_importances_, so the sum has none.")
                out += part * member.feature_importances_
        total = out.sum()
        return out / total if total > 0 else out

    # ---- certificate -----------------------------------------------------------------------------------------------

    def _certify(self, data: BoostRows, *, prove: bool = False, each: bool = True) -> BoostingCertificate:
        k, stumps = len(data.labels), self.stumps_
        best = stumps is not None and not self.min_weight_fraction_leaf and (prove or data.X.size <= NEARLY_FREE)
        return certify_boosting(
            self._said_by_members(data.X),
            self.steps_,
            BoostedRows(data.y, data.u, k, data.X if stumps is not None else None, stumps, self._threads()),
            None if self.early_stopping else self.proof_,
            kind=self._claim_kind(k),
            data_digest=data.digest,
            per_round=self.per_round_,
            start=self.start_,
            search=best,
            each=each,
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.estimator is None
        return tags
