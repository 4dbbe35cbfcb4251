"""Is an average of the best learners better than the best of them?

Problem  min w'Aw over w >= 0 with sum 1, where A_ij is the mean of (p_i - t)(p_j - t) over held-out rows: the squared
         error of the average of answers p_i (probabilities, or numbers) to targets t
Stops when  the gap w'Aw - min_i (Aw)_i is below 1e-10 of w'Aw: no weights have an error lower by twice as much
Method   stacking with weights that make an average [Breiman96Stacked, §2]; Frank-Wolfe steps between two members
         [LacosteJaggi15, Algorithm 3]. The loss is that of weights found without the rows they are judged on. The
         average wins unless its loss is above that of the best single setting by more than one standard error of the
         difference: that one was chosen as the best of many on these very rows, which flatters it
"""

from __future__ import annotations

import math
import time as clock
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ..estimator.average import AverageClassifier, AverageRegressor
from .learners import Learner, Shape
from .trials import Search, built
from .tuning_log import TuningLog
from .tuning_record import Trial

NAME = "average"
SHARE = 0.2  # of the time, with the last fit to all rows
MOST = 6  # members
LEAST = 0.02  # weight of a member
ENOUGH = 5  # rows of every class, for the folds of probabilities
WITH_PROBABILITIES = 2.0  # paths' times: one setting takes a third of a path, six fits are made
GUESSES = ("most frequent", "mean")


@dataclass(frozen=True)
class Averaged:
    """Settings with their weights; loss, error and the figures by which it was compared with the best of them."""

    members: list[list[Any]]  # learner, setting, weight
    loss: float
    se: float
    better: bool
    seconds: float

    def trial(self, rows: int) -> Trial:
        weights = {learner: round(weight, 4) for learner, _, weight in self.members}
        return Trial(NAME, weights, rows, self.loss, self.se, self.seconds)


def averaged(
    book: TuningLog, search: Search, shape: Shape, board: list[Trial], learners: list[Learner], time: float
) -> Averaged | None:
    """The best setting of each learner of the leaderboard, weighed; None without the first and one more."""
    members = _affordable(search, shape, board, learners, time)
    if len(members) < 2 or members[0][1] is not board[0]:
        return None
    name = f"{NAME} {[(trial.learner, trial.setting) for _, trial in members]}"
    if name not in book.known:
        found = _weighed(search, shape, members)
        book.add(name, None if found is None else asdict(found))
    kept = book.known[name]
    return None if kept is None else Averaged(**kept)


def average_of(found: Averaged, shape: Shape, learners: list[Learner], n_jobs: int | None) -> Any:
    """The average, not fitted."""
    made_by = {learner.name: learner for learner in learners}
    members = [(name, _member(made_by[name], shape, setting, n_jobs)) for name, setting, _ in found.members]
    kind = AverageClassifier if shape.kind == "classes" else AverageRegressor
    return kind(members, weights=[weight for *_, weight in found.members])


def _member(learner: Learner, shape: Shape, setting: dict[str, Any], n_jobs: int | None) -> Any:
    estimator = built(learner, shape, setting, n_jobs)
    wants = shape.kind == "classes" and "learn__probability" in estimator.get_params()
    return estimator.set_params(learn__probability=True) if wants else estimator


def _affordable(
    search: Search, shape: Shape, board: list[Trial], learners: list[Learner], time: float
) -> list[tuple[Learner, Trial]]:
    """From the top of the leaderboard, as many as the time allows."""
    made_by = {learner.name: learner for learner in learners}
    n, left = len(search.folds[0][0]), SHARE * time
    few = search.classes is not None and np.unique(search.y, return_counts=True)[1].min() < ENOUGH
    members: list[tuple[Learner, Trial]] = []
    for trial in board:
        learner = made_by[trial.learner]
        extra = "learn__probability" in built(learner, shape, trial.setting, None).get_params()
        if trial.learner in GUESSES or (few and extra) or len(members) == MOST:
            continue
        seconds = len(search.folds) * learner.cost(shape.of(n)) + learner.cost(shape)
        seconds *= WITH_PROBABILITIES if extra else 1.0
        if seconds <= left:
            left -= seconds
            members.append((learner, trial))
    return members


# ---- held-out answers ------------------------------------------------------------------------------------------------


def _weighed(search: Search, shape: Shape, members: list[tuple[Learner, Trial]]) -> Averaged | None:
    began = clock.perf_counter()
    held = np.concatenate([rows for _, rows in search.folds])
    answers = np.stack([_held_out(_member(one, shape, t.setting, search.n_jobs), search) for one, t in members])
    y = search.y[held]
    target = y[:, None] if search.classes is None else y[:, None] == search.classes
    errors = answers - target.astype(np.float64)
    weights = simplex_weights(_products(errors))
    weights = np.where(weights >= LEAST, weights, 0.0)
    taken = np.flatnonzero(weights)
    if len(taken) < 2:
        return None
    weights = simplex_weights(_products(errors[taken]))
    judged = _cross_weighed(errors[taken], answers[taken], search)
    ours, other = _losses(judged, y, search), _losses(answers[0], y, search)  # the first is the best single setting
    worse = ours - other
    return Averaged(
        [[members[i][0].name, members[i][1].setting, float(w)] for i, w in zip(taken, weights, strict=True)],
        float(ours.mean()),
        _error(ours),
        bool(worse.mean() <= _error(worse)),
        clock.perf_counter() - began,
    )


def _held_out(estimator: Any, search: Search) -> np.ndarray:
    """Probabilities (n x k) or numbers (n x 1) of all held-out rows, fold after fold."""
    found = []
    for train, held in search.folds:
        model = clone(estimator).fit(_safe_indexing(search.X, train), search.y[train])
        rows = _safe_indexing(search.X, held)
        if search.classes is None:
            found.append(np.asarray(model.predict(rows), dtype=np.float64)[:, None])
            continue
        told = np.zeros((len(held), len(search.classes)))  # a fold may lack a class
        told[:, np.searchsorted(search.classes, model.classes_)] = model.predict_proba(rows)
        found.append(told)
    return np.concatenate(found)


def _cross_weighed(errors: np.ndarray, answers: np.ndarray, search: Search) -> np.ndarray:
    """Averages of which no row had a say in its own weights."""
    sizes = [len(held) for _, held in search.folds]
    part = np.repeat(np.arange(len(sizes)), sizes) if len(sizes) > 1 else np.arange(sizes[0]) % 5
    judged = np.empty_like(answers[0])
    for fold in np.unique(part):
        weights = simplex_weights(_products(errors[:, part != fold]))
        judged[part == fold] = np.tensordot(weights, answers[:, part == fold], 1)
    return judged


def _losses(answers: np.ndarray, y: np.ndarray, search: Search) -> np.ndarray:
    """Squared errors, wrong classes, or the costs of the classes that cost least on the average."""
    if search.classes is None:
        return (y - answers[:, 0]) ** 2
    codes = np.searchsorted(search.classes, y)
    if search.cost is None:
        return (codes != answers.argmax(axis=1)).astype(np.float64)
    return search.cost[codes, (answers @ search.cost).argmin(axis=1)]


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else 0.0


# ---- weights ---------------------------------------------------------------------------------------------------------


def _products(errors: np.ndarray) -> np.ndarray:
    """A of the problem, from errors of shape (members, rows, outputs)."""
    flat = errors.reshape(len(errors), -1)
    return flat @ flat.T / errors.shape[1]


def simplex_weights(A: np.ndarray) -> np.ndarray:
    """The w >= 0 with sum 1 of least w'Aw."""
    w = np.full(len(A), 1 / len(A))
    for _ in range(10_000):
        g = A @ w
        if w @ g - g.min() <= 1e-10 * (w @ g):
            break
        i, j = int(g.argmin()), int(np.where(w > 0, g, -np.inf).argmax())
        bend = A[i, i] - 2 * A[i, j] + A[j, j]
        step = min(w[j], (g[j] - g[i]) / bend) if bend > 0 else w[j]
        w[i], w[j] = w[i] + step, w[j] - step
    return w
