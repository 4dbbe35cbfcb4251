"""How well predictions agree with the truth, counted in one pass so that files of any size can be judged.

Symbols  C[i, j] rows of class i that were called j; n rows, k of them right, p = k/n
Method   the interval of the accuracy is Wilson's: all q with |p - q| <= z sqrt(q (1 - q) / n), z = 1.96 [Wilson27]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

_Z = 1.959963984540054  # 97.5 % of a normal variable lie below


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The kinds of error of a classifier.

    Attributes
    ----------
    classes : tuple of labels
    confusion : ndarray of int64
        `confusion[i, j]` rows of class i were called class j.
    cost : ndarray or None
        What such a row costs.
    """

    classes: tuple[Any, ...]
    confusion: np.ndarray
    cost: np.ndarray | None = None

    @property
    def rows(self) -> int:
        return int(self.confusion.sum())

    @property
    def errors(self) -> int:
        return self.rows - int(np.trace(self.confusion))

    @property
    def accuracy(self) -> float:
        return 1 - self.errors / self.rows

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the accuracy."""
        return wilson(self.rows - self.errors, self.rows)

    @property
    def total_cost(self) -> float | None:
        return None if self.cost is None else float((self.confusion * self.cost).sum())

    def by_class(self) -> list[dict[str, Any]]:
        """Precision, recall and F1 a class; None where nothing was called so or nothing is so."""
        rows, called, right = self.confusion.sum(axis=1), self.confusion.sum(axis=0), np.diag(self.confusion)
        return [
            {
                "class": label,
                "rows": int(rows[i]),
                "precision": _ratio(right[i], called[i]),
                "recall": _ratio(right[i], rows[i]),
                "f1": _ratio(2 * right[i], rows[i] + called[i]),
            }
            for i, label in enumerate(self.classes)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Values ready for JSON."""
        low, high = self.interval
        found = {
            "rows": self.rows,
            "errors": self.errors,
            "accuracy": self.accuracy,
            "accuracy_interval": [low, high],
            "classes": list(self.classes),
            "confusion": self.confusion.tolist(),
            "by_class": self.by_class(),
        }
        if self.cost is not None:
            total = self.total_cost or 0.0
            found |= {"cost_matrix": self.cost.tolist(), "cost": total, "mean_cost": total / self.rows}
        return found


def confusion_of(truth: np.ndarray, called: np.ndarray, k: int) -> np.ndarray:
    """Counts by true and predicted code 0 .. k-1."""
    return np.bincount(truth * k + called, minlength=k * k).reshape(k, k)


def wilson(right: int, n: int) -> tuple[float, float]:
    """Bounds of a proportion of which `right` of `n` were seen."""
    p, z2n = right / n, _Z * _Z / n
    middle = (p + z2n / 2) / (1 + z2n)
    half = math.sqrt(z2n * p * (1 - p) + z2n * z2n / 4) / (1 + z2n)
    return max(0.0, middle - half), min(1.0, middle + half)


class RegressionErrors:
    """Errors of a regressor, added up batch by batch."""

    def __init__(self) -> None:
        self.rows, self.absolute, self.squared = 0, 0.0, 0.0
        self._mean, self._spread = 0.0, 0.0

    def add(self, truth: np.ndarray, predicted: np.ndarray) -> None:
        error = truth - predicted
        self.absolute += float(np.abs(error).sum())
        self.squared += float(error @ error)
        # Means and spreads of two batches are joined without ever squaring the mean itself.
        n, mean = len(truth), float(truth.mean())
        shift = mean - self._mean
        self._spread += float(((truth - mean) ** 2).sum()) + shift * shift * self.rows * n / (self.rows + n)
        self._mean += shift * n / (self.rows + n)
        self.rows += n

    def to_dict(self) -> dict[str, Any]:
        """Values ready for JSON; r2 is None where all targets are the same."""
        return {
            "rows": self.rows,
            "mean_absolute_error": self.absolute / self.rows,
            "root_mean_squared_error": math.sqrt(self.squared / self.rows),
            "r2": 1 - self.squared / self._spread if self._spread > 0 else None,
        }


def _ratio(part: Any, whole: Any) -> float | None:
    return float(part / whole) if whole else None
