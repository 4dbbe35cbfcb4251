"""A support vector machine for the support of a distribution.

Problem  min 1/2 |w|^2 - nu W rho + sum_i w_i (rho - w.phi(x_i))+
Symbols  rho = -b; W the sum of the weights
Stops    as in estimator/svc
Method   solver/svm                                                                            [ScholkopfEtAl01]
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..base.callbacks import with_callbacks
from ..base.params import Interval
from ..model.box import BoxProblem
from ..model.kernel import EDGE
from .kernel_support import KernelTraining
from .svm_expansion import OneExpansion
from .whole import whole_or_nothing


@dataclass(kw_only=True, eq=False, repr=False)
class OneClassSVM(OutlierMixin, OneExpansion):
    """The support of a distribution: a share nu of the rows may lie outside.

    Parameters
    ----------
    nu : float, default=0.5
        Above 0, at most 1: bounds the share of outliers from above, that of the support from below.
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
        Most seconds, those for the certificate among them; the model that is there by then is kept, with its gap.
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
        "free" rows lie on the edge of the region, "bounded" ones outside of it.
    dual_coef_ : ndarray or sparse matrix of shape (1, n_support)
        α. Sparse where the rows are.
    coef_ : ndarray or sparse matrix of shape (1, n_features)
        Weights of the features; only with the linear kernel.
    intercept_ : ndarray of shape (1,)
        The bias.
    offset_ : ndarray of shape (1,)
        Minus the intercept: decision_function is score_samples less this.
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
        "nu": [Interval(Real, 0, 1, closed="right")],
    }

    nu: float = 0.5

    def _problem(self, data: KernelTraining, **beside: Any) -> BoxProblem:
        return BoxProblem.one_class(self._weight(data), self.nu)

    def _read(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> KernelTraining:
        try:
            y = np.zeros(_num_samples(X))
        except TypeError:  # no rows at all: what they are is told where rows are read
            y = np.zeros(0)
        return super()._read(X, y, sample_weight, **options)

    @with_callbacks
    @whole_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None):
        """Find the region.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` the square matrix of kernel values.
        y : ignored
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

    @property
    def offset_(self) -> np.ndarray:
        """Minus the intercept."""
        check_is_fitted(self)
        return -self.intercept_

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed score: positive inside of the region, 0 on its edge (free support rows are there) to rounding.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` kernel values between these and all training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self._values(X)
        return np.where(np.abs(scores) <= EDGE * np.abs(self.intercept_), 0.0, scores)

    def score_samples(self, X: Any) -> np.ndarray:
        """The score without its offset.

        Parameters
        ----------
        X : as in decision_function

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """+1 for rows inside of the region, -1 for those outside.

        Parameters
        ----------
        X : as in decision_function

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)
