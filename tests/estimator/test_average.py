"""Averages of models: the figures of their certificate, what is refused, and files."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import widemargin as wm
from widemargin.certificate.average import certify_average
from widemargin.errors import BadInput, CannotStore, DataMismatch
from widemargin.estimator.average import AverageClassifier, AverageRegressor
from widemargin.store import load, save


@pytest.fixture(scope="module")
def average():
    machine = make_pipeline(StandardScaler(), wm.SVC(probability=True))
    members = [("svc", machine), ("forest", wm.RandomForestClassifier(20)), ("bayes", GaussianNB())]
    return AverageClassifier(members, weights=[2, 1, 1]).fit(*load_iris(return_X_y=True))


def test_probabilities_are_the_weighted_mean_of_the_members(average):
    X, y = load_iris(return_X_y=True)
    told = [member.predict_proba(X) for member in average.estimators_]
    assert average.predict_proba(X) == pytest.approx(0.5 * told[0] + 0.25 * told[1] + 0.25 * told[2])
    assert np.array_equal(average.predict(X), average.predict_proba(X).argmax(axis=1))
    assert average.score(X, y) > 0.95


def test_the_certificate_counts_the_members_that_have_one(average):
    X, y = load_iris(return_X_y=True)
    proof = wm.certify(average, X, y)
    assert proof.holds
    assert proof.kind == "estimate"  # of naive Bayes nothing is proved
    assert set(proof.parts) == {"svc", "forest"}
    assert "2 of 3 members" in proof.claim
    assert proof.squared_error == pytest.approx(((average.predict_proba(X) - np.eye(3)[y]) ** 2).sum(axis=1).mean())
    assert (proof.claim, proof.figures()) == (average.certificate_.claim, average.certificate_.figures())


def test_other_data_are_told(average):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(DataMismatch):
        wm.certify(average, X + 1, y)


@pytest.mark.theorem("KroghVedelsby95")
@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_an_average_is_better_than_its_members_by_what_they_disagree(members, outputs, seed):
    """The squared error of an average is the average of its members' less their mean squared distance from it."""
    rng = np.random.default_rng(seed)
    answers, target = list(rng.normal(size=(members, 20, outputs))), rng.normal(size=(20, outputs))
    found = certify_average(answers, rng.dirichlet(np.ones(members)), target, {})
    assert found.holds
    assert found.squared_error <= found.members_error * (1 + 1e-12)


def test_weights_that_are_no_average_do_not_hold():
    answers, target = list(np.ones((2, 5, 1))), np.zeros((5, 1))
    assert certify_average(answers, np.array([0.9, 0.9]), target, {}).holds is False


def test_files_keep_all_of_it(average, tmp_path):
    X, y = load_iris(return_X_y=True)
    save(average, tmp_path / "a.wm")
    again = load(tmp_path / "a.wm")
    assert np.array_equal(again.predict_proba(X), average.predict_proba(X))
    assert again.certificate_.claim == average.certificate_.claim
    assert wm.certify(again, X, y).holds
    numbers = load_diabetes(return_X_y=True)
    model = AverageRegressor([("ridge", wm.KernelRidge()), ("forest", wm.RandomForestRegressor(10))]).fit(*numbers)
    save(model, tmp_path / "b.wm")
    assert np.array_equal(load(tmp_path / "b.wm").predict(numbers[0]), model.predict(numbers[0]))
    assert model.certificate_.holds


def test_a_file_whose_members_know_other_classes_is_refused(average, tmp_path):
    X, y = load_iris(return_X_y=True)
    broken = AverageClassifier(average.estimators, weights=average.weights).fit(X, y)
    broken.estimators_[1] = wm.RandomForestClassifier(5).fit(X[:100], y[:100])
    with pytest.raises(CannotStore, match="no probabilities of these classes"):
        save(broken, tmp_path / "c.wm")


@pytest.mark.parametrize(
    ("estimators", "weights", "words"),
    [
        ([], None, "each name once"),
        ([("a", GaussianNB()), ("a", GaussianNB())], None, "each name once"),
        ([("a", GaussianNB())], [1, 2], "one number >= 0"),
        ([("a", GaussianNB()), ("b", GaussianNB())], [1, -1], "one number >= 0"),
        ([("a", GaussianNB())], [0], "one number >= 0"),
    ],
)
def test_what_is_no_average_is_told(estimators, weights, words):
    with pytest.raises(BadInput, match=words):
        AverageClassifier(estimators, weights=weights).fit(*load_iris(return_X_y=True))
