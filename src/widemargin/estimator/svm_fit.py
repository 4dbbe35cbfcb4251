"""What all support vector machines share: their parameters, and the way from a box problem to a certified solution."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from threading import Event
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from ..base.drive import Watch
from ..base.errors import BadInput
from ..base.memory import budget
from ..base.params import HasMethods, Integral, Interval, StrOptions, positive
from ..base.records import Stop
from ..base.threads import crew
from ..certificate.record import SVMCertificate
from ..certificate.svm import certify_svm
from ..kernels.gram import GramSource
from ..kernels.items import RowItems
from ..kernels.precomputed import Precomputed
from ..kernels.rows import Linear
from ..model.box import BoxProblem
from ..model.dual import DualPoint
from ..solver.box import BoxOptions
from ..solver.parts import worst
from ..solver.start import carried
from ..solver.svm import BoxFit, BoxSolution

KERNELS = {"linear", "poly", "rbf", "sigmoid", "precomputed"}
REFINEMENTS = 4


@dataclass
class Solved:
    """A part: its solution, what the model is divided by, and what was proved."""

    problem: BoxProblem
    solution: BoxSolution
    scale: float
    certificate: SVMCertificate

    @property
    def point(self) -> DualPoint:
        return DualPoint(self.solution.b, self.solution.rho if len(self.problem.total) == 2 else 0.0)

    @property
    def coef(self) -> np.ndarray:
        """Of each item of the part."""
        return self.problem.items(self.solution.b) / self.scale

    @property
    def intercept(self) -> float:
        return self.solution.intercept / self.scale


@dataclass(kw_only=True, eq=False, repr=False)
class SVMFit:
    """Comes before KernelInput and the kind of learner."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(KERNELS), callable, HasMethods(["prepare", "block", "diag"])],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [positive()],
        "gap_tol": [positive()],
        "shrinking": ["boolean"],
        "cache_size": [StrOptions({"auto"}), positive()],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "warm_start": ["boolean"],
    }

    tol: float = 1e-3
    gap_tol: float = 1e-4
    shrinking: bool = True
    cache_size: float | str = "auto"
    max_iter: int = -1
    warm_start: bool = False

    # ---- solving -----------------------------------------------------------------------------------------------

    def _box_options(self, n_parts: int) -> BoxOptions:
        threads = self._threads()
        return BoxOptions(
            tol=self.tol,
            gap_tol=self.gap_tol,
            max_steps=self.max_iter,
            memory=budget(self.cache_size) // min(n_parts, threads),
            threads=threads if n_parts == 1 else 1,
        )

    def _solve_all(self, source: GramSource, places: Sequence[np.ndarray | None], problems: Sequence[BoxProblem]) -> Any:
        """All parts, each on the items at its place (None: all of them), on several threads."""
        options, watch, starts = self._box_options(len(problems)), self._watch(), self._starts(problems)

        def one(k: int, cancelled: Event) -> Solved:
            here = source if places[k] is None else source.take(places[k])
            mine = Watch(observe=watch.observe, cancelled=cancelled)
            mine.deadline, mine.max_time = watch.deadline, watch.max_time
            fit = BoxFit(here, problems[k], options)
            if starts[k] is not None:
                fit.state = fit.solver.start(starts[k])
            return self._solve(fit, mine)

        return crew(self._threads(), one, range(len(problems)))

    def _starts(self, problems: Sequence[BoxProblem]) -> list[np.ndarray | None]:
        """With warm_start, the last solution inside of the new boxes, if it has as many parts and variables."""
        proof = vars(self).get("proof_")
        points = [proof] if isinstance(proof, DualPoint) else [] if proof is None else list(proof)
        same = [point.b.size == p.n_variables for point, p in zip(points, problems, strict=False)]
        if not self.warm_start or len(points) != len(problems) or not all(same):
            return [None] * len(problems)
        return [carried(point.b, p, p) for point, p in zip(points, problems, strict=True)]

    def _solve(self, fit: BoxFit, watch: Watch) -> Solved:
        solution = fit.run(watch)
        certificate = self._proved(fit.source, fit.problem, solution)
        for _ in range(REFINEMENTS):
            if solution.stop.kind not in ("converged", "stalled") or self._good(certificate):
                break
            solution = fit.refine(watch)
            certificate = self._proved(fit.source, fit.problem, solution)
        if self._good(certificate) and solution.stop.kind == "stalled":
            solution.stop = Stop("converged", certificate.claim)
        return Solved(fit.problem, solution, self._divisor(fit.problem, solution.rho), certificate)

    def _good(self, c: SVMCertificate) -> bool:
        return bool(c.holds and c.relative_gap <= self.gap_tol and c.kkt_violation <= self.tol)

    def _divisor(self, problem: BoxProblem, rho: float) -> float:
        """nu-SVC's model is its solution divided by rho."""
        return 1.0

    def _proved(self, source: GramSource, problem: BoxProblem, s: BoxSolution) -> SVMCertificate:
        two = len(problem.total) == 2
        scale = self._divisor(problem, s.rho)
        return self._certificate(
            source, problem, s.b, s.intercept / scale, s.rho if two else 0.0, problem.items(s.b) / scale
        )

    def _certificate(
        self,
        source: GramSource,
        problem: BoxProblem,
        b: np.ndarray,
        intercept: float,
        rho: float,
        coef: np.ndarray,
        data_digest: str = "",
    ) -> SVMCertificate:
        return certify_svm(
            source,
            problem,
            b,
            intercept=intercept,
            rho=rho,
            scale=self._divisor(problem, rho),
            coef=coef,
            asked=self.gap_tol,
            data_digest=data_digest,
        )

    def _tell(self, solved: Sequence[Solved]) -> None:
        """How the parts ended: attributes, and a warning where one is not at its optimum."""
        kinds = [s.solution.stop.kind for s in solved]
        at = kinds.index(worst(kinds))
        sentence = solved[at].solution.stop.sentence
        if len(kinds) > 1:
            good = sum(kind == "converged" for kind in kinds)
            sentence = f"{good} of {len(kinds)} binary parts converged; part {at}: {sentence}"
        self.converged_ = all(kind == "converged" for kind in kinds)
        self.fit_status_ = 0 if self.converged_ else 1
        self.stop_reason_ = sentence
        self.trace_ = solved[at].solution.trace
        if not self.converged_ and kinds[at] != "asked":
            warnings.warn(sentence, ConvergenceWarning, stacklevel=4)

    # ---- what users of the peers look for ----------------------------------------------------------------------

    def _keep_support(self, source: GramSource, used: np.ndarray, kept: np.ndarray | None) -> None:
        self.support_items_ = source.items.take(used).compact()
        self.support_ = (used if kept is None else kept[used]).astype(np.int32)

    @property
    def support_vectors_(self) -> Any:
        """The rows of the support; an empty array where the kernel compares something else."""
        items = self.support_items_
        return items.X if isinstance(items, RowItems) else np.empty((0, 0))

    @property
    def support_kinds_(self) -> np.ndarray:
        """"free" (inside of the box) or "bounded" for each support row; with several parts, free in one of them."""
        return np.where(self.support_free_, "free", "bounded")

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features; only with the linear kernel."""
        if not isinstance(self.kernel_, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        return self._weights()

    def _weights(self) -> np.ndarray:
        W = self.dual_coef_ @ self.support_vectors_
        return W.toarray() if sp.issparse(W) else np.asarray(W)


def refuse_sparse_matrix(kernel: Any, X: Any) -> None:
    """scikit-learn's own words for what cannot be."""
    if sp.issparse(X) and (isinstance(kernel, Precomputed) or kernel == "precomputed"):
        raise BadInput("Sparse precomputed kernels are not supported: give a dense matrix of kernel values.")
