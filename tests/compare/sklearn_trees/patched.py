"""scikit-learn's own tests of its trees, forests and bagging, with ours in place of its classes."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from unittest import mock

import pytest
import sklearn.ensemble
import sklearn.tree

import widemargin as wm

TREES = {name: getattr(wm, name) for name in ("DecisionTreeClassifier", "DecisionTreeRegressor")}
ENSEMBLES = {
    name: getattr(wm, name)
    for name in (
        "BaggingClassifier",
        "BaggingRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "RandomForestClassifier",
        "RandomForestRegressor",
    )
}


def patched_tests(name: str) -> ModuleType:
    """The installed test module, run anew: its imports find our classes."""
    spec = importlib.util.find_spec(name)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.multiple(sklearn.tree, **TREES), mock.patch.multiple(sklearn.ensemble, **ENSEMBLES):
        spec.loader.exec_module(module)
    for name, thing in vars(module).items():
        if name.startswith("test_") and hasattr(thing, "pytestmark"):
            thing.pytestmark = [_listed(mark) for mark in thing.pytestmark]
    return module


def _listed(mark: pytest.Mark) -> pytest.Mark:
    """pytest wants lists of cases where scikit-learn gives iterators."""
    if mark.name != "parametrize":
        return mark
    names, cases = mark.args
    return pytest.mark.parametrize(names, list(cases), **mark.kwargs).mark
