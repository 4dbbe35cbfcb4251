"""Training: formats, flags made from parameters, streams, what is told and saved."""

import gzip
import json
import lzma

import numpy as np
import pytest

import widemargin
from widemargin import store
from widemargin.cli.models import MODELS, kind_of, model_class
from widemargin.data import read_table
from widemargin.estimator.file_model import FileModel

TOLD = {
    "model", "file", "rows", "features", "classes", "epochs", "steps", "solver", "updates", "support", "converged",
    "stop_reason", "training_errors", "training_error", "reading", "seconds", "certificate", "output",
}  # fmt: skip


@pytest.mark.parametrize("model", [name for name in MODELS if kind_of(model_class(name)()) == "classes"])
def test_every_model_trains_and_its_file_predicts_the_same(wm, table, tmp_path, model):
    path = tmp_path / "m.wm"
    ran = wm("train", table, "--target", "kind", "--missing", "mean", "--model", model, "--json", "-o", path)
    assert ran.code == 0, ran.err
    assert set(ran.json) == TOLD
    assert ran.json["classes"] == ["no", "yes"]
    saved = store.load(path)
    assert isinstance(saved, FileModel)
    direct = model_class(model)(random_state=0)
    data = read_table(table, "kind", missing="mean")
    direct.fit(data.X, data.y)
    labels = wm("predict", path, table).out.split()[1:]
    assert labels == direct.predict(data.X).tolist()
    assert ran.json["training_errors"] == int(np.sum(direct.predict(data.X) != data.y))


def test_the_certificate_of_a_fit_is_told_and_can_be_demanded(wm, iris):
    ran = wm("train", iris, "--target", "species", "--json", "--prove")
    assert ran.code == 0
    assert ran.json["certificate"]["holds"] is True
    parts = ran.json["certificate"]["parts"]
    assert parts["setosa vs rest"]["separable"] is True
    assert parts["versicolor vs rest"]["separable"] is False


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bytes])
@pytest.mark.parametrize("format", ["csv", "tsv", "svm"])
def test_formats_and_packings_give_the_same_model(wm, tmp_path, svm, pack, format):
    end = {gzip.compress: ".gz", lzma.compress: ".xz", bytes: ""}[pack]
    path = tmp_path / f"packed.{format}{end}"
    if format == "svm":
        path.write_bytes(pack(svm.read_bytes()))
        words = []
    else:
        X, y = widemargin.data.read_svmlight(svm)
        mark = "," if format == "csv" else "\t"
        rows = [mark.join([*map(str, row), str(int(label))]) for row, label in zip(X.toarray(), y, strict=True)]
        path.write_bytes(pack("\n".join([mark.join("abcdef") + f"{mark}y", *rows, ""]).encode()))
        words = ["--target", "y"]
    ran = wm("train", path, *words, "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["rows"], ran.json["features"], ran.json["classes"]) == (200, 6, [-1, 1])
    assert ran.json["updates"] == wm("train", svm, "--json").json["updates"]


def test_arff_and_parquet(wm, tmp_path, iris):
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv(iris), tmp_path / "iris.parquet")
    arff = "@relation r\n@attribute a numeric\n@attribute k {x,y}\n@data\n" + "".join(
        f"{i},{'x' if i < 5 else 'y'}\n" for i in range(10)
    )
    (tmp_path / "a.arff").write_text(arff)
    assert wm("train", tmp_path / "iris.parquet", "--target", "species", "--json").json["rows"] == 150
    assert wm("train", tmp_path / "a.arff", "--target", "k", "--json").json["classes"] == ["x", "y"]


def test_a_named_target_means_a_header(wm, tmp_path):
    path, model = tmp_path / "letters.csv", tmp_path / "m.wm"
    path.write_text("x,y\n" + "x,x\ny,y\n" * 10)  # to all appearances without a header
    ran = wm("train", path, "--target", "y", "--json", "-o", model)
    assert (ran.code, ran.json["rows"], ran.json["classes"]) == (0, 20, ["x", "y"])
    assert len(wm("predict", model, path).out.split()) == 21
    path.write_text("1,0\n2,0\n3,1\n")
    for words in (["x1"], ["1"], ["-1"], ["x1", "--no-header"]):
        assert wm("train", path, "--json", f"--target={words[0]}", *words[1:]).json["rows"] == 3


def test_svmlight_is_recognised_by_its_first_line(wm, svm, tmp_path):
    nameless = tmp_path / "a9a"
    nameless.write_bytes(b"# a comment\n" + svm.read_bytes())
    assert wm("train", nameless, "--json").json["features"] == 6


def test_flags_become_parameters(wm, iris, tmp_path):
    path = tmp_path / "m.wm"
    words = ["--max-iter", "7", "--shuffle", "once", "--no-fit-intercept", "--class-weight", "setosa=2,virginica=0.5"]
    ran = wm("train", iris, "--target", "species", "--tol", "none", "--seed", "3", *words, "-o", path, "-q")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    found = store.load(path).estimator
    assert (found.max_iter, found.shuffle, found.fit_intercept, found.tol, found.random_state) == (
        7,
        "once",
        False,
        None,
        3,
    )
    assert found.class_weight == {"setosa": 2.0, "virginica": 0.5}


def test_factors_for_numeric_labels_reach_them(wm, svm, tmp_path):
    path = tmp_path / "m.wm"
    assert wm("train", svm, "--class-weight", "1=2,-1=1", "-o", path).code == 0
    assert store.load(path).estimator.class_weight == {1: 2.0, -1: 1.0}


@pytest.mark.parametrize("model", MODELS)
def test_help_lists_every_parameter_with_its_default(wm, model):
    from widemargin.cli.flags import parameters

    text = " ".join(wm("train", "--model", model, "--help").out.split())
    for parameter in parameters(model_class(model)):
        assert f"--{parameter.name.replace('_', '-')}" in text


def test_a_stream_equals_partial_fits_over_its_batches(wm, svm, tmp_path):
    path = tmp_path / "m.wm"
    ran = wm("train", svm, "--stream", "--epochs", "2", "--model", "averaged", "--json", "-o", path)
    assert ran.code == 0, ran.err
    assert set(ran.json) == TOLD
    assert ran.json["rows"] == 200
    X, y = widemargin.data.read_svmlight(svm)
    direct = widemargin.AveragedPerceptron(random_state=0)
    for _ in range(2):
        direct.partial_fit(X, y.astype(int), classes=[-1, 1])
    np.testing.assert_array_equal(store.load(path).estimator.coef_, direct.coef_)


def test_a_stream_of_a_table_in_small_batches(wm, table, tmp_path):
    words = ["--target", "kind", "--missing", "mean", "--stream", "--batch-rows", "3", "--epochs", "50", "--json"]
    ran = wm("train", table, *words)
    assert ran.code == 0, ran.err
    assert ran.json["classes"] == ["no", "yes"]
    assert ran.json["rows"] == 20


def test_a_stream_from_standard_input_needs_to_know_classes_and_width(wm, svm):
    words = ["train", "-", "--format", "svmlight", "--stream"]
    ran = wm(*words, stdin=svm.read_bytes())
    assert ran.code == 3
    assert "--classes" in ran.err
    ran = wm(*words, "--classes", "1,-1", "--n-features", "6", "--json", stdin=svm.read_bytes())
    assert ran.code == 0, ran.err
    assert ran.json["classes"] == [-1, 1]


def test_a_stream_stops_at_an_epoch_without_update(wm, svm):
    ran = wm("train", svm, "--stream", "--epochs", "1000", "--json")
    assert ran.json["epochs"] < 1000
    assert ran.json["training_errors"] == 0
    assert "made no update" in ran.json["stop_reason"]


def test_max_time_ends_a_stream(wm, svm):
    ran = wm("train", svm, "--stream", "--epochs", "1000000", "--max-time", "0.000001", "--json")
    assert ran.code == 0
    assert "1e-06 seconds" in ran.json["stop_reason"]


def test_the_regressor_learns_numbers(wm, tmp_path):
    path, model = tmp_path / "r.csv", tmp_path / "r.wm"
    path.write_text("x,y\n" + "".join(f"{i / 10},{i / 5 + 0.25}\n" for i in range(50)))
    if "passive-aggressive-regressor" not in MODELS:
        raise AssertionError("the regressor is not in the table of public names")
    ran = wm("train", path, "--target", "y", "--model", "passive-aggressive-regressor", "-o", model, "--json")
    assert ran.code == 0, ran.err
    found = wm("evaluate", model, path, "--json").json
    assert found["mean_absolute_error"] == pytest.approx(ran.json["mean_absolute_error"])
    assert wm("predict", model, path, "--scores").code == 2


def test_model_on_standard_output_leaves_tables_to_standard_error(iris, tmp_path):
    import subprocess
    import sys

    ran = subprocess.run(
        [sys.executable, "-m", "widemargin", "train", str(iris), "--target", "species", "-o", "-"], capture_output=True
    )
    assert ran.returncode == 0
    assert isinstance(store.loads(ran.stdout), FileModel)
    assert b"updates" in ran.stderr


def test_without_proof_the_file_is_smaller_and_says_so(wm, iris, tmp_path):
    kept, bare = tmp_path / "a.wm", tmp_path / "b.wm"
    wm("train", iris, "--target", "species", "-o", kept)
    wm("train", iris, "--target", "species", "-o", bare, "--no-proof")
    assert bare.stat().st_size < kept.stat().st_size
    assert wm("inspect", bare, "--json").json["proof"] is False


def test_json_is_one_document(wm, iris):
    out = wm("train", iris, "--target", "species", "--json").out
    assert json.loads(out)
    assert out.count("\n") == 1
