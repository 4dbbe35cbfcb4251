"""The perceptron with dynamic margin: the seam between Python and core/solver/margin_perceptron."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..base.records import Stop
from .online import SHUFFLES, STOPS, visits_for

COUNTERS = (
    "epoch",
    "position",
    "visits",
    "updates",
    "epoch_updates",
    "epoch_wrong",
    "best_wrong",
    "best_epoch",
    "round_epoch",
    "given_up",
)
SUMS = ("epoch_loss", "total", "squared_norm")


@dataclass(frozen=True)
class MarginOptions:
    approximation: float = 0.1
    intercept: bool = True
    shuffle: str = "every_epoch"
    seed: int = 0
    patience: int = 50  # epochs without progress before rows are given up; 0: never look
    most: float = 0.0  # share of the visits of an epoch that may be given up


@dataclass
class MarginState:
    """w = sum c s y x (d + 1 entries), updates c and wrong visits by row, epoch of giving up by row, counters."""

    w: np.ndarray
    updates_of: np.ndarray
    wrong_of: np.ndarray
    given_up_at: np.ndarray
    counters: np.ndarray
    sums: np.ndarray
    a: np.ndarray = field(default_factory=lambda: np.empty(0))  # no average and no log: as the online states
    log: list[Any] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        if name in COUNTERS:
            return int(self.counters[COUNTERS.index(name)])
        if name in SUMS:
            return float(self.sums[SUMS.index(name)])
        raise AttributeError(name)

    def weights(self) -> tuple[np.ndarray, float]:
        """The unit vector along w, so that scores are distances in the extended space."""
        unit = self.w / (np.linalg.norm(self.w) or 1.0)
        return unit[:-1], float(unit[-1])

    def continue_from(self, old: MarginState) -> None:
        """Take over what was learnt on other rows; the counters of epochs begin anew."""
        self.w, self.sums = old.w, old.sums
        for name in ("visits", "updates"):
            self.counters[COUNTERS.index(name)] = getattr(old, name)

    def without_rows(self) -> MarginState:
        """The same without what refers to rows, which may be gone."""
        none = np.empty(0, np.int32)
        return MarginState(self.w, none, none, none, self.counters, self.sums)

    def margin_upper(self) -> float:
        """|w| / sum c s: no unit vector has a larger margin on the rows that are left."""
        return float(np.linalg.norm(self.w)) / self.total if self.total else np.inf


class MarginSolver:
    """start, advance, look; the epoch is the step."""

    columns = ("updates", "epoch_updates", "loss", "wrong", "given_up")
    visits_each_row_once = False  # the rows are scanned beforehand

    def __init__(
        self,
        rows: _core.Rows,
        y: np.ndarray,
        options: MarginOptions,
        weight: np.ndarray | None = None,
        among: np.ndarray | None = None,
    ) -> None:
        visits, step = visits_for(weight, among)
        o = options
        self.options, self.rows = options, rows
        self.work_per_unit = rows.size / max(rows.n, 1)
        self._core = _core.margin_solver(
            rows,
            np.ascontiguousarray(y, dtype=np.float64),
            step,
            visits,
            o.approximation,
            o.intercept,
            SHUFFLES.index(o.shuffle),
            o.seed,
            o.patience,
            int(o.most * (len(visits) or rows.n)),
        )
        self.visits_per_epoch = self._core.visits_per_epoch

    def start(self, w: np.ndarray | None = None) -> MarginState:
        if w is not None:
            raise ValueError("the perceptron with dynamic margin starts at zero: its bound rests on that")
        counters = np.zeros(len(COUNTERS), np.int64)
        counters[COUNTERS.index("best_wrong")] = -1
        updates_of, wrong_of, given_up_at = np.zeros((3, self.rows.n), np.int32)
        w, sums = np.zeros(self.rows.d + 1), np.zeros(len(SUMS))
        return MarginState(w, updates_of, wrong_of, given_up_at, counters, sums)

    def advance(self, state: MarginState, budget: int, until: int) -> str | None:
        s = state
        stop = self._core.advance(s.w, s.updates_of, s.wrong_of, s.given_up_at, s.counters, s.sums, budget, until)
        return STOPS[stop]

    def step(self, state: MarginState) -> int:
        return state.epoch

    def look(self, state: MarginState) -> dict[str, Any]:
        return {
            "updates": state.updates,
            "epoch_updates": state.epoch_updates,
            "loss": state.epoch_loss,
            "wrong": state.epoch_wrong,
            "given_up": state.given_up,
        }

    def explain(self, state: MarginState, max_iter: int, max_time: float | None):
        """The sentence for a stop of each kind."""

        def sentence(kind: str) -> Stop:
            share = 1 - self.options.approximation
            done = f"{state.updates} updates in {state.epoch} epochs, {state.given_up} rows given up"
            last = f"the last with {state.epoch_updates} updates and {state.epoch_wrong} visits on the wrong side"
            words = {
                "converged": (
                    f"converged: epoch {state.epoch} made no update ({done}); the margin is more than {share:.4g} of "
                    "the largest" + (" on the rows that are left" if state.given_up else "")
                ),
                "stalled": (
                    f"oscillates: {done}, {last}, and no more rows may be given up "
                    f"(at most {self.options.most:.4g} of all): raise max_given_up, or use AveragedPerceptron"
                ),
                "epochs": f"all {max_iter} epochs done ({done}), {last}: raise max_iter or approximation",
                "time": f"max_time={max_time} s is over after {done}, {last}: raise max_time or approximation",
                "asked": f"stopped on request after {done}, {last}",
                "flat": f"the score has not risen for some epochs ({done})",
            }
            return Stop(kind, words[kind])

        return sentence
