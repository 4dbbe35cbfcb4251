"""Linear support vector machines as stored types."""

from __future__ import annotations

from collections.abc import Mapping

from .estimators import EstimatorSpec
from .records import DataclassSpec
from .rules import Array, Labels, Part, Plain, Rule, Sizes

SOLVED: Mapping[str, Rule] = {
    "n_iter_": Plain(int, low=0),
    "solver_": Plain(str),
    "converged_": Plain(bool),
    "stop_reason_": Plain(str),
    "trace_": Part("Trace"),
    "certificate_": Rule(optional=True),
    "proof_": Part("DualPoints", optional=True, proof=True),
}
CLASSIFIER: Mapping[str, Rule] = {
    **SOLVED,
    "classes_": Labels("c"),
    "coef_": Array("f8", ("k", "d")),
    "intercept_": Array("f8", ("k",)),
    "calibration_": Part("Sigmoids", "RisingLines", optional=True),
}


def _parts_fit_classes(s: Sizes) -> bool:
    """k lines for c classes: one, one a class, or one a pair of classes."""
    return s["k"] == 1 if s["c"] == 2 else s["k"] in (s["c"], s["c"] * (s["c"] - 1) // 2)


LINEAR = {
    "Sigmoids": DataclassSpec(
        "widemargin.model.calibration:Sigmoids", 1, {"A": Array("f8", ("k",)), "B": Array("f8", ("k",))}
    ),
    "RisingLines": DataclassSpec(
        "widemargin.model.calibration:RisingLines",
        1,
        {"f": Array("f8", ("m",)), "p": Array("f8", ("m",), low=0), "offsets": Array("i8", ("k",), offsets_of="m")},
    ),
    "LinearSVC": EstimatorSpec("widemargin.estimator.linear_svc:LinearSVC", 1, CLASSIFIER, rule=_parts_fit_classes),
    "LinearSVCCV": EstimatorSpec(
        "widemargin.estimator.linear_svc_cv:LinearSVCCV",
        1,
        {**CLASSIFIER, "path_": Part("SearchPath"), "C_": Plain(float, low=0)},
        rule=_parts_fit_classes,
    ),
    "LinearSVR": EstimatorSpec(
        "widemargin.estimator.linear_svr:LinearSVR",
        1,
        {**SOLVED, "coef_": Array("f8", ("d",)), "intercept_": Array("f8", (1,))},
    ),
}
