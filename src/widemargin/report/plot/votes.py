"""How the trees of a forest vote over the plane: where they agree, and where they do not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ...base.errors import BadInput
from .boundary import _without_names
from .plane import Plane, choose_plane, over_grid, window
from .style import INK, axes, colour, legend_below, mark, plain_frame, tint, title


@dataclass(kw_only=True, eq=False)
class VoteMapDisplay:
    """The class that most members favour, the paler the more they disagree, and the data as points.

    Make one with `from_estimator`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    plane : Plane
        Where the picture lies in the space of the data (`plane.note` says what it leaves out).
    shares : ndarray of shape (grid, grid, n_classes)
        What the forest says: the mean of its members' votes.
    """

    points: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    plane: Plane
    x: np.ndarray
    y: np.ndarray
    shares: np.ndarray
    headline: str
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, columns: Any = None, feature_names: Any = None, grid: int = 200,
        ax: Any = None,
    ) -> VoteMapDisplay:  # fmt: skip
        """Draw a fitted forest or bag of classifiers, and data.

        Parameters
        ----------
        estimator : fitted classifier with `predict_proba`
        X, y : array-like
            Rows and their labels. With more than two columns the picture lies in the plane of their main directions.
        columns : pair of names or numbers, optional
            Draw these two columns instead and hold all others at their medians.
        feature_names : sequence of str, optional
            Defaults to the columns of a data frame.
        grid : int, default=200
            Points along each side at which the forest is asked.
        ax : matplotlib Axes, optional

        Returns
        -------
        VoteMapDisplay
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "predict_proba"):
            raise BadInput(f"{type(estimator).__name__} has no predict_proba: a map of votes needs shares of classes.")
        names = list(X.columns) if feature_names is None and hasattr(X, "columns") else feature_names
        rows, labels = check_array(X, dtype=np.float64), np.asarray(y).ravel()
        classes = np.asarray(estimator.classes_)
        unknown = ~np.isin(labels, classes)
        if len(labels) != len(rows) or unknown.any():
            raise BadInput(f"{len(rows)} rows need as many labels, all of them known to the forest.")
        plane = choose_plane(rows, None, columns, names)
        points = plane.project(rows)
        low, high = window(points)
        x, y_, shares = over_grid(lambda Z: _without_names(estimator.predict_proba, Z), plane, low, high, grid)
        members = len(getattr(estimator, "estimators_features_", ())) or getattr(estimator, "n_estimators", 1)
        sure = float((shares.max(axis=2) > 0.9).mean())
        head = f"{members} members agree by more than 9 to 1 on {100 * sure:.0f} % of the plane"
        codes = np.searchsorted(classes, labels)
        return cls(
            points=points, codes=codes, classes=classes, plane=plane, x=x, y=y_, shares=shares, headline=head
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> VoteMapDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax, (6.0, 5.0))
        ax, k = self.ax_, len(self.classes)
        best = self.shares.argmax(axis=2)
        lead = (self.shares.max(axis=2) - 1 / k) / (1 - 1 / k) if k > 1 else np.ones(best.shape)
        full = np.array([tint(colour(c), 1.0) for c in range(k)])[best]
        picture = 1 - (0.08 + 0.5 * lead[..., None]) * (1 - full)
        box = (self.x[0], self.x[-1], self.y[0], self.y[-1])
        ax.imshow(picture, origin="lower", extent=box, aspect="auto", interpolation="nearest", zorder=0)
        for c in range(k - 1 if k == 2 else k):
            ax.contour(self.x, self.y, best == c, levels=[0.5], colors=[INK], linewidths=0.9)
        for c, name in enumerate(self.classes):
            own = self.points[self.codes == c]
            style = {"color": colour(c), "marker": mark(c), "edgecolors": "white", "linewidths": 0.6}
            ax.scatter(own[:, 0], own[:, 1], s=24, label=str(name), zorder=3, **style)
        ax.set_xlabel(self.plane.names[0], fontsize=9.5)
        ax.set_ylabel(self.plane.names[1], fontsize=9.5)
        note = "the deeper the colour, the larger the share of the votes"
        title(ax, self.headline, note + (f"; {self.plane.note}" if self.plane.note else ""))
        plain_frame(ax)
        legend_below(ax, columns=4)
        return self
