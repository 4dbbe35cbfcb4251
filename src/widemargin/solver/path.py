"""One two-class machine for growing C: each solution is the start of the next.

Problem  C-SVC of model/box.py for C_1 < C_2 < …; items of weight 0 stand beside it: their variable is held at 0, their
         score follows, so that the scores of held-out rows cost nothing
Symbols  b signed variables, f = Kb, F = f - t
Stops    as solver/box, for every C; "stalled" where the gap was not halved for 100 + n / 4 rounds
Method   variables at their bound move to the new one and f follows, through rows of the free variables or of the
         bounded ones, whichever are fewer [DeCosteWagstaff00]. Every `EVERY` rounds the last few displacements, whose
         images under K are known, span a space in which the objective is minimised [NarkissZibulevsky05, sequential
         subspace optimisation]; where that leaves the box, the point is brought back and the step cut to the best
         length.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..base.drive import Watch, drive
from ..base.records import Stop
from .box import COUNTERS, FIGURES, KINDS, BoxOptions, BoxState
from .svm import ENDLESS

WORKING = 256  # variables of a small problem: values lie in memory, so many cheap rounds beat few large ones
EVERY, SPAN = 12, 4  # rounds between two accelerations, displacements that they combine
MOST_BACK = 256  # variables that may have to be brought back into the box


@dataclass(frozen=True, eq=False)
class Reached:
    """The solution for one C.

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


class BoxPath:
    """`reach` one C after the other, in rising order."""

    columns: tuple[str, ...] = ("relative_gap",)

    def __init__(self, rows: _core.RowSource, signs: np.ndarray, weight: np.ndarray, options: BoxOptions) -> None:
        n = len(signs)
        self.t, self.weight, self.options = np.ascontiguousarray(signs, dtype=np.float64), weight, options
        self.lower, self.upper = np.zeros(n), np.zeros(n)
        self.working = min(max(n, 2), WORKING)
        self.work_per_unit = 0.25 * self.working * n
        # The core reads the box from these arrays in every round: `reach` widens it in place, and rows stay kept.
        self.core = _core.box_solver(
            rows, self.t, self.lower, self.upper, np.empty(0, np.int8), [0.0], options.tol, options.gap_tol,
            1e-300, self.working, ENDLESS if options.max_steps < 0 else options.max_steps, options.memory,
            options.threads,
        )  # fmt: skip
        self.state = BoxState(
            np.zeros(n),
            np.zeros(n),
            np.full(self.working, -1, np.int32),
            np.zeros(len(COUNTERS), np.int64),
            np.zeros(FIGURES + 1),
        )
        self.C = 0.0
        self.halved = np.inf, 0  # the gap that is to be halved, and the round when it was
        self._forget()

    def reach(self, C: float, watch: Watch | None = None) -> Reached:
        """The solution for C, which is not below the one before."""
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
        offset = self._offset()
        return Reached(
            C, s.b.copy(), s.f + offset, offset, s.relative_gap, s.violation, int(s.counters[0]), s.steps, stop.kind
        )

    # ---- what drive asks for -----------------------------------------------------------------------------------

    def advance(self, state: BoxState, budget: int, until: int) -> str | None:
        """Rounds; accelerations fall on the same rounds however the work is cut."""
        while budget > 0:
            here = int(state.counters[0])
            rounds = min(budget, until - here, EVERY - here % EVERY)
            if rounds <= 0:
                return None
            kind = KINDS[self.core.advance(*state.arrays(), rounds)]
            if kind is not None:
                return kind
            budget -= rounds
            if int(state.counters[0]) % EVERY == 0:
                self._accelerate()
                if self._stalls():
                    return "stalled"
        return None

    def _stalls(self) -> bool:
        """Whether the gap has not been halved for long: huge bounds, or what float32 cannot tell apart."""
        s = self.state
        self.core.judge(*s.arrays())
        if s.relative_gap < self.halved[0] / 2:
            self.halved = s.relative_gap, int(s.counters[0])
        return int(s.counters[0]) - self.halved[1] > 100 + len(s.b) // 4

    def step(self, state: BoxState) -> int:
        return int(state.counters[0])

    def look(self, state: BoxState) -> dict[str, Any]:
        return {"relative_gap": state.relative_gap}

    # ---- from one C to the next --------------------------------------------------------------------------------

    def _move(self, lower: np.ndarray, upper: np.ndarray, ratio: float) -> None:
        s = self.state
        low, high = s.b <= self.lower, s.b >= self.upper
        b = np.where(low, lower, np.where(high, upper, s.b))
        b[self.weight == 0] = 0.0
        b = self._balanced(b, low | high)
        # f' = f + K (b' - b) = ratio f + K (b' - ratio b)
        plain, scaled = b - s.b, b - ratio * s.b
        scaled[np.abs(scaled) <= 1e-14 * np.abs(b)] = 0.0
        change = plain
        if np.count_nonzero(scaled) < np.count_nonzero(plain):
            s.f *= ratio
            change = scaled
        s.b[:] = b
        self.core.shift(*s.arrays(), change)

    def _balanced(self, b: np.ndarray, bounded: np.ndarray) -> np.ndarray:
        """b with sum 0: the heavier side gives, free variables first, then those that leave their bound soonest."""
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
            at = at[np.argsort(np.abs(self.state.f[at] - self.t[at] + self._offset()), kind="stable")]
            size = np.abs(b[at])
            before = np.cumsum(size) - size
            b[at] -= np.sign(b[at]) * np.clip(left - before, 0.0, size)
        return b

    def _offset(self) -> float:
        """Minus the mean of F over the free variables; without any, the middle of what is optimal."""
        s = self.state
        free = (s.b > self.lower) & (s.b < self.upper)
        return -float(np.mean(s.f[free] - self.t[free])) if free.any() else float(s.figures[4])

    # ---- acceleration ------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        self.at = self.state.b.copy(), self.state.f.copy()
        self.halved = np.inf, 0
        self.moves: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=SPAN)

    def _accelerate(self) -> None:
        s = self.state
        b, f = s.b.copy(), s.f.copy()
        self.moves.append((b - self.at[0], f - self.at[1]))
        with np.errstate(all="ignore"):  # huge bounds: what is not finite is not taken
            if self._jump(*self._best_of_span()):
                self._cut(b, f)
        self.moves[-1] = (s.b - self.at[0], s.f - self.at[1])
        self.at = s.b.copy(), s.f.copy()

    def _best_of_span(self) -> tuple[np.ndarray, np.ndarray]:
        """The displacement in the span of the last ones, and its image, that lead to the least value without a box."""
        D, H = (np.array(m) for m in zip(*self.moves, strict=True))
        G = D @ H.T
        size = 1 / np.sqrt(np.maximum(np.diag(G), 1e-300))
        values, vectors = np.linalg.eigh((G + G.T) / 2 * size * size[:, None])
        keep = values > 1e-6 * max(float(values[-1]), 1e-300)
        V = vectors[:, keep]
        a = size * (V @ ((V.T @ (size * (D @ (self.t - self.state.f)))) / values[keep]))
        return a @ D, a @ H

    def _jump(self, d: np.ndarray, h: np.ndarray) -> bool:
        """b + d, brought back into the box and to sum 0; False and no change if that takes too many variables."""
        s = self.state
        aim = s.b + d
        b = np.clip(aim, self.lower, self.upper)
        room = np.minimum(b - self.lower, self.upper - b)
        giving = np.argpartition(room, -min(64, room.size))[-min(64, room.size) :]
        excess, share = float(b.sum()), 0.5 * room[giving]
        total = float(share.sum())
        if np.count_nonzero(b != aim) > MOST_BACK or not (np.isfinite(d).all() and abs(excess) <= total):
            return False
        if total > 0:
            b[giving] -= share * (excess / total)
        change = b - aim
        s.b[:] = b
        s.f += h
        self.core.shift(*s.arrays(), change)
        return True

    def _cut(self, b: np.ndarray, f: np.ndarray) -> None:
        """From (b, f) to where we are: only as far as the objective falls."""
        s = self.state
        d, h = s.b - b, s.f - f
        slope, curvature = float(d @ (self.t - f)), float(d @ h)
        if slope <= 0 or not np.isfinite(slope + curvature):
            s.b[:], s.f[:] = b, f
        elif slope < curvature:
            far = slope / curvature
            s.b[:] = np.clip(b + far * d, self.lower, self.upper)
            s.f[:] = f + far * h


def _named(kind: str) -> Stop:
    return Stop(kind, kind)
