"""The one look at the test rows: figures, and what the report draws of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from ..study.evaluation import Evaluation, RegressionErrors, confusion_of
from .explain import explanation
from .reading import Learnable

_POINTS = 400  # of a cloud that is drawn
_ROWS = 8  # of a list that is shown
_QUANTILES = 101
_BINS = 10


@dataclass(frozen=True, eq=False)
class Judged:
    """`figures` of the test rows, `pages` for the report, the certificate, and the loss of the plainest guess."""

    figures: dict[str, Any]
    pages: dict[str, Any]
    certificate: dict[str, Any] | None
    baseline: float
    loss: float


def judge(estimator: Any, data: Learnable, train: np.ndarray, test: np.ndarray, cost: np.ndarray | None) -> Judged:
    X, y = _safe_indexing(data.X, test), data.y[test]
    certificate = certificate_of(estimator)
    pages: dict[str, Any] = {"explanation": explanation(estimator, data, X, y)}
    if data.kind == "numbers":
        figures, loss, baseline = _numbers(estimator, X, y, data.y[train], test, pages)
    else:
        figures, loss, baseline = _classes(estimator, data, train, test, cost, pages)
    return Judged(figures, pages, certificate, baseline, loss)


def certificate_of(estimator: Any) -> dict[str, Any] | None:
    """Of the learner at the end of a pipeline, in words and figures."""
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    found = getattr(last, "certificate_", None)
    return None if found is None else {"words": str(found), **found.to_dict()}


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _numbers(
    estimator: Any, X: Any, y: np.ndarray, learnt: np.ndarray, test: np.ndarray, pages: dict[str, Any]
) -> tuple[dict[str, Any], float, float]:
    called = np.asarray(estimator.predict(X), dtype=np.float64)
    errors = RegressionErrors()
    errors.add(y.astype(np.float64), called)
    figures = errors.to_dict()
    squares = (y - called) ** 2
    half = 1.96 * squares.std(ddof=1) / math.sqrt(len(y)) if len(y) > 1 else 0.0
    figures["mean_squared_error_interval"] = [max(0.0, float(squares.mean() - half)), float(squares.mean() + half)]
    few = _few(len(y))
    pages["cloud"] = {"truth": y[few].tolist(), "called": called[few].tolist()}
    worst = np.argsort(-squares, kind="stable")[:_ROWS]
    pages["most_wrong"] = [{"row": int(test[i]), "truth": float(y[i]), "called": float(called[i])} for i in worst]
    return figures, float(squares.mean()), float(((y - learnt.mean()) ** 2).mean())


# ---- classes ---------------------------------------------------------------------------------------------------------


def _classes(
    estimator: Any,
    data: Learnable,
    train: np.ndarray,
    test: np.ndarray,
    cost: np.ndarray | None,
    pages: dict[str, Any],
) -> tuple[dict[str, Any], float, float]:
    classes = np.unique(data.y)
    k, y = len(classes), np.searchsorted(classes, data.y[test])
    X = _safe_indexing(data.X, test)
    called = np.searchsorted(classes, estimator.predict(X))
    found = Evaluation(tuple(classes.tolist()), confusion_of(y, called, k), cost)
    figures = found.to_dict()
    usual = np.bincount(np.searchsorted(classes, data.y[train]), minlength=k)
    guess = int(usual.argmax()) if cost is None else int((usual @ cost).argmin())
    baseline = float((y != guess).mean()) if cost is None else float(cost[y, guess].mean())
    loss = 1 - found.accuracy if cost is None else float(cost[y, called].mean())
    if hasattr(estimator, "predict_proba") and len(estimator.classes_) == k:
        p = np.asarray(estimator.predict_proba(X))
        pages |= _probabilities(p, y, classes)
        figures["log_loss"] = float(-np.log(np.clip(p[np.arange(len(y)), y], 1e-15, 1)).mean())
        part = train[_few(len(train), 2000)]
        own = np.asarray(estimator.predict_proba(_safe_indexing(data.X, part)))
        margins = _margins(p, y)
        pages["margins"] = {
            "test": _curve(margins),
            "train": _curve(_margins(own, np.searchsorted(classes, data.y[part]))),
        }
        order = np.argsort(margins, kind="stable")
        pages["most_wrong"] = [_row(data, test, classes, i, y, called, p) for i in order[:_ROWS]]
        sure = np.argsort(np.abs(margins), kind="stable")
        pages["least_sure"] = [_row(data, test, classes, i, y, called, p) for i in sure[:_ROWS]]
    return figures, loss, baseline


def _margins(p: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Probability of the true class minus the largest of the others."""
    own = p[np.arange(len(y)), y]
    others = p.copy()
    others[np.arange(len(y)), y] = -np.inf
    return own - others.max(axis=1)


def _curve(values: np.ndarray) -> list[float]:
    return np.quantile(values, np.linspace(0, 1, _QUANTILES)).round(5).tolist()


def _row(
    data: Learnable, test: np.ndarray, classes: np.ndarray, i: int, y: np.ndarray, called: np.ndarray, p: np.ndarray
) -> dict[str, Any]:
    words = str(data.X[test[i]])[:160] if data.is_text else ""
    return {
        "row": int(test[i]),
        "truth": classes[y[i]].item() if hasattr(classes[y[i]], "item") else classes[y[i]],
        "called": classes[called[i]].item() if hasattr(classes[called[i]], "item") else classes[called[i]],
        "probability": float(p[i, y[i]]),
        "text": words,
    }


def _probabilities(p: np.ndarray, y: np.ndarray, classes: np.ndarray) -> dict[str, Any]:
    """How honest the probabilities are; for two classes also what every threshold would give."""
    sure, right = p.max(axis=1), p.argmax(axis=1) == y
    if len(classes) == 2:
        sure, right = p[:, 1], y == 1
    place = np.clip((sure * _BINS).astype(int), 0, _BINS - 1)
    counts = np.bincount(place, minlength=_BINS)
    filled = np.flatnonzero(counts)
    pages: dict[str, Any] = {
        "calibration": {
            "said": [float(sure[place == b].mean()) for b in filled],
            "true": [float(right[place == b].mean()) for b in filled],
            "rows": counts[filled].tolist(),
        }
    }
    if len(classes) == 2:
        pages["thresholds"] = _thresholds(p[:, 1], y)
    return pages


def _thresholds(score: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Counts of the four kinds of decision at 101 thresholds of the second class' probability."""
    at = np.linspace(0, 1, _QUANTILES)
    called = score[None, :] >= at[:, None]
    tp, fp = (called & (y == 1)).sum(axis=1), (called & (y == 0)).sum(axis=1)
    positive, negative = int((y == 1).sum()), int((y == 0).sum())
    order = np.argsort(score, kind="stable")
    ranks = np.empty(len(y))
    _, first, counts = np.unique(score[order], return_index=True, return_counts=True)
    ranks[order] = np.repeat(first + (counts + 1) / 2, counts)  # of equal scores the mean rank
    area = (ranks[y == 1].sum() - positive * (positive + 1) / 2) / max(1, positive * negative)
    return {
        "at": at.round(4).tolist(),
        "tp": tp.tolist(),
        "fp": fp.tolist(),
        "positive": positive,
        "negative": negative,
        "auc": float(area) if positive and negative else None,
    }


def _few(n: int, most: int = _POINTS) -> np.ndarray:
    """At most so many of n rows, evenly."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))
