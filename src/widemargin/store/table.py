"""The static table of what a .wm file may hold: name in the file -> spec with the place of the class.

A module of this table is imported when an object of its type is saved or loaded, never because of a word in a file.
Renaming a class changes only the place; the name in files stays for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .averages import AVERAGES
from .boosting import BOOSTING
from .crowd import CrowdSpec
from .encoders import ENCODER
from .estimators import EstimatorSpec
from .experts import EXPERTS
from .kernels import KERNEL_NAMES, KERNELS, items_of, kernel_agrees
from .linear import LINEAR as LINEAR_MACHINES
from .pipelines import PIPELINES
from .records import DataclassSpec
from .rules import Array, Each, Fields, Labels, Part, Plain, Predictor, Rows, Rule, Sizes
from .sklearn_models import MODELS
from .sklearn_steps import STEPS
from .states import BATCH_STATE, GRADIENT_STATE, MARGIN_STATE, ONLINE_STATE, TRACE
from .studies import STUDIES
from .svms import SVMS
from .text import BAG_OF_WORDS, SPAM_FILTER
from .trees import FORESTS
from .values import Violation

_PERCEPTRON = "widemargin.estimator.perceptron"
_PASSIVE = "widemargin.estimator.passive_aggressive"


def _parts_fit_classes(s: Sizes) -> bool:
    """k binary parts for c classes: one, one a class, or one a pair of classes."""
    return s["k"] == 1 if s["c"] == 2 else s["k"] in (s["c"], s["c"] * (s["c"] - 1) // 2)


LINEAR: Mapping[str, Rule] = {
    "classes_": Labels("c"),
    "coef_": Array("f8", ("k", "d")),
    "intercept_": Array("f8", ("k",)),
}
ITERATED: Mapping[str, Rule] = {
    **LINEAR,
    "n_iter_": Plain(int, low=0),
    "n_updates_": Plain(int, low=0),
    "converged_": Plain(bool),
    "stop_reason_": Plain(str),
    "trace_": Part("Trace"),
    "certificate_": Rule(optional=True),
    "proof_": Rule(optional=True, proof=True),
    "_stream": Fields(
        {
            "rows": Plain(int, low=0),
            "batches": Plain(int, low=0),
            "seed": Plain(int),
            "states": Part("OnlineState", "BatchState", "MarginState", "GradientState", size="k", optional=True),
            "digest": Plain(int),
        },
        optional=True,
    ),
}
ONLINE: Mapping[str, Rule] = {**ITERATED, "t_": Plain(float, low=0)}
GRADIENT: Mapping[str, Rule] = {
    **ONLINE,
    "n_steps_": Plain(int, low=0),
    "proof_": Part("DualPoints", optional=True, proof=True),
}
LAST: Mapping[str, Rule] = {"last_coef_": Array("f8", ("k", "d")), "last_intercept_": Array("f8", ("k",))}
_MISTAKES = Fields(
    {
        "offsets": Array("i8", ("k",), offsets_of="m"),
        "row": Array("i4", ("m",), low=0, below="s"),
        "step": Array("f8", ("m",)),
        "visit": Array("i8", ("m",), low=0),
    },
    optional=True,
)
VOTED: Mapping[str, Rule] = {
    **{name: rule for name, rule in ONLINE.items() if name not in ("coef_", "intercept_")},
    **LAST,
    "visits_": Array("i8", ("k",), low=0),
    "lives_": Each("k", Array("f8", ("_n",), low=0)),
    "support_": Rows(("f4", "f8"), ("s", "d"), optional=True),
    "mistakes_": _MISTAKES,
    "starts_": Array("f8", ("k", "p"), optional=True),
    "members_": Each("k", Array("f8", ("_n", "p")), optional=True),
}


def _votes_fit_together(s: Sizes) -> bool:
    return _parts_fit_classes(s) and s.get("p", s["d"] + 1) == s["d"] + 1


def _votes_agree(model: Any) -> None:
    """Every vector has a life: one more than there are mistakes, or as many as were kept."""
    if not hasattr(model, "lives_"):
        return
    lives = [len(life) for life in model.lives_]
    if getattr(model, "members_", None) is not None:
        due = [len(members) for members in model.members_]
    elif getattr(model, "mistakes_", None) is not None and getattr(model, "support_", None) is not None:
        due = (np.diff(model.mistakes_["offsets"]) + 1).tolist()
    else:
        raise Violation("either members_ or support_ and mistakes_ are due")
    if lives != due:
        raise Violation(f"{lives} lives for {due} vectors")


KERNEL_PERCEPTRON: Mapping[str, Rule] = {
    **{name: rule for name, rule in ITERATED.items() if name != "coef_"},
    "kernel_": Part(*KERNEL_NAMES),
    "support_items_": items_of("s"),
    "support_": Array("i8", ("s",), low=0),
    "unused_": Array("i8", ("v",), low=0),
    "dual_coef_": Array("f8", ("k", "s")),
    "steps_": Part("Steps", size="*"),
    "_stream": Fields(
        {
            "rows": Plain(int, low=0),
            "batches": Plain(int, low=0),
            "seed": Plain(int),
            "states": Part("KernelState", size="k", optional=True),
        },
        optional=True,
    ),
}


def _steps_agree(model: Any) -> None:
    kernel_agrees("support_items_")(model)
    for steps in getattr(model, "steps_", ()):
        if steps.at.max(initial=-1) >= len(model.support_):
            raise Violation(f"a step names item {steps.at.max()} of {len(model.support_)}")


KERNEL_RIDGE: Mapping[str, Rule] = {
    "kernel_": Part(*KERNEL_NAMES),
    "support_items_": items_of("s"),
    "support_": Array("i8", ("s",), low=0),
    "dual_coef_": Array("f8", ("s",)),
    "intercept_": Array("f8", ("k",)),
    "certificate_": Rule(optional=True),
    "proof_": Part("DualPoint", optional=True, proof=True),
}

TABLE: dict[str, Any] = {
    **KERNELS,
    **SVMS,
    **LINEAR_MACHINES,
    **EXPERTS,
    **FORESTS,
    **BOOSTING,
    **AVERAGES,
    **STUDIES,
    **STEPS,
    **MODELS,
    **PIPELINES,
    "Crowd": CrowdSpec(),
    # records
    "Stop": DataclassSpec("widemargin.base.records:Stop", 1),
    "Trace": TRACE,
    # proofs and certificates
    "Certificate": DataclassSpec("widemargin.certificate.record:Certificate", 1),
    "OnlineProof": DataclassSpec("widemargin.solver.online:OnlineProof", 1),
    "PerceptronCertificate": DataclassSpec("widemargin.certificate.record:PerceptronCertificate", 1, nonfinite=True),
    "PassiveAggressiveCertificate": DataclassSpec(
        "widemargin.certificate.record:PassiveAggressiveCertificate", 1, nonfinite=True
    ),
    "SVMCertificate": DataclassSpec("widemargin.certificate.record:SVMCertificate", 1, nonfinite=True),
    "InseparableCertificate": DataclassSpec("widemargin.certificate.record:InseparableCertificate", 1, nonfinite=True),
    "DualPoint": DataclassSpec("widemargin.model.dual:DualPoint", 1, {"b": Array("f8", ("n",))}),
    "TableEncoder": ENCODER,
    "BagOfWords": BAG_OF_WORDS,
    "SpamFilter": SPAM_FILTER,
    # states of solvers
    "OnlineState": ONLINE_STATE,
    "BatchState": BATCH_STATE,
    "MarginState": MARGIN_STATE,
    "GradientState": GRADIENT_STATE,
    "OnlineOptions": DataclassSpec("widemargin.solver.online:OnlineOptions", 1),
    "GradientOptions": DataclassSpec("widemargin.solver.gradient:GradientOptions", 1),
    "PartsState": DataclassSpec("widemargin.solver.parts:PartsState", 1),
    # estimators
    "Perceptron": EstimatorSpec(f"{_PERCEPTRON}:Perceptron", 1, ONLINE, rule=_parts_fit_classes),
    "MarginPerceptron": EstimatorSpec(
        "widemargin.estimator.margin_perceptron:MarginPerceptron",
        1,
        {
            **ONLINE,
            "margin_": Array("f8", ("k",), finite=False, optional=True),
            "margin_upper_": Array("f8", ("k",), finite=False, optional=True),
            "given_up_": Array("i8", ("given_up",), low=0, optional=True),
            "given_up_by_part_": Rule(optional=True),
        },
        rule=_parts_fit_classes,
    ),
    "KernelPerceptron": EstimatorSpec(
        "widemargin.estimator.kernel_perceptron:KernelPerceptron",
        1,
        KERNEL_PERCEPTRON,
        rule=_parts_fit_classes,
        agree=_steps_agree,
    ),
    "KernelRidge": EstimatorSpec(
        "widemargin.estimator.kernel_ridge:KernelRidge",
        1,
        KERNEL_RIDGE,
        rule=lambda s: s["k"] == 1,
        agree=kernel_agrees("support_items_"),
    ),
    "BatchPerceptron": EstimatorSpec(
        "widemargin.estimator.batch_perceptron:BatchPerceptron", 1, ITERATED, rule=_parts_fit_classes
    ),
    "PassiveAggressiveClassifier": EstimatorSpec(
        f"{_PASSIVE}:PassiveAggressiveClassifier", 1, ONLINE, rule=_parts_fit_classes
    ),
    "PassiveAggressiveRegressor": EstimatorSpec(
        f"{_PASSIVE}:PassiveAggressiveRegressor",
        1,
        {
            **{name: rule for name, rule in ONLINE.items() if name != "classes_"},
            "coef_": Array("f8", ("d",)),
            "intercept_": Array("f8", ("k",)),
        },
        rule=lambda s: s["k"] == 1,
    ),
    "AveragedPerceptron": EstimatorSpec(
        f"{_PERCEPTRON}:AveragedPerceptron",
        1,
        {**ONLINE, **LAST},
        rule=_parts_fit_classes,
    ),
    "Pegasos": EstimatorSpec("widemargin.estimator.pegasos:Pegasos", 1, GRADIENT, rule=_parts_fit_classes),
    "SGDSVC": EstimatorSpec("widemargin.estimator.sgd_svc:SGDSVC", 1, GRADIENT, rule=_parts_fit_classes),
    "VotedPerceptron": EstimatorSpec(
        "widemargin.estimator.voted_perceptron:VotedPerceptron",
        1,
        VOTED,
        rule=_votes_fit_together,
        agree=_votes_agree,
    ),
    # what is made of estimators
    "CostSensitiveClassifier": EstimatorSpec(
        "widemargin.estimator.cost_sensitive:CostSensitiveClassifier",
        1,
        {"estimator_": Predictor(), "classes_": Labels("c"), "cost_": Array("f8", ("c", "c"))},
    ),
    "FileModel": DataclassSpec("widemargin.estimator.file_model:FileModel", 1, {"estimator": Predictor()}),
    "ValidationCurve": DataclassSpec(
        "widemargin.study.validation:ValidationCurve",
        1,
        {
            **{name: Array("f8", ("v",), finite=False) for name in ("train_scores", "scores", "gaps", "seconds")},
            "chosen_index": Plain(int, low=0),
            "knee_index": Plain(int, low=0, optional=True),
            "model": Predictor(),
        },
        nonfinite=("test_score",),
    ),
}
