"""AdaBoost for numbers.

Problem  regressions, each on rows weighted by how far off those before it were; their weighted median
Symbols  L = loss of a row in 0 .. 1, relative to the largest;  l mean of L under the weights;  beta = l / (1 - l)
Stops    after n_estimators rounds, when l >= 1/2, or when a member makes no error
Method   AdaBoost.R2 [Drucker97]: weights times beta^(1 - L), members have the weight ln(1 / beta)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..base.params import StrOptions
from ..certificate.boosting import BoostedRows, certify_boosting
from ..certificate.record import BoostingCertificate
from ..solver.boost import BoostSolver, BoostState
from ..solver.boost_numbers import Relative
from ..solver.boosters import Booster
from ..solver.weak import EstimatorLearner, Sample
from .boosted_numbers import BoostedNumbers
from .boosting_input import BoostRows, blocks_of
from .tree import DecisionTreeRegressor


@dataclass(eq=False, repr=False)
class AdaBoostRegressor(BoostedNumbers):
    """AdaBoost.R2: members attend to the rows that those before them were far from; the weighted median of all.

    Parameters
    ----------
    estimator : regressor, optional
        What the members are copies of; trees of depth 3 where it is left out.
    n_estimators : int, default=50
        Most rounds.
    learning_rate : float, default=1.0
        Factor of the members' weights.
    loss : {"linear", "square", "exponential"}, default="linear"
        How far off a row is, by its share of the largest error.
    min_weight_fraction_leaf : float, default=0.0
        Has no effect: the members are not stumps.
    sampling : {"auto", "weights", "draws"}, default="auto"
        Members are given weights, or rows that are drawn by them; "auto": weights, if they know them.
    early_stopping : bool, default=False
        Hold rows out and end when the error on them no longer falls.
    validation_fraction : float, default=0.1
        Share of the rows that are held out.
    n_iter_no_change : int, default=10
        Rounds without a fall after which the fit ends.
    warm_start : bool, default=False
        Keep the rounds that are there and add to them.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    random_state : int, RandomState or None, default=0
        Seed of the members and of draws.
    max_time : float, optional
        Most seconds.
    observe : callable, optional
        Called as observe(step, columns, snapshot) at growing steps; True stops the fit.
    verbose : ignored

    Attributes
    ----------
    estimators_ : list of regressors
        The members.
    estimator_weights_, estimator_errors_ : ndarray of shape (n_rounds_,)
        Their weights ln(1 / beta), and mean losses.
    n_rounds_ : int
    feature_importances_ : ndarray of shape (n_features,)
    certificate_ : BoostingCertificate
        The mean squared error on the rows of the fit, recomputed.
    proof_ : BoostingProof or None
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BoostedNumbers._parameter_constraints,
        "early_stopping": ["boolean"],  # its sums are no predictions, whose loss could be told
        "loss": [StrOptions({"linear", "square", "exponential"})],
    }
    _regression: ClassVar[bool] = True

    estimator: Any = None
    n_estimators: int = field(default=50, kw_only=True)
    learning_rate: float = field(default=1.0, kw_only=True)
    loss: str = field(default="linear", kw_only=True)

    def _booster(self, sample: Sample) -> Booster:
        return Relative(float(self.learning_rate), self.loss)

    def _template(self) -> Any:
        return DecisionTreeRegressor(max_depth=3)

    def _check_learner(self) -> None:
        """Rows are drawn for members that know no weights."""

    def _learner(self, sample: Sample, seed: int) -> Any:
        template = self.estimator if self.estimator is not None else self._template()
        self._threads()  # says where n_jobs cannot be; the members have their own
        knows = has_fit_parameter(template, "sample_weight")
        return EstimatorLearner(sample, template, np.empty(0), seed, self.sampling == "draws" or not knows)

    def _asked(self, k: int) -> str:
        return "numbers"

    def _claim_kind(self, k: int) -> str:
        return "squares"

    def _resumed(self, solver: BoostSolver, sample: Sample, booster: Any) -> BoostState:
        state = super()._resumed(solver, sample, booster)
        state.F = np.zeros((sample.n, 1))
        for said, step in zip(self._said_by_members(sample.X), self.steps_, strict=True):
            state.F = state.F + step * (1 - booster.losses(sample, said))
        return state

    # ---- what members say ------------------------------------------------------------------------------------------

    def _median(self, said: np.ndarray) -> np.ndarray:
        """The weighted median of the members' numbers, one row of these for each row of X."""
        weights = self.estimator_weights_[: said.shape[1]]
        order = np.argsort(said, axis=1, kind="stable")
        sums = np.cumsum(weights[order], axis=1)
        middle = (sums >= 0.5 * sums[:, -1:]).argmax(axis=1)
        rows = np.arange(len(said))
        return said[rows, order[rows, middle]]

    def _sum_of(self, X: Any) -> np.ndarray:
        return self._median(np.concatenate(list(self._said_by_members(X)), axis=1))[:, None]

    def _staged(self, X: Any) -> Iterator[np.ndarray]:
        check_is_fitted(self)
        parts = [np.concatenate(list(self._said_by_members(rows)), axis=1) for rows in blocks_of(self, X)]
        said = np.concatenate(parts)
        for t in range(1, said.shape[1] + 1):
            yield self._median(said[:, :t])[:, None]

    @property
    def estimators_(self) -> list[Any]:
        return self.members_

    @property
    def estimator_weights_(self) -> np.ndarray:
        return -self.steps_

    @property
    def estimator_errors_(self) -> np.ndarray:
        return self.errors_

    def __len__(self) -> int:
        return len(self.members_)

    def __getitem__(self, index: Any) -> Any:
        return self.members_[index]

    def __iter__(self) -> Any:
        return iter(self.members_)

    def _certify(self, data: BoostRows, *, prove: bool = False, each: bool = True) -> BoostingCertificate:
        return certify_boosting(
            [self._sum_of(data.X)],
            np.ones(1),
            BoostedRows(data.y, data.u, 0),
            self.proof_,
            kind="squares",
            data_digest=data.digest,
            rounds=self.n_rounds_,
        )
