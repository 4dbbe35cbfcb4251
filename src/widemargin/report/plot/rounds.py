"""Boosting at work in two columns: before each round the rows as large as their weights, and the learner's answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import BadInput
from ...study.boosting import round_weights
from .style import INK, colour, grid_of_axes, mark, plain_frame, tint


@dataclass(kw_only=True, eq=False)
class BoostingRoundsDisplay:
    """A panel a round: rows with their weights as sizes, regions as the round's learner sees them, its errors circled.

    The last panel shows the vote of all of them. Make one with `from_estimator`.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : ndarray of Axes
    ax_ : matplotlib Axes
        The first of them.
    weights : ndarray of shape (n_panels - 1, n_samples)
        Of the rows before each round; they sum to 1.
    """

    model: Any
    X: np.ndarray
    y: np.ndarray
    rounds: tuple[int, ...]
    weights: np.ndarray
    grid: int = 200
    figure_: Any = field(default=None, repr=False)
    axes_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, rounds: Sequence[int] = (1, 2, 3), grid: int = 200, ax: Any = None
    ) -> BoostingRoundsDisplay:
        """Draw rounds of a fitted booster of classes.

        Parameters
        ----------
        model : fitted booster
        X, y : its rows, of two columns
        rounds : sequence of int, default=(1, 2, 3)
            Counted from 1.
        grid : int, default=200
            Points a side that are asked for the regions.
        ax : matplotlib Axes, optional
            The panels take its place.

        Returns
        -------
        BoostingRoundsDisplay
        """
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        if X.ndim != 2 or X.shape[1] != 2:
            raise BadInput(f"X has the shape {X.shape}: two columns can be drawn.")
        if not rounds or min(rounds) < 1 or max(rounds) > model.n_rounds_:
            raise BadInput(f"rounds={list(rounds)}: the model has {model.n_rounds_}, counted from 1.")
        weights = round_weights(model, X, y, rounds)
        return cls(model=model, X=X, y=y, rounds=tuple(rounds), weights=weights, grid=grid).plot(ax=ax)

    def plot(self, ax: Any = None) -> BoostingRoundsDisplay:
        """Draw in the place of the axes given, or on a new figure."""
        panels = len(self.rounds) + 1
        columns = min(panels, 4)
        lines = -(-panels // columns)
        size = (2.7 * columns + 0.4, 2.9 * lines + 0.3)
        self.figure_, grid = grid_of_axes(ax, lines, columns, size, sharex=True, sharey=True)
        self.axes_ = grid.ravel()
        self.ax_ = self.axes_[0]
        for panel in self.axes_[panels:]:
            panel.set_axis_off()
        for panel in self.axes_[max(0, panels - columns) : panels]:  # nothing may stand below them
            panel.tick_params(labelbottom=True)
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        room = 0.09 * np.where(high > low, high - low, 1.0)
        x, y = (np.linspace(a - r, b + r, self.grid) for a, b, r in zip(low, high, room, strict=True))
        points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        own = list(self._staged_labels(self.X))
        field_ = list(self._staged_labels(points))
        for k, t in enumerate(self.rounds):
            one, w = own[t - 1][0], self.weights[k]
            wrong = one != self.y
            self._panel(self.axes_[k], x, y, field_[t - 1][0], w, wrong)
            error = float(w[wrong].sum())
            self.axes_[k].set_title(f"round {t}: weighted error {error:.3f}", fontsize=9, color=INK)
        last = max(self.rounds)
        wrong = own[last - 1][1] != self.y
        self._panel(self.axes_[panels - 1], x, y, field_[last - 1][1], None, wrong)
        told = f"vote of {last} round{'s' * (last != 1)}: error {wrong.mean():.3f}"
        self.axes_[panels - 1].set_title(told, fontsize=9, color=INK)
        handles, names = self.ax_.get_legend_handles_labels()
        self.figure_.legend(handles, names, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
        return self

    def _staged_labels(self, X: np.ndarray) -> Any:
        """(labels by the round's learner alone, labels by the sum) after each round."""
        before: Any = 0.0
        for F in self.model._staged(X):
            both = [self.model.classes_[self.model._codes(S)] for S in (F - before, F)]
            before = F
            yield both

    def _panel(self, ax: Any, x: np.ndarray, y: np.ndarray, said: np.ndarray, w: Any, wrong: np.ndarray) -> None:
        classes = self.model.classes_
        codes = np.searchsorted(classes, said).reshape(len(y), len(x))
        colours = [tint(colour(c), 0.22) for c in range(len(classes))]
        ax.contourf(x, y, codes, levels=np.arange(len(classes) + 1) - 0.5, colors=colours)
        usual = float(np.clip(1500 / len(self.y), 12.0, 90.0))  # of a row with its share of the weight
        size = np.full(len(self.y), usual) if w is None else np.clip(usual * w * len(w), 1.5, 900.0)
        for c, label in enumerate(classes):
            own = self.y == label
            style = {"facecolor": colour(c), "edgecolor": "white", "linewidth": 0.6, "marker": mark(c), "zorder": 3}
            ax.scatter(*self.X[own].T, s=size[own], label=f"class {label}", **style)
        ring = {"facecolor": "none", "edgecolor": INK, "linewidth": 0.9, "marker": "o", "zorder": 4}
        ax.scatter(*self.X[wrong].T, s=1.7 * size[wrong] + 22, label="wrong", **ring)
        plain_frame(ax)
