"""From a file to a verdict, on small bundled data."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

import widemargin
from widemargin.app.checks import check_data, copies
from widemargin.app.reading import read_learnable
from widemargin.app.split import set_apart
from widemargin.data import load_iris, load_sms_spam
from widemargin.errors import BadInput
from widemargin.report.page import html_report, markdown_report

FAST = ["most frequent", "linear-svm", "naive-bayes"]


def write(path, head, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)
    return str(path)


@pytest.fixture(scope="module")
def iris_file(tmp_path_factory):
    X, y = load_iris()
    rows = [
        [i, *x, "?" if i % 17 == 3 else "same", kind] for i, (x, kind) in enumerate(zip(X.tolist(), y, strict=True))
    ]
    return write(tmp_path_factory.mktemp("easy") / "iris.csv", ["id", "a", "b", "c", "d", "e", "species"], rows)


@pytest.fixture(scope="module")
def iris(iris_file):
    return widemargin.easy(iris_file, "species", time=5, learners=FAST)


def test_a_table_becomes_a_model_that_reads_such_tables(iris, iris_file):
    right = []
    for X, y in iris.model.batches(iris_file):
        right += (iris.model.estimator.predict(X) == y).tolist()
    assert np.mean(right) > 0.9
    assert iris.rows == (112, 38)
    assert iris.test["rows"] == 38


def test_the_test_rows_have_no_say(iris_file, iris):
    """Whatever stands in the test rows, the search and the model are the same."""
    data = read_learnable(iris_file, "species")
    _, test = set_apart(data.y, copies(data), 0.25, "classes", 0)
    with open(iris_file, encoding="utf-8") as file:
        lines = list(csv.reader(file))
    for i in test:
        lines[i + 1][1:5] = [100 - float(cell) for cell in lines[i + 1][1:5]]
    other = widemargin.easy(write(iris_file + "2", lines[0], lines[1:]), "species", time=5, learners=FAST)
    assert [t.loss for t in other.tuning.trials] == [t.loss for t in iris.tuning.trials]
    assert other.tuning.members == iris.tuning.members
    rows = np.random.default_rng(0).uniform(0, 8, (50, data.X.shape[1]))
    assert np.array_equal(other.model.estimator.predict_proba(rows), iris.model.estimator.predict_proba(rows))
    assert other.test["accuracy"] < 0.7 < iris.test["accuracy"]


def test_what_is_odd_about_the_columns_is_told(iris):
    told = {check.name: check for check in iris.checks}
    assert told["identifiers"].finding == "left out: id"
    assert told["missing cells"].finding == "9 in 1 columns: e (9)"
    assert told["constant columns"].finding == "e"
    assert told["test set apart"].state == "fine"
    assert told["better than guessing"].state == "fine"


def test_repeated_rows_stay_on_one_side(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    rows = [[*x, "yes" if x[0] > 0 else "no"] for x in np.repeat(X, 3, axis=0).tolist()]
    data = read_learnable(write(tmp_path / "r.csv", ["a", "b", "c", "y"], rows), "y")
    groups = copies(data)
    train, test = set_apart(data.y, groups, 0.25, "classes", 0)
    assert len(np.unique(groups)) == 40
    assert not set(groups[train]) & set(groups[test])
    assert next(c for c in check_data(data, groups) if c.name == "repeated rows").state == "warning"


def test_a_leak_is_told(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    rows = [[a, 3.0 * b + 1, b] for a, b in zip(rng.normal(size=80).tolist(), y.tolist(), strict=True)]
    data = read_learnable(write(tmp_path / "r.csv", ["a", "told", "y"], rows), "y")
    found = next(c for c in check_data(data, copies(data)) if c.name == "leaks")
    assert found.state == "warning"
    assert found.finding.startswith("told alone gives the target away")


def leak_told(tmp_path, cells):
    """What the check says of a column of such cells, of classes in this order, beside one of noise."""
    rng = np.random.default_rng(0)
    rows = [[a, cell, kind] for a, (cell, kind) in zip(rng.normal(size=len(cells)).tolist(), cells, strict=True)]
    data = read_learnable(write(tmp_path / "r.csv", ["a", "told", "y"], rows), "y")
    return next(c for c in check_data(data, copies(data)) if c.name == "leaks")


@pytest.mark.parametrize(
    "told",
    [
        lambda i: {"r": "stop", "g": "go", "b": "wait"}["rgb"[i % 3]],
        lambda i: {"r": 10, "g": 30, "b": 20}["rgb"[i % 3]],
        lambda i: "rgb"[i % 3] + str(i % 4),
        lambda i: {"r": "", "g": 1 + i / 700, "b": 3 + i / 700}["rgb"[i % 3]],
    ],
)
def test_a_leak_of_three_classes_is_told(tmp_path, told):
    found = leak_told(tmp_path, [(told(i), "rgb"[i % 3]) for i in range(120)])
    assert (found.state, found.finding.split(" (")[0]) == ("warning", "told alone gives the target away")


def test_values_names_and_holes_that_give_two_classes_away_are_told(tmp_path):
    names = [(f"{'won paid done' if i % 2 else 'lost open void'}".split()[i % 3], "ab"[i % 2]) for i in range(120)]
    holes = [(i / 700 + 1 if i % 2 else "", "ab"[i % 2]) for i in range(120)]
    ordered = [(1000 + i, "ab"[i // 60]) for i in range(120)]  # a number that counts rows sorted by class
    for cells in (names, holes, ordered):
        assert leak_told(tmp_path, cells).state == "warning"


def test_columns_that_only_help_are_no_leaks(tmp_path):
    rng = np.random.default_rng(1)
    for told in (
        lambda i: rng.normal() + i % 2,
        lambda i: "uvw"[i % 3],
        lambda i: f"c{i % 100}",
        lambda i: i % 2 + (1 if rng.random() < 0.1 else 0),
        lambda i: 1e-200 * rng.normal(),
    ):
        assert leak_told(tmp_path, [(told(i), "ab"[i % 2] if i != 7 else "a") for i in range(120)]).state == "fine"


def test_columns_named_as_categories_are_kept(tmp_path):
    """As the checks advise, whatever the columns look like."""
    rng = np.random.default_rng(0)
    numbers = enumerate(rng.normal(size=60).tolist())
    rows = [[i + 1, f"K{i:03}", f"{i} Main Street {i % 7}", x, "ab"[x > 0]] for i, x in numbers]
    path = write(tmp_path / "r.csv", ["id", "customer", "address", "x", "y"], rows)
    data = read_learnable(path, "y")
    assert (data.text, data.beside_text) == ("address", ("id", "customer", "x"))
    found = {check.name: check for check in check_data(data, copies(data))}
    assert found["text alone"].finding == "learnt from the words of address alone, without id, customer, x"
    data = read_learnable(path, "y", categorical=["address"], ignore=["id"])
    assert (data.is_text, data.left_out, data.X.shape) == (False, ("customer",), (60, 61))
    data = read_learnable(path, "y", categorical=["customer", "id"], ignore=["address"])
    assert (data.left_out, data.X.shape) == ((), (60, 121))


@pytest.mark.parametrize(("column", "greatest"), [("a", 1e300), ("a", 4e38), ("y", 1e200)])
def test_numbers_that_overflow_in_learners_are_refused_by_name(tmp_path, column, greatest):
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=40), "b": rng.normal(size=40), "y": rng.normal(size=40)}
    table[column] = table[column] * greatest
    rows = np.column_stack(list(table.values())).tolist()
    path = write(tmp_path / "r.csv", list(table), rows)
    with pytest.raises(BadInput, match=f"column '{column}' holds .* overflow"):
        read_learnable(path, "y")
    if column == "a":
        assert read_learnable(path, "y", ignore=["a"]).feature_names == ("b",)


def test_the_script_says_how_the_file_was_read_and_what_was_searched(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=80).round(3).tolist()
    path = tmp_path / "r.csv"
    cells = (f"{str(v).replace('.', ',')};{i} Elm;{'ab'[v > 0]}\n" for i, v in enumerate(x))
    path.write_text("x;place;y\n" + "".join(cells), encoding="utf-8")
    how = {"decimal": ",", "ignore": ("place",), "learners": ["linear-svm", "most frequent"], "time": 2}
    found = widemargin.easy(str(path), "y", **how, cost=[[0, 5], [1, 0]], delimiter=None)
    for words in ("decimal=','", "ignore=['place']", "cost=[[0.0, 5.0], [1.0, 0.0]]"):
        assert found.python.count(words) == found.python.count("widemargin.easy(")
    assert "learners=['linear-svm', 'most frequent'])  # the whole search" in found.python
    assert "delimiter" not in found.python
    known = {"widemargin": widemargin}
    exec(found.python.replace("'model.wm'", repr(str(tmp_path / "model.wm"))), known)
    assert known["found"].test == found.test


def dated(n=40, **more):
    """A column that the table itself calls dates."""
    rng = np.random.default_rng(0)
    return pd.DataFrame({"day": pd.date_range("2026-01-01", periods=n), **more, "y": rng.choice(["a", "b"], n)})


def test_dates_that_the_file_calls_so_are_left_out_beside_sentences_too():
    rng = np.random.default_rng(1)
    words = [" ".join(rng.choice(["this", "is", "one", "of", "many", "long", "sentences"], 9)) for _ in range(40)]
    for text in (None, "note"):
        data = read_learnable(dated(note=words), "y", text=text)
        assert data.is_text
        assert data.X.shape == (40,)


def test_dates_that_the_file_calls_so_are_left_out_where_all_else_looks_like_identifiers():
    data = read_learnable(dated(number=np.arange(40)), "y")
    assert (data.dates, data.left_out, data.feature_names) == (("day",), (), ("number",))


@pytest.mark.parametrize(
    "cells", [["12-34-56", "01-02-03", "45-01-11"], ["2026-11-18", "2026-18-11"], ["31.12.26", "13.13.26"]]
)
def test_codes_of_which_some_have_no_such_month_are_no_dates(tmp_path, cells):
    rows = [[cells[i % len(cells)], i * i % 17, "ab"[i % 2]] for i in range(40)]
    data = read_learnable(write(tmp_path / "r.csv", ["code", "a", "y"], rows), "y")
    assert (data.dates, len(data.feature_names)) == ((), len(cells) + 1)
    only = [[cells[0] if cells[0] != "12-34-56" else cells[1], *row[1:]] for row in rows]
    assert read_learnable(write(tmp_path / "d.csv", ["code", "a", "y"], only), "y").dates == ("code",)


def test_rows_have_their_numbers_where_others_have_no_answer():
    table = dated(a=np.where(np.arange(40) == 10, np.inf, np.arange(40) ** 2))
    table.loc[[0, 3], "y"] = None
    with pytest.raises(BadInput, match=r"row 10 \(from 0\): column 'a' holds inf"):
        read_learnable(table, "y")


def test_a_target_that_is_not_a_number_is_missing_however_missing_cells_are_marked(tmp_path):
    rows = [[i * i % 17, "nan" if i in (4, 9) else i / 7] for i in range(40)]
    path = write(tmp_path / "r.csv", ["a", "y"], rows)
    for marks in ([], ["?"], ["nan"]):
        assert read_learnable(path, "y", missing_values=marks).unanswered == 2
    words = write(tmp_path / "w.csv", ["a", "y"], [[i % 5, ["nan", "pap", "7"][i % 3]] for i in range(40)])
    assert set(read_learnable(words, "y", missing_values=["?"]).y) == {"nan", "pap", "7"}


def test_equal_rows_with_other_labels_are_told(tmp_path):
    rows = [[k % 25, k // 75, "ab"[(k // 50) % 2]] for k in range(100)]
    data = read_learnable(write(tmp_path / "r.csv", ["a", "b", "y"], rows), "y")
    found = next(c for c in check_data(data, copies(data)) if c.name == "contradictions")
    odd = sum(rows[i][2] != next(r[2] for r in rows if r[:2] == rows[i][:2]) for i in range(100))
    assert found.finding.startswith(f"{odd} rows have another label")


@pytest.fixture(scope="module")
def mail_file(tmp_path_factory):
    texts, kinds = load_sms_spam()
    rows = list(zip(kinds[:900], texts[:900], strict=True))
    return write(tmp_path_factory.mktemp("easy") / "sms.csv", ["kind", "message"], rows)


def test_prose_is_found_and_its_words_decide(mail_file):
    found = widemargin.easy(mail_file, "kind", time=5, learners=["most frequent", "linear-svm", "naive-bayes-counts"])
    assert found.test["accuracy"] > 0.93
    assert found.pages["explanation"]["kind"] in ("weights", "none")
    assert any("is prose" in sentence for sentence in found.reading)


def test_the_most_frequent_answer_may_win_on_prose(mail_file):
    found = widemargin.easy(mail_file, "kind", time=5, learners=["most frequent"])
    assert found.pages["explanation"]["features"] == []


def test_numbers(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    rows = [[*x, t] for x, t in zip(X.tolist(), y.tolist(), strict=True)]
    path = write(tmp_path / "d.csv", [*"abcdefghij", "y"], rows)
    found = widemargin.easy(path, "y", time=5, learners=["mean", "linear"])
    assert found.kind == "numbers"
    assert found.test["r2"] > 0.3


def test_costs_move_the_decisions(mail_file):
    learners = ["linear-svm"]
    dear = widemargin.easy(mail_file, "kind", time=5, learners=learners, cost=[[0, 50], [1, 0]])
    cheap = widemargin.easy(mail_file, "kind", time=5, learners=learners, cost=[[0, 1], [50, 0]])
    assert dear.test["confusion"][0][1] <= cheap.test["confusion"][0][1]
    assert sum(row[1] for row in dear.test["confusion"]) < sum(row[1] for row in cheap.test["confusion"])


def test_the_record_is_plain_json(iris):
    document = json.loads(iris.to_json())
    assert document["tuning"]["winner"]["learner"] == iris.tuning.winner.learner
    assert document["certificate"] is None or document["certificate"]["holds"] is not False


def test_hostile_text_is_shown_as_text(iris):
    """Whatever stands in the data, nothing of it becomes part of the page's own language."""
    bad = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    document = {**iris.to_dict(), "source": bad, "target": bad}
    page = html_report(document)
    assert "<script>alert" not in page
    assert "<img" not in page
    assert page.count("</script>") == 3
    assert "http://" not in page
    assert "https://" not in page
    assert "<script>" not in markdown_report(document).replace("\\<", "")


def test_the_report_tells_everything(iris):
    page = html_report(iris.to_dict())
    for words in ("Checks", "Certificate", "Leaderboard", "Errors on the test rows", "Do it again", "Margins"):
        assert words in page


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ([[k, k % 2] for k in range(4)], {}, "4 rows are too few"),
        ([[k % 5, "x"] for k in range(40)], {}, "nothing to decide"),
        ([[k % 5, k % 2] for k in range(40)], {"cost": [[0, 1]]}, r"2 x 2 finite numbers"),
        ([[k % 5, k % 2] for k in range(40)], {"test": 1.5}, "above 0 and below 1"),
        ([[k % 5, k + 0.5] for k in range(40)], {"cost": [[0, 1], [1, 0]]}, "cost is for classes"),
        ([[k % 5, "ab"[k % 2]] for k in range(40)], {"kind": "numbers"}, "holds text"),
    ],
)
def test_what_cannot_be_is_told(tmp_path, rows, options, words):
    with pytest.raises(BadInput, match=words):
        widemargin.easy(write(tmp_path / "r.csv", ["a", "y"], rows), "y", time=5, learners=["most frequent"], **options)
