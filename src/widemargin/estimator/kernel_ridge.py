"""Ridge regression in the feature space of a kernel.

Problem  min over (w, b):  1/2 sum_i w_i (w.phi(x_i) + b - y_i)^2 + alpha/2 |w|^2, b free and not penalised
Stops    in closed form; the duality gap says what rounding left
Method   [SaundersEtAl98]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import LinAlgWarning
from sklearn.base import RegressorMixin
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..base.errors import MemoryBudget
from ..base.memory import MB, budget
from ..base.params import positive
from ..base.warn import warn
from ..certificate.kernel_ridge import certify_kernel_ridge
from ..certificate.record import SVMCertificate
from ..kernels.gram import GramSource
from ..model.dual import DualPoint
from ..model.kernel import KernelModel
from ..solver.kernel_ridge import ridge
from .base import Certified, NumberTargets
from .kernel_input import KernelInput
from .kernel_support import KernelTraining, refuse_overflow
from .whole import whole_or_nothing


@dataclass(kw_only=True, eq=False, repr=False)
class KernelRidge(KernelInput, NumberTargets, RegressorMixin, Certified):
    """Kernel ridge regression with a free bias.

    Minimises ½ Σ sample_weight (f(x) - y)² + alpha/2 |w|², where f(x) = w·phi(x) + b and b is not penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty on |w|²; above 0.
    kernel : {"linear", "poly", "rbf", "precomputed"}, kernel or callable, default="rbf"
        A name, an object of :mod:`widemargin.kernels`, anything with its three methods, or a function: called with two
        matrices for rows of numbers, with two items for anything else (strings, graphs …).
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf" and "poly"; "scale" is 1 / (features × variance of all values), "auto" is 1 / features.
    degree : int, default=3
        Of "poly".
    coef0 : float, default=0.0
        Of "poly": (gamma x·z + coef0)^degree.
    fit_intercept : bool, default=True
        Learn b; otherwise it is 0, as in scikit-learn's estimator of this name.
    cache_size : float or "auto", default="auto"
        MB that the matrix of kernel values may take, 8 n² bytes; "auto" is a quarter of what is free, at most 4096.
    n_jobs : int, optional
        Threads for kernel values; the result does not depend on them.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (support,)
        c in f(x) = Σ c k(x_i, x) + b.
    intercept_ : ndarray of shape (1,)
        b.
    support_ : ndarray
        Rows of positive weight: nearly all of them have a coefficient other than 0.
    kernel_ : kernel
        The kernel with all its numbers.
    certificate_ : SVMCertificate
        Primal and dual objective and their gap.
    proof_ : DualPoint or None
        The point of the dual that proves it.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Certified._parameter_constraints,
        **KernelInput._parameter_constraints,
        "alpha": [positive()],
        "fit_intercept": ["boolean"],
    }

    alpha: float = 1.0
    fit_intercept: bool = True

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Solve for the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` the square matrix of kernel values.
        y : array-like of shape (n_samples,)
            One number a row; for several fit one model a column.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 3 is a row that stands there three times, 0 one that is absent.

        Returns
        -------
        self
        """
        self._validate_params()
        data = self._read(X, y, sample_weight)
        source = GramSource(data.kernel, data.items, self._threads())
        refuse_overflow(source)
        self._refuse_beyond_memory(data.n)
        found = ridge(source.block(None, None), data.y, self.alpha, data.weight, self.fit_intercept)
        if found.left_out:
            warn(
                f"the kernel matrix plus alpha={self.alpha:g} is singular to rounding in {found.left_out} of {data.n} "
                "directions, which were left out: raise alpha.",
                LinAlgWarning,
            )
        self.kernel_, self.support_items_ = data.kernel, data.items.compact()
        self.support_ = np.arange(_num_samples(X)) if data.kept is None else data.kept
        self.dual_coef_, self.intercept_ = found.c, np.array([found.b])
        self.proof_: DualPoint | None = DualPoint(found.c)
        self.certificate_ = self._certify(data)
        return self

    def _refuse_beyond_memory(self, n: int) -> None:
        needed, allowed = 8 * n * n, budget(self.cache_size)
        if needed > allowed:
            raise MemoryBudget(
                f"{n} rows need {needed / MB:.1f} MB for their kernel values, and {allowed / MB:.1f} MB are allowed: "
                "raise cache_size (or WIDEMARGIN_MEMORY), or fit on fewer rows.",
                needed,
                allowed,
            )

    def _certify(self, data: KernelTraining, *, prove: bool = False) -> SVMCertificate:
        return certify_kernel_ridge(
            GramSource(self.kernel_, data.items, self._threads()),
            data.y,
            self.dual_coef_ if self.proof_ is None else self.proof_.b,
            alpha=self.alpha,
            intercept=float(self.intercept_[0]),
            weight=data.weight,
            fit_intercept=self.fit_intercept,
            coef=self.dual_coef_,
            data_digest=data.digest,
        )

    @property
    def model_(self) -> KernelModel:
        check_is_fitted(self)
        return KernelModel(self.kernel_, self.support_items_, self.dual_coef_[None, :], self.intercept_)

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
        check_is_fitted(self)
        return self.model_.scores(self._items(X), self._threads())[:, 0]
