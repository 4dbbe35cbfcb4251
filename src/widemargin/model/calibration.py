"""From the score of a binary part to the probability of its positive side: a sigmoid, or a rising step line.

Method   sigmoid: model/sigmoid [Platt00]; isotonic: the rising function with the least squared distance to the labels,
         found by scikit-learn, straight between its corners and flat beyond them                     [ZadroznyElkan02]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sklearn.isotonic import IsotonicRegression

from .sigmoid import fit_sigmoid, of_parts

METHODS = ("sigmoid", "isotonic")


@dataclass(frozen=True, eq=False)
class Sigmoids:
    """1 / (1 + exp(A f + B)) for each part.

    Attributes
    ----------
    A, B : ndarray of shape (parts,)
    """

    A: np.ndarray
    B: np.ndarray

    def shares(self, scores: np.ndarray) -> np.ndarray:
        """The probability of the positive side of every part, n x parts."""
        return of_parts(scores, self.A, self.B)


@dataclass(frozen=True, eq=False)
class RisingLines:
    """Corners of a rising line for each part, one part after the other.

    Attributes
    ----------
    f, p : ndarray of shape (corners of all parts,)
        Scores, rising within a part, and probabilities.
    offsets : ndarray of int of shape (parts + 1,)
        Where the corners of each part begin, and the end.
    """

    f: np.ndarray
    p: np.ndarray
    offsets: np.ndarray

    def shares(self, scores: np.ndarray) -> np.ndarray:
        """The probability of the positive side of every part, n x parts."""
        parts = enumerate(pairwise(self.offsets))
        return np.column_stack([np.interp(scores[:, q], self.f[a:b], self.p[a:b]) for q, (a, b) in parts])


Calibration = Sigmoids | RisingLines
Part = tuple[np.ndarray, np.ndarray, np.ndarray]  # scores, which rows are positive, weights


def calibrated(method: str, parts: Sequence[Part]) -> Calibration:
    """What was learnt of each part from scores of rows that its machine has not seen."""
    if method == "sigmoid":
        A, B = zip(*(fit_sigmoid(*part) for part in parts), strict=True)
        return Sigmoids(np.array(A), np.array(B))
    lines = [
        IsotonicRegression(y_min=0.0, y_max=1.0).fit(f, positive.astype(np.float64), sample_weight=weight)
        for f, positive, weight in parts
    ]
    f, p = [line.X_thresholds_ for line in lines], [line.y_thresholds_ for line in lines]
    return RisingLines(np.concatenate(f), np.concatenate(p), np.cumsum([0, *map(len, f)]))
