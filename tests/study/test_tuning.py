"""The search for a learner: the same answer however it is interrupted, and nothing learnt from what is held out."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from widemargin.errors import BadInput
from widemargin.study import tune
from widemargin.study.averaging import simplex_weights
from widemargin.study.learners import chosen, grid, shape_of
from widemargin.study.trials import built, cheapest_threshold
from widemargin.study.tuning_plan import folds_of

FAST = ["most frequent", "linear-svm", "naive-bayes"]


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


def test_the_winner_has_the_least_loss_of_the_last_rung(cancer):
    found = tune(*cancer, learners=FAST, time=10)
    last = max(trial.rows for trial in found.trials)
    assert found.winner.loss == min(trial.loss for trial in found.trials if trial.rows == last)
    assert found.leaderboard()[0] is found.winner
    assert {trial.learner for trial in found.leaderboard()} == set(FAST)
    assert found.winner.loss < 0.05


def test_a_loss_is_that_of_scikit_learns_ownfolds_of(cancer):
    """The mean loss of a setting is the share of errors over all held-out rows, counted by hand."""
    X, y = cancer
    found = tune(X, y, learners=["naive-bayes"], time=10)
    wrong = 0
    for train, held in folds_of(y, "classes", None, None, 0):
        wrong += int((found.estimator.fit(X[train], y[train]).predict(X[held]) != y[held]).sum())
    assert found.winner.loss == pytest.approx(wrong / len(y))


def test_numbers_are_compared_by_squared_errors():
    X, y = load_diabetes(return_X_y=True)
    found = tune(X, y, kind="numbers", learners=["mean", "linear"], time=10)
    assert found.measure == "mean squared error"
    assert found.winner.learner == "linear"
    assert found.winner.loss < 0.6 * y.var()


@pytest.mark.parametrize("lines", [1, 2, 4])
def test_a_search_cut_off_anywhere_comes_to_the_same_end(cancer, tmp_path, lines):
    whole = tune(*cancer, learners=FAST, time=10, log=tmp_path / "whole")
    kept = (tmp_path / "whole").read_text().splitlines(keepends=True)
    (tmp_path / "cut").write_text("".join(kept[:lines]) + kept[lines % len(kept)][:17])  # a line is torn
    again = tune(*cancer, learners=FAST, time=10, log=tmp_path / "cut", resume=True)
    assert again.winner.setting == whole.winner.setting
    assert [t.loss for t in again.trials] == [t.loss for t in whole.trials]
    names = [json.loads(line).get("name") for line in (tmp_path / "cut").read_text().splitlines()]
    assert names == [json.loads(line).get("name") for line in kept]


def test_what_the_log_holds_is_not_done_again(cancer, tmp_path):
    first = tune(*cancer, learners=FAST, time=10, log=tmp_path / "log")
    again = tune(*cancer, learners=FAST, time=10, log=tmp_path / "log", resume=True)
    assert [t.seconds for t in again.trials] == [t.seconds for t in first.trials]


def test_the_log_of_another_search_is_refused(cancer, tmp_path):
    tune(*cancer, learners=FAST, time=10, log=tmp_path / "log", digest="a")
    with pytest.raises(BadInput, match=r"another search \(digest differ"):
        tune(*cancer, learners=FAST, time=10, log=tmp_path / "log", digest="b", resume=True)


def test_a_broken_line_in_the_middle_is_told(cancer, tmp_path):
    tune(*cancer, learners=FAST, time=10, log=tmp_path / "log")
    lines = (tmp_path / "log").read_text().splitlines(keepends=True)
    (tmp_path / "log").write_text("".join([lines[0], "nonsense\n", *lines[2:]]))
    with pytest.raises(BadInput, match="line 2 is no line"):
        tune(*cancer, learners=FAST, time=10, log=tmp_path / "log", resume=True)


def test_copies_are_never_parted():
    y = np.tile([0, 1], 60)
    groups = np.repeat(np.arange(40), 3)
    for train, held in folds_of(y, "classes", None, groups, 0):
        assert not set(groups[train]) & set(groups[held])


def test_one_standard_error_takes_the_simplest_setting_that_is_as_good(cancer):
    best = tune(*cancer, learners=["linear-svm"], time=10)
    simple = tune(*cancer, learners=["linear-svm"], time=10, rule="one-se")
    C, limit = simple.winner.setting["learn__C"], best.winner.loss + best.winner.se
    assert simple.winner.loss <= limit
    assert all(t.loss > limit for t in best.trials if t.setting["learn__C"] < C)


def test_little_time_means_fewer_rows_first(cancer):
    X, y = np.tile(cancer[0], (4, 1)), np.tile(cancer[1], 4)
    rungs = {trial.rows for trial in tune(X, y, learners=[*FAST, "neighbours"], time=1.0).trials}
    assert len(rungs) > 1


def test_however_little_time_there_is_a_winner(cancer):
    found = tune(*cancer, learners=["svc", "naive-bayes"], time=1e-3)
    assert {trial.learner for trial in found.trials} == {"naive-bayes"}  # the quickest
    assert len(found.left_out) == 1


def test_a_rung_that_would_take_too_long_is_for_the_best_alone(cancer, monkeypatch):
    """Of the third that goes on, only as many as the time of a rung allows, the best first."""
    monkeypatch.setattr("widemargin.study.tuning_plan.FIRST", 0.0)
    monkeypatch.setattr("widemargin.study.tuning_plan.LATER", 0.0)
    trials = tune(*cancer, time=10, learners=FAST).trials
    rungs = sorted({trial.rows for trial in trials})
    first = [trial for trial in trials if trial.rows == rungs[0]]
    assert len(rungs) > 1
    assert {t.learner for t in trials if t.rows == rungs[1]} == {min(first, key=lambda t: t.loss).learner}


def test_rows_held_out_once_are_about_the_share_asked_for(cancer):
    ((train, held),) = folds_of(cancer[1], "classes", None, None, 0, 0.2)
    assert len(held) == pytest.approx(0.2 * len(cancer[1]), abs=1)
    assert not set(train) & set(held)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), min_size=1, max_size=12),
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
)
def test_no_threshold_is_cheaper(rows, prices):
    """Every way to cut the scores in two costs at least what the threshold found costs."""
    codes, scores = np.array([c for c, _ in rows]), np.array([s for _, s in rows], dtype=float)
    cost = np.array(prices, dtype=float).reshape(2, 2)

    def total(threshold):
        return cost[codes, (scores >= threshold).astype(int)].sum()

    found = total(cheapest_threshold(codes, scores, cost))
    assert found == min(total(t) for t in [*(np.unique(scores)), np.inf])


def test_groups_are_paths():
    learner = next(c for c in chosen(None, shape_of(np.ones((9, 2)), np.arange(9) % 2, "classes")) if c.name == "svc")
    assert all(len({s["learn__gamma"] for s in group}) == 1 for group in learner.groups())
    assert sum(map(len, learner.groups())) == len(learner.settings)
    assert len(grid(a=(1, 2), b=(3, 4, 5))) == 6


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"learners": ["linear"]}, "no learner 'linear' for classes; did you mean linear-svm"),
        ({"rule": "worst"}, "rule='worst' must be one of"),
        ({"time": 0}, "positive number of seconds"),
        ({"cv": 1}, "cv=1: from 2 to 150 folds"),
        ({"validation": 0.7}, "validation=0.7: a share above 0 and at most 0.5"),
        ({"validation": 0.2, "cv": 5}, "no cv beside it"),
    ],
)
def test_what_cannot_be_is_told(options, words):
    with pytest.raises(BadInput, match=words):
        tune(*load_iris(return_X_y=True), **options)


def test_one_class_is_nothing_to_decide():
    with pytest.raises(BadInput, match="nothing to decide"):
        tune(np.ones((20, 2)), np.zeros(20))


# ---- averages --------------------------------------------------------------------------------------------------------

DIVERSE = ["most frequent", "linear-svm", "forest", "naive-bayes"]


def test_an_average_of_the_best_is_in_the_running(cancer):
    found = tune(*cancer, learners=DIVERSE, time=30)
    trial = next(t for t in found.trials if t.learner == "average")
    single = min((t for t in found.trials if t is not trial), key=lambda t: t.loss)
    assert trial.loss <= single.loss + single.se
    assert found.winner is trial
    assert sum(weight for *_, weight in found.members) == pytest.approx(1)
    assert "most frequent" not in trial.setting
    model = found.estimator.fit(*cancer)
    assert [name for name, _ in model.estimators] == [name for name, *_ in found.members]
    assert model.certificate_.holds
    assert len(found.leaderboard()) == 5
    assert found.leaderboard()[0] is trial


def test_rules_that_ask_for_something_simple_average_nothing(cancer):
    found = tune(*cancer, learners=DIVERSE, time=30, rule="one-se")
    assert not found.members
    assert "average" not in {t.learner for t in found.trials}


def test_a_search_cut_off_before_its_average_comes_to_the_same(cancer, tmp_path):
    whole = tune(*cancer, learners=DIVERSE, time=30, log=tmp_path / "log")
    kept = (tmp_path / "log").read_text().splitlines(keepends=True)
    assert json.loads(kept[-1])["name"].startswith("average")
    (tmp_path / "log").write_text("".join(kept[:-1]))
    again = tune(*cancer, learners=DIVERSE, time=30, log=tmp_path / "log", resume=True)
    assert again.members == whole.members
    assert again.winner.loss == whole.winner.loss


def test_numbers_and_costs_are_averaged_too(cancer):
    X, y = load_diabetes(return_X_y=True)
    numbers = tune(X, y, kind="numbers", learners=["linear", "forest-regressor", "neighbours"], time=30)
    assert numbers.winner.learner == "average"
    assert numbers.winner.loss < 1.01 * min(t.loss for t in numbers.trials if t.learner != "average")
    cost = np.array([[0.0, 10.0], [1.0, 0.0]])
    priced = tune(*cancer, learners=DIVERSE, time=30, cost=cost)
    told = next(t for t in priced.trials if t.learner == "average")
    assert told.loss < min(cost[0, 1] * (cancer[1] == 0).mean(), cost[1, 0] * (cancer[1] == 1).mean())


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_no_weights_make_a_smaller_squared_error(members, seed):
    """At the optimum over the simplex, (Aw)_i >= w'Aw for every i."""
    rng = np.random.default_rng(seed)
    errors = rng.normal(size=(members, 12)) + rng.normal(size=12)
    A = errors @ errors.T
    w = simplex_weights(A)
    assert w.min() >= 0
    assert w.sum() == pytest.approx(1)
    assert (A @ w).min() >= w @ A @ w * (1 - 1e-9)


def test_what_takes_too_long_is_tried_with_fewer_settings(cancer):
    found = tune(*cancer, learners=["logitboost", "naive-bayes"], time=6)
    assert any("logitboost was tried with" in sentence for sentence in found.left_out)
    assert 0 < len({repr(t.setting) for t in found.trials if t.learner == "logitboost"}) < 6


def test_every_learner_of_the_field_learns_the_same_twice():
    """Folds of probabilities are drawn too: without a seed, whether an average wins was another every time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(0, 0.5, 60) > 0).astype(int)
    shape = shape_of(X, y, "classes")
    for learner in chosen(None, shape):
        told = []
        for _ in range(2):
            estimator = built(learner, shape, learner.settings[0], None)
            if "learn__probability" in estimator.get_params():
                estimator.set_params(learn__probability=True)
            told.append(estimator.fit(X, y).predict_proba(X[:9]))
        assert np.array_equal(*told), learner.name
