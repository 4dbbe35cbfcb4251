"""Boosters whose members give numbers instead of votes: Real AdaBoost, Gentle AdaBoost, LogitBoost.

Problem  as in solver/boosters.py
Stops    after n_estimators rounds, or when a round has nothing left to say
Method   [SchapireSinger99] for Real AdaBoost, [FriedmanHastieTibshirani00] for all of them
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..base.params import StrOptions, positive
from ..solver.boosters import Booster, Gentle, GentleClasses, Logit, LogitClasses, Real, SammeR
from ..solver.weak import Sample
from .boosting_base import Boosting
from .boosting_classes import BoostedClasses, class_shares


@dataclass(eq=False, repr=False)
class RealValued(BoostedClasses, Boosting):
    """What they share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Boosting._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    estimator: Any = None
    n_estimators: int = field(default=50, kw_only=True)
    learning_rate: float = field(default=1.0, kw_only=True)
    class_weight: Any = field(default=None, kw_only=True)


@dataclass(eq=False, repr=False)
class RealAdaBoostClassifier(RealValued):
    """Real AdaBoost: members say how sure they are, by half the logarithm of the odds on each side of their question.

    Parameters
    ----------
    estimator : classifier with predict_proba, optional
        What the members are copies of. Where it is left out they are stumps, in every round the one that makes the mean
        exponential loss least.
    n_estimators : int, default=50
        Most rounds.
    learning_rate : float, default=1.0
        Factor of what members say.
    algorithm : {"MH", "SAMME.R"}, default="MH"
        What is done with more than two classes: a number for each, whether it is the one, or scikit-learn's former
        algorithm from probabilities. Members that are no stumps always are put together by "SAMME.R".
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
        "algorithm": [StrOptions({"MH", "SAMME.R"})],
        "smoothing": [positive(), None],
    }

    algorithm: str = field(default="MH", kw_only=True)
    smoothing: float | None = field(default=None, kw_only=True)

    def _from_shares(self, k: int) -> bool:
        return k > 2 and (self.estimator is not None or self.sampling == "draws" or self.algorithm == "SAMME.R")

    def _booster(self, sample: Sample) -> Booster:
        rate = float(self.learning_rate)
        return SammeR(rate) if self._from_shares(sample.k) else Real(rate, self.smoothing)

    def _learner(self, sample: Sample, seed: int) -> Any:
        if self.estimator is None and self._from_shares(sample.k):
            return super()._learner_of(self._template(), sample, seed)
        return super()._learner(sample, seed)

    def _asked(self, k: int) -> str:
        return "real"

    def _claim_kind(self, k: int) -> str:
        return "exponential" if k == 2 else "samme" if self._from_shares(k) else "mh"

    def _shares(self, F: np.ndarray) -> np.ndarray:
        return class_shares(F / (F.shape[1] - 1)) if self._from_shares(F.shape[1]) else super()._shares(F)


@dataclass(eq=False, repr=False)
class GentleBoostClassifier(RealValued):
    """Gentle AdaBoost: members come close to the signs of the weighted rows, so that no step exceeds 1.

    Parameters
    ----------
    estimator : regressor, optional
        What the members are copies of; stumps where it is left out.
    n_estimators : int, default=50
        Most rounds; with more than two classes a round has one member for each.
    learning_rate : float, default=1.0
        Factor of what members say.
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

    def _booster(self, sample: Sample) -> Booster:
        rate = float(self.learning_rate)
        return Gentle(rate) if sample.k == 2 else GentleClasses(sample.k, rate)

    def _asked(self, k: int) -> str:
        return "numbers"

    def _claim_kind(self, k: int) -> str:
        return "exponential" if k == 2 else "mh"

    def _spread(self, c: int, k: int) -> np.ndarray:
        return GentleClasses(k).spread(c)


@dataclass(eq=False, repr=False)
class LogitBoostClassifier(RealValued):
    """LogitBoost: Newton's method for the log loss, one weak regression at a time, with probabilities.

    Parameters
    ----------
    estimator : regressor, optional
        What the members are copies of; stumps where it is left out.
    n_estimators : int, default=50
        Most rounds; with more than two classes a round has one member for each.
    learning_rate : float, default=1.0
        Factor of the steps.
    z_max : float, default=4.0
        Working responses are cut at this size: they are huge where the model is sure and wrong.
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
        Training error, and the mean log loss in bits, which bounds it.
    proof_ : BoostingProof or None
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RealValued._parameter_constraints,
        "z_max": [positive()],
    }

    z_max: float = field(default=4.0, kw_only=True)

    def _booster(self, sample: Sample) -> Booster:
        rate, z_max = float(self.learning_rate), float(self.z_max)
        return Logit(rate, z_max) if sample.k == 2 else LogitClasses(sample.k, rate, z_max)

    def _asked(self, k: int) -> str:
        return "numbers"

    def _claim_kind(self, k: int) -> str:
        return "logistic" if k == 2 else "logit"

    def _spread(self, c: int, k: int) -> np.ndarray:
        return LogitClasses(k).spread(c)

    def _shares(self, F: np.ndarray) -> np.ndarray:
        return super()._shares(F) if F.shape[1] == 1 else class_shares(F)
