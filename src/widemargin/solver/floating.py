"""FloatBoost: Real AdaBoost that takes members out again where the sum is better off without them.

Problem  a sum of few members with a small cost: the weighted error, or the mean exponential loss
Symbols  cost[M] least cost so far of sums of M members
Stops    after so many members were put in; each exclusion lowers some cost[M], so there is an end to them
Method   [LiEtAl02, sec. 3]: put one in; then take out the member without which the cost is least, as long as this is
         below the least cost so far of a sum of that size. Members after it are learnt anew (`relearn`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .boost import BoostState
from .boosters import Real
from .weak import Sample


@dataclass(frozen=True)
class Floating(Real):
    """Real AdaBoost with conditional exclusion. Members and what they say of the rows are kept."""

    cost: str = "error"
    exclude: bool = True
    relearn: bool = True

    def _cost(self, s: Sample, F: np.ndarray) -> float:
        m = s.signs * F[:, 0] if s.k == 2 else None
        if m is None:
            own = F[np.arange(s.n), s.y]
            rest = F.copy()
            rest[np.arange(s.n), s.y] = -np.inf
            m = own - rest.max(axis=1)
        return s.mean(m <= 0 if self.cost == "error" else np.exp(-m))

    def round(self, s: Sample, state: BoostState, learner: Any) -> str | None:
        ended = super().round(s, state, learner)
        if ended is not None or not self.exclude:
            return ended
        self._note(state, len(state.members), self._cost(s, state.F))
        while len(state.members) > 2 and self.take_out(s, state, learner):
            pass
        return None

    def _note(self, state: BoostState, size: int, cost: float) -> None:
        state.costs += [np.inf] * (size + 1 - len(state.costs))
        state.costs[size] = min(state.costs[size], cost)

    def take_out(self, s: Sample, state: BoostState, learner: Any) -> bool:
        """One exclusion, if it pays."""
        said = [step * one for one, step in zip(self._said(s, state, learner), state.steps, strict=True)]
        without = [self._cost(s, state.F - one) for one in said]
        worst, size = int(np.argmin(without)), len(said)
        self._note(state, size - 1, np.inf)
        if not without[worst] < state.costs[size - 1]:
            return False
        state.costs[size - 1] = without[worst]
        kept = size - 1 if not self.relearn else worst
        order = [t for t in range(size) if t != worst][:kept]
        state.members, state.steps = [state.members[t] for t in order], [state.steps[t] for t in order]
        state.errors = [state.errors[t] for t in order]
        state.F = sum((said[t] for t in order), np.zeros_like(state.F))
        while len(state.members) < size - 1:
            if super().round(s, state, learner) is not None:
                break
        return True

    def _said(self, s: Sample, state: BoostState, learner: Any) -> list[np.ndarray]:
        return [learner.says(member) for member in state.members]
