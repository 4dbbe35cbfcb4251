"""The batch perceptron: all rows at once, one step a pass.

Problem  E(w) = 1/W sum s (-y u)+,  u = w.x + b;  delta = 1/W sum of s y [x, 1] over y u <= 0;  w += eta_t delta
Symbols  s weights, W their sum, t passes done; eta_t = eta0 or eta0 / (1 + t)^power
Stops    when no row has y u <= 0: w separates the rows ("converged");
         when |delta| < tol R, R the largest |[x, 1]|, with rows still wrong: E(0) = 0 is a trivial minimum, and on XOR
         delta = 0 right there, so this is never called success ("stalled");
         after the passes that were asked for.
Method   [DudaHart73, sec. 5.5]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..base.records import Stop

COUNTERS = ("step", "visits", "updates", "wrong", "before")  # before: passes over earlier batches
SUMS = ("loss", "length", "wrong_weight")


@dataclass(frozen=True)
class BatchOptions:
    eta: float = 1.0
    power: float = 0.0  # 0: constant rate
    tol: float = 0.0
    intercept: bool = True


@dataclass
class BatchState:
    """w (d + 1 entries, the last is the bias), counters, and what the last pass saw."""

    w: np.ndarray
    counters: np.ndarray
    sums: np.ndarray

    def __getattr__(self, name: str) -> Any:
        if name in COUNTERS:
            return int(self.counters[COUNTERS.index(name)])
        if name in SUMS:
            return float(self.sums[SUMS.index(name)])
        raise AttributeError(name)

    def continue_from(self, old: BatchState) -> None:
        """Take over what was learnt on other rows; the rate goes on falling."""
        self.w = old.w
        self.counters[:] = 0, old.visits, old.updates, 0, old.before + old.step

    def without_rows(self) -> BatchState:
        return self

    def weights(self) -> tuple[np.ndarray, float]:
        return self.w[:-1].copy(), float(self.w[-1])


class BatchSolver:
    """start, advance, look; the pass is the step."""

    columns = ("wrong", "wrong_weight", "loss", "length")

    def __init__(
        self,
        X: Any,
        rows: _core.Rows,
        y: np.ndarray,
        options: BatchOptions,
        *,
        weight: np.ndarray | None = None,
        among: np.ndarray | None = None,
        max_squared_norm: float,
        threads: int = 1,
    ) -> None:
        self.options, self.rows, self.threads = options, rows, threads
        self.work_per_unit = float(X.nnz if sp.issparse(X) else X.size)
        self._y = np.ascontiguousarray(y, dtype=np.float64)
        self._weight = np.empty(0) if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
        self._among = np.empty(0, np.int32) if among is None else among.astype(np.int32)
        self._count = rows.n if among is None else len(among)
        self._total = float(self._count if weight is None else (weight if among is None else weight[among]).sum())
        radius = float(np.sqrt(max_squared_norm + options.intercept))
        self._short = options.tol * radius if np.isfinite(radius) else 0.0

    def start(self, w: np.ndarray | None = None) -> BatchState:
        w = np.zeros(self.rows.d + 1) if w is None else np.array(w, dtype=np.float64)
        return BatchState(w, np.zeros(len(COUNTERS), np.int64), np.zeros(len(SUMS)))

    def rate(self, step: int) -> float:
        return self.options.eta / (1.0 + step) ** self.options.power

    def advance(self, state: BatchState, budget: int, until: int) -> str | None:
        g = np.empty_like(state.w)
        while budget > 0 and state.step < until:
            budget -= 1
            wrong, weight, loss = _core.batch_pass(
                self.rows, self._y, self._weight, self._among, self.options.intercept, state.w, g, self.threads
            )
            length = _length(g) / self._total
            moves = wrong > 0 and length >= self._short and length > 0
            if moves:
                # One factor for the whole sum: on integers g is exact, and ties stay ties.
                state.w += (self.rate(state.before + state.step) / self._total) * g
            state.counters += (1, self._count, moves, wrong - state.wrong, 0)
            state.sums[:] = loss / self._total, length, weight
            if wrong == 0:
                return "converged"
            if not moves:
                return "stalled"
        return None

    def step(self, state: BatchState) -> int:
        return state.step

    def look(self, state: BatchState) -> dict[str, Any]:
        return {name: getattr(state, name) for name in self.columns}

    def explain(self, state: BatchState, max_iter: int, max_time: float | None):
        """The sentence for a stop of each kind."""

        def sentence(kind: str) -> Stop:
            wrong = f"{state.wrong} of {self._count} rows with y u <= 0"
            words = {
                "converged": f"converged: pass {state.step} found no row with y u <= 0",
                "stalled": (
                    f"delta has length {state.length:.3g} after {state.step} passes with {wrong}: a minimum "
                    "of E that separates nothing (E(0) = 0); the data seem not separable: "
                    "certify(…, prove=True) for a proof"
                ),
                "epochs": (
                    f"all {max_iter} passes done, the last with {wrong} and a delta of length {state.length:.3g}: "
                    "raise max_iter, or lower power_t if the steps have become too short"
                ),
                "time": f"max_time={max_time} s is over after {state.step} passes, the last with {wrong}: raise it",
                "asked": f"stopped on request after {state.step} passes, the last with {wrong}",
            }
            return Stop(kind, words[kind])

        return sentence


def _length(g: np.ndarray) -> float:
    """|g|, even where the squares would overflow or vanish."""
    top = float(np.abs(g).max())
    return top * float(np.linalg.norm(g / top)) if 0 < top < np.inf else top
