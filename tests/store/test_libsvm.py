"""LIBSVM's model files: those that it wrote itself are read, asked and written back; ours say what its own say.

The golden files were written by the package libsvm-official, which also said what its models answer (told.json).
"""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin import SVC, SVR, KernelRidge, NuSVC, NuSVR, OneClassSVM
from widemargin.base.errors import BadInput, CannotStore, DamagedFile
from widemargin.data import read_svmlight
from widemargin.kernels import RBF, Laplacian
from widemargin.store import load_libsvm, save_libsvm
from widemargin.store.libsvm_layout import as_libsvm
from widemargin.store.libsvm_model import coupled

GOLDEN = Path(__file__).parent / "golden" / "libsvm"
CASES = json.loads((GOLDEN / "told.json").read_text())["cases"]


def rows_of(name):
    """X (or the kernel values) and y of a case."""
    if name == "precomputed":
        X, y = read_svmlight(GOLDEN / "two.svm")
        return (X @ X.T).toarray(), y
    return read_svmlight(GOLDEN / CASES[name]["file"])


def tokens(text):
    """Lines as words, numbers as numbers: 0.2 and 0.20000000000000001 are one number."""
    return [[_number(part) for word in line.split() for part in word.split(":")] for line in text.splitlines()]


def _number(word):
    try:
        return float(word)
    except ValueError:
        return word


def written(model):
    file = io.BytesIO()
    save_libsvm(model, file)
    return file.getvalue()


@pytest.mark.parametrize("name", CASES)
def test_models_of_libsvm_answer_as_libsvm_says(name):
    model, (X, _) = load_libsvm(GOLDEN / f"{name}.model"), rows_of(name)
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores, CASES[name]["scores"], atol=1e-7)
    sure = np.abs(scores).min(axis=1) > 1e-6  # rows on a boundary may fall on either side by rounding
    assert sure.mean() > 0.5
    if model.svm_type.endswith("svr"):
        np.testing.assert_allclose(model.predict(X), CASES[name]["labels"], atol=1e-7)
    else:
        np.testing.assert_array_equal(model.predict(X)[sure], np.array(CASES[name]["labels"])[sure])


@pytest.mark.parametrize("name", [name for name in CASES if "proba" in CASES[name]])
def test_probabilities_are_those_of_libsvm(name):
    model, (X, _) = load_libsvm(GOLDEN / f"{name}.model"), rows_of(name)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares, CASES[name]["proba"], atol=1e-9)
    np.testing.assert_array_equal(model.labels[shares.argmax(axis=1)], CASES[name]["proba_labels"])


@pytest.mark.parametrize("name", CASES)
def test_what_libsvm_wrote_is_written_back_as_it_stands(name):
    text = (GOLDEN / f"{name}.model").read_text()
    again = written(load_libsvm(GOLDEN / f"{name}.model"))
    assert tokens(again.decode()) == tokens(text)
    assert written(load_libsvm(io.BytesIO(again))) == again


MACHINES = {
    "c_svc": SVC(gamma=0.2, C=2),
    "c_svc_weights": SVC(kernel="poly", degree=2, gamma=0.5, coef0=1, C=0.5, class_weight={1: 3, -1: 0.5}),
    "c_svc_three": SVC(gamma=0.5),
    "nu_svc": NuSVC(kernel="linear", nu=0.5),
    "nu_svc_three": NuSVC(gamma=0.25, nu=0.7),
    "one_class": OneClassSVM(gamma=0.3, nu=0.25),
    "epsilon_svr": SVR(gamma=0.8, C=5),
    "nu_svr": NuSVR(gamma=0.8, C=5, nu=0.4),
    "precomputed": SVC(kernel="precomputed", C=0.7),
}


@pytest.mark.parametrize("name", MACHINES)
def test_fitted_machines_are_laid_out_as_libsvm_lays_out_its_own(name):
    X, y = rows_of(name)
    estimator = MACHINES[name].set_params(tol=1e-6).fit(X, y)
    theirs = load_libsvm(GOLDEN / f"{name}.model")
    ours = as_libsvm(estimator, theirs.labels if theirs.is_classifier else None)
    assert ours.svm_type == theirs.svm_type
    assert type(ours.kernel) is type(theirs.kernel)
    np.testing.assert_array_equal(ours.labels, theirs.labels)
    np.testing.assert_array_equal(ours.n_support, theirs.n_support)
    np.testing.assert_allclose(ours.rho, theirs.rho, atol=2e-5)
    np.testing.assert_allclose(ours.coef, theirs.coef, atol=2e-4 * np.abs(theirs.coef).max())
    if name == "precomputed":
        np.testing.assert_array_equal(ours.support, theirs.support)
    else:
        np.testing.assert_allclose(ours.support.toarray(), theirs.support.toarray())
    saved = load_libsvm(io.BytesIO(written(estimator)))
    np.testing.assert_array_equal(saved.predict(X), estimator.predict(X)) if ours.is_classifier else None
    np.testing.assert_allclose(saved.decision_function(X)[:, 0], _scores(estimator, X), atol=1e-12)


def _scores(estimator, X):
    if isinstance(estimator, SVR | NuSVR):
        return estimator.predict(X)
    if hasattr(estimator, "classes_") and len(estimator.classes_) > 2:
        return estimator.set_params(decision_function_shape="ovo").decision_function(X)[:, 0]
    return estimator.decision_function(X)


@given(st.permutations([1, 3, 7]))
def test_any_order_of_the_classes_decides_alike(order):
    """Turning a pair round changes the sign of its score and nothing else."""
    X, _ = rows_of("c_svc_three")
    plain, turned = as_libsvm(FITTED), as_libsvm(FITTED, order)
    assert turned.labels.tolist() == list(order)
    at = {label: k for k, label in enumerate(order)}
    pairs = [(0, 1), (0, 2), (1, 2)]
    ours = dict(zip([(order[i], order[j]) for i, j in pairs], turned.decision_function(X).T, strict=True))
    for (i, j), score in zip([(1, 3), (1, 7), (3, 7)], plain.decision_function(X).T, strict=True):
        expected = ours[i, j] if at[i] < at[j] else -ours[j, i]
        np.testing.assert_allclose(score, expected, atol=1e-12)


FITTED = SVC(gamma=0.5).fit(*rows_of("c_svc_three"))


def test_features_that_one_side_lacks_are_zero():
    model, (X, _) = load_libsvm(GOLDEN / "c_svc.model"), rows_of("c_svc")
    wide = np.hstack([X.toarray(), np.zeros((X.shape[0], 3))])
    np.testing.assert_allclose(model.decision_function(wide), model.decision_function(X), atol=1e-12)
    narrow = X.toarray()
    narrow[:, 3:] = 0
    np.testing.assert_allclose(model.decision_function(X[:, :3]), model.decision_function(narrow), atol=1e-12)


@pytest.mark.theorem("WuEtAl04")
@given(st.lists(st.floats(0.05, 1.0), min_size=2, max_size=6))
def test_coupling_finds_probabilities_that_agree_with_all_pairs(weights):
    """If r_ij = p_i / (p_i + p_j) for all pairs, then the coupled probabilities are p (to the stopping rule)."""
    p = np.array(weights) / np.sum(weights)
    k = len(p)
    won = np.array([[p[i] / (p[i] + p[j]) for i in range(k) for j in range(i + 1, k)]])
    found = coupled(won, k)[0]
    assert found.sum() == pytest.approx(1)
    np.testing.assert_allclose(found, p, atol=0.05 / k)


@pytest.mark.parametrize(("gamma", "coef0"), [(0.5, -1.0), (0.0, 1.0), (0.0, -0.5)])
def test_polynomials_that_are_no_kernels_are_kept_as_libsvm_keeps_them(gamma, coef0):
    text = (GOLDEN / "c_svc_weights.model").read_text()
    text = text.replace("gamma 0.5", f"gamma {gamma}").replace("coef0 1", f"coef0 {coef0}")
    model, (X, _) = load_libsvm(io.BytesIO(text.encode())), rows_of("c_svc_weights")
    K = (gamma * (X @ model.support.T).toarray() + coef0) ** 2
    np.testing.assert_allclose(model.decision_function(X)[:, 0], K @ model.coef[0] - model.rho[0], atol=1e-9)
    assert tokens(written(model).decode()) == tokens(text)


BAD = {
    "empty": ("", 1, "without the line SV"),
    "other file": ("hello world\n", 1, "'hello' is no entry"),
    "type": (
        "svm_type c_svr\nkernel_type linear\nnr_class 2\ntotal_sv 0\nrho 0\nlabel 1 2\nnr_sv 0 0\nSV\n",
        1,
        "c_svr",
    ),
    "kernel": ("svm_type c_svc\nkernel_type radial\nnr_class 2\ntotal_sv 0\nrho 0\nSV\n", 2, "'radial' is none of"),
    "number": ("svm_type c_svc\nkernel_type rbf\ngamma much\n", 3, "'much', which is no finite number"),
    "infinite": ("svm_type c_svc\nkernel_type rbf\ngamma inf\n", 3, "'inf', which is no finite number"),
    "negative gamma": (
        "svm_type one_class\nkernel_type rbf\ngamma -1\nnr_class 2\ntotal_sv 0\nrho 0\nSV\n",
        3,
        "gamma",
    ),
    "twice": ("svm_type c_svc\nsvm_type c_svc\n", 2, "twice, first in line 1"),
    "two values": ("svm_type c_svc nu_svc\n", 1, "2 values where one is due"),
    "no gamma": ("svm_type one_class\nkernel_type rbf\nnr_class 2\ntotal_sv 0\nrho 0\nSV\n", 6, "without gamma"),
    "no total": ("svm_type c_svc\nkernel_type linear\nnr_class 2\nrho 0\nSV\n", 5, "without total_sv"),
    "few rho": ("svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 0\nrho 0 1\nSV\n", 5, "2 values, 3 are due"),
    "no labels": ("svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 0\nrho 0\nSV\n", 6, "without label"),
}


@pytest.mark.parametrize("case", BAD)
def test_headers_that_make_no_sense_are_told_with_their_line(case):
    text, line, reason = BAD[case]
    with pytest.raises(DamagedFile, match=rf"the file object, line {line}: .*{reason}"):
        load_libsvm(io.BytesIO(text.encode()))


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "reason"),
    [
        ("c_svc", "total_sv 41", "total_sv 42", 8, "nr_sv sums to 41, total_sv is 42"),
        ("c_svc", "label 1 -1", "label 1 1", 7, "stands there twice"),
        ("c_svc", "label 1 -1", "label 1 -1 3", 7, "3 values, 2 are due"),
        ("c_svc", "SV\n", "SV\n0.5 1:1\n", 51, "42 support vectors, total_sv announces 41"),
        ("c_svc", "\n2 1:", "\ntwo 1:", 11, "'two', which is no finite number"),
        ("c_svc", "\n2 1:", "\n2 0:1 1:", 11, "index"),
        ("c_svc", "\n2 1:", "\n2 one:", 11, "one"),
        ("c_svc_three", "probA ", "probA 3 ", 8, "4 values, 3 are due"),
        ("precomputed", "0:5 ", "1:5 ", 9, "0:number is due"),
    ],
)
def test_vectors_that_make_no_sense_are_told_with_their_line(name, old, new, line, reason):
    text = (GOLDEN / f"{name}.model").read_text()
    assert old in text
    with pytest.raises(DamagedFile, match=rf"line {line}: .*{reason}"):
        load_libsvm(io.BytesIO(text.replace(old, new, 1).encode()))


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.99])
@pytest.mark.parametrize("name", ["c_svc_three", "precomputed", "nu_svr"])
def test_a_file_that_is_cut_off_is_refused(name, share):
    data = (GOLDEN / f"{name}.model").read_bytes()
    lines = data.splitlines(keepends=True)
    with pytest.raises(DamagedFile, match="line"):
        load_libsvm(io.BytesIO(b"".join(lines[: int(share * len(lines))])))


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (KernelRidge().fit([[0.0], [1.0]], [0.0, 1.0]), "not a KernelRidge"),
        (SVC().fit([[0.0], [1.0]], ["a", "b"]), "whole numbers of 32 bits as labels, not \\['a', 'b'\\]"),
        (SVC().fit([[0.0], [1.0]], [0, 2**40]), "32 bits"),
        (SVC(kernel=Laplacian()).fit([[0.0], [1.0]], [0, 1]), "no place for the kernel"),
        (SVC(kernel=RBF() + RBF()).fit([[0.0], [1.0]], [0, 1]), "no place for the kernel"),
        (SVC(multiclass="ovr").fit([[0.0], [1.0], [2.0]], [0, 1, 2]), "multiclass='ovo'"),
    ],
)
def test_what_the_format_has_no_place_for_is_not_written(model, said, tmp_path):
    with pytest.raises(CannotStore, match=said):
        save_libsvm(model, tmp_path / "m.model")
    assert not list(tmp_path.iterdir())


def test_kernel_values_with_too_few_training_rows_are_refused():
    model = load_libsvm(GOLDEN / "precomputed.model")
    with pytest.raises(BadInput, match="kernel values with 10 training rows"):
        model.predict(np.zeros((2, 10)))


def test_probabilities_that_are_not_there_are_not_made_up():
    with pytest.raises(BadInput, match="-b 1"):
        load_libsvm(GOLDEN / "c_svc.model").predict_proba(rows_of("c_svc")[0])
