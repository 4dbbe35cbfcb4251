"""Weak learners, all behind one door: an `Ask` about weighted rows, and an `Answer` that says something of each row.

Problem  by the kind of the ask, with weights w of the rows of a sample and Y = +-1 for two classes:
           signs     h in {-1, 1} with a large edge sum w Y h
           classes   h in 0 .. k-1, right for rows of large weight
           sets      for each class 0 or 1, with a large sum of v over classes that it names (v: signed weights)
           many      for each class -1 or 1, with a large edge sum v h
           real      a number c for each side of a question, with a small sum w exp(-Y c); or one for each class
           numbers   least squares: a small sum w (z - h)^2
Method   stumps: the best there is, by core/solver/stumps.hpp; estimators: whatever their `fit` finds with such weights,
         or with rows drawn by them
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from .. import _core
from ..base.seeds import keyed
from ..model.stumps import Stumps

ABSOLUTE, POSITIVE, HEAVIEST, SQUARES, ROOTS = range(5)


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of a fit as boosters see them: codes of classes or numbers, weights, for two classes signs."""

    X: Any
    y: np.ndarray
    u: np.ndarray | None
    k: int  # classes; 0 for numbers

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def signs(self) -> np.ndarray:
        return np.where(self.y == 1, 1.0, -1.0)

    @property
    def weight(self) -> float:
        return float(self.n if self.u is None else self.u.sum())

    def mean(self, values: np.ndarray) -> float:
        return float(values.mean() if self.u is None else np.average(values, weights=self.u))

    def label_signs(self) -> np.ndarray:
        """1 for the class of a row, -1 for the others."""
        out = np.full((self.n, self.k), -1.0)
        out[np.arange(self.n), self.y] = 1.0
        return out


@dataclass(frozen=True, eq=False)
class Ask:
    """What is wanted; `v` are weights, one a row or one a row and class, `z` numbers to come close to."""

    kind: str
    v: np.ndarray
    z: np.ndarray | None = None
    smoothing: float = 0.0


@dataclass(frozen=True, eq=False)
class Answer:
    """A weak learner: what it is, what it says of the rows, and which share of the weight it gets wrong."""

    member: Any
    said: np.ndarray  # one line a row
    error: float  # (1 - edge) / 2; NaN where it has no meaning


class StumpLearner:
    """The best stump for every ask, on columns that were ranked once."""

    def __init__(self, sample: Sample, least_share: float = 0.0, threads: int = 1) -> None:
        self.sample, self.threads = sample, threads
        order, positives = None, sample.n
        if sample.k == 2:  # rows of the second class first: see core/solver/stumps.hpp
            self.order = np.argsort(sample.y == 0, kind="stable").astype(np.uint32)
            order, positives = self.order, int((sample.y == 1).sum())
        else:
            self.order = np.arange(sample.n, dtype=np.uint32)
        weight = None if sample.u is None else np.ascontiguousarray(sample.u[self.order])
        self.ground = _core.StumpGround(sample.X, order, positives, weight, least_share, threads)
        self.codes = np.ascontiguousarray(sample.y[self.order] if sample.k else self.order, dtype=np.int32)
        self._sides, self._back = np.empty(sample.n, np.uint8), np.argsort(self.order)

    def answer(self, ask: Ask, t: int = 0) -> Answer:
        gain, v, only, k = self._question(ask)
        rows = np.ascontiguousarray(v[self.order] if v.ndim == 2 else v[self.order, None])
        column, cut, threshold, constant, best, total, sums = self.ground.best(gain, rows, only, k, self.threads)
        values = side_values(ask, sums.reshape(3, k), total, constant)
        self.ground.sides(column, cut, self._sides)
        share = best / total if total > 0 else 0.0
        error = {"signs": 0.5 - 0.5 * share, "many": 0.5 - 0.5 * share, "classes": 1.0 - share, "sets": 0.5 - share}
        stump = Stumps(np.array([column]), np.array([threshold], np.float32), values[None], np.ones(1))
        return Answer(stump, values[self._sides[self._back]], max(error.get(ask.kind, np.nan), 0.0))

    def says(self, member: Stumps) -> np.ndarray:
        """What a stump that was found before says of the rows."""
        return member.says(0, self.sample.X)

    def _question(self, ask: Ask) -> tuple[int, np.ndarray, np.ndarray | None, int]:
        """(gain, numbers by channel, the channel of each row, channels)."""
        s = self.sample
        if ask.kind == "signs":
            return ABSOLUTE, ask.v * s.signs, None, 1
        if ask.kind == "classes":
            return HEAVIEST, ask.v, self.codes, s.k
        if ask.kind in ("sets", "many"):
            return (POSITIVE if ask.kind == "sets" else ABSOLUTE), ask.v, None, s.k
        if ask.kind == "numbers":
            return SQUARES, np.column_stack([ask.v, ask.v * ask.z]), None, 2
        if ask.v.ndim == 1:
            return ROOTS, ask.v, 1 - self.codes, 2
        pairs = np.zeros((s.n, s.k, 2))
        own: np.ndarray = np.greater(s.label_signs(), 0)
        pairs[..., 0][own], pairs[..., 1][~own] = ask.v[own], ask.v[~own]
        return ROOTS, pairs.reshape(s.n, 2 * s.k), None, 2 * s.k


def side_values(ask: Ask, sums: np.ndarray, total: float, constant: bool) -> np.ndarray:
    """What left, right and missing say. A side without weight says what all rows say."""
    whole = sums[0] if constant else sums.sum(axis=0)
    sums = np.where(sums.any(axis=1, keepdims=True), sums, whole)
    if ask.kind in ("signs", "many"):
        return np.where(sums >= 0, 1.0, -1.0)
    if ask.kind == "classes":
        return (sums.argmax(axis=1)[:, None] == np.arange(sums.shape[1])).astype(np.float64)
    if ask.kind == "sets":
        return (sums > 0).astype(np.float64)
    if ask.kind == "numbers":
        return np.divide(sums[:, 1:], sums[:, :1], out=np.zeros((3, 1)), where=sums[:, :1] > 0)
    pairs = sums.reshape(3, -1, 2) + ask.smoothing * total
    with np.errstate(divide="ignore"):
        return np.clip(0.5 * np.log(pairs[..., 0] / pairs[..., 1]), -LARGEST, LARGEST)


LARGEST = 13.8  # of a real answer: shares are kept from 0 and 1 by 1e-12


HEAVY = 1e29  # weights that no estimator is given
ATTEMPTS = 3  # draws of a round


class EstimatorLearner:
    """Copies of an estimator, one for each ask.

    `drawn`: rows are drawn by their weights instead of weighted, which also serves estimators that know no weights.
    None: only where one with weights makes no error, for it would be the same in every round from then on. One from a
    draw that makes no error is tried again.
    """

    def __init__(self, sample: Sample, template: Any, labels: np.ndarray, seed: int, drawn: bool | None) -> None:
        self.sample, self.template, self.labels, self.seed, self.drawn = sample, template, labels, seed, drawn
        self.seen = np.zeros(sample.n, bool)  # rows that were drawn since somebody looked

    def answer(self, ask: Ask, t: int = 0) -> Answer:
        if not self.drawn:
            answer = self._answer(ask, t, None)
            if self.drawn is not None or answer.error != 0:
                return answer
        for attempt in range(ATTEMPTS):
            answer = self._answer(ask, t, ATTEMPTS * t + attempt)
            if answer.error != 0:
                break
        return answer

    def says(self, member: Any) -> np.ndarray:
        """What a real answer of before says of the rows."""
        return what_it_says(member, self.sample.X, "real", self.labels)

    def _answer(self, ask: Ask, t: int, draw: int | None) -> Answer:
        """`draw`: the number of the draw of rows; None: weights."""
        s = self.sample
        w = np.abs(ask.v) if ask.v.ndim == 1 else np.abs(ask.v).sum(axis=1)
        w = w / w.max()
        given = w.astype(np.float32).astype(np.float64)  # their sums are exact, and do not depend on the order
        if s.u is not None:
            w, given = w * s.u, given * s.u
        scale = 2.0 ** np.round(np.log2(s.weight / given.sum()))  # about 1 a row
        scale = scale if given.max() * scale < HEAVY else 1.0
        model = self._fitted(given * scale, s.y if ask.z is None else ask.z, ask, t, draw)
        w = w / w.sum()
        said = what_it_says(model, s.X, ask.kind, self.labels)
        error = np.nan
        if ask.kind == "signs":
            error = float(w[said[:, 0] != s.signs].sum())
        elif ask.kind == "classes":
            error = float(w[said.argmax(axis=1) != s.y].sum())
        elif ask.kind in ("sets", "many"):
            total = np.abs(ask.v) if s.u is None else np.abs(ask.v) * s.u[:, None]
            edge = (ask.v * said if s.u is None else ask.v * said * s.u[:, None]).sum() / total.sum()
            error = 0.5 - 0.5 * edge if ask.kind == "many" else 0.5 - edge
        return Answer(model, said, error)

    def _fitted(self, w: np.ndarray, targets: np.ndarray, ask: Ask, t: int, draw: int | None) -> Any:
        model = clone(self.template)
        if "random_state" in model.get_params():
            model.set_params(random_state=int(keyed(self.seed, "learner", t).integers(2**31)))
        targets = targets if ask.kind == "numbers" else self.labels[targets]
        if draw is None:
            model.fit(self.sample.X, targets, sample_weight=w)
            return model
        rows = keyed(self.seed, "sample", draw).choice(self.sample.n, self.sample.n, p=w / w.sum())
        if self.sample.k:  # each class has its heaviest row at least
            absent = np.setdiff1d(np.arange(self.sample.k), self.sample.y[rows])
            rows = np.append(rows, [np.argmax(w * (self.sample.y == c)) for c in absent]).astype(np.intp)
        rows = np.sort(rows)
        self.seen[rows] = True
        model.fit(self.sample.X[rows], targets[rows])
        return model


def what_it_says(model: Any, X: Any, kind: str, labels: np.ndarray) -> np.ndarray:
    """What a fitted estimator says of rows, in the form that the kind of ask has."""
    if kind == "numbers":
        return np.asarray(model.predict(X), dtype=np.float64).reshape(-1, 1)
    k = len(labels)
    if kind in ("sets", "real") and hasattr(model, "predict_proba"):
        shares = np.zeros((X.shape[0], k))
        shares[:, np.searchsorted(labels, model.classes_)] = model.predict_proba(X)
        if kind == "sets":
            return shares
        logs = np.log(np.clip(shares, 1e-12, 1 - 1e-12))
        return 0.5 * (logs[:, 1:] - logs[:, :1]) if k == 2 else (k - 1) * (logs - logs.mean(axis=1, keepdims=True))
    codes = np.searchsorted(labels, model.predict(X))
    if kind in ("signs", "real") and k == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    named = (codes[:, None] == np.arange(k)).astype(np.float64)
    return named if kind in ("classes", "sets") else 2 * named - 1
