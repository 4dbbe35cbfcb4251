"""Boosters as stored types. Members that a file can hold are stumps and widemargin's own estimators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .estimators import EstimatorSpec
from .records import DataclassSpec
from .rules import Array, Labels, Part, Plain, Rule

_FITTED: Mapping[str, Rule] = {
    "stumps_": Part("Stumps", optional=True),
    "members_": Rule(),
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
_TRANSIENT = ("observe", "random_state")

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
        "widemargin.estimator.adaboost:AdaBoostClassifier", 1, _CLASSES, transient=_TRANSIENT
    ),
    "AdaBoostRegressor": EstimatorSpec(
        "widemargin.estimator.adaboost_regressor:AdaBoostRegressor", 1, _FITTED, transient=_TRANSIENT
    ),
    "BoostingRegressor": EstimatorSpec(
        "widemargin.estimator.boosting_regressor:BoostingRegressor", 1, _FITTED, transient=_TRANSIENT
    ),
    "BrownBoostClassifier": EstimatorSpec(
        "widemargin.estimator.brown_boost:BrownBoostClassifier",
        1,
        {**_CLASSES, "finished_": Plain(bool)},
        transient=_TRANSIENT,
    ),
    "FloatBoostClassifier": EstimatorSpec(
        "widemargin.estimator.float_boost:FloatBoostClassifier", 1, _CLASSES, transient=_TRANSIENT
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
        name: EstimatorSpec(f"widemargin.estimator.real_boosting:{name}", 1, _CLASSES, transient=_TRANSIENT)
        for name in ("RealAdaBoostClassifier", "GentleBoostClassifier", "LogitBoostClassifier")
    },
}
