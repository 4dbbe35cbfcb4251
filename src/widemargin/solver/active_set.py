"""The last digits of a box problem: with the right variables at their bounds, the others solve linear equations.

Problem  min 1/2 b'Kb - t'b over the box and the sums of model/box.py, from a point close to the optimum
Symbols  S the free variables, F = Kb - t, o_g the offset of group g: at the optimum F_v = -o_g on S
Stops    when all of S fulfils that to rounding and, where all kernel values are known, no bound is held wrongly; the
         objective never rises, so any earlier end is a point at least as good as the start
Method   (K_SS + mu I) d + A o = -F_S, A'd = what is missing from the sums: a step of the proximal point method, which
         also ends where K_SS is singular, as it is for repeated rows. What leaves the box is brought back to the
         nearest point that keeps the sums, if that lowers the objective; otherwise the step ends at the first bound
         [NocedalWright06, sec. 16.5, 16.7]. Two free variables of one item would be one equation twice: see `parted`
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dsysv

from ..base.blas import one_blas_thread
from ..kernels.gram import GramSource
from ..model.box import BoxProblem

MOST_FREE = 2000
WHOLE = 2000  # items whose kernel values are all computed
ROUNDS = 40
MU = 1e-10  # of the mean diagonal


@dataclass
class Polished:
    b: np.ndarray
    offsets: np.ndarray  # of each group, NaN where no variable is free
    f: np.ndarray | None  # of every item, where all values were computed


def polish(source: GramSource, problem: BoxProblem, b: np.ndarray) -> Polished:
    """Solves for the free variables in float64, if they are few; otherwise at most `parted` has changed something."""
    b = parted(problem, b)
    free = (b > problem.lower) & (b < problem.upper)
    whole = problem.n <= WHOLE
    offsets = np.full(len(problem.total), np.nan)
    if np.count_nonzero(free) > MOST_FREE or not (whole or free.any()):
        return Polished(b, offsets, None)
    with one_blas_thread():
        work = _Face(source, problem, b.copy(), None if whole else np.unique(np.flatnonzero(free) % problem.n))
        for _ in range(ROUNDS):
            if work.step(free) and not (whole and work.release(free)):
                break
        work.settle()
    return Polished(work.b, work.offsets, work.f if whole else None)


def parted(problem: BoxProblem, b: np.ndarray) -> np.ndarray:
    """b with the same coefficient of each item, but as few items as can be with both variables inside of their boxes.

    Where the tube is empty, both variables of an item may be away from 0, and what they have in common shows in no
    coefficient. If one sum binds both sides it is taken away, which never raises the objective. If each side has its
    own sum it is moved at no cost: a few items hold as much as their boxes allow, at most one some, all others nothing.
    """
    n = problem.n
    if problem.n_variables == n:
        return b
    common, c = np.minimum(b[:n], -b[n:]), problem.items(b)
    if not common.any():
        return b
    side = np.where(c >= 0, problem.upper[:n], -problem.lower[n:])  # the bound that the larger variable meets first
    held = np.zeros(n)
    if len(problem.total) == 2:
        room = side - np.abs(c)
        order = np.argsort(-common, kind="stable")
        before = np.cumsum(room[order]) - room[order]
        held[order] = np.clip(common.sum() - before, 0.0, room[order])
    full = (held > 0) & (held == side - np.abs(c))
    large = np.where(full, side, np.abs(c) + held)
    small = large - np.abs(c)
    return np.concatenate([np.where(c >= 0, large, small), -np.where(c >= 0, small, large)])


class _Face:
    """A point, its gradient, and steps on the face of the box where only the free variables move."""

    def __init__(self, source: GramSource, problem: BoxProblem, b: np.ndarray, items: np.ndarray | None) -> None:
        """With kernel values among the items, None being all: those of other variables stay as they are."""
        self.p, self.b = problem, b
        self.offsets = np.full(len(problem.total), np.nan)
        self.scale = float(np.mean(source.diag)) or 1.0
        self.place = np.arange(problem.n)  # of each item in K and f
        self.K = _values(source, items)
        c = problem.items(b)
        if items is None:
            self.f = self.K @ c
        else:
            self.place[items] = np.arange(len(items))
            used = np.flatnonzero(c)
            self.f = source.block(items, used) @ c[used]

    def step(self, free: np.ndarray) -> bool:
        """One step; True if it was a whole one that left nothing to do on this face."""
        v = np.flatnonzero(free)
        if v.size == 0:
            return True
        p, at = self.p, self.place[v % self.p.n]
        K, f = self.K[np.ix_(at, at)], self.f[at]
        F = f - p.t[v]
        A = (p.groups[v][:, None] == np.arange(len(p.total))).astype(np.float64)
        here = A.any(axis=0)
        missing = np.array([t - self.b[p.groups == g].sum() for g, t in enumerate(p.total)])
        d, o = _proximal(K, F, A[:, here], missing[here], MU * self.scale)
        if not np.isfinite(d).all() or float(d @ (K @ d)) < -MU * self.scale * float(d @ d):
            return True  # no kernel: what solves the equations is no minimum
        self.offsets[here] = o
        inside = self.to_nearest(v, d, K, F, free)
        if inside is None:
            self.to_bound(v, d, free)
        left = float(np.abs(self.f[at] - p.t[v] + A[:, here] @ o).max())
        return bool(inside) and left <= 1e-12 * (self.scale + float(np.abs(p.t[v]).max()) + float(np.abs(f).max()))

    def to_nearest(self, v: np.ndarray, d: np.ndarray, K: np.ndarray, F: np.ndarray, free: np.ndarray) -> bool | None:
        """The whole step, brought back into the box: whether it had stayed inside; None if that is no gain."""
        p, whole = self.p, self.b[v] + d
        if ((whole >= p.lower[v]) & (whole <= p.upper[v])).all():
            self.move(v, whole)
            return True
        moved = whole.copy()
        for g, total in enumerate(p.total):
            here = p.groups[v] == g
            fixed = total - self.b[p.groups == g].sum() + self.b[v[here]].sum()
            moved[here] = nearest(whole[here], p.lower[v[here]], p.upper[v[here]], fixed)
        change = moved - self.b[v]
        if not float(F @ change) + float(change @ (K @ change)) / 2 < 0:
            return None
        self.move(v, moved)
        free[v[(moved <= p.lower[v]) | (moved >= p.upper[v])]] = False
        return False

    def to_bound(self, v: np.ndarray, d: np.ndarray, free: np.ndarray) -> None:
        """As much of the step as there is room for."""
        p = self.p
        room = np.where(d > 0, p.upper[v] - self.b[v], p.lower[v] - self.b[v])
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(d != 0, room / d, np.inf)
        most = float(np.clip(share.min(initial=np.inf), 0.0, 1.0))
        hit = share <= most * (1 + 1e-12) if most < 1 else np.zeros(v.size, bool)
        moved = self.b[v] + most * d
        moved[hit] = np.where(d[hit] > 0, p.upper[v][hit], p.lower[v][hit])
        self.move(v, np.clip(moved, p.lower[v], p.upper[v]))
        free[v[hit]] = False

    def move(self, v: np.ndarray, values: np.ndarray) -> None:
        change = values - self.b[v]
        self.b[v] = values
        self.f += self.K[:, self.place[v % self.p.n]] @ change

    def release(self, free: np.ndarray) -> bool:
        """Frees the variable that is held at its bound most wrongly; False if there is none."""
        p = self.p
        if np.isnan(self.offsets).any():
            return False
        slope = np.tile(self.f, p.n_variables // p.n) - p.t + self.offsets[p.groups]
        wrong = np.maximum(np.where(self.b < p.upper, -slope, 0.0), np.where(self.b > p.lower, slope, 0.0))
        wrong[free] = 0.0
        worst = int(np.argmax(wrong))
        if wrong[worst] <= 1e-10 * self.scale:
            return False
        free[worst] = True
        return True

    def settle(self) -> None:
        """What rounding left of the sums goes to the free variables with most room."""
        p = self.p
        for g, total in enumerate(p.total):
            here = p.groups == g
            for _ in range(2):
                left = total - self.b[here].sum()
                room = np.where(here, np.minimum(self.b - p.lower, p.upper - self.b), 0.0)
                v = int(np.argmax(room))
                if left != 0 and abs(left) < room[v]:
                    self.move(np.array([v]), self.b[[v]] + left)


def nearest(x: np.ndarray, lower: np.ndarray, upper: np.ndarray, total: float) -> np.ndarray:
    """The point of the box with that sum that is nearest to x: clip(x - s), s found by halving."""
    if not x.size:
        return x
    low, high = float(np.min(x - upper)), float(np.max(x - lower))
    for _ in range(100):
        s = (low + high) / 2
        low, high = (s, high) if np.clip(x - s, lower, upper).sum() > total else (low, s)
        if high - low <= 1e-15 * max(abs(low), abs(high)):
            break
    return np.clip(x - high, lower, upper)


def _values(source: GramSource, items: np.ndarray | None) -> np.ndarray:
    """Among the items; the diagonal as it is known apart, since a distance of 0 may be rounded otherwise."""
    K = source.block(items, items)
    K[np.diag_indices(len(K))] = source.diag if items is None else source.diag[items]
    return K


def _proximal(
    K: np.ndarray, F: np.ndarray, A: np.ndarray, missing: np.ndarray, mu: float
) -> tuple[np.ndarray, np.ndarray]:
    """(d, o) with (K + mu I) d + A o = -F and A'd = missing, at once: apart they lose digits where K is singular."""
    n, g = A.shape
    M, right = np.zeros((n + g, n + g)), np.concatenate([-F, missing])
    M[:n, :n], M[:n, n:], M[n:, :n] = K, A, A.T
    M[np.arange(n), np.arange(n)] += mu
    found, info = dsysv(M, right)[2:]
    return (found[:n], found[n:]) if info == 0 else (np.full(n, np.nan), np.full(g, np.nan))
