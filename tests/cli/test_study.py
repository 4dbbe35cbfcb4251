"""`wm study bias-variance`: tables, documents, pictures, and what is refused."""

import sys

import numpy as np
import pytest
from tests.cli.test_bad_input import refused

from widemargin import DecisionTreeClassifier
from widemargin.cli import root
from widemargin.data import load_iris_tenths
from widemargin.study import bias_variance, known_source, turned_labels


def study(wm, *words):
    return wm("study", "bias-variance", *words)


def test_a_file_is_studied_by_replicates(wm, iris):
    found = study(wm, iris, "--target", "species", "--model", "tree,neighbours", "-B", 12, "--json").json
    X, y = load_iris_tenths()
    expected = bias_variance(DecisionTreeClassifier(), X, y, B=12).to_dict()
    assert found["studies"]["tree"] == expected
    assert set(found["studies"]) == {"tree", "neighbours"}
    assert (found["file"], found["points"]) == (str(iris), 150)


def test_the_table_says_what_the_figures_are(wm, iris):
    ran = study(wm, iris, "--target", "species", "--model", "tree", "-B", 8, "--draws", 100, "--without-replacement")
    assert ran.code == 0
    for word in ("bias + noise", "net variance", "100 draws without replacement", "hold 100.0 of 150 rows"):
        assert word in ran.out
    assert "fewer than twice" in ran.err


def test_labels_are_turned_before_learning(wm, iris):
    X, y = load_iris_tenths()
    words = ["--target", "species", "--model", "tree", "-B", 10, "--label-noise", 0.2, "--seed", 3, "--json"]
    found = study(wm, iris, *words, "--loss", "kohavi-wolpert").json["studies"]["tree"]
    turned = turned_labels(y, 0.2, 3)
    options = {"loss": "kohavi_wolpert", "random_state": 3}
    assert found == bias_variance(DecisionTreeClassifier(), X, y, B=10, y_train=turned, **options).to_dict()


def test_numbers_are_told_from_classes(wm, iris, svm):
    found = study(wm, iris, "--target", "petal_width", "--ignore", "species", "--model", "linear", "-B", 8, "--json")
    whole = found.json["studies"]["linear"]["loss"]
    assert whole == "domingos"  # tenths are whole numbers
    words = ["--target", "petal_width", "--ignore", "species", "--model", "linear,svr", "-B", 8, "--numbers", "--json"]
    assert {r["loss"] for r in study(wm, iris, *words).json["studies"].values()} == {"squared"}
    assert (
        study(wm, svm, "--model", "perceptron", "-B", 5, "--json").json["studies"]["perceptron"]["loss"] == "domingos"
    )


def test_a_known_source_gives_fresh_samples_or_one_for_replicates(wm):
    words = ["--source", "friedman1", "--rows", 60, "--points", 40, "--model", "linear", "-B", 10, "--json"]
    fresh = study(wm, *words, "--noise", "repeats").json["studies"]["linear"]
    assert fresh["deviation"] == "none: 10 fresh samples of 60 rows"
    assert fresh["points"] == 40
    assert set(fresh["totals"]) == {"loss", "noise", "bias", "variance"}
    again = study(wm, *words, "--bootstrap", "--draws", 30).json["studies"]["linear"]
    assert again["replicates"] == {"m": 30, "replace": True}
    assert again["points"] == 60


@pytest.mark.parametrize("name", ["twonorm", "ringnorm"])
def test_label_noise_of_a_source_is_its_own(wm, name):
    words = ["--source", name, "--rows", 50, "--points", 60, "--label-noise", 0.1, "--model", "tree", "-B", 6, "--json"]
    found = study(wm, *words).json["studies"]["tree"]
    s = known_source(name, 50, 0.1)
    X, y, _ = s.points(60)
    assert found == bias_variance(DecisionTreeClassifier(), X, y, B=6, source=s).to_dict()


def test_a_parameter_is_varied_and_drawn(wm, tmp_path):
    """The study of K = 1 … d with label noise, in one command."""
    picture = tmp_path / "k.png"
    words = ["--source", "twonorm", "--rows", 40, "--points", 50, "--label-noise", 0.1, "-B", 5, "--members", 4]
    words += ["--model", "extra-tree,extra-trees", "--vary", "max_features=1:3", "--picture", picture]
    ran = study(wm, *words)
    assert ran.code == 0
    assert ran.out.count("extra-trees") == 3
    assert picture.read_bytes().startswith(b"\x89PNG")
    found = study(wm, *words[:-2], "--json").json
    assert (found["parameter"], found["values"]) == ("max_features", [1, 2, 3])
    assert len(found["records"]["extra-tree"]) == 3
    mixed = study(wm, *words[:8], "-B", 4, "--model", "tree", "--vary", "max_features=sqrt,0.5,none", "--json").json
    assert mixed["values"] == ["sqrt", 0.5, None]


def test_bars_and_a_map_are_drawn(wm, iris, tmp_path):
    bars, places = tmp_path / "bars.svg", tmp_path / "map.png"
    ran = study(wm, iris, "--target", "species", "-B", 6, "--members", 3, "--picture", bars, "--map", places)
    assert ran.code == 0
    assert b"<svg" in bars.read_bytes()
    assert places.read_bytes().startswith(b"\x89PNG")
    assert f"picture: {bars}" in ran.out


def test_threads_change_nothing(wm, iris):
    words = [iris, "--target", "species", "--model", "forest", "--members", 3, "-B", 6, "--json"]
    assert study(wm, *words).json == study(wm, *words, "--threads", 2).json


USAGE = [
    ([], ["either FILE or --source"]),
    (["data.csv", "--source", "twonorm"], ["either FILE or --source"]),
    (["data.csv", "--bootstrap"], ["--bootstrap belongs to --source"]),
    (["--source", "twonorm", "--draws", "5"], ["--source needs --bootstrap"]),
    (["--source", "moons"], ["--source", "twonorm"]),
    (["--source", "twonorm", "--model", "trees"], ["did you mean", "bagged-trees"]),
    (["--source", "twonorm", "--model", "svr"], ["svr does not predict classes"]),
    (["--source", "friedman1", "--model", "svc"], ["svc does not predict numbers"]),
    (["--source", "friedman1", "--label-noise", "0.1"], ["friedman1 gives numbers"]),
    (["--source", "twonorm", "--label-noise", "0.7"], ["--label-noise", "'0.7'"]),
    (["--source", "twonorm", "--label-noise", "some"], ["--label-noise", "'some'"]),
    (["--source", "twonorm", "--vary", "max_features"], ["--vary max_features", "1,2,5"]),
    (["--source", "twonorm", "--vary", "max_features=9:1"], ["--vary max_features=9:1"]),
    (["--source", "twonorm", "--vary", "a=1", "--map", "m.png"], ["--map", "--vary"]),
    (["--source", "twonorm", "--loss", "hinge"], ["--loss", "kohavi-wolpert"]),
    (["--source", "twonorm", "-B", "0"], ["-B", "'0'"]),
]


@pytest.mark.parametrize(("words", "said"), USAGE, ids=[" ".join(words) or "nothing" for words, _ in USAGE])
def test_what_cannot_be_meant_is_said(wm, words, said):
    refused(study(wm, *words), root.USAGE, *said)


def test_unknown_studies_are_named(wm):
    refused(wm("study", "variance-bias"), root.USAGE, "bias-variance")


def test_data_that_cannot_be_studied_are_named(wm, tmp_path):
    refused(study(wm, tmp_path / "none.csv", "--target", "a"), root.BAD_INPUT, "none.csv does not exist")
    words = ["--source", "twonorm", "--model", "tree", "-B"]
    refused(study(wm, *words, 1), root.BAD_INPUT, "B is 1", "at least 2")
    refused(study(wm, *words, 3, "--vary", "depth=1"), root.BAD_INPUT, "tree has no parameter 'depth'")
    nowhere = tmp_path / "no" / "a.png"
    refused(study(wm, *words, 3, "--picture", nowhere), root.CANNOT_WRITE, "does not exist")


def test_without_matplotlib_pictures_are_refused_before_the_work(wm, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setattr("widemargin.cli.study.bias_variance", lambda *_: pytest.fail("the work began"))
    ran = study(wm, "--source", "twonorm", "--picture", tmp_path / "a.png")
    refused(ran, root.MISSING_EXTRA, "widemargin[plot]")


def test_seeds_decide(wm):
    words = ["--source", "twonorm", "--rows", 40, "--points", 40, "--model", "tree", "-B", 5, "--json", "--seed"]
    one, two, other = (study(wm, *words, seed).json["studies"]["tree"]["totals"]["loss"]["value"] for seed in (1, 1, 2))
    assert one == two != other
    assert np.isfinite(one)
