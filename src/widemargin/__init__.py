"""Large-margin and ensemble learning with the proof attached.

Names are imported when first used, so `import widemargin` costs next to nothing.
"""

from importlib import import_module as _import_module

__version__ = "0.1.0"

_NAMES = {
    "AdaBoostClassifier": "estimator.adaboost",
    "AdaBoostRegressor": "estimator.adaboost_regressor",
    "AveragedPerceptron": "estimator.perceptron",
    "BagOfWords": "feature.bag_of_words",
    "BaggingClassifier": "estimator.bagging",
    "BaggingRegressor": "estimator.bagging",
    "BatchPerceptron": "estimator.batch_perceptron",
    "BoostingRegressor": "estimator.boosting_regressor",
    "BrownBoostClassifier": "estimator.brown_boost",
    "DecisionForestClassifier": "estimator.decision_forest",
    "DecisionStump": "estimator.tree",
    "DecisionTreeClassifier": "estimator.tree",
    "DecisionTreeRegressor": "estimator.tree",
    "ExtraTreesClassifier": "estimator.forest",
    "ExtraTreesRegressor": "estimator.forest",
    "FloatBoostClassifier": "estimator.float_boost",
    "GentleBoostClassifier": "estimator.real_boosting",
    "Hedge": "estimator.experts",
    "KernelPerceptron": "estimator.kernel_perceptron",
    "KernelRidge": "estimator.kernel_ridge",
    "LinearSVC": "estimator.linear_svc",
    "LinearSVCCV": "estimator.linear_svc_cv",
    "LinearSVR": "estimator.linear_svr",
    "LogitBoostClassifier": "estimator.real_boosting",
    "MarginPerceptron": "estimator.margin_perceptron",
    "NuSVC": "estimator.nu_svc",
    "NuSVR": "estimator.svr",
    "OneClassSVM": "estimator.one_class",
    "PassiveAggressiveClassifier": "estimator.passive_aggressive",
    "PassiveAggressiveRegressor": "estimator.passive_aggressive",
    "Pegasos": "estimator.pegasos",
    "Perceptron": "estimator.perceptron",
    "RandomForestClassifier": "estimator.forest",
    "RandomForestRegressor": "estimator.forest",
    "RealAdaBoostClassifier": "estimator.real_boosting",
    "SGDSVC": "estimator.sgd_svc",
    "SVC": "estimator.svc",
    "SVCCV": "estimator.svc_cv",
    "SVR": "estimator.svr",
    "SpamFilter": "estimator.spam_filter",
    "TextBooster": "estimator.text_booster",
    "VotedPerceptron": "estimator.voted_perceptron",
    "WeightedMajority": "estimator.experts",
    "certify": "certificate.certify",
    "easy": "app.easy",
    "find_separator": "certificate.separation",
}
_ROOMS = ("data", "errors", "kernels", "report", "store", "study")

__all__ = ["__version__", *sorted(_NAMES), *_ROOMS]


def __getattr__(name: str):
    if name in _NAMES:
        value = getattr(_import_module(f"{__name__}.{_NAMES[name]}"), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
