"""What the order of the rows decides: separators from several orders, and how often each row was used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_array

from ...base.errors import BadInput
from .boundary import _codes, _linear, _score
from .plane import Plane, choose_plane, over_grid, window
from .style import INK, axes, colour, legend_below, mark, plain_frame, title


@dataclass(kw_only=True, eq=False)
class OrdersDisplay:
    """One thin line for the separator of each order; a row is the larger, the more updates it caused (α).

    Make one with `from_estimator`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    estimators : list
        The fits, one an order.
    uses : ndarray of shape (n_orders, n)
        Updates that each row caused: α of the dual form.
    unused : ndarray of int
        Rows that no order ever used.
    """

    points: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    plane: Plane
    x: np.ndarray
    y: np.ndarray
    scores: list[np.ndarray]
    estimators: list[Any]
    uses: np.ndarray
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        seeds: Sequence[int] = tuple(range(10)),
        columns: Any = None,
        feature_names: Any = None,
        grid: int = 160,
        ax: Any = None,
    ) -> OrdersDisplay:
        """Fit a copy of the estimator once a seed and draw all separators.

        Parameters
        ----------
        estimator : perceptron, fitted or not
            A learner whose `random_state` is the order of the rows.
        X, y : array-like
            Two classes.
        seeds : sequence of int
        columns, feature_names, grid
            As in :class:`BoundaryDisplay`; the plane for more than two columns is that of the first fit.
        ax : matplotlib Axes, optional

        Returns
        -------
        OrdersDisplay
        """
        if feature_names is None:
            feature_names = getattr(X, "columns", None)
        seeds = list(seeds)
        if not seeds:
            raise BadInput("seeds is empty: at least one order is needed.")
        fits = [clone(estimator).set_params(random_state=seed).fit(X, y) for seed in seeds]
        classes = np.asarray(fits[0].classes_)
        if len(classes) != 2:
            raise BadInput(f"orders are compared on two classes, got {len(classes)}: pick two.")
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        plane = choose_plane(X, _linear(fits[0]), columns, feature_names)
        points = plane.project(X)
        corners = window(points)
        drawn = [over_grid(_score(fit, classes), plane, *corners, grid) for fit in fits]
        return cls(
            points=points,
            codes=_codes(y, classes),
            classes=classes,
            plane=plane,
            x=drawn[0][0],
            y=drawn[0][1],
            scores=[scores for _, _, scores in drawn],
            estimators=fits,
            uses=np.array([_uses(fit, len(points)) for fit in fits]),
        ).plot(ax=ax)

    @property
    def unused(self) -> np.ndarray:
        return np.flatnonzero(~self.uses.any(axis=0))

    def plot(self, ax: Any = None) -> OrdersDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax)
        ax = self.ax_
        for k, values in enumerate(self.scores):
            if values.min() < 0 < values.max():
                shade = 0.15 + 0.5 * k / max(1, len(self.scores) - 1)
                ax.contour(self.x, self.y, values, levels=[0.0], colors=[(shade,) * 3], linewidths=1.0, zorder=1)
        self._points()
        ax.plot([], [], "-", color=INK, linewidth=1.0, label="separator of one order")
        ax.set(xlim=(self.x[0], self.x[-1]), ylim=(self.y[0], self.y[-1]))
        ax.set_xlabel(self.plane.names[0], fontsize=9.5)
        ax.set_ylabel(self.plane.names[1], fontsize=9.5)
        name, updates = type(self.estimators[0]).__name__, self.uses.sum(axis=1)
        head = f"{name}, {len(self.scores)} orders of the rows: {updates.min():g} to {updates.max():g} updates"
        used = len(self.points) - len(self.unused)
        note = (
            f"{used} of {len(self.points)} rows used at least once; area = mean number of updates that the row caused"
        )
        title(ax, head, f"{note}. {self.plane.note}" if self.plane.note else note)
        plain_frame(ax)
        legend_below(ax, columns=4)
        return self

    def _points(self) -> None:
        ax, mean = self.ax_, self.uses.mean(axis=0)
        size = 14 + 190 * mean / max(float(mean.max()), 1e-300)
        used = mean > 0
        for c, name in enumerate(self.classes):
            here = self.codes == c
            style = {"marker": mark(c), "zorder": 3}
            ax.scatter(*self.points[here & ~used].T, s=13, facecolors="none", edgecolors=colour(c), **style)
            ax.scatter(
                *self.points[here & used].T, s=size[here & used], c=colour(c), alpha=0.75, edgecolors="white", **style
            )
            ax.plot([], [], mark(c), color=colour(c), markersize=6, label=str(name))
        ax.plot([], [], "o", markerfacecolor="none", markeredgecolor=INK, markersize=4, label="never used")


def _uses(fit: Any, n: int) -> np.ndarray:
    """α: updates by row, from the proof of a linear learner or the expansion of a kernel machine."""
    proof: Any = getattr(fit, "proof_", None)
    if hasattr(proof, "counts_of"):
        return proof.counts_of(0, n).astype(np.float64)
    if hasattr(fit, "dual_coef_"):
        uses = np.zeros(n)
        uses[fit.support_] = np.abs(np.asarray(fit.dual_coef_)[0]) / getattr(fit, "eta0", 1.0)
        return uses
    raise BadInput(f"{type(fit).__name__} does not say which rows it used: a perceptron is needed.")
