"""The hard margin by the nearest points of both classes' hulls, or the proof that the hulls meet.

Problem  min 1/2 |v|^2, v = sum_i b_i phi(x_i), b_i of the sign of y_i, each class summing to +-1/2
Symbols  rho = |v|^2 at the optimum: half the distance of the hulls, squared
Stops    as every box problem. rho > 0: b / rho solves the dual of the hard margin, whose margin is |v|. Where the hulls
         meet, |b| is the ray along which that dual is unbounded, and no separator exists
Method   [BennettBredensteiner00, sec. 3]; no bound of the box is ever in the way
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.errors import BadInput, NotSeparable
from ..certificate.ray import check_ray
from ..certificate.separation import separate_signed
from ..kernels.gram import GramSource
from ..kernels.rows import Linear
from ..model.box import BoxProblem
from ..solver.box import BoxOptions
from ..solver.svm import BoxFit, BoxSolution


def hull_problem(problem: BoxProblem) -> BoxProblem:
    """The nearest points of the hulls of both classes, as a box problem."""
    positive = problem.t > 0
    group = (~positive).astype(np.int8)
    # A bound of 1 is out of reach for a variable of a class that sums to 1/2.
    lower, upper = -(~positive).astype(np.float64), positive.astype(np.float64)
    return BoxProblem(np.zeros(problem.n), lower, upper, group, (0.5, -0.5), problem.n)


class HullFit(BoxFit):
    """Starts from points of the hard margin's dual."""

    def run(self, watch: Any = None, start: np.ndarray | None = None, snapshot: Any = None) -> BoxSolution:
        if start is not None:
            sums = [float(np.abs(start[self.problem.groups == g]).sum()) for g in (0, 1)]
            start = start / np.where(self.problem.groups == 0, 2 * sums[0], 2 * sums[1]) if min(sums) > 0 else None
        return super().run(watch, start, snapshot)


def hull_fit(source: GramSource, problem: BoxProblem, options: BoxOptions) -> HullFit:
    """The relative gap alone decides at first: slopes can be judged when rho is known."""
    return HullFit(source, hull_problem(problem), replace(options, tol=math.inf))


def margin_of_hull(problem: BoxProblem, s: BoxSolution) -> BoxSolution:
    """The hard margin's solution; where the points found do not separate yet, any positive factor is as good."""
    factor = s.rho if s.rho > 0 else s.square if s.square > 0 else 1.0
    f = None if s.f is None else s.f / factor
    return replace(
        s, b=s.b / factor, offsets=np.array([s.intercept / factor]), square=s.square / factor**2, f=f, trace=s.trace
    )


def proof_against(source: GramSource, problem: BoxProblem, b: np.ndarray) -> tuple[str, np.ndarray] | None:
    """A claim and its witness, if the classes cannot be separated; of the rows where the kernel is linear."""
    if isinstance(source.kernel, Linear):
        verdict = separate_signed(source.items.X, problem.t)
        if verdict.separable is not None:
            return None if verdict.separable else (verdict.claim, verdict.witness)
    proof = check_ray(source, problem.t, np.abs(b) / np.abs(b).sum())
    return (proof.claim, np.abs(b) / np.abs(b).sum()) if proof.holds else None


def refuse(name: str, n: int, proof: tuple[str, np.ndarray] | None, witness: Any = None) -> None:
    """NotSeparable with the proof or, where neither a margin nor a proof was found, BadInput."""
    asked = f"C=inf asks for a margin that no row breaks, but {name}"
    if proof is not None:
        raise NotSeparable(f"{asked} cannot be separated: {proof[0]}. Give a finite C.", witness)
    raise BadInput(
        f"{asked}, {n} rows, nearly touch: neither a margin nor a proof against one was found. Give a finite C, or "
        "scale the features."
    )
