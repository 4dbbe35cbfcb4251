"""Records of boosting by round: four errors, and margins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, kw_only=True, eq=False)
class BoostingErrors:
    """The four errors of boosting after each round; `print` shows some rounds.

    Attributes
    ----------
    estimator : str
    weighted : ndarray of shape (n_rounds,)
        Error of the round's learner under the weights that it was given.
    after : ndarray of shape (n_rounds,)
        Error of the same learner under the weights that follow: 1/2 for AdaBoost of two classes.
    training : ndarray of shape (n_rounds,)
        Share of the rows that the sum gets wrong; no score above all others is an error.
    test : ndarray of shape (n_rounds,) or None
    bound : ndarray of shape (n_rounds,) or None
        Mean loss, which is never below the training error: for AdaBoost of two classes the product of all Z.
    """

    estimator: str
    weighted: np.ndarray
    after: np.ndarray
    training: np.ndarray
    test: np.ndarray | None = None
    bound: np.ndarray | None = None

    @property
    def rounds(self) -> np.ndarray:
        return np.arange(1, len(self.training) + 1)

    def curves(self) -> dict[str, np.ndarray]:
        """The errors that are there, by name."""
        named = {name: getattr(self, name) for name in ("weighted", "after", "training", "bound", "test")}
        return {name: values for name, values in named.items() if values is not None}

    def table(self) -> list[tuple[Any, ...]]:
        """(round, weighted, after, training, bound, test) a line, at 1, 2, 5, 10, 20, … and the last round."""
        last = len(self.training)
        some = [t for e in range(9) for t in (10**e, 2 * 10**e, 5 * 10**e) if t < last]
        return [(t, *(float(curve[t - 1]) for curve in self.curves().values())) for t in [*some, last] if last]

    def to_dict(self) -> dict[str, Any]:
        """Values ready for JSON."""
        return {"estimator": self.estimator, **{name: curve.tolist() for name, curve in self.curves().items()}}

    def __str__(self) -> str:
        lines = [f"{t:>8}" + "".join(f"{value:>12.4f}" for value in values) for t, *values in self.table()]
        return "\n".join([f"{'round':>8}" + "".join(f"{name:>12}" for name in self.curves()), *lines])


@dataclass(frozen=True, kw_only=True, eq=False)
class BoostingMargins:
    """Margins of the training rows after some rounds; `print` shows the table.

    Attributes
    ----------
    estimator : str
    rounds : tuple of int
    margins : ndarray of shape (len(rounds), n_samples)
        From -1 to 1 for votes: the share of the vote for a row's class less the largest share of another.
    share : ndarray of shape (n_samples,)
        What each row counts.
    nodes : ndarray of shape (len(rounds),) or None
        Nodes of all trees so far.
    test : ndarray of shape (len(rounds),) or None
        Error on rows that were not seen.
    bound, theta : ndarray of shape (len(rounds),) or None
        No more than this is to be expected of such rows, with probability 1 - delta; the margin that the bound comes
        from. A bound of 1 says nothing.
    delta : float
    """

    estimator: str
    rounds: tuple[int, ...]
    margins: np.ndarray
    share: np.ndarray
    nodes: np.ndarray | None = None
    test: np.ndarray | None = None
    bound: np.ndarray | None = None
    theta: np.ndarray | None = None
    delta: float = 0.05

    @property
    def minimum(self) -> np.ndarray:
        return self.margins.min(axis=1)

    @property
    def training(self) -> np.ndarray:
        """Share of margins that are not positive."""
        return self.share_at_most(0.0)

    def share_at_most(self, theta: float) -> np.ndarray:
        """Share of the rows with a margin of at most theta, after each of the rounds."""
        return (self.margins <= theta) @ self.share

    def quantile(self, q: float) -> np.ndarray:
        """The smallest margin that a share q of the rows does not exceed, after each of the rounds."""
        return np.array(
            [x[min(int(np.searchsorted(c, q - 1e-12)), len(x) - 1)] for x, c in map(self.curve, self.rounds)]
        )

    def curve(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """(margins in order, share of the rows up to each) after round t."""
        margins = self.margins[self.rounds.index(t)]
        order = np.argsort(margins, kind="stable")
        return margins[order], np.cumsum(self.share[order])

    def table(self) -> list[dict[str, Any]]:
        """A line for each of the rounds, by name."""
        columns: dict[str, Any] = {
            "rounds": self.rounds,
            "nodes": self.nodes,
            "least": self.minimum,
            "5 %": self.quantile(0.05),
            "median": self.quantile(0.5),
            "at most 0.5": self.share_at_most(0.5),
            "training error": self.training,
            "test error": self.test,
            "bound": self.bound,
        }
        there = {name: values for name, values in columns.items() if values is not None}
        lists = {name: np.asarray(values).tolist() for name, values in there.items()}
        return [dict(zip(lists, line, strict=True)) for line in zip(*lists.values(), strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """Values ready for JSON; margins as every hundredth quantile."""
        quantiles = np.array([self.quantile(q) for q in np.linspace(0, 1, 101)]).T
        return {
            "estimator": self.estimator,
            "rows": len(self.share),
            "table": self.table(),
            "theta": None if self.theta is None else self.theta.tolist(),
            "delta": self.delta,
            "quantiles": {str(t): line.tolist() for t, line in zip(self.rounds, quantiles, strict=True)},
        }

    def __str__(self) -> str:
        lines = self.table()
        widths = [max(len(name), 8) + 2 for name in lines[0]]
        text = ["".join(f"{name:>{w}}" for name, w in zip(lines[0], widths, strict=True))]
        for line in lines:
            cells = [f"{v:d}" if isinstance(v, int) else f"{v:.4f}" for v in line.values()]
            text.append("".join(f"{cell:>{w}}" for cell, w in zip(cells, widths, strict=True)))
        return "\n".join(text)
