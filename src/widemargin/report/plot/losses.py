"""Losses of the margin side by side: what each booster or machine makes small in place of the 0-1 loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np

from .style import DASHES, INK, axes, colour, legend_below, plain_frame, title

# Where the label is wrong all of them are at least 1: log loss for that in bits.
LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exponential exp(-m): AdaBoost": lambda m: np.exp(-m),
    "logistic log₂(1 + exp(-m)): LogitBoost": lambda m: np.logaddexp(0.0, -m) / log(2),
    "hinge max(0, 1 - m): support vectors": lambda m: np.maximum(0.0, 1.0 - m),
    "squared hinge max(0, 1 - m)²": lambda m: np.maximum(0.0, 1.0 - m) ** 2,
    "squared (1 - m)²": lambda m: (1.0 - m) ** 2,
}


@dataclass(kw_only=True, eq=False)
class LossesDisplay:
    """Losses as functions of the margin, with the 0-1 loss that they bound. Make one with `from_losses`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    """

    losses: dict[str, Callable[[np.ndarray], np.ndarray]]
    span: tuple[float, float] = (-2.0, 3.0)
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_losses(
        cls, losses: Any = None, *, span: tuple[float, float] = (-2.0, 3.0), ax: Any = None
    ) -> LossesDisplay:
        """Draw losses of margins.

        Parameters
        ----------
        losses : dict of str to function or loss, optional
            Functions of an array of margins, or objects with `value(margins)`; default: the usual ones.
        span : tuple of float, default=(-2, 3)
            Smallest and largest margin.
        ax : matplotlib Axes, optional

        Returns
        -------
        LossesDisplay
        """
        several: Mapping[str, Any] = LOSSES if losses is None else losses
        return cls(losses={n: getattr(loss, "value", loss) for n, loss in several.items()}, span=span).plot(ax=ax)

    def plot(self, ax: Any = None) -> LossesDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax, (6.4, 4.8))
        ax, m = self.ax_, np.linspace(*self.span, 1001)
        ax.plot([self.span[0], 0, 0, self.span[1]], [1, 1, 0, 0], color=INK, linewidth=2.2, label="0-1 loss")
        for k, (name, loss) in enumerate(self.losses.items()):
            line = {"color": colour(k), "linestyle": DASHES[k % len(DASHES)], "linewidth": 1.7}
            ax.plot(m, loss(m), label=name, zorder=9 - k, **line)  # the first above: dashes let the next ones through
        ax.set_xlim(*self.span)
        ax.set_ylim(-0.08, 4.0)
        ax.set_xlabel("margin m = Y F(x)", fontsize=9.5)
        ax.set_ylabel("loss", fontsize=9.5)
        title(ax, "Losses that are small where labels are right", "a loss above the 0-1 loss bounds the training error")
        plain_frame(ax)
        legend_below(ax, columns=2)
        return self
