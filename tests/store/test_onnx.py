"""ONNX models say what the machines say: asked through onnxruntime, in both widths of the input."""

import io
import sys

import numpy as np
import onnxruntime
import pytest
import scipy.sparse as sp

import widemargin as wm
from widemargin.base.errors import BadInput, CannotStore, MissingExtra
from widemargin.kernels import Laplacian
from widemargin.store import save_onnx

NAMES = np.array(["cod", "eel", "ray", "zander"])


def rows(k, n=120, seed=0, width=5):
    """k classes of which some rows lie on the wrong side, exact in float32."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, width)).astype(np.float32).astype(np.float64)
    score = X[:, 0] - X[:, 1] + 0.5 * random.standard_normal(n)
    return X, np.argsort(np.argsort(score)) * k // n


def asked(model, X, dtype="float32"):
    file = io.BytesIO()
    save_onnx(model, file, dtype=dtype)
    session = onnxruntime.InferenceSession(file.getvalue(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": X.astype(dtype)}), strict=True))


CLASSIFIERS = {
    "perceptron": wm.Perceptron(),
    "averaged, pairs": wm.AveragedPerceptron(multiclass="ovo"),
    "batch": wm.BatchPerceptron(),
    "margin": wm.MarginPerceptron(),
    "passive": wm.PassiveAggressiveClassifier(),
    "linear": wm.LinearSVC(),
    "linear, pairs": wm.LinearSVC(multi_class="ovo"),
    "linear, all at once": wm.LinearSVC(multi_class="crammer_singer"),
    "linear, searched": wm.LinearSVCCV(Cs=[0.1, 1.0], cv=2),
    "linear, no bias": wm.LinearSVC(fit_intercept=False),
    "radial": wm.SVC(gamma=0.5),
    "polynomial": wm.SVC(kernel="poly", degree=2, coef0=1.0),
    "polynomial, no kernel": wm.SVC(kernel="poly", degree=3, coef0=-0.1, max_iter=50),
    "constant": wm.SVC(gamma=0.0),
    "sigmoid": wm.SVC(kernel="sigmoid", gamma=0.05, max_iter=50),
    "linear kernel": wm.SVC(kernel="linear"),
    "radial, rest": wm.SVC(multiclass="ovr"),
    "radial, scores of pairs": wm.SVC(decision_function_shape="ovo"),
    "radial, ties broken": wm.SVC(break_ties=True, C=0.01),
    "nu": wm.NuSVC(nu=0.3),
    "searched": wm.SVCCV(Cs=[1.0], cv=2),
    "kernel perceptron": wm.KernelPerceptron(kernel="rbf", decide="averaged"),
    "kernel perceptron, pairs": wm.KernelPerceptron(kernel="rbf", decide="last", multiclass="ovo"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_labels_and_scores_of_classifiers(name, k):
    X, y = rows(k)
    model = CLASSIFIERS[name].fit(X, NAMES[:k][y])
    fresh = rows(k, n=400, seed=1)[0]
    for dtype in ("float32", "float64"):
        found = asked(model, fresh, dtype)
        assert found["label"].tolist() == model.predict(fresh).tolist()
        scores = model.decision_function(fresh)
        assert found["scores"].shape == scores.shape
        np.testing.assert_allclose(found["scores"], scores, rtol=1e-9, atol=1e-9 * np.abs(scores).max())


@pytest.mark.parametrize("labels", [[3, -7], [True, False], [3.0, -7.0], ["b", "a"]], ids=str)
def test_labels_keep_their_kind(labels):
    X, y = rows(2)
    model = wm.LinearSVC().fit(X, np.array(labels)[y])
    found = asked(model, X)["label"]
    assert found.tolist() == model.predict(X).tolist()
    assert type(found.tolist()[0]) is type(labels[0])


NUMBERS = {
    "linear": wm.LinearSVR(),
    "passive": wm.PassiveAggressiveRegressor(),
    "radial": wm.SVR(gamma=0.3),
    "nu": wm.NuSVR(kernel="poly", degree=2),
    "ridge": wm.KernelRidge(kernel="rbf"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_regressors(name):
    X, y = rows(2)
    model = NUMBERS[name].fit(X, X[:, 0] + 0.1 * y)
    (found,) = asked(model, X).values()
    np.testing.assert_allclose(found, model.predict(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_one_class_is_inside_on_the_edge_too(kernel):
    """Free support rows lie on the edge: their scores are 0 to rounding, and they are inside here and there."""
    X, _ = rows(2)
    X = (np.abs(X) + 1).astype(np.float32).astype(np.float64)
    model = wm.OneClassSVM(kernel=kernel, nu=0.4, tol=1e-8).fit(X)
    found = asked(model, X)
    np.testing.assert_array_equal(found["label"], model.predict(X))
    assert (model.decision_function(X) == 0).any()
    np.testing.assert_allclose(found["scores"], model.decision_function(X), atol=1e-8)


def test_models_of_sparse_rows_take_dense_ones():
    X, y = rows(3)
    X[np.abs(X) < 0.7] = 0
    for model in (wm.LinearSVC(), wm.SVC(), wm.SVC(kernel="linear")):
        model.fit(sp.csr_matrix(X), y)
        np.testing.assert_array_equal(asked(model, X)["label"], model.predict(X))


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (wm.VotedPerceptron(), "VotedModel"),
        (wm.KernelPerceptron(decide="voted"), "VotedKernelModel"),
        (wm.SVC(kernel=Laplacian()), "no operator for the kernel"),
        (wm.DecisionTreeClassifier(), "DecisionTreeClassifier"),
    ],
)
def test_what_onnx_cannot_express_is_told_and_not_written(model, said, tmp_path):
    X, y = rows(2)
    with pytest.raises(CannotStore, match=said):
        save_onnx(model.fit(X, y), tmp_path / "m.onnx")
    with pytest.raises(CannotStore):
        save_onnx(wm.LinearSVC(), tmp_path / "m.onnx")  # not fitted
    with pytest.raises(BadInput, match="float16"):
        save_onnx(wm.LinearSVC().fit(X, y), tmp_path / "m.onnx", dtype="float16")
    assert not list(tmp_path.iterdir())


def test_kernel_values_that_were_given_are_not_written(tmp_path):
    X, y = rows(2)
    with pytest.raises(CannotStore, match="no operator for the kernel"):
        save_onnx(wm.SVC(kernel="precomputed").fit(X @ X.T, y), tmp_path / "m.onnx")


def test_without_the_package_the_sentence_says_what_to_install(monkeypatch, tmp_path):
    model = wm.LinearSVC().fit(*rows(2))
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtra, match=r"widemargin\[onnx\]"):
        save_onnx(model, tmp_path / "m.onnx")
