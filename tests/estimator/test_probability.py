"""Probabilities of support vector classifiers: what they add up to, whom they agree with, how true they are."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.exceptions import NotFittedError
from tests.common.estimators import fingerprint

import widemargin as wm
from widemargin.base.errors import BadInput


def data(k=2, n=90, seed=0):
    """k noisy classes in turn along one direction, with names."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 3))
    score = X[:, 0] + 0.8 * random.standard_normal(n)
    return X, np.array(["cod", "eel", "ray", "tench", "zander"])[np.argsort(np.argsort(score)) * k // n]


def lattice(step=1.0):
    """Far out, where scores are flat and pairs of classes quarrel, and near the data."""
    side = np.arange(-6, 6.1, step)
    return np.array(np.meshgrid(side, side, [-3.0, 0.0, 3.0])).reshape(3, -1).T


MACHINES = {
    "two classes": (2, wm.SVC, {}),
    "three classes": (3, wm.SVC, {}),
    "five classes": (5, wm.SVC, {}),
    "against the rest": (4, wm.SVC, {"multiclass": "ovr"}),
    "ties broken": (5, wm.SVC, {"break_ties": True}),
    "linear": (4, wm.SVC, {"kernel": "linear"}),
    "small C": (2, wm.SVC, {"C": 1e-3}),
    "wrong way round": (2, wm.SVC, {"kernel": "rbf", "gamma": 50.0}),  # held-out scores know nothing
    "nu": (3, wm.NuSVC, {"nu": 0.3}),
    "balanced": (3, wm.SVC, {"class_weight": "balanced"}),
    "searched": (3, wm.SVCCV, {"Cs": [0.1, 1.0], "cv": 2}),
}


@pytest.mark.parametrize("machine", MACHINES)
def test_probabilities_add_up_to_one_and_agree_with_predict_everywhere(machine):
    k, cls, params = MACHINES[machine]
    X, y = data(k)
    model = cls(probability=True, random_state=0, **params).fit(X, y)
    for rows in (X, lattice()):
        p = model.predict_proba(rows)
        assert p.shape == (len(rows), k)
        assert (p >= 0).all()
        assert (p <= 1).all()
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=0, atol=1e-12)
        labels = model.predict(rows)
        np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], labels)
        with np.errstate(divide="ignore"):
            np.testing.assert_array_equal(model.predict_log_proba(rows), np.log(p))


def test_ties_of_votes_agree_with_predict():
    """Three classes around a centre where each wins one pair: predict takes the first, and so do the probabilities."""
    random = np.random.default_rng(0)
    angle = np.repeat([0.0, 2.0, 4.0], 30) + 0.3 * random.standard_normal(90)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.2 * random.standard_normal((90, 2))
    y = np.repeat([0, 1, 2], 30)
    model = wm.SVC(kernel="rbf", gamma=0.7, probability=True, random_state=0).fit(X, y)
    grid = 0.4 * random.standard_normal((4000, 2))
    won = model.set_params(decision_function_shape="ovo").decision_function(grid) > 0
    votes = np.column_stack([won[:, 0] + won[:, 1].astype(int), 1 - won[:, 0] + won[:, 2], 2 - won[:, 1] - won[:, 2]])
    tied = (votes == 1).all(axis=1)
    assert tied.any()
    np.testing.assert_array_equal(model.predict_proba(grid).argmax(axis=1), votes.argmax(axis=1))
    np.testing.assert_array_equal(model.predict(grid[tied]), 0)


def test_equal_rows_of_both_classes_are_as_probable_as_they_are_frequent():
    """Nothing tells rows apart: of 30 and 60, one third is the first class, to Platt's half of a row."""
    X, y = np.ones((90, 1)), np.repeat([0, 1], [30, 60])
    p = wm.SVC(probability=True, random_state=0, kernel="linear").fit(X, y).predict_proba(X)
    np.testing.assert_allclose(p, np.tile([1 / 3, 2 / 3], (90, 1)), atol=0.02)


@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_are_true_of_a_known_source(k):
    """Classes are drawn with known probabilities: in each eighth of the rows, in the order of what is said, a class
    comes out as often as said, within 3 standard errors of the draw and of what 1,200 rows can teach."""
    random = np.random.default_rng(k)
    weights = np.array([[2.0, -1.0], [-1.0, 1.5], [0.0, 0.0]])[:k] if k > 2 else np.array([[0.0, 0.0], [2.0, -1.0]])

    def drawn(n):
        X = random.standard_normal((n, 2))
        p = np.exp(X @ weights.T)
        p /= p.sum(axis=1, keepdims=True)
        return X, (p.cumsum(axis=1) < random.random((n, 1))).sum(axis=1)

    X, y = drawn(1200)
    model = wm.SVC(kernel="linear", probability=True, random_state=0).fit(X, y)
    rows, labels = drawn(6000)
    p = model.predict_proba(rows)
    for c in range(k):
        for bin in np.array_split(np.argsort(p[:, c]), 8):
            said, seen = p[bin, c], labels[bin] == c
            spread = said.mean() * (1 - said.mean())
            error = np.sqrt(spread / len(bin) + spread / (1200 / 8))
            assert abs(said.mean() - seen.mean()) <= 3 * error


def test_weights_are_repeated_rows_for_the_sigmoid_too():
    X, y = data(2, n=200)
    light = wm.SVC(probability=True, random_state=0, gamma=0.3).fit(X, y)
    heavy = wm.SVC(probability=True, random_state=0, gamma=0.3).fit(X, y, sample_weight=np.where(y == "cod", 4.0, 1.0))
    assert heavy.predict_proba(X)[:, 0].mean() > light.predict_proba(X)[:, 0].mean() + 0.1
    absent = np.arange(200) % 4 > 0
    a = wm.SVC(probability=True, random_state=0, gamma=0.3).fit(X, y, sample_weight=absent.astype(float))
    b = wm.SVC(probability=True, random_state=0, gamma=0.3).fit(X[absent], y[absent])
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-6)


def test_the_machine_is_the_same_with_probabilities_or_without():
    X, y = data(3)
    plain, probable = wm.SVC().fit(X, y), wm.SVC(probability=True).fit(X, y)
    a, b = fingerprint(plain), fingerprint(probable)
    assert {name for name in b if a[name] != b[name]} == {"probA_", "probB_"}
    assert probable.probA_.shape == probable.probB_.shape == (3,)


def test_the_seed_and_nothing_else_divides_the_rows():
    X, y = data(3)
    of = lambda seed, **params: fingerprint(wm.SVC(probability=True, random_state=seed, **params).fit(X, y))  # noqa: E731
    assert of(0) == of(0) == of(0, n_jobs=2) == of(0, n_jobs=3)
    assert of(0)["probA_"] != of(1)["probA_"]


def test_two_threads_at_once_learn_and_say_the_same():
    X, y = data(4)
    rows = lattice()
    expected = wm.SVC(probability=True, random_state=0).fit(X, y)
    said = expected.predict_proba(rows).tobytes()
    found, go = [], threading.Barrier(4)

    def learn():
        go.wait()
        for _ in range(2):
            found.append(wm.SVC(probability=True, random_state=0, n_jobs=2).fit(X, y).predict_proba(rows).tobytes())

    def ask():
        go.wait()
        for _ in range(5):
            found.append(expected.predict_proba(rows).tobytes())

    all_of_them = [threading.Thread(target=work) for work in (learn, learn, ask, ask)]
    for thread in all_of_them:
        thread.start()
    for thread in all_of_them:
        thread.join()
    assert len(found) == 14
    assert set(found) == {said}


@pytest.mark.parametrize("few", [2, 3, 4])
def test_a_class_with_fewer_rows_than_folds_is_learnt(few):
    X, y = data(3, n=60)
    y = np.where(y == "ray", "eel", y)
    y[np.argsort(X[:, 0])[-few:]] = "ray"
    model = wm.SVC(probability=True, random_state=0, kernel="linear", C=10.0).fit(X, y)
    p = model.predict_proba(X)
    assert np.isfinite(p).all()
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
    with pytest.raises(BadInput, match="at least 2 rows of each class, but class ray has 1"):
        wm.SVC(probability=True).fit(X, np.where(np.arange(60) == 7, "ray", np.where(y == "ray", "cod", y)))


@pytest.mark.parametrize("kind", ["csr", "precomputed", "function", "words"])
def test_other_items_have_probabilities_too(kind):
    X, y = data(3, n=60)
    rows, kernel = {
        "csr": lambda: (sp.csr_array(np.where(X > 0, X, 0)), "rbf"),
        "precomputed": lambda: (X @ X.T, "precomputed"),
        "function": lambda: (X, lambda a, b: a @ b.T),
        "words": lambda: (
            [f"{label}{n % 7}" for n, label in enumerate(y)],
            lambda a, b: float(len(set(a) & set(b))) + (a[:3] == b[:3]),
        ),
    }[kind]()
    model = wm.SVC(probability=True, random_state=0, kernel=kernel).fit(rows, y)
    p = model.predict_proba(rows)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(rows)).all()
    assert np.log(p[np.arange(60), np.searchsorted(model.classes_, y)]).mean() > np.log(1 / 3)


@pytest.mark.parametrize("method", ["predict_proba", "predict_log_proba"])
@pytest.mark.parametrize("cls", [wm.SVC, wm.NuSVC, wm.SVCCV], ids=lambda cls: cls.__name__)
def test_without_probability_there_is_no_such_method_as_in_scikit_learn(cls, method):
    X, y = data(2, n=40)
    usual = {wm.NuSVC: {"nu": 0.25}, wm.SVCCV: {"Cs": [1.0], "cv": 2}}.get(cls, {})
    ours = cls(**usual).fit(X, y)
    theirs = sklearn.svm.SVC().fit(X, y)
    assert not hasattr(ours, method)
    assert not hasattr(theirs, method)
    with pytest.raises(AttributeError) as caught:
        getattr(ours, method)
    assert "not available when probability=False" in str(caught.value.__cause__)
    ours.set_params(probability=True)
    with pytest.raises(NotFittedError, match="fitted with probability=False: fit again with probability=True"):
        getattr(ours, method)(X)
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        getattr(cls(probability=True), method)(X)


def test_a_fit_without_probability_forgets_those_of_the_last():
    X, y = data(2, n=40)
    model = wm.SVC(probability=True).fit(X, y)
    model.set_params(probability=False).fit(X, y)
    assert model.probA_ is None
    assert model.probB_ is None
