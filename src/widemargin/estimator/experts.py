"""Hedge and weighted majority: to lose little more than the best of many experts, whatever happens.

Problem  rounds t = 1, 2, …: put weights on N experts, then learn what each of them loses in this round
Stops    when there are no more rounds; after each of them the regret is within a bound that holds for all sequences
Method   [FreundSchapire97], [LittlestoneWarmuth94]; formulas and proofs in model/experts.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..base.errors import BadInput
from ..base.params import count, fraction, positive
from ..certificate.experts import certify_hedge, certify_majority
from ..certificate.record import ExpertCertificate
from ..model.experts import HedgeRule, MajorityRule
from .expert_game import ExpertGame, Rounds


@dataclass(kw_only=True, eq=False, repr=False)
class Hedge(ExpertGame):
    """Hedge: weights fall exponentially with the losses of the experts.

    Tell it losses between 0 and 1, or give it fitted classifiers and labelled rows. Its own loss in a round is the mean
    loss of the experts by its weights; for classifiers that is the chance to err when an expert is drawn by weight.

    Parameters
    ----------
    experts : list of fitted classifiers, optional
        None: `fit` and `partial_fit` are told losses.
    rate : float, optional
        Fixed rate eta: a loss of 1 multiplies a weight by exp(-eta), Freund and Schapire's beta.
    horizon : int, optional
        Rounds that will be played, where they are known: sets the rate to sqrt(8 ln N / horizon). With neither `rate`
        nor `horizon` the rate of round t is 2 sqrt(ln N / t), and the regret at most sqrt(t ln N).

    Attributes
    ----------
    weights_ : ndarray of shape (n_experts,)
        For the next round; their sum is 1.
    n_rounds_, n_experts_ : int
    loss_ : float
        Own losses, summed.
    expert_losses_ : ndarray of shape (n_experts,)
    regret_, regret_bound_ : float
        Own loss minus that of the best expert, and what it cannot exceed.
    path_ : RegretPath
        `loss`, `best_loss`, `regret` and `bound` after every round.
    classes_ : ndarray
        Of the experts, if there are any.
    certificate_ : ExpertCertificate

    Examples
    --------
    >>> from widemargin import Hedge
    >>> game = Hedge().fit([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> game.regret_ <= game.regret_bound_
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ExpertGame._parameter_constraints,
        "rate": [positive(), None],
        "horizon": [count(), None],
    }

    rate: float | None = None
    horizon: int | None = None

    def _rule(self, n: int) -> HedgeRule:
        if self.rate is not None and self.horizon is not None:
            raise BadInput(f"rate={self.rate} and horizon={self.horizon}: the horizon sets the rate, so give only one.")
        return HedgeRule.for_horizon(n, self.horizon) if self.rate is None else HedgeRule(n, float(self.rate))

    def _certify(self, rounds: Rounds) -> ExpertCertificate:
        rule: Any = self._state.rule
        return certify_hedge(rounds.losses, rule, claimed=self.loss_, data_digest=f"{self._digest:016x}")


@dataclass(kw_only=True, eq=False, repr=False)
class WeightedMajority(ExpertGame):
    """Weighted majority: every mistake of an expert multiplies its weight, and the weights vote.

    Tell it mistakes (0 or 1), or give it fitted classifiers and labelled rows. Its own loss is 1 in a round where the
    vote errs; told mistakes alone, it errs where the experts that are wrong have half of the weight or more.

    Parameters
    ----------
    experts : list of fitted classifiers, optional
        None: `fit` and `partial_fit` are told mistakes.
    beta : float, default=0.5
        Factor on the weight of an expert at each of its mistakes, between 0 and 1.

    Attributes
    ----------
    weights_ : ndarray of shape (n_experts,)
        For the next round; their sum is 1.
    loss_ : float
        Errors of the vote.
    expert_losses_ : ndarray of shape (n_experts,)
        Mistakes of the experts.
    n_rounds_, n_experts_, regret_, regret_bound_, path_, classes_, certificate_
        As in :class:`Hedge`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ExpertGame._parameter_constraints,
        "beta": [fraction()],
    }

    beta: float = 0.5

    def _losses(self, X: Any, y: Any, first: bool) -> np.ndarray:
        losses = super()._losses(X, y, first)
        bad = (losses != 0) & (losses != 1)
        if bad.any():
            t, i = (int(k) for k in np.argwhere(bad)[0])
            raise BadInput(
                f"the loss of expert {i} in row {t} is {losses[t, i]}: a vote knows mistakes only, 0 or 1; "
                "Hedge takes any loss between them."
            )
        return losses

    def _rule(self, n: int) -> MajorityRule:
        return MajorityRule(n, float(self.beta))

    def _certify(self, rounds: Rounds) -> ExpertCertificate:
        rule: Any = self._state.rule
        return certify_majority(
            rounds.losses,
            rule,
            said=rounds.said,
            y=rounds.y,
            claimed=self.loss_,
            data_digest=f"{self._digest:016x}",
        )
