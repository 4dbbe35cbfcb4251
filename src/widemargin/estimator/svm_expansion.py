"""A support vector machine with one expansion: everything but the problem itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..certificate.record import SVMCertificate
from ..data.rows import Training
from ..kernels.gram import GramSource
from ..model.box import BoxProblem
from ..model.dual import DualPoint, DualPoints
from ..model.kernel import KernelModel
from .base import Learner, NumberTargets
from .kernel_input import KernelInput
from .kernel_support import KernelTraining
from .svm_fit import SVMFit
from .svm_input import known_psd
from .svm_solved import SolvedParts
from .svm_support import SVMSupport
from .svm_work import Work


@dataclass(kw_only=True, eq=False, repr=False)
class OneExpansion(SVMFit, SVMSupport, NumberTargets, Learner):
    """f(x) = sum_i c_i k(x_i, x) + b."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Learner._parameter_constraints,
        **KernelInput._parameter_constraints,
        **SVMFit._parameter_constraints,
    }

    random_state: Any = None

    def _problem(self, data: KernelTraining, **beside: Any) -> BoxProblem:
        raise NotImplementedError

    def _weight(self, data: Training) -> np.ndarray:
        return np.ones(data.n) if data.weight is None else data.weight

    def _fit(self, X: Any, y: Any, sample_weight: Any, **beside: Any) -> Any:
        """`beside` are attributes that the problem depends on."""
        self._validate_params()
        data = self._read(X, y, sample_weight)
        problem = self._problem(data, **beside)  # tells what cannot be before any kernel value
        self._learn(data, [None], [problem], {"shape_fit_": self._shape_of(X), **beside})
        return self

    def _learnt(self, work: Work, solved: SolvedParts) -> dict[str, Any]:
        s = solved[0]
        used = np.flatnonzero(s.coef)
        return {
            "kernel_": work.data.kernel,
            **self._support(work, used, s.coef[None, used]),
            "support_free_": s.free[used],
            "intercept_": np.array([s.intercept]),
            "n_support_": np.array([len(used)], dtype=np.int32),
            "n_iter_": max(s.solution.steps, 1),
        }

    def _model(self, a: Mapping[str, Any]) -> KernelModel:
        return KernelModel(a["kernel_"], a["support_items_"], self._dense(a["dual_coef_"]), a["intercept_"])

    @property
    def model_(self) -> KernelModel:
        """The expansion in kernel values."""
        check_is_fitted(self)
        return self._model(vars(self))

    def _values(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self.model_.scores(self._items(X), self._threads())[:, 0]

    # ---- certificate -------------------------------------------------------------------------------------------

    def _proof(self, points: DualPoints) -> DualPoint:
        return points[0]

    def _merged(self, data: KernelTraining, certificates: list[SVMCertificate]) -> SVMCertificate:
        return replace(certificates[0], data_digest=data.digest)

    def _certify(self, data: KernelTraining, *, prove: bool = False) -> SVMCertificate:
        problem = self._problem(data)
        at, coef = self._place_in_support(data), np.zeros(data.n)
        coef[at >= 0] = self._dense(self.dual_coef_)[0, at[at >= 0]]
        point = self._point(problem, coef) if self.proof_ is None else self.proof_
        if point is None:
            claim = "the proof was left out of the file, and the width of the tube with it: nothing can be recomputed"
            return SVMCertificate(claim=claim, holds=None, data_digest=data.digest)
        source = GramSource(self.kernel_, data.items, self._threads())
        psd = known_psd(self.kernel_, data.items)
        found = self._certificate(source, problem, point, float(self.intercept_[0]), coef, psd)
        return self._merged(data, [found])

    def _point(self, problem: BoxProblem, coef: np.ndarray) -> DualPoint | None:
        """The proof from coefficients alone, where it was left out of a file and can be had."""
        if len(problem.total) == 2:
            return None
        if problem.n_variables == problem.n:
            return DualPoint(coef)
        return DualPoint(np.concatenate([np.maximum(coef, 0.0), np.minimum(coef, 0.0)]))
