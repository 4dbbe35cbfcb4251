"""What all support vector machines share: their parameters, and the way from box problems to certified solutions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..base.drive import Watch
from ..base.memory import budget
from ..base.params import HasMethods, Integral, Interval, Options, StrOptions, count, positive
from ..base.records import Stop
from ..base.warn import warn
from ..certificate.expansion import expansion
from ..certificate.record import SVMCertificate
from ..certificate.svm import certify_svm
from ..kernels.gram import GramSource
from ..model.box import BoxProblem
from ..model.dual import DualPoint
from ..solver.box import BoxOptions
from ..solver.parts import worst
from ..solver.start import carried
from ..solver.svm import BoxFit, BoxSolution
from .kernel_support import KernelTraining, refuse_overflow
from .svm_hard import hull_fit, margin_of_hull
from .svm_input import known_psd
from .svm_stop import interrupted, reached, sentence
from .svm_work import Solved, Work

KERNELS = {"linear", "poly", "rbf", "sigmoid", "precomputed"}
REFINEMENTS = 4


@dataclass(kw_only=True, eq=False, repr=False)
class SVMFit:
    """Comes before SVMInput and the kind of learner."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(KERNELS), callable, HasMethods(["prepare", "block", "diag"])],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [positive()],
        "gap_tol": [positive()],
        "shrinking": ["boolean"],
        "cache_size": [StrOptions({"auto"}), positive()],
        "max_iter": [Options(Integral, {-1}), count()],
        "warm_start": ["boolean"],
    }

    tol: float = 1e-3
    gap_tol: float = 1e-4
    shrinking: bool = True
    cache_size: float | str = "auto"
    max_iter: int = -1
    warm_start: bool = False

    # ---- from data to attributes -------------------------------------------------------------------------------

    def _learn(
        self,
        data: KernelTraining,
        places: Sequence[np.ndarray | None],
        problems: Sequence[BoxProblem],
        beside: dict[str, Any],
        watch: Watch | None = None,
    ) -> None:
        """Solve all parts, keep what was learnt and what is known beside; what Ctrl-C leaves is kept too."""
        source = GramSource(data.kernel, data.items, self._threads())
        refuse_overflow(source)
        psd = known_psd(data.kernel, data.items, warn=True)
        work = Work(self, data, source, places, problems, self._starts(problems), psd, beside)
        try:
            solved = work.solve(watch or self._watch())
        except KeyboardInterrupt:
            if work.begun:
                self._keep(work, work.as_it_is(), interrupted)
            raise
        self._keep(work, solved, sentence)
        work.tasks.close(lambda: self._learnt(work, solved))

    def _keep(self, work: Work, solved: Sequence[Solved], say: Any) -> None:
        for name, value in {**work.beside, **self._learnt(work, solved)}.items():
            setattr(self, name, value)
        self.proof_: Any = self._proof([s.point for s in solved])
        self.certificate_ = self._merged(work.data, [s.certificate for s in solved])
        self._boxes = [s.problem for s in solved] if self.warm_start else None
        kinds = [s.solution.stop.kind for s in solved]
        at = kinds.index(worst(kinds))
        words = say(self, solved[at])
        if len(kinds) > 1:
            good = sum(kind == "converged" for kind in kinds)
            words = f"{good} of {len(kinds)} binary parts converged; part {at}: {words}"
        self.converged_ = all(kind == "converged" for kind in kinds)
        self.fit_status_ = 0 if self.converged_ else 1
        self.stop_reason_ = words
        self.trace_ = solved[at].solution.trace
        self._ended = kinds[at]

    def _warn(self) -> None:
        """Last of all, since a warning may be made an error: the model is there."""
        if self.__dict__.pop("_ended") not in ("converged", "asked"):
            warn(self.stop_reason_, ConvergenceWarning)

    def _starts(self, problems: Sequence[BoxProblem]) -> list[np.ndarray | None]:
        """With warm_start, the last solution inside of the new boxes, if it has as many parts and variables."""
        proof, old = vars(self).get("proof_"), vars(self).get("_boxes")
        nothing: list[np.ndarray | None] = [None] * len(problems)
        if not self.warm_start or proof is None:
            return nothing
        points = [proof] if isinstance(proof, DualPoint) else [proof[k] for k in range(len(proof))]
        old = problems if old is None else old  # a loaded model does not know its boxes
        same = [p.b.size == q.n_variables == o.n_variables for p, q, o in zip(points, problems, old, strict=False)]
        if len(points) != len(problems) or not all(same):
            return nothing
        return [carried(p.b, o, q) for p, o, q in zip(points, old, problems, strict=True)]

    # ---- one part ----------------------------------------------------------------------------------------------

    def _box_options(self, n_parts: int) -> BoxOptions:
        threads = self._threads()
        return BoxOptions(
            tol=self.tol,
            gap_tol=self.gap_tol,
            max_steps=self.max_iter,
            memory=budget(self.cache_size) // min(n_parts, threads),
            threads=threads if n_parts == 1 else 1,
            shrink=self.shrinking,
        )

    def _part(self, source: GramSource, problem: BoxProblem, options: BoxOptions) -> BoxFit:
        """What runs: the problem itself or, for a hard margin, the nearest points of both hulls."""
        return hull_fit(source, problem, options) if problem.hard else BoxFit(source, problem, options)

    def _solution(self, problem: BoxProblem, s: BoxSolution) -> BoxSolution:
        """Of the problem itself, from that of what runs."""
        return margin_of_hull(problem, s) if problem.hard else s

    def _solve(self, work: Work, k: int, fit: BoxFit, watch: Watch) -> Solved:
        return self._refined(work, k, fit, fit.run(watch, work.starts[k], lambda _: work.model()), watch)

    def _refined(self, work: Work, k: int, fit: BoxFit, found: BoxSolution, watch: Watch) -> Solved:
        """Where the certificate is not good enough yet, go on; only a good one makes it converged."""
        problem, place = work.problems[k], work.places[k]
        source = work.source if place is None else work.source.take(place)
        solved = self._proved(source, problem, self._solution(problem, found), work.psd)
        for turn in range(REFINEMENTS):
            if fit.ended or found.stop.kind not in ("converged", "stalled") or reached(self, solved.certificate):
                break
            if problem.hard:
                self._refuse_inseparable(work, k, source, solved, last=turn == REFINEMENTS - 1)
                # Slopes of the hulls are those of the margin times rho.
                fit.options = replace(fit.options, tol=self.tol * found.rho if found.rho > 0 else fit.options.tol)
            found = fit.refine(watch, None if problem.hard else solved.solution.f)
            solved = self._proved(source, problem, self._solution(problem, found), work.psd)
        if problem.hard and fit.ended:
            self._refuse_inseparable(work, k, source, solved, last=True)
        if found.stop.kind != "asked" and reached(self, solved.certificate):  # whatever ended it, it is the end
            solved.solution.stop = Stop("converged", "")
        elif found.stop.kind == "converged":
            solved.solution.stop = Stop("stalled", "")
        return solved

    def _divisor(self, problem: BoxProblem, rho: float) -> float:
        """nu-SVC's model is its solution divided by rho."""
        return 1.0

    def _proved(self, source: GramSource, problem: BoxProblem, s: BoxSolution, psd: bool) -> Solved:
        """With its certificate, whose scores of all items the solution has from then on."""
        solved = Solved(problem, s, self._divisor(problem, s.rho))
        point, c, began = solved.point, problem.items(s.b), time.perf_counter()
        scores = expansion(source, c)
        s.f, s.square = scores[0], float(c @ scores[0])
        proved = self._certificate(source, problem, point, solved.intercept, solved.coef, psd, scores)
        solved.certificate = replace(proved, seconds=time.perf_counter() - began)
        return solved

    def _certificate(
        self,
        source: GramSource,
        problem: BoxProblem,
        point: DualPoint,
        intercept: float,
        coef: np.ndarray,
        psd: bool,
        scores: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> SVMCertificate:
        return certify_svm(
            source,
            problem,
            point.b,
            intercept=intercept,
            rho=point.rho,
            scale=self._divisor(problem, point.rho),
            coef=coef,
            asked=self.gap_tol,
            psd=psd,
            scores=scores,
        )
