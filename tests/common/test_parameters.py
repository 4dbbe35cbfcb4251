"""Parameters and starts out of type or range are named with their value."""

from __future__ import annotations

import numpy as np
import pytest
from tests.common.estimators import ESTIMATORS, make, sample

import widemargin as wm
from widemargin.base.errors import BadInput

NAN, INF = float("nan"), float("inf")


WRONG = {  # values out of range; every parameter also gets an object of a wrong type
    "C": [0, -1, "x", None],
    "alpha": [-1e-9, None],
    "approximation": [0.0, 1.0, 1],
    "average": [-1, 0.5],
    "birth": [2, -1, 0.5],
    "class_weight": ["even", 3],
    "early_stopping": ["yes", 2],
    "epsilon": [-0.1],
    "eta0": [0, -1.0, "x"],
    "fit_intercept": ["yes", None],
    "give_up": [0, 1.5],
    "loss": ["log", None],
    "max_given_up": [-0.1, 1.1],
    "max_iter": [0, -3, 2.5, "many", None],
    "max_time": [0, -1, "long"],
    "multiclass": ["crammer", None],
    "n_iter_no_change": [0, 1.5],
    "n_jobs": [1.5, "two"],
    "n_members": [0, 2.5],
    "observe": [3],
    "oscillation": ["go"],
    "penalty": ["l3"],
    "power_t": [-0.1, 1.1],
    "random_state": [-1, 1.5],
    "schedule": ["slow"],
    "shuffle": ["twice", 3],
    "start": ["one"],
    "tol": [-1e-3, "x"],
    "validation_fraction": [0.0, 1.0, 2],
    "verbose": [-1, "loud"],
    "warm_start": ["yes"],
}


def wrong_parameters():
    for cls in ESTIMATORS:
        for name in cls().get_params():
            for value in [*WRONG.get(name, []), {1, 2}]:
                yield pytest.param(cls, name, value, id=f"{cls.__name__}-{name}={value}")


@pytest.mark.parametrize(("cls", "name", "value"), list(wrong_parameters()))
def test_wrong_parameters_are_named_with_their_value(cls, name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of {cls.__name__} must be") as caught:
        make(cls, **{name: value}).fit(*sample(cls))
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize(
    ("coef", "intercept", "words"),
    [
        (np.ones((2, 4)), None, r"coef_init of shape \(2, 4\).* \(3, 4\)"),
        (np.ones(4), None, r"coef_init of shape \(1, 4\).* \(3, 4\)"),
        (np.ones((3, 5)), None, r"coef_init of shape \(3, 5\).* \(3, 4\)"),
        (None, np.ones(2), r"intercept_init of shape \(2,\).* \(3,\)"),
        (None, np.ones((3, 1)), r"intercept_init of shape \(3, 1\).* \(3,\)"),
        (np.full((3, 4), NAN), None, r"coef_init .*nan"),
        (None, [0, INF, 0], r"intercept_init .*inf"),
        ([["a"] * 4] * 3, None, r"coef_init .*'a'"),
    ],
    ids=str,
)
def test_starts_must_fit(coef, intercept, words):
    with pytest.raises(BadInput, match=words):
        make(wm.Perceptron).fit(*sample(wm.Perceptron), coef_init=coef, intercept_init=intercept)
