"""Boosting of squared error as an estimator.

Problem  a sum of weak regressions that comes close to the targets, a part of each at a time
Stops    after n_estimators rounds, or when nothing is left
Method   [BuehlmannYu03]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..solver.boost_numbers import LeastSquares
from ..solver.boosters import Booster
from ..solver.weak import Sample
from .boosted_numbers import BoostedNumbers
from .boosting_input import BoostRows


@dataclass(eq=False, repr=False)
class BoostingRegressor(BoostedNumbers):
    """L2Boost: each member comes close to what those before it have left over.

    Parameters
    ----------
    estimator : regressor, optional
        What the members are copies of; stumps where it is left out.
    n_estimators : int, default=100
        Most rounds.
    learning_rate : float, default=0.1
        The part of each member that is added.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the weight of a round on each side of a stump.
    sampling : {"auto", "weights", "draws"}, default="auto"
        Members are given weights, or rows that are drawn by them.
    early_stopping : bool or "oob", default=False
        Hold rows out and end when the error on them no longer falls. "oob": judge each round by the rows that its
        member has not drawn (with `sampling="draws"`).
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
    stumps_, members_ : Stumps or None, list
        The members: stumps, or estimators.
    steps_ : ndarray
        Their factors in the sum.
    n_rounds_ : int
    start_ : float
        The mean of the targets, which the sum begins with.
    feature_importances_ : ndarray of shape (n_features,)
    certificate_ : BoostingCertificate
        The mean squared error on the rows of the fit, recomputed.
    proof_ : BoostingProof or None
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**BoostedNumbers._parameter_constraints}
    _regression: ClassVar[bool] = True

    estimator: Any = None
    n_estimators: int = field(default=100, kw_only=True)
    learning_rate: float = field(default=0.1, kw_only=True)

    def _booster(self, sample: Sample) -> Booster:
        return LeastSquares(float(self.learning_rate))

    def _asked(self, k: int) -> str:
        return "numbers"

    def _claim_kind(self, k: int) -> str:
        return "squares"

    def _start_at(self, data: BoostRows) -> float:
        """In float32: the same for a row that stands there twice and for one of weight 2."""
        return float(np.float32(np.average(data.y, weights=data.u)))
