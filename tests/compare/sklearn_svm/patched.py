"""scikit-learn's own tests of its support vector machines, with ours in place of five classes."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from unittest import mock

import sklearn.svm

import widemargin as wm

OURS = {name: getattr(wm, name) for name in ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR")}


def patched_tests() -> ModuleType:
    """The installed test module, run anew: both its imports and its later look-ups find our classes."""
    spec = importlib.util.find_spec("sklearn.svm.tests.test_svm")
    module = importlib.util.module_from_spec(spec)
    with mock.patch.multiple(sklearn.svm, **OURS):
        spec.loader.exec_module(module)
    svm = ModuleType("sklearn.svm")
    vars(svm).update({**vars(sklearn.svm), **OURS})
    module.svm = svm
    return module
