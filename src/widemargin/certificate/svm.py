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
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.box import BoxProblem
from ..model.boxes import BoxProblems, joined
from .bounded import TINY, UNIT
from .expansion import expansions
from .record import SVMCertificate
from .svm_points import Points
from .telling import telling_scores

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
    claimed = Claimed(problem, np.array(b, dtype=np.float64).ravel(), intercept, rho, scale, coef, scores)
    return certify_parts(source, [claimed], asked=asked, psd=psd, data_digest=data_digest)[0]


@dataclass(frozen=True)
class Claimed:
    """A problem, and what is said to solve it; `items` are those of the source that it speaks of, if not all."""

    problem: BoxProblem
    b: np.ndarray
    intercept: float
    rho: float = 0.0
    scale: float = 1.0
    coef: np.ndarray | None = None
    scores: tuple[np.ndarray, np.ndarray] | None = None
    items: np.ndarray | None = None

    @property
    def offsets(self) -> np.ndarray:
        return self.problem.offsets(self.intercept * self.scale, self.rho)


def certify_parts(
    source: Any,
    parts: Sequence[Claimed],
    *,
    asked: float | None = None,
    psd: bool = True,
    data_digest: str = "",
    began: float | None = None,
) -> list[SVMCertificate]:
    """`certify_svm` of many problems, all with hard margins or all with soft ones, figure by figure for all at once.

    `began` is when the work for the certificates did, if some was done before.
    """
    began = time.perf_counter() if began is None else began
    for part in parts:
        n = source.n if part.items is None else len(part.items)
        if part.b.size != part.problem.n_variables or n != part.problem.n:
            wanted = f"{part.problem.n_variables} for {part.problem.n}"
            fault = f"the proof has {part.b.size} variables for {n} items, not {wanted}"
            return [SVMCertificate(claim=fault, holds=False, data_digest=data_digest) for _ in parts]
    problems = BoxProblems.of([part.problem for part in parts])
    offsets = np.zeros_like(problems.total)
    for k, part in enumerate(parts):
        offsets[k, : len(part.offsets)] = part.offsets
    scores = _scores(source, parts, asked)
    claims = Claims(
        problems,
        joined([part.b for part in parts]),
        offsets,
        np.array([part.scale for part in parts]),
        parts[0].coef if len(parts) == 1 and parts[0].coef is not None else [part.coef for part in parts],
        (joined([f for f, _ in scores]), joined([e for _, e in scores])),
    )
    return certify_claims(source, claims, asked=asked, psd=psd, data_digest=data_digest, began=began)


@dataclass(frozen=True)
class Claims:
    """Many problems, and what is said to solve them: variables, offsets of their sums, scale and coefficients of the
    models (of each problem, or of all in one array), scores with their errors."""

    problems: BoxProblems
    b: np.ndarray
    offsets: np.ndarray
    scale: np.ndarray
    coef: np.ndarray | Sequence[np.ndarray | None]
    scores: tuple[np.ndarray, np.ndarray]

    def coef_of(self, k: int) -> np.ndarray | None:
        if not isinstance(self.coef, np.ndarray):
            return self.coef[k]
        return self.coef[self.problems.first_item[k] : self.problems.end_items[k]]

    @property
    def differs(self) -> np.ndarray:
        """Of each problem, whether a coefficient is another than the proof's."""
        p = self.problems
        of_proof = p.items(self.b)
        if isinstance(self.coef, np.ndarray):
            said, by = self.coef, self.scale if (self.scale == 1).all() else np.repeat(self.scale, p.n)
        elif any(coef is not None for coef in self.coef):
            own = [of_proof[i:j] for i, j in zip(p.first_item, p.end_items, strict=True)]
            by = np.repeat(self.scale, p.n)
            said = joined([o / s if c is None else c for o, c, s in zip(own, self.coef, self.scale, strict=True)])
        else:
            return np.zeros(len(p), dtype=bool)
        if said is self.b and by is self.scale:
            return np.zeros(len(p), dtype=bool)  # they are the proof's
        said = np.asarray(said, dtype=np.float64) * (1.0 if by is self.scale else by)
        return np.logical_or.reduceat(~(np.abs(said - of_proof) <= EQUAL * p.largest(self.b)), p.first_item)


def certify_claims(
    source: Any,
    claims: Claims,
    *,
    asked: float | None = None,
    psd: bool = True,
    data_digest: str = "",
    began: float | None = None,
) -> list[SVMCertificate]:
    """`began` is when the work for the certificates did, if some was done before."""
    began = time.perf_counter() if began is None else began
    with np.errstate(all="ignore"):  # what is not finite becomes a fault
        points = Points(claims.problems, claims.b, claims.scores, claims.offsets)
        figures = points.hard_margin() if claims.problems.hard else points.soft_margin()
        figures |= points.conditions()
        faults = _faults(points, figures, claims)
        known = np.full(len(claims.problems), psd)
        if (points.square < 0).any():
            known &= ~(points.square < -points.square_error)
    seconds = (time.perf_counter() - began) / len(known)
    where = f"in the space of {source.kernel}" if hasattr(source, "kernel") else ""
    found = []
    for k, values in enumerate(zip(*(v.tolist() for v in figures.values()), strict=True)):
        mine = dict(zip(figures, values, strict=True))
        found.append(
            SVMCertificate(
                claim="; ".join(faults[k]) if k in faults else _claim(mine, asked, bool(known[k]), where),
                holds=False if k in faults else True if known[k] else None,
                data_digest=data_digest,
                seconds=seconds,
                **mine,
            )
        )
    return found


def _scores(source: Any, parts: Sequence[Claimed], asked: float | None) -> list[tuple[np.ndarray, np.ndarray]]:
    """f and e of the items of each part."""
    shared = [(part.items, part.problem.items(part.b)) for part in parts if part.items is not None]
    if len(shared) == len(parts) and len(parts) > 1 and not any(part.scores for part in parts):
        return expansions(source, shared)
    found = []
    for part in parts:
        here = source if part.items is None else source.take(part.items)
        found.append(part.scores or telling_scores(here, part.problem, part.b, part.offsets, asked))
    return found


def _faults(points: Points, figures: dict[str, np.ndarray], claims: Claims) -> dict[int, list[str]]:
    """What is wrong, by the number of the part."""
    p = points
    # What is not finite in b or f is not in the dual either.
    bad = (p.farthest > 0) | ~np.isfinite(p.dual) | ~np.isfinite(p.offsets).all(axis=1)
    bad |= p.most_missing > FEASIBLE * np.add.reduceat(p.size, p.first) + TINY
    bad |= (figures["gap"] < -figures["rounding"]) | claims.differs
    told = {k: _told(points, figures, k, claims) for k in np.flatnonzero(bad).tolist()}
    return {k: words for k, words in told.items() if words}


def _told(points: Points, figures: dict[str, np.ndarray], k: int, claims: Claims) -> list[str]:
    p, coef, scale, faults = claims.problems[k], claims.coef_of(k), float(claims.scale[k]), []
    b = claims.b[claims.problems.first[k] : claims.problems.ends[k]]
    items = slice(int(points.first_item[k]), int(points.first_item[k] + p.n))
    f, c = points.f[items], points.c[items]
    if not np.isfinite(b).all() or not np.isfinite(points.offsets[k]).all():
        return ["the proof or the intercept holds numbers that are not finite"]
    if not np.isfinite(f).all():
        return [f"kernel values of item {int(np.argmin(np.isfinite(f)))} are not finite"]
    outside = np.maximum(p.lower - b, b - p.upper)
    v = int(np.argmax(outside))
    if outside[v] > EQUAL * abs(b[v]):
        faults.append(f"variable {v} is {b[v]:.9g}, outside of its bounds {p.lower[v]:.9g} and {p.upper[v]:.9g}")
    missing = float(points.most_missing[k])
    if missing > FEASIBLE * float(np.abs(b).sum()) + TINY:
        faults.append(f"the variables miss their sum by {missing:.3g}")
    if coef is not None:
        off = np.abs(np.asarray(coef, dtype=np.float64) * scale - c)
        wrong = np.flatnonzero(~(off <= EQUAL * np.abs(b).reshape(-1, p.n).max(axis=0)))
        if wrong.size:
            i = int(wrong[0])
            said = f"the model's coefficient of item {i} is {coef[i]:.9g}, the proof's {c[i] / scale:.9g}"
            faults.append(said)
    gap, rounding = float(figures["gap"][k]), float(figures["rounding"][k])
    if gap < -rounding:
        faults.append(f"the gap is {gap:.3g}, below 0 by more than rounding ({rounding:.2g})")
    return faults


def _claim(figures: dict[str, Any], asked: float | None, psd: bool, where: str) -> str:
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
