"""Support vector machines on the command line: classes, numbers, one class; what is told and what is refused."""

import numpy as np
import pytest
from tests.cli.test_bad_input import refused

import widemargin
from widemargin import store
from widemargin.cli import root
from widemargin.cli.models import model_class
from widemargin.data import read_svmlight, read_table


@pytest.fixture
def waves(tmp_path):
    """y = sin x with some noise, and a column that says nothing."""
    path, random = tmp_path / "waves.csv", np.random.default_rng(0)
    x = np.linspace(0, 6, 60)
    y = np.sin(x) + random.normal(0, 0.1, 60)
    path.write_text("x,other,y\n" + "".join(f"{a},{i % 4},{b}\n" for i, (a, b) in enumerate(zip(x, y, strict=True))))
    return path


NUMBERS = {
    "svr": (["--C", "10", "--epsilon", "0.05"], {"C": 10.0, "epsilon": 0.05}),
    "nu-svr": (["--nu", "0.3", "--gamma", "auto"], {"nu": 0.3, "gamma": "auto"}),
    "kernel-ridge": (["--alpha", "0.1", "--kernel", "poly", "--coef0", "1"], {"alpha": 0.1, "kernel": "poly"}),
}


@pytest.mark.parametrize("model", NUMBERS)
def test_regressions_train_predict_evaluate_and_are_certified(wm, waves, tmp_path, model):
    flags, given = NUMBERS[model]
    path = tmp_path / "m.wm"
    ran = wm("train", waves, "--target", "y", "--model", model, *flags, "--json", "--certify", "-o", path)
    assert ran.code == 0, ran.err
    data = read_table(waves, "y")
    fitted = store.load(path).estimator
    assert given.items() <= fitted.get_params().items()
    direct = model_class(model)(**fitted.get_params()).fit(data.X, data.y)
    called = np.array(wm("predict", path, waves).out.split()[1:], float)
    np.testing.assert_array_equal(called, direct.predict(data.X))
    found = wm("evaluate", path, waves, "--json").json
    assert found["mean_absolute_error"] == pytest.approx(np.abs(called - data.y).mean())
    assert found["root_mean_squared_error"] == pytest.approx(np.sqrt(np.mean((called - data.y) ** 2)))
    assert ran.json["mean_absolute_error"] == pytest.approx(found["mean_absolute_error"])
    assert (ran.json["support"], ran.json["classes"]) == (len(direct.support_), None)
    assert wm("certify", path, waves).code == 0
    assert wm("inspect", path, "--json").json["support"] == len(direct.support_)
    assert "mean absolute error" in wm("train", waves, "--target", "y", "--model", model).out


def test_a_support_vector_classifier_tells_its_steps_its_support_and_its_gap(wm, iris, tmp_path):
    path = tmp_path / "m.wm"
    words = ["--model", "svc", "--kernel", "rbf", "--gamma", "0.01", "--C", "2", "--no-shrinking"]
    ran = wm("train", iris, "--target", "species", *words, "--json", "-o", path)
    assert ran.code == 0, ran.err
    fitted = store.load(path).estimator
    assert (fitted.kernel, fitted.gamma, fitted.C, fitted.shrinking) == ("rbf", 0.01, 2.0, False)
    assert (ran.json["steps"], ran.json["support"]) == (fitted.n_iter_.sum(), len(fitted.support_))
    assert ran.json["epochs"] is None
    assert ran.json["certificate"]["relative_gap"] <= fitted.gap_tol
    assert wm("certify", path, iris, "--json").json["holds"] is True
    assert wm("evaluate", path, iris, "--json").json["errors"] == ran.json["training_errors"]
    told = wm("inspect", path, "--json").json
    assert (told["iter"], told["support"]) == (fitted.n_iter_.tolist(), len(fitted.support_))
    assert "support" in wm("inspect", path).out


def test_scores_are_named_by_class_or_by_pair(wm, iris, tmp_path):
    heads = {"ovr": ["score_setosa"], "ovo": ["score_setosa_versicolor", "score_versicolor_virginica"]}
    for shape, names in heads.items():
        path = tmp_path / f"{shape}.wm"
        flags = ["--model", "svc", "--decision-function-shape", shape]
        wm("train", iris, "--target", "species", *flags, "-o", path)
        head = wm("predict", path, iris, "--scores").out.split("\n")[0].split(",")
        assert len(head) == 4
        assert set(names) < set(head)


def test_one_class_needs_no_target(wm, iris, tmp_path):
    path = tmp_path / "m.wm"
    ran = wm("train", iris, "--ignore", "species", "--model", "one-class", "--nu", "0.1", "--json", "-o", path)
    assert ran.code == 0, ran.err
    X = read_table(iris, "species").X
    outside = widemargin.OneClassSVM(nu=0.1).fit(X).predict(X) < 0
    assert ran.json["outside"] == outside.sum() > 0
    found = wm("evaluate", path, iris, "--json").json
    assert (found["rows"], found["outside"], found["by_label"]) == (150, outside.sum(), [])
    assert found["share_interval"][0] < found["share_outside"] < found["share_interval"][1]
    assert wm("certify", path, iris, "--batch-rows", "40").code == 0
    assert wm("predict", path, iris).out.split()[1:] == np.where(outside, "-1", "1").tolist()
    assert wm("predict", path, iris, "--scores").out.startswith("prediction,score\n")
    assert "outside" in wm("evaluate", path, iris).out


def test_a_target_of_one_class_is_kept_out_of_the_fit_and_told_apart(wm, iris, tmp_path):
    path = tmp_path / "m.wm"
    assert wm("train", iris, "--target", "species", "--model", "one-class", "--nu", "0.1", "-o", path).code == 0
    found = wm("evaluate", path, iris, "--json", "--batch-rows", "60").json
    assert [line["label"] for line in found["by_label"]] == ["setosa", "versicolor", "virginica"]
    assert sum(line["outside"] for line in found["by_label"]) == found["outside"]
    assert all(line["rows"] == 50 for line in found["by_label"])
    assert "accuracy" not in found
    assert "virginica" in wm("evaluate", path, iris).out


def test_labels_of_plus_and_minus_one_are_the_truth_about_outliers(wm, svm, tmp_path):
    path = tmp_path / "m.wm"
    assert wm("train", svm, "--model", "one-class", "--nu", "0.3", "-o", path).code == 0
    X, y = read_svmlight(svm)
    called = store.load(path).estimator.predict(X)
    found = wm("evaluate", path, svm, "--json").json
    assert found["accuracy"] == pytest.approx(np.mean(called == y))
    recall = np.mean(called[y == -1] == -1)
    assert found["by_class"][0]["recall"] == pytest.approx(recall)
    assert "outliers" in wm("evaluate", path, svm).out


REFUSED = [
    (["--model", "svc", "--C", "0"], root.USAGE, ["--C", "(0.0, inf]"]),
    (["--model", "svc", "--kernel", "cubic"], root.USAGE, ["--kernel", "rbf", "'cubic'"]),
    (["--model", "svc", "--stream"], root.USAGE, ["all rows at once"]),
    (["--model", "nu-svc", "--nu", "2"], root.USAGE, ["--nu", "(0.0, 1.0]"]),
    (["--model", "kernel-ridge", "--max-time", "3"], root.USAGE, ["--max-time", "one step"]),
    (["--model", "svr"], root.BAD_INPUT, ["'setosa'", "numbers"]),
    (["--model", "svm"], root.USAGE, ["there is no model 'svm'", "svc"]),
]


@pytest.mark.parametrize(("flags", "code", "words"), REFUSED, ids=[" ".join(flags) for flags, _, _ in REFUSED])
def test_what_cannot_be_trained_is_said(wm, iris, flags, code, words):
    refused(wm("train", iris, "--target", "species", *flags), code, *words)


def test_a_nu_that_the_classes_do_not_allow_is_told_with_the_largest(wm, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("x,y\n" + "".join(f"{i},{'a' if i < 2 else 'b'}\n" for i in range(20)))
    refused(wm("train", path, "--target", "y", "--model", "nu-svc", "--nu", "0.9"), root.BAD_INPUT, "0.2")


def test_costs_are_for_classes(wm, iris, waves, tmp_path):
    path = tmp_path / "m.wm"
    wm("train", waves, "--target", "y", "--model", "svr", "-o", path)
    refused(wm("evaluate", path, waves, "--cost", "fp=1"), root.USAGE, "predicts numbers")
    wm("train", iris, "--target", "species", "--model", "one-class", "-o", path)
    refused(wm("evaluate", path, iris, "--cost", "fp=1"), root.USAGE, "one class")
