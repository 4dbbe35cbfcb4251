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


def odd_table(tmp_path, extra, n=60):
    """Columns a, b and more, kind by the sign of a."""
    path = tmp_path / "odd.csv"
    lines = [f"{(i * 37 % 61) - 30};{i * 17 % 23};{extra(i)};{'yes' if i * 37 % 61 > 30 else 'no'}" for i in range(n)]
    path.write_text("a;b;more;kind\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def checks_of(out):
    return {check["name"]: check for check in json.loads(out)["checks"]}


@pytest.mark.parametrize(
    "date",
    [
        lambda i: f"2026-{i % 12 + 1:02}-{i % 28 + 1:02}",
        lambda i: f"{i % 28 + 1}.{i % 12 + 1}.2026 {i % 24:02}:30",
        lambda i: f"{i % 12 + 1}/7/26",
    ],
)
def test_columns_of_dates_are_left_out_with_a_word(capsys, tmp_path, date):
    """A date that is not in the file says nothing to a model that took the others for names."""
    words = ["easy", odd_table(tmp_path, date), "--target", "kind", *FAST, "--json", "-o", tmp_path / "found"]
    code, out, _ = wm(capsys, *words)
    assert code == 0
    assert checks_of(out)["dates"]["finding"] == "left out: more"
    code, out, _ = wm(capsys, *words, "--categorical", "more", "--learners", "linear-svm")  # a column a date: sparse
    assert code == 0
    assert "dates" not in checks_of(out)
    assert checks_of(out)["identifiers"]["state"] == "fine"


def test_versions_and_numbers_are_no_dates(capsys, tmp_path):
    for cell in (lambda i: f"1.{i % 9}", lambda i: f"{i % 9}-{i % 4}", lambda i: f"v{i % 9}.1.1"):
        path = odd_table(tmp_path, cell)
        code, out, _ = wm(capsys, "easy", path, "--target", "kind", *FAST, "--json", "-o", tmp_path / "found")
        assert (code, "dates" in checks_of(out)) == (0, False)


def test_rows_without_an_answer_are_left_out_and_counted(capsys, tmp_path):
    path = odd_table(tmp_path, lambda i: i % 3)
    lines = path.read_text().splitlines()
    holes = [line.rpartition(";")[0] + ";" if i % 6 == 0 and i else line for i, line in enumerate(lines)]
    path.write_text("\n".join(holes) + "\n")
    words = ["easy", path, "--target", "kind", *FAST, "--json", "-o", tmp_path / "found"]
    code, out, _ = wm(capsys, *words)
    assert code == 0
    assert checks_of(out)["rows without an answer"]["finding"] == "10 of 60 rows have no kind: left out"
    assert sum(json.loads(out)["rows"].values()) == 50
    path.write_text("\n".join([lines[0], *(line.rpartition(";")[0] + ";" for line in lines[1:])]) + "\n")
    code, _, err = wm(capsys, *words)
    assert (code, "missing in all 60 rows" in err) == (3, True), err


def test_decimal_commas_and_marks_of_missing_cells_can_be_said(capsys, tmp_path):
    path = odd_table(tmp_path, lambda i: "-99" if i % 9 == 0 else f"{i % 7},5")
    words = ["easy", path, "--target", "kind", *FAST, "--json", "-o", tmp_path / "found"]
    code, _, err = wm(capsys, *words)
    assert (code, "--decimal" in err) == (3, True), err
    code, out, _ = wm(capsys, *words, "--decimal", ",", "--missing-values", "-99")
    assert code == 0
    assert checks_of(out)["missing cells"]["finding"] == "7 in 1 columns: more (7)"


def test_cells_longer_than_a_mail_are_read(capsys, tmp_path):
    path = odd_table(tmp_path, lambda i: "x" * 200_000 if i == 5 else "y")
    code, _, err = wm(capsys, "easy", path, "--target", "kind", *FAST, "--quiet", "-o", tmp_path / "found")
    assert code == 0, err


@pytest.mark.parametrize("command", ["easy", "tune"])
@pytest.mark.parametrize(
    "flags", [["--target", "knd"], ["--target", "kind", "--learners", "forrest"], []], ids=["column", "learner", "none"]
)
def test_what_cannot_be_searched_leaves_no_folder_behind(capsys, tmp_path, command, flags):
    path, folder = odd_table(tmp_path, lambda i: i % 3), tmp_path / "found"
    for one in (folder, folder / "deep" / "down"):
        assert wm(capsys, command, path, *flags, "-o", one)[0] in (2, 3)
        assert not folder.exists()
    blocked = folder / "deep" / ("x" * 300)
    assert wm(capsys, command, path, "--target", "kind", *FAST, "-o", blocked)[0] == 5
    assert not folder.exists()
    folder.mkdir()
    assert wm(capsys, command, path, *flags, "-o", folder)[0] in (2, 3)
    assert list(folder.iterdir()) == []
