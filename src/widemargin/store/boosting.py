"""Boosters as stored types. Members that a file can hold are stumps and widemargin's own estimators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


def _words_agree(model: Any) -> None:
    """One step a rule, on words that are there, with votes for each label."""
    if not hasattr(model, "steps_"):
        return
    rounds, stumps, labels = len(model.steps_), model.stumps_, len(model.classes_)
    if rounds != model.n_rounds_ * model.per_round_ or len(stumps) != rounds or model.members_:
        raise Violation(f"{rounds} steps and {len(stumps)} rules in {model.n_rounds_} rounds of {model.per_round_}")
    if stumps.column.max(initial=-1) >= model.n_features_in_:
        raise Violation(f"a rule names word {stumps.column.max(initial=-1)} of {model.n_features_in_}")
    outputs = labels if labels > 2 or model.multilabel_ else 1
    if model.n_classes_ != labels or (rounds and stumps.values.shape[2] != outputs):
        raise Violation(f"votes for {stumps.values.shape[2]} labels, and n_classes_={model.n_classes_}, of {labels}")


_FITTED: Mapping[str, Rule] = {
    "stumps_": Part("Stumps", optional=True, sizes=lambda stumps: {"t": len(stumps)}),
    "members_": Plain(list),
    "grove_": Part("Grove", optional=True),  # in files only
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


def _booster(place: str, fitted: Mapping[str, Rule], agree: Callable[[Any], None] = _members_agree) -> EstimatorSpec:
    """Many small trees of one kind are one part of a file. Version 1 kept each as a part of its own."""
    return EstimatorSpec(
        f"widemargin.estimator.{place}",
        2,
        fitted,
        agree=agree,
        attributes_of=lambda booster: booster._packed(),
        restore=lambda booster: booster._unpack(),
        migrate={1: lambda data, arrays: (data, arrays)},
    )


BOOSTING: dict[str, Any] = {
    "Grove": DataclassSpec(
        "widemargin.estimator.boosting_trees:Grove",
        1,
        {
            "template": Part("DecisionTreeRegressor"),
            "trees": Part("Trees", sizes=lambda trees: {"t": len(trees)}),
            "lines": Array("i8", ("t",), low=1),
            "seeds": Array("i8", ("t",), low=0, below=2**31),
            "n": Plain(int, low=1),
        },
    ),
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
    "AdaBoostClassifier": _booster("adaboost:AdaBoostClassifier", _CLASSES),
    "AdaBoostRegressor": _booster("adaboost_regressor:AdaBoostRegressor", _FITTED),
    "BoostingRegressor": _booster("boosting_regressor:BoostingRegressor", _FITTED),
    "BrownBoostClassifier": _booster("brown_boost:BrownBoostClassifier", {**_CLASSES, "finished_": Plain(bool)}),
    "FloatBoostClassifier": _booster("float_boost:FloatBoostClassifier", _CLASSES),
    "TextBooster": _booster(
        "text_booster:TextBooster",
        {
            **_CLASSES,
            "stumps_": Part("WordStumps"),
            "words_": Part("BagOfWords", optional=True),
            "multilabel_": Plain(bool),
            "n_classes_": Plain(int, low=1),
        },
        _words_agree,
    ),
    **{
        name: _booster(f"real_boosting:{name}", _CLASSES)
        for name in ("RealAdaBoostClassifier", "GentleBoostClassifier", "LogitBoostClassifier")
    },
}
