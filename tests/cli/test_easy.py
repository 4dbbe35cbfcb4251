"""`wm easy`: one command from a file to a model, a report and a leaderboard."""

import csv
import json

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.data import load_iris

FAST = ["--learners", "most frequent,linear-svm,naive-bayes", "--time", "5"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    X, y = load_iris()
    path = tmp_path_factory.mktemp("easy") / "iris.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", "d", "species"])
        writer.writerows([*x, kind] for x, kind in zip(X.tolist(), y, strict=True))
    return str(path)


def wm(capsys, *words):
    code = main([str(word) for word in words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_model_report_and_leaderboard_are_there(capsys, table, tmp_path):
    code, out, _ = wm(capsys, "easy", table, "--target", "species", *FAST, "-o", tmp_path / "found")
    assert code == 0
    assert "linear-svm" in out
    found = sorted(path.name for path in (tmp_path / "found").iterdir())
    assert found == ["leaderboard.csv", "model.wm", "report.html", "search.log"]
    code, out, _ = wm(capsys, "evaluate", tmp_path / "found" / "model.wm", table, "--json")
    assert code == 0
    assert json.loads(out)["accuracy"] > 0.9


def test_the_saved_model_says_what_the_found_one_says(table, tmp_path, capsys):
    import widemargin
    from widemargin.store import load

    wm(capsys, "easy", table, "--target", "species", *FAST, "-o", tmp_path / "found", "-q")
    found = widemargin.easy(table, "species", time=5, learners=FAST[1].split(","))
    kept = load(tmp_path / "found" / "model.wm")
    for X, _ in found.model.batches(table):
        assert np.array_equal(kept.estimator.predict_proba(X), found.model.estimator.predict_proba(X))


def test_json_is_one_document(capsys, table, tmp_path):
    code, out, _ = wm(capsys, "easy", table, "--target", "species", *FAST, "-o", tmp_path / "found", "--json")
    assert code == 0
    tuning = json.loads(out)["tuning"]
    assert tuning["winner"] == tuning["leaderboard"][0]
    assert tuning["winner"]["learner"] == "linear-svm"


def test_a_search_cut_off_goes_on(capsys, table, tmp_path):
    words = ["easy", table, "--target", "species", *FAST, "-o", tmp_path / "found", "--json"]
    _, whole, _ = wm(capsys, *words)
    log = tmp_path / "found" / "search.log"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:2]) + lines[2][:9])
    _, again, _ = wm(capsys, *words, "--resume")
    assert json.loads(again)["tuning"]["winner"]["setting"] == json.loads(whole)["tuning"]["winner"]["setting"]
    assert len(log.read_text().splitlines()) == len(lines)


def test_costs_are_told_by_the_names_of_errors(capsys, tmp_path):
    path = tmp_path / "two.csv"
    rng = np.random.default_rng(0)
    rows = [[x, "yes" if x + e > 0 else "no"] for x, e in rng.normal(size=(300, 2)).round(3).tolist()]
    path.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
    words = [
        "easy",
        path,
        "--target",
        "y",
        "--time",
        "5",
        "--learners",
        "linear-svm",
        "-o",
        tmp_path / "found",
        "--json",
    ]
    code, out, _ = wm(capsys, *words, "--cost", "fp=20,fn=1", "--positive", "yes")
    assert code == 0
    dear = np.array(json.loads(out)["test"]["confusion"])
    _, out, _ = wm(capsys, *words, "--cost", "fp=1,fn=20", "--positive", "yes")
    cheap = np.array(json.loads(out)["test"]["confusion"])
    assert dear[0, 1] < cheap[0, 1]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--target", "specis"], 3, "did you mean 'species'?"),
        ([], 2, "--target is needed"),
        (["--target", "species", "--learners", "oracle"], 3, "no learner 'oracle'"),
        (["--target", "species", "--test", "2"], 2, "above 0 and below 1"),
    ],
)
def test_what_cannot_be_is_told(capsys, table, tmp_path, words, code, said):
    found, _, err = wm(capsys, "easy", table, *words, "-o", tmp_path / "found")
    assert (found, said in err) == (code, True), err


@pytest.mark.parametrize(("shape", "beginning"), [("md", "# species of "), ("json", '{\n "widemargin": 1')])
def test_the_report_can_be_markdown_or_json(capsys, table, tmp_path, shape, beginning):
    flags = ["--target", "species", *FAST, "--format", shape, "-o", tmp_path / "found"]
    code, out, _ = wm(capsys, "easy", table, "--data-format", "csv", *flags)
    text = (tmp_path / "found" / f"report.{shape}").read_text(encoding="utf-8")
    assert code == 0
    assert text.startswith(beginning)
    assert f"report.{shape}" in out
    assert not (tmp_path / "found" / "report.html").exists()
    if shape == "json":
        assert json.loads(text)["tuning"]["winner"] == json.loads(text)["tuning"]["leaderboard"][0]
