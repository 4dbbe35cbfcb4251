"""BrownBoost as an estimator; see solver/brown.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy.special import erf, erfinv

from ..base.params import Interval, Real, fraction
from ..certificate.boosting import BoostingProof
from ..solver.boost import BoostState
from ..solver.boosters import Booster
from ..solver.brown import Brown
from ..solver.weak import Sample
from .real_boosting import RealValued


@dataclass(eq=False, repr=False)
class BrownBoostClassifier(RealValued):
    """BrownBoost: boosting for labels some of which are wrong. Rows that are far on the wrong side are given up.

    Parameters
    ----------
    estimator : classifier, optional
        What the members are copies of; stumps of least weighted error where it is left out.
    n_estimators : int, default=200
        Most rounds; it ends by itself when its time is over.
    epsilon : float, default=0.1
        The training error to aim at: about the share of labels that are wrong.
    nu : float, default=0.001
        A step ends when the edge of its learner has fallen to this.
    learning_rate : float, default=1.0
        Has no effect: steps follow from the game.
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
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights, by class.
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
    finished_ : bool
        Whether the time is over: the training error then is at most epsilon (for each class against the others).
    classes_, n_classes_ : ndarray, int
    feature_importances_ : ndarray of shape (n_features,)
    certificate_ : BoostingCertificate
        Training error, potential and time left, and the bound that these give.
    proof_ : BoostingProof or None
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RealValued._parameter_constraints,
        "epsilon": [fraction()],
        "nu": [Interval(Real, 0, 1, closed="left")],
    }

    n_estimators: int = field(default=200, kw_only=True)
    epsilon: float = field(default=0.1, kw_only=True)
    nu: float = field(default=1e-3, kw_only=True)

    def _booster(self, sample: Sample) -> Booster:
        return Brown(sample.k, float(self.epsilon), float(self.nu))

    def _asked(self, k: int) -> str:
        return "signs" if k == 2 else "many"

    def _claim_kind(self, k: int) -> str:
        return "brown"

    def _spread(self, c: int, k: int) -> np.ndarray:
        return (np.arange(k) == c).astype(np.float64)

    def _keep(self, state: BoostState, booster: Booster) -> None:
        super()._keep(state, booster)
        self.finished_ = not state.times.any()

    def _proof(self, state: BoostState, k: int) -> BoostingProof:
        return BoostingProof("brown", 1.0, self.errors_, float(self.epsilon), state.times.copy())

    def _shares(self, F: np.ndarray) -> np.ndarray:
        """(1 + erf(F / sqrt(c))) / 2, for several classes made to sum 1."""
        p = 0.5 + 0.5 * erf(F / erfinv(1 - self.epsilon))
        if F.shape[1] == 1:
            return np.column_stack([1 - p, p])
        p = p + 1e-12 * (F.max(axis=1, keepdims=True) == F)
        return p / p.sum(axis=1, keepdims=True)
