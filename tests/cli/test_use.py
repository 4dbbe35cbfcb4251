"""Predict, evaluate, certify, inspect: what they print and what they return."""

import csv
import io

import numpy as np
import pytest

from widemargin import store
from widemargin.data import load_iris, load_iris_tenths


def test_predict_writes_one_label_a_row(wm, iris, iris_model, tmp_path):
    X, _ = load_iris_tenths()
    expected = store.load(iris_model).estimator.predict(X).tolist()
    assert wm("predict", iris_model, iris).out.split() == ["prediction", *expected]
    assert wm("predict", iris_model, "-", stdin=iris.read_bytes()).out.split()[1:] == expected
    assert wm("predict", iris_model, iris, "--batch-rows", "7").out.split()[1:] == expected
    out = tmp_path / "out.csv"
    ran = wm("predict", iris_model, iris, "-o", out)
    assert "150 predictions" in ran.out
    assert out.read_text().split()[1:] == expected
    assert wm("predict", iris_model, iris, "--json").json == {"rows": 150, "predictions": expected}


def test_scores_are_the_decision_values(wm, iris, iris_model):
    X, _ = load_iris_tenths()
    lines = list(csv.reader(io.StringIO(wm("predict", iris_model, iris, "--scores").out)))
    assert lines[0] == ["prediction", "score_setosa", "score_versicolor", "score_virginica"]
    written = np.array([line[1:] for line in lines[1:]], float)
    np.testing.assert_array_equal(written, store.load(iris_model).estimator.decision_function(X))
    assert wm("predict", iris_model, iris, "--scores", "--json").json["scores"] == written.tolist()


def test_columns_are_found_by_name_and_extra_ones_ignored(wm, iris, iris_model, tmp_path):
    rows = list(csv.reader(iris.read_text().splitlines()))
    mixed = tmp_path / "mixed.csv"
    with mixed.open("w", newline="") as file:
        csv.writer(file).writerows([[row[3], "note", row[1], row[0], row[2]] for row in rows])
    assert wm("predict", iris_model, mixed).out == wm("predict", iris_model, iris).out


def test_evaluate_counts_the_kinds_of_error(wm, iris, iris_model):
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    X, y = load_iris_tenths()
    called = store.load(iris_model).estimator.predict(X)
    found = wm("evaluate", iris_model, iris, "--json").json
    np.testing.assert_array_equal(found["confusion"], confusion_matrix(y, called))
    assert found["accuracy"] == pytest.approx(np.mean(called == y))
    precision, recall, f1, _ = precision_recall_fscore_support(y, called, zero_division=0)
    for i, line in enumerate(found["by_class"]):
        assert (line["precision"] or 0, line["recall"], line["f1"]) == pytest.approx((precision[i], recall[i], f1[i]))
    text = wm("evaluate", iris_model, iris).out
    assert "95 % interval" in text
    assert "true class" in text


def test_the_interval_is_wilsons():
    from scipy.stats import binomtest

    from widemargin.study.evaluation import wilson

    for right, n in [(0, 5), (5, 5), (3, 7), (140, 150), (999, 1000)]:
        known = binomtest(right, n).proportion_ci(method="wilson")
        assert wilson(right, n) == pytest.approx((known.low, known.high), abs=1e-12)


def test_regression_errors_join_over_batches():
    from sklearn.metrics import mean_absolute_error, r2_score

    from widemargin.study.evaluation import RegressionErrors

    random = np.random.default_rng(0)
    truth, called = random.normal(1e6, 1, 100), random.normal(1e6, 1, 100)
    errors = RegressionErrors()
    for part in (slice(0, 7), slice(7, 50), slice(50, 100)):
        errors.add(truth[part], called[part])
    found = errors.to_dict()
    assert found["mean_absolute_error"] == pytest.approx(mean_absolute_error(truth, called))
    assert found["r2"] == pytest.approx(r2_score(truth, called))


@pytest.fixture
def spam(wm, tmp_path):
    """Two classes with errors of both kinds: (model, file)."""
    path, model = tmp_path / "spam.csv", tmp_path / "spam.wm"
    lines = [f"{i},{'spam' if i > 10 or i == 3 else 'ham'}" for i in range(20) if i != 15] + ["15,ham"]
    path.write_text("x,kind\n" + "\n".join(lines) + "\n")
    assert wm("train", path, "--target", "kind", "--model", "batch", "-o", model).code == 0
    return model, path


def test_costs_by_pairs_and_by_file(wm, spam, tmp_path):
    model, path = spam
    confusion = np.array(wm("evaluate", model, path, "--json").json["confusion"])
    priced = wm("evaluate", model, path, "--cost", "fp=10,fn=1", "--json").json
    assert priced["cost"] == 10 * confusion[0, 1] + confusion[1, 0]
    assert confusion[0, 1] != confusion[1, 0] or confusion[0, 1] > 0
    swapped = wm("evaluate", model, path, "--cost", "fp=10,fn=1", "--positive", "ham", "--json").json
    assert swapped["cost"] == 10 * confusion[1, 0] + confusion[0, 1]
    matrix = tmp_path / "cost.csv"
    matrix.write_text(",spam,ham\nham,10,0\nspam,0,1\n")
    assert wm("evaluate", model, path, "--cost", matrix, "--json").json["cost"] == priced["cost"]
    assert "mean cost" in wm("evaluate", model, path, "--cost", matrix).out


def test_certify_holds_for_the_data_of_the_fit_only(wm, iris, tmp_path):
    path = tmp_path / "m.wm"
    wm("train", iris, "--target", "species", "-o", path)
    ran = wm("certify", path, iris, "--json")
    assert (ran.code, ran.json["holds"]) == (0, True)
    assert wm("certify", path, iris, "--batch-rows", "11").code == 0
    proved = wm("certify", path, iris, "--prove", "--json", "--witness").json
    assert proved["parts"]["versicolor vs rest"]["witness"]["rows"]
    assert "versicolor vs rest" in wm("certify", path, iris).out
    other = tmp_path / "other.csv"
    other.write_text(iris.read_text().replace("51,35,14,2", "51,35,14,3", 1))
    ran = wm("certify", path, other)
    assert ran.code == 6
    assert "not the data of the fit" in ran.err


def test_certify_fails_for_a_model_that_was_tampered_with(wm, iris, tmp_path):
    path = tmp_path / "m.wm"
    wm("train", iris, "--target", "species", "-o", path)
    model = store.load(path)
    model.estimator.coef_[0] *= -1
    store.save(model, path)
    ran = wm("certify", path, iris, "--json")
    assert (ran.code, ran.json["holds"]) == (1, False)


def test_certify_leaves_out_the_rows_that_training_dropped(wm, table, tmp_path):
    path = tmp_path / "m.wm"
    assert wm("train", table, "--target", "kind", "--missing", "drop", "-o", path).code == 0
    assert wm("certify", path, table).code == 0


def test_certify_svmlight(wm, svm, tmp_path):
    path = tmp_path / "m.wm"
    wm("train", svm, "-o", path)
    assert wm("certify", path, svm, "--batch-rows", "13").code == 0
    assert wm("evaluate", path, svm, "--json").json["errors"] == 0
    assert set(wm("predict", path, svm).out.split()) == {"prediction", "1", "-1"}


def test_inspect_tells_what_a_file_holds(wm, iris_model):
    found = wm("inspect", iris_model, "--json").json
    assert found["estimator"] == "AveragedPerceptron"
    assert found["type"] == "FileModel"
    assert found["target"] == "species"
    assert found["columns"] == ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    assert found["parameters"]["max_iter"] == 1000
    assert len(found["sha256"]) == 64
    text = wm("inspect", iris_model).out
    assert found["sha256"] in text
    assert wm("inspect", "-", "--json", stdin=iris_model.read_bytes()).json["sha256"] == found["sha256"]


def test_inspect_looks_into_pipelines_and_tells_sizes(wm, tmp_path):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import widemargin
    from widemargin import store

    X = [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0], [3.0, 4.0]]
    path = tmp_path / "pipe.wm"
    store.save(make_pipeline(StandardScaler(), widemargin.RandomForestClassifier(3)).fit(X, list("aabb")), path)
    found = wm("inspect", path, "--json").json
    assert found["steps"] == ["standardscaler: StandardScaler", "randomforestclassifier: RandomForestClassifier"]
    assert (found["type"], found["estimator"]) == ("sklearn.Pipeline", "RandomForestClassifier")
    assert (found["features"], found["classes"], found["trees"]) == (2, ["a", "b"], 3)
    assert found["certificate"]["holds"] is not False
    assert found["written_by"]["scikit-learn"]
    assert {part["type"] for part in found["parts"].values()} >= {"sklearn.StandardScaler", "Trees"}
    held = sum(array["bytes"] for array in found["arrays"].values())
    assert 0 < held < found["bytes"] == path.stat().st_size
    text = wm("inspect", path).out
    assert "StandardScaler" in text
    assert "largest arrays" in text


def test_inspect_tells_what_is_no_model(wm, tmp_path):
    from widemargin import store
    from widemargin.kernels import RBF

    store.save(RBF(0.5), tmp_path / "kernel.wm")
    assert wm("inspect", tmp_path / "kernel.wm", "--json").json["estimator"] == "RBF"
    assert wm("inspect", tmp_path / "kernel.wm").code == 0


def test_a_model_saved_from_python_reads_svmlight(wm, svm, tmp_path):
    from widemargin import Perceptron
    from widemargin.data import read_svmlight

    path = tmp_path / "bare.wm"
    X, y = read_svmlight(svm)
    store.save(Perceptron().fit(X, y.astype(int)), path)
    assert wm("evaluate", path, svm, "--json").json["errors"] == 0
    assert wm("predict", path, svm, "--format", "csv").code == 3


def test_demo_goes_from_messages_to_a_report_shows_the_family_and_draws(wm, tmp_path, monkeypatch):
    monkeypatch.setattr("widemargin.cli.demo._SECONDS", "2")  # few rows, few learners
    ran = wm("demo", "-o", tmp_path / "pictures", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["easy"]["test"]["accuracy"] > 0.93
    assert {"model.wm", "report.html"} <= {path.name for path in (tmp_path / "pictures" / "sms_spam").iterdir()}
    tasks = ran.json["tasks"]
    assert len(tasks) == 3
    separable = next(task for name, task in tasks.items() if "separable" in name)
    assert all(model["training_errors"] == 0 for model in separable["models"])
    perceptron = separable["models"][0]
    assert perceptron["updates"] <= perceptron["bound"]
    if ran.json["picture"] is not None:
        assert (tmp_path / "pictures" / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_centimetres_and_tenths_are_other_data(wm, iris, iris_model, tmp_path):
    X, y = load_iris()
    lines = [",".join([*map(str, row), label]) for row, label in zip(X, y, strict=True)]
    path = tmp_path / "cm.csv"
    path.write_text("\n".join([iris.read_text().splitlines()[0], *lines, ""]))
    assert wm("certify", iris_model, path).code == 6
