"""The error along a path of C, and its knee: where more effort hardly pays any more."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import BadInput
from .style import FAINT, INK, axes, colour, legend_below, plain_frame, tint, title


@dataclass(kw_only=True, eq=False)
class KneeDisplay:
    """Mean error against C on a logarithmic axis, one deviation around it, the lowest point and the knee.

    Make one from arrays and call `plot`, or use `from_path`.

    Parameters
    ----------
    Cs : array-like of shape (m,)
        Above 0, in any order.
    error : array-like of shape (m,)
        Mean error of each C.
    std : array-like of shape (m,), optional
        Its deviation over the folds.
    knee : float, optional
        The C of the knee: one of `Cs`.
    parameter, measure : str
        What the axes are called.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    best : float
        The C with the lowest error, the smallest of several.
    """

    Cs: np.ndarray
    error: np.ndarray
    std: np.ndarray | None = None
    knee: float | None = None
    parameter: str = "C"
    measure: str = "error"
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        Cs, error = (np.asarray(v, dtype=np.float64).ravel() for v in (self.Cs, self.error))
        std = None if self.std is None else np.asarray(self.std, dtype=np.float64).ravel()
        if len(Cs) == 0 or len(error) != len(Cs) or (std is not None and len(std) != len(Cs)):
            raise BadInput(f"{len(Cs)} values of C with {len(error)} errors: one each, at least one, is needed.")
        if not (np.isfinite(Cs).all() and (Cs > 0).all()):
            raise BadInput(f"C must be finite and above 0 to be drawn on a logarithmic axis; got {Cs.min():g}.")
        order = np.argsort(Cs, kind="stable")
        self.Cs, self.error, self.std = Cs[order], error[order], None if std is None else std[order]
        if self.knee is not None and not np.isclose(self.Cs, self.knee, rtol=1e-9, atol=0).any():
            raise BadInput(f"the knee {self.knee:g} is none of the values of C.")

    @classmethod
    def from_path(cls, record: Any, *, measure: str = "error (1 - score)", ax: Any = None) -> KneeDisplay:
        """Draw the record of a path.

        Parameters
        ----------
        record : object with `Cs`, `scores`, `knee`
            `scores` are those of each C (the higher the better): one number, or a row with one a fold. `knee` is the C
            of the knee, or None. `stds`, if there are any, belong to scores that are one number a C. `parameter` is
            what the axis is called.
        measure : str
        ax : matplotlib Axes, optional

        Returns
        -------
        KneeDisplay
        """
        scores = np.asarray(record.scores, dtype=np.float64)
        std = getattr(record, "stds", None) if scores.ndim == 1 else scores.std(axis=1)
        mean = scores if scores.ndim == 1 else scores.mean(axis=1)
        name = getattr(record, "parameter", "C")
        return cls(Cs=record.Cs, error=1 - mean, std=std, knee=record.knee, parameter=name, measure=measure).plot(ax=ax)

    @property
    def best(self) -> float:
        return float(self.Cs[self.error.argmin()])

    def plot(self, ax: Any = None) -> KneeDisplay:
        """Draw on the axes given, or on new ones."""
        self.figure_, self.ax_ = axes(ax, (6.4, 4.6))
        ax = self.ax_
        if self.std is not None:
            low, high = self.error - self.std, self.error + self.std
            ax.fill_between(self.Cs, low, high, color=tint(colour(0), 0.22), linewidth=0, label="± one deviation")
        ax.plot(self.Cs, self.error, "o-", color=colour(0), markersize=4.5, linewidth=1.5, label="mean", zorder=3)
        at = int(self.error.argmin())
        star = {"color": colour(1), "markersize": 14, "zorder": 5}
        ax.plot(self.best, self.error[at], "*", label=f"lowest: {self.best:.4g}", **star)
        ax.axhline(self.error[at], color=FAINT, linewidth=0.8, linestyle=":", zorder=1)
        head = f"Lowest {self.measure} {self.error[at]:.4g} at {self.parameter} = {self.best:.4g}"
        if self.knee is not None:
            k = int(np.abs(np.log(self.Cs / self.knee)).argmin())
            ax.axvline(self.knee, color=INK, linewidth=1.0, linestyle="--", zorder=2)
            ring = {"markerfacecolor": "none", "markeredgecolor": INK, "markersize": 13, "markeredgewidth": 1.6}
            ax.plot(self.knee, self.error[k], "o", zorder=4, label=f"knee: {self.knee:.4g}", **ring)
            head += f"; knee at {self.knee:.4g} with {self.error[k]:.4g}"
        ax.set_xscale("log")
        ax.set_xlabel(self.parameter, fontsize=9.5)
        ax.set_ylabel(self.measure, fontsize=9.5)
        title(ax, head)
        plain_frame(ax)
        legend_below(ax, columns=4)
        return self
