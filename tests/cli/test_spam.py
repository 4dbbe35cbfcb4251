"""`wm spam`: from folders, mailboxes and tables to a filter, verdicts and the words that decided."""

import csv
import json

import pytest

from widemargin.cli import root
from widemargin.data import load_sms_spam

TEXTS, LABELS = load_sms_spam()


@pytest.fixture(scope="module")
def mails(tmp_path_factory):
    """Two folders of raw mails, and the same as a table."""
    place = tmp_path_factory.mktemp("mails")
    for kind in ("spam", "ham"):
        (place / kind).mkdir()
    with open(place / "all.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["kind", "text", "number"])
        for k, (text, label) in enumerate(zip(TEXTS[:300], LABELS, strict=False)):
            (place / label / f"{k:03}").write_text(f"From: a@b.c\nSubject: note {k}\n\n{text}\n", encoding="utf-8")
            table.writerow([label, text, k])
    (place / "win.eml").write_bytes(b"Subject: FREE\n\nWINNER!! You have won a FREE prize, call 09061701461 now")
    return place


@pytest.fixture(scope="module")
def filtered(mails):
    from widemargin.cli import main

    path = mails / "filter.wm"
    assert main(["spam", "learn", "--spam", f"{mails}/spam", "--ham", f"{mails}/ham", "-o", str(path), "--quiet"]) == 0
    return path


def test_a_folder_becomes_a_filter_and_verdicts(wm, mails, filtered):
    ran = wm("spam", "classify", filtered, mails / "spam", mails / "win.eml", "--json")
    assert ran.code == root.OK
    found = ran.json
    assert found["mails"] == len(list((mails / "spam").iterdir())) + 1
    assert found["spam"] >= found["mails"] - 1
    assert found["verdicts"][-1]["verdict"] == "spam"
    ran = wm("spam", "classify", filtered, mails / "win.eml", mails / "ham")
    assert ran.out.splitlines()[0].startswith("spam")
    assert "mails are spam" in ran.out.splitlines()[-1]


def test_a_table_becomes_a_filter(wm, mails, tmp_path):
    ran = wm("spam", "learn", mails / "all.csv", "--target", "kind", "-o", tmp_path / "f.wm", "--json")
    assert ran.code == root.OK
    assert (ran.json["mails"], ran.json["spam"]) == (300, int((LABELS[:300] == "spam").sum()))
    assert ran.json["certificate"]["holds"]
    ran = wm("spam", "classify", tmp_path / "f.wm", mails / "all.csv", "--json")
    assert ran.json["mails"] == 300
    ran = wm("spam", "classify", tmp_path / "f.wm", "-", "--json", stdin=(mails / "win.eml").read_bytes())
    assert ran.json["verdicts"] == [{"mail": "-", "verdict": "spam", "score": ran.json["verdicts"][0]["score"]}]


def test_the_words_are_told(wm, mails, filtered):
    ran = wm("spam", "explain", filtered, mails / "win.eml", "--json", "--top", "5")
    (told,) = ran.json["explanations"]
    assert told["label"] == "spam"
    assert len(told["words"]) == 5
    total = sum(word["share"] for word in told["words"]) + told["others"] + told["bias"]
    assert total == pytest.approx(told["score"])
    ran = wm("spam", "explain", filtered, mails / "win.eml")
    assert "speaks for" in ran.out
    assert "all other words" in ran.out


def test_a_correction_changes_the_verdict(wm, mails, filtered, tmp_path):
    path = tmp_path / "f.wm"
    ran = wm("spam", "learn", "--model", filtered, "--ham", mails / "win.eml", "-o", path, "--json")
    assert ran.code == root.OK
    assert ran.json["wrong_before"] == ran.json["corrections"] == 1
    assert wm("spam", "classify", path, mails / "win.eml", "--json").json["spam"] == 0
    assert wm("spam", "classify", filtered, mails / "win.eml", "--json").json["spam"] == 1
    assert wm("inspect", path, "--json").json["estimator"] == "SpamFilter"


def test_spam_alone_is_enough(wm, mails, tmp_path):
    ran = wm("spam", "learn", "--spam", mails / "spam", "-o", tmp_path / "f.wm")
    assert ran.code == root.OK
    assert "spam alone" in ran.out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["learn", "-o", "f.wm"], root.USAGE, "--spam PLACE"),
        (["learn", "--spam", "{m}/spam"], root.USAGE, "-o FILTER.wm is needed"),
        (["learn", "{m}/spam", "-o", "f.wm"], root.USAGE, "--spam or --ham"),
        (["learn", "{m}/all.csv", "-o", "f.wm"], root.USAGE, "--target is needed"),
        (["learn", "{m}/all.csv", "--target", "knd", "-o", "{t}/f.wm"], root.BAD_INPUT, "did you mean 'kind'?"),
        (
            ["learn", "{m}/all.csv", "--target", "number", "--text", "text", "-o", "{t}/f.wm"],
            root.BAD_INPUT,
            "--spam-label",
        ),
        (["learn", "--spam", "{m}/none", "-o", "{t}/f.wm"], root.BAD_INPUT, "No such file"),
        (["learn", "--spam", "{m}/spam", "-o", "{m}/none/f.wm"], root.CANNOT_WRITE, "does not exist"),
        (["classify", "{m}/filter.wm"], root.USAGE, "at least one place"),
        (["classify", "{m}/win.eml", "{m}/ham"], root.DAMAGED, "win.eml"),
        (["tell", "{m}/win.eml"], root.USAGE, "invalid choice"),
    ],
    ids=lambda value: "_".join(value)[:40] if isinstance(value, list) else str(value)[:12],
)
def test_what_cannot_be_is_told(wm, mails, filtered, tmp_path, words, code, said):
    ran = wm("spam", *(word.format(m=mails, t=tmp_path) for word in words))
    assert ran.code == code
    assert said in ran.err
    assert not list(tmp_path.iterdir())


def test_the_help_has_examples(wm):
    ran = wm("spam", "--help")
    assert ran.code == root.OK
    assert "wm spam classify filter.wm inbox/" in ran.out


def test_documents_are_json(wm, mails, filtered):
    for action in ("classify", "explain"):
        json.loads(wm("spam", action, filtered, mails / "win.eml", "--json").out)


def test_nothing_gets_no_verdict(wm, filtered, tmp_path):
    """It was called spam."""
    ran = wm("spam", "classify", filtered, "-", stdin=b"")
    assert (ran.code, "standard input is empty" in ran.err) == (3, True), ran.err
    (tmp_path / "void.eml").touch()
    ran = wm("spam", "classify", filtered, tmp_path / "void.eml")
    assert (ran.code, "void.eml is empty" in ran.err) == (3, True), ran.err


def test_empty_mails_among_others_get_no_verdict(wm, mails, filtered, tmp_path):
    """They were called ham."""
    box = tmp_path / "box"
    box.mkdir()
    (box / "a.eml").touch()
    (box / "b.eml").write_bytes((mails / "win.eml").read_bytes())
    (tmp_path / "some.mbox").write_bytes(b"From me\n\nFrom you\nSubject: win\n\nwin a prize\n")
    words = ("spam", "classify", filtered, box, tmp_path / "some.mbox")
    ran = wm(*words)
    assert ran.code == root.OK
    assert "4 mails are spam; 2 of them are empty and got no verdict" in ran.out
    found = json.loads(wm(*words, "--json").out)["verdicts"]
    assert [(v["verdict"] is None, v["score"] is None) for v in found] == [(True, True), (False, False)] * 2
    assert "empty, no verdict" in wm("spam", "explain", filtered, box).out


def test_a_filter_given_rows_of_a_table_says_what_it_takes(wm, filtered, iris):
    """It was said to be unfitted."""
    ran = wm("report", filtered, iris)
    assert (ran.code, "wm spam classify" in ran.err) == (3, True), ran.err


@pytest.mark.parametrize("threshold", ["nan", "inf"])
def test_a_threshold_that_no_score_is_above_is_refused(wm, mails, tmp_path, threshold):
    places = ("--spam", mails / "spam", "--ham", mails / "ham")
    ran = wm("spam", "learn", *places, "--threshold", threshold, "-o", tmp_path / "f.wm")
    assert (ran.code, (tmp_path / "f.wm").exists()) == (root.USAGE, False)
    assert "finite" in ran.err
