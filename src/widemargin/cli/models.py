"""The models by their names on the command line, as data; what is not in this release is left out."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import widemargin

from .session import UsageError

_CLASSES = {
    "perceptron": "Perceptron",
    "averaged": "AveragedPerceptron",
    "voted": "VotedPerceptron",
    "batch": "BatchPerceptron",
    "margin": "MarginPerceptron",
    "kernel": "KernelPerceptron",
    "passive-aggressive": "PassiveAggressiveClassifier",
    "passive-aggressive-regressor": "PassiveAggressiveRegressor",
    "pegasos": "Pegasos",
    "sgd": "SGDSVC",
    "linear-svm": "LinearSVC",
    "linear-svr": "LinearSVR",
    "svc": "SVC",
    "nu-svc": "NuSVC",
    "svr": "SVR",
    "nu-svr": "NuSVR",
    "one-class": "OneClassSVM",
    "kernel-ridge": "KernelRidge",
    "tree": "DecisionTreeClassifier",
    "tree-regressor": "DecisionTreeRegressor",
    "stump": "DecisionStump",
    "forest": "RandomForestClassifier",
    "forest-regressor": "RandomForestRegressor",
    "extra-trees": "ExtraTreesClassifier",
    "extra-trees-regressor": "ExtraTreesRegressor",
    "decision-forest": "DecisionForestClassifier",
    "bagging": "BaggingClassifier",
    "bagging-regressor": "BaggingRegressor",
    "adaboost": "AdaBoostClassifier",
    "adaboost-regressor": "AdaBoostRegressor",
    "real-adaboost": "RealAdaBoostClassifier",
    "gentleboost": "GentleBoostClassifier",
    "logitboost": "LogitBoostClassifier",
    "brownboost": "BrownBoostClassifier",
    "floatboost": "FloatBoostClassifier",
    "boosting-regressor": "BoostingRegressor",
    "text-booster": "TextBooster",
}
MODELS = {name: cls for name, cls in _CLASSES.items() if cls in widemargin.__all__}
DEFAULT = "perceptron"


def model_class(name: str) -> type[Any]:
    """The class of a model's name."""
    if name not in MODELS:
        near = get_close_matches(name, MODELS, 1)
        guess = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"there is no model {name!r}; {guess}the models are {', '.join(MODELS)}")
    return getattr(widemargin, MODELS[name])


def kind_of(estimator: Any) -> str:
    """What it predicts: "classes", "numbers", or whether a row belongs to the "one class" it knows."""
    from sklearn.base import is_outlier_detector, is_regressor

    return "numbers" if is_regressor(estimator) else "one class" if is_outlier_detector(estimator) else "classes"


def is_svm(estimator: Any) -> bool:
    """A support vector machine: its iterations are steps of a solver, not epochs."""
    return hasattr(estimator, "gap_tol") or hasattr(estimator, "regularize_intercept")


def can_stream(cls: type[Any]) -> bool:
    return hasattr(cls, "partial_fit")


def streaming_models() -> list[str]:
    return [name for name in MODELS if can_stream(model_class(name))]
