"""How a perceptron learns: the separator after chosen updates, with the row that caused the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from ...base.errors import BadInput
from ...study.replay import Replay, replay_updates
from .boundary import _codes
from .plane import window
from .style import FAINT, INK, colour, grid_of_axes, mark, tint


@dataclass(kw_only=True, eq=False)
class PerceptronStepsDisplay:
    """Small pictures, one a chosen update: the separator before (dotted) and after, its weight vector, the guilty row.

    Make one with `from_estimator`.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : ndarray of Axes
    ax_ : matplotlib Axes
        The first of them.
    replay : Replay
        All updates of the fit.
    updates : tuple of int
        Those drawn.
    """

    points: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    names: tuple[str, str]
    replay: Replay
    updates: tuple[int, ...]
    figure_: Any = field(default=None, repr=False)
    axes_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        updates: Sequence[int] | None = None,
        feature_names: Sequence[str] | None = None,
        max_updates: int = 10_000,
        ax: Any = None,
    ) -> PerceptronStepsDisplay:
        """Repeat the fit of an online learner on two columns and two classes, and draw it.

        Parameters
        ----------
        estimator : fitted online classifier
        X, y : array-like
            The data of its fit, two columns.
        updates : sequence of int, optional
            Which updates to draw, counted from 1; by default six, close together at first.
        feature_names : pair of str, optional
        max_updates : int
            Follow the fit no further than this.
        ax : matplotlib Axes, optional
            The small pictures take its place.

        Returns
        -------
        PerceptronStepsDisplay
        """
        names = feature_names if feature_names is not None else getattr(X, "columns", ("x0", "x1"))
        points = check_array(X, dtype=np.float64)
        if points.shape[1] != 2:
            raise BadInput(f"steps are drawn in the plane: X has {points.shape[1]} columns, 2 are needed.")
        replay = replay_updates(estimator, X, y, max_updates=max_updates)
        if len(replay) == 0:
            raise BadInput("the fit made no update, so there is no step to draw.")
        chosen = _spread(len(replay)) if updates is None else [int(u) for u in updates]
        outside = [u for u in chosen if not 1 <= u <= len(replay)]
        if outside or not chosen:
            raise BadInput(f"updates={list(chosen)}: the fit made {len(replay)}, so choose from 1 to {len(replay)}.")
        return cls(
            points=points,
            codes=_codes(y, np.asarray(estimator.classes_)),
            classes=np.asarray(estimator.classes_),
            names=(str(names[0]), str(names[1])),
            replay=replay,
            updates=tuple(chosen),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> PerceptronStepsDisplay:
        """Draw in the place of the axes given, or on a new figure."""
        columns = min(3, len(self.updates))
        rows = -(-len(self.updates) // columns)
        size = (2.0 * columns + 0.5, 2.4 * rows + 0.8)
        self.figure_, grid = grid_of_axes(ax, rows, columns, size, sharex=True, sharey=True)
        self.axes_ = grid.ravel()
        self.ax_ = self.axes_[0]
        for panel, update in zip(self.axes_, self.updates, strict=False):
            self._panel(panel, update)
        for panel in self.axes_[len(self.updates) :]:
            panel.set_axis_off()
        for panel in grid[-1]:
            panel.set_xlabel(self.names[0], fontsize=9)
        for panel in grid[:, 0]:
            panel.set_ylabel(self.names[1], fontsize=9)
        if ax is None:
            self._legend()
        return self

    def _panel(self, panel: Any, update: int) -> None:
        low, high = self._window()
        w, b = self.replay.coef[update], float(self.replay.intercept[update])
        old_w, old_b = self.replay.coef[update - 1], float(self.replay.intercept[update - 1])
        row = self.replay.row[update - 1]
        _regions(panel, w, b, low, high)
        _line(panel, old_w, old_b, low, high, linestyle=":", color=FAINT, linewidth=1.3)
        _line(panel, w, b, low, high, color=INK, linewidth=1.6)
        for c in range(2):
            here = self.codes == c
            panel.scatter(*self.points[here].T, s=17, c=colour(c), marker=mark(c), edgecolors="white", linewidths=0.4)
        panel.scatter(*self.points[row], s=130, facecolors="none", edgecolors=INK, linewidths=1.6, zorder=5)
        self._arrow(panel, w, b, low, high)
        wrong = int(np.count_nonzero((2 * self.codes - 1) * (self.points @ w + b) <= 0))
        panel.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        panel.set_box_aspect(1)
        epoch = self.replay.epoch[update - 1]
        panel.set_title(
            f"update {update} of {len(self.replay)}\nepoch {epoch}: {wrong} wrong", fontsize=8.5, loc="left"
        )
        panel.tick_params(labelsize=8)

    def _window(self) -> tuple[np.ndarray, np.ndarray]:
        """A square around the points, so that the weight vector is seen at a right angle to the separator."""
        low, high = window(self.points, 0.12)
        middle, half = (low + high) / 2, float((high - low).max()) / 2
        return middle - half, middle + half

    def _arrow(self, panel: Any, w: np.ndarray, b: float, low: np.ndarray, high: np.ndarray) -> None:
        """The direction of w, from the point of the separator nearest to the middle of the picture."""
        length = float(np.linalg.norm(w))
        if length == 0:
            return
        middle = (low + high) / 2
        foot = np.clip(middle - (middle @ w + b) / length**2 * w, low, high)
        tip = foot + 0.2 * (high - low).max() * w / length
        panel.annotate("", tip, foot, arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.3}, zorder=6)

    def _legend(self) -> None:
        plt_line = self.axes_[0].plot
        handles = [
            plt_line([], [], mark(c), color=colour(c), markersize=5, label=str(self.classes[c]))[0] for c in range(2)
        ]
        ring = {"markerfacecolor": "none", "markeredgecolor": INK, "markersize": 9, "markeredgewidth": 1.4}
        handles += [
            plt_line([], [], "o", label="guilty row", **ring)[0],
            plt_line([], [], ":", color=FAINT, label="before")[0],
            plt_line([], [], "-", color=INK, label="after (arrow: w)")[0],
        ]
        style = {"frameon": False, "fontsize": 8.5, "columnspacing": 1.0, "handletextpad": 0.4}
        self.figure_.legend(handles=handles, loc="outside lower center", ncols=len(handles), **style)


def _spread(total: int, pictures: int = 6) -> list[int]:
    """Up to six updates from the first to the last, at about equal ratios."""
    chosen = np.rint(np.geomspace(1, total, min(pictures, total))).astype(int)
    # Close to the start, ratios round to the same number: step on by one instead.
    return [max(int(u), k + 1) for k, u in enumerate(chosen)]


def _corners(low: np.ndarray, high: np.ndarray, grid: int = 200) -> tuple[np.ndarray, np.ndarray]:
    return np.meshgrid(np.linspace(low[0], high[0], grid), np.linspace(low[1], high[1], grid))


def _regions(panel: Any, w: np.ndarray, b: float, low: np.ndarray, high: np.ndarray) -> None:
    x, y = _corners(low, high)
    picture = np.array([tint(colour(0)), tint(colour(1))])[(w[0] * x + w[1] * y + b > 0).astype(int)]
    panel.imshow(picture, extent=(low[0], high[0], low[1], high[1]), origin="lower", aspect="auto", zorder=0)


def _line(panel: Any, w: np.ndarray, b: float, low: np.ndarray, high: np.ndarray, **style: Any) -> None:
    """The line w.x + b = 0, if it is one."""
    length = float(np.linalg.norm(w))
    if length == 0:
        return
    middle, reach = (low + high) / 2, 3 * float(np.linalg.norm(high - low))
    foot = middle - (middle @ w + b) / length**2 * w
    along = np.array([-w[1], w[0]]) / length * reach
    panel.plot(*np.array([foot - along, foot + along]).T, **style)
