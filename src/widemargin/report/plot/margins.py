"""How sure votes are of the training rows: the share of rows up to each margin, after some rounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...study.boosting_record import BoostingMargins
from .style import DASHES, FAINT, axes, colour, legend_below, plain_frame, title


@dataclass(kw_only=True, eq=False)
class MarginsDisplay:
    """One curve for each of the rounds: how many rows have at most a margin. Make one with `from_study`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    """

    record: BoostingMargins
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_study(cls, record: BoostingMargins, *, ax: Any = None) -> MarginsDisplay:
        """Draw the record of :func:`widemargin.study.boosting_margins`.

        Parameters
        ----------
        record : BoostingMargins
        ax : matplotlib Axes, optional

        Returns
        -------
        MarginsDisplay
        """
        return cls(record=record).plot(ax=ax)

    def plot(self, ax: Any = None) -> MarginsDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax, (6.4, 4.6))
        ax, record = self.ax_, self.record
        ax.axvline(0, color=FAINT, linewidth=0.8)
        for k, t in enumerate(record.rounds):
            x, share = record.curve(t)
            style = {"color": colour(k), "linestyle": DASHES[k % len(DASHES)], "linewidth": 1.6}
            ax.step([min(x[0], -1.0), *x, 1.0], [0.0, *share, 1.0], where="post", label=self._label(k), **style)
        low = float(record.minimum.min())
        ax.set_xlim(min(low, 0.0) - 0.05, 1.02)
        ax.set_ylim(-0.02, 1.03)
        ax.set_xlabel("margin: share of the vote for a row's class less the largest other", fontsize=9.5)
        ax.set_ylabel("share of training rows", fontsize=9.5)
        title(ax, f"Margins of {len(record.share)} training rows", "a curve further right is surer; left of 0 is wrong")
        plain_frame(ax)
        legend_below(ax, columns=1)
        return self

    def _label(self, k: int) -> str:
        record, t = self.record, self.record.rounds[k]
        said = (
            f"{t} round{'s' * (t != 1)}: least margin {record.minimum[k]:.2f}, training error {record.training[k]:.3g}"
        )
        return said if record.test is None else f"{said}, test error {record.test[k]:.3g}"
