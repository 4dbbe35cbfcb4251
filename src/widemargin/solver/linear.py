"""From a linear problem to its solution: which method, and what to do when it is slow.

Newton's method where there are several times more rows than features and these are not too many: a step costs a look
at all rows and equations in the features. Dual coordinate descent elsewhere, and Newton's method, if need be by
conjugate gradients, where that is slow. Where the penalty is |w|_1, features one by one take the place of dual descent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..base.drive import Watch, drive
from ..base.records import Stop, Trace
from ..model.class_problem import ClassProblem
from ..model.linear_problem import LinearProblem
from .class_descent import ClassSolver
from .dual_descent import DescentSolver
from .feature_descent import FeatureSolver
from .newton import NewtonSolver
from .newton_l1 import PenalisedNewton

ENDLESS = 1 << 40
SPARE = 0.9  # of the tolerance is used, so that the certificate seldom sends a fit back
MANY = 5  # times more rows than features: Newton's method
FEW = 30  # features that are always few
METHODS: dict[str, Any] = {s.name: s for s in (NewtonSolver, FeatureSolver, PenalisedNewton, ClassSolver)} | {
    DescentSolver.name: partial(DescentSolver, gives_up=True)
}


@dataclass
class LinearSolution:
    """w with the bias as its last entry, the dual point b."""

    w: np.ndarray
    b: np.ndarray
    stop: Stop
    steps: int
    solver: str
    trace: Trace
    sharpness: float = 1.0  # from which Newton's method may go on elsewhere
    known: Any = None  # the solver and its state, where it came to the end: what is known there


def plan(problem: LinearProblem | ClassProblem, dual: bool | str = "auto") -> tuple[str, ...]:
    """The methods to try, one after the other; `dual` fixes the first."""
    if isinstance(problem, ClassProblem):
        return ("class descent",)
    n, d = problem.n, problem.d
    wide = d > FEW and (n < MANY * d or not NewtonSolver.affordable(problem))
    if problem.penalty == "l1" and not NewtonSolver.affordable(problem):
        return ("feature descent",)
    if problem.penalty == "l1":
        return ("feature descent", "proximal newton") if wide else ("proximal newton", "feature descent")
    first = wide if dual == "auto" else dual
    return ("dual descent", "newton") if first else ("newton", "dual descent")


class LinearFit:
    """One problem from its start to its solution, and further if that was not good enough."""

    def __init__(
        self,
        problem: LinearProblem | ClassProblem,
        tol: float,
        *,
        seed: int = 0,
        max_steps: int = -1,
        dual: bool | str = "auto",
    ) -> None:
        self.problem, self.tol, self.seed, self.max_steps = problem, SPARE * tol, seed, max_steps
        self.methods = list(plan(problem, dual))
        self.trace = Trace(NewtonSolver.columns)
        self.solver: Any = None
        self.state: Any = None
        self.steps = 0  # of methods before the one that runs

    def start(
        self, w: np.ndarray | None = None, b: np.ndarray | None = None, k: float = 1.0, known: Any = None
    ) -> None:
        """From w, b and sharpness k; with what is known where the same method ended at other prices."""
        method = METHODS[self.methods.pop(0)]
        left = self.max_steps if self.max_steps < 0 else max(self.max_steps - self.steps, 0)
        self.solver = method(self.problem, self.tol, max_steps=left, seed=self.seed)
        last, state = known if known is not None and known[0].name == self.solver.name else (None, None)
        if isinstance(last, NewtonSolver):
            self.state = self.solver.resume(known) or self.solver.start(w, b, k)
        elif isinstance(last, DescentSolver):
            self.state = self.solver.start(w, b, k, state)
        else:
            self.state = self.solver.start(w, b, k)

    def run(self, watch: Watch | None = None, snapshot: Any = None) -> LinearSolution:
        """Until the gap is small enough, or this method does not help."""
        if self.solver is None:
            self.start()
        stop, trace = drive(
            self.solver,
            self.state,
            last=ENDLESS,
            explain=lambda kind: Stop(kind, kind),
            watch=watch,
            snapshot=(lambda: snapshot(self.solution(Stop("asked", "asked")))) if snapshot else lambda: None,
        )
        self._keep(trace)
        return self.solution(stop)

    def other(self, watch: Watch | None = None, snapshot: Any = None) -> LinearSolution | None:
        """On from here with the next method, if there is one."""
        if not self.methods:
            return None
        self.steps += self.solver.step(self.state)
        self.start(*self.solver.solution(self.state))
        return self.run(watch, snapshot)

    def refine(self, watch: Watch | None = None) -> LinearSolution:
        """On to a smaller gap: the certificate was not satisfied."""
        self.tol /= 2
        self.solver.tighten(self.state, self.tol)
        return self.run(watch)

    def _keep(self, trace: Trace) -> None:
        for row in range(len(trace)):
            columns = {name: trace[name][row] for name in self.trace if name != "step"}
            self.trace.append(self.steps + int(trace["step"][row]), columns)

    def solution(self, stop: Stop) -> LinearSolution:
        w, b = self.solver.solution(self.state)
        steps = self.steps + self.solver.step(self.state)
        k = self.state.k if isinstance(self.solver, NewtonSolver) else 1.0
        known = (self.solver, self.state) if isinstance(self.solver, NewtonSolver | DescentSolver) else None
        return LinearSolution(w.copy(), b.copy(), stop, steps, self.solver.name, self.trace, k, known)
