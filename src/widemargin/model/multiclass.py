"""How k classes become binary parts, and the scores of the parts one decision.

one-vs-rest   part c: class c against all others; the highest score wins
one-vs-one    part (i, j), i < j: class j (+1) against class i (-1); the class with most won parts wins,
              ties by the sum of scores squeezed into (-1/3, 1/3) each, as in scikit-learn
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.utils.multiclass import _ovr_decision_function


@dataclass(frozen=True)
class Part:
    positive: int
    negative: int | None  # None: all other classes

    def among(self, codes: np.ndarray) -> np.ndarray | None:
        """Rows of the part; None = all."""
        if self.negative is None:
            return None
        return np.flatnonzero((codes == self.positive) | (codes == self.negative))

    def signs(self, codes: np.ndarray) -> np.ndarray:
        return np.where(codes == self.positive, 1.0, -1.0)

    def name(self, classes: np.ndarray) -> str:
        rest = "rest" if self.negative is None else str(classes[self.negative])
        return f"{classes[self.positive]} vs {rest}"


def rows_of_parts(parts: Sequence[Part], codes: np.ndarray) -> list[np.ndarray | None]:
    """The rows of all parts, None = all; those of one class come before those of the other, the lower class first."""
    of_class: dict[int, np.ndarray] = {}

    def rows(c: int) -> np.ndarray:
        if c not in of_class:
            of_class[c] = np.flatnonzero(codes == c)
        return of_class[c]

    return [
        None if p.negative is None else np.concatenate([rows(c) for c in sorted((p.positive, p.negative))])
        for p in parts
    ]


def binary_parts(n_classes: int, scheme: str) -> list[Part]:
    if n_classes == 2:
        return [Part(1, None)]
    if scheme == "ovr":
        return [Part(c, None) for c in range(n_classes)]
    return [Part(j, i) for i in range(n_classes) for j in range(i + 1, n_classes)]


def decide(scores: np.ndarray, n_classes: int, scheme: str) -> np.ndarray:
    """decision_function of all classes from the scores of the parts: (n,) for two classes, else (n, k)."""
    if n_classes == 2:
        return scores[:, 0]
    return _ovr_decision_function(scores > 0, scores, n_classes) if scheme == "ovo" else scores


def winners(decision: np.ndarray) -> np.ndarray:
    """Codes of the predicted classes."""
    if decision.ndim == 1:
        return (decision > 0).astype(np.intp)
    return decision.argmax(axis=1)
