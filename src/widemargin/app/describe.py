"""What the rows look like: classes or a histogram of the target, and a line for each column."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .reading import Learnable

_COLUMNS, _BINS, _CLASSES = 60, 16, 40


def describe(data: Learnable) -> dict[str, Any]:
    """Counts of the target, and of at most 60 columns the least, middle and greatest value with a histogram."""
    found: dict[str, Any] = {"rows": len(data.y), "columns": [], "left": 0, "target": _target(data)}
    if data.is_text:
        words = np.array([len(text.split()) for text in data.X])
        letters = np.array([len(text) for text in data.X])
        columns = [("words in a text", words), ("letters in a text", letters)]
        return {**found, "columns": [_column(name, values) for name, values in columns]}
    d = data.X.shape[1]
    if sp.issparse(data.X):
        found["filled"] = data.X.nnz / max(1, len(data.y) * d)
    if not data.feature_names:
        return {**found, "left": d}
    X = data.X[:, :_COLUMNS]
    X = X.toarray() if sp.issparse(X) else X
    listed = zip(data.feature_names[:_COLUMNS], X.T, strict=True)
    return {**found, "columns": [_column(name, values) for name, values in listed], "left": max(0, d - _COLUMNS)}


def _target(data: Learnable) -> dict[str, Any]:
    if data.kind == "numbers":
        return {"numbers": _column(data.target, data.y)}
    classes, counts = np.unique(data.y, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:_CLASSES]
    listed = [(classes[i].item(), int(counts[i])) for i in most]
    return {"classes": listed, "left": len(classes) - len(listed)}


def _column(name: str, values: np.ndarray) -> dict[str, Any]:
    values = np.asarray(values, dtype=np.float64)
    known = values[np.isfinite(values)]
    found: dict[str, Any] = {"name": name, "missing": len(values) - len(known)}
    if len(known) == 0:
        return {**found, "low": None, "middle": None, "high": None, "histogram": []}
    low, high = float(known.min()), float(known.max())
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(high - low)
    histogram = np.histogram(known, _BINS, (low, high))[0].tolist() if finite and high > low else []
    return {**found, "low": low, "middle": float(np.median(known)), "high": high, "histogram": histogram}
