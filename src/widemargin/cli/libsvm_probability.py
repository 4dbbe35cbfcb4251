"""Probabilities of LIBSVM's files: a sigmoid for each pair of classes, a Laplace distribution of a regression's errors.

Symbols  P(first class | f) = 1 / (1 + exp(A f + B)), f the decision value of the pair
Method   A and B are read off a two-class machine with probabilities; the width of the errors as LIBSVM's [LinWeng04]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from widemargin.base.errors import CannotStore
from widemargin.model.pairs import pairs

from .libsvm_data import LibsvmData

_NEAR = 1e-6  # of the logarithm of the odds, relative: rounding of the probabilities themselves
_FAR = 5.0  # errors beyond so many deviations are left out, as LIBSVM does


def sigmoids(
    make: Callable[[LibsvmData, tuple[int, int]], Any], data: LibsvmData, labels: np.ndarray, *, square: bool
) -> tuple[np.ndarray, np.ndarray]:
    """A and B of each pair, in the order of `labels`; `make` fits a machine with probabilities to two classes."""
    found = []
    for i, j in pairs(len(labels)):
        first, second = int(labels[i]), int(labels[j])
        part = data.take(np.flatnonzero(np.isin(data.y, (first, second))), square=square)
        found.append(sigmoid_of(make(part, (first, second)), part.X, first))
    return tuple(np.array(found).T)


def sigmoid_of(machine: Any, X: Any, first: int) -> tuple[float, float]:
    """(A, B) of a two-class machine whose odds are the exponential of a line in its decision value."""
    at = int(np.searchsorted(machine.classes_, first))
    f = machine.decision_function(X) * (1.0 if at == 1 else -1.0)  # positive values speak for the second class here
    p = machine.predict_proba(X)[:, at]
    inner = (p > 1e-12) & (p < 1 - 1e-12)
    if np.count_nonzero(inner) < 2 or np.ptp(f[inner]) == 0:
        inner = np.ones(len(p), bool)
        p = np.clip(p, 1e-12, 1 - 1e-12)
    odds = np.log1p(-p[inner]) - np.log(p[inner])  # A f + B
    low, high = int(np.argmin(f[inner])), int(np.argmax(f[inner]))
    run = f[inner][high] - f[inner][low]
    a = (odds[high] - odds[low]) / run if run > 0 else 0.0
    b = odds[low] - a * f[inner][low]
    off = np.abs(a * f[inner] + b - odds).max()
    if off > _NEAR * max(1.0, float(np.abs(odds).max())):
        raise CannotStore(
            f"The probabilities are no sigmoid of the decision value (off by {off:.2g}), which is all that a LIBSVM "
            "file can hold: leave out -b."
        )
    return float(a), float(b)


def laplace_width(errors: np.ndarray) -> float:
    """The mean absolute error without those far out."""
    size = np.abs(errors)
    kept = size[size <= _FAR * np.sqrt(2 * size.mean() ** 2)]
    return float(kept.mean()) if kept.size else 0.0
