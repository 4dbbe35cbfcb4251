"""From a fitted machine to LIBSVM's layout: classes in the order that LIBSVM has, positive scores for the first."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import CannotStore
from ..kernels.precomputed import Precomputed
from ..kernels.rows import RBF, Linear, Polynomial, PolynomialFunction, Tanh
from ..model.pairs import pairs
from .libsvm_model import CLASSIFIERS, LibsvmModel
from .text_model import label_order

TYPES = {
    "SVC": "c_svc",
    "SVCCV": "c_svc",
    "NuSVC": "nu_svc",
    "OneClassSVM": "one_class",
    "SVR": "epsilon_svr",
    "NuSVR": "nu_svr",
}
_KERNELS = (Linear, Polynomial, PolynomialFunction, RBF, Tanh, Precomputed)


def as_libsvm(estimator: Any, order: Any = None) -> LibsvmModel:
    """A fitted machine as LIBSVM would hold it.

    Parameters
    ----------
    estimator : fitted SVC, SVCCV, NuSVC, SVR, NuSVR or OneClassSVM
    order : sequence of labels, optional
        Of the classes; by default +1 before -1, else ascending. Ties of votes go to the class that comes first.

    Raises
    ------
    CannotStore
        Where the format has no place for the machine: other estimators and kernels, labels that are no whole numbers,
        one against the rest.
    """
    kind = TYPES.get(type(estimator).__name__)
    if kind is None:
        raise CannotStore(f"A LIBSVM file holds {', '.join(TYPES)}, not a {type(estimator).__name__}.")
    if not isinstance(estimator.kernel_, _KERNELS):
        raise CannotStore(f"A LIBSVM file has no place for the kernel {estimator.kernel_}: save it as .wm instead.")
    if kind not in CLASSIFIERS:
        nobody = np.empty(0, np.int64)
        return LibsvmModel(
            kind, estimator.kernel_, _support(estimator), _coef(estimator), -estimator.intercept_, nobody, nobody
        )
    labels, codes = label_order(estimator.classes_, order, "LIBSVM")
    coef, intercept, counts = _pair_layout(estimator)
    coef, rho = reordered(coef, intercept, counts, codes)
    ends = np.cumsum(counts)
    rows = np.concatenate([np.arange(ends[c] - counts[c], ends[c]) for c in codes])
    return LibsvmModel(kind, estimator.kernel_, _support(estimator)[rows], coef[:, rows], rho, labels, counts[codes])


def _coef(estimator: Any) -> np.ndarray:
    coef = estimator.dual_coef_
    return coef.toarray() if sp.issparse(coef) else coef


def _support(estimator: Any) -> Any:
    if isinstance(estimator.kernel_, Precomputed):
        return estimator.support_.astype(np.int64) + 1
    return sp.csr_matrix(estimator.support_items_.X, dtype=np.float64)


def _pair_layout(estimator: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients and intercepts of all pairs (i, j), positive for class i; two classes count for the second."""
    k = len(estimator.classes_)
    if k == 2:
        return -_coef(estimator), -estimator.intercept_, estimator.n_support_
    if estimator.dual_coef_.shape[0] != k - 1:
        raise CannotStore("A LIBSVM file holds pairs of classes: fit with multiclass='ovo'.")
    return _coef(estimator), estimator.intercept_, estimator.n_support_


def reordered(coef: np.ndarray, intercept: np.ndarray, counts: np.ndarray, codes: np.ndarray) -> Any:
    """(coef, rho) for classes in the order `codes`: a pair that turns round changes its sign."""
    k = len(codes)
    class_of = np.repeat(np.arange(k), counts)
    number = {pair: p for p, pair in enumerate(pairs(k))}
    out, rho = np.zeros_like(coef), np.empty(len(intercept))
    for p, (a, b) in enumerate(pairs(k)):
        i, j = int(codes[a]), int(codes[b])
        sign = 1.0 if i < j else -1.0
        rho[p] = -sign * intercept[number[min(i, j), max(i, j)]]
        # An item of class c keeps its coefficient against c' in row c' - 1 if c' > c, else in row c'.
        for old, other, new_row in ((i, j, b - 1), (j, i, a)):
            here = class_of == old
            out[new_row, here] = sign * coef[other - 1 if other > old else other, here] + 0.0  # no -0.0
    return out, rho
