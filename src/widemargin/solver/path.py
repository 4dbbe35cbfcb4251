"""Two-class machines of one set of items for growing C, side by side: each solution is the start of the next.

Problem  C-SVC of model/box.py for C_1 < C_2 < …, in several columns that differ in the weights of the items: folds.
         Items of weight 0 stand beside a column: their variable is held at 0, their score follows, so that the scores
         of held-out rows cost nothing
Symbols  b signed variables, f = Kb, F = f - t, all columns x n
Stops    as solver/box, for every C and column; "stalled" where the gap was not halved for 100 + n / 4 rounds
Method   every kernel value serves all columns (core/solver/box_columns). From one C to the next, variables at their
         bound move to the new one and f follows, through rows of the free variables or of the bounded ones, whichever
         are fewer [DeCosteWagstaff00], as far as the objective falls. Every `EVERY` rounds the last few displacements,
         whose images under K are known, span a space in which the objective is minimised [NarkissZibulevsky05]; where
         that leaves the box, the point is brought back and the step cut to the best length.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..base.drive import Watch, drive
from ..base.records import Stop
from .box import BoxOptions
from .svm import ENDLESS

WORKING = 384  # items of a working set: values lie in memory, so many cheap rounds beat few large ones
EVERY, SPAN = 12, 3  # rounds between two accelerations, displacements that they combine
MOST_BACK = 256  # variables that may have to be brought back into the box
KINDS = ("running", "converged", "stalled", "epochs")
SHARED, STEPS, KIND = 2, 0, 1  # counters: rounds and rows, then these two for each column
VIOLATION, GAP, BIAS, FIGURES = 0, 1, 4, 5


@dataclass(frozen=True, eq=False)
class Reached:
    """The solution of one column for one C.

    Attributes
    ----------
    b, scores : ndarray of shape (n,)
        Signed variables, and the score of every item, also of those that stand beside.
    intercept, gap, violation : float
    rounds, steps : int
    stop : str
        As in base/records.Stop.
    """

    C: float
    b: np.ndarray
    scores: np.ndarray
    intercept: float
    gap: float
    violation: float
    rounds: int
    steps: int
    stop: str


@dataclass
class ColumnsState:
    """b, f, the last working set; counters: rounds, rows, steps and stop of each column; figures of each column:
    violation, relative gap, primal, dual, bias."""

    b: np.ndarray
    f: np.ndarray
    work: np.ndarray
    counters: np.ndarray
    figures: np.ndarray

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self.b, self.f, self.work, self.counters, self.figures

    @property
    def own(self) -> np.ndarray:
        """Steps and stop of each column, as a view."""
        return self.counters[SHARED:].reshape(-1, 2)

    @property
    def running(self) -> np.ndarray:
        return np.flatnonzero(self.own[:, KIND] == 0)


class BoxPaths:
    """`reach` one C after the other, in rising order; `weight` has a row for each column."""

    columns: tuple[str, ...] = ("relative_gap",)

    def __init__(self, rows: _core.RowSource, signs: np.ndarray, weight: np.ndarray, options: BoxOptions) -> None:
        k, n = weight.shape
        self.t, self.weight = np.ascontiguousarray(signs, dtype=np.float64), weight
        self.lower, self.upper = np.zeros((k, n)), np.zeros((k, n))
        working = min(max(n, 2), WORKING)
        self.work_per_unit = 0.25 * working * n * k
        # The core reads the boxes from these arrays in every round: `reach` widens them in place, and rows stay kept.
        self.core = _core.box_columns(
            rows, self.t, self.lower, self.upper, options.tol, options.gap_tol, 1e-300, working,
            ENDLESS if options.max_steps < 0 else options.max_steps, options.memory, options.threads,
        )  # fmt: skip
        self.state = ColumnsState(
            np.zeros((k, n)),
            np.zeros((k, n)),
            np.full(working, -1, np.int32),
            np.zeros(SHARED + 2 * k, np.int64),
            np.zeros((k, FIGURES)),
        )
        self.C = 0.0
        self._forget()

    def reach(self, C: float, watch: Watch | None = None) -> list[Reached]:
        """The solutions for C, which is not below the one before."""
        s = self.state
        bound = C * self.weight
        lower, upper = np.where(self.t > 0, 0.0, -bound), np.where(self.t > 0, bound, 0.0)
        if self.C > 0:
            self._move(lower, upper, C / self.C)
        self.lower[:], self.upper[:], self.C = lower, upper, C
        s.counters[:], s.figures[:] = 0, 0.0
        self._forget()
        stop, _ = drive(self, s, last=ENDLESS, explain=_named, watch=watch)
        self.core.judge(*s.arrays())
        offset = self._offsets()
        kinds = [KINDS[kind] if kind else stop.kind for kind in s.own[:, KIND]]
        return [
            Reached(
                C, s.b[c].copy(), s.f[c] + offset[c], float(offset[c]), float(s.figures[c, GAP]),
                float(s.figures[c, VIOLATION]), int(s.counters[0]), int(s.own[c, STEPS]), kind,
            )
            for c, kind in enumerate(kinds)
        ]  # fmt: skip

    # ---- what drive asks for -----------------------------------------------------------------------------------

    def advance(self, state: ColumnsState, budget: int, until: int) -> str | None:
        """Rounds; accelerations fall on the same rounds however the work is cut."""
        while budget > 0:
            here = int(state.counters[0])
            rounds = min(budget, until - here, EVERY - here % EVERY)
            if rounds <= 0:
                return None
            if self.core.advance(*state.arrays(), rounds):
                return "converged"
            budget -= rounds
            if int(state.counters[0]) % EVERY == 0:
                self._accelerate()
            if int(state.counters[0]) % (8 * EVERY) == 0:
                self._tell_stalled()
        return None

    def _tell_stalled(self) -> None:
        """Columns whose gap has not been halved for long: huge bounds, or what float32 cannot tell apart."""
        s, now = self.state, int(self.state.counters[0])
        self.core.judge(*s.arrays())
        gap = s.figures[:, GAP]
        halved = gap < self.gap / 2
        self.gap[halved], self.since[halved] = gap[halved], now
        s.own[(s.own[:, KIND] == 0) & (now - self.since > 100 + s.b.shape[1] // 4), KIND] = KINDS.index("stalled")

    def step(self, state: ColumnsState) -> int:
        return int(state.counters[0])

    def look(self, state: ColumnsState) -> dict[str, Any]:
        return {"relative_gap": float(state.figures[:, GAP].max())}

    # ---- from one C to the next --------------------------------------------------------------------------------

    def _move(self, lower: np.ndarray, upper: np.ndarray, ratio: float) -> None:
        s = self.state
        low, high = s.b <= self.lower, s.b >= self.upper
        b = np.where(low, lower, np.where(high, upper, s.b))
        b[self.weight == 0] = 0.0
        F = s.f - self.t + self._offsets()[:, None]
        b = np.array([self._balanced(b[c], low[c] | high[c], F[c]) for c in range(len(b))])
        # f' = f + K (b' - b) = ratio f + K (b' - ratio b)
        plain, scaled = b - s.b, b - ratio * s.b
        scaled[np.abs(scaled) <= 1e-14 * np.abs(b)] = 0.0
        change = plain
        if np.count_nonzero(scaled.any(axis=0)) < np.count_nonzero(plain.any(axis=0)):
            s.f *= ratio
            change = scaled
        before = s.b.copy(), s.f / ratio if change is scaled else s.f.copy()
        s.b[:] = b
        self.core.shift(*s.arrays(), change)
        for c in range(len(b)):  # far from the old bounds most variables come free: then not the whole way
            self._cut(c, before[0][c], before[1][c], lower[c], upper[c])

    def _balanced(self, b: np.ndarray, bounded: np.ndarray, F: np.ndarray) -> np.ndarray:
        """b with sum 0: the heavier side gives, free variables first, then those that leave their bound soonest."""
        b = b.copy()
        excess = float(b.sum())
        side = (b > 0) if excess > 0 else (b < 0)
        left = abs(excess)
        free = side & ~bounded
        there = float(np.abs(b[free]).sum())
        if there > 0:
            give = min(left, 0.9 * there)
            b[free] *= 1 - give / there
            left -= give
        if left > 0:
            at = np.flatnonzero(side & bounded)
            at = at[np.argsort(np.abs(F[at]), kind="stable")]
            size = np.abs(b[at])
            before = np.cumsum(size) - size
            b[at] -= np.sign(b[at]) * np.clip(left - before, 0.0, size)
        return b

    def _offsets(self) -> np.ndarray:
        """Minus the mean of F over the free variables; without any, the middle of what is optimal."""
        s = self.state
        free = (s.b > self.lower) & (s.b < self.upper)
        many = free.sum(axis=1)
        mean = np.where(free, s.f - self.t, 0.0).sum(axis=1) / np.maximum(many, 1)
        return np.where(many > 0, -mean, s.figures[:, BIAS])

    # ---- acceleration ------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        self.at = self.state.b.copy(), self.state.f.copy()
        # The gap of each column that is to be halved, and the round when it was.
        self.gap: np.ndarray = np.full(len(self.state.b), np.inf)
        self.since: np.ndarray = np.zeros(len(self.state.b), np.int64)
        self.moves: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=SPAN)

    def _accelerate(self) -> None:
        s = self.state
        b, f = s.b.copy(), s.f.copy()
        self.moves.append((b - self.at[0], f - self.at[1]))
        change, jumped = np.zeros_like(b), []
        with np.errstate(all="ignore"):  # huge bounds: what is not finite is not taken
            for c in s.running:
                if self._jump(c, *self._best_of_span(c), change[c]):
                    jumped.append(c)
            if jumped:
                self.core.shift(*s.arrays(), change)
            for c in jumped:
                self._cut(c, b[c], f[c], self.lower[c], self.upper[c])
        self.moves[-1] = (s.b - self.at[0], s.f - self.at[1])
        self.at = s.b.copy(), s.f.copy()

    def _best_of_span(self, c: int) -> tuple[np.ndarray, np.ndarray]:
        """The displacement in the span of the last ones, and its image, that lead to the least value without a box."""
        D, H = (np.array([move[part][c] for move in self.moves]) for part in (0, 1))
        G = D @ H.T
        size = 1 / np.sqrt(np.maximum(np.diag(G), 1e-300))
        scaled = (G + G.T) / 2 * size * size[:, None]
        if not np.isfinite(scaled).all():
            return np.zeros_like(D[0]), np.zeros_like(D[0])
        values, vectors = np.linalg.eigh(scaled)
        keep = values > 1e-6 * max(float(values[-1]), 1e-300)
        V = vectors[:, keep]
        a = size * (V @ ((V.T @ (size * (D @ (self.t - self.state.f[c])))) / values[keep]))
        return a @ D, a @ H

    def _jump(self, c: int, d: np.ndarray, h: np.ndarray, change: np.ndarray) -> bool:
        """b + d, brought back into the box and to sum 0, and what f must follow; False if that takes too many."""
        s, lower, upper = self.state, self.lower[c], self.upper[c]
        aim = s.b[c] + d
        b = np.clip(aim, lower, upper)
        room = np.minimum(b - lower, upper - b)
        giving = np.flatnonzero(room >= 0.5 * room.max())[:64]
        excess, share = float(b.sum()), 0.5 * room[giving]
        total = float(share.sum())
        if np.count_nonzero(b != aim) > MOST_BACK or not (np.isfinite(d).all() and abs(excess) <= total):
            return False
        if total > 0:
            b[giving] -= share * (excess / total)
        change[:] = b - aim
        s.b[c] = b
        s.f[c] += h
        return True

    def _cut(self, c: int, b: np.ndarray, f: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """From (b, f) to where we are: only as far as the objective falls."""
        s = self.state
        d, h = s.b[c] - b, s.f[c] - f
        slope, curvature = float(d @ (self.t - f)), float(d @ h)
        if slope <= 0 or not np.isfinite(slope + curvature):
            s.b[c], s.f[c] = b, f
        elif slope < curvature:
            far = slope / curvature
            s.b[c] = np.clip(b + far * d, lower, upper)
            s.f[c] = f + far * h


def _named(kind: str) -> Stop:
    return Stop(kind, kind)
