"""Probabilities of LIBSVM's files: a sigmoid for each pair of classes, a Laplace distribution of a regression's errors.

Symbols  P(first class | f) = 1 / (1 + exp(A f + B)), f the decision value of the pair
Method   A and B are those of a two-class machine with probabilities; the width of the errors as LIBSVM's [LinWeng04]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from widemargin.model.pairs import pairs

from .libsvm_data import LibsvmData

_FAR = 5.0  # errors beyond so many deviations are left out, as LIBSVM does


def sigmoids(
    make: Callable[[LibsvmData, tuple[int, int]], Any], data: LibsvmData, labels: np.ndarray, *, square: bool
) -> tuple[np.ndarray, np.ndarray]:
    """A and B of each pair, in the order of `labels`; `make` fits a machine with probabilities to two classes."""
    found = []
    for i, j in pairs(len(labels)):
        first, second = int(labels[i]), int(labels[j])
        part = data.take(np.flatnonzero(np.isin(data.y, (first, second))), square=square)
        found.append(sigmoid_of(make(part, (first, second)), first))
    return tuple(np.array(found).T)


def sigmoid_of(machine: Any, first: int) -> tuple[float, float]:
    """(A, B) of a two-class machine; its own decision value and sigmoid speak for its second class."""
    a, b = float(machine.probA_[0]), float(machine.probB_[0])
    return (a, b) if machine.classes_[1] == first else (a, -b)


def laplace_width(errors: np.ndarray) -> float:
    """The mean absolute error without those far out."""
    size = np.abs(errors)
    kept = size[size <= _FAR * np.sqrt(2 * size.mean() ** 2)]
    return float(kept.mean()) if kept.size else 0.0
