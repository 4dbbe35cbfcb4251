"""Averages of models as stored types. Members are any stored objects that predict."""

from __future__ import annotations

from typing import Any

import numpy as np

from .estimators import EstimatorSpec
from .records import DataclassSpec
from .rules import Array, Each, Labels, Part, Predictor
from .values import Violation


def _members_agree(model: Any) -> None:
    """Pairs of a name and a member; fitted members know the same classes, and the weights make an average."""
    given = model.estimators
    if type(given) is not list or not all(type(e) is tuple and len(e) == 2 and type(e[0]) is str for e in given):
        raise Violation("estimators is no list of names and estimators")
    if not hasattr(model, "weights_"):
        return
    if len(given) != len(model.estimators_) or abs(model.weights_.sum() - 1) > 1e-9:
        raise Violation(f"{len(given)} estimators, {len(model.estimators_)} of them fitted, do not make an average")
    for member in model.estimators_:
        if hasattr(model, "classes_") and not (
            hasattr(member, "predict_proba") and np.array_equal(member.classes_, model.classes_)
        ):
            raise Violation("a member has no probabilities of these classes")
        if getattr(member, "n_features_in_", None) != getattr(model, "n_features_in_", None):
            raise Violation("a member looks at another number of columns")


_FITTED = {
    "estimators_": Each("m", Predictor()),
    "weights_": Array("f8", ("m",), low=0),
    "certificate_": Part("AverageCertificate", optional=True),
}
_PLACE = "widemargin.estimator.average"

AVERAGES: dict[str, Any] = {
    "AverageCertificate": DataclassSpec("widemargin.certificate.average:AverageCertificate", 1),
    "AverageClassifier": EstimatorSpec(
        f"{_PLACE}:AverageClassifier", 1, {**_FITTED, "classes_": Labels("c")}, agree=_members_agree
    ),
    "AverageRegressor": EstimatorSpec(f"{_PLACE}:AverageRegressor", 1, _FITTED, agree=_members_agree),
}
