"""The record of a study of bias and variance: figures by point and in all, a table, what they deviate by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..base.errors import BadInput
from .decomposition import LOSSES, Moments, NumberMoments, Points, VoteMoments, mean_known, standard_errors
from .noise import Places
from .replicates import Bootstrap

PARTS = 20  # of the models, for the jackknife


class Figure(NamedTuple):
    """A value and its standard error, over models and points."""

    value: float
    error: float


@dataclass(frozen=True, kw_only=True, eq=False)
class BiasVariance:
    """What a study of bias and variance found; `print` shows it as a table.

    Attributes
    ----------
    estimator : str
    loss : {"squared", "domingos", "kohavi_wolpert"}
    points : Points
        Arrays by point: `K`, `main`, `loss`, `bias`, `variance`, `noise`.
    totals : dict of str to Figure
        "loss" = "noise" + "bias" + "variance", each with its standard error. For Domingos "variance" is the net one:
        "variance_unbiased" - "variance_biased", and "noise" the effect of noise on the loss.
    deviation : str
        How these figures differ from those over fresh samples.
    predictions : ndarray of shape (B, n)
        NaN, or the number of classes, where a model was not asked; otherwise numbers, or codes of `classes`.
    classes : ndarray or None
    y : ndarray
        Numbers or codes to judge by.
    noise_from : {"repeats", "neighbours"} or None
        None: nothing is known of the noise, and the bias contains it.
    plan : Bootstrap or None
        The replicates; None for fresh samples.
    rows_learnt : float
        Different rows that a model learnt from, on average.
    constant : int
        Replicates that held one class only: their model is that class.
    """

    estimator: str
    loss: str
    predictions: np.ndarray
    y: np.ndarray
    places: Places
    classes: np.ndarray | None = None
    noise_from: str | None = None
    plan: Bootstrap | None = None
    rows_learnt: float = 0.0
    constant: int = 0

    def __post_init__(self) -> None:
        n, k = len(self.y), None if self.classes is None else len(self.classes)
        if self.predictions.ndim != 2 or self.predictions.shape[1] != n or self.places.n != n:
            raise BadInput(f"predictions of shape {self.predictions.shape} do not belong to {n} labels.")
        if (k is None) != (self.loss == "squared") or self.loss not in LOSSES:
            raise BadInput(f"loss={self.loss!r} does not belong to {k} classes.")
        if k is not None and n and not (self.y.min() >= 0 and self.y.max() < k and self.predictions.min() >= 0):
            raise BadInput(f"labels from {self.y.min()} to {self.y.max()}: codes of {k} classes are needed.")
        if k is not None and self.predictions.size and self.predictions.max() > k:
            raise BadInput(f"a prediction is {self.predictions.max()}, but there are {k} classes.")

    @property
    def B(self) -> int:
        return len(self.predictions)

    def by(self, loss: str) -> BiasVariance:
        """The same predictions, parted by another rule for 0-1 loss; nothing is fitted again."""
        if loss not in LOSSES or (loss == "squared") != (self.loss == "squared"):
            raise BadInput(f"loss={loss!r}: {self.estimator} predicts {'numbers' if self._numbers else 'classes'}.")
        return replace(self, loss=loss)

    @property
    def _numbers(self) -> bool:
        return self.loss == "squared"

    @cached_property
    def _moments(self) -> Any:
        if self.classes is None:
            return NumberMoments.of(self.predictions, self.y, self.places.variance(self.y))
        k = len(self.classes)
        shares = self.places.shares(self.y, k)
        return VoteMoments.of(self.predictions, self.y, k, shares, self.places.repeats, self.loss)

    @cached_property
    def points(self) -> Points:
        points = self._moments.points()
        return points if self.classes is None else replace(points, main=self.classes[points.main])

    @cached_property
    def totals(self) -> dict[str, Figure]:
        moments: Moments = self._moments
        g = min(PARTS, self.B)
        parts = [moments.part(self.predictions[k::g]) for k in range(g)]  # type: ignore[attr-defined]
        errors = standard_errors(moments, parts, self.places.cluster)
        found = {name: Figure(mean_known(values), errors[name]) for name, values in moments.terms().items()}
        if self.noise_from is None:  # it is in the bias
            for name in ("noise", "noise_rate"):
                found.pop(name, None)
        return found

    @property
    def left_out(self) -> int:
        """Points that fewer than two models were asked about; they are in no total."""
        return int(np.count_nonzero(self.points.K < 2))

    @property
    def deviation(self) -> str:
        if self.plan is None:
            return f"none: {self.B} fresh samples of {self.rows_learnt:.0f} rows"
        drawn = "with" if self.plan.replace else "without"
        said = (
            f"{self.B} replicates of {self.plan.m} draws {drawn} replacement hold {self.rows_learnt:.1f} of "
            f"{self.plan.n} rows on average: bias and loss are those of a learner with so many rows, and the variance "
            "is over replicates of this one data set, not over fresh samples"
        )
        return said + (f"; {self.constant} replicates held one class only" if self.constant else "")

    @property
    def note(self) -> str:
        """Where the noise is."""
        if self.noise_from is None:
            return "the bias contains the noise: nothing says what labels the same x could have had"
        if self.noise_from == "neighbours":
            k = self.places.repeats[0] - 1
            return f"noise from {k} nearest rows: too large, and the bias too small, as far as the truth differs there"
        r = self.places.repeats
        seen = f"noise from {int((r >= 2).sum())} of {len(r)} rows whose x repeats"
        return seen if self.loss != "domingos" else f"{seen}; few labels at an x understate it"

    def table(self) -> list[tuple[str, float, float]]:
        """(name, value, standard error) in the order in which they add up to the loss."""
        names = _WORDS[self.loss]
        words = {**names, "bias": f"{names['bias']} + noise"} if self.noise_from is None else names
        return [(words[name], *self.totals[name]) for name in names if name in self.totals]

    def to_dict(self) -> dict[str, Any]:
        """Values ready for JSON."""
        return {
            "estimator": self.estimator,
            "loss": self.loss,
            "B": self.B,
            "points": len(self.y),
            "left_out": self.left_out,
            "totals": {name: {"value": f.value, "error": f.error} for name, f in self.totals.items()},
            "noise_from": self.noise_from,
            "rows_learnt": self.rows_learnt,
            "replicates": None if self.plan is None else {"m": self.plan.m, "replace": self.plan.replace},
            "deviation": self.deviation,
            "note": self.note,
        }

    def __str__(self) -> str:
        head = f"{self.estimator}: {_TITLES[self.loss]} at {len(self.y) - self.left_out} points"
        width = max(len(name) for name, *_ in self.table())
        lines = [f"  {name:<{width}}  {value:>10.5g} ± {error:.2g}" for name, value, error in self.table()]
        lines += [f"  deviation: {self.deviation}", f"  {self.note}"]
        if self.left_out:
            lines.append(f"  {self.left_out} points were asked about fewer than twice and left out: raise B")
        return "\n".join([head, *lines])

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {figure.value:.4g}" for name, figure in self.totals.items())
        return f"<BiasVariance of {self.estimator}: {parts}>"


_TITLES = {
    "squared": "squared loss",
    "domingos": "0-1 loss (Domingos)",
    "kohavi_wolpert": "0-1 loss (Kohavi and Wolpert)",
}
_WORDS = {
    "squared": {"noise": "noise", "bias": "bias²", "variance": "variance", "loss": "loss"},
    "kohavi_wolpert": {"noise": "noise", "bias": "bias²", "variance": "variance", "loss": "loss"},
    "domingos": {
        "noise": "effect of noise",
        "bias": "bias",
        "variance_unbiased": "variance where unbiased",
        "variance_biased": "- variance where biased",
        "variance": "net variance",
        "loss": "loss",
    },
}
