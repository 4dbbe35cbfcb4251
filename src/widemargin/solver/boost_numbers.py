"""Boosters for numbers: least squares, and AdaBoost.R2.

Problem  a sum of regressions with a small squared error; or regressions on rows weighted by how far off they were
Stops    a round ends the fit where it has nothing left to say; AdaBoost.R2: where the mean loss is 1/2 or more, or 0
Method   [BuehlmannYu03]; [Drucker97]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .boost import BoostState
from .boosters import Booster
from .weak import Answer, Ask, Sample


@dataclass(frozen=True)
class LeastSquares(Booster):
    """L2Boost: each learner comes close to what is left, and a part of it is added."""

    rate: float = 0.1

    def outputs(self, s: Sample) -> int:
        return 1

    def ask(self, s: Sample, state: BoostState) -> Ask:
        return Ask("numbers", np.ones(s.n), s.y - state.F[:, 0])

    def step(self, s: Sample, state: BoostState, answer: Answer) -> float | None:
        return self.rate if answer.said.any() else None

    def loss(self, s: Sample, state: BoostState) -> float:
        return s.mean((s.y - state.F[:, 0]) ** 2)


@dataclass(frozen=True)
class Relative(Booster):
    """AdaBoost.R2: F are logarithms of weights; they fall most for rows that a member comes close to."""

    rate: float = 1.0
    kind: str = "linear"

    def outputs(self, s: Sample) -> int:
        return 1

    def losses(self, s: Sample, said: np.ndarray) -> np.ndarray:
        """Of each row, from 0 to 1, in one column."""
        far = np.abs(said - s.y[:, None])
        share = far / max(float(far.max()), 1e-300)
        return {"linear": share, "square": share**2, "exponential": 1 - np.exp(-share)}[self.kind]

    def round(self, s: Sample, state: BoostState, learner: Any) -> str | None:
        w = np.exp(state.F[:, 0] - state.F.max())
        answer = learner.answer(Ask("numbers", w, s.y), state.rounds)
        share = self.losses(s, answer.said)
        w = w if s.u is None else w * s.u
        mean = float(np.average(share[:, 0], weights=w))
        if mean >= 0.5 and state.members:
            return "no edge"
        beta = (
            mean / (1 - mean) if 0 < mean < 0.5 else np.exp(-1.0)
        )  # a first one that is bad, a last one without error
        # In float32: the same for a row that stands there twice and for one of weight 2.
        state.add(answer.member, 1 - share, float(np.float32(self.rate * np.log(beta))), mean)
        return "perfect" if mean <= 0 else "no edge after" if mean >= 0.5 else None

    def loss(self, s: Sample, state: BoostState) -> float:
        return state.errors[-1] if state.errors else np.nan
