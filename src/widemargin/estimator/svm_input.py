"""What support vector machines read: scikit-learn's ways with weights, sparse rows and kernels that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import _num_samples

from ..base.errors import BadInput, TooLarge, WrongType
from ..base.warn import warn
from ..kernels.items import RowItems
from ..kernels.mercer import CHEAP, mercer, warn_unless_psd
from ..kernels.precomputed import Precomputed
from .kernel_input import KernelInput
from .kernel_support import KernelTraining


class SVMInput(KernelInput):
    """Rows of negative weight are left out, sparse rows are refused by a machine of dense ones."""

    def _read(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> KernelTraining:
        refuse_sparse_matrix(self.kernel, X)
        try:
            return super()._read(X, y, without_negative(sample_weight), **options)
        except TooLarge as error:  # the peers' words first
            raise TooLarge(f"The dual coefficients or intercepts are not finite for such data: {error}") from None

    def _items(self, X: Any) -> Any:
        items = super()._items(X)
        if callable(self.kernel) and not hasattr(self.kernel, "prepare"):
            return items
        if isinstance(items, RowItems) and items.sparse and not self.support_items_.sparse:
            raise BadInput(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data: give X.toarray(), or fit "
                "on sparse rows."
            )
        return items

    def _shape_of(self, X: Any) -> tuple[int, ...]:
        n = len(X) if type(X) is np.ndarray else _num_samples(X)
        return (n, self.n_features_in_) if self._takes_rows(X) else (n,)


def without_negative(sample_weight: Any) -> Any:
    """LIBSVM leaves rows of negative weight out, and programs rely on it; it is said."""
    weight = np.asarray(sample_weight) if sample_weight is not None else np.empty(0)
    if weight.dtype.kind not in "if" or weight.ndim != 1 or not (weight < 0).any():
        return sample_weight
    row = int(np.argmax(weight < 0))
    warn(
        f"sample_weight is {weight[row]} in row {row}: rows of negative weight, {np.count_nonzero(weight < 0)} of "
        f"{len(weight)}, are left out, as LIBSVM does; give 0 to leave rows out on purpose.",
        DataConversionWarning,
    )
    return np.where(weight < 0, 0.0, weight)


def refuse_sparse_matrix(kernel: Any, X: Any) -> None:
    """scikit-learn's own words for what cannot be."""
    if sp.issparse(X) and (isinstance(kernel, Precomputed) or (isinstance(kernel, str) and kernel == "precomputed")):
        raise WrongType("Sparse precomputed kernels are not supported: give a dense matrix of kernel values.")


def known_psd(kernel: Any, items: Any, *, warn: bool = False) -> bool:
    """Whether all kernel values among the items are known to form a positive semidefinite matrix, to rounding.

    Where a kernel may be none, at most 200 items are looked at; a proof against it becomes a warning.
    """
    if not getattr(kernel, "may_be_indefinite", False):
        return True
    found = warn_unless_psd(kernel, items) if warn else mercer(kernel, items, max_items=CHEAP)
    return found is None or (found.psd and found.n == found.n_items)
