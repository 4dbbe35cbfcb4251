"""Every public estimator, found by itself, with small data for each kind and a fingerprint of what it learnt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from inspect import signature
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils import get_tags

import widemargin as wm

ESTIMATORS = [
    thing
    for thing in (getattr(wm, name) for name in wm.__all__)
    if isinstance(thing, type)
    and issubclass(thing, BaseEstimator)
    # Those over experts are told losses, or what fitted classifiers say; tests/estimator/test_experts.py is for them.
    and "experts" not in signature(thing).parameters
    and not get_tags(thing()).input_tags.string  # texts: tests/feature is for them
]
CLASSIFIERS = [cls for cls in ESTIMATORS if is_classifier(cls())]
VOLATILE = {"seconds", "feature_names_in_"}  # a clock; a name is not a number

each_estimator = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)


def ends_by_gap(cls: type) -> bool:
    """Seeks an optimum, and ends when the duality gap is small."""
    return bool({"gap_tol", "regularize_intercept"} & set(cls().get_params()))


STEPWISE = [  # by epochs; tests/estimator/test_svm_running.py is for those that end by a gap
    cls for cls in ESTIMATORS if {"max_iter", "observe"} <= set(cls().get_params()) and not ends_by_gap(cls)
]
each_stepwise = pytest.mark.parametrize("cls", STEPWISE, ids=lambda cls: cls.__name__)
each_classifier = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)


def takes(cls: type, *names: str) -> bool:
    """Whether the constructor has these parameters."""
    return set(names) <= set(cls().get_params())


def schemed(cls: type, scheme: str) -> dict[str, str]:
    """The parameter that says how classes become binary parts; linear machines have scikit-learn's name for it."""
    return {"multi_class" if takes(cls, "multi_class") else "multiclass": scheme}


def is_tree(cls: type) -> bool:
    """Trees and ensembles of them take missing values, several outputs and a single class, and compare in float32."""
    return takes(cls, "min_samples_leaf")


def is_booster(cls: type) -> bool:
    """Sums of stumps, which take missing values and compare in float32."""
    return takes(cls, "learning_rate", "n_estimators", "estimator")


def is_bag(cls: type) -> bool:
    """Members of any kind, or rules of words, which know neither epochs nor binary parts."""
    return takes(cls, "n_estimators", "estimator") or takes(cls, "n_estimators", "words")


def is_ensemble(cls: type) -> bool:
    return is_tree(cls) or is_bag(cls)


def draws_rows(cls: type) -> bool:
    """Each member learns from rows that it draws: weights and repetitions agree in law only."""
    return bool(cls().get_params().get("bootstrap"))


def depends_on_order(cls: type) -> bool:
    """Online learners visit the rows one by one and can shuffle them; those that seek an optimum cannot."""
    return takes(cls, "shuffle")


def make(cls: type, **params: Any) -> Any:
    """An estimator with a fixed seed that is done quickly; what has a closed form needs neither."""
    usual = {name: value for name, value in (("random_state", 0), ("max_iter", 15)) if takes(cls, name)}
    if ends_by_gap(cls):  # ends by itself, and says so where it may not
        del usual["max_iter"]
    if takes(cls, "Cs"):  # folds that small samples have rows for
        usual |= {"Cs": [0.1, 1.0], "cv": 2}
    if takes(cls, "n_estimators"):
        usual["n_estimators"] = 7
    if cls.__name__ == "NuSVC":  # feasible for classes of any size in these tests
        usual["nu"] = 0.25
    if is_ensemble(cls):  # they know neither epochs nor binary parts
        params = {name: value for name, value in params.items() if name not in ("max_iter", "multiclass")}
    return cls(**{**usual, **params})


def few(cls: type, epochs: int) -> dict[str, Any]:
    """Parameters of a short fit, for those that go by epochs."""
    return {"max_iter": epochs} if takes(cls, "max_iter") and not ends_by_gap(cls) else {}


def reads_targets(cls: type) -> bool:
    return is_classifier(cls()) or is_regressor(cls())


def knob(cls: type) -> tuple[str, list[Any]]:
    """A parameter that changes what is learnt, and two of its values."""
    if is_bag(cls):
        return "n_estimators", [2, 5]
    if takes(cls, "max_depth"):
        return "max_depth", [2, 3]
    if ends_by_gap(cls):
        knobs = {"nu": [0.1, 0.2], "Cs": [[0.1], [1.0]], "C": [0.1, 1.0]}
        return next((name, values) for name, values in knobs.items() if takes(cls, name))
    return ("max_iter", [3, 15]) if takes(cls, "max_iter") else ("alpha", [0.5, 20.0])


def sample(cls: type, n: int = 45, d: int = 4, k: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Small whole numbers, exact in every number type and partly zero; k noisy classes, or numbers for a regressor."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, d)) * rng.integers(0, 2, (n, d))
    score = X @ rng.integers(1, 4, d) + rng.integers(-2, 3, n)
    if is_regressor(cls()):
        return X.astype(np.float64), score.astype(np.float64)
    if not is_classifier(cls()):
        return X.astype(np.float64), np.where(score > score.mean(), 1, -1)
    y = np.clip(np.argsort(np.argsort(score)) * k // n, 0, k - 1)
    return X.astype(np.float64), y


def weights(n: int, seed: int = 1) -> np.ndarray:
    """Whole weights 0 .. 3."""
    return np.random.default_rng(seed).integers(0, 4, n).astype(np.float64)


def answers(model: Any, X: Any) -> bytes:
    """Everything that the model says of X, to the last bit."""
    said = [getattr(model, how)(X) for how in ("predict", "decision_function", "predict_proba") if hasattr(model, how)]
    return b"".join(np.ascontiguousarray(a).tobytes() for a in said)


def fingerprint(model: Any) -> Any:
    """All that was learnt, proved and recorded, comparable with ==, without names of columns and clock times."""
    kept = {k: v for k, v in vars(model).items() if k.endswith("_") and not k.startswith("_")}
    return {name: _plain(value) for name, value in sorted(kept.items()) if name not in VOLATILE}


def _plain(value: Any) -> Any:
    if sp.issparse(value):
        return _plain(value.toarray())
    if isinstance(value, np.ndarray):
        numbers = value.dtype.kind in "biuf"
        return (value.dtype.str, value.shape, value.tobytes() if numbers else tuple(value.ravel().tolist()))
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value) if f.name not in VOLATILE}
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if hasattr(value, "to_dict"):
        return _plain(value.to_dict())
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return repr(value)
    return _plain(value.__getstate__())  # without what is only kept to be quick
