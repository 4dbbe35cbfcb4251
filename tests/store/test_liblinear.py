"""LIBLINEAR's model files: those that it wrote itself are read, asked and written back; ours say what its own say.

The golden files were written by the package liblinear-official, which also said what its models answer (told.json).
"""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.test_libsvm import tokens

from widemargin import LinearSVC, LinearSVCCV, LinearSVR, OneClassSVM, Perceptron
from widemargin.base.errors import BadInput, CannotStore, DamagedFile
from widemargin.data import read_svmlight
from widemargin.store import LiblinearModel, load_liblinear, load_libsvm, save_liblinear
from widemargin.store.liblinear import as_liblinear

GOLDEN = Path(__file__).parent / "golden"
CASES = json.loads((GOLDEN / "liblinear" / "told.json").read_text())["cases"]


def rows_of(name):
    return read_svmlight(GOLDEN / "libsvm" / CASES[name]["file"])


def golden(name):
    return load_liblinear(GOLDEN / "liblinear" / f"{name}.model")


def written(model):
    file = io.BytesIO()
    save_liblinear(model, file)
    return file.getvalue()


@pytest.mark.parametrize("name", CASES)
def test_models_of_liblinear_answer_as_liblinear_says(name):
    model, (X, _) = golden(name), rows_of(name)
    for rows in (X, X.toarray()):
        scores = model.decision_function(rows)
        np.testing.assert_allclose(scores, CASES[name]["scores"], rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(model.predict(rows), CASES[name]["labels"], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_probabilities_are_those_of_liblinear(name):
    model, (X, _) = golden(name), rows_of(name)
    assert model.has_probabilities == ("proba" in CASES[name])
    if model.has_probabilities:
        np.testing.assert_allclose(model.predict_proba(X), CASES[name]["proba"], rtol=1e-10)
    else:
        with pytest.raises(BadInput, match="only logistic regression"):
            model.predict_proba(X)


@pytest.mark.parametrize("name", CASES)
def test_what_liblinear_wrote_is_written_back_as_it_stands(name):
    text = (GOLDEN / "liblinear" / f"{name}.model").read_text()
    again = written(golden(name))
    assert tokens(again.decode()) == tokens(text)
    assert written(load_liblinear(io.BytesIO(again))) == again


def linear(**more):
    """LIBLINEAR's own problem."""
    return LinearSVC(regularize_intercept=True, tol=1e-9, **more)


MACHINES = {
    "lr": linear(loss="logistic", C=2),
    "svc_dual": linear(C=0.5, fit_intercept=False, dual=True),
    "svc": linear(intercept_scaling=0.5),
    "hinge": linear(loss="hinge", C=0.7),
    "classes_two": linear(multi_class="crammer_singer"),
    "classes": linear(multi_class="crammer_singer", C=0.5, fit_intercept=False),
    "l1_svc": linear(penalty="l1", C=0.3),
    "l1_lr": linear(penalty="l1", loss="logistic", C=2),
    "lr_dual": linear(loss="logistic", intercept_scaling=2, dual=True),
    "svc_three": linear(),
    "free_bias": LinearSVC(tol=1e-9),
    "svr": LinearSVR(
        loss="squared_epsilon_insensitive", epsilon=0.05, regularize_intercept=True, tol=1e-9, fit_intercept=True
    ),
    "svr_hinge": LinearSVR(epsilon=0.1, C=0.02, regularize_intercept=True, tol=1e-9),
    "one_class": OneClassSVM(kernel="linear", nu=0.3, tol=1e-9),
}


@pytest.mark.parametrize("name", MACHINES)
def test_fitted_machines_are_laid_out_as_liblinear_lays_out_its_own(name):
    (X, y), theirs = rows_of(name), golden(name)
    estimator = MACHINES[name].fit(X, y)
    ours = as_liblinear(estimator, theirs.labels if theirs.is_classifier else None)
    assert ours.solver_type == theirs.solver_type
    np.testing.assert_array_equal(ours.labels, theirs.labels)
    scale = np.abs(theirs.w).max()
    if name == "one_class":  # LIBLINEAR's variables go up to 1, ours to 1 / (nu n)
        scale = ours.w.ravel() @ theirs.w.ravel() / (ours.w**2).sum()
        np.testing.assert_allclose(scale * ours.w, theirs.w, rtol=1e-4)
        np.testing.assert_allclose(scale * ours.rho, theirs.rho, rtol=1e-4)
    else:
        np.testing.assert_allclose(ours.w, theirs.w, atol=3e-5 * scale)
        np.testing.assert_allclose(ours.linear.intercept, theirs.linear.intercept, atol=3e-5 * max(scale, 1))
    saved = load_liblinear(io.BytesIO(written(estimator)))
    np.testing.assert_array_equal(saved.predict(X), estimator.predict(X))
    if saved.is_regressor:
        return
    scores = np.asarray(estimator.decision_function(X)).reshape(len(y), -1)
    at = np.searchsorted(estimator.classes_, saved.labels) if scores.shape[1] > 1 else [0]
    sign = -1 if saved.is_classifier and len(saved.labels) == 2 and saved.labels[0] != estimator.classes_[1] else 1
    half = 2 if name == "classes_two" else 1
    np.testing.assert_allclose(half * saved.decision_function(X), sign * scores[:, at], atol=1e-12)


def test_a_search_over_C_is_saved_as_what_it_chose():
    X, y = rows_of("lr")
    search = LinearSVCCV(Cs=[0.1, 1.0], cv=3).fit(X, y)
    np.testing.assert_array_equal(load_liblinear(io.BytesIO(written(search))).predict(X), search.predict(X))


@given(st.permutations([1, 3, 7]))
def test_any_order_of_the_classes_decides_alike(order):
    X, _ = rows_of("svc_three")
    turned = as_liblinear(FITTED, order)
    assert turned.labels.tolist() == list(order)
    np.testing.assert_array_equal(turned.predict(X), FITTED.predict(X))


FITTED = LinearSVC().fit(*rows_of("svc_three"))


def test_features_that_rows_lack_are_zero_and_those_that_the_model_lacks_are_left_out():
    model, (X, _) = golden("lr"), rows_of("lr")
    wide = np.hstack([X.toarray(), np.ones((X.shape[0], 3))])
    np.testing.assert_array_equal(model.decision_function(wide), model.decision_function(X.toarray()))
    narrow = X.toarray()
    narrow[:, 3:] = 0
    np.testing.assert_allclose(model.decision_function(X[:, :3]), model.decision_function(narrow), atol=1e-15)


def test_many_features_are_read_in_pieces_and_a_bad_weight_is_found_in_them():
    """More lines than are turned into numbers at a time."""
    random = np.random.default_rng(0)
    model = LiblinearModel(
        "MCSVM_CS", random.standard_normal((3, 9001)), 1.0, random.standard_normal(3), np.array([5, -2, 0])
    )
    text = written(model)
    again = load_liblinear(io.BytesIO(text))
    np.testing.assert_array_equal(again.w, model.w)
    np.testing.assert_array_equal(again.bias_weight, model.bias_weight)
    lines = text.split(b"\n")
    for word, said in ((b"nan", "no finite number"), (b"1_0", "no finite number"), (b"1 2", "4 weights where 3")):
        bad = [*lines]
        bad[8000] = b" ".join([*bad[8000].split()[:2], word])
        with pytest.raises(DamagedFile, match=rf"line 8001: .*{said}"):
            load_liblinear(io.BytesIO(b"\n".join(bad)))


HEAD = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\n"
BAD = {
    "empty": ("", 1, "without the line w"),
    "a model of LIBSVM": ("svm_type c_svc\n", 1, "'svm_type' is no entry of a LIBLINEAR model"),
    "type": (HEAD.replace("L2R_LR", "L2R_L3LOSS") + "w\n1\n2\n", 1, "'L2R_L3LOSS' is none of"),
    "no solver": ("nr_class 2\nlabel 1 -1\nnr_feature 1\nbias -1\nw\n1\n", 5, "without solver_type"),
    "no labels": ("solver_type L2R_LR\nnr_class 2\nnr_feature 1\nbias -1\nw\n1\n", 5, "without label"),
    "no rho": ("solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 1\nbias -1\nw\n1\n", 5, "without rho"),
    "few labels": (HEAD.replace("1 -1", "1") + "w\n1\n2\n", 3, "1 values, 2 are due"),
    "same labels": (HEAD.replace("1 -1", "1 1") + "w\n1\n2\n", 3, "twice"),
    "no classes": (HEAD.replace("nr_class 2", "nr_class 0") + "w\n1\n2\n", 2, "nr_class is 0"),
    "regression of 3": ("solver_type L2R_L2LOSS_SVR\nnr_class 3\nnr_feature 0\nbias -1\nw\n", 2, "nr_class is 3"),
    "negative": (HEAD.replace("nr_feature 2", "nr_feature -2") + "w\n", 4, "nr_feature is -2"),
    "huge": (HEAD.replace("nr_feature 2", f"nr_feature {10**30}") + "w\n1\n2\n", 4, "more than 32 bits"),
    "many": (HEAD.replace("nr_feature 2", "nr_feature 2000000000") + "w\n1\n2\n", 8, "2 lines of weights, 2000000000"),
    "bias": (HEAD.replace("bias -1", "bias inf") + "w\n1\n2\n", 5, "no finite number"),
    "twice": (HEAD + "bias 1\nw\n1\n2\n", 6, "twice, first in line 5"),
    "two weights": (HEAD + "w\n1\n2 3\n", 8, "2 weights where 1"),
    "one line too many": (HEAD + "w\n1\n2\n3\n", 9, "3 lines of weights, 2 are due"),
    "cut off": (HEAD + "w\n1\n", 7, "1 lines of weights, 2 are due"),
    "word": (HEAD + "w\n1\ntwo\n", 8, "'two', which is no finite number"),
}


@pytest.mark.parametrize("case", BAD)
def test_files_that_make_no_sense_are_told_with_their_line(case):
    text, line, reason = BAD[case]
    with pytest.raises(DamagedFile, match=rf"the file object, line {line}: .*{reason}"):
        load_liblinear(io.BytesIO(text.encode()))


def test_the_head_of_these_cases_is_good_in_itself():
    assert load_liblinear(io.BytesIO((HEAD + "w\n1\n2\n").encode())).w.tolist() == [[1.0, 2.0]]


@given(st.data())
@pytest.mark.parametrize(("load", "name"), [(load_liblinear, "liblinear/l1_lr"), (load_libsvm, "libsvm/c_svc_three")])
def test_whatever_is_altered_a_model_comes_out_or_a_sentence_with_a_line(load, name, data):
    text = bytearray((GOLDEN / f"{name}.model").read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        length = data.draw(st.integers(0, 12))
        text[at : at + length] = data.draw(
            st.sampled_from([b"", b"9" * 30, b"-1", b"nan", b"\n", b" ", b"\x00\xff", b"1e999", b":", b"rho 1\n"])
        )
    said, model = "", None
    try:
        model = load(io.BytesIO(bytes(text)))
    except DamagedFile as error:
        said = str(error)
    assert ", line " in said if model is None else len(model.predict(np.ones((2, 4)))) == 2


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (Perceptron().fit([[0.0], [1.0]], [0, 1]), "not a Perceptron"),
        (LinearSVC().fit([[0.0], [1.0]], ["a", "b"]), "whole numbers of 32 bits as labels, not \\['a', 'b'\\]"),
        (LinearSVC(multi_class="ovo").fit([[0.0], [1.0], [2.0]], [0, 1, 2]), "multi_class='ovr', not 'ovo'"),
        (OneClassSVM().fit([[0.0], [1.0]]), "linear machines; the kernel here is exp"),
    ],
)
def test_what_the_format_has_no_place_for_is_not_written(model, said, tmp_path):
    with pytest.raises(CannotStore, match=said):
        save_liblinear(model, tmp_path / "m.model")
    assert not list(tmp_path.iterdir())
