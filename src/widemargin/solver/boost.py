"""Additive models that grow by rounds: state and driver of all boosters.

Problem  F <- F + step h, with h from a weak learner, until there are as many rounds as were asked for
Stops    then, or when a booster says why not to go on. n single rounds equal one call of n rounds, bit for bit: what a
         round needs of those before it is F.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..base.drive import geometric_steps
from ..base.records import Trace
from ..model.stumps import Stumps
from .weak import Sample, StumpLearner

COLUMNS = ("error", "step", "loss")
MOST_ROUNDS = 100_000  # of one call of the core


@dataclass(eq=False)
class BoostState:
    """Where a fit stands: what the sum says of the rows, and its members so far."""

    F: np.ndarray
    members: list[Any] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    rounds: int = 0
    times: np.ndarray = field(default_factory=lambda: np.zeros(1))  # BrownBoost: what is left of it
    costs: list[float] = field(default_factory=list)  # FloatBoost: the least of each size so far
    ended: str | None = None

    def add(self, member: Any, said: np.ndarray, step: float, error: float, spread: np.ndarray | None = None) -> None:
        """`spread`: how a single number is dealt out to the outputs."""
        if spread is not None:
            said = said * spread
            if isinstance(member, Stumps):
                member = Stumps(member.column, member.threshold, member.values * spread, member.steps)
        self.F = self.F + step * said
        if isinstance(member, Stumps):
            member = Stumps(member.column, member.threshold, member.values, np.array([step]))
        self.members.append(member)
        self.steps.append(step)
        self.errors.append(error)

    def stumps(self) -> Stumps:
        parts = [one for one in self.members if isinstance(one, Stumps)]
        if not parts:
            return Stumps.none(self.F.shape[1])
        names = ("column", "threshold", "values", "steps")
        return Stumps(*(np.concatenate([getattr(one, name) for one in parts]) for name in names))


class BoostSolver:
    """Rounds of any booster with any learner."""

    columns: tuple[str, ...] = COLUMNS

    def __init__(self, booster: Any, sample: Sample, learner: Any) -> None:
        self.booster, self.sample, self.learner = booster, sample, learner
        self.work_per_unit = 1e7  # a round at first: nobody knows how long the learner takes

    def start(self) -> BoostState:
        return self.booster.begin(BoostState(np.zeros((self.sample.n, self.booster.outputs(self.sample)))))

    def step(self, state: BoostState) -> int:
        return state.rounds

    def advance(self, state: BoostState, budget: int, until: int) -> str | None:
        while state.rounds < until and budget > 0 and state.ended is None:
            kind = self.booster.round(self.sample, state, self.learner)
            state.rounds += kind != "no edge"
            state.ended = kind
            budget -= 1
        return state.ended

    def look(self, state: BoostState) -> dict[str, Any]:
        last = [column[-1] if column else np.nan for column in (state.errors, state.steps)]
        return {"error": last[0], "step": last[1], "loss": self.booster.loss(self.sample, state)}


class StumpBoostSolver(BoostSolver):
    """AdaBoost for two classes on the best stumps: whole rounds in the core, which holds the weights.

    A state of another fit is first gone through once more, to the same bits.
    """

    learner: StumpLearner

    def __init__(self, booster: Any, sample: Sample, learner: StumpLearner, rate: float) -> None:
        super().__init__(booster, sample, learner)
        self.rate = rate
        self.work_per_unit = float(sample.n * sample.X.shape[1])
        self._native: Any = None
        self._applied = 0

    def advance(self, state: BoostState, budget: int, until: int) -> str | None:
        rounds = min(budget, until - state.rounds, MOST_ROUNDS)
        if state.ended is not None or rounds < 1:
            return state.ended
        native, self._native = self._caught_up(state), None  # an interrupted call leaves it half-way
        threads = self.learner.threads
        column, threshold, values, error, step, stop = native.boost(self.rate, rounds, threads)
        state.F = (self.sample.signs * native.margins()[self.learner._back])[:, None]
        if len(column):
            state.members.append(Stumps(column.astype(np.int64), threshold, values.reshape(-1, 3, 1), step))
        state.errors += error.tolist()
        state.steps += step.tolist()
        self._native, self._applied = native, len(state.errors)
        state.rounds = len(state.errors)
        state.ended = (None, "no edge", "perfect")[stop]
        return state.ended

    def _caught_up(self, state: BoostState) -> Any:
        if self._native is not None and self._applied == state.rounds:
            return self._native
        native, known = _core.StumpBooster(self.learner.ground), state.stumps()
        for t in range(state.rounds):
            native.apply(
                int(known.column[t]),
                float(known.threshold[t]),
                np.ascontiguousarray(known.values[t, :, 0]),
                float(known.steps[t]),
                self.learner.threads,
            )
        return native

    def look(self, state: BoostState, t: int | None = None) -> dict[str, Any]:
        """After round t: the mean exponential loss is the product of all Z = (1 - e) exp(-a) + e exp(a)."""
        t = state.rounds if t is None else t
        e, a = np.array(state.errors[:t]), np.array(state.steps[:t])
        z = (1 - e) * np.exp(-a) + e * np.exp(a)
        last = (e[-1], a[-1]) if t else (np.nan, np.nan)
        return {"error": float(last[0]), "step": float(last[1]), "loss": float(np.prod(z))}

    def whole(self, state: BoostState, last: int) -> Trace:
        """All rounds at once, with the trace that looking on would have given."""
        first = state.rounds + 1
        while state.rounds < last and state.ended is None:
            self.advance(state, last, last)
        trace = Trace(self.columns)
        for t in geometric_steps(first):
            if t >= state.rounds:
                break
            trace.append(t, self.look(state, t))
        trace.append(state.rounds, self.look(state))
        return trace
