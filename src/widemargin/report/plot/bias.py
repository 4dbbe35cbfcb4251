"""Where the loss comes from: noise, bias and variance as bars, or as curves along a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import BadInput
from ...study.bias_record import BiasVariance
from ...study.sweep import BiasVarianceSweep
from .style import DASHES, FAINT, INK, axes, colour, grid_of_axes, legend_below, mark, plain_frame, tint, title

LOSS = {
    "squared": "squared loss",
    "domingos": "0-1 loss (Domingos)",
    "kohavi_wolpert": "0-1 loss (Kohavi and Wolpert)",
}
# What is stacked up, from below: term of the totals, word, colour, hatching.
LAYERS = {
    "noise": ("noise", FAINT, ""),
    "bias": ("bias", colour(0), ""),
    "variance": ("variance", colour(1), "//"),
    "variance_unbiased": ("variance where unbiased", colour(1), "//"),
    "variance_biased": ("variance where biased (taken off)", colour(4), "xx"),
}


@dataclass(kw_only=True, eq=False)
class BiasVarianceDisplay:
    """One bar a learner: noise, bias and variance on top of each other, and the loss with its standard error.

    For Domingos' parts the variance that helps hangs below zero: bar above minus bar below is the loss. Make one with
    `from_studies`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    heights : dict of str to ndarray
        Of each layer, one number a learner; below zero where it is taken off.
    """

    studies: dict[str, BiasVariance]
    heights: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_studies(cls, studies: Any, *, ax: Any = None) -> BiasVarianceDisplay:
        """Draw the records of :func:`widemargin.study.bias_variance`.

        Parameters
        ----------
        studies : BiasVariance or dict of str to BiasVariance
            All by the same loss.
        ax : matplotlib Axes, optional

        Returns
        -------
        BiasVarianceDisplay
        """
        several = dict(studies) if isinstance(studies, Mapping) else {studies.estimator: studies}
        losses = sorted({record.loss for record in several.values()})
        if len(losses) != 1:
            raise BadInput(
                f"{len(several)} studies by {len(losses)} losses ({', '.join(losses)}): one picture, one loss."
            )
        return cls(studies=several).plot(ax=ax)

    def plot(self, ax: Any = None) -> BiasVarianceDisplay:
        """Draw on the axes given, or on new ones."""
        records = list(self.studies.values())
        self.figure_, self.ax_ = axes(ax, (2.6 + 1.1 * max(len(records), 3), 4.6))
        ax, loss = self.ax_, records[0].loss
        terms = [t for t in LAYERS if any(t in r.totals for r in records)]
        terms = [t for t in terms if not (loss == "domingos" and t == "variance")]
        self.heights = {term: self._heights(term, records) for term in terms}
        at, above, below = np.arange(len(records)), np.zeros(len(records)), np.zeros(len(records))
        for term, height in self.heights.items():
            word, face, hatch = LAYERS[term]
            if term == "bias" and any(r.noise_from is None for r in records):
                word = "bias and noise" if loss == "domingos" else "bias² and noise"
            elif term == "bias" and loss != "domingos":
                word = "bias²"
            base = np.where(height >= 0, above, below)
            ax.bar(
                at, height, 0.62, base, label=word, color=tint(face, 0.75), edgecolor=INK, linewidth=0.6, hatch=hatch
            )
            above, below = above + np.maximum(height, 0), below + np.minimum(height, 0)
        figures = [record.totals["loss"] for record in records]
        style = {"color": INK, "markersize": 5, "capsize": 3, "linewidth": 1.1}
        ax.errorbar(at, [f.value for f in figures], [f.error for f in figures], fmt="D", label="loss", **style)
        ax.axhline(0, color=INK, linewidth=0.8)
        ax.set_xticks(at, [name.replace(" ", "\n") for name in self.studies], fontsize=9)
        ax.set_ylabel(LOSS[loss], fontsize=9.5)
        fresh = all(record.plan is None for record in records)
        title(
            ax,
            "Where the loss comes from",
            "over fresh samples" if fresh else "over bootstrap replicates of one data set",
        )
        plain_frame(ax)
        ax.tick_params(axis="x", length=0)
        legend_below(ax, columns=2)
        _lower_legend(ax, max(name.count(" ") for name in self.studies))
        return self

    @staticmethod
    def _heights(term: str, records: list[BiasVariance]) -> np.ndarray:
        sign = -1.0 if term == "variance_biased" else 1.0
        return np.array([sign * record.totals[term].value if term in record.totals else 0.0 for record in records])


def _lower_legend(ax: Any, more_lines: int) -> None:
    """Names in several lines push the legend down."""
    from matplotlib.transforms import ScaledTranslation

    legend = ax.get_legend()
    below = ScaledTranslation(0, -(30 + 11 * more_lines) / 72, ax.figure.dpi_scale_trans)
    legend.set_bbox_to_anchor((0.5, 0.0), transform=ax.transAxes + below)


@dataclass(kw_only=True, eq=False)
class BiasVarianceSweepDisplay:
    """Bias, variance and loss along a parameter: one panel each, one line a learner, one standard error around it.

    Make one with `from_sweep`.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : ndarray of Axes
        One a term.
    ax_ : matplotlib Axes
        The first of them.
    """

    sweep: BiasVarianceSweep
    figure_: Any = field(default=None, repr=False)
    axes_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_sweep(cls, sweep: BiasVarianceSweep, *, ax: Any = None) -> BiasVarianceSweepDisplay:
        """Draw the record of :func:`widemargin.study.bias_variance_sweep`.

        Parameters
        ----------
        sweep : BiasVarianceSweep
        ax : matplotlib Axes, optional
            The panels take its place.

        Returns
        -------
        BiasVarianceSweepDisplay
        """
        return cls(sweep=sweep).plot(ax=ax)

    def plot(self, ax: Any = None) -> BiasVarianceSweepDisplay:
        """Draw in the place of the axes given, or on a new figure."""
        first = next(iter(self.sweep.records.values()))[0]
        terms = [term for term in ("bias", "variance", "loss") if term in first.totals]
        self.figure_, grid = grid_of_axes(ax, 1, len(terms), (3.0 * len(terms) + 0.6, 3.9), sharex=True)
        self.axes_ = grid[0]
        self.ax_ = self.axes_[0]
        squared = first.loss != "domingos"
        words = {"bias": "bias²" if squared else "bias", "variance": "variance" if squared else "net variance"}
        if first.noise_from is None:
            words["bias"] += " and noise"
        numbers = all(isinstance(v, int | float | np.number) for v in self.sweep.values)
        x = np.array(self.sweep.values, dtype=float) if numbers else np.arange(len(self.sweep.values))
        for panel, term in zip(self.axes_, terms, strict=True):
            for k, name in enumerate(self.sweep.records):
                value, error = self.sweep.curve(name, term)
                panel.fill_between(x, value - error, value + error, color=colour(k), alpha=0.22, linewidth=0)
                style = {"color": colour(k), "marker": mark(k), "linestyle": DASHES[k % len(DASHES)]}
                panel.plot(x, value, markersize=4.5, linewidth=1.4, label=name, **style)
            panel.set_title(words.get(term, term), fontsize=9.5, color=INK)
            panel.set_ylim(bottom=min(0.0, panel.get_ylim()[0]))
            panel.set_xlabel(self.sweep.parameter, fontsize=9.5)
            if not numbers:
                panel.set_xticks(x, [str(v) for v in self.sweep.values])
            elif x.min() > 0 and x.max() >= 30 * x.min():  # rounds, prices: by factors
                panel.set_xscale("log")
                panel.set_xticks(x, [f"{v:g}" for v in x])
                panel.minorticks_off()
            elif all(float(v).is_integer() for v in self.sweep.values):
                panel.xaxis.get_major_locator().set_params(integer=True)
            plain_frame(panel)
        self.ax_.set_ylabel(LOSS[first.loss], fontsize=9.5)
        legend_below(self.axes_[len(terms) // 2], columns=3)
        return self
