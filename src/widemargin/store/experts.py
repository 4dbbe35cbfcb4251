"""Learners with expert advice as stored types. Experts that a file can hold are widemargin's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .estimators import EstimatorSpec
from .objects import ObjectSpec
from .records import DataclassSpec
from .rules import Array, Labels, Part, Plain, Rule
from .values import Violation

_GAME: Mapping[str, Rule] = {
    "_state": Part("ExpertState"),
    "_digest": Plain(int, low=0, high=2**64 - 1),
    "classes_": Labels("c", optional=True),
    "_proved": Part("ExpertCertificate", optional=True),
}


def _state(cls: type, values: dict[str, Any]) -> Any:
    if values["rule"].n != len(values["expert_losses"]):
        raise Violation(f"{len(values['expert_losses'])} losses for {values['rule'].n} experts")
    return cls(**values)


EXPERTS = {
    "HedgeRule": DataclassSpec(
        "widemargin.model.experts:HedgeRule", 1, {"n": Plain(int, low=1), "rate": Plain(float, low=0, optional=True)}
    ),
    "MajorityRule": DataclassSpec(
        "widemargin.model.experts:MajorityRule", 1, {"n": Plain(int, low=1), "beta": Plain(float, low=0, high=1)}
    ),
    "RegretPath": ObjectSpec(
        "widemargin.model.experts:RegretPath",
        1,
        lambda path: {"columns": path.columns},
        lambda cls, values: cls(values["columns"]),
        {"columns": Array("f8", (3, "t"))},
    ),
    "ExpertState": ObjectSpec(
        "widemargin.solver.experts:ExpertState",
        1,
        lambda state: {name: getattr(state, name) for name in ("rule", "expert_losses", "loss", "rate_sum", "path")},
        _state,
        {
            "rule": Part("HedgeRule", "MajorityRule"),
            "expert_losses": Array("f8", ("n",), low=0),
            "loss": Plain(float, low=0),
            "rate_sum": Plain(float, low=0),
            "path": Part("RegretPath"),
        },
    ),
    "ExpertCertificate": DataclassSpec("widemargin.certificate.record:ExpertCertificate", 1, nonfinite=True),
    "Hedge": EstimatorSpec("widemargin.estimator.experts:Hedge", 1, _GAME),
    "WeightedMajority": EstimatorSpec("widemargin.estimator.experts:WeightedMajority", 1, _GAME),
}
