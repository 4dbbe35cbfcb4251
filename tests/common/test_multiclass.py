"""Several classes for every binary learner: one machine for each class against the rest, or for each pair, and what
they say together."""

import numpy as np
import pytest
from tests.common.estimators import CLASSIFIERS, fingerprint, is_bag, is_tree, make, schemed, takes

BINARY = [cls for cls in CLASSIFIERS if not (is_tree(cls) or is_bag(cls)) and not cls.__name__.endswith("CV")]
NATIVE = {"DecisionStump", "DecisionTreeClassifier", "DecisionForestClassifier"}
each_binary = pytest.mark.parametrize(
    "cls", [cls for cls in BINARY if cls.__name__ not in NATIVE], ids=lambda cls: cls.__name__
)
K = 4


def rows():
    random = np.random.default_rng(5)
    X = random.standard_normal((120, 4))
    return X, np.argmax(X @ random.standard_normal((4, K)) + 0.5 * random.standard_normal((120, K)), axis=1)


def test_every_classifier_that_is_not_born_for_several_classes_is_here():
    names = {cls.__name__ for cls in BINARY} - NATIVE
    assert {"Perceptron", "VotedPerceptron", "KernelPerceptron", "PassiveAggressiveClassifier"} <= names
    assert {"LinearSVC", "SVC", "NuSVC"} <= names
    for cls in BINARY:
        if cls.__name__ not in NATIVE:
            assert {"multiclass", "multi_class"} & set(cls().get_params()), cls.__name__
            assert "n_jobs" in cls().get_params()


def model_of(cls, scheme, **more):
    params = {"NuSVC": {"nu": 0.1}, "SVC": {"decision_function_shape": scheme}}.get(cls.__name__, {})
    if cls.__name__ == "NuSVC":
        params["decision_function_shape"] = scheme
    if takes(cls, "shuffle"):  # the order of the rows is another one in each part
        params["shuffle"] = False
    return make(cls, **schemed(cls, scheme), **params, **more)


@pytest.mark.filterwarnings("ignore")
@each_binary
def test_against_the_rest_each_score_is_that_of_a_binary_fit_and_the_highest_wins(cls):
    X, y = rows()
    model = model_of(cls, "ovr").fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == (len(y), K)
    np.testing.assert_array_equal(model.predict(X), scores.argmax(axis=1))
    for c in range(K):
        alone = model_of(cls, "ovr").fit(X, y == c).decision_function(X)
        close = np.abs(scores[:, c] - alone) <= 2e-2 * np.abs(alone).max()
        assert close.mean() > 0.98, c


@each_binary
def test_pairs_decide_by_majority(cls):
    """Where every pair of classes is far apart, a class wins all of its pairs on fresh rows of its own."""
    random = np.random.default_rng(6)
    corners = 6.0 * np.array([[1, 1, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [0, -1, -1, 1]])
    y = np.arange(160) % K
    X = corners[y] + random.uniform(-1, 1, (160, 4))
    names = np.array(["d", "a", "c", "b"])  # not in the order of the codes
    model = model_of(cls, "ovo").fit(X[:100], names[y[:100]])
    np.testing.assert_array_equal(model.predict(X[100:]), names[y[100:]])
    pairs = len(model.certificate_.parts)
    assert pairs == K * (K - 1) // 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scheme", ["ovr", "ovo"])
@each_binary
def test_parts_are_shared_out_to_threads_and_nothing_changes(cls, scheme):
    X, y = rows()
    one, four = (model_of(cls, scheme, n_jobs=n).fit(X, y) for n in (1, 4))
    assert fingerprint(one) == fingerprint(four)
