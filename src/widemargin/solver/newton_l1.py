"""Newton's method where the penalty is |w|_1: few passes over the rows where these are more than the features.

Problem  min over (w, c)   sum_j |w_j| + r |c| + sum_i C_i l(z_i)   for a smooth loss l (model/linear_problem.py)
Symbols  as solver/newton; the penalty of each entry of w is 1, that of the bias r (0: it is free)
Stops    as solver/feature_descent: the slopes of the losses, scaled, are the point of the dual
Method   the loss by its second-order expansion, whose penalised minimum is found coordinate by coordinate; then half of
         that step, and half of that, until the objective falls enough                        [YuanEtAl10, sec. 5]
"""

from __future__ import annotations

import numpy as np

from .. import _core
from ..base.blas import one_blas_thread
from ..model.linear_problem import LinearProblem
from .feature_descent import FeatureSolver, FeatureState
from .newton import NONE, SLOPE
from .normal_matrix import NormalMatrix

SLOW = 40  # steps without a better gap
ROUNDS = 1000
HALVINGS = 25


class PenalisedNewton(FeatureSolver):
    """start, advance, look; a step is one of Newton's. States are those of the descent over features."""

    name = "proximal newton"

    def __init__(self, problem: LinearProblem, tol: float, max_steps: int = -1, seed: int = 0) -> None:
        self.problem, self.tol, self.max_steps = problem, tol, max_steps
        self.bias_penalty = 1 / problem.scale if problem.bias == "regularised" else 0.0
        self.penalty = np.append(np.ones(problem.d), self.bias_penalty)
        self.work_per_unit = 4.0 * problem.native.size
        self.matrix = NormalMatrix(problem)

    def advance(self, state: FeatureState, budget: int, until: int) -> str | None:
        s = state
        with one_blas_thread():
            while budget > 0 and s.epoch < until:
                if self.relative(s.best, s.primal) <= self.tol:
                    return "converged"
                if 0 <= self.max_steps <= s.epoch:
                    return "epochs"
                if s.epoch - s.since > SLOW or not self._move(s):
                    return "stalled"
                s.counters[0] += 1
                self._judge(s)
                budget -= 1
        return None

    def _move(self, s: FeatureState) -> bool:
        """A step; False if none lowers the objective."""
        p = self.problem
        b, h, g = np.empty(p.n), np.empty(p.n), np.empty(p.d + 1)
        loss, *_ = p.core.walk(SLOPE, 1.0, s.w, b, s.z, h, g, NONE)
        slope = -g
        if p.bias == "none":
            slope[-1] = 0.0
        H = self.matrix.whole(np.flatnonzero(h).astype(np.int32), h)
        H.reshape(-1)[:: p.d + 2] += 1e-12
        way = np.empty(p.d + 1)
        _core.penalised_step(H, slope, s.w, self.penalty, way, 1e-3, ROUNDS)
        if p.bias == "none":
            way[-1] = 0.0
        return self._fall(s, way, slope, loss)

    def _fall(self, s: FeatureState, way: np.ndarray, slope: np.ndarray, loss: float) -> bool:
        p, own = self.problem, float(self.penalty @ np.abs(s.w))
        fall = float(slope @ way) + float(self.penalty @ np.abs(s.w + way)) - own
        if not fall < 0:
            return False
        v, far = np.empty(p.n), 1.0
        b, h, g = np.empty(p.n), np.empty(p.n), np.empty(p.d + 1)
        p.core.walk(SLOPE, 1.0, s.w + way, b, v, h, g, NONE)
        v -= s.z
        for _ in range(HALVINGS):
            now = p.core.along_line(SLOPE, 1.0, s.z, v, far, NONE)[0]
            change = now - loss + float(self.penalty @ np.abs(s.w + far * way)) - own
            if change <= 1e-4 * far * fall:
                s.w += far * way
                return True
            far /= 2
        return False
