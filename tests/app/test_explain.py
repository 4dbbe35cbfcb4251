"""What a report says a model goes by."""

import csv

import pytest
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import widemargin as wm
from widemargin.app.curves import training_curves
from widemargin.app.explain import explanation
from widemargin.app.reading import read_learnable
from widemargin.data import load_sms_spam
from widemargin.estimator.average import AverageClassifier


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    path = tmp_path_factory.mktemp("explain") / "sms.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "kind"])
        writer.writerows(list(zip(*load_sms_spam(), strict=True))[:400])
    return read_learnable(str(path), "kind")


def average(data, weights):
    counted = make_pipeline(wm.BagOfWords(), MultinomialNB())
    machine = make_pipeline(wm.BagOfWords(), wm.LinearSVC(probability="sigmoid"))
    return AverageClassifier([("bayes", counted), ("machine", machine)], weights=weights).fit(data.X, data.y)


@pytest.mark.parametrize("weights", [(0.7, 0.3), (0.2, 0.8)])
def test_an_average_goes_by_what_its_heaviest_member_that_tells_goes_by(texts, weights):
    """Reports on averages showed neither words nor the fit. Naive Bayes has no weights that could be shown."""
    model = average(texts, weights)
    told = explanation(model, texts, None, texts.X, texts.y)
    alone = explanation(model.estimators_[1], texts, None, texts.X, texts.y)
    assert told["learner"] == "AverageClassifier"
    assert told["member"] == {"name": "machine", "weight": weights[1]}
    assert (told["kind"], told["features"]) == ("weights", alone["features"])
    assert len(told["features"]) == 20
    fit = training_curves(model, texts.X, texts.y)
    assert fit["curves"] == training_curves(model.estimators_[1], texts.X, texts.y)["curves"]
    assert fit["member"]["name"] == "machine"


def test_an_average_of_members_that_tell_nothing_says_so(texts):
    counted = make_pipeline(wm.BagOfWords(), MultinomialNB())
    model = AverageClassifier([("bayes", counted)]).fit(texts.X, texts.y)
    told = explanation(model, texts, None, texts.X, texts.y)
    assert (told["kind"], told["features"], "member" in told) == ("none", [], False)
    assert "member" not in training_curves(model, texts.X, texts.y)


def test_a_member_without_weight_tells_nothing_of_an_average(texts):
    """Its words were shown as those of the average, with 0 % of the weight."""
    model = average(texts, (1.0, 0.0))
    assert explanation(model, texts, None, texts.X, texts.y)["kind"] == "none"
    assert training_curves(model, texts.X, texts.y)["curves"] == []
