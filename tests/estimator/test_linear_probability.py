"""Probabilities of linear machines: what they add up to, whom they agree with, how true they are."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedKFold
from tests.common.estimators import fingerprint
from tests.estimator.test_probability import data, lattice

import widemargin as wm
from widemargin.base.errors import BadInput
from widemargin.store import dumps, loads

METHODS = [True, "sigmoid", "isotonic"]
MACHINES = {
    "two classes": (2, {}),
    "four classes": (4, {}),
    "pairs": (5, {"multi_class": "ovo"}),
    "all at once": (4, {"multi_class": "crammer_singer"}),
    "all at once, two": (2, {"multi_class": "crammer_singer"}),
    "logistic, l1": (3, {"loss": "logistic", "penalty": "l1"}),
    "balanced": (3, {"class_weight": "balanced"}),
    "small C": (3, {"C": 1e-6}),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("machine", MACHINES)
def test_probabilities_add_up_to_one_and_agree_with_predict_everywhere(machine, method):
    k, params = MACHINES[machine]
    X, y = data(k)
    model = wm.LinearSVC(probability=method, **params).fit(X, y)
    for rows in (X, lattice()):
        p = model.predict_proba(rows)
        assert p.shape == (len(rows), k)
        assert (p >= 0).all()
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(rows))
        with np.errstate(divide="ignore"):
            np.testing.assert_array_equal(model.predict_log_proba(rows), np.log(p))


@pytest.mark.parametrize("method", METHODS)
def test_the_machine_itself_is_the_one_without_probabilities(method):
    X, y = data(3)
    plain, with_them = wm.LinearSVC().fit(X, y), wm.LinearSVC(probability=method).fit(X, y)
    np.testing.assert_array_equal(plain.coef_, with_them.coef_)
    np.testing.assert_array_equal(plain.intercept_, with_them.intercept_)
    assert with_them.certificate_.holds


def _by_hand(X, y, k_folds=5):
    """Scores of rows by machines that have not seen them, one fold after the other."""
    scores = np.empty(len(y))
    folds = StratifiedKFold(k_folds, shuffle=True, random_state=0)
    for train, test in folds.split(X, y):
        scores[test] = wm.LinearSVC().fit(X[train], y[train]).decision_function(X[test])
    return scores


def test_isotonic_probabilities_are_scikit_learns_line_through_held_out_scores():
    X, y = data(2, n=300)
    line = IsotonicRegression(out_of_bounds="clip").fit(_by_hand(X, y), y == "eel")
    model = wm.LinearSVC(probability="isotonic").fit(X, y)
    rows = np.random.default_rng(1).standard_normal((500, 3))
    f = model.decision_function(rows)
    expected = line.predict(f)
    sure = ((f > 0) == (expected > 0.5)) & (expected != 0.5)  # elsewhere predict has the last word
    assert sure.mean() > 0.8
    np.testing.assert_allclose(model.predict_proba(rows)[sure, 1], expected[sure], atol=1e-12)


def test_sigmoids_are_those_of_scikit_learn_to_how_it_smooths():
    """Same folds, one machine for all rows: CalibratedClassifierCV(ensemble=False) finds the same sigmoid."""
    X, y = data(2, n=300)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    theirs = CalibratedClassifierCV(wm.LinearSVC(), method="sigmoid", cv=folds, ensemble=False).fit(X, y)
    ours = wm.LinearSVC(probability=True).fit(X, y)
    rows = np.random.default_rng(1).standard_normal((500, 3))
    f, p = ours.decision_function(rows), theirs.predict_proba(rows)[:, 1]
    sure = (f > 0) == (p > 0.5)
    np.testing.assert_allclose(ours.predict_proba(rows)[sure, 1], p[sure], atol=1e-4)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("scheme", ["ovr", "ovo", "crammer_singer"])
def test_probabilities_are_true_of_a_known_source(scheme, method):
    """Classes are drawn with known probabilities: what is said of fresh rows is hardly worse than the truth, and far
    better than the shares of the classes."""
    random = np.random.default_rng(3)
    weights = np.array([[2.0, -1.0], [-1.0, 1.5], [0.0, 0.0]])

    def drawn(n):
        X = random.standard_normal((n, 2))
        p = np.exp(X @ weights.T)
        p /= p.sum(axis=1, keepdims=True)
        return X, p, (p.cumsum(axis=1) < random.random((n, 1))).sum(axis=1)

    X, _, y = drawn(1500)
    model = wm.LinearSVC(probability=method, multi_class=scheme).fit(X, y)
    rows, truth, labels = drawn(6000)

    def loss(p):  # Brier's, which takes an isotonic 0 that was wrong for what it is
        return ((p - np.eye(3)[labels]) ** 2).sum(axis=1).mean()

    said, best, know_nothing = loss(model.predict_proba(rows)), loss(truth), loss(np.bincount(y) / len(y))
    assert best - 0.01 < said < best + 0.25 * (know_nothing - best)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_threads_and_their_number_change_nothing(method):
    X, y = data(3, n=200)
    one = wm.LinearSVC(probability=method, n_jobs=1).fit(X, y)
    assert fingerprint(wm.LinearSVC(probability=method, n_jobs=4).fit(X, y)) == fingerprint(one)
    found = [None] * 4

    def work(k):
        found[k] = wm.LinearSVC(probability=method, n_jobs=1).fit(X, y).predict_proba(X)

    crowd = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    for p in found:
        np.testing.assert_array_equal(p, one.predict_proba(X))


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_weights_sparse_rows_and_files(method):
    X, y = data(3, n=200)
    absent = np.arange(200) % 4 > 0
    a = wm.LinearSVC(probability=method).fit(X, y, sample_weight=absent.astype(float))
    b = wm.LinearSVC(probability=method).fit(X[absent], y[absent])
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-6)
    heavy = wm.LinearSVC(probability=method).fit(X, y, sample_weight=np.where(y == "cod", 4.0, 1.0))
    plain = wm.LinearSVC(probability=method).fit(X, y)
    assert heavy.predict_proba(X)[:, 0].mean() > plain.predict_proba(X)[:, 0].mean() + 0.1
    sparse = wm.LinearSVC(probability=method).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.predict_proba(sp.csr_matrix(X)), plain.predict_proba(X), atol=1e-3)
    np.testing.assert_array_equal(loads(dumps(plain)).predict_proba(X), plain.predict_proba(X))


def test_a_search_over_C_calibrates_what_it_chose():
    X, y = data(3)
    search = wm.LinearSVCCV(Cs=[0.1, 1.0], cv=2, probability="isotonic").fit(X, y)
    alone = wm.LinearSVC(C=search.C_, probability="isotonic").fit(X, y)
    np.testing.assert_array_equal(search.predict_proba(X), alone.predict_proba(X))
    np.testing.assert_array_equal(loads(dumps(search)).predict_proba(X), alone.predict_proba(X))


def test_probabilities_are_there_only_where_they_were_asked_for():
    X, y = data(2)
    model = wm.LinearSVC().fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(NotFittedError, match="fit again"):
        model.set_params(probability=True).predict_proba(X)
    model.fit(X, y).predict_proba(X)
    model.set_params(probability=False).fit(X, y)
    assert model.calibration_ is None
    with pytest.raises(ValueError, match="probability"):
        wm.LinearSVC(probability="platt").fit(X, y)
    with pytest.raises(BadInput, match="probability='isotonic' needs at least 2 rows of each class, but class eel"):
        wm.LinearSVC(probability="isotonic").fit(X[:4], ["cod", "cod", "cod", "eel"])
