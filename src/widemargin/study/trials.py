"""One trial: settings of a learner on so many rows, and the losses of the rows held out.

Method   rows are made ready once for all settings of a group; settings along a path are one fit, each solution the
         start of the next. What is found is kept in the log before the search goes on.
"""

from __future__ import annotations

import math
import time as clock
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from .learners import Learner, Shape
from .tuning_log import TuningLog
from .tuning_record import Trial


@dataclass(frozen=True)
class Search:
    """What every trial has in common."""

    X: Any
    y: np.ndarray
    folds: tuple[tuple[np.ndarray, np.ndarray], ...]
    cost: np.ndarray | None
    classes: np.ndarray | None
    n_jobs: int | None


def known(
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


def built(learner: Learner, shape: Shape, setting: dict[str, Any], n_jobs: int | None) -> Any:
    estimator = learner.build(shape)
    jobs = {name: n_jobs for name in ("learn__n_jobs", "words__n_jobs") if name in estimator.get_params()}
    return estimator.set_params(**jobs, **setting)


def _fits(search: Search, shape: Shape, learner: Learner, group: list[dict[str, Any]], part: np.ndarray) -> Any:
    """(fitted last step, what makes rows ready for it) for each setting, rows made ready once."""
    whole = built(learner, shape, group[0], search.n_jobs)
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
