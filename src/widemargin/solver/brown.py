"""BrownBoost: boosting that gives rows up.

Problem  margins that leave at most a share epsilon of the rows on the wrong side, in a game of c units of time
Symbols  r margins, s time left, c = erfinv(1 - epsilon)^2, b = Y h;  weights u exp(-(r + s)^2 / c);
         potential mean of 1 - erf((r + s) / sqrt(c)): epsilon at the beginning, and for ever after
Stops    a round: where the edge has fallen to nu, or no time is left. The fit: when no time is left (then the mean of
         1 - erf(Y F / sqrt(c)) is epsilon, and the training error at most that), or when no learner has an edge
Method   [Freund01]. A step a of a round takes the time t(a) that keeps the potential, which falls in t: one root, found
         by Newton's method between bounds. The edge along this path is then followed to its first root.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import erf, erfinv

from .boost import BoostState
from .boosters import Booster
from .weak import Answer, Ask, Sample

NO_EDGE = 1e-9  # beyond nu: a round ends at nu itself, and the same learner is not asked to go on by rounding


@dataclass(frozen=True)
class Path:
    """The way of one round from (0, 0), where the potential stays what it is."""

    r: np.ndarray
    b: np.ndarray
    u: np.ndarray  # sum 1
    s: float
    c: float

    def weights(self, a: float, t: float) -> np.ndarray:
        return self.u * np.exp(-((self.r + a * self.b + self.s - t) ** 2) / self.c)

    def edge(self, a: float, t: float) -> float:
        w = self.weights(a, t)
        total = float(w.sum())
        return float(w @ self.b) / total if total > 0 else 0.0

    def rise(self, a: float, t: float) -> float:
        """How much the potential lies below that of the beginning; falls in t."""
        root = math.sqrt(self.c)
        return float(self.u @ (erf((self.r + a * self.b + self.s - t) / root) - erf((self.r + self.s) / root)))

    def time(self, a: float) -> float:
        """The t with the same potential: |t| <= a, for |b| <= 1."""
        low, high, t = -a, a, 0.0
        for _ in range(200):
            value = self.rise(a, t)
            low, high = (t, high) if value > 0 else (low, t)
            slope = 2 / math.sqrt(math.pi * self.c) * float(self.weights(a, t).sum())
            following = t + value / slope if slope > 0 else math.inf
            if abs(following - t) <= 1e-15 * self.s:
                return following
            t = following if low < following < high else 0.5 * (low + high)
        return t

    def end(self, nu: float) -> tuple[float, float]:
        """(a, t) where the edge has fallen to nu, or all time is spent."""
        step = 0.05 * math.sqrt(self.c)
        before, a = 0.0, step
        while True:
            t = self.time(a)
            ended = self.edge(a, t) <= nu
            if ended:  # t is largest near there: it may have passed s on the way
                a = root_of(lambda x: self.edge(x, self.time(x)) - nu, before, a)
                t = self.time(a)
            if t >= self.s:
                return root_of(lambda x: self.time(x) - self.s, before, a), self.s
            if ended:
                return a, t
            before, a, step = a, a + step, 1.3 * step


def root_of(f: Callable[[float], float], low: float, high: float) -> float:
    return float(brentq(f, low, high, xtol=1e-15, rtol=8.9e-16, maxiter=300))


@dataclass(frozen=True)
class Brown(Booster):
    """Learners say -1 or 1; with more than two classes each has a game of its own against the others."""

    classes: int
    epsilon: float = 0.1
    nu: float = 1e-3

    @property
    def c(self) -> float:
        return float(erfinv(1 - self.epsilon)) ** 2

    @property
    def per_round(self) -> int:  # type: ignore[override]
        return 1 if self.classes == 2 else self.classes

    def begin(self, state: BoostState) -> BoostState:
        state.times = np.full(self.per_round, self.c)
        return state

    def _signs(self, s: Sample) -> np.ndarray:
        return s.signs[:, None] if self.classes == 2 else s.label_signs()

    def round(self, s: Sample, state: BoostState, learner: Any) -> str | None:
        signs = self._signs(s)
        answers = [learner.answer(self._ask(signs, state, c), state.rounds) for c in range(self.per_round)]
        moves = [self._move(s, signs, state, c, answer) for c, answer in enumerate(answers)]
        if not any(a > 0 for a, _ in moves):
            return "no edge"
        for c, (answer, (a, t)) in enumerate(zip(answers, moves, strict=True)):
            spread = None if self.classes == 2 else (np.arange(self.classes) == c).astype(np.float64)
            state.add(answer.member, answer.said, a, answer.error, spread)
            state.times[c] = 0.0 if t >= state.times[c] else state.times[c] - t
        return "time over" if not state.times.any() else None

    def _ask(self, signs: np.ndarray, state: BoostState, c: int) -> Ask:
        e = -((signs[:, c] * state.F[:, c] + state.times[c]) ** 2) / self.c
        w = np.exp(e - e.max())
        if self.classes == 2:
            return Ask("signs", w)
        v = np.zeros_like(signs)
        v[:, c] = signs[:, c] * w
        return Ask("many", v)

    def _move(self, s: Sample, signs: np.ndarray, state: BoostState, c: int, answer: Answer) -> tuple[float, float]:
        """The step, and the time that it takes; (0, 0) where the time is over or the learner has no edge."""
        if state.times[c] <= 0 or not 1 - 2 * answer.error > self.nu + NO_EDGE:
            return 0.0, 0.0
        u = np.full(s.n, 1 / s.n) if s.u is None else s.u / s.u.sum()
        r, b = signs[:, c] * state.F[:, c], signs[:, c] * answer.said[:, c]
        return Path(r, b, u, float(state.times[c]), self.c).end(self.nu)

    def loss(self, s: Sample, state: BoostState) -> float:
        """The mean potential."""
        potential = 1 - erf((self._signs(s) * state.F + state.times) / math.sqrt(self.c))
        return s.mean(potential.mean(axis=1))
