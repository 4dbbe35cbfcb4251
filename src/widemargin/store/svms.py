"""Support vector machines as stored types."""

from __future__ import annotations

from collections.abc import Mapping

from .estimators import EstimatorSpec
from .kernels import KERNEL_NAMES, items_of, kernel_agrees
from .records import DataclassSpec
from .rules import Array, Labels, Part, Plain, Rows, Rule, Sizes

MACHINE: Mapping[str, Rule] = {
    "kernel_": Part(*KERNEL_NAMES),
    "support_items_": items_of("s"),
    "support_": Array("i4", ("s",), low=0),
    "support_free_": Array("?", ("s",)),
    "dual_coef_": Rows("f8", ("r", "s")),
    "intercept_": Array("f8", ("k",)),
    "fit_status_": Plain(int, low=0, high=1),
    "converged_": Plain(bool),
    "stop_reason_": Plain(str),
    "trace_": Part("Trace"),
    "shape_fit_": Rule(),
    "certificate_": Rule(optional=True),
}
CLASSIFIER: Mapping[str, Rule] = {
    **MACHINE,
    "classes_": Labels("c"),
    "n_support_": Array("i4", ("c",), low=0),
    "n_iter_": Array("i4", ("k",), low=0),
    "margin_": Array("f8", ("k",), finite=False),
    "class_weight_": Array("f8", ("c",), low=0),
    "slacks_": Array("f8", ("rows",), finite=False, optional=True, proof=True),
    "probA_": Array("f8", ("k",), optional=True),
    "probB_": Array("f8", ("k",), optional=True),
    "proof_": Part("DualPoints", optional=True, proof=True),
}
ONE_EXPANSION: Mapping[str, Rule] = {
    **MACHINE,
    "n_support_": Array("i4", (1,), low=0),
    "n_iter_": Plain(int, low=0),
    "proof_": Part("DualPoint", optional=True, proof=True),
}


SEARCH: Mapping[str, Rule] = {
    "Cs": Array("f8", ("C",), low=0),
    "gammas": Array("f8", ("g",), finite=False),
    "fold_scores": Array("f8", ("g", "C", "folds"), finite=False),
    "gaps": Array("f8", ("g", "C", "folds"), finite=False),
    "n_iter": Array("i8", ("g", "C", "folds"), low=0),
    "seconds": Array("f8", ("g", "C", "folds"), finite=False),
}


def _classes_fit(s: Sizes) -> bool:
    """Two classes: one expansion. More: one a class, or all pairs with one coefficient less than there are classes."""
    c, k, r = s["c"], s["k"], s["r"]
    return k == r == 1 if c == 2 else (k == r == c) or (k == c * (c - 1) // 2 and r == c - 1)


def _one(s: Sizes) -> bool:
    return s["k"] == s["r"] == 1


_AGREE = kernel_agrees("support_items_")
SVMS = {
    "DualPoints": DataclassSpec(
        "widemargin.model.dual:DualPoints",
        1,
        {"b": Array("f8", ("n",)), "ends": Array("i8", ("k",), low=0), "rho": Array("f8", ("k",))},
    ),
    "SVC": EstimatorSpec("widemargin.estimator.svc:SVC", 1, CLASSIFIER, rule=_classes_fit, agree=_AGREE),
    "NuSVC": EstimatorSpec("widemargin.estimator.nu_svc:NuSVC", 1, CLASSIFIER, rule=_classes_fit, agree=_AGREE),
    "SearchPath": DataclassSpec("widemargin.model.curve:SearchPath", 1, SEARCH),
    "SVCCV": EstimatorSpec(
        "widemargin.estimator.svc_cv:SVCCV",
        1,
        {
            **CLASSIFIER,
            "path_": Part("SearchPath"),
            "C_": Plain(float, low=0),
            "gamma_": Plain(float, finite=False),
        },
        rule=_classes_fit,
        agree=_AGREE,
    ),
    "SVR": EstimatorSpec(
        "widemargin.estimator.svr:SVR",
        1,
        {**ONE_EXPANSION, "C_": Plain(float, low=0, finite=False)},
        rule=_one,
        agree=_AGREE,
    ),
    "NuSVR": EstimatorSpec("widemargin.estimator.svr:NuSVR", 1, ONE_EXPANSION, rule=_one, agree=_AGREE),
    "OneClassSVM": EstimatorSpec(
        "widemargin.estimator.one_class:OneClassSVM", 1, ONE_EXPANSION, rule=_one, agree=_AGREE
    ),
}
