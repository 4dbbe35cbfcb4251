"""scikit-learn's nearest neighbours, naive Bayes, calibration and constant answers as stored types.

Neighbours are kept as rows and targets: their `fit` computes nothing but an index of the rows, so it is run once more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .estimators import EstimatorSpec
from .objects import ObjectSpec
from .rules import Array, Either, Labels, Part, Plain, Predictor, Rows, Rule, Sizes, Strings
from .sklearn_steps import FLOATS, step
from .values import Violation

# ---- nearest neighbours ----------------------------------------------------------------------------------------------


class _Targets(Rule):
    """Labels or numbers: one a row, or several outputs side by side."""

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if not isinstance(value, np.ndarray) or value.ndim not in (1, 2) or value.dtype.kind not in "biufUSO":
            raise Violation(f"{name} is neither labels nor numbers")
        if sizes.setdefault("n", len(value)) != len(value):
            raise Violation(f"{name} has {len(value)} rows where {sizes['n']} are due")


def _targets_of(model: Any) -> np.ndarray:
    if not hasattr(model, "classes_"):
        return model._y
    if model.outputs_2d_:
        return np.column_stack([classes[codes] for classes, codes in zip(model.classes_, model._y.T, strict=True)])
    return model.classes_[np.ravel(model._y)]


def _neighbour_fields(model: Any) -> dict[str, Any]:
    fitted = hasattr(model, "_fit_X")
    return {
        "params": model.get_params(deep=False),
        "X": model._fit_X if fitted else None,
        "y": _targets_of(model) if fitted else None,
        "names": getattr(model, "feature_names_in_", None),
    }


def _neighbours(cls: Any, values: dict[str, Any]) -> Any:
    if type(values["params"]) is not dict or set(values["params"]) != set(cls().get_params()):
        raise Violation("the parameters are missing or unknown")
    model = cls(**values["params"])
    if (values["X"] is None) != (values["y"] is None):
        raise Violation("rows and targets go together")
    if values["X"] is not None:
        model.fit(values["X"], values["y"])
        if values["names"] is not None:
            model.feature_names_in_ = values["names"]
    return model


def _neighbours_spec(name: str, module: str) -> ObjectSpec:
    return ObjectSpec(
        f"sklearn.neighbors.{module}:{name}",
        1,
        _neighbour_fields,
        _neighbours,
        {
            "params": Plain(dict),
            "X": Either(Rows(FLOATS, ("n", "d")), Array(("i4", "i8"), ("n", "d")), optional=True),
            "y": _Targets(optional=True),
            "names": Strings("d", optional=True),
        },
    )


# ---- calibration -----------------------------------------------------------------------------------------------------

_CURVES = ("_SigmoidCalibration", "IsotonicRegression", "_TemperatureScaling")


def _curve(name: str, *numbers: str) -> ObjectSpec:
    def make(cls: Any, values: dict[str, Any]) -> Any:
        made = cls()
        for key, value in values.items():
            setattr(made, key, np.float64(value))  # wide, also beside scores of float32
        return made

    return ObjectSpec(
        f"sklearn.calibration:{name}",
        1,
        lambda curve: {key: getattr(curve, key) for key in numbers},
        make,
        {key: Plain(float) for key in numbers},
    )


def _lines(isotonic: Any) -> None:
    """The ends as numbers of the type of the corners, and the function between them."""
    corners = isotonic.X_thresholds_
    isotonic.X_min_, isotonic.X_max_ = corners.dtype.type(isotonic.X_min_), corners.dtype.type(isotonic.X_max_)
    isotonic._build_f(corners, isotonic.y_thresholds_)


def _rises(isotonic: Any) -> None:
    if hasattr(isotonic, "X_thresholds_") and not (np.diff(isotonic.X_thresholds_) > 0).all():
        raise Violation("the corners are not in order")


def _calibrated(cls: Any, values: dict[str, Any]) -> Any:
    curves, classes = values["calibrators"], values["classes"]
    due = 1 if len(classes) == 2 or values["method"] == "temperature" else len(classes)
    if len(curves) != due:
        raise Violation(f"{len(curves)} curves where {due} are due")
    return cls(values["estimator"], curves, classes=classes, method=values["method"])


# ---- the table -------------------------------------------------------------------------------------------------------


def _bayes(name: str, *arrays: str, **more: Rule) -> EstimatorSpec:
    rules: dict[str, Rule] = {"classes_": Labels("c"), "class_count_": Array(FLOATS, ("c",), low=0)}
    rules |= {key: Array(FLOATS, ("c", "d"), finite=False) for key in arrays}
    return step(f"naive_bayes:{name}", {**rules, **more})


def _constant_agrees(model: Any) -> None:
    """Constant answers come into files where nothing does better."""
    if hasattr(model, "classes_") and (model._strategy != model.strategy or model.n_classes_ != len(model.classes_)):
        raise Violation(f"{model.n_classes_} classes by {model._strategy} where {len(model.classes_)} are due")


_ONE_OUTPUT = Plain(int, low=1, high=1)
_DISCRETE = ("feature_count_", "feature_log_prob_")
_PRIOR = Array(FLOATS, ("c",), finite=False)

MODELS: dict[str, Any] = {
    "sklearn.KNeighborsClassifier": _neighbours_spec("KNeighborsClassifier", "_classification"),
    "sklearn.KNeighborsRegressor": _neighbours_spec("KNeighborsRegressor", "_regression"),
    "sklearn.GaussianNB": _bayes("GaussianNB", "theta_", "var_", class_prior_=_PRIOR, epsilon_=Plain(float, low=0)),
    "sklearn.MultinomialNB": _bayes("MultinomialNB", *_DISCRETE, class_log_prior_=_PRIOR),
    "sklearn.BernoulliNB": _bayes("BernoulliNB", *_DISCRETE, class_log_prior_=_PRIOR),
    "sklearn.ComplementNB": _bayes(
        "ComplementNB", *_DISCRETE, class_log_prior_=_PRIOR, feature_all_=Array(FLOATS, ("d",))
    ),
    "sklearn.DummyClassifier": step(
        "dummy:DummyClassifier",
        {
            "classes_": Labels("c"),
            "class_prior_": Array(FLOATS, ("c",), low=0),
            "n_classes_": Plain(int, low=1),
            "n_outputs_": _ONE_OUTPUT,
            "_strategy": Plain(str),
            "sparse_output_": Plain(bool),
        },
        agree=_constant_agrees,
    ),
    "sklearn.DummyRegressor": step(
        "dummy:DummyRegressor", {"constant_": Array(FLOATS, (1, 1)), "n_outputs_": _ONE_OUTPUT}
    ),
    "sklearn.SigmoidCalibration": _curve("_SigmoidCalibration", "a_", "b_"),
    "sklearn.TemperatureScaling": _curve("_TemperatureScaling", "beta_"),
    "sklearn.IsotonicRegression": step(
        "isotonic:IsotonicRegression",
        {
            "X_thresholds_": Array(FLOATS, ("m",)),
            "y_thresholds_": Array(FLOATS, ("m",)),
            "X_min_": Plain(float),
            "X_max_": Plain(float),
            "increasing_": Plain(bool),
        },
        rule=lambda s: s["m"] >= 1,
        agree=_rises,
        restore=_lines,
        made=("f_",),
    ),
    "sklearn.CalibratedClassifier": ObjectSpec(
        "sklearn.calibration:_CalibratedClassifier",
        1,
        lambda one: {key: getattr(one, key) for key in ("estimator", "calibrators", "classes", "method")},
        _calibrated,
        {
            "estimator": Predictor(),
            "calibrators": Part(*_CURVES, size="*"),
            "classes": Labels("c"),
            "method": Plain(str),
        },
    ),
    "sklearn.CalibratedClassifierCV": step(
        "calibration:CalibratedClassifierCV",
        {
            "classes_": Labels("c"),
            "calibrated_classifiers_": Part(
                "_CalibratedClassifier", size="*", sizes=lambda one: {"c": len(one.classes)}
            ),
        },
        transient=("cv",),
    ),
}
