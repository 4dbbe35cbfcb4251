"""FloatBoost as an estimator; see solver/floating.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..base.params import StrOptions, positive
from ..solver.boosters import Booster
from ..solver.floating import Floating
from ..solver.weak import Sample
from .real_boosting import RealValued


@dataclass(eq=False, repr=False)
class FloatBoostClassifier(RealValued):
    """FloatBoost: Real AdaBoost that takes members out again where the sum is better off without them.

    Parameters
    ----------
    estimator : classifier with predict_proba, optional
        What the members are copies of; stumps where it is left out.
    n_estimators : int, default=50
        Members that are put in; fewer remain.
    learning_rate : float, default=1.0
        Factor of what members say.
    cost : {"error", "exp"}, default="error"
        What an exclusion must lower: the weighted training error, or the mean exponential loss.
    exclude : bool, default=True
        Take members out; without it this is Real AdaBoost.
    relearn : bool, default=True
        Learn those after a member that was taken out anew.
    smoothing : float, optional
        Added to the weights of both classes on each side, as a share of all; None: half of a row's weight.
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
    classes_, n_classes_ : ndarray, int
    feature_importances_ : ndarray of shape (n_features,)
    certificate_ : BoostingCertificate
        Training error, and the mean exponential loss that bounds it.
    proof_ : BoostingProof or None
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RealValued._parameter_constraints,
        "cost": [StrOptions({"error", "exp"})],
        "exclude": ["boolean"],
        "relearn": ["boolean"],
        "smoothing": [positive(), None],
    }

    cost: str = field(default="error", kw_only=True)
    exclude: bool = field(default=True, kw_only=True)
    relearn: bool = field(default=True, kw_only=True)
    smoothing: float | None = field(default=None, kw_only=True)

    def _booster(self, sample: Sample) -> Booster:
        return Floating(float(self.learning_rate), self.smoothing, self.cost, self.exclude, self.relearn)

    def _asked(self, k: int) -> str:
        return "real"

    def _claim_kind(self, k: int) -> str:
        return "exponential" if k == 2 else "mh"
