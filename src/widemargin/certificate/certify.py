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
    estimator, X = _at_the_end(estimator, X)
    check = getattr(estimator, "_recertify", None)
    if check is None:
        raise BadInput(f"{type(estimator).__name__} keeps no certificate: give an estimator of widemargin.")
    check_is_fitted(estimator)
    return check(X, y, sample_weight, prove=prove)


def learnt_from(estimator: Any, X: Any, y: Any) -> bool:
    """Whether these are the very rows of the fit, as far as its certificate keeps a digest of them."""
    estimator, X = _at_the_end(estimator, X)
    expected = getattr(getattr(estimator, "certificate_", None), "data_digest", "")
    if not expected or not hasattr(estimator, "_read"):
        return False
    return bool(estimator._read(X, y, None, reset=False).digest == expected)


def _at_the_end(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The last step of a pipeline, and the rows as they come to it."""
    if not hasattr(estimator, "steps"):
        return estimator, X
    for _, step in estimator.steps[:-1]:
        X = X if step in (None, "passthrough") else step.transform(X)
    return estimator.steps[-1][1], X
