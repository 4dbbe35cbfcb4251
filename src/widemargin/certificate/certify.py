"""`certify`: recompute the certificate of a fitted estimator from data, model and proof alone."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..base.errors import BadInput
from .record import Certificate


def certify(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None, *, prove: bool = False) -> Certificate:
    """What can be proved about a fitted estimator on the data of its fit.

    Parameters
    ----------
    estimator : fitted estimator of widemargin, or a scikit-learn Pipeline that ends in one
    X, y, sample_weight : as given to fit
    prove : bool, default=False
        Also spend what the fit did not: a linear program that decides separability.

    Returns
    -------
    Certificate
        `holds` is True if every figure was recomputed and agrees.

    Raises
    ------
    DataMismatch
        If these are not the data of the fit.
    """
    if hasattr(estimator, "steps"):
        for _, step in estimator.steps[:-1]:
            X = X if step in (None, "passthrough") else step.transform(X)
        estimator = estimator.steps[-1][1]
    check = getattr(estimator, "_recertify", None)
    if check is None:
        raise BadInput(f"{type(estimator).__name__} keeps no certificate: give an estimator of widemargin.")
    check_is_fitted(estimator)
    return check(X, y, sample_weight, prove=prove)
