"""The way of a dual ascent over the contours of its objective, seen in the plane of two variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import BadInput
from ...study.ascent import DualAscent
from .style import FAINT, INK, axes, colour, legend_below, plain_frame, title

WORDS = {
    "smo": "Pairs (SMO)",
    "round_robin": "One coordinate in turn",
    "random": "One coordinate by chance",
    "greedy": "The coordinate that gains most",
}
GRID = 160


@dataclass(kw_only=True, eq=False)
class DualAscentDisplay:
    """Contours of the dual objective over two alphas, their box, and the way of the climb.

    Make one with `from_climb`.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    climb : DualAscent
    pair : tuple of int
        The two rows whose alphas are the axes.
    path : ndarray of shape (points, 2)
        Where the climb was, without the steps that moved neither.
    """

    climb: DualAscent
    pair: tuple[int, int]
    path: np.ndarray
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_climb(cls, climb: DualAscent, *, ax: Any = None) -> DualAscentDisplay:
        """Draw a climb in the plane of the first two rows that it watched.

        Parameters
        ----------
        climb : DualAscent
            From :func:`widemargin.study.ascend_dual`; with two rows in all the picture is the whole problem, with more
            it is a cut in which all other alphas have their last values.
        ax : matplotlib Axes, optional

        Returns
        -------
        DualAscentDisplay
        """
        if len(set(climb.watched[:2])) != 2:
            raise BadInput(f"watch={list(climb.watched)}: two different rows are needed to draw a plane.")
        path = climb.path[:, :2]
        moved = np.append(True, np.any(np.diff(path, axis=0) != 0, axis=1))
        return cls(climb=climb, pair=(climb.watched[0], climb.watched[1]), path=path[moved]).plot(ax=ax)

    def plot(self, ax: Any = None) -> DualAscentDisplay:
        """Draw on the axes given, or on a new figure."""
        self.figure_, self.ax_ = axes(ax, (6.0, 5.2))
        low, high = self._window()
        x, y = np.meshgrid(np.linspace(low[0], high[0], GRID), np.linspace(low[1], high[1], GRID))
        D = self.climb.surface(self.pair, self.climb.b, x, y)
        self.ax_.contour(x, y, D, levels=_levels(D), colors=FAINT, linewidths=0.8, linestyles="-", zorder=1)
        draw_box(self.ax_, self._bounds())
        style = {"color": colour(0), "linewidth": 1.6, "marker": "o", "markersize": 3.5, "zorder": 4}
        self.ax_.plot(*self.path.T, label=f"the climb ({len(self.path) - 1} steps here)", **style)
        self.ax_.plot(*self.path[0], "s", color=INK, markersize=7, zorder=5, label="start")
        self.ax_.plot(*self.path[-1], "*", color=colour(1), markersize=14, zorder=6, label="end")
        self.ax_.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        self.ax_.set_xlabel(f"alpha of row {self.pair[0]}")
        self.ax_.set_ylabel(f"alpha of row {self.pair[1]}")
        plain_frame(self.ax_)
        title(self.ax_, f"{WORDS[self.climb.rule]}: dual objective {self.climb.objective[-1]:.4g}", self._note())
        legend_below(self.ax_, 4)
        return self

    def _note(self) -> str:
        n = self.climb.problem.n
        if n == 2:
            return "contours of the dual objective; the shaded box holds the alphas that are allowed"
        return f"a cut through {n} variables: contours with the others at their last values, the climb projected on it"

    def _bounds(self) -> np.ndarray:
        """C of both rows."""
        problem, pair = self.climb.problem, list(self.pair)
        return np.maximum(problem.upper[pair], -problem.lower[pair])

    def _window(self) -> tuple[np.ndarray, np.ndarray]:
        """All of the box if the climb fills it, else the part that it needs, square."""
        reach = float(np.max(self.path, initial=0.0))
        C = float(np.max(self._bounds()))
        side = C if reach == 0 or C / reach <= 1.6 else 1.35 * reach
        side = side if np.isfinite(side) else 1.0
        return np.full(2, -0.08 * side), np.full(2, 1.12 * side)


def draw_box(ax: Any, bounds: np.ndarray) -> None:
    """The box [0, C_i] x [0, C_j], also where it leaves the picture."""
    from matplotlib.patches import Rectangle

    wide, high = np.where(np.isfinite(bounds), bounds, 1e9)
    ax.add_patch(Rectangle((0, 0), wide, high, facecolor="#F2F4F7", edgecolor=INK, linewidth=1.2, zorder=0))


def _levels(D: np.ndarray, count: int = 14) -> np.ndarray:
    """Closer together near the top, where the climb ends."""
    top, bottom = float(D.max()), float(D.min())
    if not top > bottom:
        return np.array([top])
    return top - (top - bottom) * np.linspace(1.0, 0.02, count) ** 2
