"""The support vectors of a classifier: who holds the boundary, and how far the margin is broken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ...base.errors import BadInput
from .boundary import _codes, _linear, _score, draw_level, draw_regions
from .plane import Plane, choose_plane, over_grid, window
from .rings import draw_rings, point_size, ring_width
from .style import axes, colour, legend_below, mark, plain_frame, pyplot, tint, title

ROUNDING = 1e-2  # slack that nobody can see: solvers stop at about a tenth of it
AROUND = 0.35  # of the data's width: how far margins are sought outside of the picture


@dataclass(kw_only=True, eq=False)
class SupportDisplay:
    """Boundary and margins at ±1, a ring around each support vector, a line from each broken margin to its row.

    Make one with `from_estimator`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    plane : Plane
        Where the picture lies in the space of the data.
    alpha, free : ndarray of shape (support,)
        The multiplier of each support vector, and whether it is below its bound.
    slacks : ndarray of shape (n,)
        max(0, 1 - y f(x)) of each row.
    violators : ndarray of int
        Rows whose slack is above 0.
    feet : ndarray of shape (violators, 2)
        The nearest point on the row's own margin; nan where that is not in reach, or the plane cannot show it.
    """

    points: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    plane: Plane
    x: np.ndarray
    y: np.ndarray
    scores: np.ndarray
    support: np.ndarray  # support x 2, in the plane
    alpha: np.ndarray
    free: np.ndarray
    slacks: np.ndarray
    feet: np.ndarray
    headline: str
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        columns: Any = None,
        feature_names: Any = None,
        grid: int = 320,
        ax: Any = None,
    ) -> SupportDisplay:
        """Draw a fitted support vector classifier of two classes.

        Parameters
        ----------
        estimator : fitted SVC or NuSVC
            Of this package or scikit-learn's, on rows of numbers.
        X, y : array-like
            Rows and their labels: those of the fit, or others.
        columns, feature_names
            As in :class:`BoundaryDisplay`. Slack is drawn with two columns, or a linear kernel and any number of them;
            other pictures are cuts, in which a row's score is not that of the place where it is drawn.
        grid : int
            Points along each side at which the classifier is asked.
        ax : matplotlib Axes, optional

        Returns
        -------
        SupportDisplay
        """
        pyplot()
        check_is_fitted(estimator)
        rows = _support_rows(estimator)
        classes = np.asarray(estimator.classes_)
        if len(classes) != 2:
            raise BadInput(f"support is drawn for two classes, got {len(classes)}: pick two, or use BoundaryDisplay.")
        if feature_names is None:
            feature_names = getattr(X, "columns", getattr(estimator, "feature_names_in_", None))
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        codes = _codes(y, classes)
        if len(codes) != X.shape[0]:
            raise BadInput(f"{X.shape[0]} rows in X but {len(codes)} labels in y.")
        score, linear = _score(estimator, classes), _linear(estimator)
        plane = choose_plane(X, linear, columns, feature_names)
        points = plane.project(X)
        x, y_grid, scores = over_grid(score, plane, *window(points, AROUND), grid)
        slacks = np.maximum(0.0, 1 - (2 * codes - 1) * score(X))
        exact = X.shape[1] == 2 or (linear is not None and columns is None)
        feet = np.full((int(np.sum(slacks > ROUNDING)), 2), np.nan)
        if exact:
            broken = slacks > ROUNDING
            feet = _feet(points[broken], codes[broken], x, y_grid, scores)
        alpha = np.abs(np.asarray(estimator.dual_coef_)[0])
        free = np.asarray(getattr(estimator, "support_free_", alpha < alpha.max(initial=0.0) * (1 - 1e-9)), dtype=bool)
        return cls(
            points=points,
            codes=codes,
            classes=classes,
            plane=plane,
            x=x,
            y=y_grid,
            scores=scores,
            support=plane.project(rows),
            alpha=alpha,
            free=free,
            slacks=slacks,
            feet=feet,
            headline=_headline(estimator, len(points), len(alpha)),
        ).plot(ax=ax)

    @property
    def violators(self) -> np.ndarray:
        return np.flatnonzero(self.slacks > ROUNDING)

    def plot(self, ax: Any = None) -> SupportDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax, (6.4, 5.4))
        ax, place = self.ax_, (self.ax_, self.x, self.y)
        self._points()
        draw_regions(*place, (self.scores > 0).astype(int), [tint(colour(c)) for c in range(2)])
        draw_level(*place, self.scores, 0.0, label="boundary")
        draw_level(*place, self.scores, 1.0, "--", 1.0, "margin, score ±1")
        draw_level(*place, self.scores, -1.0, "--", 1.0)
        self._slack()
        low, high = window(self.points, 0.1)
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        if not self.plane.note and 0.4 < np.divide(*(high - low)) < 2.5:
            ax.set_aspect("equal")  # the way to the margin then is seen to be the shortest
        ax.set_xlabel(self.plane.names[0], fontsize=9.5)
        ax.set_ylabel(self.plane.names[1], fontsize=9.5)
        broken, wrong = len(self.violators), int(np.sum(self.slacks > 1))
        note = f"{broken} rows inside of the margin or beyond it, {wrong} on the wrong side; rings grow with α"
        title(ax, self.headline, f"{note}; {self.plane.note}" if self.plane.note else note)
        plain_frame(ax)
        legend_below(ax, columns=3)
        return self

    def _points(self) -> None:
        size = point_size(len(self.points))
        for c, name in enumerate(self.classes):
            style = {"c": colour(c), "marker": mark(c), "linewidths": 0.4, "edgecolors": "white"}
            self.ax_.scatter(*self.points[self.codes == c].T, s=size, zorder=3, **style)
            self.ax_.plot([], [], mark(c), color=colour(c), markersize=6, label=str(name))
        draw_rings(self.ax_, self.support, self.alpha, self.free, size)

    def _slack(self) -> None:
        from matplotlib.collections import LineCollection

        seen = np.isfinite(self.feet).all(axis=1)
        if not seen.any():
            return
        rows = self.violators[seen]
        segments = np.stack([self.feet[seen], self.points[rows]], axis=1)
        shades = [colour(c) for c in self.codes[rows]]
        self.ax_.add_collection(
            LineCollection(list(segments), colors=shades, linewidths=ring_width(len(rows)), zorder=2.5, alpha=0.8)
        )
        self.ax_.plot([], [], "-", color="#666666", linewidth=1.1, label=f"slack ({int(seen.sum())})")


def _support_rows(estimator: Any) -> Any:
    """The support vectors as rows of numbers."""
    if not hasattr(estimator, "dual_coef_") or not hasattr(estimator, "support_vectors_"):
        raise BadInput(f"{type(estimator).__name__} has no support vectors: draw it with BoundaryDisplay.")
    rows = estimator.support_vectors_
    if rows.shape[0] != len(estimator.support_):
        raise BadInput("the kernel compares no rows of numbers, so there is no plane to draw them in.")
    return rows


def _headline(estimator: Any, n: int, support: int) -> str:
    known = [f"{name} = {getattr(estimator, name):g}" for name in ("C", "nu") if hasattr(estimator, name)]
    return f"{', '.join([type(estimator).__name__, *known])}: {support} support vectors for {n} rows"


def _feet(points: np.ndarray, codes: np.ndarray, x: np.ndarray, y: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The nearest point of the margin of each row's class."""
    from contourpy import contour_generator

    feet = np.full(points.shape, np.nan)
    for c, level in ((0, -1.0), (1, 1.0)):
        lines = contour_generator(x, y, scores).lines(level)
        here = np.flatnonzero(codes == c)
        if lines and here.size:
            begins = np.concatenate([line[:-1] for line in lines])
            ends = np.concatenate([line[1:] for line in lines])
            feet[here] = np.array([_nearest(p, begins, ends) for p in points[here]])
    return feet


def _nearest(point: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The point nearest to this one on any of the segments."""
    along = ends - begins
    square = np.maximum((along**2).sum(axis=1), 1e-300)
    t = np.clip(((point - begins) * along).sum(axis=1) / square, 0.0, 1.0)
    feet = begins + t[:, None] * along
    return feet[((feet - point) ** 2).sum(axis=1).argmin()]
