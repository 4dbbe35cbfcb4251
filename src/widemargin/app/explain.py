"""What a model goes by: weights of features or words, importances, or how much worse it gets without a column."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .reading import Learnable

_SHOWN = 20
_SHUFFLED_ROWS, _SHUFFLED_COLUMNS, _TIMES = 400, 40, 3


def explanation(estimator: Any, data: Learnable, X: Any, y: np.ndarray) -> dict[str, Any]:
    """kind of explanation, and (name, value) of the features that matter most."""
    whole = getattr(estimator, "estimator_", estimator)  # inside of decisions by cost
    last = whole[-1] if hasattr(whole, "steps") else whole
    names = _names(whole, data)
    facts: dict[str, Any] = {"learner": type(last).__name__}
    if hasattr(last, "support_") and hasattr(last, "n_support_"):
        facts["support_vectors"] = len(last.support_)
    weights = _weights(last)
    if weights is not None and len(weights) == len(names):
        return {**facts, "kind": "weights", "features": _largest(names, weights)}
    values = getattr(last, "feature_importances_", None)
    if values is not None and len(values) == len(names):
        return {**facts, "kind": "importances", "features": _largest(names, np.asarray(values))}
    if not data.is_text and not sp.issparse(X) and X.shape[1] <= _SHUFFLED_COLUMNS:
        return {**facts, "kind": "loss when shuffled", "features": _shuffled(whole, data, X, y)}
    return {**facts, "kind": "none", "features": []}


def _names(estimator: Any, data: Learnable) -> list[str]:
    if data.is_text:
        return [str(term) for term in estimator[0].get_feature_names_out()] if hasattr(estimator, "steps") else []
    d = data.X.shape[1]
    return list(data.feature_names) or [f"feature {j + (not data.zero_based)}" for j in range(d)]


def _weights(last: Any) -> np.ndarray | None:
    try:
        coef = last.coef_
    except AttributeError:
        return None
    coef = coef.toarray() if sp.issparse(coef) else np.asarray(coef)
    if coef.ndim == 1:
        return coef
    return coef[0] if len(coef) == 1 else np.abs(coef).max(axis=0)


def _largest(names: list[str], values: np.ndarray) -> list[tuple[str, float]]:
    order = np.argsort(-np.abs(values), kind="stable")[:_SHOWN]
    return [(names[j], float(values[j])) for j in order if values[j] != 0]


def _shuffled(estimator: Any, data: Learnable, X: np.ndarray, y: np.ndarray) -> list[tuple[str, float]]:
    """How much the loss rises when a column is dealt out anew among the rows."""
    rng = np.random.default_rng(0)
    X, y = X[:_SHUFFLED_ROWS], y[:_SHUFFLED_ROWS]

    def loss(rows: np.ndarray) -> float:
        called = estimator.predict(rows)
        return float((called != y).mean() if data.kind == "classes" else ((called - y) ** 2).mean())

    base, rises = loss(X), np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        for _ in range(_TIMES):
            mixed = X.copy()
            mixed[:, j] = rng.permutation(mixed[:, j])
            rises[j] += (loss(mixed) - base) / _TIMES
    return _largest(_names(estimator, data), rises)
