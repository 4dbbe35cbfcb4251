"""The learners of `wm study` by their names, as data."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

from .models import MODELS, kind_of, model_class
from .session import UsageError

_M1 = {"algorithm": "M1", "sampling": "draws"}  # as deep trees were boosted in [FreundSchapire96]
# name: (module, classifier, regressor, parameters, what stands inside)
_LEARNERS: dict[str, tuple[str, str, str, dict[str, Any], str]] = {
    "tree": ("widemargin", "DecisionTreeClassifier", "DecisionTreeRegressor", {}, ""),
    "stump": ("widemargin", "DecisionTreeClassifier", "DecisionTreeRegressor", {"max_depth": 1}, ""),
    "extra-tree": ("widemargin", "DecisionTreeClassifier", "DecisionTreeRegressor", {"splitter": "random"}, ""),
    "bagged-trees": ("widemargin", "BaggingClassifier", "BaggingRegressor", {}, "tree"),
    "boosted-stumps": ("widemargin", "AdaBoostClassifier", "AdaBoostRegressor", {"algorithm": "MH"}, ""),
    "boosted-trees": ("widemargin", "AdaBoostClassifier", "AdaBoostRegressor", _M1, "tree"),
    "forest": ("widemargin", "RandomForestClassifier", "RandomForestRegressor", {}, ""),
    "extra-trees": ("widemargin", "ExtraTreesClassifier", "ExtraTreesRegressor", {}, ""),
    "linear": ("sklearn.linear_model", "RidgeClassifier", "LinearRegression", {}, ""),
    "bagged-linear": ("widemargin", "BaggingClassifier", "BaggingRegressor", {}, "linear"),
    "neighbours": ("sklearn.neighbors", "KNeighborsClassifier", "KNeighborsRegressor", {}, ""),
}
LEARNERS = tuple(dict.fromkeys([*_LEARNERS, *MODELS]))


def learner(name: str, kind: str, members: int) -> Any:
    """An unfitted learner for "classes" or "numbers"; `members` of them in an ensemble."""
    if name in MODELS and name not in _LEARNERS:
        found = model_class(name)()
        if kind_of(found) != kind:
            raise UsageError(f"--model {name} does not predict {kind}: choose another, or another target")
        return found.set_params(n_estimators=members) if "n_estimators" in found.get_params() else found
    if name not in _LEARNERS:
        near = get_close_matches(name, LEARNERS, 1)
        guess = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"there is no learner {name!r}; {guess}the learners are {', '.join(LEARNERS)}")
    module, classifier, regressor, parameters, inside = _LEARNERS[name]
    cls = getattr(import_module(module), classifier if kind == "classes" else regressor)
    known = cls().get_params()
    wanted = {**parameters, "n_estimators": members}
    parameters = {name: value for name, value in wanted.items() if name in known}
    return cls(**({"estimator": learner(inside, kind, members)} if inside else {}), **parameters)
