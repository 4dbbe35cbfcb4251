"""Games with expert advice, advanced by batches of rounds.

Problem  after each round the losses of N experts are told; lose little more than the best of them, whatever they are
Symbols  as in model/experts.py
Stops    never by itself: whoever has no more rounds stops. Rounds one by one or in batches give the same bits: what a
         round needs of those before it are sums in the order of the rounds.
Method   Hedge [FreundSchapire97]; weighted majority [LittlestoneWarmuth94], where experts lose weight at each
         of their mistakes, whether or not the vote erred too: the bound is the same
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..model.experts import HedgeRule, MajorityRule, RegretPath

BLOCK = 1 << 17  # numbers at a time


@dataclass(eq=False)
class ExpertState:
    """Where a game stands: its rule, the losses of all, and the way there."""

    rule: HedgeRule | MajorityRule
    expert_losses: np.ndarray
    loss: float = 0.0
    rate_sum: float = 0.0
    path: RegretPath = field(default_factory=RegretPath)

    @classmethod
    def start(cls, rule: HedgeRule | MajorityRule) -> ExpertState:
        return cls(rule, np.zeros(rule.n))

    @property
    def rounds(self) -> int:
        return len(self.path)

    def weights(self) -> np.ndarray:
        """For the next round; their sum is 1."""
        if isinstance(self.rule, HedgeRule):
            rate = self.rule.rates(np.array([self.rounds + 1]))
            return hedge_weights(self.expert_losses[None], rate)[0]
        weights = majority_weights(self.rule, self.expert_losses[None])[0]
        return weights / weights.sum()

    def advance(self, losses: np.ndarray, said: np.ndarray | None = None, y: np.ndarray | None = None) -> None:
        """Rounds with the losses of all experts in a row each; the codes that they `said`, with y the right ones."""
        if isinstance(self.rule, HedgeRule):
            advance_hedge(self, self.rule, losses)
        else:
            advance_majority(self, self.rule, losses, said, y)


def hedge_weights(losses: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """One row of weights for each row of summed losses."""
    weights = np.exp(-rates[:, None] * (losses - losses.min(axis=1, keepdims=True)))
    return weights / weights.sum(axis=1, keepdims=True)


def advance_hedge(state: ExpertState, rule: HedgeRule, losses: np.ndarray) -> None:
    """Rounds with the losses of all experts in a row each."""
    for block in _blocks(losses):
        sums = _sums(state.expert_losses, block)
        rates = rule.rates(state.rounds + np.arange(1, len(block) + 1))
        own = (hedge_weights(sums[:-1], rates) * block).sum(axis=1)
        rate_sum = _sums(state.rate_sum, rates)[1:]
        best = sums[1:].min(axis=1)
        _move(state, sums[-1], own, best, rule.bound(rates, rate_sum, best))
        state.rate_sum = float(rate_sum[-1])


def majority_weights(rule: MajorityRule, mistakes: np.ndarray) -> np.ndarray:
    """One row of weights for each row of mistakes; the largest of a row is 1."""
    return np.power(rule.beta, mistakes - mistakes.min(axis=1, keepdims=True))


def advance_majority(
    state: ExpertState, rule: MajorityRule, wrong: np.ndarray, said: np.ndarray | None = None, y: Any = None
) -> None:
    """Rounds in which each expert was `wrong` (1) or not (0); the codes that they `said`, with y the right ones.

    Without them the vote errs where the experts that are wrong have half of the weight or more: two classes, ties lost.
    """
    for start, block in _numbered(wrong):
        rows = slice(start, start + len(block))
        sums = _sums(state.expert_losses, block)
        weights = majority_weights(rule, sums[:-1])
        if said is None:
            against = (weights * block).sum(axis=1)
            own = (2 * against >= weights.sum(axis=1)).astype(np.float64)
        else:
            own = (weighted_vote(weights, said[rows])[0] != y[rows]).astype(np.float64)
        best = sums[1:].min(axis=1)
        _move(state, sums[-1], own, best, rule.bound(best))


def weighted_vote(weights: np.ndarray, said: np.ndarray, k: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(winner, votes by class) of each row; of equal votes the first class wins."""
    k = int(said.max()) + 1 if k is None else k
    votes = np.stack([(weights * (said == c)).sum(axis=1) for c in range(k)], axis=1)
    return votes.argmax(axis=1), votes


def _move(state: ExpertState, expert_losses: np.ndarray, own: np.ndarray, best: np.ndarray, bound: np.ndarray) -> None:
    loss = _sums(state.loss, own)[1:]
    state.path.extend(loss, best, bound)
    state.expert_losses, state.loss = expert_losses.copy(), float(loss[-1])


def _sums(before: Any, values: np.ndarray) -> np.ndarray:
    """Sums so far, from what was before on; added one after another, so that batches do not matter."""
    return np.cumsum(np.concatenate([np.asarray(before)[None], values]), axis=0)


def _numbered(losses: np.ndarray) -> Any:
    step = max(1, BLOCK // max(1, losses.shape[1]))
    return ((start, losses[start : start + step]) for start in range(0, len(losses), step))


def _blocks(losses: np.ndarray) -> Any:
    return (block for _, block in _numbered(losses))
