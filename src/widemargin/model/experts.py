"""Learning with expert advice: how weights come from losses, what the theorems promise, and the record of a game.

Symbols  N experts; l_t,i in [0, 1] the loss of expert i in round t, L_t,i its sum so far, L* the smallest of them;
         p_t the weights of round t, L_t the sum of own losses; eta_t a rate that never rises
Hedge    p_t,i ~ exp(-eta_t L_t-1,i), own loss p_t . l_t [FreundSchapire97, where beta = exp(-eta)]
         With Phi_t(eta) = 1/eta ln(mean_i exp(-eta L_t,i)): Hoeffding's lemma gives p_t . l_t <= Phi_t-1(eta_t) -
         Phi_t(eta_t) + eta_t/8, Phi is not smaller for a larger rate, and -Phi_t(eta) <= L* + ln N / eta. So
             L_t - L* <= ln N / eta_t + (eta_1 + … + eta_t) / 8    [CesaBianchiLugosi06, sec. 2.2 and 2.3, has other
         constants for rates that fall; these follow from the lines above]
         known horizon T: eta = sqrt(8 ln N / T), at T the regret is at most sqrt(T ln N / 2)
         unknown:         eta_t = 2 sqrt(ln N / t), the regret is at most sqrt(t ln N)
         fixed rate:      also L_t <= (eta L* + ln N) / (1 - exp(-eta)), better where L* is small
                          [FreundSchapire97, th. 2]
Majority weights beta^(mistakes of i), vote by weight, an error if the right label has not the most. An error leaves at
         most (1 + beta)/2 of the weight, the best expert keeps beta^m*: M <= (m* ln(1/beta) + ln N) / ln(2/(1 + beta))
         [LittlestoneWarmuth94], for any number of classes and however ties fall
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class HedgeRule:
    """Rates of Hedge for N experts: fixed, or falling as 2 sqrt(ln N / t) where `rate` is None."""

    n: int
    rate: float | None = None

    @classmethod
    def for_horizon(cls, n: int, horizon: int | None) -> HedgeRule:
        """The best fixed rate for T rounds; None: nobody knows how many there will be."""
        return cls(n) if horizon is None or n < 2 else cls(n, math.sqrt(8 * math.log(n) / horizon))

    def rates(self, t: np.ndarray) -> np.ndarray:
        """Of rounds t = 1, 2, …"""
        if self.rate is not None:
            return np.full(len(t), self.rate)
        return 2 * np.sqrt(math.log(self.n) / t)

    def bound(self, rate: np.ndarray, rate_sum: np.ndarray, best: np.ndarray) -> np.ndarray:
        """What the regret cannot exceed after rounds whose last rate, sum of rates and best loss are given."""
        log_n = math.log(self.n)
        if self.rate is None:
            return (log_n / rate if self.n > 1 else 0.0) + rate_sum / 8
        own = (self.rate * best + log_n) / -math.expm1(-self.rate)
        return np.minimum(log_n / rate + rate_sum / 8, own - best)


@dataclass(frozen=True)
class MajorityRule:
    """Factor on the weight of N experts at each mistake."""

    n: int
    beta: float = 0.5

    def bound(self, best: np.ndarray) -> np.ndarray:
        """What the regret cannot exceed when the best expert has made so many mistakes; mistakes are whole numbers."""
        most = (best * -math.log(self.beta) + math.log(self.n)) / math.log(2 / (1 + self.beta))
        return np.floor(most * (1 + 1e-12)) - best


class RegretPath:
    """Own loss, loss of the best expert and bound on the regret after every round.

    Attributes
    ----------
    loss, best_loss, regret, bound : ndarray of shape (rounds,)
    """

    def __init__(self, columns: np.ndarray | None = None) -> None:
        self._columns = np.empty((3, 0)) if columns is None else columns
        self._length = self._columns.shape[1]

    def extend(self, loss: np.ndarray, best_loss: np.ndarray, bound: np.ndarray) -> None:
        """Memory grows by doubling, so that a game of single rounds costs no more than one of long batches."""
        end = self._length + len(loss)
        if end > self._columns.shape[1]:
            grown = np.empty((3, max(end, 2 * self._columns.shape[1], 16)))
            grown[:, : self._length] = self.columns
            self._columns = grown
        for column, values in zip(self._columns, (loss, best_loss, bound), strict=True):
            column[self._length : end] = values
        self._length = end

    @property
    def columns(self) -> np.ndarray:
        return self._columns[:, : self._length]

    @property
    def loss(self) -> np.ndarray:
        return self.columns[0]

    @property
    def best_loss(self) -> np.ndarray:
        return self.columns[1]

    @property
    def bound(self) -> np.ndarray:
        return self.columns[2]

    @property
    def regret(self) -> np.ndarray:
        return self.loss - self.best_loss

    def __len__(self) -> int:
        return self._length

    def __getstate__(self) -> dict[str, Any]:
        return {"_columns": self.columns.copy(), "_length": self._length}

    def to_dict(self) -> dict[str, list[float]]:
        """Values ready for JSON."""
        return {name: getattr(self, name).tolist() for name in ("loss", "best_loss", "regret", "bound")}

    def __repr__(self) -> str:
        if not len(self):
            return "RegretPath(0 rounds)"
        return f"RegretPath({len(self)} rounds, regret {self.regret[-1]:.4g}, bound {self.bound[-1]:.4g})"
