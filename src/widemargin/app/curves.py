"""Curves that a report draws: a fit by its steps, scores by their ranks, thresholds, probabilities against shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimator.cost_sensitive import without_costs
from .explain import learner_of

_STEPS = 101  # of a slider, and quantiles of a distribution
_CORNERS = 300  # of a curve by ranks
_BINS = 10
_STAGES = 60


def quantiles(values: np.ndarray) -> list[float]:
    """101 of them, evenly: a distribution as a curve."""
    return [float(f"{v:.6g}") for v in np.quantile(values, np.linspace(0, 1, _STEPS))]


# ---- the fit ---------------------------------------------------------------------------------------------------------


def training_curves(estimator: Any, X: Any, y: np.ndarray) -> dict[str, Any]:
    """What the learner recorded of its fit by step; of boosting also the test loss by round. Of an average: what its
    heaviest member recorded that recorded something."""
    whole = without_costs(estimator)
    found = _recorded(whole, X, y)
    for name, weight, member in getattr(whole, "heaviest_first", list)():
        told = _recorded(member, X, y)
        if told["curves"]:
            return {**told, "member": {"name": name, "weight": weight}}
    return found


def _recorded(whole: Any, X: Any, y: np.ndarray) -> dict[str, Any]:
    last = learner_of(whole)
    trace = getattr(last, "trace_", None)
    curves = _columns(trace)
    if hasattr(last, "staged_predict"):
        for step in whole[:-1] if hasattr(whole, "steps") else ():
            X = step.transform(X)
        curves += _stages(last, X, y)
    step = "round" if hasattr(last, "staged_predict") else "step"
    return {"step": step, "curves": curves, "ended": str(getattr(last, "stop_reason_", ""))}


def _columns(trace: Any) -> list[dict[str, Any]]:
    found = []
    for name in () if trace is None or len(trace) < 2 else trace:
        values = np.asarray(trace[name], dtype=np.float64)
        known = np.isfinite(values)
        if name in ("step", "trees", "members", "updates") or known.sum() < 2 or np.ptp(values[known]) == 0:
            continue
        found.append({"name": name, "x": trace["step"][known].tolist(), "y": values[known].tolist()})
    return found


def _stages(last: Any, X: Any, y: np.ndarray) -> list[dict[str, Any]]:
    called = [np.asarray(stage) for stage in last.staged_predict(X)]
    at = np.unique(np.linspace(0, len(called) - 1, min(len(called), _STAGES)).astype(int))
    if len(at) < 2:
        return []
    classes = hasattr(last, "classes_")
    losses = [float((called[t] != y).mean() if classes else ((called[t] - y) ** 2).mean()) for t in at]
    return [{"name": "test_error" if classes else "test_squared_error", "x": (at + 1).tolist(), "y": losses}]


# ---- the decisions ---------------------------------------------------------------------------------------------------


def called_so_honestly(p: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Mean probability and share that was so, by tenths: of the second of two classes, or of the one called."""
    sure, right = (p[:, 1], y == 1) if p.shape[1] == 2 else (p.max(axis=1), p.argmax(axis=1) == y)
    place = np.clip((sure * _BINS).astype(int), 0, _BINS - 1)
    counts = np.bincount(place, minlength=_BINS)
    filled = np.flatnonzero(counts)
    return {
        "said": [float(sure[place == b].mean()) for b in filled],
        "true": [float(right[place == b].mean()) for b in filled],
        "rows": counts[filled].tolist(),
    }


def thresholds(score: np.ndarray, y: np.ndarray, unit: str, cost: np.ndarray | None) -> dict[str, Any]:
    """Counts of the four kinds of decision at 101 thresholds of the second class' score, and where it starts."""
    usual = 0.0
    at = np.quantile(score, np.linspace(0, 1, _STEPS))
    if unit == "probability":
        at, usual = np.linspace(0, 1, _STEPS), 0.5
        if cost is not None:  # calling the second class is cheaper from here on
            gain = cost[1, 0] - cost[1, 1] + cost[0, 1] - cost[0, 0]
            usual = float(np.clip((cost[0, 1] - cost[0, 0]) / gain, 0, 1)) if gain > 0 else usual
    start = int(np.abs(at - usual).argmin())
    at[start] = usual
    at = np.sort(at)
    called = score[None, :] >= at[:, None]
    return {
        "at": [float(f"{v:.6g}") for v in at],
        "tp": (called & (y == 1)).sum(axis=1).tolist(),
        "fp": (called & (y == 0)).sum(axis=1).tolist(),
        "positive": int((y == 1).sum()),
        "negative": int((y == 0).sum()),
        "start": int(np.searchsorted(at, usual)),
        "unit": unit,
    }


def rank_curves(score: np.ndarray, y: np.ndarray) -> dict[str, Any] | None:
    """What is found, the false alarms and the precision when rows are called from the highest score down."""
    positive, negative = int((y == 1).sum()), int((y == 0).sum())
    if not positive or not negative:
        return None
    order = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.r_[np.diff(score[order]) != 0, True])  # equal scores are called together
    found, alarms = np.cumsum(y[order] == 1)[ends], np.cumsum(y[order] == 0)[ends]
    recall, rate = np.r_[0, found] / positive, np.r_[0, alarms] / negative
    few = np.unique(np.linspace(0, len(ends) - 1, min(len(ends), _CORNERS)).astype(int))
    few_from_0 = np.r_[0, few + 1]
    return {
        "auc": float(np.trapezoid(recall, rate)),
        "average_precision": float((np.diff(recall) * found / (found + alarms)).sum()),
        "found": recall[few_from_0].round(5).tolist(),
        "alarms": rate[few_from_0].round(5).tolist(),
        "precision": (found / (found + alarms))[few].round(5).tolist(),
    }
