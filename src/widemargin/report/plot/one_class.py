"""The region of a one-class machine with the rows inside and outside of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ...base.errors import BadInput
from .boundary import _without_names, draw_level, draw_regions
from .plane import Plane, choose_plane, over_grid, window
from .rings import draw_rings, point_size
from .style import FAINT, axes, colour, legend_below, mark, plain_frame, tint, title

LEVELS = 5  # fainter lines inside of the region


@dataclass(kw_only=True, eq=False)
class OneClassDisplay:
    """The region where the score is positive, its lines of equal score, and the rows.

    Make one with `from_estimator`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    plane : Plane
        Where the picture lies in the space of the data.
    outside : ndarray of int
        Rows that `predict` calls -1.
    """

    points: np.ndarray
    plane: Plane
    x: np.ndarray
    y: np.ndarray
    scores: np.ndarray
    outside: np.ndarray
    support: np.ndarray
    alpha: np.ndarray
    free: np.ndarray
    headline: str
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, columns: Any = None, feature_names: Any = None, grid: int = 240, ax: Any = None
    ) -> OneClassDisplay:
        """Draw a fitted one-class machine.

        Parameters
        ----------
        estimator : fitted OneClassSVM
            Or any other with `decision_function` whose `predict` says 1 and -1; with `dual_coef_` rings are drawn.
        X : array-like
            Rows: those of the fit, or others.
        columns, feature_names, grid
            As in :class:`BoundaryDisplay`.
        ax : matplotlib Axes, optional

        Returns
        -------
        OneClassDisplay
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "decision_function") or hasattr(estimator, "classes_"):
            raise BadInput(f"{type(estimator).__name__} is no machine of one class: draw it with BoundaryDisplay.")
        if feature_names is None:
            feature_names = getattr(X, "columns", getattr(estimator, "feature_names_in_", None))
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        plane = choose_plane(X, None, columns, feature_names)
        points = plane.project(X)
        score = lambda rows: _without_names(estimator.decision_function, rows)  # noqa: E731
        x, y, scores = over_grid(score, plane, *window(points, 0.15), grid)
        outside = np.flatnonzero(_without_names(estimator.predict, X) < 0)
        rows, alpha, free = _support(estimator, X.shape[1])
        nu = f", ν = {estimator.nu:g}" if hasattr(estimator, "nu") else ""
        n, s = len(points), len(alpha)
        held = f"; {s} support vectors ({s / n:.1%})" if s else ""
        head = f"{type(estimator).__name__}{nu}: {len(outside)} of {n} rows outside ({len(outside) / n:.1%}){held}"
        return cls(
            points=points,
            plane=plane,
            x=x,
            y=y,
            scores=scores,
            outside=outside,
            support=plane.project(rows),
            alpha=alpha,
            free=free,
            headline=head,
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> OneClassDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax, (6.4, 5.0))
        ax, place = self.ax_, (self.ax_, self.x, self.y)
        draw_regions(*place, (self.scores >= 0).astype(int), [(1.0, 1.0, 1.0), tint(colour(0), 0.14)])
        top = float(self.scores.max())
        if top > 0:
            levels = top * np.arange(1, LEVELS) / LEVELS
            ax.contour(self.x, self.y, self.scores, levels=levels, colors=FAINT, linewidths=0.6, linestyles="-")
        draw_level(*place, self.scores, 0.0, label="edge of the region")
        size = point_size(len(self.points))
        inside = np.setdiff1d(np.arange(len(self.points)), self.outside)
        for k, (rows, label) in enumerate(((inside, "inside"), (self.outside, "outside"))):
            style = {"c": colour(k), "marker": mark(k), "linewidths": 0.4, "edgecolors": "white"}
            ax.scatter(*self.points[rows].T, s=size, zorder=3, **style)
            ax.plot([], [], mark(k), color=colour(k), markersize=6, label=f"{label} ({len(rows)})")
        draw_rings(ax, self.support, self.alpha, self.free, size)
        ax.set(xlim=(self.x[0], self.x[-1]), ylim=(self.y[0], self.y[-1]))
        ax.set_xlabel(self.plane.names[0], fontsize=9.5)
        ax.set_ylabel(self.plane.names[1], fontsize=9.5)
        title(ax, self.headline, self.plane.note)
        plain_frame(ax)
        legend_below(ax, columns=3)
        return self


def _support(estimator: Any, width: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """Rows, alpha, and whether it is below its bound."""
    rows = getattr(estimator, "support_vectors_", np.empty((0, width)))
    if rows.shape[1] != width or rows.shape[0] == 0:
        return np.empty((0, width)), np.empty(0), np.empty(0, bool)
    alpha = np.abs(np.asarray(estimator.dual_coef_)).ravel()
    free = getattr(estimator, "support_free_", alpha < alpha.max() * (1 - 1e-9))
    return rows, alpha, np.asarray(free, dtype=bool)
