"""`wm tune`: a search that a kill does not change, and rows that it never sees."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import pytest

FAST = ["--learners", "most frequent,linear-svm,naive-bayes", "--time", "5"]


def tuned(wm, iris, folder, *more):
    return wm("tune", iris, "--target", "species", *FAST, "-o", folder, "--json", *more)


def test_model_leaderboard_and_record_are_there(wm, iris, tmp_path):
    ran = tuned(wm, iris, tmp_path / "found")
    assert ran.code == 0
    assert sorted(os.listdir(tmp_path / "found")) == ["leaderboard.csv", "model.wm", "search.log", "tuning.json"]
    assert json.loads((tmp_path / "found" / "tuning.json").read_text()) == ran.json
    with open(tmp_path / "found" / "leaderboard.csv", newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert lines[0]["learner"] == ran.json["tuning"]["winner"]["learner"]
    assert wm("evaluate", tmp_path / "found" / "model.wm", iris, "--json").json["accuracy"] > 0.9


def test_rows_set_apart_have_no_say(wm, iris, tmp_path):
    """Whatever stands in the rows set apart, search and model are the same; they are those that easy tests on."""
    first = tuned(wm, iris, tmp_path / "a").json
    lines = iris.read_text(encoding="utf-8").splitlines()
    for i in first["set_apart"]:
        cells = lines[i + 1].split(",")
        lines[i + 1] = ",".join([*(str(100 - float(cell)) for cell in cells[:4]), cells[4]])
    (tmp_path / "other.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    other = tuned(wm, tmp_path / "other.csv", tmp_path / "b").json
    assert [t["loss"] for t in other["tuning"]["trials"]] == [t["loss"] for t in first["tuning"]["trials"]]
    assert other["rows"] == {"learn": 112, "set_apart": 38}
    easily = wm("easy", iris, "--target", "species", *FAST, "-o", tmp_path / "c", "--json").json
    assert [t["loss"] for t in easily["tuning"]["trials"]] == [t["loss"] for t in first["tuning"]["trials"]]


@pytest.mark.parametrize(
    ("flags", "folds", "rows"),
    [(["--validation"], "28 rows held out", 112), (["--cv", "3"], "3 folds", 112), (["--test", "0"], "5 folds", 150)],
)
def test_what_is_held_out_can_be_said(wm, iris, tmp_path, flags, folds, rows):
    found = tuned(wm, iris, tmp_path / "found", *flags).json["tuning"]
    assert (found["folds"], found["rows"]) == (folds, rows)


def test_one_standard_error_wants_it_simpler(wm, iris, tmp_path):
    words = ["tune", iris, "--target", "species", "--learners", "linear-svm", "--json", "-o", tmp_path / "found"]
    best = wm(*words).json["tuning"]
    simple = wm(*words, "--rule", "one-se", "--resume").json["tuning"]
    knee = wm(*words, "--rule", "knee", "--resume").json["tuning"]
    Cs = [t["setting"]["learn__C"] for t in best["trials"]]
    C = {found["rule"]: found["winner"]["setting"]["learn__C"] for found in (best, simple, knee)}
    limit = best["winner"]["loss"] + best["winner"]["se"]
    within = [t["setting"]["learn__C"] for t in best["trials"] if t["loss"] <= limit]
    assert C["one-se"] == min(within) <= C["best"]
    assert C["knee"] in Cs


@pytest.mark.parametrize("command", ["tune", "easy"])
def test_killed_and_resumed_it_ends_with_the_same_winner(wm, iris, tmp_path, command):
    """SIGKILL as soon as the log holds something; nothing else may be in the folder, and the end is the same."""
    words = [command, str(iris), "--target", "species", *FAST, "--json", "-o"]
    whole = wm(*words, tmp_path / "whole").json["tuning"]
    folder, log = tmp_path / "cut", tmp_path / "cut" / "search.log"
    process = subprocess.Popen([sys.executable, "-m", "widemargin", *words, str(folder)], stdout=subprocess.DEVNULL)
    while process.poll() is None and not (log.exists() and log.read_bytes().count(b"\n") > 1):
        time.sleep(0.002)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert os.listdir(folder) == ["search.log"]
    again = wm(*words, folder, "--resume").json["tuning"]
    assert again["winner"]["setting"] == whole["winner"]["setting"]
    assert [t["loss"] for t in again["trials"]] == [t["loss"] for t in whole["trials"]]
    assert sorted(os.listdir(folder)) == sorted(os.listdir(tmp_path / "whole"))


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--target", "specis"], 3, "did you mean 'species'?"),
        (["--target", "species", "--learners", "forrest"], 3, "did you mean forest?"),
        (["--target", "species", "--validation", "0.7"], 2, "at most 0.5"),
        (["--target", "species", "--cv", "3", "--validation"], 2, "not allowed with"),
        (["--target", "species", "--test", "1"], 2, "above 0 and below 1"),
        ([], 2, "--target is needed"),
    ],
)
def test_what_cannot_be_is_told(wm, iris, tmp_path, words, code, said):
    ran = wm("tune", iris, *words, "-o", tmp_path / "found")
    assert (ran.code, said in ran.err) == (code, True), ran.err


def test_the_log_of_another_search_is_refused(wm, iris, tmp_path):
    assert tuned(wm, iris, tmp_path / "found").code == 0
    ran = tuned(wm, iris, tmp_path / "found", "--resume", "--seed", "1")
    assert ran.code == 3
    assert "another search" in ran.err
