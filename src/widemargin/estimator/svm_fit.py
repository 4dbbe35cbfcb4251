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
from ..certificate.record import SVMCertificate
from ..certificate.svm import Claimed, certify_parts, scores_of_parts
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
from .svm_stop import interrupted, is_nothing, reached, sentence
from .svm_work import Solved, Work

KERNELS = {"linear", "poly", "rbf", "sigmoid", "precomputed"}
REFINEMENTS = 4
RESOLUTION = 2.0**-48  # what rounding leaves of a sum of coefficients


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

    _of_nothing: ClassVar[str] = ""  # what an objective of 0 means, if it means that nothing was learnt

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
        threads = self._threads()
        source, starts = GramSource(data.kernel, data.items, threads), self._starts(problems)
        work = Work(self, data, source, places, problems, starts, beside)
        try:
            refuse_overflow(source)
            work.psd = known_psd(data.kernel, data.items, warn=True)
            solved = work.solve(watch or self._watch())
        except KeyboardInterrupt:
            if work.begun or starts[0] is None:  # the model that a warm start begins with is better than none
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
        empty = [bool(self._of_nothing) and is_nothing(s) for s in solved]
        at = empty.index(True) if any(empty) else kinds.index(worst(kinds))
        words = say(self, solved[at])
        if len(kinds) > 1:
            good = sum(kind == "converged" for kind in kinds)
            words = f"{good} of {len(kinds)} binary parts converged; part {at}: {words}"
        self.converged_ = all(kind == "converged" for kind in kinds)
        self.fit_status_ = 0 if self.converged_ else 1
        self.stop_reason_ = words
        self.trace_ = solved[at].solution.trace
        self._ended = worst(kinds)

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

    def _box_options(self, n_parts: int, threads: int) -> BoxOptions:
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

    def _refined(
        self, work: Work, k: int, fit: BoxFit, found: BoxSolution, watch: Watch, solved: Solved | None = None
    ) -> Solved:
        """Where the certificate (`solved`, if it is there) is not good enough yet, go on; only a good one makes it
        converged."""
        problem, place = work.problems[k], work.places[k]
        source = work.source if place is None else work.source.take(place)
        if solved is None:
            solved = self._proved(source, problem, self._solution(problem, found), work.psd)
        for turn in range(REFINEMENTS):
            if fit.ended or found.stop.kind not in ("converged", "stalled") or reached(self, solved):
                break
            if problem.hard:
                self._refuse_inseparable(work, k, source, solved, last=turn == REFINEMENTS - 1)
                # Slopes of the hulls are those of the margin times rho.
                fit.options = replace(fit.options, tol=self.tol * found.rho if found.rho > 0 else fit.options.tol)
            found = fit.refine(watch, None if problem.hard else solved.solution.f)
            solved = self._proved(source, problem, self._solution(problem, found), work.psd)
        if problem.hard and fit.ended:
            self._refuse_inseparable(work, k, source, solved, last=True)
        if not self._at_its_end(solved) and found.stop.kind == "converged":
            solved.solution.stop = Stop("stalled", "")
        return solved

    def _at_its_end(self, solved: Solved) -> bool:
        """Whether the certificate is good enough: whatever ended the fit then, it is the end."""
        good = solved.solution.stop.kind != "asked" and reached(self, solved)
        if good:
            solved.solution.stop = Stop("converged", "")
        return good

    def _divisor(self, problem: BoxProblem, rho: float) -> float:
        """nu-SVC's model is its solution divided by rho."""
        return 1.0

    def _divisor_under_way(self, problem: BoxProblem, s: BoxSolution) -> float:
        """The same before the end, when rho may be anything."""
        return 1.0

    def _proved(self, source: GramSource, problem: BoxProblem, s: BoxSolution, psd: bool) -> Solved:
        return self._all_proved(source, [problem], [s], [None], psd)[0]

    def _all_proved(
        self,
        source: GramSource,
        problems: Sequence[BoxProblem],
        solutions: Sequence[BoxSolution],
        places: Sequence[np.ndarray | None],
        psd: bool,
    ) -> list[Solved]:
        """With their certificates, whose scores of all items the solutions have from then on."""
        began = time.perf_counter()
        solved = [Solved(p, s, self._divisor(p, s.rho)) for p, s in zip(problems, solutions, strict=True)]
        claimed = [
            Claimed(one.problem, one.point.b, one.intercept, one.point.rho, one.scale, one.coef, None, place)
            for one, place in zip(solved, places, strict=True)
        ]
        scores = scores_of_parts(source, claimed)
        for one, place, (f, _) in zip(solved, places, scores, strict=True):
            c = one.problem.items(one.solution.b)
            one.solution.f, one.solution.square = f, float(c @ f)
            if len(one.problem.total) and not one.problem.t.any():
                length = np.sqrt(np.maximum(source.diag if place is None else source.diag[place], 0.0))
                bounds = one.problem.upper - one.problem.lower
                one.resolution = RESOLUTION * float(np.abs(c) @ length) * float(bounds @ length)
        claimed = [replace(one, scores=found) for one, found in zip(claimed, scores, strict=True)]
        proved = certify_parts(source, claimed, asked=self.gap_tol, psd=psd, began=began)
        for one, certificate in zip(solved, proved, strict=True):
            one.certificate = certificate
        return solved

    def _certificate(
        self, source: GramSource, problem: BoxProblem, point: DualPoint, intercept: float, coef: np.ndarray, psd: bool
    ) -> SVMCertificate:
        scale = self._divisor(problem, point.rho)
        claimed = Claimed(problem, point.b, intercept, point.rho, scale, coef)
        return certify_parts(source, [claimed], asked=self.gap_tol, psd=psd)[0]
