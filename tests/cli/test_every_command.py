"""What holds for every command: help with an example, one JSON document, progress, exit codes, names that are near."""

import io
import re
import sys
from pathlib import Path

import pytest
from sklearn.naive_bayes import GaussianNB

from widemargin.cli import doctor, out, root
from widemargin.cli.root import COMMANDS, EXIT_CODES
from widemargin.data import read_svmlight
from widemargin.errors import MissingExtra
from widemargin.store import save

FAST = ["--learners", "most frequent,linear-svm", "--time", "5"]

# command: the words after it; names in braces are files
RUNS = {
    "easy": "{iris} --target species -o {new}",
    "tune": "{iris} --target species -o {new}",
    "train": "{iris} --target species -o {new}",
    "predict": "{model} {iris}",
    "evaluate": "{model} {iris}",
    "certify": "{model} {iris}",
    "inspect": "{model}",
    "report": "{model} {iris} --target species -o {new}",
    "spam": "learn {mails} --target kind -o {new}",
    "study": "bias-variance {iris} --target species --model tree -B 3",
    "svm-train": "{svm} {new}",
    "svm-predict": "{svm} {libsvm} {new}",
    "liblinear-train": "{svm} {new}",
    "liblinear-predict": "{svm} {liblinear} {new}",
    "convert": "{svm} {new}.csv",
    "doctor": "",
}  # demo has a test of its own below


@pytest.fixture(scope="module")
def files(tmp_path_factory, iris, iris_model):
    """The files that the commands are tried on."""
    from widemargin.cli import main

    folder = tmp_path_factory.mktemp("every")
    svm = folder / "data.svm"
    svm.write_text("".join(f"{1 if i % 2 else -1} 1:{1 if i % 2 else -1} {2 + i % 5}:0.5\n" for i in range(60)))
    mails = folder / "mails.csv"
    kinds = ("ham,see you at lunch", "spam,buy cheap pills now")
    mails.write_text("kind,message\n" + "".join(f"{kinds[i % 2]} {i}\n" for i in range(40)))
    found = {"iris": iris, "model": iris_model, "svm": svm, "mails": mails}
    for name, command in (("libsvm", "svm-train"), ("liblinear", "liblinear-train")):
        found[name] = folder / name
        assert main([command, str(svm), str(found[name]), "-q"]) == 0
    return found


def words_of(command, files, tmp_path):
    words = RUNS[command].format(**files, new=tmp_path / "new").split()
    return [command, *words, *(FAST if command in ("easy", "tune") else [])]


def test_no_command_is_forgotten():
    assert set(RUNS) | {"demo"} == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_with_an_example(wm, command):
    ran = wm(command, "--help")
    assert ran.code == 0
    example = ran.out[ran.out.rindex("example") :]
    assert f"wm {command} " in example or f"wm {command}\n" in example


@pytest.mark.parametrize("command", RUNS)
def test_json_is_one_document_and_quick_work_is_silent(wm, files, tmp_path, command):
    ran = wm(*words_of(command, files, tmp_path), "--json")
    assert ran.code == 0, ran.err
    assert isinstance(ran.json, dict)
    assert "%" not in ran.err


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("command", sorted(set(RUNS) - {"doctor"}))
def test_a_bar_on_a_terminal_and_plain_lines_in_a_log(wm, files, tmp_path, monkeypatch, command):
    """All work goes through Out.progress: escape codes for a terminal, sentences for a file, nothing for --quiet."""
    monkeypatch.setattr(out._Lines, "EVERY", 0.0)
    words = words_of(command, files, tmp_path)
    assert re.search(r"(?m)^wm: [\w ]+: (done in \d+ s|\d+)", wm(*words).err)
    assert "wm: " not in wm(*words, "-q").err
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert wm(*words).code == 0
    assert "\x1b[" in sys.stderr.getvalue()


def test_the_guide_lists_the_exit_codes_that_help_lists():
    text = (Path(__file__).parents[2] / "docs" / "guides" / "command-line.md").read_text(encoding="utf-8")
    told = {int(code) for code in re.findall(r"(?m)^\| (\d+) \|", text)}
    assert told == set(EXIT_CODES)


def broken(files, tmp_path, name):
    """A model file with one byte changed."""
    data = bytearray(files["model"].read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / name).write_bytes(data)
    return tmp_path / name


def test_exit_codes_are_what_the_table_says(wm, files, tmp_path, monkeypatch):
    iris, model = files["iris"], files["model"]
    bare = tmp_path / "bare.wm"  # naive Bayes has no certificate
    X, y = read_svmlight(files["svm"])
    save(GaussianNB().fit(X.toarray(), y.astype(int)), bare)
    other = tmp_path / "other.csv"
    other.write_text("\n".join(iris.read_text().splitlines()[:100]) + "\n")
    runs = {
        root.OK: ["certify", model, iris],
        root.NOT_CERTIFIED: ["certify", bare, files["svm"]],
        root.USAGE: ["predict", model, iris, "--no-such-flag"],
        root.BAD_INPUT: ["train", tmp_path / "none.csv", "--target", "a"],
        root.DAMAGED: ["inspect", broken(files, tmp_path, "bad.wm")],
        root.CANNOT_WRITE: ["predict", model, iris, "-o", tmp_path / "no" / "folder.csv"],
        root.OTHER_DATA: ["certify", model, other],
    }
    assert {code: wm(*words).code for code, words in runs.items()} == {code: code for code in runs}
    raised = {
        root.NO_MEMORY: MemoryError("9 GB"),
        root.INTERNAL: AssertionError("odd"),
        root.INTERRUPTED: KeyboardInterrupt(),
        root.BROKEN_PIPE: BrokenPipeError(),
        root.TERMINATED: SystemExit(root.TERMINATED),
        root.MISSING_EXTRA: MissingExtra("polars", "files", "reading Parquet"),
    }
    for code, error in raised.items():

        def fail(args, error=error):
            raise error

        monkeypatch.setattr(doctor, "run", fail)
        assert wm("doctor").code == code
    assert set(runs) | set(raised) == set(EXIT_CODES)


@pytest.mark.parametrize(
    "words",
    [
        "easy {iris} --target specis -o {new}",
        "tune {iris} --target specis -o {new}",
        "train {iris} --target specis",
        "train {iris} --target species --ignore sepal_lenght",
        "train {iris} --target species --categorical sepal_lenght",
        "easy {iris} --target species --ignore sepal_lenght -o {new}",
        "easy {mails} --target kind --text mesage -o {new}",
        "study bias-variance {iris} --target specis",
        "study margins {iris} --target specis",
        "convert {iris} {new}.svm --target specis",
        "spam learn {mails} --target knd -o {new}",
        "spam learn {mails} --target kind --text mesage -o {new}",
        "predict {model} {other}",
        "evaluate {model} {other}",
        "certify {model} {other}",
    ],
)
def test_a_wrong_column_gets_a_guess(wm, files, tmp_path, words):
    other = tmp_path / "other.csv"
    lines = files["iris"].read_text().splitlines()
    other.write_text("\n".join([lines[0].replace("sepal_width", "sepal_widht"), *lines[1:]]) + "\n")
    ran = wm(*words.format(**files, other=other, new=tmp_path / "new").split())
    assert ran.code == 3, ran.err
    assert "did you mean" in ran.err
