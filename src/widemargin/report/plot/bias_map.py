"""Bias and variance at every point: as colours in a plane, or around the curve of a single column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from ...base.errors import BadInput
from ...study.bias_record import BiasVariance
from .plane import choose_plane
from .style import FAINT, INK, colour, grid_of_axes, legend_below, plain_frame, tint, title


@dataclass(kw_only=True, eq=False)
class BiasVarianceMapDisplay:
    """Every point with its bias and its variance.

    Of two columns or more, two panels: colour says the bias (of labels: whether the main prediction is wrong) and the
    variance. Of one column and numbers, one panel: the points, the mean prediction, and one deviation around it. Make
    one with `from_study`.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : ndarray of Axes
    ax_ : matplotlib Axes
        The first of them.
    places : ndarray of shape (n, 2) or (n, 1)
        Where the points are drawn.
    """

    study: BiasVariance
    places: np.ndarray
    names: tuple[str, ...]
    note: str = ""
    figure_: Any = field(default=None, repr=False)
    axes_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_study(
        cls, study: BiasVariance, X: Any, *, columns: Any = None, feature_names: Any = None, ax: Any = None
    ) -> BiasVarianceMapDisplay:
        """Draw the points of a record of :func:`widemargin.study.bias_variance`.

        Parameters
        ----------
        study : BiasVariance
        X : array-like or sparse matrix of shape (n, d)
            The points of the study.
        columns : pair of names or numbers, optional
            Columns to draw by; otherwise the two main directions of all.
        feature_names : sequence of str, optional
        ax : matplotlib Axes, optional
            The panels take its place.

        Returns
        -------
        BiasVarianceMapDisplay
        """
        if feature_names is None and hasattr(X, "columns"):
            feature_names = list(X.columns)
        rows = check_array(X, accept_sparse="csr", dtype=np.float64)
        n, d = rows.shape
        if n != len(study.y):
            raise BadInput(f"X has {n} rows, but the study has {len(study.y)} points: give the X of the study.")
        if d == 1:
            dense = rows.toarray() if sp.issparse(rows) else rows
            names = ("x0" if feature_names is None else str(feature_names[0]),)
            return cls(study=study, places=dense, names=names).plot(ax=ax)
        plane = choose_plane(rows, None, columns, feature_names)
        note = f"main directions of {d} columns" if d > 2 and columns is None else ""
        return cls(study=study, places=plane.project(rows), names=plane.names, note=note).plot(ax=ax)

    def plot(self, ax: Any = None) -> BiasVarianceMapDisplay:
        """Draw in the place of the axes given, or on a new figure."""
        curve = self.places.shape[1] == 1 and self.study.classes is None
        panels = 1 if curve else 2
        self.figure_, grid = grid_of_axes(ax, 1, panels, (6.4, 4.4) if curve else (8.6, 4.2))
        self.axes_ = grid[0]
        self.ax_ = self.axes_[0]
        if curve:
            self._curve()
        else:
            self._panel(self.axes_[0], *self._bias())
            self._panel(self.axes_[1], self.study.points.variance, "variance", "viridis", None)
            title(self.ax_, f"{self.study.estimator} at every point", self.note)
            title(self.axes_[1], " ", " " if self.note else "")
        return self

    def _bias(self) -> tuple[np.ndarray, str, str, float | None]:
        bias, loss = self.study.points.bias, self.study.loss
        if loss == "squared":
            return bias, "bias: label minus mean prediction", "RdBu_r", float(np.nanmax(np.abs(bias), initial=1e-12))
        return bias, "bias: main prediction wrong" if loss == "domingos" else "bias²", "viridis", None

    def _panel(self, ax: Any, values: np.ndarray, word: str, colours: str, most: float | None) -> None:
        known = ~np.isnan(values)
        x = self.places[:, 0]
        y = self.places[:, 1] if self.places.shape[1] > 1 else self.study.y
        limits = (
            {"vmin": -most, "vmax": most} if most is not None else {"vmin": min(0.0, np.nanmin(values, initial=0.0))}
        )
        if not known.all():
            ax.scatter(x[~known], y[~known], s=16, marker="x", color=FAINT, linewidth=0.8)
        order = np.argsort(np.abs(values[known]))  # what stands out is drawn last
        shown = np.flatnonzero(known)[order]
        drawn = ax.scatter(
            x[shown], y[shown], c=values[shown], s=20, cmap=colours, edgecolors=INK, linewidths=0.2, **limits
        )
        bar = self.figure_.colorbar(drawn, ax=ax, location="bottom", shrink=0.8, pad=0.02)
        bar.set_label(word, fontsize=9)
        bar.ax.tick_params(labelsize=8)
        bar.locator.set_params(nbins=5)
        ax.set_xlabel(self.names[0], fontsize=9.5)
        ax.set_ylabel(self.names[1] if len(self.names) > 1 else "class", fontsize=9.5)
        plain_frame(ax)

    def _curve(self) -> None:
        ax, points = self.ax_, self.study.points
        order = np.argsort(self.places[:, 0], kind="stable")
        x, mean = self.places[order, 0], points.main[order]
        deviation = np.sqrt(points.variance[order])
        label = "± one deviation of the models"
        ax.fill_between(x, mean - deviation, mean + deviation, color=tint(colour(1), 0.3), linewidth=0, label=label)
        ax.plot(self.places[:, 0], self.study.y, "o", color=colour(0), markersize=3, label="labels")
        ax.plot(x, mean, color=colour(1), linewidth=1.6, label="mean prediction")
        ax.set_xlabel(self.names[0], fontsize=9.5)
        ax.set_ylabel("y", fontsize=9.5)
        title(ax, f"{self.study.estimator}: labels minus the line are bias and noise, the band is variance")
        plain_frame(ax)
        legend_below(ax, columns=3)
