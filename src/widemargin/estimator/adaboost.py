"""AdaBoost for classes.

Problem  weak learners h_t and steps a_t, so that a weighted vote of all is right on the rows
Symbols  e_t weighted error;  two classes: a = 1/2 ln((1 - e) / e), weights times exp(-a Y h) made to sum 1
Stops    after n_estimators rounds, or when no learner is better than chance or one makes no error
Method   [FreundSchapire97]; M1, M2 [FreundSchapire96]; SAMME [ZhuEtAl09]; MH [SchapireSinger99]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..base.errors import BadInput
from ..base.params import HasMethods, StrOptions
from ..model.stumps import Stumps
from ..solver.boost import BoostSolver, BoostState, StumpBoostSolver
from ..solver.boosters import Booster, ClassVotes, Exponential, LabelSigns, LogLoss, LossRule, PseudoLoss, TwoClasses
from ..solver.weak import Sample, StumpLearner
from .boosting_base import Boosting
from .boosting_classes import BoostedClasses, class_shares

ALGORITHMS = {"M1": "classes", "SAMME": "classes", "M2": "sets", "MH": "many"}


@dataclass(eq=False, repr=False)
class AdaBoostClassifier(BoostedClasses, Boosting):
    """AdaBoost: each weak learner attends to what those before it got wrong, and all vote.

    Parameters
    ----------
    estimator : classifier, optional
        What the members are copies of. Where it is left out they are stumps, in every round the one of least weighted
        error; missing values are a third side of their question.
    n_estimators : int, default=50
        Most rounds.
    learning_rate : float, default=1.0
        Factor of the steps.
    algorithm : {"SAMME", "M1", "M2", "MH"}, default="SAMME"
        What is done with more than two classes; for two they are all the same. "M1" needs learners that are right half
        of the time, and the first decides alone where it is not; with "M2" they name sets of classes, with "MH" they
        say of each class whether it is the one.
    loss : {"exponential", "logistic"} or object, default="exponential"
        Two classes only. An object has `weights(margins)` and `step(edge)`, or `value(margins)` and `slope(margins)`:
        then weights are minus the slopes, and steps the best along the line.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the weight of a round on each side of a stump.
    sampling : {"auto", "weights", "draws"}, default="auto"
        Learners are given weights, or rows that are drawn by them. "auto": weights, and rows are drawn in rounds
        whose learner makes no error with weights.
    early_stopping : bool or "oob", default=False
        Hold rows out and end when the error on them no longer falls; the rounds up to the least one are kept. "oob":
        judge each round by the rows that its member has not drawn (with `sampling="draws"`).
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
    estimators_ : list
        The members; stumps show their column, threshold and values.
    estimator_weights_, estimator_errors_ : ndarray of shape (n_rounds_,)
        ln((1 - e) / e) + ln(n_classes - 1) as in scikit-learn, and the weighted errors e.
    steps_ : ndarray of shape (n_rounds_,)
        Factors of the members in the sum; for two classes half of the weights.
    stumps_ : Stumps or None
        Columns, thresholds and values, where members are stumps.
    n_rounds_ : int
    classes_, n_classes_ : ndarray, int
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the steps.
    certificate_ : BoostingCertificate
        Training error, the bounds on it, margins and their distance from the largest ones.
    proof_ : BoostingProof or None
        The weighted errors that the fit claims.
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Boosting._parameter_constraints,
        "algorithm": [StrOptions(set(ALGORITHMS))],
        "loss": [
            StrOptions({"exponential", "logistic"}),
            HasMethods(["weights", "step"]),
            HasMethods(["value", "slope"]),
        ],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    estimator: Any = None
    n_estimators: int = field(default=50, kw_only=True)
    learning_rate: float = field(default=1.0, kw_only=True)
    algorithm: str = field(default="SAMME", kw_only=True)
    loss: Any = field(default="exponential", kw_only=True)
    class_weight: Any = field(default=None, kw_only=True)

    def _rule(self) -> Any:
        if self.loss == "exponential":
            return Exponential()
        if self.loss == "logistic":
            return LossRule(LogLoss())
        return self.loss if hasattr(self.loss, "step") else LossRule(self.loss)

    def _booster(self, sample: Sample) -> Booster:
        rate = float(self.learning_rate)
        if sample.k == 2:
            return TwoClasses(self._rule(), rate)
        if self.loss != "exponential":
            raise BadInput(f"loss={self.loss!r} is for two classes, but y has {sample.k}: use loss='exponential'.")
        if self.algorithm == "M2":
            return PseudoLoss(rate)
        if self.algorithm == "M1":
            return FirstAlone(False, rate)
        return LabelSigns(rate) if self.algorithm == "MH" else ClassVotes(True, rate)

    def _solver(self, booster: Booster, sample: Sample, seed: int) -> BoostSolver:
        learner = self._learner(sample, seed)
        if sample.k == 2 and self.loss == "exponential" and isinstance(learner, StumpLearner):
            return StumpBoostSolver(booster, sample, learner, float(self.learning_rate))
        return BoostSolver(booster, sample, learner)

    def _asked(self, k: int) -> str:
        return "signs" if k == 2 else ALGORITHMS[self.algorithm]

    def _claim_kind(self, k: int) -> str:
        if k == 2:
            return "edges" if self.loss == "exponential" else "logistic" if self.loss == "logistic" else "line"
        return self.algorithm.lower()

    def _scored(self, F: np.ndarray, rounds: int) -> np.ndarray:
        """Shares of the vote: from -1 to 1; those of several classes have the sum 0."""
        total = np.abs(self.steps_[:rounds]).sum() or 1.0
        if F.shape[1] == 1:
            return F[:, 0] / total
        if self._asked(F.shape[1]) != "classes":
            return F / total
        k = F.shape[1]
        return (F * k / (k - 1) - F.sum(axis=1, keepdims=True) / (k - 1)) / total

    def _shares(self, F: np.ndarray) -> np.ndarray:
        if F.shape[1] == 1 or self.algorithm == "MH":
            return super()._shares(F)
        return class_shares(F)

    @property
    def estimators_(self) -> list[Any]:
        if self.stumps_ is None:
            return self.members_
        return [StumpView(self.stumps_, t, self.classes_) for t in range(len(self.stumps_))]

    @property
    def estimator_weights_(self) -> np.ndarray:
        return self.steps_ * (2 if len(self.classes_) == 2 else 1)

    @property
    def estimator_errors_(self) -> np.ndarray:
        return self.errors_

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Any:
        return iter(self.estimators_)


class FirstAlone(ClassVotes):
    """M1: where even the first learner is wrong more often than right nothing can be boosted, and it decides alone."""

    def round(self, s: Sample, state: BoostState, learner: Any) -> str | None:
        ended = super().round(s, state, learner)
        if ended != "no edge" or state.steps:
            return ended
        answer = learner.answer(self.ask(s, state), 0)
        state.add(answer.member, answer.said, self.rate, answer.error)
        return "no edge after"


class StumpView:
    """One stump of a sum, for reading.

    Attributes
    ----------
    column, threshold : int, float
        The question: is the number in this column at most this?
    values : ndarray of shape (3, n_outputs)
        What it says where it is, where it is not, and where there is no number.
    step : float
        Its factor in the sum.
    """

    def __init__(self, stumps: Stumps, t: int, classes: np.ndarray) -> None:
        self.column, self.threshold = int(stumps.column[t]), float(stumps.threshold[t])
        self.values, self.step, self.classes_ = stumps.values[t], float(stumps.steps[t]), classes
        self.random_state = t
        self._one = stumps[t : t + 1]

    def predict(self, X: Any) -> np.ndarray:
        """Its label of each row."""
        said = self._one.says(0, np.asarray(X, dtype=np.float32))
        codes = (said[:, 0] > 0).astype(np.intp) if said.shape[1] == 1 else said.argmax(axis=1)
        return self.classes_[codes]

    def __repr__(self) -> str:
        said = self.values[:, 0].tolist() if self.values.shape[1] == 1 else self.values.tolist()
        return f"StumpView(column {self.column} <= {self.threshold:.6g}: {said[0]}, else {said[1]}, missing {said[2]})"
