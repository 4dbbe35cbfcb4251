"""How far a support vector machine can be from its optimum: a duality gap from data, model and proof alone.

Problem  D(b) = t.b - 1/2 b'Kb  over the box and the sums of model/box.py; for any b, any offsets o_g of the groups
         P(b, o) = 1/2 b'Kb + sum_v max(upper_v r_v, lower_v r_v) + sum_g o_g total_g,   r_v = t_v - f_v - o_g(v)
Symbols  f_v = sum_u K(v, u) b_u, F_v = f_v - t_v; the offsets come from the model's intercept and its rho. P is the
         objective that people know: 1/2 |w|^2 + C sum (1 - y(f + b))+ for C-SVC, and so on for the other four
Stops    D(b) <= P(a, o) for every feasible b, every a and o, so the optimum lies between D and P. At a = b the gap is
         sum_v (the bound that r_v points to - b_v) r_v + sum_g o_g (total_g - sum b): no term is below 0 in the box
Method   Fenchel's inequality -b'Kb/2 <= a'Ka/2 - a'Kb for positive semidefinite K [BoydVandenberghe04, sec. 5.2].
         Hard margin: the model divided by its smallest margin m is feasible, so P = |w|^2 / (2 m^2).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.box import BoxProblem
from .bounded import TINY, UNIT, gamma
from .expansion import expansion
from .record import SVMCertificate

FEASIBLE = 2.0**-33  # of sum |b|: what a million steps, each rounded, may leave of a sum
EQUAL = 16 * UNIT  # relative: a product and a quotient apart


def certify_svm(
    source: Any,
    problem: BoxProblem,
    b: np.ndarray,
    *,
    intercept: float,
    rho: float = 0.0,
    scale: float = 1.0,
    coef: np.ndarray | None = None,
    asked: float | None = None,
    psd: bool = True,
    data_digest: str = "",
    scores: tuple[np.ndarray, np.ndarray] | None = None,
) -> SVMCertificate:
    """Recompute primal, dual and optimality conditions of a solved box problem.

    Parameters
    ----------
    source : GramSource
        `n`, `diag` and `block(I, J)` of the items.
    problem : BoxProblem
        Made anew from labels or targets, weights and parameters.
    b : ndarray of shape (N,)
        The saved proof: the signed variables.
    intercept : float
        That of the model.
    rho : float, default=0
        From the proof. nu-SVC: the margin; nu-SVR: minus the half-width of the tube.
    scale : float, default=1
        The model is the solution divided by this: rho for nu-SVC.
    coef : ndarray of shape (n,), optional
        The model's coefficient of each item (0 outside of the support), to be compared with the proof.
    asked : float, optional
        Relative gap that was asked for; the claim says whether it was reached.
    psd : bool, default=True
        Whether the kernel is known to be positive semidefinite; otherwise the gap bounds nothing, and `holds` is None.
    scores : (ndarray, ndarray), optional
        What `expansion` gave for the items, if it was asked before.
    data_digest : str
        Fingerprint of the data.

    Returns
    -------
    SVMCertificate
    """
    began = time.perf_counter()
    b = np.array(b, dtype=np.float64).ravel()
    if b.size != problem.n_variables or source.n != problem.n:
        fault = f"the proof has {b.size} variables for {source.n} items, not {problem.n_variables} for {problem.n}"
        return SVMCertificate(claim=fault, holds=False, data_digest=data_digest)
    c = problem.items(b)
    point = _Point(problem, b, c, *(scores or expansion(source, c)), problem.offsets(intercept * scale, rho))
    with np.errstate(all="ignore"):  # what is not finite becomes a fault
        figures = point.hard_margin() if problem.hard else point.soft_margin()
        figures |= point.conditions()
        faults = _faults(point, figures, c, coef, scale)
    known = psd and not point.square < -point.square_error
    return SVMCertificate(
        claim="; ".join(faults) or _claim(figures, asked, known, source),
        holds=False if faults else True if known else None,
        data_digest=data_digest,
        seconds=time.perf_counter() - began,
        **figures,
    )


@dataclass(frozen=True)
class _Point:
    """A dual point with all that follows from it: f at every item with its error, and the groups' offsets."""

    problem: BoxProblem
    b: np.ndarray
    c: np.ndarray
    f: np.ndarray
    e: np.ndarray
    offsets: np.ndarray

    @property
    def square(self) -> float:
        """|w|^2 = b'Kb."""
        return float(self.c @ self.f)

    @property
    def square_error(self) -> float:
        return float(np.abs(self.c) @ (self.e + gamma(self.c.size + 4) * np.abs(self.f)))

    @property
    def dual(self) -> float:
        return float(self.problem.t @ self.b) - self.square / 2

    def _each(self, of_items: np.ndarray) -> np.ndarray:
        """Values of items as values of variables."""
        return np.tile(of_items, self.problem.n_variables // self.problem.n)

    def _offsets(self) -> np.ndarray:
        """Of each variable's group; 0 where no sum is fixed."""
        return self.offsets[self.problem.groups] if self.offsets.size else np.zeros(self.b.size)

    def _sums(self) -> np.ndarray:
        """What is missing from each group's total."""
        groups = self.problem.groups
        return np.array([total - self.b[groups == g].sum() for g, total in enumerate(self.problem.total)])

    def soft_margin(self) -> dict[str, Any]:
        p, o = self.problem, self._offsets()
        f, e = self._each(self.f), self._each(self.e)
        r = p.t - f - o
        bound = np.where(r > 0, p.upper, p.lower)
        terms = (bound - self.b) * r
        missing = self._sums()
        primal = self.square / 2 + float(bound @ r) + float(self.offsets @ p.total)
        gap = float(terms.sum()) + float(self.offsets @ missing)
        of_r = e + 4 * UNIT * (np.abs(p.t) + np.abs(f) + np.abs(o))
        rounding = float((p.upper - p.lower) @ of_r) + gamma(self.b.size + 8) * float(np.abs(terms).sum())
        rounding += float(np.abs(self.offsets) @ np.abs(missing))
        rounding += gamma(self.b.size + 4) * float(np.abs(o) @ np.abs(self.b))
        return _gap_figures(primal, self.dual, gap, rounding, 1e-12 * p.sum_of_bounds)

    def hard_margin(self) -> dict[str, Any]:
        t, a, q = self.problem.t, np.abs(self.b), self.square
        margins = t * (self.f + self._offsets())
        least = float(np.min(margins - self.e, initial=math.inf))
        if not least > 0:
            return _gap_figures(math.inf, self.dual, math.inf, 0.0, 0.0)
        stretch = 1 / least**2
        missing = float(self.offsets @ self._sums())
        gap = q * (stretch - 1) / 2 + float(a @ (margins - 1)) + missing
        rounding = (stretch + 1) * self.square_error / 2 + float(a @ self.e) + 4 * UNIT * q * (stretch + 1)
        rounding += gamma(a.size + 8) * float(a @ (np.abs(margins) + 1) + np.abs(self._offsets()) @ a) + abs(missing)
        return _gap_figures(q * stretch / 2, self.dual, gap, rounding, 0.0)

    def conditions(self) -> dict[str, Any]:
        p, b, F = self.problem, self.b, self._each(self.f) - self.problem.t
        violation = 0.0
        for g in range(max(len(p.total), 1)):
            here = p.groups == g
            highest = float(np.max(F[here & (b > p.lower)], initial=-math.inf))
            lowest = float(np.min(F[here & (b < p.upper)], initial=math.inf))
            # With a fixed sum the offset may be anything; without one it is 0.
            violation = max(violation, highest - lowest) if p.total else max(violation, highest, -lowest)
        at_bound = (b == p.lower) | (b == p.upper)
        outside = float(np.max(np.maximum(p.lower - b, b - p.upper), initial=0.0))
        return {
            "kkt_violation": violation,
            "infeasibility": max(0.0, outside, float(np.abs(self._sums()).max(initial=0.0))),
            "n_free": int(np.count_nonzero(~at_bound)),
            "n_bounded": int(np.count_nonzero(at_bound & (b != 0))),
        }


def _gap_figures(primal: float, dual: float, gap: float, rounding: float, least: float) -> dict[str, Any]:
    relative = math.inf if math.isinf(primal) else gap / (max(abs(primal), abs(dual), least) or 1.0)
    return {"primal": primal, "dual": dual, "gap": gap, "relative_gap": relative, "rounding": rounding + TINY}


def _faults(point: _Point, figures: dict[str, Any], c: np.ndarray, coef: np.ndarray | None, scale: float) -> list[str]:
    p, b, faults = point.problem, point.b, []
    if not np.isfinite(b).all() or not np.isfinite(point.offsets).all():
        return ["the proof or the intercept holds numbers that are not finite"]
    if not np.isfinite(point.f).all():
        return [f"kernel values of item {int(np.argmin(np.isfinite(point.f)))} are not finite"]
    outside = np.maximum(p.lower - b, b - p.upper)
    v = int(np.argmax(outside))
    if outside[v] > EQUAL * abs(b[v]):
        faults.append(f"variable {v} is {b[v]:.9g}, outside of its bounds {p.lower[v]:.9g} and {p.upper[v]:.9g}")
    missing = float(np.abs(point._sums()).max(initial=0.0))
    if missing > FEASIBLE * float(np.abs(b).sum()) + TINY:
        faults.append(f"the variables miss their sum by {missing:.3g}")
    if coef is not None:
        off = np.abs(np.asarray(coef, dtype=np.float64) * scale - c)
        wrong = np.flatnonzero(~(off <= EQUAL * np.abs(point.b).reshape(-1, p.n).max(axis=0)))
        if wrong.size:
            i = int(wrong[0])
            faults.append(f"the model's coefficient of item {i} is {coef[i]:.9g}, the proof's {c[i] / scale:.9g}")
    if figures["gap"] < -figures["rounding"]:
        faults.append(f"the gap is {figures['gap']:.3g}, below 0 by more than rounding ({figures['rounding']:.2g})")
    return faults


def _claim(figures: dict[str, Any], asked: float | None, psd: bool, source: Any) -> str:
    where = f"in the space of {source.kernel}" if hasattr(source, "kernel") else ""
    if math.isinf(figures["primal"]):
        return f"the margin is broken, so only the dual objective {figures['dual']:.6g} is known {where}".rstrip()
    said = gap_sentence(figures, asked)
    if not psd:
        said += "; the kernel is not known to be positive semidefinite, so this bounds nothing"
    return "; ".join([said, *([where] if where else [])])


def gap_sentence(figures: dict[str, Any], asked: float | None) -> str:
    """What the gap says, and what was asked."""
    gap, rounding, relative = figures["gap"], figures["rounding"], figures["relative_gap"]
    least = max(gap, 0.0) + rounding
    said = f"the objective {figures['primal']:.6g} is at most {least:.2g} above the least possible"
    if asked is None:
        said += f"; relative gap {relative:.2g}"
    elif relative <= asked:
        said += f"; relative gap {relative:.2g} <= {asked:.2g} asked"
    else:
        said += f"; relative gap {relative:.2g} reached, {asked:.2g} asked"
    if gap <= rounding:
        said += f" (the gap itself, {gap:.2g}, is below the rounding of this check, {rounding:.2g})"
    return said
