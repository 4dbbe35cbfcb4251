"""Regret against its bound, round by round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import BadInput
from ...model.experts import RegretPath
from .style import DASHES, INK, axes, colour, legend_below, mark, plain_frame, title

MOST = 2000  # points of a line


@dataclass(kw_only=True, eq=False)
class RegretDisplay:
    """The regret of learners with expert advice after every round, and what it could not exceed.

    Make one with `from_estimator`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    """

    paths: dict[str, RegretPath]
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> RegretDisplay:
        """Draw one fitted learner, or several in a dictionary by name.

        Parameters
        ----------
        estimator : Hedge or WeightedMajority, or dict of str to such
        ax : matplotlib Axes, optional

        Returns
        -------
        RegretDisplay
        """
        several = dict(estimator) if isinstance(estimator, Mapping) else {type(estimator).__name__: estimator}
        for name, one in several.items():
            if not hasattr(one, "path_"):
                raise BadInput(f"{name} has no path_: give a Hedge or WeightedMajority after its first round.")
        return cls(paths={name: one.path_ for name, one in several.items()}).plot(ax=ax)

    def plot(self, ax: Any = None) -> RegretDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax, (6.4, 4.4))
        ax = self.ax_
        for k, (name, path) in enumerate(self.paths.items()):
            t = np.unique(np.linspace(0, len(path) - 1, MOST).astype(int))
            style = {"color": colour(k), "marker": mark(k), "markevery": max(1, len(t) // 8), "markersize": 4.5}
            said = f"{name}: regret" if len(self.paths) > 1 else "regret"
            ax.plot(t + 1, path.regret[t], DASHES[0], linewidth=1.6, label=said, **style)
            said = f"{name}: bound" if len(self.paths) > 1 else "bound"
            ax.plot(t + 1, path.bound[t], DASHES[1], linewidth=1.2, label=said, color=colour(k))
        ax.axhline(0, color=INK, linewidth=0.8)
        ax.set_xlabel("round", fontsize=9.5)
        ax.set_ylabel("loss beyond the best expert's", fontsize=9.5)
        last = {name: (path.regret[-1], path.bound[-1]) for name, path in self.paths.items()}
        head = "; ".join(f"{name}: regret {regret:.4g}, bound {bound:.4g}" for name, (regret, bound) in last.items())
        title(ax, head)
        plain_frame(ax)
        legend_below(ax, columns=2)
        return self
