"""Curves of the report against scikit-learn's and against counting."""

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from widemargin.app.curves import rank_curves, thresholds


def sample(seed, n=200):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return np.round(y + rng.normal(size=n), 1), y  # many equal scores


def test_areas_are_those_of_scikit_learn():
    for seed in range(5):
        score, y = sample(seed)
        found = rank_curves(score, y)
        assert np.isclose(found["auc"], roc_auc_score(y, score))
        assert np.isclose(found["average_precision"], average_precision_score(y, score))
        assert (found["found"][0], found["found"][-1], found["alarms"][-1]) == (0, 1, 1)
    assert rank_curves(score, np.zeros(len(y), int)) is None


def test_thresholds_count_the_rows_from_there_on():
    score, y = sample(0)
    found = thresholds(score, y, "score", None)
    assert found["at"][found["start"]] == 0
    for at, tp, fp in zip(found["at"], found["tp"], found["fp"], strict=True):
        assert tp == sum(s >= at and t == 1 for s, t in zip(score, y, strict=True))
        assert fp == sum(s >= at and t == 0 for s, t in zip(score, y, strict=True))


def test_a_probability_starts_where_the_expected_costs_are_equal():
    p, y = np.linspace(0, 1, 50), np.arange(50) % 2
    assert thresholds(p, y, "probability", None)["start"] == 50
    found = thresholds(p, y, "probability", np.array([[0.0, 1.0], [4.0, 0.0]]))
    assert found["at"][found["start"]] == 0.2
