"""svm-train and svm-predict: LIBSVM's flags, files and lines. What LIBSVM itself printed is in the golden files."""

import re
from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_bad_input import refused
from tests.store.test_libsvm import CASES, GOLDEN, rows_of

import widemargin
from widemargin.cli import root
from widemargin.model.pairs import pairs
from widemargin.store import load_libsvm

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def data(here):
    """The file of a case; kernel values are made from the rows."""

    def path(name) -> Path:
        if name != "precomputed":
            return GOLDEN / CASES[name]["file"]
        K, y = rows_of(name)
        lines = [
            f"{int(label)} 0:{i + 1} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row.tolist()))
            for i, (label, row) in enumerate(zip(y, K, strict=True))
        ]
        (here / "values.svm").write_text("\n".join(lines) + "\n")
        return here / "values.svm"

    return path


def without_probability(name):
    return CASES[name]["flags"].replace("-b 1 ", "").split()


@pytest.mark.parametrize("name", [name for name in CASES if name != "sigmoid"])
def test_training_prints_what_libsvm_prints(wm, data, name):
    ran = wm("svm-train", *without_probability(name), data(name), "m.model")
    assert (ran.code, ran.err) == (0, "")
    ours, theirs = ran.out.splitlines(), CASES[name]["printed"]
    assert [NUMBER.sub("#", line) for line in ours] == [NUMBER.sub("#", line) for line in theirs]
    for a, b in zip(ours, theirs, strict=True):
        if "#iter" not in a:
            np.testing.assert_allclose(
                *(np.array(NUMBER.findall(line), float) for line in (a, b)), rtol=2e-4, atol=2e-5
            )


@pytest.mark.parametrize("name", CASES)
def test_predicting_with_a_model_of_libsvm(wm, here, data, name):
    ran = wm("svm-predict", data(name), GOLDEN / f"{name}.model", "out")
    assert ran.code == 0, ran.err
    called = np.array((here / "out").read_text().split(), float)
    truth, model = rows_of(name)[1], load_libsvm(GOLDEN / f"{name}.model")
    np.testing.assert_array_equal(called, model.predict(rows_of(name)[0]))
    if name.endswith("svr"):
        error = np.mean((called - truth) ** 2)
        assert f"Mean squared error = {error:g} (regression)\n" in ran.out
        assert f"Squared correlation coefficient = {np.corrcoef(called, truth)[0, 1] ** 2:g} (regression)\n" in ran.out
    else:
        right, n = int(np.sum(called == truth)), len(truth)
        assert ran.out.endswith(f"Accuracy = {100 * right / n:g}% ({right}/{n}) (classification)\n")


@pytest.mark.parametrize("name", ["c_svc_three", "nu_svc"])
def test_probabilities_of_a_model_of_libsvm(wm, here, data, name):
    assert wm("svm-predict", "-b", "1", data(name), GOLDEN / f"{name}.model", "out").code == 0
    head, *lines = (here / "out").read_text().splitlines()
    model = load_libsvm(GOLDEN / f"{name}.model")
    assert head == "labels " + " ".join(map(str, model.labels))
    np.testing.assert_allclose([list(map(float, line.split()[1:])) for line in lines], CASES[name]["proba"], rtol=1e-5)
    assert [float(line.split()[0]) for line in lines] == CASES[name]["proba_labels"]
    assert "disabled in prediction" in wm("svm-predict", data(name), GOLDEN / f"{name}.model", "out").out


def test_the_model_is_named_after_the_file_and_written_here(wm, here, data):
    assert wm("svm-train", "-q", data("c_svc")).out == ""
    assert [path.name for path in here.iterdir()] == ["two.svm.model"]
    assert wm("svm-predict", "-q", data("c_svc"), "two.svm.model", "out").out == ""
    X, y = rows_of("c_svc")
    fitted = widemargin.SVC(gamma=1 / X.shape[1]).fit(X, y)
    assert np.array_equal(np.loadtxt("out"), fitted.predict(X))


def test_the_width_of_a_regressions_errors_is_kept(wm, data):
    assert wm("svm-train", "-b", "1", *without_probability("epsilon_svr"), data("epsilon_svr"), "m").code == 0
    (width,) = load_libsvm("m").prob_a
    theirs = load_libsvm(GOLDEN / "epsilon_svr.model").prob_a[0]
    assert width == pytest.approx(theirs, rel=0.2)  # other folds
    ran = wm("svm-predict", "-b", "1", data("epsilon_svr"), "m", "out")
    assert f"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma={width:g}\n" in ran.out


def test_cross_validation_prints_one_line_and_saves_nothing(wm, here, data):
    ran = wm("svm-train", "-v", "5", "-g", "0.5", data("c_svc_three"))
    assert re.fullmatch(r"Cross Validation Accuracy = [\d.]+%\n", ran.out)
    assert wm("svm-train", "-v", "5", "-g", "0.5", data("c_svc_three")).out == ran.out
    share = wm("svm-train", "-v", "5", "-g", "0.5", data("c_svc_three"), "--json").json
    assert 0.5 < share["accuracy"] < 1
    lines = wm("svm-train", "-s", "3", "-v", "1000", data("nu_svr")).out.splitlines()
    assert lines[0].startswith("Cross Validation Mean squared error = 0.")
    assert lines[1].startswith("Cross Validation Squared correlation coefficient = 0.")
    assert wm("svm-train", "-t", "4", "-v", "3", data("precomputed")).code == 0
    assert [path.name for path in here.iterdir()] == ["values.svm"]


def test_folds_have_their_share_of_every_class():
    from widemargin.cli.svm_train import folds

    labels = np.array([1] * 20 + [2] * 10 + [3] * 5)[np.random.default_rng(1).permutation(35)]
    fold = folds(labels, 5)
    assert np.bincount(fold).tolist() == [7] * 5
    for label, share in ((1, 4), (2, 2), (3, 1)):
        assert np.bincount(fold[labels == label]).tolist() == [share] * 5


def test_weights_of_labels_that_do_not_occur_are_told(wm, data):
    ran = wm("svm-train", "-w5", "2", data("c_svc"), "m.model")
    assert (ran.code, ran.err) == (0, "wm: -w5: no row has the label 5\n")


def test_one_json_document(wm, data):
    told = wm("svm-train", *without_probability("c_svc"), "--json", data("c_svc"), "m.model").json
    assert (told["rows"], told["labels"], told["output"]) == (60, [1, -1], "m.model")
    assert told["parts"][0]["n_support"] == 41
    assert told["certificate"]["holds"] is True
    assert wm("svm-predict", "--json", data("c_svc"), "m.model", "out").json["rows"] == 60


@pytest.mark.parametrize("name", ["c_svc", "c_svc_three", "nu_svc"])
def test_probabilities_of_classes_are_those_of_two_class_machines(wm, here, data, name):
    """The pairs stand in the file in the order in which labels occur, not in that of their values."""
    nu = name == "nu_svc"
    assert wm("svm-train", "-b", "1", "-g", "0.5", *(["-s", "1"] if nu else []), data(name), "m").code == 0
    model, (X, y) = load_libsvm("m"), rows_of(name)
    for p, (i, j) in enumerate(pairs(len(model.labels))):
        first, second = model.labels[i], model.labels[j]
        among = np.isin(y, (first, second))
        machine = (widemargin.NuSVC if nu else widemargin.SVC)(gamma=0.5, probability=True, random_state=0)
        machine.fit(X[among], y[among])
        f = machine.decision_function(X[among]) * (1 if machine.classes_[1] == first else -1)
        at = int(np.searchsorted(machine.classes_, first))
        # Next to the boundary the machine's own probabilities are mended so that they agree with its labels.
        mended = (f > 0) != (model.prob_a[p] * f + model.prob_b[p] < 0)
        assert mended.mean() < 0.3
        expected = machine.predict_proba(X[among])[~mended, at]
        said = 1 / (1 + np.exp(model.prob_a[p] * f + model.prob_b[p]))[~mended]
        np.testing.assert_allclose(said, expected, atol=1e-12)
    assert wm("svm-predict", "-b", "1", data(name), "m", "out").code == 0
    lines = [line.split() for line in (here / "out").read_text().splitlines()]
    labels, said = np.array(lines[0][1:], int), np.array(lines[1:], float)[:, 1:]
    assert np.log(said[np.arange(len(y)), [labels.tolist().index(c) for c in y]]).mean() > -0.8 * np.log(len(labels))


FLAGS = [
    (["-s", "5"], ["-s", "0 to 4", "'5'"]),
    (["-t", "7"], ["-t", "0 to 4"]),
    (["-c", "0"], ["-c", "above 0"]),
    (["-c", "inf"], ["-c", "finite"]),
    (["-n", "1.5"], ["-n", "at most 1"]),
    (["-g", "-1"], ["-g", "at least 0"]),
    (["-p", "x"], ["-p", "'x'"]),
    (["-d", "2.5"], ["-d", "whole number"]),
    (["-v", "1"], ["-v", "at least 2"]),
    (["-h", "2"], ["-h", "0 to 1"]),
    (["-w1", "-3"], ["-w1", "above 0"]),
    (["-z", "3"], ["-z"]),
    (["-b", "1", "-v", "5"], ["-b 1", "-v"]),
    (["-s", "2", "-b", "1"], ["one-class"]),
]


@pytest.mark.parametrize(("flags", "words"), FLAGS, ids=[" ".join(flags) for flags, _ in FLAGS])
def test_flags_that_cannot_be(wm, data, flags, words):
    refused(wm("svm-train", *flags, data("c_svc")), root.USAGE, *words)


def test_some_rows_of_a_matrix_of_kernel_values_keep_their_numbers(wm, here, data):
    lines = data("precomputed").read_text().splitlines(keepends=True)
    some = np.arange(50, 9, -2)
    (here / "some.svm").write_text("".join(lines[i] for i in some))
    assert wm("svm-train", "-t", "4", "-c", "0.7", "some.svm").code == 0
    model, (K, y) = load_libsvm("some.svm.model"), rows_of("precomputed")
    direct = widemargin.SVC(kernel="precomputed", C=0.7).fit(K[np.ix_(some, some)], y[some])
    assert sorted(model.support.tolist()) == sorted((some[direct.support_] + 1).tolist())
    np.testing.assert_allclose(model.decision_function(K)[:, 0], direct.decision_function(K[:, some]), atol=1e-9)
    assert wm("svm-predict", data("precomputed"), "some.svm.model", "out").code == 0


def test_standard_input_and_output(wm, here, data):
    text = data("c_svc").read_bytes()
    assert wm("svm-train", "-q", "-", "m.model", stdin=text).code == 0
    refused(wm("svm-train", "-", stdin=text), root.USAGE, "MODEL_FILE")
    refused(wm("svm-predict", "-", "-", "out", stdin=text), root.USAGE, "standard input")
    ran = wm("svm-predict", "-", "m.model", "-", stdin=text)
    assert ran.err.startswith("Accuracy = ")


def test_a_weight_needs_its_value(wm):
    refused(wm("svm-train", "two.svm", "-w1"), root.USAGE, "-w1 needs a value")


def test_files_that_cannot_be_used(wm, here):
    def write(text):
        (here / "bad.svm").write_text(text)
        return here / "bad.svm"

    refused(wm("svm-train", write("")), root.BAD_INPUT, "no rows")
    refused(wm("svm-train", write("1 1:2\n0.5 1:3\n")), root.BAD_INPUT, "0.5", "-s 3")
    refused(wm("svm-train", write("1 1:2\n-1 1:x\n")), root.BAD_INPUT, "line 2")
    refused(wm("svm-train", write("1 1:2\n1 1:3\n")), root.BAD_INPUT, "one class")
    refused(wm("svm-train", write("1 1:2\n-1 0:1 1:3\n")), root.BAD_INPUT, "line 2", "index 0", "-t 4")
    refused(wm("svm-train", "-t", "4", write("1 1:2\n-1 1:3\n")), root.BAD_INPUT, "serial number")
    refused(
        wm("svm-train", "-t", "4", write("1 0:1 1:2 2:0\n-1 0:9 1:3 2:1\n")), root.BAD_INPUT, "row 2", "is 9", "1 to 2"
    )
    refused(wm("svm-train", here / "none.svm"), root.BAD_INPUT, "none.svm")
    assert [path.name for path in here.iterdir()] == ["bad.svm"]


def test_models_that_cannot_be_used(wm, here, data):
    good = (GOLDEN / "c_svc.model").read_text()
    (here / "bad.model").write_text(good.replace("rbf", "radial"))
    refused(wm("svm-predict", data("c_svc"), "bad.model", "out"), root.DAMAGED, "bad.model, line 2", "'radial'")
    refused(wm("svm-predict", data("c_svc"), "none.model", "out"), root.BAD_INPUT, "none.model")
    refused(wm("svm-predict", "-b", "1", data("c_svc"), GOLDEN / "c_svc.model", "out"), root.BAD_INPUT, "-b 1")
    refused(wm("svm-train", data("c_svc"), here / "none" / "m.model"), root.CANNOT_WRITE, "does not exist")
    assert not (here / "out").exists()
