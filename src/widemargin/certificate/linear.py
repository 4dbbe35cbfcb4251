"""How far a linear machine can be from its optimum: a duality gap from data, model and proof alone.

Problem  model/linear_problem.py.  For every (w, c) and every b, with v = sum_i b_i x_i and r_i >= 0 the residuals of
         the loss,
         P(w, c) - D(b) = R(w) + R*(v) - w.v  +  the same of the bias  +  sum_i r_i
Symbols  R + R* - w.v = 1/2 |w - v|^2 for R = 1/2 |w|^2;  sum_j |w_j| - w_j v_j for R = |w|_1, if |v_j| <= 1 for all j
Stops    D(b) <= P(w, c) for all of them, so the optimum lies between; no term of the gap is below 0, and no figures
         that cancel are subtracted in it
Method   Fenchel's inequality, term by term [BoydVandenberghe04, sec. 3.3.2], and a bound on all rounding [Higham02]
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..loss.losses import Loss
from ..model.linear_problem import LinearProblem
from .bounded import UNIT, gamma
from .record import SVMCertificate
from .svm import EQUAL, FEASIBLE, gap_sentence
from .svm_points import gap_figures

BLOCK = 1 << 16  # numbers at a time: both products find them in the cache
STRETCH = 1 << 13  # rows at a time, of figures by row
BEYOND = 2.0**-40  # relative: what rounding may leave of a slope that is bounded by 1


def certify_linear(
    problem: LinearProblem,
    w: np.ndarray,
    c: float,
    b: np.ndarray,
    *,
    radius: float,
    asked: float | None = None,
    unit: float = 1.0,
    data_digest: str = "",
    made: tuple[np.ndarray, np.ndarray] | None = None,
) -> SVMCertificate:
    """Recompute both objectives of a linear machine.

    Parameters
    ----------
    problem : LinearProblem
        Made anew from labels or targets, weights and parameters.
    w, c : ndarray of shape (d,), float
        The model.
    b : ndarray of shape (n,)
        The saved proof: the signed dual variables.
    radius : float
        No row is longer than this.
    asked : float, optional
        Relative gap that was asked for; the claim says whether it was reached.
    unit : float, default=1.0
        Objectives are told times this: lambda, where the problem is lambda/2 |w|^2 + a mean of losses.
    data_digest : str
        Fingerprint of the data.
    made : tuple of two ndarrays, optional
        What `products` says of w and b, where it was asked for many models at once.

    Returns
    -------
    SVMCertificate
    """
    began = time.perf_counter()
    w, b = (np.asarray(v, dtype=np.float64).ravel() for v in (w, b))
    if b.size != problem.n or w.size != problem.d:
        fault = f"the proof has {b.size} variables for {problem.n} rows, the model {w.size} weights for {problem.d}"
        return SVMCertificate(claim=fault, holds=False, data_digest=data_digest)
    with np.errstate(all="ignore"):  # what is not finite becomes a fault
        z, v = made or products(problem.X, w, b)
        z = z + c
        point = _Point(problem, w, c, b, z, v, radius)
        figures = point.figures()
        faults = point.faults(figures)
    figures |= {name: unit * figures[name] for name in ("primal", "dual", "gap", "rounding", "infeasibility")}
    return SVMCertificate(
        claim="; ".join(faults) or gap_sentence(figures, asked),
        holds=not faults,
        data_digest=data_digest,
        seconds=time.perf_counter() - began,
        **figures,
    )


def products(X: Any, w: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """X w and X' b in float64, block by block; w and b may have several columns."""
    z, v = np.empty((X.shape[0], *w.shape[1:])), np.zeros((X.shape[1], *b.shape[1:]))
    numbers = X.nnz if sp.issparse(X) else X.size
    step = max(1, BLOCK * X.shape[0] // max(1, numbers))
    if sp.issparse(X) and X.dtype == np.float64:
        step = max(1, X.shape[0])
    for first in range(0, X.shape[0], step):
        rows = slice(first, first + step)
        block = X if step >= X.shape[0] else X[rows]
        # Contiguous, since sums of other strides are added in another order.
        block = block.astype(np.float64, copy=False) if sp.issparse(X) else np.ascontiguousarray(block, np.float64)
        z[rows] = block @ w
        v += block.T @ b[rows]
    return z, v


def _sums(loss: Loss, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> dict[str, float]:
    """What some rows add to the figures; `outside` is how far a variable is beyond its bounds, at most 0 if none is."""
    lower, upper = loss.bounds(t, C)
    cost, residual, reward, steep = loss.terms(z, b, t, C)
    used, bounded = b != 0, (b <= lower) | (b >= upper)
    return {
        "residual": residual.sum(),
        "loss": cost.sum(),
        "reward": reward.sum(),
        "steep": steep.sum(),
        "steep_size": steep @ (1 + np.abs(t) + np.abs(z)),
        "price": C.sum(),
        "size": np.abs(b).sum(),
        "total": b.sum(),
        "used": np.count_nonzero(used),
        "bounded": np.count_nonzero(used & bounded),
        "outside": np.maximum(lower - b, b - upper).max(initial=0.0),
    }


@dataclass(frozen=True)
class _Point:
    """A model and a dual point with all that follows from them."""

    problem: LinearProblem
    w: np.ndarray
    c: float
    b: np.ndarray
    z: np.ndarray
    v: np.ndarray
    radius: float

    @cached_property
    def sums(self) -> dict[str, float]:
        """Over all rows, some at a time: what is made of them stays in the cache."""
        p, found = self.problem, []
        for first in range(0, max(p.n, 1), STRETCH):
            rows = slice(first, first + STRETCH)
            found.append(_sums(p.loss, self.z[rows], self.b[rows], p.t[rows], p.C[rows]))
        columns = {name: np.array([piece[name] for piece in found]) for name in found[0]}
        worst = columns.pop("outside")  # NaN is the largest
        return {name: float(column.sum()) for name, column in columns.items()} | {"outside": float(worst.max())}

    @property
    def total(self) -> float:
        return self.sums["total"]

    def figures(self) -> dict[str, Any]:
        p, of = self.problem, self.sums
        primal = self._penalty(self.w) + self._bias_penalty() + of["loss"]
        dual = of["reward"] - self._conjugate()
        between, error = self._between()
        gap = between + of["residual"]
        of_z = gamma(self._terms() + 4) * (self.radius * float(np.linalg.norm(self.w)) + abs(self.c))
        rounding = error + of_z * of["steep"] + of_z * of_z * of["price"]
        rounding += gamma(p.n + 8) * of["residual"] + 8 * UNIT * of["steep_size"]
        return {k: float(v) for k, v in gap_figures(primal, dual, gap, rounding, p.least).items()} | {
            "infeasibility": self._infeasible(),
            "n_free": int(of["used"] - of["bounded"]),
            "n_bounded": int(of["bounded"]),
        }

    def _penalty(self, w: np.ndarray) -> float:
        return float(w @ w) / 2 if self.problem.penalty == "l2" else float(np.abs(w).sum())

    def _bias_penalty(self) -> float:
        p = self.problem
        return self._penalty(np.array([self.c / p.scale])) if p.bias == "regularised" else 0.0

    def _conjugate(self) -> float:
        p = self.problem
        if p.penalty == "l1":
            return 0.0
        bias = p.scale * self.total if p.bias == "regularised" else 0.0
        return float(self.v @ self.v) / 2 + bias * bias / 2

    def _between(self) -> tuple[float, float]:
        """R + R* - w.v of weights and bias, and what rounding may have made of it."""
        p, w, v = self.problem, self.w, self.v
        size, of_v = self.sums["size"], self.of_v
        # A sum that is not 0 to the last bit; NumPy adds it in pairs.
        of_bias = abs(self.c) * (gamma(64) * size + (abs(self.total) if p.bias == "free" else 0.0))
        if p.penalty == "l1":
            between = float((np.abs(w) - w * v).sum())
            if p.bias == "regularised":
                between += abs(self.c) / p.scale - self.c * self.total
            # Slopes that rounding puts above 1 are those of a point a little smaller, which earns a little less.
            earned = abs(self.sums["reward"])
            return between, float(np.abs(w).sum()) * (of_v + gamma(p.d + 4)) + of_bias + 2 * of_v * earned
        off = float(np.linalg.norm(w - v))
        between = off * off / 2
        if p.bias == "regularised":
            bias = self.c / p.scale - p.scale * self.total
            between += bias * bias / 2
            of_bias = abs(bias) * p.scale * gamma(64) * size
        return between, off * of_v + of_v * of_v + gamma(p.d + 4) * between + of_bias

    @cached_property
    def of_v(self) -> float:
        """What rounding may have made of each entry of v."""
        return gamma(self.problem.n + 4) * self.radius * self.sums["size"]

    def _terms(self) -> int:
        X = self.problem.X
        return int(np.diff(X.indptr).max(initial=0)) if sp.issparse(X) else X.shape[1]

    def _infeasible(self) -> float:
        p = self.problem
        out = [0.0, self.sums["outside"]]
        if p.bias == "free":
            out.append(abs(self.total))
        if p.penalty == "l1":
            out.append(float(np.abs(self.v).max(initial=0.0)) - 1)
            out.append(p.scale * abs(self.total) - 1 if p.bias == "regularised" else 0.0)
        return max(out)

    def faults(self, figures: dict[str, Any]) -> list[str]:
        p, b, said = self.problem, self.b, []
        if not (np.isfinite(b).all() and np.isfinite(self.w).all() and math.isfinite(self.c)):
            return ["the proof or the model holds numbers that are not finite"]
        if not np.isfinite(figures["gap"]):
            return ["sums overflow float64"]
        if self.sums["outside"] > 0:
            lower, upper = p.loss.bounds(p.t, p.C)
            outside = np.maximum(lower - b, b - upper)
            i = int(np.argmax(outside))
            if outside[i] > EQUAL * abs(b[i]):
                said.append(f"variable {i} is {b[i]:.9g}, outside of its bounds {lower[i]:.9g} and {upper[i]:.9g}")
        if p.bias == "free" and abs(self.total) > FEASIBLE * self.sums["size"]:
            said.append(f"the variables miss their sum by {abs(self.total):.3g}")
        if p.penalty == "l1":
            bias = p.scale * abs(self.total) if p.bias == "regularised" else 0.0
            steepest = max(float(np.abs(self.v).max(initial=0.0)), bias)
            if steepest > 1 + BEYOND + 2 * self.of_v:
                said.append(f"a slope of the proof is {steepest:.9g}, above 1")
        if figures["gap"] < -figures["rounding"]:
            said.append(f"the gap is {figures['gap']:.3g}, below 0 by more than rounding ({figures['rounding']:.2g})")
        return said
