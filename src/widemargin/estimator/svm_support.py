"""The support of a machine, under the names that users of the peers know."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from ..kernels.items import RowItems
from ..kernels.rows import Linear
from .kernel_support import KernelTraining
from .svm_input import SVMInput
from .svm_work import Work


class SVMSupport(SVMInput):
    """Support rows, their coefficients and kinds, and the weights of a linear machine."""

    def _support(self, work: Work, used: np.ndarray, coef: np.ndarray) -> dict[str, Any]:
        """Coefficients are sparse where the rows are, as in scikit-learn."""
        items = work.source.items.take(used).compact()
        sparse = isinstance(items, RowItems) and items.sparse
        return {
            "support_items_": items,
            "support_": work.data.numbers(used).astype(np.int32),
            "dual_coef_": type(items.X)(coef) if sparse else coef,
        }

    @staticmethod
    def _dense(coef: Any) -> np.ndarray:
        return coef.toarray() if sp.issparse(coef) else coef

    def _place_in_support(self, data: KernelTraining) -> np.ndarray:
        """For each row of the fit its place in the support, or -1."""
        given = np.full(int(self.support_.max(initial=-1)) + 1, -1)
        given[self.support_] = np.arange(len(self.support_))
        numbers = data.numbers(np.arange(data.n))
        at = np.full(data.n, -1)
        inside = numbers < len(given)
        at[inside] = given[numbers[inside]]
        return at

    @property
    def support_vectors_(self) -> Any:
        """The rows of the support; an empty array where the kernel compares something else."""
        check_is_fitted(self, "support_items_")
        items = self.support_items_
        return items.X if isinstance(items, RowItems) else np.empty((0, 0))

    @property
    def support_kinds_(self) -> np.ndarray:
        """For each support row "free" (inside of the box) or "bounded"; with several parts, free in one of them."""
        check_is_fitted(self, "support_items_")
        return np.where(self.support_free_, "free", "bounded")

    @property
    def coef_(self) -> Any:
        """Weights of the features, read-only; only with the linear kernel."""
        check_is_fitted(self, "support_items_")
        if not isinstance(self.kernel_, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        W = self._weights()
        (W.data if sp.issparse(W) else W).flags.writeable = False
        return W

    # Names without a promise that converters of scikit-learn's machines look for.
    @property
    def _gamma(self) -> float:
        kernel = self.kernel_
        return float(getattr(kernel, "gamma", getattr(kernel, "alpha", 0.0)))

    @property
    def _n_support(self) -> np.ndarray:
        return self.n_support_

    @property
    def _sign(self) -> float:
        """LIBSVM's scores of two classes speak for the first."""
        return -1.0 if len(getattr(self, "classes_", ())) == 2 else 1.0

    @property
    def _dual_coef_(self) -> Any:
        return self._sign * self.dual_coef_

    @_dual_coef_.setter
    def _dual_coef_(self, value: Any) -> None:
        self.dual_coef_ = self._sign * value

    @property
    def _intercept_(self) -> np.ndarray:
        return self._sign * self.intercept_

    def _weights(self) -> Any:
        return self.dual_coef_ @ self.support_vectors_
