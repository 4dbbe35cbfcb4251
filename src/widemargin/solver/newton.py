"""Newton's method for linear machines: exact to the last digits in few passes where there are more rows than features.

Problem  model/linear_problem.py with R(w) = 1/2 |w|^2:  f(w) = 1/2 w'Sw + sum_i psi_i(z_i), S the ridge of each entry
Symbols  w with the bias as its last entry; b_i = -psi_i'(z_i) the dual variables, g = sum_i b_i [x_i, 1]; k sharpness
Stops    when 1/2 |w - g|^2 + sum of residuals, the duality gap of w and b, is small enough beside the objective;
         "stalled" where it has not fallen for long
Method   smooth losses: psi = C l. Those with kinks: psi is the greatest value of D(b) - b z - (b - a)^2 / (2 k C), a
         smooth loss of width 1/k whose optimum is that of the problem when a is: the method of multipliers, a <- b
         whenever the way to the optimum of f is shorter than that to the optimum of the problem
         [Rockafellar76; YinLi19]. Steps solve (S + sum_i psi'' [x, 1][x, 1]') p = -f' by Cholesky up to EXACT features
         (with a sample of the rows where they are many times more than features need [RoostaMahoney19]), by conjugate
         gradients with a diagonal beyond; where a whole step does not help, a search along the line; where many do
         not, by way of stiffer penalties. The first w is that of a sample of the rows, whose C are larger by as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from ..base.blas import one_blas_thread
from ..model.linear_problem import LinearProblem, times_further
from .normal_matrix import NormalMatrix

EXACT, SMALL, SPARE = 2000, 300, 4  # features up to which the matrix is made, if it is small beside the rows
SAMPLED = 100  # rows for each feature that tell the curvature well enough
GROWTH = 1.5  # of the sharpness, from one centre to the next
SLOW, HURDLE = 60, 20  # steps without a better gap after which there will be none, or after which to try less sharply
FEW, LEAST = 10, 1000  # rows of a sample: for each feature, in all
MOST, ROUGH, BRIEF = 8, 1e-2, 5  # one row of so many is in it; its gap; its steps, if the loss is smooth
SEARCH = 25  # looks along a line
STEEP = 0.3  # of the first slope left after a whole step: where no centre moves, another length is better
EASIER = 10.0  # times softer becomes a penalty that was made stiffer
SLIGHT = 0.01  # of the tolerance: what a wrong sum of b may cost without another look
EQUAL = 1e-14  # relative: prices that differ by rounding alone
ROUNDING = 1e-13  # of a value: below it, two of them cannot be told apart
GIVEN, SLOPE, PROXIMAL = 0, 1, 2
NONE = np.empty(0)
FIGURES = ("k", "loss", "residual", "smooth", "total", "value", "primal", "gap", "best", "good", "stuck", "stiff")


@dataclass
class NewtonState:
    """w, b, centres a; scores z, curvatures h and g at w; counters: steps, walks over all rows, step of the best gap,
    whether samples of rows are not trusted; figures by name; the best point so far."""

    w: np.ndarray
    b: np.ndarray
    a: np.ndarray
    z: np.ndarray
    h: np.ndarray
    g: np.ndarray
    counters: np.ndarray
    figures: np.ndarray
    best_w: np.ndarray
    best_b: np.ndarray

    def __getattr__(self, name: str) -> float:
        if name in FIGURES:
            return float(self.figures[FIGURES.index(name)])
        raise AttributeError(name)

    def note(self, **values: float) -> None:
        for name, value in values.items():
            self.figures[FIGURES.index(name)] = value


class NewtonSolver:
    """start, advance, look; a step is one of Newton's."""

    columns = ("relative_gap", "primal", "dual")
    name = "newton"

    @staticmethod
    def affordable(problem: LinearProblem) -> bool:
        """Whether the equations can be written down, in little memory beside the rows."""
        return problem.d <= SMALL or (problem.d <= EXACT and SPARE * problem.d**2 <= problem.native.size)

    def __init__(self, problem: LinearProblem, tol: float, max_steps: int = -1, seed: int = 0) -> None:
        self.problem, self.tol, self.max_steps = problem, tol, max_steps
        self.how = PROXIMAL if problem.loss.kinked else SLOPE
        self.work_per_unit = 4.0 * problem.native.size
        self.ridge = np.ones(problem.d + 1)
        self.ridge[-1] = {"free": 0.0, "regularised": 1 / problem.scale**2, "none": 1.0}[problem.bias]
        self.total_C = float(problem.C.sum())
        self.exact = self.affordable(problem)
        self._other: Any = None
        self._warm = False  # centres are still those that were given
        self._past: Any = None  # price, w and z of the fit that this one resumes
        self.matrix = NormalMatrix(problem)

    # ---- what drive asks for -----------------------------------------------------------------------------------

    def start(self, w: np.ndarray | None = None, b: np.ndarray | None = None, k: float = 1.0) -> NewtonState:
        p = self.problem
        if w is None:
            w, k = self._from_few(k)
        w = np.array(w, dtype=np.float64)
        a = (np.zeros(p.n) if b is None else np.array(b)) if p.loss.kinked else NONE
        self._warm = p.loss.kinked and b is not None
        z, h, g = np.empty(p.n), np.empty(p.n), np.empty(p.d + 1)
        figures = np.zeros(len(FIGURES))
        state = NewtonState(w, np.zeros(p.n), a, z, h, g, np.zeros(4, np.int64), figures, w.copy(), np.zeros(p.n))
        state.note(k=k, best=np.inf, stiff=1.0)
        self._walk(state)
        self._judge(state)
        return state

    def resume(self, last: tuple[NewtonSolver, NewtonState]) -> NewtonState | None:
        """From where another fit of these rows ended, if all prices are the same multiple of those and the loss is
        smooth: then all that follows from w is known."""
        solver, s = last
        p, q = self.problem, solver.problem
        factor = float(p.C[0] / q.C[0])
        same = p.native is q.native and p.loss == q.loss and p.bias == q.bias and np.array_equal(p.t, q.t)
        if p.loss.kinked or not same or (np.abs(p.C - factor * q.C) > EQUAL * p.C).any():
            return None
        self.matrix = solver.matrix.scaled(p, factor)
        w, b, loss, figures = s.w.copy(), factor * s.b, factor * s.loss, np.zeros(len(FIGURES))
        counters = np.array([0, 0, 0, 1])  # a whole matrix serves many prices: it is followed from one to the next
        state = NewtonState(w, b, NONE, s.z.copy(), factor * s.h, factor * s.g, counters, figures, w.copy(), b.copy())
        state.note(k=s.k, stiff=1.0, best=np.inf, loss=loss, smooth=loss, total=factor * s.total)
        state.note(value=self._half(w) + loss)
        self._judge(state)
        past, self._past = solver._past, (float(q.C[0]), s.w, s.z)
        if past is not None and not state.good:
            self._go_ahead(state, *past)
        return state

    def _go_ahead(self, s: NewtonState, price: float, w: np.ndarray, z: np.ndarray) -> None:
        """Along the line from the solution before the last one, in 1/sqrt(C); the scores lie on it too."""
        further = times_further(*(C**-0.5 for C in (price, self._past[0], float(self.problem.C[0]))))
        if further is None:
            return
        s.w = s.w + further * (s.w - w)
        s.z += further * (s.z - z)
        self._walk(s, scored=True)
        self._judge(s)

    def _from_few(self, k: float) -> tuple[np.ndarray, float]:
        """What some of the rows say of w, if that is cheap beside a look at all; and the sharpness reached there."""
        p = self.problem
        every = min(p.n // max(FEW * (p.d + 1), LEAST), MOST)
        equations = p.d**3 / (10 if p.loss.kinked else 100)  # more of them before a kinked loss is near its optimum
        if every < MOST // 2 or not self.exact or equations > p.native.size:
            return np.zeros(p.d + 1), k
        steps = HURDLE if p.loss.kinked else BRIEF
        solver = NewtonSolver(p.sample(every), max(ROUGH, self.tol), max_steps=steps)
        state = solver.start(k=k)
        solver.advance(state, steps, steps)
        return state.w, state.k

    def step(self, state: NewtonState) -> int:
        return int(state.counters[0])

    def look(self, state: NewtonState) -> dict[str, Any]:
        dual = state.primal - state.gap
        return {"relative_gap": self.relative(state.gap, state.primal), "primal": state.primal, "dual": dual}

    def advance(self, state: NewtonState, budget: int, until: int) -> str | None:
        with one_blas_thread():
            while True:
                kind = self._ended(state)
                if kind is not None or budget <= 0 or state.counters[0] >= until:
                    return kind
                state.counters[0] += 1
                self._advance(state)
                self._judge(state)
                budget -= 1

    def _ended(self, s: NewtonState) -> str | None:
        if s.good:
            return "converged"
        if s.counters[0] - s.counters[2] > SLOW or s.stuck:
            return "stalled"
        return "epochs" if 0 <= self.max_steps <= s.counters[0] else None

    def tighten(self, state: NewtonState, tol: float) -> None:
        """Go on from here to a smaller gap."""
        self.tol = tol
        self._judge(state)

    def solution(self, state: NewtonState) -> tuple[np.ndarray, np.ndarray]:
        """w and b of the smallest gap so far."""
        return state.best_w, self.problem.feasible(state.best_b)

    def relative(self, gap: float, primal: float) -> float:
        return gap / max(abs(primal), abs(primal - gap), self.problem.least)

    # ---- one step ----------------------------------------------------------------------------------------------

    def _advance(self, s: NewtonState) -> None:
        if self.problem.loss.kinked and self.problem.bias == "free" and s.counters[0] - s.counters[2] == HURDLE:
            return self._centre_bias(s)
        near = s.gap - s.residual <= s.residual
        if self.problem.loss.kinked and near:
            return self._move_centre(s, GROWTH)
        if self.problem.loss.kinked and not s.h.any():  # too sharp: no row tells the curvature
            return self._blur(s, s.k / 4)
        if self.problem.loss.kinked and s.k > 1 and s.counters[0] - s.counters[2] == HURDLE:
            return self._blur(s, 1.0)
        self._ease(s)
        slope = s.stiff * self.ridge * s.w - s.g
        if self.problem.bias == "none":
            slope[-1] = 0.0
        sampled, way = self._way(s, slope)
        if self._move(s, way, -float(slope @ way), sampled):
            return
        if self.problem.loss.kinked:
            self._move_centre(s, 1 / GROWTH)  # rounding allows no more here: from another centre it may
        elif s.stiff > 1:
            self._stiffen(s, s.stiff / EASIER)
        else:
            s.note(stuck=1.0)

    def _ease(self, s: NewtonState) -> None:
        """Where rows are long beside the penalty, each step of a smooth loss turns some of them over and hardly helps:
        a stiffer penalty first, and a softer one whenever its optimum is near."""
        p = self.problem
        if s.counters[0] == HURDLE and s.gap > s.primal and not p.loss.kinked:
            self._stiffen(s, float(p.C @ p.squared_norms) / p.n)
        while s.stiff > 1:
            ridge = s.stiff * self.ridge
            off = (ridge * s.w - s.g)[ridge > 0]
            if not float(off @ (off / ridge[ridge > 0])) / 2 <= ROUGH * s.value:
                return
            self._stiffen(s, s.stiff / EASIER)

    def _stiffen(self, s: NewtonState, stiff: float) -> None:
        stiff = max(1.0, stiff)
        s.note(stiff=stiff, value=stiff * self._half(s.w) + s.smooth)
        s.counters[2] = s.counters[0]

    def _move_centre(self, s: NewtonState, growth: float) -> None:
        s.a[:] = s.b
        self._warm = False
        s.note(k=s.k * growth)
        self._walk(s, scored=True)

    def _blur(self, s: NewtonState, k: float) -> None:
        s.note(k=k)
        self._walk(s, scored=True)

    def _centre_bias(self, s: NewtonState) -> None:
        """The bias that is best for its weights, and no sharpness: where rows say little but their class it strays far,
        and more and less sharply by turns does not bring it back."""
        c = self.problem.best_bias(s.z - s.w[-1])
        s.z += c - s.w[-1]
        s.w = np.append(s.w[:-1], c)
        self._blur(s, 1.0)

    def _judge(self, s: NewtonState) -> None:
        """The gap of w and b; where it could be the end, that of a b whose sum is right: of a smooth loss it is hardly
        another, since b lies where the residuals are least."""
        p = self.problem
        gap = s.residual + self._distance(s.w, s.g, s.total) + self._imbalance(s)
        s.note(primal=self._half(s.w) + s.loss, gap=gap)
        good = self.relative(s.gap, s.primal) <= self.tol
        if good or s.gap < 0.9 * s.best:
            s.best_w[:], s.best_b[:] = s.w, s.b
            s.counters[2] = s.counters[0] if s.gap < 0.9 * s.best else s.counters[2]
            s.note(best=min(s.gap, s.best))
        if good and p.loss.kinked and self.relative(self._imbalance(s), s.primal) > SLIGHT * self.tol:
            z, h, g = np.empty(p.n), np.empty(p.n), np.empty(p.d + 1)
            _, residual, _, total = p.core.walk(GIVEN, 1.0, s.w, p.feasible(s.b), z, h, g, NONE)
            s.counters[1] += 1
            good = self.relative(residual + self._distance(s.w, g, total), s.primal) <= self.tol
        s.note(good=float(good))

    def _imbalance(self, s: NewtonState) -> float:
        """What it may cost to make the sum of b right where the bias is free: else a sum that is wrong would look good,
        and a centre with such a sum drives the bias away."""
        return abs(s.total) * s.loss / self.total_C if self.problem.bias == "free" and self.total_C > 0 else 0.0

    def _half(self, w: np.ndarray) -> float:
        return float((self.ridge * w) @ w) / 2

    def _distance(self, w: np.ndarray, g: np.ndarray, total: float) -> float:
        off = w[:-1] - g[:-1]
        bias = w[-1] / self.problem.scale - self.problem.scale * total if self.problem.bias == "regularised" else 0.0
        return float(off @ off) / 2 + bias * bias / 2

    def _walk(self, s: NewtonState, scored: bool = False) -> None:
        """Everything that is known at w; `scored` where z is that of w already."""
        p = self.problem
        w = NONE if scored else s.w
        loss, residual, smooth, total = p.core.walk(self.how, s.k, w, s.b, s.z, s.h, s.g, s.a)
        s.counters[1] += 1
        if p.bias == "none":
            s.g[-1] = 0.0
        s.note(loss=loss, residual=residual, smooth=smooth, total=total)
        s.note(value=s.stiff * self._half(s.w) + smooth)

    def _move(self, s: NewtonState, way: np.ndarray, fall: float, sampled: bool) -> bool:
        """Along `way`, whose slope is -fall, as far as it helps; False if nothing does."""
        if not fall > 0:
            return False
        w, z, value, before = s.w, s.z, s.value, self._swap(s)
        s.w = w + way
        self._walk(s)
        slope = float((s.stiff * self.ridge * s.w - s.g) @ way)
        if abs(s.value - value) <= ROUNDING * abs(value) and abs(slope) <= 0.5 * fall:
            return True  # values tell no more, slopes do
        worse = not s.value <= value - 1e-4 * fall
        if worse and self._warm and s.k > 1:  # the centres that were given are not near enough for that
            s.w, s.figures = w, before
            self._swap(s)
            self._blur(s, 1.0)
            return True
        if worse or (self.how == SLOPE and abs(slope) > STEEP * fall):
            s.counters[3] |= int(sampled and worse)
            ahead = s.z - z
            length = self._search(w, z, ahead, way, (-fall, slope), s)
            s.w = w + length * way
            ahead *= length
            np.add(z, ahead, out=s.z)
            self._walk(s, scored=True)
        if s.value < value:
            return True
        s.w, s.figures = w, before
        self._swap(s)
        return False

    def _swap(self, s: NewtonState) -> np.ndarray:
        """Other arrays for what is known at w, so that those of now stay; the figures of now."""
        if self._other is None:
            self._other = np.empty_like(s.b), np.empty_like(s.z), np.empty_like(s.h), np.empty_like(s.g)
        now, figures = (s.b, s.z, s.h, s.g), s.figures
        s.b, s.z, s.h, s.g = self._other
        s.figures, self._other = figures.copy(), now
        return figures

    def _search(
        self,
        w: np.ndarray,
        z: np.ndarray,
        v: np.ndarray,
        way: np.ndarray,
        slopes: tuple[float, float],
        s: NewtonState,
    ) -> float:
        """The length at which the slope along `way` has nearly vanished; scores are z + length v. `slopes` are those
        at 0 and 1."""
        low, high = 0.0, 1.0
        below, above = slopes
        ridge = s.stiff * self.ridge
        along, curve = float((ridge * w) @ way), float((ridge * way) @ way)
        for turn in range(SEARCH):
            if above < 0:  # it falls on
                far = 2 * high
            else:  # by the chord, now and then by half
                share = 0.5 if turn % 3 == 2 else min(max(below / (below - above), 0.05), 0.95)
                far = low + share * (high - low)
            slope = self.problem.core.along_line(self.how, s.k, z, v, far, s.a)[3] + along + far * curve
            if abs(slope) <= 0.1 * -slopes[0]:
                break
            if slope > 0:
                high, above = far, slope
            elif above < 0:
                low, below, high, above = high, above, far, slope
            else:
                low, below = far, slope
        return far

    # ---- equations ---------------------------------------------------------------------------------------------

    def _way(self, s: NewtonState, slope: np.ndarray) -> tuple[bool, np.ndarray]:
        """Newton's step, and whether a sample of rows told the curvature."""
        rows = self.matrix.rows(s.h)
        if not self.exact:
            return False, self.matrix.by_gradients(rows, s.h, s.stiff * self.ridge, self._least_bias(s), slope)
        d, sampled, h = self.problem.d, False, s.h
        enough = SAMPLED * (d + 1)
        if not self.problem.sparse and len(rows) > 4 * enough and not s.counters[3]:
            stride, sampled = len(rows) // enough, True
            few = rows[int(s.counters[0]) % stride :: stride]
            rows, factor = few, len(rows) / len(few)
            h = s.h * factor
        follow = not sampled and not self.problem.loss.kinked
        H = self.matrix.followed(rows, s.h, s.k, s.stiff * self.ridge) if follow else self.matrix.lower(rows, h)
        diagonal = H.reshape(-1)[:: d + 2]
        diagonal += s.stiff * self.ridge
        diagonal[-1] = max(diagonal[-1], self._least_bias(s))
        size = 1 / np.sqrt(diagonal)
        H *= size
        H *= size[:, None]
        diagonal += 1e-13
        factor, wrong = lapack.dpotrf(H.T, lower=0, clean=0, overwrite_a=1)  # H.T is H in LAPACK's order
        if wrong:
            return sampled, -slope / np.maximum(1.0, 1 / size**2)
        return sampled, -size * lapack.dpotrs(factor, size * slope, lower=0)[0]

    def _least_bias(self, s: NewtonState) -> float:
        """Where no row tells how fast the bias should move, it should not move far."""
        if self.problem.bias != "free" or (not self.problem.loss.kinked and s.h.any()):
            return 0.0
        return 1e-3 * s.k * self.total_C
