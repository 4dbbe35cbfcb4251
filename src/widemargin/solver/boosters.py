"""The boosters: which weights a round gives to the rows, and how far it goes along what the weak learner said.

Problem  minimise mean_i u_i loss(row i, F(x_i)) over sums F of weak learners, one after the other
Symbols  m = Y F(x) margins of two classes;  e weighted error of the round, edge r = 1 - 2 e;  F has a column an output
Stops    a round ends the fit where the learner has no edge left, or makes no error at all
Method   AdaBoost [FreundSchapire97]; M1, M2 [FreundSchapire96]; SAMME [ZhuEtAl09]; MH, real answers [SchapireSinger99];
         Gentle AdaBoost, LogitBoost [FriedmanHastieTibshirani00]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .boost import BoostState
from .weak import Answer, Ask, Sample

LEAST_ERROR = 1e-10  # as in core/solver/boost_stumps.hpp
LARGEST_EDGE = 1 - 2 * LEAST_ERROR


class Rule(Protocol):
    """A booster for two classes and learners that say -1 or 1."""

    def weights(self, margins: np.ndarray) -> np.ndarray: ...
    def step(self, edge: float) -> float: ...


class Exponential:
    """AdaBoost: weights exp(-m), and the step that makes their sum least."""

    def weights(self, margins: np.ndarray) -> np.ndarray:
        return np.exp(margins.min() - margins)

    def step(self, edge: float) -> float:
        return float(np.arctanh(min(edge, LARGEST_EDGE)))

    def value(self, margins: np.ndarray) -> np.ndarray:
        return np.exp(-margins)


class LogLoss:
    """ln(1 + exp(-2 m)): F is half of the logit."""

    def value(self, margins: np.ndarray) -> np.ndarray:
        return np.logaddexp(0.0, -2 * margins)

    def slope(self, margins: np.ndarray) -> np.ndarray:
        return -2 / (1 + np.exp(np.minimum(2 * margins, 700.0)))


@dataclass(frozen=True)
class LossRule:
    """Any loss of margins: weights are minus its slopes, the step is the best along the line."""

    loss: Any

    def weights(self, margins: np.ndarray) -> np.ndarray:
        return np.maximum(-self.loss.slope(margins), 0.0)

    def value(self, margins: np.ndarray) -> np.ndarray:
        return self.loss.value(margins)

    def line(self, margins: np.ndarray, agree: np.ndarray, u: np.ndarray | None) -> float:
        """The step at which the slope along the line is 0, by halving; the loss is convex, and falls at 0."""

        def slope(a: float) -> float:
            terms = agree * self.loss.slope(margins + a * agree)
            return float(terms.sum() if u is None else (terms * u).sum())

        low, high = 0.0, 1.0
        while slope(high) < 0 and high < 64:
            low, high = high, 2 * high
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if slope(middle) < 0 else (low, middle)
        return low


class Booster:
    """A round: ask, hear, step. Subclasses give the ask, the step and the mean loss."""

    per_round = 1  # members that a round adds

    def outputs(self, s: Sample) -> int:
        return 1 if s.k <= 2 else s.k

    def ask(self, s: Sample, state: BoostState) -> Ask:
        raise NotImplementedError

    def begin(self, state: BoostState) -> BoostState:
        """A new state, made ready."""
        return state

    def step(self, s: Sample, state: BoostState, answer: Answer) -> float | None:
        """None: the learner is no better than chance."""
        return 1.0

    def loss(self, s: Sample, state: BoostState) -> float:
        raise NotImplementedError

    def round(self, s: Sample, state: BoostState, learner: Any) -> str | None:
        """One more weak learner; the reason to stop, or None."""
        answer = learner.answer(self.ask(s, state), state.rounds)
        step = self.step(s, state, answer)
        if step is None:
            return "no edge"
        state.add(answer.member, answer.said, step, answer.error)
        return "perfect" if answer.error == 0 else None


@dataclass(frozen=True)
class TwoClasses(Booster):
    """Learners that say -1 or 1, under any rule."""

    rule: Any
    rate: float = 1.0

    def ask(self, s: Sample, state: BoostState) -> Ask:
        return Ask("signs", self.rule.weights(s.signs * state.F[:, 0]))

    def step(self, s: Sample, state: BoostState, answer: Answer) -> float | None:
        if not answer.error < 0.5:
            return None
        if not hasattr(self.rule, "line"):
            return self.rate * self.rule.step(1 - 2 * answer.error)
        return self.rate * self.rule.line(s.signs * state.F[:, 0], s.signs * answer.said[:, 0], s.u)

    def loss(self, s: Sample, state: BoostState) -> float:
        return s.mean(self.rule.value(s.signs * state.F[:, 0])) if hasattr(self.rule, "value") else np.nan


@dataclass(frozen=True)
class ClassVotes(Booster):
    """M1 and SAMME: learners name one class; F are sums of votes."""

    samme: bool
    rate: float = 1.0

    def ask(self, s: Sample, state: BoostState) -> Ask:
        own = state.F[np.arange(s.n), s.y]
        return Ask("classes", np.exp(own.min() - own))

    def step(self, s: Sample, state: BoostState, answer: Answer) -> float | None:
        if not answer.error < (1 - 1 / s.k if self.samme else 0.5):
            return None
        e = max(answer.error, LEAST_ERROR)
        return float(self.rate * (np.log((1 - e) / e) + (np.log(s.k - 1) if self.samme else 0.0)))

    def loss(self, s: Sample, state: BoostState) -> float:
        """Mean exponential loss of the margins against all other classes, which is what both make small."""
        own = state.F[np.arange(s.n), s.y]
        others = (state.F.sum(axis=1) - own) / (s.k - 1)
        return s.mean(np.exp((others - own) * (s.k - 1) / s.k))


@dataclass(frozen=True)
class PseudoLoss(Booster):
    """M2: learners name sets of classes; each wrong class of a row has a weight of its own."""

    rate: float = 1.0

    def _wrong(self, s: Sample, state: BoostState) -> np.ndarray:
        own = state.F[np.arange(s.n), s.y]
        d = 0.5 * (state.F - own[:, None])
        d[np.arange(s.n), s.y] = -np.inf
        return d

    def ask(self, s: Sample, state: BoostState) -> Ask:
        d = self._wrong(s, state)
        v = -np.exp(d - d.max())
        v[np.arange(s.n), s.y] = -v.sum(axis=1)
        return Ask("sets", v)

    def step(self, s: Sample, state: BoostState, answer: Answer) -> float | None:
        if not answer.error < 0.5:
            return None
        e = max(answer.error, LEAST_ERROR)
        return float(self.rate * np.log((1 - e) / e))

    def loss(self, s: Sample, state: BoostState) -> float:
        return s.mean(np.exp(self._wrong(s, state)).sum(axis=1) / (s.k - 1))


@dataclass(frozen=True)
class LabelSigns(Booster):
    """MH: for each class a sign, whether a row belongs to it."""

    rate: float = 1.0

    def outputs(self, s: Sample) -> int:
        return s.k

    def ask(self, s: Sample, state: BoostState) -> Ask:
        signs = s.label_signs()
        m = signs * state.F
        return Ask("many", signs * np.exp(m.min() - m))

    def step(self, s: Sample, state: BoostState, answer: Answer) -> float | None:
        if not answer.error < 0.5:
            return None
        return float(self.rate * np.arctanh(min(1 - 2 * answer.error, LARGEST_EDGE)))

    def loss(self, s: Sample, state: BoostState) -> float:
        return s.mean(np.exp(-s.label_signs() * state.F).mean(axis=1))


@dataclass(frozen=True)
class Real(Booster):
    """Real AdaBoost: learners give half a logarithm of odds; for more classes one for each of them (MH)."""

    rate: float = 1.0
    smoothing: float | None = None

    def _margins(self, s: Sample, state: BoostState) -> np.ndarray:
        return s.signs * state.F[:, 0] if s.k == 2 else s.label_signs() * state.F

    def ask(self, s: Sample, state: BoostState) -> Ask:
        m = self._margins(s, state)
        eta = 0.5 / (max(s.weight, 2.0) * (1 if s.k == 2 else s.k)) if self.smoothing is None else self.smoothing
        return Ask("real", np.exp(m.min() - m), smoothing=eta)

    def step(self, s: Sample, state: BoostState, answer: Answer) -> float | None:
        return self.rate if answer.said.any() else None

    def loss(self, s: Sample, state: BoostState) -> float:
        values = np.exp(-self._margins(s, state))
        return s.mean(values if s.k == 2 else values.mean(axis=1))


@dataclass(frozen=True)
class SammeR(Real):
    """Real AdaBoost for any number of classes from probabilities: f_c = (k - 1)(ln p_c - mean ln p)."""

    def outputs(self, s: Sample) -> int:
        return s.k

    def ask(self, s: Sample, state: BoostState) -> Ask:
        own = state.F[np.arange(s.n), s.y] / (s.k - 1)
        return Ask("real", np.exp(own.min() - own))

    def loss(self, s: Sample, state: BoostState) -> float:
        return s.mean(np.exp(-state.F[np.arange(s.n), s.y] / (s.k - 1)))


@dataclass(frozen=True)
class Gentle(Booster):
    """Gentle AdaBoost: Newton steps for the exponential loss, bounded by 1."""

    rate: float = 1.0

    def ask(self, s: Sample, state: BoostState) -> Ask:
        m = s.signs * state.F[:, 0]
        return Ask("numbers", np.exp(m.min() - m), s.signs)

    def step(self, s: Sample, state: BoostState, answer: Answer) -> float | None:
        return self.rate if answer.said.any() else None

    def loss(self, s: Sample, state: BoostState) -> float:
        return s.mean(np.exp(-s.signs * state.F[:, 0]))


@dataclass(frozen=True)
class Logit(Booster):
    """LogitBoost for two classes: Newton steps for the log loss; F is half of the logit."""

    rate: float = 1.0
    z_max: float = 4.0

    def ask(self, s: Sample, state: BoostState) -> Ask:
        p = 1 / (1 + np.exp(-2 * state.F[:, 0]))
        return Ask("numbers", *newton(p, s.y == 1, self.z_max))

    def step(self, s: Sample, state: BoostState, answer: Answer) -> float | None:
        return 0.5 * self.rate if answer.said.any() else None

    def loss(self, s: Sample, state: BoostState) -> float:
        return s.mean(np.logaddexp(0.0, -2 * s.signs * state.F[:, 0]))


@dataclass(frozen=True)
class PerClass(Booster):
    """One regression a class and round; `spread(c)` deals what it says out to the outputs."""

    classes: int
    rate: float = 1.0

    @property
    def per_round(self) -> int:  # type: ignore[override]
        return self.classes

    def problem(self, s: Sample, state: BoostState) -> Any:
        """A function from a class to the weights and targets of its regression."""
        raise NotImplementedError

    def spread(self, c: int) -> np.ndarray:
        return (np.arange(self.classes) == c).astype(np.float64)

    def round(self, s: Sample, state: BoostState, learner: Any) -> str | None:
        problem = self.problem(s, state)
        answers = [
            learner.answer(Ask("numbers", *problem(c)), state.rounds * self.classes + c) for c in range(self.classes)
        ]
        if not any(one.said.any() for one in answers):
            return "no edge"
        for c, one in enumerate(answers):
            state.add(one.member, one.said, self.rate, np.nan, self.spread(c))
        return None


@dataclass(frozen=True)
class GentleClasses(PerClass):
    """Gentle AdaBoost for each class against the others."""

    def problem(self, s: Sample, state: BoostState) -> Any:
        signs = s.label_signs()
        m = signs * state.F
        w = np.exp(m.min(axis=0) - m)
        return lambda c: (w[:, c], signs[:, c])

    def loss(self, s: Sample, state: BoostState) -> float:
        return s.mean(np.exp(-s.label_signs() * state.F).mean(axis=1))


@dataclass(frozen=True)
class LogitClasses(PerClass):
    """LogitBoost for k classes: the regressions are put together so that the sum over classes is 0."""

    z_max: float = 4.0

    def problem(self, s: Sample, state: BoostState) -> Any:
        p = softmax(state.F)
        return lambda c: newton(p[:, c], s.y == c, self.z_max)

    def spread(self, c: int) -> np.ndarray:
        k = self.classes
        return (k - 1) / k * (super().spread(c) - 1 / k)

    def loss(self, s: Sample, state: BoostState) -> float:
        top = state.F.max(axis=1)
        return s.mean(top + np.log(np.exp(state.F - top[:, None]).sum(axis=1)) - state.F[np.arange(s.n), s.y])


def newton(p: np.ndarray, own: np.ndarray, z_max: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights p (1 - p) and working responses of log loss; where these would be huge they are cut."""
    w = np.maximum(p * (1 - p), 1e-24)
    return w, np.clip((own - p) / w, -z_max, z_max)


def softmax(F: np.ndarray) -> np.ndarray:
    """Class by class: where short rows meet a column, NumPy takes buffers, and ends the process if there are none."""
    e = np.empty(F.shape[::-1])
    top = F.max(axis=1)
    for c, row in enumerate(e):
        np.exp(np.subtract(F[:, c], top, out=row), out=row)
    total = e.sum(axis=0)
    for row in e:
        row /= total
    return e.T
