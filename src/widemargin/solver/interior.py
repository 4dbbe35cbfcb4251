"""Box problems whose kernel values are products of few numbers, where steps of pairs would take for ever.

Problem  min 1/2 |w|^2 - t.b,  w = Z'b, over the box and the sums of model/box.py; Z has n rows and few columns
Symbols  A the variables' groups, o their offsets; x = b - lower, y = upper - b with multipliers p, q >= 0
Stops    when p.x + q.y, the duality gap, is below a share of the objective or has not been halved for a while, or w
         alone counts and is 0: then Z w + A o - t = p - q, w = Z'b, A'b = total hold to rounding
Method   a primal-dual interior point method with predictor and corrector [NocedalWright06, sec. 16.6]. w is a variable
         of its own, and Newton's equations are least squares in (w, o), solved by QR: with normal equations the digits
         of nearly touching classes would be lost. At the end variables go to the bounds that they approach, and the
         others are moved as little as brings Z'b back to w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lstsq, qr, solve_triangular
from scipy.linalg.lapack import dpstrf

from ..base.blas import one_blas_thread
from ..kernels.gram import GramSource
from ..kernels.items import RowItems
from ..kernels.rows import Linear
from ..kernels.weights import WIDE, weights
from ..model.box import BoxProblem

MOST_STEPS = 120
GAP = 1e-11  # of the objective
LANDED = 1e-9  # of the objective, which variables that go to their bounds may cost
LATE = 12  # steps without halving the gap
WORK = 4e8  # variables x columns^2: a step takes a third of a second then
RANK = 1e-14  # of the largest diagonal entry: what is left out of a factor
MOST_ITEMS = 1500  # of a kernel that has to be factored
FREE = 4000  # variables that may be moved at the end


@dataclass
class Inside:
    """Where it ended: a point of the box, and the offsets of the groups."""

    b: np.ndarray
    offsets: np.ndarray


def factor(source: GramSource, problem: BoxProblem, memory: int) -> np.ndarray | None:
    """Z with K = ZZ'; None if it has too many columns."""
    if is_thin(source, problem, memory):
        items: Any = source.items
        return np.asarray(items.X.toarray() if items.sparse else items.X, dtype=np.float64)
    Z = _factored(source, problem.n_variables)
    return None if Z is None or _bytes(problem, Z.shape[1]) > memory else Z


def is_thin(source: GramSource, problem: BoxProblem, memory: int) -> bool:
    """Whether Z is the rows themselves, or some of them, so that this method is known to be quick."""
    if not isinstance(source.kernel, Linear) or not isinstance(source.items, RowItems) or not problem.total:
        return False
    d = source.items.X.shape[1]
    return d <= problem.n and problem.n_variables * (d + 2) ** 2 <= WORK and _bytes(problem, d) <= memory


def _bytes(problem: BoxProblem, columns: int) -> int:
    """Six matrices of float64, of a row a variable, are there at a time."""
    return 48 * problem.n_variables * (columns + 2)


def _factored(source: GramSource, N: int) -> np.ndarray | None:
    if source.n > MOST_ITEMS:
        return None
    K = source.block(None, None)
    K[np.diag_indices(len(K))] = source.diag
    L, order, rank, info = dpstrf(K, lower=1, tol=RANK * float(np.max(source.diag, initial=0.0)))
    if info < 0 or rank == 0 or N * rank**2 > WORK:
        return None
    Z = np.empty((source.n, rank))
    Z[order - 1] = np.tril(L)[:, :rank]
    return Z


def solved_inside(
    source: GramSource, problem: BoxProblem, stop: Callable[[], bool] = lambda: False, memory: int = 1 << 30
) -> Inside | None:
    """The optimum, or None where the method does not apply, has no room to begin, or was stopped."""
    if not problem.total or problem.hard:
        return None
    Z = factor(source, problem, memory)
    if Z is None or not np.isfinite(Z).all():
        return None
    with one_blas_thread(), np.errstate(all="ignore"):
        # With coefficients of sum 0, rows may be moved: a mean far out costs digits.
        mean = Z.mean(axis=0) if sum(problem.total) == 0 else np.zeros(Z.shape[1])
        path = _Path(Z - mean, problem)
        if not path.has_room:
            return None
        best, since = np.inf, 0
        for _ in range(MOST_STEPS):
            if stop():
                return None
            now = path.gap
            if now <= GAP * path.objective or path.at_zero:
                break
            best, since = (now, 0) if now < best / 2 else (best, since + 1)
            if since > LATE or not path.step():
                break
        return Inside(path.landed(), path.o - float(mean @ path.w))


class _Path:
    """A point between the bounds with its multipliers."""

    def __init__(self, Z: np.ndarray, problem: BoxProblem) -> None:
        self.p, N = problem, problem.n_variables
        self.A = (problem.groups[:, None] == np.arange(len(problem.total))).astype(np.float64)
        self.Z = np.tile(Z, (N // problem.n, 1))
        self.J = np.hstack([self.Z, self.A])
        self.total = np.array(problem.total)
        room = self.A.T @ (problem.upper - problem.lower)
        share = (self.total - self.A.T @ problem.lower) / room
        self.has_room = bool(((share > 1e-9) & (share < 1 - 1e-9)).all())
        self.b = problem.lower + (self.A @ share) * (problem.upper - problem.lower)
        self.w = self.Z.T @ self.b
        F = self.Z @ self.w - problem.t
        self.o = np.array([-np.median(F[problem.groups == g]) for g in range(len(self.total))])
        slope = F + self.A @ self.o
        self.low = np.maximum(slope, 0.0) + 0.1 * (float(np.abs(slope).max()) or 1.0)
        self.high = self.low - slope
        self.before = self.b - problem.lower, problem.upper - self.b, self.low, self.high

    @property
    def gap(self) -> float:
        return float(self.low @ (self.b - self.p.lower) + self.high @ (self.p.upper - self.b))

    @property
    def objective(self) -> float:
        return abs(float(self.w @ self.w) / 2 - float(self.p.t @ self.b))

    @property
    def at_zero(self) -> bool:
        """Whether w, all that the objective is made of, is 0 to rounding: it cannot be less."""
        return not self.p.t.any() and bool(self.w @ self.w <= np.sum(self._rounding(self.b) ** 2))

    def _rounding(self, b: np.ndarray) -> np.ndarray:
        """Of Z'b."""
        return len(b) * np.finfo(np.float64).eps * (np.abs(self.Z).T @ np.abs(b))

    def _strays(self, b: np.ndarray) -> float:
        """How much the objective of the other problem may lose because Z'b is not quite w."""
        return float((self.p.upper - self.p.lower) @ np.abs(self.Z @ (self.Z.T @ b - self.w)))

    def step(self) -> bool:
        """One predictor and corrector; False if there is nowhere to go."""
        p = self.p
        x, y = self.b - p.lower, p.upper - self.b
        left = (
            p.t - self.Z @ self.w - self.A @ self.o + self.low - self.high,
            self.Z.T @ self.b - self.w,
            self.total - self.A.T @ self.b,
        )
        D = self.low / x + self.high / y
        solve = _least_squares(self.J, self.Z.shape[1], D)
        if solve is None:
            return False

        def towards(of_low: np.ndarray, of_high: np.ndarray) -> tuple[np.ndarray, ...]:
            dw, do, db = solve(left[0] + of_low / x - of_high / y, left[1], left[2])
            return db, (of_low - self.low * db) / x, (of_high + self.high * db) / y, dw, do

        mu = self.gap / (2 * len(x))
        db, dl, dh, _, _ = towards(-self.low * x, -self.high * y)
        a = self._length(x, y, db, dl, dh)
        after = (self.low + a * dl) @ (x + a * db) + (self.high + a * dh) @ (y - a * db)
        aim = mu * (float(after) / (2 * len(x)) / mu) ** 3
        db, dl, dh, dw, do = towards(aim - self.low * x - db * dl, aim - self.high * y + db * dh)
        a = 0.995 * self._length(x, y, db, dl, dh)
        if not (np.isfinite(a) and a > 0 and np.isfinite(db).all() and np.isfinite(dw).all()):
            return False
        self.before = x, y, self.low, self.high
        self.b = np.clip(self.b + a * db, np.nextafter(p.lower, p.upper), np.nextafter(p.upper, p.lower))
        self.w, self.o, self.low, self.high = self.w + a * dw, self.o + a * do, self.low + a * dl, self.high + a * dh
        return True

    def _length(self, x: np.ndarray, y: np.ndarray, db: np.ndarray, dl: np.ndarray, dh: np.ndarray) -> float:
        """Of a step on which nothing becomes negative."""
        most = 1.0
        for value, change in ((x, db), (y, -db), (self.low, dl), (self.high, dh)):
            down = change < 0
            most = min(most, float((-value[down] / change[down]).min(initial=1.0)))
        return most

    def landed(self) -> np.ndarray:
        """Bounds where they are approached; the other variables such that Z'b is w and the sums are right.

        Where a bound is as good as the inside it may seem approached and the others may have no room left to make up
        for it: then the point stays inside.
        """
        p, b = self.p, self.b.copy()
        x, y = b - p.lower, p.upper - b
        # Of a variable and its multiplier one goes to 0, quickly, and the other stays, whatever their units.
        x0, y0, low0, high0 = self.before
        at_lower = (x / x0 < self.low / low0) & (x < y)
        at_upper = (y / y0 < self.high / high0) & (y <= x)
        b = np.where(at_upper, p.upper, np.where(at_lower, p.lower, b))
        free = np.flatnonzero(~(at_lower | at_upper))
        if 0 < free.size <= FREE:
            self._bring_back(b, free)
        self._settle(b, free)
        inside = self.b.copy()
        self._settle(inside, np.arange(len(b)))
        close = self._strays(b) <= 10 * self._strays(inside) + LANDED * self.objective
        return b if close and self._sums_are_right(b) else inside

    def _sums_are_right(self, b: np.ndarray) -> bool:
        return bool((np.abs(self.A.T @ b - self.total) <= 1e-12 * (self.A.T @ np.abs(b))).all())

    def _bring_back(self, b: np.ndarray, free: np.ndarray) -> None:
        weight = float(np.abs(self.Z[free]).max(initial=0.0)) or 1.0  # of the sums among the equations
        M = np.hstack([self.Z[free], weight * self.A[free]]).T
        for _ in range(3):
            here = weights(self.J, b[None]).sum(axis=0, dtype=WIDE)[0]
            missing = (np.concatenate([self.w, self.total]) - here).astype(np.float64)
            missing[len(self.w) :] *= weight
            change = lstsq(M, missing, lapack_driver="gelsy", check_finite=False)[0]
            b[free] = np.clip(b[free] + change, self.p.lower[free], self.p.upper[free])

    def _settle(self, b: np.ndarray, free: np.ndarray) -> None:
        """What rounding left of the sums goes to the variables with most room."""
        p = self.p
        for g, total in enumerate(self.total):
            here = free[p.groups[free] == g]
            here = here if here.size else np.flatnonzero(p.groups == g)
            for _ in range(3):
                left = total - b[p.groups == g].sum()
                room = p.upper[here] - b[here] if left > 0 else b[here] - p.lower[here]
                v = int(np.argmax(room))
                b[here[v]] += np.clip(left, -room[v], room[v])


def _least_squares(J: np.ndarray, r: int, D: np.ndarray) -> Any:
    """A function of (e, f, g) that gives dw, do, db with  Z dw + A do + D db = e,  dw - Z'db = f,  A'db = g.

    J = [Z A]. Without db these are the normal equations of the rows of J over sqrt(D) and the identity for dw. Long
    rows come first, for the same digits whatever their lengths.
    """
    N, k = J.shape
    half = 1 / np.sqrt(D)
    M = np.zeros((N + r, k))
    M[:N], M[N + np.arange(r), np.arange(r)] = J * half[:, None], 1.0
    length = np.sqrt(np.einsum("ij,ij->j", M, M))
    if not (np.isfinite(length).all() and (length > 0).all()):
        return None
    M /= length
    order = np.argsort(-np.abs(M).max(axis=1), kind="stable")
    Q, R = qr(M[order], mode="economic", check_finite=False, overwrite_a=True)
    if not np.isfinite(R).all() or not (np.diag(R) != 0).all():
        return None

    def solve(e: np.ndarray, f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        right = Q.T @ np.concatenate([half * e, np.zeros(r)])[order]
        right += solve_triangular(R, np.concatenate([f, -g]) / length, trans="T", check_finite=False)
        u = solve_triangular(R, right, check_finite=False) / length
        return u[:r], u[r:], (e - J @ u) / D

    return solve
