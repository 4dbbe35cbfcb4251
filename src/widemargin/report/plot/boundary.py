"""The boundary of a classifier with the data around it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ...base.errors import BadInput
from ...data.rows import canonical, native_rows, scan
from .plane import Plane, choose_plane, over_grid, window
from .style import FAINT, INK, axes, colour, legend_below, mark, plain_frame, tint, title


@dataclass(kw_only=True, eq=False)
class BoundaryDisplay:
    """Regions, boundary and margin of a classifier, and the data as points.

    Make one with `from_estimator`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    plane : Plane
        Where the picture lies in the space of the data (`plane.note` says what it leaves out).
    wrong, touching, given_up : ndarray of int
        Rows on the wrong side, rows on the margin lines, rows that the learner gave up.
    margin : float or None
        Height of decision_function at the margin lines.
    """

    points: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    plane: Plane
    x: np.ndarray
    y: np.ndarray
    scores: np.ndarray  # grid × grid, one more axis for more than two classes
    wrong: np.ndarray
    touching: np.ndarray
    given_up: np.ndarray
    margin: float | None
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
        margin: float | str | None = "auto",
        grid: int = 240,
        ax: Any = None,
    ) -> BoundaryDisplay:
        """Draw a fitted classifier and data.

        Parameters
        ----------
        estimator : fitted classifier
            Of this package or scikit-learn's; linear or with a kernel, any number of classes.
        X, y : array-like
            Rows and their labels. With more than two columns a linear decision between two classes is drawn in a
            projection that keeps every distance to the boundary, any other in the plane of the two main directions.
        columns : pair of names or numbers, optional
            Draw these two columns instead and hold all others at their medians.
        feature_names : sequence of str, optional
            Defaults to the columns of a data frame.
        margin : float, "auto" or None
            Lines where decision_function is ± this. "auto": through the nearest row, if all rows (other than those
            given up) lie on the right side.
        grid : int
            Points along each side at which the classifier is asked.
        ax : matplotlib Axes, optional

        Returns
        -------
        BoundaryDisplay
        """
        check_is_fitted(estimator)
        if feature_names is None:
            feature_names = getattr(X, "columns", getattr(estimator, "feature_names_in_", None))
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        classes = np.asarray(estimator.classes_)
        codes = _codes(y, classes)
        if len(codes) != X.shape[0]:
            raise BadInput(f"{X.shape[0]} rows in X but {len(codes)} labels in y.")
        plane = choose_plane(X, _linear(estimator), columns, feature_names)
        points = plane.project(X)
        x, y_grid, scores = over_grid(_score(estimator, classes), plane, *window(points), grid)
        wrong = np.flatnonzero(_codes(_without_names(estimator.predict, X), classes) != codes)
        given_up = np.asarray(getattr(estimator, "given_up_", []) if _rows_of_fit(estimator, X) else [], dtype=np.intp)
        signed = None if len(classes) != 2 else _score(estimator, classes)(X) * (2 * codes - 1)
        height, touching = _margin(signed, given_up, margin)
        name = type(estimator).__name__
        display = cls(
            points=points,
            codes=codes,
            classes=classes,
            plane=plane,
            x=x,
            y=y_grid,
            scores=scores,
            wrong=wrong,
            touching=touching,
            given_up=given_up,
            margin=height,
            headline=f"{name}: {len(wrong)} of {len(codes)} rows on the wrong side"
            + (f", {len(given_up)} given up" if len(given_up) else ""),
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> BoundaryDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax)
        self._points()
        self._regions()
        ax = self.ax_
        ax.set(xlim=(self.x[0], self.x[-1]), ylim=(self.y[0], self.y[-1]))
        ax.set_xlabel(self.plane.names[0], fontsize=9.5)
        ax.set_ylabel(self.plane.names[1], fontsize=9.5)
        title(ax, self.headline, self.plane.note)
        plain_frame(ax)
        legend_below(ax)
        return self

    def _regions(self) -> None:
        k, place = len(self.classes), (self.ax_, self.x, self.y)
        winner = (self.scores > 0).astype(int) if k == 2 else self.scores.argmax(axis=-1)
        draw_regions(*place, winner, [tint(colour(c)) for c in range(k)])
        if k == 2:
            draw_level(*place, self.scores, 0.0, label="boundary")
            if self.margin is not None:
                draw_level(*place, self.scores, self.margin, "--", 1.0, "margin")
                draw_level(*place, self.scores, -self.margin, "--", 1.0)
            return
        for c in range(k):
            others = np.delete(self.scores, c, axis=-1).max(axis=-1)
            draw_level(*place, self.scores[..., c] - others, 0.0, width=1.2, label="boundary" if c == 0 else "")

    def _points(self) -> None:
        ax, size = self.ax_, float(np.clip(2400 / max(len(self.points), 1), 7, 40))
        kept = np.setdiff1d(np.arange(len(self.points)), self.given_up)
        for c, name in enumerate(self.classes):
            here = kept[self.codes[kept] == c]
            style = {"c": colour(c), "marker": mark(c), "linewidths": 0.5, "edgecolors": "white"}
            ax.scatter(*self.points[here].T, s=size, zorder=3, **style)
            # The legend's mark keeps its size however small the points are.
            ax.plot([], [], mark(c), color=colour(c), markersize=6, label=str(name))
        # Crosses lie below the points: their arms show, and so does the class.
        wrong = np.setdiff1d(self.wrong, self.given_up)
        for rows, style, label in (
            (self.touching, {"marker": "o", "s": size * 3.4, "facecolors": "none", "edgecolors": INK}, "on the margin"),
            (wrong, {"marker": "x", "s": size * 4.5, "c": INK, "zorder": 2.5}, "wrong side"),
        ):
            if len(rows):
                style = {"zorder": 4, **style}
                ax.scatter(*self.points[rows].T, linewidths=1.2, label=f"{label} ({len(rows)})", **style)
        self._given_up(size)

    def _given_up(self, size: float) -> None:
        for c in np.unique(self.codes[self.given_up]):
            here = self.given_up[self.codes[self.given_up] == c]
            style = {"s": size, "facecolors": "white", "edgecolors": colour(c), "marker": mark(c)}
            self.ax_.scatter(*self.points[here].T, linewidths=1.3, zorder=4, **style)
        if len(self.given_up):
            style = {"markerfacecolor": "white", "markeredgecolor": FAINT, "markersize": 6, "markeredgewidth": 1.3}
            self.ax_.plot([], [], "o", label=f"given up ({len(self.given_up)})", **style)


def draw_regions(ax: Any, x: np.ndarray, y: np.ndarray, winner: np.ndarray, colours: list[Any]) -> None:
    """The grid's cells in the colours of their winners."""
    # Half a cell of overhang puts the centres of the cells on the grid's points.
    half = [(v[1] - v[0]) / 2 for v in (x, y)]
    extent = (x[0] - half[0], x[-1] + half[0], y[0] - half[1], y[-1] + half[1])
    picture = np.array(colours)[winner]
    ax.imshow(picture, extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0)


def draw_level(
    ax: Any,
    x: np.ndarray,
    y: np.ndarray,
    values: np.ndarray,
    level: float,
    dash: str = "-",
    width: float = 1.6,
    label: str = "",
) -> None:
    """The line on which the values have this level, if there is one."""
    if not values.min() < level < values.max():
        return
    ax.contour(x, y, values, levels=[level], colors=INK, linestyles=dash, linewidths=width)
    if label:
        ax.plot([], [], dash, color=INK, linewidth=width, label=label)


def _codes(labels: Any, classes: np.ndarray) -> np.ndarray:
    table = {label: k for k, label in enumerate(classes.tolist())}
    # A label that the estimator has never seen can only be wrong.
    return np.array([table.get(label, len(classes)) for label in np.asarray(labels).ravel().tolist()])


def _without_names(method: Any, X: Any) -> np.ndarray:
    """The answer for bare rows: points of a grid have no column names, and the columns are in order."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.asarray(method(X))


def _rows_of_fit(estimator: Any, X: Any) -> bool:
    """Whether the numbers of rows that the estimator keeps mean rows of this X."""
    digest = getattr(getattr(estimator, "certificate_", None), "data_digest", "")
    rows = canonical(X)
    return digest[:16] == f"{scan(native_rows(rows), rows).digest:016x}"


def _linear(estimator: Any) -> tuple[np.ndarray, float] | None:
    """w and b of a linear decision between two classes."""
    coef = getattr(estimator, "coef_", None)
    if coef is None or len(estimator.classes_) != 2:
        return None
    intercept = np.ravel(getattr(estimator, "intercept_", 0.0))
    return np.asarray(coef, dtype=np.float64).ravel(), float(intercept[0])


def _score(estimator: Any, classes: np.ndarray) -> Any:
    """decision_function, or the predicted class as a score where there is none."""
    if hasattr(estimator, "decision_function"):
        return lambda X: _without_names(estimator.decision_function, X)

    def vote(X: Any) -> np.ndarray:
        chosen = np.eye(len(classes))[_codes(_without_names(estimator.predict, X), classes)]
        return 2 * chosen[:, 1] - 1 if len(classes) == 2 else chosen

    return vote


def _margin(signed: np.ndarray | None, given_up: np.ndarray, asked: Any) -> tuple[float | None, np.ndarray]:
    """Height of the margin lines and the rows that touch them."""
    nobody = np.empty(0, dtype=np.intp)
    if signed is None or asked is None:
        return None, nobody
    kept = np.setdiff1d(np.arange(len(signed)), given_up)
    if asked != "auto":
        height = float(asked)
    elif len(kept) and signed[kept].min() > 0:
        height = float(signed[kept].min())
    else:
        return None, nobody
    return height, kept[np.abs(signed[kept] - height) <= 1e-9 * max(height, 1e-300)]
