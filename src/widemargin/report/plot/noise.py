"""Wrong labels: errors of two learners against each other, a point a data set; and what noise costs each learner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import BadInput
from ...study.label_noise import NoiseStudy, interval
from .style import FAINT, INK, axes, colour, grid_of_axes, legend_below, mark, plain_frame, title


@dataclass(kw_only=True, eq=False)
class NoiseScatterDisplay:
    """Errors of two learners on the same sets, a panel for each share of wrong labels. Make one with `from_study`.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : ndarray of Axes
        One a share.
    ax_ : matplotlib Axes
        The first of them.
    """

    study: NoiseStudy
    one: str
    two: str
    figure_: Any = field(default=None, repr=False)
    axes_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_study(cls, study: NoiseStudy, one: str, two: str, *, ax: Any = None) -> NoiseScatterDisplay:
        """Draw the record of :func:`widemargin.study.label_noise_study`.

        Parameters
        ----------
        study : NoiseStudy
        one, two : str
            The learners along the horizontal and the vertical axis.
        ax : matplotlib Axes, optional
            The panels take its place.

        Returns
        -------
        NoiseScatterDisplay
        """
        for name in (one, two):
            if name not in study.learners:
                raise BadInput(f"the study has no learner {name!r}; it has {', '.join(study.learners)}.")
        if not study.sets:
            raise BadInput("no data set of the study is complete: there is nothing to draw.")
        return cls(study=study, one=one, two=two).plot(ax=ax)

    def plot(self, ax: Any = None) -> NoiseScatterDisplay:
        """Draw in the place of the axes given, or on a new figure."""
        shares = self.study.shares
        columns = min(len(shares), 4)
        lines = -(-len(shares) // columns)
        size = (2.6 * columns + 0.6, 3.5 * lines)
        self.figure_, grid = grid_of_axes(ax, lines, columns, size, sharex=True, sharey=True)
        self.axes_ = grid.ravel()
        self.ax_ = self.axes_[0]
        for panel in self.axes_[len(shares) :]:
            panel.set_axis_off()
        errors = {q: [100 * self.study.errors(name, q) for name in (self.one, self.two)] for q in shares}
        top = 1.06 * max(float(np.max(pair)) for pair in errors.values())
        for panel, q in zip(self.axes_, shares, strict=False):
            a, b = errors[q]
            panel.plot([0, top], [0, top], color=FAINT, linewidth=0.9)
            panel.scatter(a, b, s=24, color=colour(0), edgecolor="white", linewidth=0.5, zorder=3)
            fewer, more = int((b < a).sum()), int((b > a).sum())
            told = f"{100 * q:g} % wrong labels\n{self.two} better on {fewer}, worse on {more}"
            panel.set_title(told, fontsize=8.5, color=INK)
            panel.set(xlim=(0, top), ylim=(0, top), aspect="equal")
            panel.set_xlabel(f"{self.one}, error %", fontsize=9)
            plain_frame(panel)
        self.ax_.set_ylabel(f"{self.two}, error %", fontsize=9)
        return self


@dataclass(kw_only=True, eq=False)
class NoiseLossDisplay:
    """Accuracy that wrong labels cost each learner, with 95 % intervals over data sets. Make one with `from_study`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    """

    study: NoiseStudy
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_study(cls, study: NoiseStudy, *, ax: Any = None) -> NoiseLossDisplay:
        """Draw the record of :func:`widemargin.study.label_noise_study`.

        Parameters
        ----------
        study : NoiseStudy
        ax : matplotlib Axes, optional

        Returns
        -------
        NoiseLossDisplay
        """
        if not study.sets:
            raise BadInput("no data set of the study is complete: there is nothing to draw.")
        return cls(study=study).plot(ax=ax)

    def plot(self, ax: Any = None) -> NoiseLossDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax, (7.2, 4.8))
        ax, study = self.ax_, self.study
        shares = [q for q in study.shares if q > 0]
        width = 0.8 / len(study.learners)
        for k, name in enumerate(study.learners):
            told = [interval(100 * study.loss(name, q)) for q in shares]
            at = np.arange(len(shares)) + (k - (len(study.learners) - 1) / 2) * width
            mean = np.array([t["mean"] for t in told])
            half = np.array([t["high"] - t["mean"] for t in told])
            style = {"color": colour(k), "marker": mark(k), "markersize": 5.5, "capsize": 2.5, "linewidth": 1.3}
            ax.errorbar(at, mean, np.nan_to_num(half), linestyle="none", label=name, **style)
        ax.axhline(0, color=FAINT, linewidth=0.9)
        ax.set_xticks(range(len(shares)), [f"{100 * q:g} %" for q in shares])
        ax.set_xlim(-0.5, len(shares) - 0.5)
        for edge in range(1, len(shares)):
            ax.axvline(edge - 0.5, color=FAINT, linewidth=0.5, linestyle=":")
        ax.set_xlabel("wrong labels among the training rows", fontsize=9.5)
        ax.set_ylabel("accuracy lost, points", fontsize=9.5)
        title(ax, f"What wrong labels cost, on {len(study.sets)} data sets", "mean over sets, with its 95 % interval")
        plain_frame(ax)
        legend_below(ax, columns=4)
        return self
