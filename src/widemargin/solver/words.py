"""AdaBoost.MH on one-word stumps: rounds in the core.

Problem  core/solver/boost_words.hpp
Stops    after as many rounds as were asked for, or when no term tells anything
Method   [SchapireSinger00]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..model.words import WordStumps
from .boost import MOST_ROUNDS, BoostSolver, BoostState
from .boosters import Booster
from .weak import Sample


def label_signs(s: Sample) -> np.ndarray:
    """1 or -1 a row and output: one column for two classes, one a class for more, one a label for several a row."""
    if s.y.ndim == 2:
        return np.where(s.y, 1, -1).astype(np.int8)
    return (s.signs[:, None] if s.k == 2 else s.label_signs()).astype(np.int8)


class WordBooster(Booster):
    """Votes follow from the sums of the core."""

    def outputs(self, s: Sample) -> int:
        return s.k if s.y.ndim == 2 or s.k > 2 else 1


class WordSolver(BoostSolver):
    """The core holds weights; a state of another fit is first gone through once more."""

    columns = ("z", "loss")

    def __init__(
        self, booster: Booster, sample: Sample, *, rate: float, smoothing: float | None, abstain: bool, threads: int
    ) -> None:
        super().__init__(booster, sample, None)
        signs = np.ascontiguousarray(label_signs(sample))
        X = sample.X
        self.ground = _core.WordGround(
            X.indptr.astype(np.int64), X.indices.astype(np.int32), X.shape[1], signs, sample.u, threads
        )
        eta = 0.5 / (max(sample.weight, 2.0) * signs.shape[1]) if smoothing is None else float(smoothing)
        self.rule, self.threads = (rate, eta, abstain), threads
        self.applied, self.touched = 0, 0
        self.z: list[float] = []
        self.work_per_unit = float(X.shape[1] * signs.shape[1] + X.nnz / max(1, X.shape[1]))

    def advance(self, state: BoostState, budget: int, until: int) -> str | None:
        rounds = min(budget, until - state.rounds, MOST_ROUNDS)
        if state.ended is not None or rounds < 1:
            return state.ended
        self._catch_up(state)
        terms, absent, present, z, touched, over = self.ground.boost(*self.rule, rounds, self.threads)
        if len(terms):
            k = len(absent) // len(terms)
            sides = np.stack([absent.reshape(-1, k), present.reshape(-1, k)], axis=1)
            values = np.concatenate([sides, sides[:, :1]], axis=1)
            ones = np.ones(len(terms))
            state.members.append(WordStumps(terms, np.zeros(len(terms), np.float32), values, ones))
        self.z += z.tolist()
        self.touched += touched
        state.errors += [np.nan] * len(terms)
        state.steps += [1.0] * len(terms)
        self.applied = state.rounds = len(state.steps)
        state.ended = "no edge" if over else None
        return state.ended

    def _catch_up(self, state: BoostState) -> None:
        if self.applied == state.rounds:
            return
        known = state.stumps()
        for t in range(self.applied, state.rounds):
            absent, present = (np.ascontiguousarray(known.values[t, side]) for side in (0, 1))
            self.ground.apply(int(known.column[t]), absent, present, self.threads)
        self.applied = state.rounds

    def look(self, state: BoostState) -> dict[str, Any]:
        """The mean loss since this fit began is the product of all Z."""
        return {"z": self.z[-1] if self.z else np.nan, "loss": float(np.exp(np.log(self.z).sum()))}
