"""The dual of a small support vector machine climbed step by step, for teaching: who moved, how far, what it gained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ..base.errors import BadInput
from ..base.seeds import seed_from
from ..certificate.record import SVMCertificate
from ..certificate.separation import read_two_classes
from ..certificate.svm import certify_svm
from ..data.rows import canonical
from ..kernels.gram import GramSource
from ..kernels.items import RowItems
from ..kernels.precomputed import Precomputed
from ..kernels.resolve import as_kernel
from ..model.box import BoxProblem
from ..solver.reference import RULES, Step, coordinate_ascent, intercept_of, smo

MOST = 4000  # rows: the whole matrix is held


@dataclass(frozen=True, kw_only=True, eq=False)
class DualAscent:
    """One climb.

    Attributes
    ----------
    rule : str
        Who was moved.
    steps : tuple of Step
        In order: `at` (one variable, or two of which the second moves against the first), `by`, `whole` (the step to
        the maximum along the line, had there been no bounds), `objective` afterwards.
    objective : ndarray of shape (steps + 1,)
        The dual objective, from the start on. It never falls.
    watched : tuple of int
        Rows whose variables were followed.
    path : ndarray of shape (steps + 1, watched)
        Their alpha, not negative, from the start on.
    b : ndarray of shape (n,)
        alpha times the sign of its class, at the end.
    intercept : float
        0 for single coordinates, which solve the problem without bias.
    gap : float
        Primal minus dual objective at the end.
    certificate : SVMCertificate
        Its recomputation.
    converged : bool
        Whether the conditions of optimality held to `tol`; otherwise `max_steps` ran out or rounding ended the climb.
    problem : BoxProblem
    K : ndarray of shape (n, n)
    """

    rule: str
    steps: tuple[Step, ...]
    objective: np.ndarray
    watched: tuple[int, ...]
    path: np.ndarray
    b: np.ndarray
    intercept: float
    certificate: SVMCertificate
    converged: bool
    problem: BoxProblem
    K: np.ndarray

    @property
    def gap(self) -> float:
        return float(self.certificate.gap or 0.0)

    @property
    def alpha(self) -> np.ndarray:
        return np.abs(self.b)

    def before(self, k: int) -> np.ndarray:
        """b as it was before step k, counted from 1; with the number of steps + 1, the end."""
        b = np.zeros(self.problem.n)
        for step in self.steps[: k - 1]:
            for v, sign in zip(step.at, (1.0, -1.0), strict=False):
                b[v] += sign * step.by
        return b

    def surface(self, pair: tuple[int, int], b: np.ndarray, x: Any, y: Any) -> np.ndarray:
        """The dual objective with the alpha of rows `pair` at (x, y) and all others as in b."""
        t = self.problem.t
        i, j = pair
        others = b.copy()
        others[[i, j]] = 0.0
        F = self.K @ others - t
        constant = float(t @ others) - float(others @ (F + t)) / 2
        u, v = t[i] * np.asarray(x), t[j] * np.asarray(y)  # t holds the signs of the classes
        K = self.K
        return constant - F[i] * u - F[j] * v - (K[i, i] * u**2 + K[j, j] * v**2) / 2 - K[i, j] * u * v


def ascend_dual(
    X: Any,
    y: Any,
    *,
    C: float = 1.0,
    kernel: Any = "rbf",
    gamma: float | str = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    rule: str = "smo",
    tol: float = 1e-3,
    max_steps: int = 100_000,
    watch: Sequence[int] = (0, 1),
    random_state: Any = 0,
) -> DualAscent:
    """Climb the dual of a C-SVC by pairs or by single coordinates, and keep the whole way.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Meant for small sets; with `kernel="precomputed"` the square matrix of kernel values.
    y : array of shape (n,)
        Two different labels; the second in order is +1.
    C : float, default=1.0
        Upper bound of every alpha; infinite for a hard margin.
    kernel, gamma, degree, coef0
        As in :class:`widemargin.KernelPerceptron`.
    rule : {"smo", "round_robin", "random", "greedy"}, default="smo"
        Pairs that keep the sum of y alpha, or single variables, which solve the problem without bias: in turn, by
        chance, or the one that gains most.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at the end.
    max_steps : int, default=100000
    watch : sequence of int, default=(0, 1)
        Rows whose alpha is kept after each step.
    random_state : int, RandomState or None, default=0
        Of the random rule.

    Returns
    -------
    DualAscent
    """
    if rule != "smo" and rule not in RULES:
        raise BadInput(f"rule is {rule!r}: it must be one of smo, {', '.join(RULES)}.")
    source, signs = _read(X, y, kernel, gamma, degree, coef0)
    n = len(signs)
    watched = tuple(int(i) for i in watch)
    if not all(0 <= i < n for i in watched):
        raise BadInput(f"watch={list(watched)}: rows are counted from 0 to {n - 1}.")
    problem = BoxProblem.c_svc(signs, C)
    problem = problem if rule == "smo" else problem.without_sums()
    K, b = source.block(None, None), problem.start()
    climb = (
        smo(K, problem, tol, b)
        if rule == "smo"
        else coordinate_ascent(K, problem, rule, tol, b, seed_from(random_state))
    )
    path, steps = [b[list(watched)]], []
    for step in islice(climb, max_steps):
        steps.append(step)
        path.append(b[list(watched)])
    intercept, _ = intercept_of(problem, K @ b - problem.t, b)
    certificate = certify_svm(source, problem, b, intercept=intercept, coef=b)
    violation = certificate.kkt_violation
    assert violation is not None
    return DualAscent(
        rule=rule,
        steps=tuple(steps),
        objective=np.array([0.0, *(step.objective for step in steps)]),
        watched=watched,
        path=np.abs(np.array(path)),
        b=b,
        intercept=intercept,
        certificate=certificate,
        converged=violation <= tol * (1 + 1e-6),
        problem=problem,
        K=K,
    )


def _read(X: Any, y: Any, kernel: Any, gamma: Any, degree: int, coef0: float) -> tuple[GramSource, np.ndarray]:
    X, signs, *_ = read_two_classes(X, y, None)
    if len(signs) > MOST:
        raise BadInput(f"X has {len(signs)} rows: this is for teaching and holds the whole matrix, so give {MOST}.")
    X = canonical(X)
    resolved = as_kernel(kernel, X, gamma=gamma, degree=degree, coef0=coef0)
    items = resolved.prepare(X) if isinstance(resolved, Precomputed) else RowItems(X)
    return GramSource(resolved, items), signs
