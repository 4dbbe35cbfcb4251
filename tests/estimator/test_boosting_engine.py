"""The engine behind the boosters: columns that are counted in different ways, trees by counting, rows that tell when to
stop, stumps gone through once more."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.estimator.test_boosting import CANCER, FAMILY, error_after

import widemargin as wm
from widemargin import store
from widemargin.estimator.boosting_rounds import OutOfBag
from widemargin.estimator.boosting_trees import HistogramLearner, grows_by_counting
from widemargin.model.stumps import Stumps
from widemargin.solver.boost import BoostSolver
from widemargin.solver.boosters import Exponential, TwoClasses
from widemargin.solver.floating import Floating
from widemargin.solver.weak import Ask, EstimatorLearner, Sample, StumpLearner


@pytest.mark.parametrize("n", [40, 3000])
def test_columns_with_a_usual_number_are_counted_alike(n):
    """Zeros, with few or many different numbers beside them; one class may have no other number."""
    rng = np.random.default_rng(n)
    X = (rng.normal(size=(n, 12)) * (rng.random((n, 12)) < np.linspace(0.0, 0.9, 12))).astype(np.float32)
    X[:, 3] = np.round(X[:, 3])
    y = (X[:, 5] - X[:, 8] + 0.5 * rng.normal(size=n) > 0).astype(np.int64)
    X[y == 0, 2] = 0
    w = rng.random(n)
    for drop in (np.zeros((n, 12), bool), rng.random((n, 12)) < 0.03):
        Z = np.where(drop, np.float32(np.nan), X)
        fast = wm.AdaBoostClassifier(n_estimators=1).fit(Z, y, sample_weight=w)
        slow = StumpLearner(Sample(Z, y, w, 2)).answer(Ask("signs", np.ones(n)))
        assert fast.stumps_.column[0] == slow.member.column[0]
        assert fast.stumps_.threshold[0] == slow.member.threshold[0]
        assert fast.errors_[0] == pytest.approx(slow.error, rel=1e-12)


@pytest.mark.parametrize("leaf", [1, 7])
def test_trees_that_are_counted_are_those_of_a_single_fit(leaf):
    """Few different numbers, so that bins lose nothing; targets without ties."""
    rng = np.random.default_rng(leaf)
    X = rng.integers(0, 40, (500, 5)).astype(np.float32)
    z, w = rng.normal(size=500) + X[:, 0] * X[:, 1] / 100, rng.random(500) + 0.1
    tree = wm.DecisionTreeRegressor(max_depth=4, max_bins=64, min_samples_leaf=leaf)
    assert grows_by_counting(tree)
    rows = Sample(X, np.arange(500), None, 0)
    for threads in (1, 2):
        answer = HistogramLearner(rows, tree, np.empty(0), 0, None, threads).answer(Ask("numbers", w, z))
        alone = wm.DecisionTreeRegressor(max_depth=4, min_samples_leaf=leaf).fit(X, z, sample_weight=w)
        np.testing.assert_allclose(answer.said[:, 0], alone.predict(X), rtol=1e-9)
        np.testing.assert_array_equal(answer.said[:, 0], answer.member.predict(X))
        assert answer.member.tree_.node_count == alone.tree_.node_count


def test_boosted_trees_that_are_counted_are_stored_resumed_and_certified(tmp_path):
    X, y = CANCER
    tree = wm.DecisionTreeRegressor(max_depth=3, max_bins=256)
    for booster in (wm.LogitBoostClassifier, wm.GentleBoostClassifier):
        model = booster(tree, n_estimators=12, learning_rate=0.3).fit(X, y)
        assert model.certificate_.holds
        assert model.score(X, y) > 0.97
        store.save(model, tmp_path / "trees.wm")
        assert (store.load(tmp_path / "trees.wm").predict_proba(X) == model.predict_proba(X)).all()
        two = booster(tree, n_estimators=5, learning_rate=0.3, warm_start=True, n_jobs=2).fit(X, y)
        two.set_params(n_estimators=12).fit(X, y)
        assert (two.predict_proba(X) == model.predict_proba(X)).all()
        gone = X.copy()
        gone[::5, 3] = np.nan
        assert booster(tree, n_estimators=5).fit(gone, y).score(gone, y) > 0.9


def test_large_fits_have_their_certificate_at_once():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30_000, 3))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=30_000) > 0).astype(int)
    for cls in FAMILY[:5]:
        model = cls(n_estimators=10).fit(X, y)
        again = wm.certify(model, X, y)
        assert model.certificate_.holds
        assert model.certificate_.training_error == pytest.approx(again.training_error, abs=1e-12)
        assert model.certificate_.loss_bound == pytest.approx(again.loss_bound, rel=1e-9)


def test_replayed_stumps_have_the_errors_of_weights_computed_anew():
    X, y = CANCER
    X = X.copy()
    X[::6, 4] = np.nan
    model = wm.AdaBoostClassifier(n_estimators=40).fit(X, y)
    for t in (0, 7, 39):
        e = error_after(model, X, y, t)[0]
        z = model.certificate_.z[t]
        a = model.steps_[t]
        assert z == pytest.approx((1 - e) * math.exp(-a) + e * math.exp(a), rel=1e-12)
    model.proof_ = None  # nothing that is claimed may matter for what is recomputed
    assert wm.certify(model, X, y).z == pytest.approx(model.certificate_.z, rel=1e-12)


@pytest.mark.parametrize("cls", [wm.AdaBoostClassifier, wm.LogitBoostClassifier, wm.RealAdaBoostClassifier])
def test_rows_that_were_not_drawn_tell_when_to_stop(cls):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 5))
    for y in ((X[:, 0] + rng.normal(size=300) > 0).astype(int), rng.integers(0, 3, 300)):
        model = cls(n_estimators=150, early_stopping="oob", sampling="draws").fit(X, y)
        assert model.n_rounds_ < 150
        assert "not drawn" in model.stop_reason_ or "better than chance" in model.stop_reason_
        assert wm.certify(model, X, y).holds
    with pytest.raises(ValueError, match="sampling='draws'"):
        cls(early_stopping="oob").fit(X, y)


def test_the_loss_of_rows_that_were_not_drawn_is_that_of_a_count_by_hand():
    X, y = CANCER
    rows = Sample(X.astype(np.float32), y, None, 2)
    learner = EstimatorLearner(rows, wm.DecisionStump(), np.array([0, 1]), 0, True)
    solver = BoostSolver(TwoClasses(Exponential()), rows, learner)
    state = solver.start()
    watcher = OutOfBag(None, solver, state)
    expected = 1.0  # the mean loss of nothing
    for t in range(4):
        before = state.F.copy()
        solver.advance(state, 1, t + 1)
        out = ~learner.seen
        assert 0.2 < out.mean() < 0.95
        losses = [np.exp(-rows.signs * F[:, 0])[out].mean() for F in (state.F, before)]
        expected += losses[0] - losses[1]
        assert watcher.loss_now(state) == pytest.approx(expected, rel=1e-12)
        watcher.errors.append(expected)
        assert not learner.seen.any()


@pytest.mark.parametrize("cost", ["error", "exp"])
@pytest.mark.parametrize("relearn", [True, False])
@pytest.mark.parametrize("place", [0, 1, 3])
def test_floatboost_removes_a_useless_member_that_was_planted_early(cost, relearn, place):
    """A column of noise: those that come after are learnt with it in the sum, until it is taken out."""
    X, y = CANCER
    X = np.column_stack([X, np.random.default_rng(0).normal(size=len(y))]).astype(np.float32)
    rows = Sample(X, y, None, 2)
    booster, learner = Floating(cost=cost, relearn=relearn), StumpLearner(rows)
    state = BoostSolver(booster, rows, learner).start()
    useless = Stumps(np.array([30]), np.zeros(1, np.float32), np.array([[[0.7], [-0.7], [0.0]]]), np.ones(1))
    for t in range(12):
        if t == place:
            state.add(useless, useless.says(0, rows.X), 1.0, np.nan)
        booster.round(rows, state, learner)
    assert not any(np.array_equal(one.values, useless.values) for one in state.members)
