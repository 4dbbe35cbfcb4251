"""The published run on Iris, on fewer orders than `make reproduce` draws."""

import numpy as np
import pytest
from benchmarks.reproduce import iris

from widemargin import AveragedPerceptron, VotedPerceptron
from widemargin.study import fewest_mistakes, replay_updates


@pytest.mark.parametrize("kind", ["once", "every epoch"])
def test_orders_of_iris_stay_in_the_ranges_of_the_published_run(kind):
    found = iris.ranges([iris.one_order(kind, seed) for seed in range(4)])
    for name, (low, high) in found.items():
        expected = iris.EXPECTED[kind][name]
        assert expected[0] <= low <= high <= expected[1], (name, low, high)


def test_voting_and_averaging_are_those_of_all_vectors_passed_through():
    X, y = iris.flowers()
    options = {"max_iter": 30, "shuffle": "once", "oscillation": "ignore", "random_state": 2, "fit_intercept": False}
    averaged = AveragedPerceptron(**options).fit(X, y)
    voted = VotedPerceptron(**options).fit(X, y)
    replay = replay_updates(averaged, X, y)
    votes = replay.survived()
    np.testing.assert_array_equal(np.sign(voted.decision_function(X)), np.sign(np.sign(X @ replay.coef.T) @ votes))
    mean = votes @ replay.coef / votes.sum()
    np.testing.assert_allclose(averaged.coef_[0], mean, rtol=1e-12)


def test_the_two_bounds_on_the_fewest_mistakes_of_sixty_flowers_meet():
    X, y = iris.sixty_points()
    assert len(X) == 60
    found = fewest_mistakes(X, y, max_time=60)
    assert found.lower == found.upper > 0


def test_a_range_that_misses_the_published_figure_does_not_agree():
    right = {"updates": (1500, 1700), "voting": (5, 6), "averaging": (6, 6)}
    assert iris.agrees(right, "once")
    assert not iris.agrees({**right, "updates": (1600, 1700)}, "once")
    assert not iris.agrees({**right, "voting": (5, 12)}, "once")
