"""Boosting by round: errors and margins are those of their definitions, recomputed from members and steps."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris

import widemargin as wm
from widemargin.base.errors import BadInput
from widemargin.study import boosting_errors, boosting_margins
from widemargin.study.boosting import round_weights
from widemargin.study.margin_bound import GRID, margin_bound

CANCER, IRIS = load_breast_cancer(return_X_y=True), load_iris(return_X_y=True)
TREE = wm.DecisionTreeClassifier(max_depth=2)
BOOSTERS = [
    *(
        wm.AdaBoostClassifier(base, n_estimators=12, algorithm=a)
        for base in (None, TREE)
        for a in ("SAMME", "M1", "M2", "MH")
    ),
    *(
        cls(n_estimators=12)
        for cls in (
            wm.RealAdaBoostClassifier,
            wm.GentleBoostClassifier,
            wm.LogitBoostClassifier,
            wm.BrownBoostClassifier,
            wm.FloatBoostClassifier,
        )
    ),
]  # fmt: skip


def parts(data, k=3):
    X, y = data
    out = np.arange(len(y)) % k == 0
    return X[~out], y[~out], X[out], y[out]


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["iris", "cancer"])
@pytest.mark.parametrize(
    "model", BOOSTERS, ids=lambda m: f"{type(m).__name__}-{getattr(m, 'algorithm', '')}-{m.estimator}"
)
def test_errors_and_margins_are_those_of_the_model(model, data):
    """Weighted errors are what the fit claims, test errors those of staged predictions, margins the certificate's."""
    X, y, X_test, y_test = parts(data)
    model = clone(model).fit(X, y)
    record = boosting_errors(model, X, y, X_test, y_test)
    if model.per_round_ == 1 and not np.isnan(model.errors_).any():
        np.testing.assert_allclose(record.weighted, model.errors_, atol=1e-12)
    np.testing.assert_allclose(record.test, [np.mean(p != y_test) for p in model.staged_predict(X_test)])
    assert record.training[-1] == pytest.approx(model.certificate_.training_error)
    assert len(record.rounds) == model.n_rounds_
    if record.bound is not None:
        assert (record.training <= record.bound + 1e-12).all()
        assert record.bound[-1] == pytest.approx(model.certificate_.loss_bound)
    margins = boosting_margins(model, X, y, X_test, y_test, rounds=(1, 3, model.n_rounds_))
    assert margins.minimum[-1] == pytest.approx(model.certificate_.min_margin)
    assert np.abs(margins.margins).max() <= 2
    np.testing.assert_allclose(margins.test, record.test[np.array(margins.rounds) - 1])
    np.testing.assert_allclose(margins.training, record.training[np.array(margins.rounds) - 1])


@pytest.mark.theorem("FreundSchapire97")
@pytest.mark.parametrize(
    "model", [wm.AdaBoostClassifier(n_estimators=40), wm.AdaBoostClassifier(TREE, n_estimators=20)]
)
def test_after_reweighting_every_learner_errs_on_one_half(model):
    """With a = 1/2 ln((1 - e) / e) the learner of every round has error 1/2 under the weights of the next."""
    X, y = CANCER
    record = boosting_errors(clone(model).fit(X, y), X, y)
    np.testing.assert_allclose(record.after, 0.5, atol=1e-12)
    assert record.weighted.max() < 0.5


def test_after_reweighting_by_m1_and_samme_learners_are_no_better_than_chance():
    X, y = IRIS
    for algorithm, chance in (("M1", 1 / 2), ("SAMME", 2 / 3), ("MH", 1 / 2)):
        model = wm.AdaBoostClassifier(TREE, n_estimators=8, algorithm=algorithm).fit(X, y)
        np.testing.assert_allclose(boosting_errors(model, X, y).after, chance, atol=1e-9)


def test_four_errors_by_hand():
    """Weights exp(-m) from scratch, two rounds."""
    X, y = CANCER
    model = wm.AdaBoostClassifier(n_estimators=2).fit(X, y)
    Y = np.where(y == 1, 1.0, -1.0)
    h = [model.stumps_.says(t, X.astype(np.float32))[:, 0] for t in (0, 1)]
    first = np.mean(h[0] != Y)
    a = 0.5 * math.log((1 - first) / first)
    w = np.exp(-a * Y * h[0])
    second = w[h[1] != Y].sum() / w.sum()
    record = boosting_errors(model, X, y)
    np.testing.assert_allclose(record.weighted, [first, second])
    assert record.bound[0] == pytest.approx(2 * math.sqrt(first * (1 - first)))
    np.testing.assert_allclose(round_weights(model, X, y, (2,))[0], w / w.sum())


def test_weights_are_rows_that_stand_there_more_often():
    X, y = IRIS
    w = 1 + np.arange(len(y)) % 3
    model = wm.AdaBoostClassifier(n_estimators=6, algorithm="M1").fit(X, y, sample_weight=w)
    again = wm.AdaBoostClassifier(n_estimators=6, algorithm="M1").fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    one = boosting_errors(model, X, y, sample_weight=w)
    two = boosting_errors(again, np.repeat(X, w, axis=0), np.repeat(y, w))
    for name, curve in one.curves().items():
        np.testing.assert_allclose(curve, two.curves()[name], atol=1e-12)
    weighted = boosting_margins(model, X, y, sample_weight=w)
    repeated = boosting_margins(again, np.repeat(X, w, axis=0), np.repeat(y, w))
    for q in (0, 0.05, 0.5, 0.9, 1):
        np.testing.assert_allclose(weighted.quantile(q), repeated.quantile(q))
    np.testing.assert_allclose(weighted.share_at_most(0.2), repeated.share_at_most(0.2))
    assert weighted.bound is None


def test_margins_grow_after_the_training_error_is_zero():
    """Deep trees on drawn rows: the phenomenon of letter on a small set."""
    X, y, X_test, y_test = parts(load_iris(return_X_y=True))
    model = wm.AdaBoostClassifier(wm.DecisionTreeClassifier(), n_estimators=100, algorithm="M1", sampling="draws")
    record = boosting_margins(model.fit(X, y), X, y, X_test, y_test, rounds=(5, 20, 100))
    assert record.rounds == (5, 20, 100)
    assert record.training.max() == 0
    assert (np.diff(record.minimum) > 0).all()
    assert record.nodes[-1] == sum(tree.tree_.node_count for tree in model.members_)
    assert "test error" in str(record)
    assert record.to_dict()["quantiles"]["5"][0] == record.minimum[0]


@pytest.mark.theorem("MohriEtAl18")
def test_the_margin_bound_holds_for_unseen_rows():
    """error <= share of margins <= theta + 2 R / theta + sqrt(ln(100 / delta) / 2 m), R = sqrt(2 ln N / m): with more
    rows it says something, and it is never below the error on fresh rows."""
    said = []
    for n in (500, 4000, 64_000):
        rng = np.random.default_rng(n)
        X = rng.normal(size=(n + 20_000, 2))
        y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)
        model = wm.AdaBoostClassifier(n_estimators=30).fit(X[:n], y[:n])
        record = boosting_margins(model, X[:n], y[:n], X[n:], y[n:], rounds=(30,))
        assert record.test[0] <= record.bound[0]
        said.append(record.bound[0])
    assert said[0] > said[1] > said[2]
    assert said[2] < 0.6


@given(st.lists(st.floats(-1, 1), min_size=5, max_size=40), st.floats(0.1, 9), st.integers(2, 5))
def test_the_bound_is_the_least_over_its_list_of_margins(margins, log_n, k):
    m = np.array(margins)
    factor = 2 if k == 2 else 4 * k
    expected = min(
        np.mean(m <= t) + factor * math.sqrt(2 * log_n / len(m)) / t + math.sqrt(math.log(GRID / 0.05) / (2 * len(m)))
        for t in np.arange(1, GRID + 1) / GRID
    )
    assert margin_bound(m, (log_n, 1.0), k, 0.05)[0] == pytest.approx(min(1.0, expected))


def test_larger_trees_have_larger_bounds_and_lines_have_none():
    X, y = CANCER
    rng = np.random.default_rng(0)
    X = np.repeat(X, 60, axis=0) + rng.normal(size=(60 * len(y), X.shape[1])) * 1e-3
    y = np.repeat(y, 60)
    bounds = []
    for depth in (1, 3):
        tree = wm.DecisionTreeClassifier(max_depth=depth)
        model = wm.AdaBoostClassifier(tree, n_estimators=3).fit(X, y)
        bounds.append(boosting_margins(model, X, y).bound[-1] - boosting_margins(model, X, y).share_at_most(0.3)[-1])
    assert bounds[0] < bounds[1]
    X, y = CANCER
    lines = wm.AdaBoostClassifier(wm.LinearSVC(), n_estimators=2).fit((X - X.mean(0)) / X.std(0), y)
    record = boosting_margins(lines, (X - X.mean(0)) / X.std(0), y)
    assert record.bound is None
    assert record.nodes is None


def test_what_cannot_be_meant_is_said():
    X, y = IRIS
    model = wm.AdaBoostClassifier(n_estimators=4).fit(X, y)
    with pytest.raises(BadInput, match="no booster of classes"):
        boosting_errors(wm.RandomForestClassifier(3).fit(X, y), X, y)
    with pytest.raises(BadInput, match="no booster of classes"):
        boosting_margins(wm.BoostingRegressor(n_estimators=3).fit(X, y), X, y)
    with pytest.raises(BadInput, match="belong together"):
        boosting_errors(model, X, y, X)
    with pytest.raises(BadInput, match="the model has 4"):
        boosting_margins(model, X, y, rounds=(9,))
    with pytest.raises(BadInput, match="knows the classes"):
        boosting_errors(model, X, y + 1)
    with pytest.raises(BadInput, match="delta=2"):
        boosting_margins(model, X, y, delta=2)
