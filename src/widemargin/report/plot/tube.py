"""The tube of a support vector regression: what costs nothing, what holds it, what lies outside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ...base.errors import BadInput
from .boundary import _without_names
from .rings import point_size
from .style import INK, axes, colour, legend_below, plain_frame, tint, title


@dataclass(kw_only=True, eq=False)
class TubeDisplay:
    """The regression, ± epsilon around it, and the rows: inside, on the edge, outside with a line to the tube.

    Make one with `from_estimator`. With one column the picture is that of the function; with more, the target is drawn
    against the prediction, and the tube lies along the diagonal.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    epsilon : float
        Half the width of the tube.
    residuals : ndarray
        Target minus prediction of each row.
    inside, edge, outside : ndarray of int
        Rows within the tube, on its edge (to `tol`), beyond it.
    """

    place: np.ndarray  # of each row along the picture
    target: np.ndarray
    called: np.ndarray
    curve: tuple[np.ndarray, np.ndarray]
    epsilon: float
    tol: float
    names: tuple[str, str]
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
        epsilon: float | None = None,
        feature_names: Any = None,
        target_name: str = "target",
        grid: int = 400,
        ax: Any = None,
    ) -> TubeDisplay:
        """Draw a fitted regression.

        Parameters
        ----------
        estimator : fitted SVR or NuSVR
            Any other regressor too, if `epsilon` is given.
        X, y : array-like
            Rows and their targets.
        epsilon : float, optional
            By default the estimator's own: `epsilon_` that was found, else the parameter.
        feature_names : sequence of str, optional
        target_name : str
        grid : int
            Points at which the function is asked.
        ax : matplotlib Axes, optional

        Returns
        -------
        TubeDisplay
        """
        check_is_fitted(estimator)
        names = getattr(X, "columns", feature_names) if feature_names is None else feature_names
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        target = np.asarray(y, dtype=np.float64).ravel()
        if len(target) != X.shape[0]:
            raise BadInput(f"{X.shape[0]} rows in X but {len(target)} targets in y.")
        epsilon = _epsilon(estimator) if epsilon is None else float(epsilon)
        called = _without_names(estimator.predict, X)
        if X.shape[1] == 1:
            place = np.asarray(X.toarray() if hasattr(X, "toarray") else X).ravel()
            x = np.linspace(place.min(), place.max(), grid)
            curve = x, _without_names(estimator.predict, x[:, None])
            said = (str(names[0]) if names is not None else "x", target_name)
        else:
            place, x = called, np.array([called.min(), called.max()])
            curve, said = (x, x), ("prediction", target_name)
        return cls(
            place=place,
            target=target,
            called=called,
            curve=curve,
            epsilon=epsilon,
            tol=2 * float(getattr(estimator, "tol", 1e-3)),
            names=said,
            headline=type(estimator).__name__,
        ).plot(ax=ax)

    @property
    def residuals(self) -> np.ndarray:
        return self.target - self.called

    @property
    def _beyond(self) -> np.ndarray:
        return np.abs(self.residuals) - self.epsilon

    @property
    def inside(self) -> np.ndarray:
        return np.flatnonzero(self._beyond < -self.tol)

    @property
    def edge(self) -> np.ndarray:
        return np.flatnonzero(np.abs(self._beyond) <= self.tol)

    @property
    def outside(self) -> np.ndarray:
        return np.flatnonzero(self._beyond > self.tol)

    def plot(self, ax: Any = None) -> TubeDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax, (6.4, 4.8))
        ax, (x, f) = self.ax_, self.curve
        ax.fill_between(
            x, f - self.epsilon, f + self.epsilon, color=tint(colour(0), 0.2), linewidth=0, zorder=0, label="tube f ± ε"
        )
        for edge in (f - self.epsilon, f + self.epsilon):
            ax.plot(x, edge, "--", color=INK, linewidth=0.8, zorder=1)
        ax.plot(x, f, "-", color=INK, linewidth=1.6, zorder=2, label="f")
        self._rows()
        ax.set_xlabel(self.names[0], fontsize=9.5)
        ax.set_ylabel(self.names[1], fontsize=9.5)
        n, out, on = len(self.target), len(self.outside), len(self.edge)
        head = f"{self.headline}, ε = {self.epsilon:.3g}: {out} of {n} rows outside, {on} on the edge"
        title(ax, head, "inside costs nothing, outside the distance to the tube")
        plain_frame(ax)
        legend_below(ax, columns=5)
        return self

    def _rows(self) -> None:
        from matplotlib.collections import LineCollection

        ax, size = self.ax_, point_size(len(self.target))
        out = self.outside
        near = self.called[out] + np.sign(self.residuals[out]) * self.epsilon
        segments = np.stack([np.column_stack([self.place[out], v]) for v in (near, self.target[out])], axis=1)
        ax.add_collection(LineCollection(list(segments), colors=colour(1), linewidths=0.9, zorder=2.5))
        for rows, label, k, style in (
            (self.inside, "inside", 0, {"marker": "o", "facecolors": colour(0), "edgecolors": "white"}),
            (self.edge, "on the edge", 2, {"marker": "D", "facecolors": "white", "edgecolors": colour(2)}),
            (out, "outside", 1, {"marker": "s", "facecolors": colour(1), "edgecolors": "white"}),
        ):
            if len(rows):
                look: dict[str, Any] = {**style, "linewidths": 1.5 if k == 2 else 0.4}
                ax.scatter(self.place[rows], self.target[rows], s=size, zorder=3 + k / 10, **look)
                ax.scatter([], [], s=36, label=f"{label} ({len(rows)})", **look)


def _epsilon(estimator: Any) -> float:
    for name in ("epsilon_", "epsilon"):
        found = getattr(estimator, name, None)
        if found is not None:
            return float(found)
    raise BadInput(f"{type(estimator).__name__} has no tube: give epsilon.")
