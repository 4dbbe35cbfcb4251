"""Sources of data whose truth is known, so that a study can be checked against it.

Symbols  friedman1: x uniform on [0, 1]^10, y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + noise N [Friedman91]
         twonorm: two normal clouds of unit variance in 20 dimensions at +-(a, …, a), a = 2/sqrt 20 [Breiman98]
         ringnorm: a normal cloud of variance 4 at 0, and one of variance 1 at (a, …, a), a = 1/sqrt 20 [Breiman98]
         For classes `noise` is the share of labels that are turned into the other class, and truth is P(second | x).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.errors import BadInput
from ..base.seeds import keyed

D = 20  # dimensions of the clouds


@dataclass(frozen=True)
class KnownSource:
    """`source(rng)` gives a fresh sample of n rows; `points` gives rows to judge at, with what is true there.

    Attributes
    ----------
    name : {"friedman1", "twonorm", "ringnorm"}
    n : int
        Rows of a sample.
    noise : float
        Standard deviation of the numbers around the truth, or share of labels turned.
    """

    name: str
    n: int = 300
    noise: float = 0.0

    @property
    def regression(self) -> bool:
        return self.name == "friedman1"

    def __call__(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = self._rows(rng, self.n)
        return X, self._labels(rng, self.truth(X))

    def truth(self, X: np.ndarray) -> np.ndarray:
        """The mean of y at each row, or the probability of the second class, labels turned included."""
        if self.regression:
            return (
                10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
            )  # fmt: skip
        p = 1 / (1 + np.exp(np.clip(-self._log_odds(X), -700, 700)))
        return p * (1 - self.noise) + (1 - p) * self.noise

    def points(self, count: int, repeats: int = 1, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(X, y, truth) of `count` rows with `repeats` labels each, drawn independently."""
        rng = keyed(seed, "split", 0)
        X = np.repeat(self._rows(rng, count), repeats, axis=0)
        truth = self.truth(X)
        return X, self._labels(rng, truth), truth

    def _rows(self, rng: np.random.Generator, n: int) -> np.ndarray:
        if self.regression:
            return rng.random((n, 10))
        second = rng.random(n)[:, None] < 0.5
        X = rng.standard_normal((n, D))
        if self.name == "twonorm":
            return X + np.where(second, 1, -1) * 2 / np.sqrt(D)
        return np.where(second, X + 1 / np.sqrt(D), 2 * X)

    def _log_odds(self, X: np.ndarray) -> np.ndarray:
        """Of the second class against the first, before labels are turned."""
        if self.name == "twonorm":
            return 2 * 2 / np.sqrt(D) * X.sum(axis=1)
        near, wide = np.square(X - 1 / np.sqrt(D)).sum(axis=1), np.square(X).sum(axis=1) / 4
        return D * np.log(2) - (near - wide) / 2

    def _labels(self, rng: np.random.Generator, truth: np.ndarray) -> np.ndarray:
        if self.regression:
            return truth + self.noise * rng.standard_normal(len(truth))
        return (rng.random(len(truth)) < truth).astype(np.int64)


SOURCES = ("friedman1", "twonorm", "ringnorm")


def known_source(name: str, n: int = 300, noise: float | None = None) -> KnownSource:
    """A source of data whose truth is known.

    Parameters
    ----------
    name : {"friedman1", "twonorm", "ringnorm"}
        The first gives numbers, the others two classes.
    n : int, default=300
        Rows of a sample.
    noise : float, optional
        Standard deviation of numbers around the truth (1 if not given); share of labels turned (0 if not given).

    Returns
    -------
    KnownSource
    """
    if name not in SOURCES:
        raise BadInput(f"source {name!r}: it must be one of {', '.join(SOURCES)}.")
    noise = (1.0 if name == "friedman1" else 0.0) if noise is None else float(noise)
    most = np.inf if name == "friedman1" else 0.5
    if not 0 <= noise <= most or noise == np.inf:
        raise BadInput(f"noise={noise}: it must lie between 0 and {most:g}.")
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 2:
        raise BadInput(f"n is {n!r}: a sample needs at least 2 rows.")
    return KnownSource(name, int(n), noise)


def turned_labels(y: np.ndarray, share: float, seed: int = 0) -> np.ndarray:
    """Labels of which each is, with probability `share`, replaced by another class, all equally likely.

    Parameters
    ----------
    y : ndarray of shape (n,)
    share : float
        From 0 to 1.
    seed : int, default=0

    Returns
    -------
    ndarray of shape (n,)
    """
    if not 0 <= share <= 1:
        raise BadInput(f"share={share}: it must lie between 0 and 1.")
    classes, codes = np.unique(y, return_inverse=True)
    random = keyed(seed, "flip", 0)
    turned = random.random(len(codes)) < share
    shift = 1 + (random.random(len(codes)) * max(len(classes) - 1, 1)).astype(np.int64)
    return classes[np.where(turned, (codes + shift) % len(classes), codes)]
