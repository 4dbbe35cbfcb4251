"""The out-of-bag error by number of trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import BadInput
from .style import DASHES, axes, colour, legend_below, mark, plain_frame, title


@dataclass(kw_only=True, eq=False)
class OOBCurveDisplay:
    """How forests err on rows that their trees have never drawn, as they grow.

    Make one with `from_estimator`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    """

    curves: dict[str, tuple[np.ndarray, np.ndarray]]  # trees, error
    spreads: dict[str, float | None]  # standard error of the last point
    classes: bool
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> OOBCurveDisplay:
        """Draw one fitted forest, or several in a dictionary by name.

        Parameters
        ----------
        estimator : forest fitted with `oob_score` or `oob_patience`, or dict of str to such
        ax : matplotlib Axes, optional

        Returns
        -------
        OOBCurveDisplay
        """
        several = dict(estimator) if isinstance(estimator, Mapping) else {type(estimator).__name__: estimator}
        curves, spreads = {}, {}
        for name, one in several.items():
            trace = getattr(one, "trace_", None)
            if trace is None or "oob_error" not in list(trace):
                raise BadInput(f"{name} has no out-of-bag errors by number of trees: fit a forest with oob_score=True.")
            curves[name] = np.asarray(trace["trees"]), np.asarray(trace["oob_error"], dtype=np.float64)
            spreads[name] = getattr(one.certificate_, "oob_se", None)
        kinds = {hasattr(one, "classes_") for one in several.values()}
        if len(kinds) != 1:
            raise BadInput("errors of classes and of numbers do not go on one scale: draw them apart.")
        return cls(curves=curves, spreads=spreads, classes=kinds.pop()).plot(ax=ax)

    def plot(self, ax: Any = None) -> OOBCurveDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax, (6.4, 4.4))
        ax, said = self.ax_, []
        for k, (name, (trees, error)) in enumerate(self.curves.items()):
            style = {"color": colour(k), "marker": mark(k), "markevery": max(1, len(trees) // 8), "markersize": 4.5}
            ax.plot(trees, error, DASHES[0], linewidth=1.6, label=name, **style)
            spread = self.spreads[name]
            if spread:
                at = trees[-1] * 1.08**k  # beside each other
                ax.errorbar(at, error[-1], yerr=spread, color=colour(k), capsize=3, linewidth=1.2, zorder=4)
            said.append(f"{name} {error[-1]:.3g}" + (f" ± {spread:.1g}" if spread else ""))
        ax.set_xscale("log")
        ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if t <= ax.get_xlim()[1]]
        ax.set_xticks(ticks, [str(t) for t in ticks])
        ax.minorticks_off()
        ax.set_xlabel("trees", fontsize=9.5)
        ax.set_ylabel("share of wrong labels" if self.classes else "mean squared error", fontsize=9.5)
        note = "rows are judged by the trees that have never drawn them"
        note += "; bars at the end: one standard error" if any(self.spreads.values()) else ""
        title(ax, "Out of the bag: " + ", ".join(said), note)
        plain_frame(ax)
        legend_below(ax, columns=2)
        return self
