"""wm convert: what comes out says what went in."""

import numpy as np
import onnxruntime
import pytest
from tests.cli.test_bad_input import refused
from tests.store import test_liblinear, test_libsvm

import widemargin
from widemargin.cli import root
from widemargin.data import read_svmlight, read_table
from widemargin.store import load, load_liblinear, load_libsvm, save

LIBSVM = [name for name in test_libsvm.CASES if name != "precomputed"]
GOLDEN = test_liblinear.GOLDEN


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def same(model, estimator, X):
    """The estimator answers as the model; rows on a boundary may fall on either side by rounding."""
    scores = np.abs(model.decision_function(X)).min(axis=1)
    sure = scores > 1e-9
    assert sure.mean() > 0.5
    np.testing.assert_allclose(estimator.predict(X)[sure], model.predict(X)[sure], atol=1e-10)


@pytest.mark.parametrize("name", LIBSVM)
def test_models_of_libsvm_become_wm_and_come_back(wm, here, name):
    ran = wm("convert", GOLDEN / "libsvm" / f"{name}.model", "m.wm")
    assert ran.code == 0, ran.err
    model, estimator = load_libsvm(GOLDEN / "libsvm" / f"{name}.model"), load("m.wm")
    X, y = test_libsvm.rows_of(name)
    same(model, estimator, X)
    assert estimator.certificate_.holds is None
    with pytest.raises(widemargin.errors.DataMismatch, match="another program"):
        widemargin.certify(estimator, X, y)
    if "proba" in test_libsvm.CASES[name]:
        shares = estimator.predict_proba(X)
        theirs = model.predict_proba(X)[:, np.argsort(model.labels)]
        # LIBSVM stops the coupling of pairs early; where its likeliest class is not the decided one, ours are mended.
        agree = theirs.argmax(axis=1) == shares.argmax(axis=1)
        assert agree.mean() > 0.8
        np.testing.assert_allclose(shares[agree], theirs[agree], atol=0.02)
    assert wm("convert", "m.wm", "again.model").code == 0
    again = load_libsvm("again.model")
    np.testing.assert_allclose(
        np.sort(np.abs(again.decision_function(X))), np.sort(np.abs(model.decision_function(X))), atol=1e-10
    )
    same(model, again, X)


@pytest.mark.parametrize("name", test_liblinear.CASES)
def test_models_of_liblinear_become_wm_and_come_back(wm, here, name):
    path = GOLDEN / "liblinear" / f"{name}.model"
    assert wm("convert", path, "m.wm").code == 0
    model, estimator, X = load_liblinear(path), load("m.wm"), test_liblinear.rows_of(name)[0]
    same(model, estimator, X)
    to = ("--to", "liblinear") if name == "one_class" else ()
    assert wm("convert", "m.wm", "again.model", *to).code == 0
    again = load_liblinear("again.model")
    same(model, again, X)
    assert again.solver_type.removesuffix("_DUAL") == model.solver_type.removesuffix("_DUAL")


@pytest.mark.parametrize("path", ["libsvm/c_svc_three", "libsvm/nu_svr", "liblinear/lr", "liblinear/one_class"])
def test_models_of_both_programs_become_onnx(wm, here, path):
    kind, name = path.split("/")
    assert wm("convert", GOLDEN / f"{path}.model", "m.onnx", "--float64").code == 0
    X, _ = {"libsvm": test_libsvm, "liblinear": test_liblinear}[kind].rows_of(name)
    model = {"libsvm": load_libsvm, "liblinear": load_liblinear}[kind](GOLDEN / f"{path}.model")
    session = onnxruntime.InferenceSession("m.onnx", providers=["CPUExecutionProvider"])
    found = session.run(None, {"X": X.toarray()})[0]
    sure = np.abs(model.decision_function(X)).min(axis=1) > 1e-9
    np.testing.assert_allclose(found[sure], model.predict(X)[sure], atol=1e-10)


def test_what_wm_train_wrote_becomes_onnx_with_a_word_on_the_coding(wm, here, iris_model):
    ran = wm("convert", iris_model, "iris.onnx")
    assert "no coding of columns: rows must come as 4 numbers" in ran.err
    assert "AveragedPerceptron" in ran.out
    assert wm("convert", iris_model, "same.wm", "--json").json["to"] == "wm"
    assert load("same.wm").encoder is not None


def test_data_go_from_svmlight_to_tables_and_back(wm, here):
    source = GOLDEN / "libsvm" / "two.svm"
    X, y = read_svmlight(source)
    for table in ("t.csv", "t.parquet"):
        assert wm("convert", source, table).code == 0
        found = read_table(table, "label")
        np.testing.assert_array_equal(found.X, X.toarray())
        np.testing.assert_array_equal(found.y, y)
        assert list(found.feature_names) == [f"x{j}" for j in range(1, X.shape[1] + 1)]
        assert wm("convert", table, "back.svm.gz", "--target", "label").code == 0
        again = read_svmlight("back.svm.gz", n_features=X.shape[1])
        np.testing.assert_array_equal(again[0].toarray(), X.toarray())
        np.testing.assert_array_equal(again[1], y)


def test_words_become_numbers_that_are_told(wm, here, iris):
    ran = wm("convert", iris, "iris.svm", "--target", "species")
    assert "0 = Iris-setosa, 1 = Iris-versicolor" in ran.err or "0 = setosa, 1 = versicolor" in ran.err
    assert sorted(set(read_svmlight("iris.svm")[1])) == [0.0, 1.0, 2.0]
    assert wm("convert", iris, "iris2.csv", "--target", "species").code == 0
    assert set(read_table("iris2.csv", "species").y) == set(read_table(iris, "species").y)


def test_what_cannot_be_converted(wm, here, iris, iris_model):
    two = GOLDEN / "libsvm" / "two.svm"
    refused(wm("convert", "none.wm", "m.onnx"), root.BAD_INPUT, "none.wm")
    refused(wm("convert", two, "m.onnx"), root.USAGE, "is data", "onnx is a format of models")
    refused(wm("convert", two, "two.xyz"), root.USAGE, "is data", ".parquet")
    refused(wm("convert", iris_model, "m.csv"), root.USAGE, "is a model")
    refused(wm("convert", iris_model, "m.model"), root.CANNOT_WRITE, "AveragedPerceptron")
    refused(wm("convert", iris, "m.svm"), root.USAGE, "--target")
    refused(wm("convert", "-", "m.svm"), root.USAGE, "FILE must have a name")
    refused(
        wm("convert", GOLDEN / "libsvm" / "precomputed.model", "m.wm"), root.CANNOT_WRITE, "numbers of its support rows"
    )
    (here / "bad.model").write_text("solver_type L2R_LR\nnr_class 2\n")
    refused(wm("convert", "bad.model", "m.wm"), root.DAMAGED, "bad.model, line 3", "without the line w")
    (here / "cut.wm").write_bytes(iris_model.read_bytes()[:500])
    refused(wm("convert", "cut.wm", "m.onnx"), root.DAMAGED, "cut.wm")
    (here / "one.model").write_text("solver_type L2R_LR\nnr_class 1\nlabel 4\nnr_feature 1\nbias -1\nw\n1\n")
    refused(wm("convert", "one.model", "m.wm"), root.CANNOT_WRITE, "one label, 4")
    save(widemargin.DecisionStump().fit([[0.0], [1.0]], [0, 1]), "stump.wm")
    refused(wm("convert", "stump.wm", "m.onnx"), root.CANNOT_WRITE, "DecisionStump")
    assert not [p for p in here.iterdir() if p.name.startswith("m.")]


def test_a_model_whose_weights_stand_for_a_support_row_is_still_linear(wm, here):
    """One class of LIBLINEAR: the one support row is w itself."""
    assert wm("convert", GOLDEN / "liblinear" / "one_class.model", "m.wm").code == 0
    model = load_liblinear(GOLDEN / "liblinear" / "one_class.model")
    np.testing.assert_allclose(load("m.wm").coef_.toarray(), model.w)
