"""How a fit went: the columns of its trace by epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import BadInput
from .style import DASHES, MARKS, colour, grid_of_axes, legend_below, plain_frame, title

WORDS = {
    "updates": "updates so far",
    "epoch_updates": "updates in the epoch",
    "loss": "loss in the epoch",
    "wrong": "rows on the wrong side",
}


@dataclass(kw_only=True, eq=False)
class TraceDisplay:
    """Columns of `trace_` against the epoch, one panel each, on logarithmic axes.

    Make one with `from_estimator`.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : ndarray of Axes, one a column
    ax_ : matplotlib Axes
        The first of them.
    """

    traces: dict[str, Any]
    columns: tuple[str, ...]
    headline: str
    note: str = ""
    figure_: Any = field(default=None, repr=False)
    axes_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any, *, columns: Sequence[str] | None = None, ax: Any = None) -> TraceDisplay:
        """Draw the trace of one fitted estimator, or of several in a dictionary by name.

        Parameters
        ----------
        estimator : fitted estimator or dict of str to fitted estimator
        columns : sequence of str, optional
            Columns of `trace_`; by default all that every trace has, except running totals.
        ax : matplotlib Axes, optional
            The panels take its place.

        Returns
        -------
        TraceDisplay
        """
        several = dict(estimator) if isinstance(estimator, Mapping) else {type(estimator).__name__: estimator}
        for name, one in several.items():
            if not hasattr(one, "trace_"):
                raise BadInput(f"{name} has no trace_: fit it first.")
        traces = {name: one.trace_ for name, one in several.items()}
        shared = [c for c in next(iter(traces.values())) if all(c in list(t) for t in traces.values())]
        if columns is None:
            columns = [c for c in shared if c not in ("step", "updates")] or ["updates"]
        missing = [c for c in columns if c not in shared]
        if missing:
            raise BadInput(f"the trace has no column {missing[0]!r}; it has {', '.join(shared[1:])}.")
        alone = next(iter(several.values())) if len(several) == 1 else None
        return cls(
            traces=traces,
            columns=tuple(columns),
            headline=" and ".join(several) if len(several) < 3 else f"{len(several)} fits",
            note=getattr(alone, "stop_reason_", ""),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> TraceDisplay:
        """Draw in the place of the axes given, or on a new figure."""
        rows = len(self.columns)
        self.figure_, grid = grid_of_axes(ax, rows, 1, (6.0, 1.2 + 1.9 * rows), sharex=True)
        self.axes_ = grid[:, 0]
        self.ax_ = self.axes_[0]
        for panel, column in zip(self.axes_, self.columns, strict=True):
            self._panel(panel, column)
        self.axes_[-1].set_xlabel("epoch", fontsize=9.5)
        title(self.ax_, self.headline, self.note)
        if len(self.traces) > 1:
            legend_below(self.axes_[-1], columns=4)
        return self

    def _panel(self, panel: Any, column: str) -> None:
        from matplotlib.ticker import SymmetricalLogLocator

        least, most = np.inf, 0.0
        for k, (name, trace) in enumerate(self.traces.items()):
            step, values = trace["step"], np.asarray(trace[column], dtype=np.float64)
            style = {"color": colour(k), "marker": MARKS[k % len(MARKS)], "linestyle": DASHES[k % len(DASHES)]}
            panel.plot(step, values, markersize=3.5, linewidth=1.2, label=name, **style)
            positive = values[values > 0]
            least, most = min(least, positive.min(initial=np.inf)), max(most, positive.max(initial=0.0))
        if max(len(trace) for trace in self.traces.values()) > 10:
            panel.set_xscale("log")
            panel.xaxis.set_major_formatter("{x:g}")
        else:
            panel.xaxis.get_major_locator().set_params(integer=True)
        # The last epoch of a separating perceptron has 0 updates: a linear stretch below the least value shows it.
        if np.isfinite(least):
            panel.set_yscale("symlog", linthresh=least)
            panel.yaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=least, subs=(1, 2, 5)))
            panel.set_ylim(0, 1.3 * most)
        panel.set_ylabel(WORDS.get(column, column.replace("_", " ")), fontsize=9.5)
        panel.yaxis.set_major_formatter("{x:g}")
        panel.grid(alpha=0.3, linewidth=0.5)
        plain_frame(panel)
