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
from ..base.heap import keep_freed_memory
from ..base.memory import budget
from ..base.params import HasMethods, Integral, Interval, Options, StrOptions, count, positive
from ..base.records import Stop
from ..base.warn import warn
from ..certificate.expansion import joined_expansions
from ..certificate.record import SVMCertificate
from ..certificate.svm import Claimed, Claims, certify_claims, certify_parts
from ..certificate.telling import telling_scores
from ..kernels.gram import GramSource
from ..model.box import BoxProblem
from ..model.dual import DualPoint
from ..solver.box import BoxOptions
from ..solver.pairs import PairFits
from ..solver.parts import worst
from ..solver.start import carried
from ..solver.svm import BoxFit, BoxSolution
from .kernel_support import KernelTraining, refuse_overflow
from .svm_hard import hull_fit, margin_of_hull
from .svm_input import known_psd
from .svm_solved import Solved, SolvedPairs, SolvedParts
from .svm_stop import interrupted, is_nothing, meets, reached, sentence
from .svm_work import Work

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
        keep_freed_memory()
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

    def _keep(self, work: Work, solved: SolvedParts, say: Any) -> None:
        for name, value in {**work.beside, **self._learnt(work, solved)}.items():
            setattr(self, name, value)
        self.proof_: Any = self._proof(solved.points)
        self.certificate_ = self._merged(work.data, solved.certificates)
        self._boxes = solved.problems if self.warm_start else None
        kinds = solved.kinds
        empty = [k for k, s in enumerate(solved) if is_nothing(s)] if self._of_nothing else []
        at = empty[0] if empty else kinds.index(worst(kinds))
        told = solved[at]
        words = say(self, told)
        if len(kinds) > 1:
            good = sum(kind == "converged" for kind in kinds)
            words = f"{good} of {len(kinds)} binary parts converged; part {at}: {words}"
        self.converged_ = all(kind == "converged" for kind in kinds)
        self.fit_status_ = 0 if self.converged_ else 1
        self.stop_reason_ = words
        self.trace_ = told.solution.trace
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

    def _divisors(self, rho: np.ndarray) -> np.ndarray:
        """The same of many parts."""
        return np.ones(len(rho))

    def _divisor_under_way(self, problem: BoxProblem, s: BoxSolution) -> float:
        """The same before the end, when rho may be anything."""
        return 1.0

    def _proved(self, source: GramSource, problem: BoxProblem, s: BoxSolution, psd: bool) -> Solved:
        """With its certificate, whose scores of all items the solution has from then on."""
        began = time.perf_counter()
        one, c = Solved(problem, s, self._divisor(problem, s.rho)), problem.items(s.b)
        claimed = Claimed(problem, one.point.b, one.intercept, one.point.rho, one.scale, one.coef)
        f, e = telling_scores(source, problem, claimed.b, claimed.offsets, self.gap_tol)
        s.f, s.square = f, float(c @ f)
        if len(problem.total) and not problem.t.any():
            length = np.sqrt(np.maximum(source.diag, 0.0))
            one.resolution = RESOLUTION * float(np.abs(c) @ length) * float((problem.upper - problem.lower) @ length)
        claimed = replace(claimed, scores=(f, e))
        (one.certificate,) = certify_parts(source, [claimed], asked=self.gap_tol, psd=psd, began=began)
        return one

    def _pairs_proved(self, source: GramSource, fits: PairFits, psd: bool) -> SolvedPairs:
        """The same for all pairs of classes, figure by figure for all at once."""
        began, p, items = time.perf_counter(), fits.problems, fits.rows.items
        solved = SolvedPairs(fits, self._divisors(fits.rho))
        fits.f, e = joined_expansions(source, items, fits.b, p.ends)
        resolution: np.ndarray | float = 0.0
        if not p.t.any():
            length = np.sqrt(np.maximum(source.diag, 0.0))[items]
            reach, room = (np.add.reduceat(v * length, p.first) for v in (np.abs(fits.b), p.upper - p.lower))
            resolution = RESOLUTION * reach * room
        claims = Claims(p, fits.b, fits.offsets, solved.scale, solved.coef, (fits.f, e))
        proved = certify_claims(source, claims, asked=self.gap_tol, psd=psd, began=began)
        solved.proved(np.add.reduceat(fits.b * fits.f, p.first), resolution, proved)
        return solved

    def _not_at_their_end(self, solved: SolvedPairs) -> list[int]:
        """Pairs whose certificates are not good enough; the others have converged, whatever ended them."""
        rest = [k for k, c in enumerate(solved.certificates) if not meets(self, c) and not reached(self, solved[k])]
        before = solved.fits.kinds
        solved.fits.kinds = ["converged"] * len(before)
        for k in rest:
            solved.fits.kinds[k] = before[k]
        return rest

    def _certificate(
        self, source: GramSource, problem: BoxProblem, point: DualPoint, intercept: float, coef: np.ndarray, psd: bool
    ) -> SVMCertificate:
        scale = self._divisor(problem, point.rho)
        claimed = Claimed(problem, point.b, intercept, point.rho, scale, coef)
        return certify_parts(source, [claimed], asked=self.gap_tol, psd=psd)[0]
