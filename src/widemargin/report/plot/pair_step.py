"""One step of SMO: two alphas on a line of fixed sum, and the segment of it that lies in the box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import BadInput
from ...solver.reference import Step
from ...study.ascent import DualAscent
from .ascent import GRID, _levels, draw_box
from .style import FAINT, INK, colour, grid_of_axes


@dataclass(kw_only=True, eq=False)
class PairStepDisplay:
    """Small pictures, one a chosen step: the box, the line, its segment, the maximum along the line, where it ends.

    Make one with `from_climb`.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : ndarray of Axes
    ax_ : matplotlib Axes
        The first of them.
    climb : DualAscent
    steps : tuple of int
        Those drawn, counted from 1.
    """

    climb: DualAscent
    steps: tuple[int, ...]
    figure_: Any = field(default=None, repr=False)
    axes_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_climb(cls, climb: DualAscent, *, steps: Sequence[int] | None = None, ax: Any = None) -> PairStepDisplay:
        """Draw steps of a climb by pairs.

        Parameters
        ----------
        climb : DualAscent
            From :func:`widemargin.study.ascend_dual` with `rule="smo"` and a finite C.
        steps : sequence of int, optional
            Which, counted from 1; by default one that ends at a bound and one that does not.
        ax : matplotlib Axes, optional
            The small pictures take its place.

        Returns
        -------
        PairStepDisplay
        """
        if climb.rule != "smo" or not climb.steps or climb.problem.hard:
            raise BadInput("a pair's segment needs a climb with rule='smo', a finite C and at least one step.")
        chosen = _one_of_each(climb) if steps is None else [int(k) for k in steps]
        if not chosen or not all(1 <= k <= len(climb.steps) for k in chosen):
            raise BadInput(f"steps={chosen}: the climb made {len(climb.steps)}, so choose from 1 to that.")
        return cls(climb=climb, steps=tuple(chosen)).plot(ax=ax)

    def plot(self, ax: Any = None) -> PairStepDisplay:
        """Draw in the place of the axes given, or on a new figure."""
        columns = min(2, len(self.steps))
        rows = -(-len(self.steps) // columns)
        self.figure_, grid = grid_of_axes(ax, rows, columns, (3.2 * columns + 0.4, 3.8 * rows + 0.7))
        self.axes_ = grid.ravel()
        self.ax_ = self.axes_[0]
        for panel, k in zip(self.axes_, self.steps, strict=False):
            self._panel(panel, k)
        for panel in self.axes_[len(self.steps) :]:
            panel.set_axis_off()
        if ax is None:
            self._legend()
        return self

    def ends(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(start, end, maximum along the line) of step k, in alphas of its two rows."""
        step, problem = self.climb.steps[k - 1], self.climb.problem
        pair = list(step.at)
        direction = problem.t[pair] * np.array([1.0, -1.0])  # b_i rises, b_j falls; alpha = y b
        start = np.abs(self.climb.before(k)[pair])
        return start, start + step.by * direction, start + step.whole * direction

    def _panel(self, panel: Any, k: int) -> None:
        step, problem = self.climb.steps[k - 1], self.climb.problem
        i, j = step.at
        C = np.maximum(problem.upper[[i, j]], -problem.lower[[i, j]])
        start, end, whole = self.ends(k)
        low, high = _square_around(C, whole)
        x, y = np.meshgrid(np.linspace(low, high, GRID), np.linspace(low, high, GRID))
        D = self.climb.surface((i, j), self.climb.before(k), x, y)
        panel.contour(x, y, D, levels=_levels(D, 10), colors=FAINT, linewidths=0.7, linestyles="-", zorder=1)
        draw_box(panel, C)
        along = np.array([1.0, -problem.t[i] * problem.t[j]])
        first, last = _segment(start, along, C)
        line = np.array([start - 10 * C.max() * along, start + 10 * C.max() * along])
        panel.plot(*line.T, "--", color=INK, linewidth=0.9, zorder=2)
        panel.plot(*np.array([first, last]).T, color=colour(0), linewidth=3.2, solid_capstyle="round", zorder=3)
        panel.plot(*start, "s", color=INK, markersize=7, zorder=5)
        panel.plot(*whole, "o", markerfacecolor="white", markeredgecolor=colour(1), markersize=8, zorder=5)
        panel.plot(*end, "*", color=colour(1), markersize=13, zorder=6)
        panel.set(xlim=(low, high), ylim=(low, high))
        panel.set_box_aspect(1)
        panel.set_xlabel(f"alpha of row {i}", fontsize=9)
        panel.set_ylabel(f"alpha of row {j}", fontsize=9)
        panel.tick_params(labelsize=8)
        held = "sum" if problem.t[i] == problem.t[j] else "difference"
        outcome = "cut at the box" if _is_cut(step) else "the maximum lies inside"
        panel.set_title(f"step {k}: {held} held,\n{outcome}", fontsize=9, loc="left")

    def _legend(self) -> None:
        draw = self.ax_.plot
        handles = [
            draw([], [], "s", color=INK, markersize=6, label="before")[0],
            draw([], [], "--", color=INK, linewidth=0.9, label="the line")[0],
            draw([], [], color=colour(0), linewidth=3, label="its segment in the box")[0],
            draw([], [], "o", markerfacecolor="white", markeredgecolor=colour(1), label="maximum on the line")[0],
            draw([], [], "*", color=colour(1), markersize=11, label="after")[0],
        ]
        style = {"frameon": False, "fontsize": 8.5, "columnspacing": 1.2, "handletextpad": 0.5}
        columns = 3 if len(self.steps) > 1 else 2
        self.figure_.legend(handles=handles, loc="outside lower center", ncols=columns, **style)


def _one_of_each(climb: DualAscent) -> list[int]:
    """Of the steps that were cut the one that was cut least, so that the maximum is seen; of the others the longest."""
    cut = {k: s.whole - s.by for k, s in enumerate(climb.steps, 1) if _is_cut(s)}
    whole = {k: -s.by for k, s in enumerate(climb.steps, 1) if not _is_cut(s)}
    return sorted(min(kind, key=lambda k: kind[k]) for kind in (cut, whole) if kind)


def _is_cut(step: Step) -> bool:
    return step.by < step.whole * (1 - 1e-9)


def _square_around(C: np.ndarray, whole: np.ndarray) -> tuple[float, float]:
    """Limits of both axes: the box, and the maximum on the line unless it is far away."""
    side = float(C.max())
    low, high = min(-0.3 * side, float(whole.min()) - 0.15 * side), max(1.3 * side, float(whole.max()) + 0.15 * side)
    return max(low, -1.5 * side), min(high, 2.5 * side)


def _segment(start: np.ndarray, along: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the line start + s along in the box [0, C]; along has entries -1 and 1."""
    to_walls = np.sort(np.array([-start * along, (C - start) * along]), axis=0)
    return start + to_walls[0].max() * along, start + to_walls[1].min() * along
