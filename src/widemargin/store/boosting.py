"""Boosters as stored types. Members that a file can hold are stumps and widemargin's own estimators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .estimators import EstimatorSpec
from .records import DataclassSpec
from .rules import Array, Labels, Part, Plain, Rule
from .values import Violation


def _members_agree(model: Any) -> None:
    """Stumps or other members, one a step, on columns that are there."""
    if not hasattr(model, "steps_"):
        return
    d, rounds, stumps = model.n_features_in_, len(model.steps_), getattr(model, "stumps_", None)
    if rounds != model.n_rounds_ * model.per_round_:
        raise Violation(f"{rounds} steps in {model.n_rounds_} rounds of {model.per_round_}")
    classes = getattr(model, "classes_", ())
    if hasattr(model, "n_classes_") and model.n_classes_ != len(classes):
        raise Violation(f"n_classes_ is {model.n_classes_} where {len(classes)} is due")
    if stumps is None:
        if len(model.members_) != rounds or not all(hasattr(member, "predict") for member in model.members_):
            raise Violation(f"members_ is no list of {rounds} that predict")
        if any(getattr(member, "n_features_in_", d) != d for member in model.members_):
            raise Violation(f"a member looks at another number of columns than {d}")
        return
    if model.members_ or stumps.column.max(initial=-1) >= d:
        raise Violation(f"stumps_ and members_ are both there, or a stump names column {stumps.column.max(initial=-1)}")
    if rounds and stumps.n_outputs != (len(classes) if len(classes) > 2 else 1):
        raise Violation(f"stumps of {stumps.n_outputs} outputs for {len(classes)} classes")


_FITTED: Mapping[str, Rule] = {
    "stumps_": Part("Stumps", optional=True, sizes=lambda stumps: {"t": len(stumps)}),
    "members_": Plain(list),
    "steps_": Array("f8", ("t",)),
    "errors_": Array("f8", ("t",), finite=False),
    "per_round_": Plain(int, low=1),
    "n_rounds_": Plain(int, low=0),
    "start_": Plain(float),
    "stop_reason_": Plain(str),
    "trace_": Part("Trace"),
    "certificate_": Part("BoostingCertificate", optional=True),
    "proof_": Part("BoostingProof", optional=True, proof=True),
}
_CLASSES: Mapping[str, Rule] = {**_FITTED, "classes_": Labels("c"), "n_classes_": Plain(int, low=2)}

BOOSTING: dict[str, Any] = {
    "Stumps": DataclassSpec(
        "widemargin.model.stumps:Stumps",
        1,
        {
            "column": Array("i8", ("t",), low=0),
            "threshold": Array("f4", ("t",), finite=False),
            "values": Array("f8", ("t", 3, "k")),
            "steps": Array("f8", ("t",)),
        },
    ),
    "WordStumps": DataclassSpec(
        "widemargin.model.words:WordStumps",
        1,
        {
            "column": Array("i8", ("t",), low=0),
            "threshold": Array("f4", ("t",)),
            "values": Array("f8", ("t", 3, "k")),
            "steps": Array("f8", ("t",)),
        },
    ),
    "BoostingProof": DataclassSpec("widemargin.certificate.boosting:BoostingProof", 1, nonfinite=("errors",)),
    "BoostingCertificate": DataclassSpec("widemargin.certificate.record:BoostingCertificate", 1, nonfinite=True),
    "AdaBoostClassifier": EstimatorSpec(
        "widemargin.estimator.adaboost:AdaBoostClassifier", 1, _CLASSES, agree=_members_agree
    ),
    "AdaBoostRegressor": EstimatorSpec(
        "widemargin.estimator.adaboost_regressor:AdaBoostRegressor", 1, _FITTED, agree=_members_agree
    ),
    "BoostingRegressor": EstimatorSpec(
        "widemargin.estimator.boosting_regressor:BoostingRegressor", 1, _FITTED, agree=_members_agree
    ),
    "BrownBoostClassifier": EstimatorSpec(
        "widemargin.estimator.brown_boost:BrownBoostClassifier",
        1,
        {**_CLASSES, "finished_": Plain(bool)},
        agree=_members_agree,
    ),
    "FloatBoostClassifier": EstimatorSpec(
        "widemargin.estimator.float_boost:FloatBoostClassifier", 1, _CLASSES, agree=_members_agree
    ),
    "TextBooster": EstimatorSpec(
        "widemargin.estimator.text_booster:TextBooster",
        1,
        {
            **_CLASSES,
            "stumps_": Part("WordStumps"),
            "words_": Part("BagOfWords", optional=True),
            "multilabel_": Plain(bool),
            "n_classes_": Plain(int, low=1),
        },
        transient=_TRANSIENT,
    ),
    **{
        name: EstimatorSpec(f"widemargin.estimator.real_boosting:{name}", 1, _CLASSES, agree=_members_agree)
        for name in ("RealAdaBoostClassifier", "GentleBoostClassifier", "LogitBoostClassifier")
    },
}
