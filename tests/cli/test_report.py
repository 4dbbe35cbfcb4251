"""`wm report`: saved models on one file, judged and compared."""

import csv
import json

import numpy as np
import pytest

from widemargin.app.compare import compare
from widemargin.cli import main
from widemargin.data import load_sms_spam
from widemargin.store import load


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two classes and a number told by columns; models learnt from one half, the other half to judge by."""
    place = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3)).round(3)
    kind = np.where(X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=240) > 0, "yes", "no")
    size = (X @ [1.0, 2.0, 0.0] + 0.1 * rng.normal(size=240)).round(3)
    for name, rows in (("learn", slice(0, 120)), ("new", slice(120, 240))):
        with open(place / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(["a", "b", "c", "size", "kind"])
            out.writerows([*x, s, k] for x, s, k in zip(X[rows].tolist(), size[rows], kind[rows], strict=True))

    def train(model, name, *more):
        words = ["train", place / "learn.csv", "--model", model, "-o", place / name, "--quiet", *more]
        assert main([str(word) for word in words]) == 0

    train("svc", "svc.wm", "--target", "kind", "--ignore", "size", "--probability", "true")
    train("tree", "tree.wm", "--target", "kind", "--ignore", "size", "--max-depth", "3")
    train("adaboost", "boost.wm", "--target", "kind", "--ignore", "size", "--n-estimators", "20")
    train("averaged", "averaged.wm", "--target", "kind", "--ignore", "size")
    train("svr", "svr.wm", "--target", "size", "--ignore", "kind")
    train("kernel-ridge", "ridge.wm", "--target", "size", "--ignore", "kind", "--kernel", "linear")
    train("one-class", "one.wm", "--ignore", "kind")
    return place


def test_models_are_compared_on_the_same_rows(wm, folder, tmp_path):
    """Figures are those of `evaluate`, and of two models the rows on which either alone is right."""
    models = [folder / name for name in ("svc.wm", "tree.wm", "averaged.wm", "boost.wm")]
    ran = wm("report", *models, folder / "new.csv", "--target", "kind", "-o", tmp_path / "r.html", "--json")
    assert ran.code == 0, ran.err
    right = []
    for path, told in zip(models, ran.json["models"], strict=True):
        assert told["test"]["accuracy"] == wm("evaluate", path, folder / "new.csv", "--json").json["accuracy"]
        model = load(path)
        right.append(np.concatenate([model.estimator.predict(X) == y for X, y in model.batches(folder / "new.csv")]))
    pair = ran.json["pairs"][0]
    assert pair["first_better"] == int((right[0] & ~right[1]).sum())
    assert pair["second_better"] == int((right[1] & ~right[0]).sum())
    assert pair["difference"] == pytest.approx(right[0].mean() - right[1].mean())
    page = (tmp_path / "r.html").read_text()
    for words in ("Side by side", "svc.wm", "tree.wm", "averaged.wm", "sign test", "Where to draw the line"):
        assert words in page
    assert "The first questions of the tree" in page
    assert ran.json["models"][3]["learner"] == "AdaBoostClassifier"
    assert "Errors on the test rows by round" in page


def test_the_sign_test_is_that_of_a_coin(folder):
    """Of 1 + 5 differing rows, a share as uneven as this has the chance 2 (1 + 6) / 64."""
    from types import SimpleNamespace

    from widemargin.app.compare import _pair

    one = SimpleNamespace(losses=np.array([0.0] * 5 + [1.0] + [0.0] * 4))
    other = SimpleNamespace(losses=np.array([1.0] * 5 + [0.0] * 5))
    assert _pair(("a", one), ("b", other))["chance"] == pytest.approx(2 * 7 / 64)


def test_rows_of_the_fit_are_recognised(wm, folder, tmp_path):
    """Of a kernel machine, a tree and a regression; not of other rows."""
    for name in ("svc.wm", "tree.wm", "ridge.wm"):
        for file, state in (("learn.csv", "warning"), ("new.csv", "fine")):
            found = wm("report", folder / name, folder / file, "-o", tmp_path / "r.html", "--json").json
            assert (found["checks"][0]["name"], found["checks"][0]["state"]) == ("rows are new", state)


def test_numbers_are_compared_by_their_squared_errors(wm, folder, tmp_path):
    words = ["report", folder / "svr.wm", folder / "ridge.wm", folder / "new.csv", "-o", tmp_path / "r.html", "--json"]
    found = wm(*words).json
    assert found["kind"] == "numbers"
    for told in found["models"]:
        assert told["loss"] == pytest.approx(told["test"]["root_mean_squared_error"] ** 2)


@pytest.mark.parametrize(
    ("flags", "name", "start"),
    [
        (["--format", "md"], "report.md", "# kind of "),
        (["-o", "out.md"], "out.md", "# kind of "),
        (["--format", "json"], "report.json", '{\n "widemargin": 1'),
        ([], "report.html", "<!doctype html>"),
    ],
)
def test_the_format_is_told_by_flag_or_name(wm, folder, tmp_path, monkeypatch, flags, name, start):
    monkeypatch.chdir(tmp_path)
    ran = wm("report", folder / "tree.wm", folder / "new.csv", *flags)
    assert ran.code == 0, ran.err
    text = (tmp_path / name).read_text()
    assert text.lstrip().startswith(start)
    if name.endswith("json"):
        assert json.loads(text)["models"][0]["learner"] == "DecisionTreeClassifier"


def test_standard_output_holds_the_report_alone(wm, folder):
    ran = wm("report", folder / "tree.wm", folder / "new.csv", "--format", "md", "-o", "-")
    assert (ran.code, ran.out[:10]) == (0, "# kind of ")
    assert "wm report" in ran.out


def test_costs_are_judged_too(wm, folder, tmp_path):
    words = ["report", folder / "tree.wm", folder / "new.csv", "-o", tmp_path / "r.html", "--json"]
    found = wm(*words, "--cost", "fp=7,fn=2", "--positive", "yes").json["models"][0]
    (_, fp), (fn, _) = found["test"]["confusion"]
    assert found["test"]["cost"] == 7 * fp + 2 * fn
    assert found["loss"] == pytest.approx((7 * fp + 2 * fn) / 120)


def test_a_model_of_prose_is_saved_and_judged(wm, tmp_path):
    texts, kinds = load_sms_spam()
    with open(tmp_path / "sms.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("kind", "message"), *zip(kinds[:300], texts[:300], strict=True)])
    flags = ["--target", "kind", "--learners", "naive-bayes-counts", "--time", "5", "-o", tmp_path / "sms", "-q"]
    assert wm("easy", tmp_path / "sms.csv", *flags).code == 0
    model = load(tmp_path / "sms" / "model.wm")
    found = compare([("sms", model)], str(tmp_path / "sms.csv"), "kind")
    assert found.models[0]["test"]["accuracy"] > 0.9


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["svc.wm"], 2, "a model file and a data file are needed"),
        (["svc.wm", "new.csv", "--target", "knid"], 3, "did you mean 'kind'?"),
        (["svc.wm", "svr.wm", "new.csv"], 3, "predict different things"),
        (["svc.wm", "svc.wm", "new.csv"], 2, "named twice"),
        (["one.wm", "new.csv"], 3, "knows one class only"),
        (["svc.wm", "new.csv", "--target", "size"], 3, "labels that svc.wm does not know"),
        (["svr.wm", "new.csv", "--cost", "fp=1,fn=2"], 3, "cost is for classes"),
        (["svc.wm", "new.csv", "--format", "pdf"], 2, "invalid choice"),
        (["none.wm", "new.csv"], 3, "No such file"),
        (["learn.csv", "new.csv"], 4, ""),
    ],
)
def test_what_cannot_be_is_told(wm, folder, tmp_path, monkeypatch, words, code, said):
    monkeypatch.chdir(tmp_path)
    words = [folder / word if word.endswith((".wm", ".csv")) else word for word in words]
    ran = wm("report", *words)
    assert (ran.code, said in ran.err) == (code, True), ran.err
    assert list(tmp_path.iterdir()) == []
