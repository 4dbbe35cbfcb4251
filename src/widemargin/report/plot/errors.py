"""The four errors of boosting by round: two of the round's learner, two of the sum."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...study.boosting_record import BoostingErrors
from .style import FAINT, axes, colour, legend_below, plain_frame, title

# name in the record: (words, colour, line, width)
LINES = {
    "weighted": ("the round's learner, weighted", colour(0), "-", 0.9),
    "after": ("the same learner after reweighting", colour(4), "--", 1.2),
    "bound": ("mean loss, which bounds the training error", FAINT, ":", 1.4),
    "training": ("training error of the sum", colour(2), "-", 1.8),
    "test": ("test error of the sum", colour(1), "-.", 1.8),
}


@dataclass(kw_only=True, eq=False)
class BoostingErrorsDisplay:
    """Weighted error of each learner, its error after reweighting, training and test error. Make one with `from_study`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    """

    record: BoostingErrors
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_study(cls, record: BoostingErrors, *, ax: Any = None) -> BoostingErrorsDisplay:
        """Draw the record of :func:`widemargin.study.boosting_errors`.

        Parameters
        ----------
        record : BoostingErrors
        ax : matplotlib Axes, optional

        Returns
        -------
        BoostingErrorsDisplay
        """
        return cls(record=record).plot(ax=ax)

    def plot(self, ax: Any = None) -> BoostingErrorsDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax, (6.4, 4.8))
        ax, record = self.ax_, self.record
        curves = record.curves()
        for name, (words, face, line, width) in LINES.items():
            if name in curves:
                ax.plot(record.rounds, curves[name], line, color=face, linewidth=width, label=words)
        last = len(record.rounds)
        ax.set_xscale("log")
        ticks = [t for e in range(7) for t in (10**e, 2 * 10**e, 5 * 10**e) if t <= last]
        ax.set_xticks(ticks, [str(t) for t in ticks])
        ax.minorticks_off()
        highest = max(float(curve.max(initial=0.0)) for name, curve in curves.items() if name != "bound")
        ax.set_ylim(-0.01, min(1.05, 1.15 * max(highest, 0.05)))
        ax.set_xlabel("round", fontsize=9.5)
        ax.set_ylabel("error", fontsize=9.5)
        said = f"training {record.training[-1]:.3g}" + (
            f", test {record.test[-1]:.3g}" if record.test is not None else ""
        )
        title(ax, f"Errors after {last} rounds: {said}", "each learner is weak on the rows as they are weighted for it")
        plain_frame(ax)
        legend_below(ax, columns=2)
        return self
