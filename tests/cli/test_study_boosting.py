"""`wm study margins`, `four-errors` and `noise`: tables, documents, pictures, and what is refused."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from tests.cli.test_bad_input import refused

import widemargin
from widemargin.cli import root
from widemargin.data import load_iris_tenths
from widemargin.study import boosting_errors, boosting_margins


@pytest.fixture(scope="module")
def cancer(tmp_path_factory):
    X, y = load_breast_cancer(return_X_y=True)
    path = tmp_path_factory.mktemp("data") / "cancer.csv"
    named = [",".join([*(f"x{k}" for k in range(4)), "kind"])]
    path.write_text("\n".join([*named, *(",".join(map(str, [*row[:4], k])) for row, k in zip(X, y, strict=True))]))
    return path, X[:, :4], y


def test_margins_are_those_of_the_study(wm, cancer):
    path, X, y = cancer
    words = ["margins", path, "--target", "kind", "--rounds", 30, "--at", "5,30,99", "--train-rows", 400]
    found = wm("study", *words, "--json").json
    model = widemargin.AdaBoostClassifier(n_estimators=30).fit(X[:400], y[:400])
    expected = boosting_margins(model, X[:400], y[:400], X[400:], y[400:], rounds=(5, 30))
    assert found["table"] == expected.to_dict()["table"]
    assert (found["train_rows"], found["test_rows"]) == (400, 169)
    ran = wm("study", *words)
    assert ran.code == 0
    for word in ("least", "test error", "bound", "probability 0.95", "all 30 rounds done"):
        assert word in ran.out


def test_four_errors_of_trees_on_drawn_rows(wm, iris, tmp_path):
    picture = tmp_path / "four.png"
    words = ["four-errors", iris, "--target", "species", "--base", "tree", "--draws", "--algorithm", "M1"]
    words += ["--rounds", 6, "--test-share", 0, "--picture", picture]
    ran = wm("study", *words)
    assert ran.code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    found = wm("study", *words[:-2], "--json").json
    X, y = load_iris_tenths()
    tree = widemargin.DecisionTreeClassifier()
    model = widemargin.AdaBoostClassifier(tree, n_estimators=6, algorithm="M1", sampling="draws").fit(X, y)
    assert found["weighted"] == boosting_errors(model, X, y).weighted.tolist()
    assert "test" not in found


@pytest.mark.parametrize("model", ["logitboost", "brownboost", "gentleboost"])
def test_every_booster_can_be_studied(wm, iris, model, tmp_path):
    picture = tmp_path / "m.svg"
    words = ["margins", iris, "--target", "species", "--model", model, "--rounds", 4, "--picture", picture]
    assert wm("study", *words).code == 0
    assert b"<svg" in picture.read_bytes()
    assert wm("study", *words[:-2], "--base", "tree", "--max-depth", 2).code == 0


def test_noise_goes_on_where_it_was_left_and_is_drawn(wm, iris, cancer, tmp_path):
    folder = tmp_path / "sets"
    folder.mkdir()
    (folder / "iris.csv").write_bytes(iris.read_bytes())
    (folder / "cancer.csv").write_bytes(cancer[0].read_bytes())
    (folder / "notes.md").write_text("no data")
    keep, loss, scatter = tmp_path / "n.json", tmp_path / "loss.png", tmp_path / "scatter.png"
    words = ["study", "noise", folder, "--model", "bagged-trees,boosted-stumps,tree", "--members", 5, "--repeats", 2]
    words += ["--most-rows", 90, "--keep", keep]
    early = wm(*words, "--max-time", 1e-9)
    assert early.code == 0
    assert "raise --max-time" in early.err
    ran = wm(*words, "--picture", loss, "--scatter", scatter)
    assert ran.code == 0, ran.err
    assert "mean of 2 sets" in ran.out
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in (loss, scatter))
    before = json.loads(keep.read_text())
    assert len(before["results"]) == 2 * 2 * 3 * 4
    again = wm(*words, "--json").json
    assert again["results"] == before["results"]
    assert again["sets"] == ["cancer", "iris"]
    assert {line["learner"] for line in again["table"]} == {"bagged-trees", "boosted-stumps", "tree"}
    refused(wm(*words, "--members", 6), root.BAD_INPUT, "other learners")


def test_files_of_all_kinds_are_read(wm, svm, tmp_path):
    arff = tmp_path / "a.arff"
    rows = "\n".join(f"{k % 7},{'?' if k % 11 == 0 else 'uv'[k % 2]},{['no', 'yes'][k % 7 > 3]}" for k in range(60))
    arff.write_text(
        f"@relation a\n@attribute x numeric\n@attribute c {{u,v}}\n@attribute k {{no,yes}}\n@data\n{rows}\n"
    )
    words = [arff, svm, "--model", "stump", "--repeats", 1, "--json"]
    found = wm("study", "noise", *words).json
    assert found["sets"] == ["a", svm.parent.name]  # data.svm is named by its folder
    assert np.isfinite([line[4] for line in found["results"]]).all()


USAGE = [
    (["margins"], ["FILE"]),
    (["noise"], ["at least one FILE"]),
    (["four-errors", "a.csv", "--at", "5"], ["--at belongs to margins"]),
    (["margins", "a.csv", "--at", "0"], ["--at", "'0'"]),
    (["margins", "a.csv", "--model", "forest"], ["no booster of classes", "adaboost"]),
    (["margins", "a.csv", "--max-depth", "2"], ["--max-depth belongs to --base tree"]),
    (["margins", "a.csv", "--model", "logitboost", "--algorithm", "M2"], ["--algorithm belongs to"]),
    (["noise", "a.csv", "--shares", "0.9"], ["--shares", "'0.9'"]),
    (["noise", "a.csv", "--model", "tree", "--scatter", "s.png"], ["--scatter", "two learners"]),
]


@pytest.mark.parametrize(("words", "said"), USAGE, ids=[" ".join(words) for words, _ in USAGE])
def test_what_cannot_be_meant_is_said(wm, words, said):
    refused(wm("study", *words), root.USAGE, *said)


def test_data_that_cannot_be_studied_are_named(wm, iris, tmp_path):
    refused(wm("study", "noise", tmp_path / "none.csv"), root.BAD_INPUT, "none.csv")
    (tmp_path / "empty").mkdir()
    refused(wm("study", "noise", tmp_path / "empty"), root.BAD_INPUT, "no file ends in")
    refused(wm("study", "margins", iris, "--target", "species", "--train-rows", 999, "-q"), root.USAGE, "150 rows")
    refused(
        wm("study", "margins", iris, "--target", "species", "--at", "900", "-q"), root.BAD_INPUT, "the model has 100"
    )
