"""Which learner, with which settings? A search that any clock or interruption leaves with the same answer.

Problem  the least mean loss on held-out rows: share of errors, mean cost, or squared error
Symbols  rungs: numbers of rows to learn from, each about three times the one before
Stops when  the last rung is done. What is tried on which rung follows from the size of the data, the seconds asked for
         and the losses before it; measured times have no say
Method   successive halving over rows [JamiesonTalwalkar16]: every setting on few rows, the best third on more; settings
         along a path are one fit. rule="one-se": the simplest setting of the winning learner whose loss is within one
         standard error of the best [BreimanEtAl84, §3.4.3]; rule="knee": the knee of the loss along the path
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import _safe_indexing

from ..base.errors import BadInput
from ..model.curve import knee
from .learners import Learner, Shape, chosen, shape_of
from .tuning_log import TuningLog
from .tuning_record import Trial, Tuning

RULES = ("best", "one-se", "knee")
KEPT = 1 / 3  # of the groups go on to the next rung
FEW = 300  # rows of the first rung at least
FIRST = 0.35  # of the time may go into the first rung
LATER = 0.4  # of the time may go into each rung after it
SHARE = 0.4  # of the time may go into one group on the last rung
ONCE = 5000  # above so many rows one quarter is held out once


@dataclass(frozen=True)
class Search:
    """What every trial has in common."""

    X: Any
    y: np.ndarray
    folds: tuple[tuple[np.ndarray, np.ndarray], ...]
    cost: np.ndarray | None
    classes: np.ndarray | None
    n_jobs: int | None


def tune(
    X: Any,
    y: Any,
    *,
    kind: str = "classes",
    learners: Sequence[str] | None = None,
    time: float = 60.0,
    cv: int | None = None,
    validation: float | None = None,
    groups: Any = None,
    cost: Any = None,
    rule: str = "best",
    log: Any = None,
    resume: bool = False,
    digest: str = "",
    random_state: int = 0,
    n_jobs: int | None = None,
    observe: Callable[[int, int, Trial], Any] | None = None,
) -> Tuning:
    """Compare learners and their settings on held-out rows.

    Parameters
    ----------
    X : array, CSR matrix, or list of texts
    y : array of labels or numbers
    kind : {"classes", "numbers"}
    learners : sequence of str, optional
        Names of the field; all that suit the rows by default.
    time : float, default=60
        About how many seconds of one core the search may plan for. It says what is tried; no clock cuts anything off.
    cv : int, optional
        Folds. By default five up to 5,000 rows, above that a quarter of the rows is held out once.
    validation : float, optional
        Hold out about this share of the rows, at most one half, once, instead of folds.
    groups : array of int, optional
        Rows of one number, copies of one row for instance, are never parted.
    cost : array of shape (k, k), optional
        cost[i, j] of a row of class i that is called j.
    rule : {"best", "one-se", "knee"}, default="best"
    log : path, optional
        Every result is kept there at once.
    resume : bool, default=False
        Go on from such a log.
    digest : str
        Says which data these are; a log of other data is refused.
    random_state : int
    n_jobs : int, optional
    observe : callable, optional
        observe(groups done, groups in all, the trial just made).

    Returns
    -------
    Tuning
    """
    if rule not in RULES:
        raise BadInput(f"rule={rule!r} must be one of {', '.join(RULES)}")
    if not time > 0:
        raise BadInput(f"time={time!r}: a positive number of seconds is needed")
    y = np.asarray(y)
    shape = shape_of(X, y, kind)
    folds = _folds(y, kind, cv, groups, random_state, validation)
    price = None if cost is None else np.asarray(cost, dtype=np.float64)
    search = Search(X, y, folds, price, np.unique(y) if kind == "classes" else None, n_jobs)
    header = {
        "search": 1,
        "digest": digest,
        "shape": {name: value for name, value in vars(shape).items() if isinstance(value, str | int)},
        "learners": None if learners is None else list(learners),
        "time": time,
        "cv": cv,
        "validation": validation,
        "cost": None if price is None else price.tolist(),
        "random_state": random_state,
    }
    book = TuningLog(log, header, resume=resume)
    entrants = chosen(learners, shape)
    rungs, entered, left_out = _plan(entrants, shape, search, time)
    trials = _halved(book, search, shape, rungs, entered, time, observe)
    winner = _winner([t for t in trials if t.rows == rungs[-1]], entrants, rule)
    made_by = next(learner for learner in entrants if learner.name == winner.learner)
    return Tuning(
        measure="mean squared error" if kind == "numbers" else "mean cost" if cost is not None else "share of errors",
        rule=rule,
        trials=tuple(trials),
        winner=winner,
        estimator=_built(made_by, shape, winner.setting, n_jobs),
        folds=f"{len(folds)} folds" if len(folds) > 1 else f"{len(folds[0][1])} rows held out",
        rows=shape.n,
        left_out=tuple(left_out),
    )


def _halved(
    book: TuningLog,
    search: Search,
    shape: Shape,
    rungs: list[int],
    entered: list[tuple[Learner, list[dict[str, Any]]]],
    time: float,
    observe: Callable[[int, int, Trial], Any] | None,
) -> list[Trial]:
    """All trials: every group on the first rung, the best third of them, as far as the time allows, on the next."""
    trials: list[Trial] = []
    for number, rows in enumerate(rungs):
        found = []
        for place, (learner, group) in enumerate(entered):
            made = _known(book, search, shape, learner, group, rows)
            trials += made
            found.append(min(trial.loss for trial in made))
            if observe is not None:
                observe(place + 1 + number * len(entered), len(rungs) * len(entered), made[-1])
        if number + 1 < len(rungs):
            keep = max(3, math.ceil(KEPT * len(entered)))
            order = sorted(range(len(entered)), key=lambda i: (found[i], i))[:keep]
            spent = np.cumsum([len(search.folds) * entered[i][0].cost(shape.of(rungs[number + 1])) for i in order])
            order = order[: max(1, int(np.count_nonzero(spent <= LATER * time)))]
            entered = [entered[i] for i in sorted(order)]
    return trials


# ---- the plan --------------------------------------------------------------------------------------------------------


def _folds(
    y: np.ndarray, kind: str, cv: int | None, groups: Any, random_state: int, validation: float | None = None
) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Rows to learn from, in an order of which any first part is a fair sample, and rows held out."""
    n = len(y)
    least = n
    if kind == "classes":
        classes, counts = np.unique(y, return_counts=True)
        least = int(counts.min())
        if len(classes) < 2:
            raise BadInput(f"all {n} rows have the label {classes[0]!r}: there is nothing to decide")
    if cv is not None and (cv < 2 or cv > n):
        raise BadInput(f"cv={cv}: from 2 to {n} folds are possible for {n} rows")
    if validation is not None and not (cv is None and 0 < validation <= 0.5):
        raise BadInput(f"validation={validation!r}: a share above 0 and at most 0.5, and no cv beside it")
    once = validation is not None or (cv is None and n > ONCE)
    folds = min(n, round(1 / validation)) if validation else cv or (4 if once else min(5, n))
    stratified = kind == "classes" and least >= folds
    splitters = (GroupKFold, StratifiedGroupKFold) if groups is not None else (KFold, StratifiedKFold)
    splitter: Any = splitters[stratified](folds, shuffle=True, random_state=random_state)
    rng = np.random.default_rng(random_state)
    parts = [(rng.permutation(train), held) for train, held in splitter.split(np.zeros(n), y, groups)]
    return tuple(parts[:1] if once else parts)


def _plan(
    learners: list[Learner], shape: Shape, search: Search, time: float
) -> tuple[list[int], list[tuple[Learner, list[dict[str, Any]]]], list[str]]:
    """Numbers of rows, and who enters; a learner that would be too slow on the last rung does not."""
    folds, n = len(search.folds), len(search.folds[0][0])
    entered, left_out = [], []
    for learner in learners:
        needed = folds * learner.cost(shape.of(n))
        if needed > SHARE * time:
            left_out.append(f"{learner.name} was left out: a fit to all rows takes about {needed:.0f} s")
        else:
            entered += [(learner, group) for group in learner.groups()]
    if not entered:  # a search ends with a winner, however little time there is
        quickest = min(learners, key=lambda learner: learner.cost(shape.of(n)))
        entered = [(quickest, group) for group in quickest.groups()]
        left_out = [sentence for sentence in left_out if not sentence.startswith(f"{quickest.name} ")]

    def first(rows: int) -> float:
        return folds * sum(learner.cost(shape.of(rows)) for learner, _ in entered)

    rungs = [n]
    while first(rungs[0]) > FIRST * time and rungs[0] > FEW:
        rungs.insert(0, max(FEW, rungs[0] // 3))
    return rungs, entered, left_out


# ---- one trial -------------------------------------------------------------------------------------------------------


def _known(
    book: TuningLog, search: Search, shape: Shape, learner: Learner, group: list[dict[str, Any]], rows: int
) -> list[Trial]:
    """From the log, or tried now and kept there."""
    name = f"{learner.name} {group[0]} {len(group)} {rows}"
    if name not in book.known:
        book.add(name, [trial.to_dict() for trial in _tried(search, shape, learner, group, rows)])
    return [Trial(**plain) for plain in book.known[name]]


def _tried(search: Search, shape: Shape, learner: Learner, group: list[dict[str, Any]], rows: int) -> list[Trial]:
    answers: list[list[np.ndarray]] = [[] for _ in group]
    gaps: list[float | None] = [None] * len(group)
    began = clock.perf_counter()
    for train, held in search.folds:
        part = train[:rows]
        if search.classes is not None:
            part = _with_all_classes(train, part, search.y)
        fits = _fits(search, shape, learner, group, part)
        for place, (model, ready) in enumerate(fits):
            answers[place].append(_answers(model, ready(_safe_indexing(search.X, held)), search))
            gaps[place] = _worse(gaps[place], getattr(getattr(model, "certificate_", None), "relative_gap", None))
    seconds = (clock.perf_counter() - began) / len(group)
    truth = np.concatenate([search.y[held] for _, held in search.folds])
    made = []
    for place, setting in enumerate(group):
        losses, threshold = _losses(truth, np.concatenate(answers[place]), search)
        se = float(losses.std(ddof=1) / math.sqrt(len(losses))) if len(losses) > 1 else 0.0
        made.append(Trial(learner.name, setting, rows, float(losses.mean()), se, seconds, gaps[place], threshold))
    return made


def _with_all_classes(train: np.ndarray, part: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A small sample must not lose a class."""
    lost = np.setdiff1d(y[train], y[part])
    return np.concatenate([part, *(train[y[train] == label][:2] for label in lost)]) if len(lost) else part


def _built(learner: Learner, shape: Shape, setting: dict[str, Any], n_jobs: int | None) -> Any:
    estimator = learner.build(shape)
    jobs = {name: n_jobs for name in ("learn__n_jobs", "words__n_jobs") if name in estimator.get_params()}
    return estimator.set_params(**jobs, **setting)


def _fits(search: Search, shape: Shape, learner: Learner, group: list[dict[str, Any]], part: np.ndarray) -> Any:
    """(fitted last step, what makes rows ready for it) for each setting, rows made ready once."""
    whole = _built(learner, shape, group[0], search.n_jobs)
    if not hasattr(whole, "steps"):
        yield clone(whole).fit(_safe_indexing(search.X, part), search.y[part]), lambda rows: rows
        return
    first, last = whole[:-1], whole[-1]
    X, y = _safe_indexing(search.X, part), search.y[part]
    ready = (lambda rows: rows) if len(first) == 0 else first.transform
    Z = X if len(first) == 0 else first.fit_transform(X)
    inner = [{key.removeprefix("learn__"): value for key, value in setting.items()} for setting in group]
    if learner.along and hasattr(last, "path"):
        path = last.set_params(**{k: v for k, v in inner[0].items() if k != "C"}).path(Z, y, [s["C"] for s in inner])
        by_C = dict(zip(path.Cs.tolist(), path.models, strict=True))
        for setting in inner:
            yield by_C[setting["C"]], ready
        return
    for setting in inner:
        yield clone(last).set_params(**setting).fit(Z, y), ready


def _answers(model: Any, rows: Any, search: Search) -> np.ndarray:
    """What the losses are counted from: predictions, or with costs of two classes scores of the second."""
    if search.cost is not None and search.classes is not None and len(search.classes) == 2:
        if hasattr(model, "predict_proba"):
            return model.predict_proba(rows)[:, 1]
        return np.asarray(model.decision_function(rows), dtype=np.float64)
    return np.asarray(model.predict(rows))


def _losses(truth: np.ndarray, answers: np.ndarray, search: Search) -> tuple[np.ndarray, float | None]:
    if search.classes is None:
        return (truth - answers) ** 2, None
    if search.cost is None:
        return (truth != answers).astype(np.float64), None
    codes = np.searchsorted(search.classes, truth)
    if len(search.classes) == 2:
        threshold = cheapest_threshold(codes, answers, search.cost)
        return search.cost[codes, (answers >= threshold).astype(int)], threshold
    return search.cost[codes, np.searchsorted(search.classes, answers)], None


def cheapest_threshold(codes: np.ndarray, scores: np.ndarray, cost: np.ndarray) -> float:
    """The score from which on calling class 1 costs least in all; between two scores, the middle."""
    order = np.argsort(scores, kind="stable")
    s, c = scores[order], codes[order]
    as_one, as_zero = cost[c, 1], cost[c, 0]
    total = np.concatenate([[0.0], np.cumsum(as_zero)]) + np.concatenate([np.cumsum(as_one[::-1])[::-1], [0.0]])
    allowed = np.concatenate([[True], s[1:] > s[:-1], [True]])
    best = int(np.argmin(np.where(allowed, total, np.inf)))
    if best == 0:
        return float(np.nextafter(s[0], -np.inf))
    return float(np.nextafter(s[-1], np.inf)) if best == len(s) else float((s[best - 1] + s[best]) / 2)


def _worse(a: float | None, b: Any) -> float | None:
    return a if b is None or not np.isfinite(b) else float(b) if a is None else max(a, float(b))


# ---- the choice ------------------------------------------------------------------------------------------------------


def _winner(last: list[Trial], learners: list[Learner], rule: str) -> Trial:
    best = min(last, key=lambda trial: trial.loss)  # of equal losses the first, which is the simpler one
    if rule == "best":
        return best
    learner = next(learner for learner in learners if learner.name == best.learner)
    own = {repr(trial.setting): trial for trial in last if trial.learner == best.learner}
    ordered = [own[repr(setting)] for setting in learner.settings if repr(setting) in own]
    if rule == "one-se":
        return next(trial for trial in ordered if trial.loss <= best.loss + best.se)
    rest = {key: value for key, value in best.setting.items() if key != learner.along}
    path = [t for t in ordered if {k: v for k, v in t.setting.items() if k != learner.along} == rest]
    if not learner.along or len(path) < 3:
        return best
    values = np.array([trial.setting[learner.along] for trial in path])
    return path[knee(values, -np.array([trial.loss for trial in path]))]
