"""scikit-learn's own tests of AdaBoost, with ours in place of both classes."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from unittest import mock

import pytest
import sklearn.ensemble

import widemargin as wm

OURS = {name: getattr(wm, name) for name in ("AdaBoostClassifier", "AdaBoostRegressor")}


def patched_tests() -> ModuleType:
    """The installed test module, run anew: its imports find our classes."""
    spec = importlib.util.find_spec("sklearn.ensemble.tests.test_weight_boosting")
    module = importlib.util.module_from_spec(spec)
    with mock.patch.multiple(sklearn.ensemble, **OURS):
        spec.loader.exec_module(module)
    for test in vars(module).values():
        if hasattr(test, "pytestmark"):
            test.pytestmark = [_listed(mark) for mark in test.pytestmark]
    return module


def _listed(mark: pytest.Mark) -> pytest.Mark:
    """pytest no longer takes iterators as the cases of a test."""
    if mark.name != "parametrize":
        return mark
    names, cases, *rest = mark.args
    return pytest.mark.parametrize(names, list(cases), *rest, **mark.kwargs).mark
