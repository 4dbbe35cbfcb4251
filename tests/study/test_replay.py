"""A replay is the fit itself."""

import numpy as np
import pytest
from tests.oracle.perceptrons import perceptron_vectors

from widemargin import AveragedPerceptron, BatchPerceptron, MarginPerceptron, Perceptron
from widemargin.base.errors import BadInput, DataMismatch
from widemargin.study import replay_updates


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(1)
    X = rng.integers(-9, 9, (40, 3)).astype(float)
    return X, np.where(X @ [1, -2, 1] + rng.normal(0, 3, 40) > 0, "up", "down")


@pytest.mark.parametrize("shuffle", [True, False, "once"])
def test_replay_ends_at_the_model_of_the_fit(points, shuffle):
    X, y = points
    model = Perceptron(max_iter=20, shuffle=shuffle, random_state=9).fit(X, y)
    replay = replay_updates(model, X, y)
    assert len(replay) == model.n_updates_ == replay.row.size
    np.testing.assert_array_equal(replay.coef[-1], model.coef_[0])
    assert replay.intercept[-1] == model.intercept_[0]
    assert replay.epoch.max() <= model.n_iter_


def test_replay_follows_the_given_order_as_a_plain_loop_does(points):
    X, y = points
    model = Perceptron(max_iter=7, shuffle=False).fit(X, y)
    vectors, lives = perceptron_vectors(X, np.where(y == "up", 1, -1), [range(len(y))] * model.n_iter_)
    replay = replay_updates(model, X, y)
    np.testing.assert_array_equal(np.column_stack([replay.coef, replay.intercept]), vectors)
    np.testing.assert_array_equal(replay.survived(), lives)


def test_votes_of_a_replay_weigh_the_average(points):
    X, y = points
    model = AveragedPerceptron(max_iter=15).fit(X, y)
    replay = replay_updates(model, X, y)
    votes = replay.survived()
    np.testing.assert_allclose(votes @ replay.coef / votes.sum(), model.coef_[0], atol=1e-12)


def test_replay_stops_where_it_is_told(points):
    X, y = points
    model = Perceptron(max_iter=50).fit(X, y)
    assert len(replay_updates(model, X, y, max_updates=5)) == 5


def test_a_fit_that_ended_early_is_followed_to_its_end_and_no_further(points):
    X, y = points
    model = Perceptron(tol=0.1, n_iter_no_change=2, max_iter=500, oscillation="ignore").fit(X, y)
    assert model.n_iter_ < 500
    replay = replay_updates(model, X, y)
    assert len(replay) == model.n_updates_
    np.testing.assert_array_equal(replay.coef[-1], model.coef_[0])


def test_weights_of_the_fit_are_needed_for_its_replay(points):
    X, y = points
    weight = np.arange(len(y)) % 3 + 0.5
    model = Perceptron(max_iter=9).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(replay_updates(model, X, y, weight).coef[-1], model.coef_[0])
    with pytest.raises(DataMismatch, match="not the data of the fit"):
        replay_updates(model, X, y)


def test_what_keeps_no_log_cannot_be_replayed(points):
    X, y = points
    with pytest.raises(BadInput, match="BatchPerceptron cannot be replayed"):
        replay_updates(BatchPerceptron().fit(X, y), X, y)
    with pytest.raises(BadInput, match="MarginPerceptron cannot be replayed"):
        replay_updates(MarginPerceptron(max_iter=20).fit(X, y), X, y)
    three = np.arange(len(y)) % 3
    with pytest.raises(BadInput, match="3 classes"):
        replay_updates(Perceptron(max_iter=5).fit(X, three), X, three)
