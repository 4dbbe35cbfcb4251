"""Regret and bound of a game with expert advice, played once more from the losses alone.

Problem  the losses of N experts in T rounds and the rule are given; are the loss that the player claims and the bound
         on its regret right, after every round?
Symbols  as in model/experts.py; u = 2^-53, b rounds of a block
Stops    after one pass. Losses are summed within blocks and the blocks with what rounding cut off, so that a sum of t
         losses is right to u (t + b^2), an exponent to about 3 u eta (t + b^2), a weight to that and (N + 9) u, and
         the own loss of a round to twice as much: their sum over the rounds is `rounding`. Mistakes are whole numbers;
         there only votes that are equal but for rounding can fall either way, and `rounding` counts them (none for
         beta = 1/2).
Method   [Higham02, sec. 4.3] for sums; nothing is taken from the player but what it claims
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np

from ..model.experts import HedgeRule, MajorityRule
from .record import ExpertCertificate

UNIT = 2.0**-53
ROUNDS = 64  # of a block


def certify_hedge(
    losses: np.ndarray, rule: HedgeRule, *, claimed: float | None = None, data_digest: str = ""
) -> ExpertCertificate:
    """`losses` has a row a round; `claimed` is the loss that the player says it had."""
    began = time.perf_counter()
    n = losses.shape[1]
    game = _Replay(n)
    rates_before = 0.0
    for rows, before, after in game.blocks(losses):
        t = np.arange(rows.start + 1, rows.start + 1 + len(before))
        rates = rule.rates(t)
        rate_sum = rates_before + np.cumsum(rates)
        rates_before = float(rate_sum[-1])
        away = np.exp(rates[:, None] * (before.min(axis=1, keepdims=True) - before))
        own = np.einsum("ti,ti->t", away, losses[rows]) / away.sum(axis=1)
        slack = 2 * UNIT * (3 * rates * (t + ROUNDS**2) + n + 9)
        best = after.min(axis=1)
        game.judge(own, best, rule.bound(rates, rate_sum, best), slack)
    return game.certificate(f"Hedge over {n} experts", claimed, data_digest, began)


def certify_majority(
    wrong: np.ndarray,
    rule: MajorityRule,
    *,
    said: np.ndarray | None = None,
    y: np.ndarray | None = None,
    claimed: float | None = None,
    data_digest: str = "",
) -> ExpertCertificate:
    """`wrong` has 0 or 1 an expert and round; `said` are the codes of their labels, y the right ones."""
    began = time.perf_counter()
    n = wrong.shape[1]
    game = _Replay(n)
    for rows, before, after in game.blocks(wrong):
        weight = rule.beta ** (before - before.min(axis=1, keepdims=True))
        if said is None or y is None:
            right, rival = (weight * (1 - wrong[rows])).sum(axis=1), (weight * wrong[rows]).sum(axis=1)
            lost = rival >= right  # a tie is lost
        else:
            right, rival, lost = _voted(weight, said[rows], y[rows])
        exact = math.frexp(rule.beta)[0] == 0.5 and weight.min() >= 2.0**-50  # powers of 2 that no sum rounds
        equal = (np.abs(right - rival) <= 8 * n * UNIT * right) & (not exact)
        best = after.min(axis=1)
        # The bound holds however such votes fall, so they are no excuse for breaking it.
        game.judge(lost.astype(np.float64), best, rule.bound(best), equal.astype(np.float64), excuse=False)
    return game.certificate(f"the vote of {n} experts", claimed, data_digest, began)


def _voted(weight: np.ndarray, said: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Votes for the right label, most votes for another one, and whether that one wins: the first of equal classes."""
    right = np.where(said == y[:, None], weight, 0.0).sum(axis=1)
    rival, lost = np.zeros(len(y)), np.zeros(len(y), dtype=bool)
    for c in np.unique(said):
        votes = np.where((said == c) & (y != c)[:, None], weight, 0.0).sum(axis=1)
        rival = np.maximum(rival, votes)
        lost |= (votes > right) | ((votes == right) & (votes > 0) & (c < y))
    return right, rival, lost


class _Replay:
    """The sums of a game, with what rounding cut off beside them, and how close the regret came to its bound."""

    def __init__(self, n: int) -> None:
        self.sums, self.cut = np.zeros(n), np.zeros(n)
        self.rounds, self.worst, self.least, self.kept = 0, 0, math.inf, True
        self.loss, self.bound, self.rounding = 0.0, 0.0, 0.0

    def blocks(self, losses: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """(rounds, summed losses before each, after each)."""
        for start in range(0, len(losses), ROUNDS):
            rows = slice(start, start + ROUNDS)
            inside = np.cumsum(losses[rows], axis=0)
            after = self.sums + (self.cut + inside)
            yield rows, np.vstack([self.sums + self.cut, after[:-1]]), after
            self.sums, error = _two_sum(self.sums, inside[-1])
            self.cut += error

    def judge(
        self, own: np.ndarray, best: np.ndarray, bound: np.ndarray, slack: np.ndarray, *, excuse: bool = True
    ) -> None:
        """Whether the regret is within its bound after each round of a block."""
        loss = self.loss + np.cumsum(own)
        slack = self.rounding + np.cumsum(slack)
        room = bound - (loss - best)
        self.kept &= bool((room >= -1e-12 * (1 + loss) - (slack if excuse else 0.0)).all())
        if room.min() < self.least:
            self.least, self.worst = float(room.min()), self.rounds + int(room.argmin()) + 1
        self.loss, self.bound, self.rounding = float(loss[-1]), float(bound[-1]), float(slack[-1])
        self.rounds += len(own)

    def certificate(self, who: str, claimed: float | None, data_digest: str, began: float) -> ExpertCertificate:
        total = self.sums + self.cut
        best, at = float(total.min()), int(total.argmin())
        rounding = self.rounding + UNIT * self.rounds * max(1.0, self.loss)
        honest = claimed is None or abs(claimed - self.loss) <= 2 * rounding
        regret = self.loss - best
        said = f"{who} lost {self.loss:.6g} in {self.rounds} rounds, the best of them {best:.6g}: regret {regret:.6g}"
        claim = f"{said} <= bound {self.bound:.6g}, and within its bound after every round"
        if not self.kept:
            claim = f"{said}, and after round {self.worst} it was above its bound"
        elif not honest:
            claim = f"{said}; the model claims a loss of {claimed:.6g}"
        return ExpertCertificate(
            claim=claim,
            holds=self.kept and honest,
            data_digest=data_digest,
            seconds=time.perf_counter() - began,
            rounds=self.rounds,
            loss=self.loss,
            best_loss=best,
            best_expert=at,
            regret=regret,
            regret_bound=self.bound,
            worst_round=self.worst if self.rounds else None,
            rounding=rounding,
        )


def _two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sum, and exactly what rounding cut off."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)
