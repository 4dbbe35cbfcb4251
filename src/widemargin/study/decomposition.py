"""Bias, variance and noise of predictions, point by point.

Symbols  h_1 .. h_K the predictions at a point x by models of K samples, y its label, sigma2 the noise: the variance of
         labels at x (0 where it is not known, so that the bias contains it)
         p_c the share of predictions c, f_c the share of labels c at x; main = argmax p, y* = argmax f
Squared  mean loss (y - h-)^2 + (K-1)/K s^2, with h- the mean and s^2 the variance by 1/(K-1); variance s^2,
         bias^2 = loss - s^2 - sigma2 = (y - h-)^2 - s^2/K - sigma2, which is right on average for every K
0-1      loss 1 - p_y
         Kohavi and Wolpert: variance (1 - sum p^2)/2 K/(K-1), noise (1 - sum f^2)/2 r/(r-1) over r labels,
         bias^2 = loss - variance - noise [KohaviWolpert96]: the squared loss of 0-1 vectors, halved
         Domingos: bias B = [main != y*], variance V = 1 - p_main, which helps where it is biased: net variance V if
         B = 0, -p_y* if B = 1; what is left of the loss, p_y* - p_y, is the effect of noise [Domingos00]
Always   loss = noise + bias + variance (Domingos: effect of noise + bias + net variance), to rounding
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

LOSSES = ("squared", "domingos", "kohavi_wolpert")


@dataclass(frozen=True, kw_only=True, eq=False)
class Points:
    """One entry a point; NaN where fewer than two models were asked.

    Attributes
    ----------
    K : ndarray of int
        Predictions at the point.
    main : ndarray
        Their mean, or the label most of them gave.
    loss : ndarray
        Mean loss of the predictions against the label.
    bias : ndarray
        Squared loss: label minus mean prediction, with its sign. Domingos: 1 where the main prediction is wrong.
        Kohavi and Wolpert: the squared bias, which an estimate can make a little negative.
    variance : ndarray
        Of the predictions around their mean; share of predictions other than the main one.
    noise : ndarray
        Variance of the labels at the point, or how often they differ from the most frequent one; NaN where unknown.
    """

    K: np.ndarray
    main: np.ndarray
    loss: np.ndarray
    bias: np.ndarray
    variance: np.ndarray
    noise: np.ndarray


class Moments(Protocol):
    """What is needed of many predictions, in a form that a part of them can be taken out of again."""

    def without(self, part: Any) -> Moments: ...
    def points(self) -> Points: ...
    def terms(self) -> dict[str, np.ndarray]:
        """What each point adds to the totals."""
        ...


@dataclass(frozen=True, eq=False)
class NumberMoments:
    """Sums of predicted numbers h around a centre c: K, sum (h - c), sum (h - c)^2."""

    y: np.ndarray
    noise: np.ndarray
    centre: np.ndarray
    K: np.ndarray
    first: np.ndarray
    second: np.ndarray

    @classmethod
    def of(cls, h: np.ndarray, y: np.ndarray, noise: np.ndarray, centre: np.ndarray | None = None) -> NumberMoments:
        """From predictions (models x points), NaN where a model was not asked."""
        asked = ~np.isnan(h)
        K = asked.sum(axis=0)
        if centre is None:
            centre = np.where(asked, h, 0.0).sum(axis=0) / np.maximum(K, 1)
        away = np.where(asked, h - centre, 0.0)
        return cls(y, noise, centre, K, away.sum(axis=0), np.square(away).sum(axis=0))

    def part(self, h: np.ndarray) -> NumberMoments:
        return NumberMoments.of(h, self.y, self.noise, self.centre)

    def without(self, part: NumberMoments) -> NumberMoments:
        return NumberMoments(
            self.y,
            self.noise,
            self.centre,
            self.K - part.K,
            self.first - part.first,
            self.second - part.second,
        )

    def points(self) -> Points:
        K = np.where(self.K >= 2, self.K, np.nan)
        mean = self.centre + self.first / K
        spread = np.maximum(self.second - self.first**2 / K, 0.0)
        bias = self.y - mean
        loss = bias**2 + spread / K
        return Points(K=self.K, main=mean, loss=loss, bias=bias, variance=spread / (K - 1), noise=self.noise)

    def terms(self) -> dict[str, np.ndarray]:
        return _additive(self.points())


@dataclass(frozen=True, eq=False)
class VoteMoments:
    """How often each class was predicted (points x classes)."""

    y: np.ndarray
    f: np.ndarray | None  # shares of the labels at each point; None: its own label is all that is known
    repeats: np.ndarray
    loss: str
    votes: np.ndarray

    @classmethod
    def of(cls, h: np.ndarray, y: np.ndarray, k: int, f: Any, repeats: np.ndarray, loss: str) -> VoteMoments:
        """From predicted codes (models x points), k where a model was not asked."""
        n = len(y)
        votes = np.zeros((n, k + 1), dtype=np.int64)
        flat, at = votes.reshape(-1), np.arange(n) * (k + 1)
        for one in h:  # a point occurs once in each
            flat[at + one] += 1
        return cls(y, f, repeats, loss, votes[:, :k])

    def part(self, h: np.ndarray) -> VoteMoments:
        return VoteMoments.of(h, self.y, self.votes.shape[1], self.f, self.repeats, self.loss)

    def without(self, part: VoteMoments) -> VoteMoments:
        return VoteMoments(self.y, self.f, self.repeats, self.loss, self.votes - part.votes)

    @property
    def K(self) -> np.ndarray:
        return self.votes.sum(axis=1)

    def _shares(self) -> np.ndarray:
        K = self.K
        return self.votes / np.where(K >= 2, K, np.nan)[:, None]

    def points(self) -> Points:
        p, rows = self._shares(), np.arange(len(self.y))
        main = self.votes.argmax(axis=1)
        loss = 1 - p[rows, self.y]
        best = self.y if self.f is None else self.f.argmax(axis=1)
        if self.loss == "domingos":
            bias = np.where(np.isnan(loss), np.nan, main != best)
            noise = np.full(len(self.y), np.nan) if self.f is None else 1 - self.f.max(axis=1)
            noise[self.repeats < 2] = np.nan
            return Points(K=self.K, main=main, loss=loss, bias=bias, variance=1 - p[rows, main], noise=noise)
        K, r = self.K, np.where(self.repeats >= 2, self.repeats, np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = (1 - np.square(p).sum(axis=1)) / 2 * K / (K - 1)
            noise = np.full(len(self.y), np.nan) if self.f is None else (1 - np.square(self.f).sum(axis=1)) / 2
            noise = noise * r / (r - 1)
        bias = loss - variance - np.where(np.isnan(noise), 0.0, noise)
        return Points(K=K, main=main, loss=loss, bias=bias, variance=variance, noise=noise)

    def terms(self) -> dict[str, np.ndarray]:
        points = self.points()
        if self.loss != "domingos":
            return _additive(points)
        p, rows = self._shares(), np.arange(len(self.y))
        best = self.y if self.f is None else self.f.argmax(axis=1)
        helped = np.where(points.bias == 1, p[rows, best], 0.0)  # wrong on the whole, right in these
        harmed = np.where(points.bias == 0, points.variance, 0.0)
        harmed[np.isnan(points.loss)] = helped[np.isnan(points.loss)] = np.nan
        return {
            "loss": points.loss,
            "noise": p[rows, best] - p[rows, self.y],
            "bias": points.bias,
            "variance": harmed - helped,
            "variance_unbiased": harmed,
            "variance_biased": helped,
            "disagreement": points.variance,
            "noise_rate": points.noise,
        }


def _additive(points: Points) -> dict[str, np.ndarray]:
    """Loss = noise + bias + variance; a point whose noise is not known takes the mean of the others."""
    known = points.noise[~np.isnan(points.noise)]
    noise = np.where(np.isnan(points.noise), known.mean() if known.size else 0.0, points.noise)
    noise = np.where(np.isnan(points.loss), np.nan, noise)
    return {
        "loss": points.loss,
        "noise": noise,
        "bias": points.loss - points.variance - noise,
        "variance": points.variance,
    }


def standard_errors(whole: Moments, parts: list[Any], cluster: np.ndarray) -> dict[str, float]:
    """Of the mean of every term: models and points both are samples.

    Models by a jackknife that leaves out one part of them at a time, points (in clusters that share their labels) by
    the spread of what they add; the squares of both are added.
    """
    terms = whole.terms()
    used = ~np.isnan(terms["loss"])
    if not used.any() or len(parts) < 2:
        return dict.fromkeys(terms, float("nan"))
    left = [{name: mean_known(values) for name, values in whole.without(part).terms().items()} for part in parts]
    g = len(parts)
    errors = {}
    for name, values in terms.items():
        here = used & ~np.isnan(values)
        models = np.array([one[name] for one in left])
        by_models = (g - 1) / g * np.square(models - models.mean()).sum()
        if not here.any():  # a noise that nobody can know
            errors[name] = float("nan")
            continue
        away = np.bincount(cluster[here], weights=values[here] - values[here].mean())
        by_points = np.square(away).sum() / np.count_nonzero(here) ** 2
        errors[name] = float(np.sqrt(by_models + by_points))
    return errors


def mean_known(values: np.ndarray) -> float:
    """The mean of what is not NaN."""
    values = values[~np.isnan(values)]
    return float(values.mean()) if values.size else float("nan")
