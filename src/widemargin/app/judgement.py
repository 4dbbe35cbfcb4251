"""The one look at the test rows: figures, and what the report draws of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from ..study.evaluation import Evaluation, RegressionErrors, confusion_of
from .curves import called_so_honestly, quantiles, rank_curves, thresholds, training_curves
from .explain import explanation
from .reading import Learnable

_POINTS = 400  # of a cloud that is drawn
_ROWS = 8  # of a list that is shown
_VALUES = 4  # of a row that is shown
_LETTERS = 160  # of a text


@dataclass(frozen=True, eq=False)
class Judged:
    """`figures` of the test rows, `pages` for the report, the certificate, and the loss of the plainest guess.

    `losses` are those of the single rows: 0 or 1, the cost, or the squared error.
    """

    figures: dict[str, Any]
    pages: dict[str, Any]
    certificate: dict[str, Any] | None
    baseline: float
    losses: np.ndarray

    @property
    def loss(self) -> float:
        return float(self.losses.mean())


def judge(
    estimator: Any, data: Learnable, train: np.ndarray | None, test: np.ndarray, cost: np.ndarray | None
) -> Judged:
    """Figures of the rows `test`; where the rows learnt from are known, margins are compared with theirs."""
    X, y = _safe_indexing(data.X, test), data.y[test]
    pages: dict[str, Any] = {
        "explanation": explanation(estimator, data, train, X, y),
        "training": training_curves(estimator, X, y),
    }
    judged = _numbers if data.kind == "numbers" else _classes
    figures, losses, baseline = judged(estimator, data, train, test, cost, pages)
    return Judged(figures, pages, certificate_of(estimator), baseline, losses)


def certificate_of(estimator: Any) -> dict[str, Any] | None:
    """Of the learner at the end of a pipeline, in words and figures."""
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    found = getattr(last, "certificate_", None)
    return None if found is None else {"words": str(found), **found.to_dict()}


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _numbers(
    estimator: Any, data: Learnable, train: np.ndarray | None, test: np.ndarray, _: Any, pages: dict[str, Any]
) -> tuple[dict[str, Any], np.ndarray, float]:
    y = data.y[test].astype(np.float64)
    called = np.asarray(estimator.predict(_safe_indexing(data.X, test)), dtype=np.float64)
    errors = RegressionErrors()
    errors.add(y, called)
    figures = errors.to_dict()
    squares = (y - called) ** 2
    half = 1.96 * squares.std(ddof=1) / math.sqrt(len(y)) if len(y) > 1 else 0.0
    figures["mean_squared_error_interval"] = [max(0.0, float(squares.mean() - half)), float(squares.mean() + half)]
    few = _few(len(y))
    pages["cloud"] = {"truth": y[few].tolist(), "called": called[few].tolist()}
    pages["errors"] = {"test": quantiles(np.abs(y - called))}
    if train is not None:
        part = train[_few(len(train), 2000)]
        own = np.asarray(estimator.predict(_safe_indexing(data.X, part)), dtype=np.float64)
        pages["errors"]["train"] = quantiles(np.abs(data.y[part] - own))
    worst = np.argsort(-squares, kind="stable")[:_ROWS]
    shown = _Shown(data, test, pages)
    pages["most_wrong"] = [{**shown(i), "truth": float(y[i]), "called": float(called[i])} for i in worst]
    middle = y.mean() if train is None else data.y[train].mean()
    return figures, squares, float(((y - middle) ** 2).mean())


# ---- classes ---------------------------------------------------------------------------------------------------------


def _classes(
    estimator: Any,
    data: Learnable,
    train: np.ndarray | None,
    test: np.ndarray,
    cost: np.ndarray | None,
    pages: dict[str, Any],
) -> tuple[dict[str, Any], np.ndarray, float]:
    known = np.asarray(estimator.classes_)
    classes = np.unique(data.y if train is not None else known)
    k, y = len(classes), np.searchsorted(classes, data.y[test])
    X = _safe_indexing(data.X, test)
    called = np.searchsorted(classes, estimator.predict(X))
    found = Evaluation(tuple(classes.tolist()), confusion_of(y, called, k), cost)
    figures = found.to_dict()
    usual = np.bincount(np.searchsorted(classes, data.y[test if train is None else train]), minlength=k)
    guess = int(usual.argmax()) if cost is None else int((usual @ cost).argmin())
    prices = 1.0 - np.eye(k) if cost is None else cost
    baseline = float(prices[y, guess].mean())
    told = _scores(estimator, X) if len(known) == k else None
    if told is not None:
        unit, scores = told
        pages["unit"] = unit
        margins = _margins(scores, y)
        pages["margins"] = {"test": quantiles(margins)}
        if train is not None:
            part = train[_few(len(train), 2000)]
            own = _scores(estimator, _safe_indexing(data.X, part))
            assert own is not None
            pages["margins"]["train"] = quantiles(_margins(own[1], np.searchsorted(classes, data.y[part])))
        if unit == "probability":
            pages["calibration"] = called_so_honestly(scores, y)
            figures["log_loss"] = float(-np.log(np.clip(scores[np.arange(len(y)), y], 1e-15, 1)).mean())
        if k == 2:
            pages["thresholds"] = thresholds(scores[:, 1], y, unit, cost)
            pages["ranks"] = rank_curves(scores[:, 1], y)
        _list_rows(data, test, classes, (y, called, margins), (unit, scores), pages)
    return figures, prices[y, called], baseline


def _scores(estimator: Any, X: Any) -> tuple[str, np.ndarray] | None:
    """What the decision is made from, a column a class: probabilities, or scores whose differences are margins."""
    if hasattr(estimator, "predict_proba"):
        return "probability", np.asarray(estimator.predict_proba(X))
    if not hasattr(estimator, "decision_function"):
        return None
    d = np.asarray(estimator.decision_function(X), dtype=np.float64)
    if d.ndim == 1:
        return "score", np.column_stack([np.zeros(len(d)), d])
    return ("score", d) if d.shape[1] == len(estimator.classes_) else None


def _margins(scores: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Score of the true class minus the largest of the others."""
    own = scores[np.arange(len(y)), y]
    others = scores.copy()
    others[np.arange(len(y)), y] = -np.inf
    return own - others.max(axis=1)


def _list_rows(
    data: Learnable, test: np.ndarray, classes: np.ndarray, judged: tuple, told: tuple, pages: dict[str, Any]
) -> None:
    """The rows that were most wrong, and those that could have gone either way."""
    (y, called, margins), (unit, scores) = judged, told
    shown = _Shown(data, test, pages)

    def row(i: int) -> dict[str, Any]:
        decided = {"truth": classes[y[i]].item(), "called": classes[called[i]].item()}
        value = scores[i, y[i]] if unit == "probability" else margins[i]
        return {**shown(i), **decided, "value": float(value)}

    wrong = [i for i in np.argsort(margins, kind="stable")[:_ROWS] if margins[i] < 0 or y[i] != called[i]]
    pages["most_wrong"] = [row(i) for i in wrong]
    pages["least_sure"] = [row(i) for i in np.argsort(np.abs(margins), kind="stable")[:_ROWS]]


class _Shown:
    """A row for people: its number in the file, its text, or its values in the columns that matter most."""

    def __init__(self, data: Learnable, test: np.ndarray, pages: dict[str, Any]) -> None:
        self.data, self.test = data, test
        told = [name for name, _ in pages["explanation"]["features"]]
        names = {name: j for j, name in enumerate(data.feature_names)}
        self.columns = [(name, names[name]) for name in told if name in names][:_VALUES]

    def __call__(self, i: int) -> dict[str, Any]:
        at = self.test[i]
        row: dict[str, Any] = {"row": int(at)}
        if self.data.is_text:
            return {**row, "text": str(self.data.X[at])[:_LETTERS]}
        values = {name: float(self.data.X[at, j]) for name, j in self.columns}
        return {**row, "values": {name: value if math.isfinite(value) else None for name, value in values.items()}}


def _few(n: int, most: int = _POINTS) -> np.ndarray:
    """At most so many of n rows, evenly."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))
