"""Support vector machines for numbers.

Problem  SVR    min 1/2 |w|^2 + sum_i C_i (|f(x_i) - z_i| - epsilon)+
         NuSVR  min 1/2 |w|^2 + C (nu W epsilon + sum_i w_i (|f(x_i) - z_i| - epsilon)+), epsilon free
Symbols  f(x) = sum_i (a_i - a^_i) k(x_i, x) + b;  W the sum of the weights
Stops    as in estimator/svc
Method   solver/svm                                             [DruckerEtAl97; ScholkopfEtAl00]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ..base.callbacks import with_callbacks
from ..base.errors import BadInput
from ..base.params import Interval, positive
from ..model.box import BoxProblem
from ..solver.svm import BoxSolution
from .kernel_support import KernelTraining
from .svm_expansion import OneExpansion

PRICES = tuple(10.0**k for k in range(2, 17, 2))  # tried for C=inf, one after the other


@dataclass(kw_only=True, eq=False, repr=False)
class SupportVectorRegressor(RegressorMixin, OneExpansion):
    """What both regressions share."""

    C: float = 1.0

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Solve the problem of the class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` the square matrix of kernel values.
        y : array-like of shape (n_samples,)
            One number a row.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 3 is a row that stands there three times, 0 one that is absent. Rows of negative weight are left
            out with a warning, as LIBSVM leaves them out.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        self._warn()
        return self

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
    """Regression with a tube: errors up to epsilon cost nothing, those beyond it their excess.

    Parameters
    ----------
    C : float, default=1.0
        Price of an excess, times sample weight. Infinite: no row may lie outside of the tube.
    epsilon : float, default=0.1
        Half the width of the tube.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, kernel or callable, default="rbf"
        A name, an object of :mod:`widemargin.kernels`, anything with its three methods, or a function. A function is
        called with two matrices for rows of numbers, with two lists or two items for anything else.
    degree : int, default=3
        Of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid"; "scale" is 1 / (features × variance of all values, weighted), "auto" is
        1 / features, 0 makes all values the same.
    coef0 : float, default=0.0
        Of "poly": (gamma x·z + coef0)^degree, and of "sigmoid": tanh(gamma x·z + coef0). Where that is not positive
        semidefinite a warning has the witness, and the certificate says that it bounds nothing.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, as LIBSVM measures it.
    gap_tol : float, default=1e-4
        Largest relative duality gap. The fit ends when both hold, recomputed in float64.
    shrinking : bool, default=True
        Leave out rows that stay at their bounds while the fit is under way; the certificate looks at all of them.
    cache_size : float or "auto", default="auto"
        MB of memory for rows of kernel values; "auto" is a quarter of what is free, at most 4096.
    max_iter : int, default=-1
        Most steps, each of one pair of variables; -1 is no limit.
    max_time : float, optional
        Most seconds; the model that is there by then is kept, with its gap.
    warm_start : bool, default=False
        Start from the solution of the last fit where there are as many rows and classes; the optimum is the same.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    observe : callable, optional
        Called as observe(step, columns, snapshot) now and then; True stops the fit.
    random_state : ignored
        Nothing is random here.
    verbose : ignored

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Numbers of the support rows.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The rows themselves; empty where the kernel compares something else.
    n_support_ : ndarray of shape (1,)
        How many.
    support_kinds_ : ndarray of shape (n_support,)
        "free" rows lie on the tube, "bounded" ones outside of it.
    dual_coef_ : ndarray or sparse matrix of shape (1, n_support)
        a - â: positive for rows above the tube, negative for those below. Sparse where the rows are.
    coef_ : ndarray or sparse matrix of shape (1, n_features)
        Weights of the features; only with the linear kernel.
    intercept_ : ndarray of shape (1,)
        The bias.
    C_ : float
        C; where that is infinite, a number so large that no coefficient reaches it, which is the same problem.
    n_iter_ : int
        Steps.
    kernel_ : kernel
        The kernel with all its numbers.
    certificate_ : SVMCertificate
        Primal and dual objective, their gap and the violation, recomputed in float64 without the solver.
    proof_ : DualPoint or None
        The point of the dual that proves it.
    converged_, fit_status_ : bool, int
        Whether `tol` and `gap_tol` were reached; 0 if so, else 1.
    stop_reason_, trace_ : str, Trace
        Why the fit ended; figures by round.
    n_features_in_, feature_names_in_, shape_fit_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneExpansion._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="right")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
    }

    epsilon: float = 0.1

    def _problem(self, data: KernelTraining, **beside: Any) -> BoxProblem:
        return BoxProblem.eps_svr(data.y, self.epsilon, beside.get("C_", vars(self).get("C_")) * self._weight(data))

    def _fit(self, X: Any, y: Any, sample_weight: Any, **beside: Any) -> Any:
        """An infinite price is one that no coefficient reaches: it is raised until that is so."""
        self._validate_params()
        if not np.isinf(self.C):
            return super()._fit(X, y, sample_weight, C_=float(self.C))
        for C in PRICES:
            super()._fit(X, y, sample_weight, C_=C)
            outside = int(np.count_nonzero(~self.support_free_))
            if outside == 0:
                return self
        raise BadInput(
            f"C=inf asks for a tube that holds every row, but at C={C:.0e} {outside} rows still lie outside of "
            f"epsilon={self.epsilon:g}: raise epsilon, or give a finite C."
        )


@dataclass(kw_only=True, eq=False, repr=False)
class NuSVR(SupportVectorRegressor):
    """Regression whose tube is as wide as it must be for a share nu of the rows to lie outside.

    Parameters
    ----------
    C : float, default=1.0
        Price of an excess, times sample weight.
    nu : float, default=0.5
        Above 0, at most 1: bounds the share of rows outside of the tube from above, that of the support from below.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, kernel or callable, default="rbf"
        A name, an object of :mod:`widemargin.kernels`, anything with its three methods, or a function. A function is
        called with two matrices for rows of numbers, with two lists or two items for anything else.
    degree : int, default=3
        Of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid"; "scale" is 1 / (features × variance of all values, weighted), "auto" is
        1 / features, 0 makes all values the same.
    coef0 : float, default=0.0
        Of "poly": (gamma x·z + coef0)^degree, and of "sigmoid": tanh(gamma x·z + coef0). Where that is not positive
        semidefinite a warning has the witness, and the certificate says that it bounds nothing.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, as LIBSVM measures it.
    gap_tol : float, default=1e-4
        Largest relative duality gap. The fit ends when both hold, recomputed in float64.
    shrinking : bool, default=True
        Leave out rows that stay at their bounds while the fit is under way; the certificate looks at all of them.
    cache_size : float or "auto", default="auto"
        MB of memory for rows of kernel values; "auto" is a quarter of what is free, at most 4096.
    max_iter : int, default=-1
        Most steps, each of one pair of variables; -1 is no limit.
    max_time : float, optional
        Most seconds; the model that is there by then is kept, with its gap.
    warm_start : bool, default=False
        Start from the solution of the last fit where there are as many rows and classes; the optimum is the same.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    observe : callable, optional
        Called as observe(step, columns, snapshot) now and then; True stops the fit.
    random_state : ignored
        Nothing is random here.
    verbose : ignored

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Numbers of the support rows.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The rows themselves; empty where the kernel compares something else.
    n_support_ : ndarray of shape (1,)
        How many.
    support_kinds_ : ndarray of shape (n_support,)
        "free" rows lie on the tube, "bounded" ones outside of it.
    dual_coef_ : ndarray or sparse matrix of shape (1, n_support)
        a - â: positive for rows above the tube, negative for those below. Sparse where the rows are.
    coef_ : ndarray or sparse matrix of shape (1, n_features)
        Weights of the features; only with the linear kernel.
    intercept_ : ndarray of shape (1,)
        The bias.
    epsilon_ : float
        Half the width of the tube that was found; NaN where the proof was left out of a file.
    n_iter_ : int
        Steps.
    kernel_ : kernel
        The kernel with all its numbers.
    certificate_ : SVMCertificate
        Primal and dual objective, their gap and the violation, recomputed in float64 without the solver.
    proof_ : DualPoint or None
        The point of the dual that proves it.
    converged_, fit_status_ : bool, int
        Whether `tol` and `gap_tol` were reached; 0 if so, else 1.
    stop_reason_, trace_ : str, Trace
        Why the fit ended; figures by round.
    n_features_in_, feature_names_in_, shape_fit_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneExpansion._parameter_constraints,
        "C": [positive()],
        "nu": [Interval(Real, 0, 1, closed="right")],
    }

    nu: float = 0.5

    def _problem(self, data: KernelTraining, **beside: Any) -> BoxProblem:
        return BoxProblem.nu_svr(data.y, self.C, self._weight(data), self.nu)

    def _solution(self, problem: BoxProblem, s: BoxSolution) -> BoxSolution:
        """No tube is narrower than nothing, which rounding does not know."""
        return s if s.rho < 0 else replace(s, offsets=np.full(2, s.intercept))

    @property
    def epsilon_(self) -> float:
        """The half-width of the tube that was found."""
        check_is_fitted(self)
        return 0.0 - self.proof_.rho if self.proof_ is not None else float("nan")
