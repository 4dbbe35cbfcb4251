"""Support vector machines for numbers and for one class.

Problem  SVR          min 1/2 |w|^2 + sum_i C_i (|f(x_i) - z_i| - epsilon)+
         NuSVR        min 1/2 |w|^2 + C (nu W epsilon + sum_i w_i (|f(x_i) - z_i| - epsilon)+), epsilon free
         OneClassSVM  min 1/2 |w|^2 - nu W rho + sum_i w_i (rho - w.phi(x_i))+
Symbols  f(x) = sum_i (a_i - a^_i) k(x_i, x) + b;  W the sum of the weights
Stops    as in estimator/svc
Method   solver/svm                                             [DruckerEtAl97; ScholkopfEtAl00; ScholkopfEtAl01]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import OutlierMixin, RegressorMixin
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..base.params import Interval, fraction, positive
from ..data.rows import Training
from ..kernels.gram import GramSource
from ..model.box import BoxProblem
from ..model.dual import DualPoint
from ..model.kernel import KernelModel
from .base import Learner, NumberTargets
from .kernel_input import KernelInput
from .kernel_support import KernelTraining, refuse_overflow
from .svm_fit import Solved, SVMFit, refuse_sparse_matrix


@dataclass(kw_only=True, eq=False, repr=False)
class OneExpansion(SVMFit, KernelInput, NumberTargets, Learner):
    """A machine with one expansion: everything but the problem itself."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Learner._parameter_constraints,
        **KernelInput._parameter_constraints,
        **SVMFit._parameter_constraints,
    }

    random_state: Any = None

    def _problem(self, data: KernelTraining) -> BoxProblem:
        raise NotImplementedError

    def _weight(self, data: Training) -> np.ndarray:
        return np.ones(data.n) if data.weight is None else data.weight

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Any:
        self._validate_params()
        refuse_sparse_matrix(self.kernel, X)
        data = self._read(X, y, sample_weight)
        problem = self._problem(data)
        source = GramSource(data.kernel, data.items, self._threads())
        refuse_overflow(source)
        solved = self._solve_all(source, [None], [problem])
        self.kernel_ = data.kernel
        self._keep(source, data, solved[0])
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (_num_samples(X),)
        self.certificate_ = replace(solved[0].certificate, data_digest=data.digest)
        self._tell(solved)
        return self

    def _keep(self, source: GramSource, data: KernelTraining, s: Solved) -> None:
        coef, b, p = s.coef, s.solution.b, s.problem
        used = np.flatnonzero(coef)
        free = ((b > p.lower) & (b < p.upper)).reshape(-1, p.n).any(axis=0)
        self.dual_coef_ = coef[None, used]
        self.intercept_ = np.array([s.intercept])
        self._keep_support(source, used, data.kept)
        self.support_free_ = free[used]
        self.n_support_ = np.array([len(used)], dtype=np.int32)
        self.n_iter_ = s.solution.steps
        self.proof_: DualPoint | None = s.point

    def _certify(self, data: KernelTraining, *, prove: bool = False) -> Any:
        problem = self._problem(data)
        coef = np.zeros(max(int(data.numbers(np.arange(data.n)).max()), int(self.support_.max(initial=0))) + 1)
        coef[self.support_] = self.dual_coef_[0]
        coef = coef[data.numbers(np.arange(data.n))]
        b, rho = (self._split(problem, coef), 0.0) if self.proof_ is None else (self.proof_.b, self.proof_.rho)
        source = GramSource(self.kernel_, data.items, self._threads())
        return self._certificate(source, problem, b, float(self.intercept_[0]), rho, coef, data.digest)

    def _split(self, problem: BoxProblem, coef: np.ndarray) -> np.ndarray:
        """Variables from coefficients alone, for a model whose proof was left out."""
        if problem.n_variables == problem.n:
            return coef
        return np.concatenate([np.maximum(coef, 0.0), np.minimum(coef, 0.0)])

    @property
    def model_(self) -> KernelModel:
        check_is_fitted(self)
        return KernelModel(self.kernel_, self.support_items_, self.dual_coef_, self.intercept_)

    def _values(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self.model_.scores(self._items(X), self._threads())[:, 0]


@dataclass(kw_only=True, eq=False, repr=False)
class SupportVectorRegressor(RegressorMixin, OneExpansion):
    """What both regressions share."""

    C: float = 1.0

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Solve the problem of the class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` the square matrix of kernel values.
        y : array-like of shape (n_samples,)
            One number a row.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 3 is a row that stands there three times, 0 one that is absent.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """The number predicted for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` kernel values between these and all training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._values(X)


@dataclass(kw_only=True, eq=False, repr=False)
class SVR(SupportVectorRegressor):
    """Regression with a tube: errors up to epsilon cost nothing, those beyond it their excess."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneExpansion._parameter_constraints,
        "C": [positive()],
        "epsilon": [Interval(Real, 0, None, closed="left")],
    }

    epsilon: float = 0.1

    def _problem(self, data: KernelTraining) -> BoxProblem:
        return BoxProblem.eps_svr(data.y, self.epsilon, self.C * self._weight(data))


@dataclass(kw_only=True, eq=False, repr=False)
class NuSVR(SupportVectorRegressor):
    """Regression whose tube is as wide as it must be for a share nu of the rows to lie outside."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneExpansion._parameter_constraints,
        "C": [positive()],
        "nu": [fraction("right")],
    }

    nu: float = 0.5

    def _problem(self, data: KernelTraining) -> BoxProblem:
        return BoxProblem.nu_svr(data.y, self.C, self._weight(data), self.nu)

    @property
    def epsilon_(self) -> float:
        """The half-width of the tube that was found."""
        check_is_fitted(self)
        return -self.proof_.rho if self.proof_ is not None else float("nan")


@dataclass(kw_only=True, eq=False, repr=False)
class OneClassSVM(OutlierMixin, OneExpansion):
    """The support of a distribution: a share nu of the rows may lie outside."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneExpansion._parameter_constraints,
        "nu": [fraction("right")],
    }

    nu: float = 0.5

    def _problem(self, data: KernelTraining) -> BoxProblem:
        return BoxProblem.one_class(self._weight(data), self.nu)

    def _read(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> KernelTraining:
        return super()._read(X, np.zeros(_num_samples(X)), sample_weight, **options)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None):
        """Find the region.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        self.offset_ = -self.intercept_
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed score: positive inside of the region."""
        return self._values(X)

    def score_samples(self, X: Any) -> np.ndarray:
        """The score without its offset."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """+1 for rows inside of the region, -1 for those outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)
