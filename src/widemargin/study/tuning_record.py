"""What a search found, as a record: the leaderboard, the winner, what was left out and why."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Trial:
    """One setting of one learner on so many rows.

    Attributes
    ----------
    learner : str
    setting : dict
    rows : int
        Rows to learn from; the held-out rows are the same for all.
    loss, se : float
        Mean loss of the held-out rows and its standard error: share of errors, mean cost, or mean squared error.
    seconds : float
        Of the fits; of a path, its share.
    gap : float or None
        The worst certified relative duality gap.
    threshold : float or None
        With costs and two classes: the score from which on the second class is called.
    """

    learner: str
    setting: dict[str, Any]
    rows: int
    loss: float
    se: float
    seconds: float
    gap: float | None = None
    threshold: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True, eq=False)
class Tuning:
    """The end of a search.

    Attributes
    ----------
    measure : {"share of errors", "mean cost", "mean squared error"}
    rule : {"best", "one-se", "knee"}
    trials : tuple of Trial
        All that was tried, in order.
    winner : Trial
    estimator : estimator
        The winner, not fitted.
    folds : str
        What was held out.
    rows : int
        Rows that the search may learn from; a test set is not among them.
    left_out : tuple of str
        Learners that were not tried, or with fewer settings, and why, a sentence each.
    members : tuple of (learner, setting, weight)
        Where the winner is an average, what of.
    """

    measure: str
    rule: str
    trials: tuple[Trial, ...]
    winner: Trial
    estimator: Any = field(repr=False)
    folds: str
    rows: int
    left_out: tuple[str, ...] = ()
    members: tuple[tuple[str, dict[str, Any], float], ...] = ()

    def leaderboard(self) -> list[Trial]:
        """The best setting of each learner where it was given the most rows, the best learner first."""
        return best_of_each(self.trials, self.winner)

    def curve(self) -> list[Trial]:
        """The trials of the winner's learner on as many rows as the winner had."""
        w = self.winner
        return [t for t in self.trials if t.learner == w.learner and t.rows == w.rows]

    def to_dict(self) -> dict[str, Any]:
        """Values ready for JSON."""
        return {
            "measure": self.measure,
            "rule": self.rule,
            "folds": self.folds,
            "rows": self.rows,
            "winner": self.winner.to_dict(),
            "leaderboard": [trial.to_dict() for trial in self.leaderboard()],
            "trials": [trial.to_dict() for trial in self.trials],
            "left_out": list(self.left_out),
            "members": [
                {"learner": name, "setting": setting, "weight": weight} for name, setting, weight in self.members
            ],
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), allow_nan=False)

    def __str__(self) -> str:
        lines = [f"{self.measure} of held-out rows ({self.folds}), chosen by {self.rule}"]
        for trial in self.leaderboard():
            mark = "→" if trial is self.winner else " "
            lines.append(
                f"  {mark} {trial.learner:<22}{trial.loss:>10.5g} ± {trial.se:<9.2g}{setting_text(trial.setting)}"
            )
        return "\n".join([*lines, *(f"  {sentence}" for sentence in self.left_out)])


def best_of_each(trials: Iterable[Trial], winner: Trial) -> list[Trial]:
    """The best trial of each learner where it was given the most rows, the winner first."""
    best: dict[str, Trial] = {}
    for trial in trials:
        old = best.get(trial.learner)
        if old is None or (-trial.rows, trial.loss) < (-old.rows, old.loss):
            best[trial.learner] = trial
    best[winner.learner] = winner
    return sorted(best.values(), key=lambda t: (t is not winner, -t.rows, t.loss))


def setting_text(setting: dict[str, Any]) -> str:
    """C=3, gamma=scale"""
    short = {key.removeprefix("learn__").replace("estimator__", ""): value for key, value in setting.items()}
    return ", ".join(
        f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}" for key, value in short.items()
    )
