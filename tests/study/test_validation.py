"""A parameter chosen on a validation set: who sees which rows, what is chosen, what is kept."""

import json
from dataclasses import FrozenInstanceError

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import widemargin as wm
from widemargin.base.errors import BadInput
from widemargin.report.plot import KneeDisplay
from widemargin.store import dumps, loads
from widemargin.study import ValidationCurve, validation_curve

mpl.use("Agg")
CS = [1e-3, 1e-2, 1e-1, 1.0, 10.0]


def rows(n=300, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 6))
    X[:, 0] = np.arange(n)  # the number of the row
    return X, (X[:, 1] + 0.7 * random.standard_normal(n) > 0).astype(int)


class Spy(ClassifierMixin, BaseEstimator):
    """Right in a share of the rows that its parameter says; keeps a list of who saw which rows."""

    SEEN: list = []

    def __init__(self, a=1.0):
        self.a = a

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Spy.SEEN.append(("fit", self.a, X[:, 0].astype(int).tolist()))
        return self

    def score(self, X, y):
        Spy.SEEN.append(("score", self.a, X[:, 0].astype(int).tolist()))
        return {1.0: 0.5, 2.0: 0.88, 4.0: 0.9, 8.0: 0.9, 16.0: 0.85, 32.0: 0.4}[self.a]

    def predict(self, X):
        return np.zeros(len(X), int)


def test_test_rows_are_looked_at_once_by_the_chosen_model_alone():
    Spy.SEEN = []
    X, y = rows()
    curve = validation_curve(Spy(), "a", [8.0, 1.0, 4.0, 2.0, 4.0], X, y, validation=0.2, test=0.3)
    learnt = {tuple(r) for kind, _, r in Spy.SEEN if kind == "fit"}
    scored = [(a, frozenset(r)) for kind, a, r in Spy.SEEN if kind == "score"]
    assert len(learnt) == 1
    train = frozenset(next(iter(learnt)))
    last_value, test = scored[-1]
    held = {r for a, r in scored[:-1]} - {train}
    assert len(held) == 1
    validation = next(iter(held))
    assert (len(train), len(validation), len(test)) == curve.rows == (150, 60, 90)
    assert train | validation | test == set(range(300))
    assert [r for _, r in scored].count(test) == 1
    assert last_value == curve.chosen == 4.0  # of two as good the smaller one
    assert curve.values == (1.0, 2.0, 4.0, 8.0)
    assert curve.test_score == 0.9


def test_what_is_simple_decides_between_equals_and_where_the_knee_is():
    X, y = rows()
    values = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
    up = validation_curve(Spy(), "a", values, X, y)
    assert (up.chosen, up.knee) == (4.0, 2.0)
    down = validation_curve(Spy(), "a", values, X, y, larger_is_simpler=True)
    assert (down.chosen, down.knee) == (8.0, 16.0)
    assert validation_curve(Spy(), "a", values, X, y, rule="knee", larger_is_simpler=True).chosen == 16.0


@pytest.mark.parametrize("machine", [wm.LinearSVC(loss="hinge", tol=1e-8), wm.SVC(kernel="linear", gap_tol=1e-8)])
def test_along_C_by_warm_start_the_machines_are_those_of_cold_fits(machine):
    (X, y), (V, v), (T, t) = rows(200), rows(80, 1), rows(90, 2)
    for M in (X, V, T):
        M[:, 0] = 0
    Cs = [0.1, 1.0, 10.0]
    curve = validation_curve(machine, "C", Cs, X, y, validation=(V, v), test=(T, t))
    cold = [type(machine)(**{**machine.get_params(), "C": C}).fit(X, y) for C in Cs]
    np.testing.assert_allclose(curve.scores, [m.score(V, v) for m in cold])
    np.testing.assert_allclose(curve.train_scores, [m.score(X, y) for m in cold])
    assert curve.test_score == cold[Cs.index(curve.chosen)].score(T, t)
    assert curve.chosen == curve.model.C
    assert (curve.gaps <= 1e-4).all()
    assert curve.rows == (200, 80, 90)
    assert not hasattr(machine, "coef_")


def test_any_estimator_any_parameter():
    X, y = rows()
    piped = make_pipeline(StandardScaler(), wm.SVC())
    assert validation_curve(piped, "svc__gamma", [0.01, 0.1, 1.0], X, y).chosen in (0.01, 0.1, 1.0)
    ridge = validation_curve(RidgeClassifier(), "alpha", np.logspace(-2, 4, 7), X, y, scoring="balanced_accuracy")
    assert ridge.scoring == "balanced_accuracy"
    assert np.isnan(ridge.gaps).all()
    kernel = validation_curve(wm.SVC(), "kernel", ["linear", "rbf"], X, y, test=None)
    assert kernel.knee is None
    assert kernel.test_score is None
    numbers = validation_curve(wm.LinearSVR(), "C", CS, X[:, 1:], X[:, 1] + X[:, 2])
    assert 0.9 < numbers.test_score <= 1


@pytest.fixture(scope="module")
def curve():
    X, y = rows()
    return validation_curve(wm.LinearSVC(), "C", CS, X[:, 1:], y, rule="knee")


def test_the_record_is_frozen_and_is_json_and_text(curve):
    with pytest.raises(FrozenInstanceError):
        curve.rule = "best"
    told = json.loads(curve.to_json())
    assert told["chosen"] == curve.chosen == curve.knee
    assert [line["value"] for line in told["table"]] == CS
    assert told["table"][0]["score"] == curve.scores[0]
    assert told["rows"] == {"train": 150, "validation": 75, "test": 75}
    said = str(curve)
    assert f"on 75 test rows: {curve.test_score:.5g}" in said
    assert said.count("→") == 1


def test_the_record_is_saved_with_its_model(curve):
    again = loads(dumps(curve))
    assert isinstance(again, ValidationCurve)
    assert again.to_json() == curve.to_json()
    X, _ = rows()
    np.testing.assert_array_equal(again.model.predict(X[:, 1:]), curve.model.predict(X[:, 1:]))


def test_the_picture_has_its_name_and_its_knee(curve):
    display = KneeDisplay.from_path(curve)
    assert display.ax_.get_xlabel() == "C"
    assert display.knee == curve.knee
    np.testing.assert_allclose(display.error, 1 - curve.scores)
    display.figure_.clear()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"parameter": "D"}, "no parameter 'D'"),
        ({"values": []}, "values is empty"),
        ({"rule": "first"}, "rule='first'"),
        ({"validation": 1.5}, "validation=1.5"),
        ({"validation": True}, "validation=True"),
        ({"validation": 0.6, "test": 0.5}, "leave no rows"),
        ({"validation": "rest"}, "pair"),
        ({"validation": (np.zeros((3, 5)), [0, 1])}, "3 rows and 2 labels"),
        ({"test": (np.zeros((0, 5)), [])}, "0 rows"),
        ({"parameter": "loss", "values": ["hinge"], "rule": "knee"}, "needs positive numbers"),
    ],
)
def test_bad_input(change, said):
    X, y = rows()
    given = {"estimator": wm.LinearSVC(), "parameter": "C", "values": CS, "X": X[:, 1:], "y": y} | change
    with pytest.raises(BadInput, match=said):
        validation_curve(**given)
