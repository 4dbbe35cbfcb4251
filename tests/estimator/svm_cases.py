"""Support vector machines of every kind with one small set of data, and functions that serve as kernels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import is_regressor

import widemargin as wm

N = 40
random = np.random.default_rng(0)
X = random.standard_normal((N, 3))
CLASSES = np.where(X[:, 0] + 0.3 * random.standard_normal(N) > 0, 1, -1)
NUMBERS = 2 * X[:, 0] + 0.1 * random.standard_normal(N)
WORDS = ["eel", "heel", "feel", "sole"] * (N // 4)

USUAL = {
    wm.SVC: {},
    wm.NuSVC: {"nu": 0.25},
    wm.SVR: {},
    wm.NuSVR: {},
    wm.OneClassSVM: {},
    wm.SVCCV: {"Cs": [0.1, 1.0], "cv": 2},
}
each_machine = pytest.mark.parametrize("cls", USUAL, ids=lambda cls: cls.__name__)
each_classifier = pytest.mark.parametrize("cls", [wm.SVC, wm.NuSVC, wm.SVCCV], ids=lambda cls: cls.__name__)


def machine(cls, **params):
    return cls(**{**USUAL[cls], **params})


def targets(cls):
    return NUMBERS if is_regressor(cls()) else CLASSES


def letters(a, b):
    """A kernel of two words."""
    return float(len(set(a) & set(b)))


class Counted:
    """The linear kernel as a function that knows how often, and for how many values at most, it was called."""

    def __init__(self):
        self.calls, self.largest = 0, 0

    def __call__(self, a, b):
        self.calls, self.largest = self.calls + 1, max(self.largest, len(a) * len(b))
        return a @ b.T + 1
