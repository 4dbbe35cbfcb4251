"""Passive-aggressive learners: keep w unless the row is not satisfied, then move just far enough.

Problem  at each row the smallest change of w with loss l(w; x, y) = 0, softened by C: tau = min(C, l/|x|^2) ("linear"
         losses) or l/(|x|^2 + 1/2C) ("squared" ones)
Stops    after max_iter epochs, or when the mean loss no longer falls by tol; the losses met are bounded in any case
Method   [CrammerEtAl06, sec. 3-5]; scikit-learn's estimators of the same names, which it removes, are the model
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ..base.params import Interval, StrOptions, count, positive
from ..certificate.passive_aggressive import Rule, certify_passive_aggressive
from ..certificate.record import PassiveAggressiveCertificate
from ..data.rows import Training
from ..solver.online import OnlineOptions, OnlineState, row_steps
from .online import SHUFFLE, OnlineClassifier, OnlineRegressor

RULE: dict[str, Rule] = {"hinge": "linear", "squared_hinge": "squared"}
RULE |= {"epsilon_insensitive": "linear", "squared_epsilon_insensitive": "squared"}


@dataclass(kw_only=True, eq=False, repr=False)
class PassiveAggressive:
    """What classifier and regressor share."""

    C: float = 1.0
    average: bool | int = False
    tol: float | None = 1e-3

    _shared: ClassVar[dict[str, list[Any]]] = {"C": [positive()], "average": ["boolean", count()]}

    def _options(self, seed: int) -> OnlineOptions:
        return OnlineOptions(
            rule=self._rule(),
            eta=self.C,
            epsilon=getattr(self, "epsilon", 0.0),
            intercept=self.fit_intercept,
            shuffle=SHUFFLE[self.shuffle],
            seed=seed,
            average=self.average is not False,
        )

    def _vector(self, state: OnlineState) -> tuple[np.ndarray, float]:
        """The average from `average` visits on, the last vector before."""
        wanted = self.average is not False and state.visits >= int(self.average)
        return state.average() if wanted else state.weights()

    def _certify_losses(
        self, data: Training, k: int, target: np.ndarray, rows: np.ndarray | None, epsilon: float | None
    ) -> PassiveAggressiveCertificate:
        proof = self.proof_
        if proof is None or not proof.whole_epochs[k]:
            return self._claim_little(data)
        times, steps = row_steps(data.weight)
        pick = slice(None) if rows is None else rows
        return certify_passive_aggressive(
            data.X if rows is None else data.X[rows],
            target[pick],
            self.model_.coef[k],
            float(self.model_.intercept[k]),
            rule=RULE[self.loss],
            C=self.C,
            epochs=int(proof.epochs[k]),
            updates=int(proof.updates[k]),
            loss_sum=float(proof.losses[k]),
            squared_loss_sum=float(proof.squared_losses[k]),
            steps=None if steps is None else steps[pick],
            visits=None if times is None else times[pick],
            w_start=proof.start_of(k),
            intercept=self.fit_intercept,
            epsilon=epsilon,
            data_digest=data.digest,
        )

    def _claim_little(self, data: Training | None) -> PassiveAggressiveCertificate:
        units = "batches" if data is None else "epochs"
        gone = "the rows of a stream are gone" if data is None else "the fit was short or cut within an epoch"
        return PassiveAggressiveCertificate(
            claim=f"{self.n_updates_} updates in {self.n_iter_} {units}; {gone}, so losses and bound were not compared",
            holds=None,
            data_digest="" if data is None else data.digest,
            updates=self.n_updates_,
        )


@dataclass(kw_only=True, eq=False, repr=False)
class PassiveAggressiveClassifier(PassiveAggressive, OnlineClassifier):
    """Passive-aggressive classifier (PA-I with the hinge, PA-II with the squared hinge).

    Parameters
    ----------
    C : float, default=1.0
        Largest step (hinge) or inverse softness (squared hinge).
    loss : {"hinge", "squared_hinge"}, default="hinge"
        PA-I or PA-II.
    average : bool or int, default=False
        Predict with the mean of all vectors; a number says after how many visits.
    fit_intercept : bool, default=True
        Learn a bias b.
    max_iter : int, default=1000
        Most epochs.
    tol : float or None, default=1e-3
        Stop when the mean loss (or the held-out score) has not improved by `tol` for `n_iter_no_change` epochs.
    shuffle : bool or "once", default=True
        New order every epoch, the given order, or one order for all epochs.
    early_stopping, validation_fraction, n_iter_no_change, class_weight, warm_start, multiclass, n_jobs, \
random_state, verbose, max_time, observe
        As in :class:`Perceptron`.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        One row and one number a binary part.
    classes_, n_iter_, n_updates_, converged_, stop_reason_, trace_
        As in :class:`Perceptron`.
    certificate_ : PassiveAggressiveCertificate
        The losses met, and what they cannot exceed.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClassifier._parameter_constraints,
        **PassiveAggressive._shared,
        "loss": [StrOptions({"hinge", "squared_hinge"})],
    }

    loss: str = "hinge"
    random_state: Any = None

    def _rule(self) -> str:
        return {"linear": "pa1", "squared": "pa2"}[RULE[self.loss]]

    def _certify_part(self, data: Training, k: int, signs: np.ndarray, rows: np.ndarray | None, prove: bool) -> Any:
        return self._certify_losses(data, k, signs, rows, None)


@dataclass(kw_only=True, eq=False, repr=False)
class PassiveAggressiveRegressor(PassiveAggressive, OnlineRegressor):
    """Passive-aggressive regressor with a tube of half-width epsilon.

    Parameters
    ----------
    C : float, default=1.0
        Largest step (linear loss) or inverse softness (squared loss).
    epsilon : float, default=0.1
        Deviations up to this cost nothing.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        PA-I or PA-II.
    average, fit_intercept, max_iter, tol, shuffle, early_stopping, validation_fraction, n_iter_no_change, warm_start, \
n_jobs, random_state, verbose, max_time, observe
        As in :class:`PassiveAggressiveClassifier`.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (n_features,) and (1,)
    n_iter_, n_updates_, converged_, stop_reason_, trace_, certificate_
        As in :class:`PassiveAggressiveClassifier`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineRegressor._parameter_constraints,
        **PassiveAggressive._shared,
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
    }

    epsilon: float = 0.1
    loss: str = "epsilon_insensitive"
    random_state: Any = None

    def _rule(self) -> str:
        return {"linear": "pa1_regression", "squared": "pa2_regression"}[RULE[self.loss]]

    def _certify(self, data: Training, *, prove: bool = False) -> Any:
        learn = None if self.proof_ is None else self._split(data, self.proof_.seed)[0]
        return self._certify_losses(data, 0, data.y, learn, self.epsilon)
