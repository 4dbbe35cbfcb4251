"""SVCCV: the scores and the choice of GridSearchCV over our own SVC, and the rules beside the best."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.preprocessing import StandardScaler
from tests.common.estimators import answers, fingerprint

import widemargin as wm
from widemargin.base.errors import BadInput, WrongType
from widemargin.base.params import InvalidParameterError
from widemargin.kernels import RBF
from widemargin.model.curve import SearchPath, knee

N = 60
CS, GAMMAS = [3.0, 0.1, 20.0], [0.05, 0.6]
EXACT = {"tol": 1e-6, "gap_tol": 1e-8}


def data(k=2, n=N, seed=0):
    """k noisy classes in turn along one direction."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 3))
    score = X[:, 0] + 0.8 * random.standard_normal(n)
    return X, np.argsort(np.argsort(score)) * k // n


def listed(splitter, k=2, groups=None):
    return list(splitter.split(*data(k), groups))


# ---- GridSearchCV ---------------------------------------------------------------------------------------------------

SEARCHES = {  # classes, cv, scoring, parameters
    "two classes": (2, 3, None, {}),
    "three classes": (3, 3, None, {}),
    "against the rest": (4, 3, None, {"multiclass": "ovr"}),
    "accuracy": (3, 3, "accuracy", {}),
    "balanced accuracy": (2, 3, "balanced_accuracy", {}),
    "F1": (3, 3, "f1_macro", {}),
    "area under the curve": (2, 3, "roc_auc", {}),
    "average precision": (2, 3, "average_precision", {}),
    "own scorer": (3, 3, make_scorer(fbeta_score, beta=0.5, average="macro"), {}),
    "function as scorer": (2, 3, lambda machine, X, y: -np.abs(machine.decision_function(X) - 2 * y + 1).mean(), {}),
    "scores of pairs": (3, 3, lambda machine, X, y: machine.decision_function(X)[:, 0].mean(),
                        {"decision_function_shape": "ovo"}),
    "scores of classes": (3, 3, lambda machine, X, y: machine.decision_function(X)[:, 0].mean(), {}),
    "classes balanced": (3, 3, None, {"class_weight": "balanced"}),
    "classes balanced in uneven folds": (3, KFold(2), None, {"class_weight": "balanced"}),
    "classes weighted": (3, 3, None, {"class_weight": {0: 3.0, 2: 0.5}}),
    "ties broken": (4, 2, None, {"break_ties": True}),
    "polynomial": (2, 3, None, {"kernel": "poly", "degree": 2, "coef0": 1.0}),
    "shuffled folds": (2, StratifiedKFold(3, shuffle=True, random_state=1), None, {}),
    "plain folds": (3, KFold(4), None, {}),
    "overlapping tests": (2, ShuffleSplit(3, test_size=0.3, random_state=0), None, {}),
    "repeated folds": (3, RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), None, {}),
    "rows that are never tested": (2, PredefinedSplit(np.arange(N) % 3 - 1), None, {}),
    "numbers of rows": (2, [(np.arange(20, N), np.arange(20)), (np.arange(40), np.arange(40, N))], None, {}),
    "truth for each row": (3, [(np.arange(N) < 40, np.arange(N) >= 40)], None, {}),
    "rows from behind": (2, [(np.arange(-N, -10), np.arange(-10, 0))], None, {}),
    "rows in no fold": (3, [(np.arange(0, 30), np.arange(30, 40))], None, {}),
    "groups": (3, listed(GroupKFold(3), 3, np.arange(N) // 6), None, {}),
    "a class that is not trained on": (3, [(np.flatnonzero(data(3)[1] < 2), np.arange(N))], None, {}),
}  # fmt: skip


@pytest.mark.parametrize("search", SEARCHES)
def test_scores_and_choice_are_those_of_grid_search(search):
    k, cv, scoring, params = SEARCHES[search]
    X, y = data(k)
    ours = wm.SVCCV(Cs=CS, gammas=GAMMAS, cv=cv, scoring=scoring, **EXACT, **params).fit(X, y)
    grid = {"C": sorted(CS), "gamma": GAMMAS}
    theirs = GridSearchCV(wm.SVC(**EXACT, **params), grid, cv=cv, scoring=scoring).fit(X, y)
    a, b = ours.cv_results_, theirs.cv_results_
    assert a["params"] == b["params"]
    for name in b:
        if name.endswith("_test_score") and name != "rank_test_score":
            np.testing.assert_allclose(a[name], b[name], rtol=0, atol=1e-4, err_msg=name)
    assert ours.best_params_ == theirs.best_params_ == {"C": ours.C_, "gamma": ours.gamma_}
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, abs=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    assert ours.path_.gaps.max() <= EXACT["gap_tol"]
    assert wm.certify(ours, X, y).relative_gap <= EXACT["gap_tol"]


@pytest.mark.parametrize("kind", ["csr", "precomputed", "frame", "float32"])
def test_other_kinds_of_rows_are_searched_as_by_grid_search(kind):
    X, y = data(3)
    params = {"kernel": "precomputed"} if kind == "precomputed" else {"gamma": 0.4}
    rows = {
        "csr": lambda: sp.csr_array(np.where(X > 0, X, 0)),
        "precomputed": lambda: RBF(0.4)(X),
        "frame": lambda: pd.DataFrame(X, columns=list("abc")),
        "float32": lambda: X.astype(np.float32),
    }[kind]()
    ours = wm.SVCCV(Cs=CS, cv=3, scoring="accuracy", **EXACT, **params).fit(rows, y)
    theirs = GridSearchCV(wm.SVC(**EXACT, **params), {"C": sorted(CS)}, cv=3).fit(rows, y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_array_equal(ours.predict(rows), theirs.predict(rows))


def test_weights_are_repeated_rows_in_training_and_in_scores():
    """Folds of repeated rows keep the copies together, as weights do."""
    X, y = data(3)
    weight = np.random.default_rng(1).integers(1, 4, N)
    copies = np.repeat(np.arange(N), weight)
    folds = listed(StratifiedKFold(3), 3)
    of_copies = [tuple(np.flatnonzero(np.isin(copies, part)) for part in pair) for pair in folds]
    one = wm.SVCCV(Cs=CS, gamma=0.4, cv=folds, **EXACT).fit(X, y, sample_weight=weight)
    other = wm.SVCCV(Cs=CS, gamma=0.4, cv=of_copies, **EXACT).fit(X[copies], y[copies])
    np.testing.assert_allclose(one.path_.fold_scores, other.path_.fold_scores)
    assert one.C_ == other.C_
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("how", ["number", "listed"])
def test_rows_of_weight_0_are_absent(how):
    """A number of folds divides the rows that are there; numbers that are listed are those of the rows as given."""
    X, y = data(2)
    weight = (np.arange(N) % 4 > 0).astype(float)
    there = np.flatnonzero(weight)
    number = np.cumsum(weight).astype(int) - 1
    folds = listed(KFold(3))
    left = [tuple(number[part[weight[part] > 0]] for part in pair) for pair in folds]
    one = wm.SVCCV(Cs=CS, gamma=0.4, cv=3 if how == "number" else folds, **EXACT).fit(X, y, sample_weight=weight)
    other = wm.SVCCV(Cs=CS, gamma=0.4, cv=3 if how == "number" else left, **EXACT).fit(X[there], y[there])
    np.testing.assert_array_equal(one.path_.fold_scores, other.path_.fold_scores)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-5)


# ---- what is chosen -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["best", "one_se", "knee"])
def test_a_rule_chooses_what_is_fitted(rule):
    X, y = data(2, seed=3)
    model = wm.SVCCV(Cs=8, gammas=GAMMAS, cv=4, rule=rule).fit(X, y)
    path, (g, c) = model.path_, model.path_.chosen(rule)
    assert (model.C_, model.gamma_) == (path.Cs[c], path.gammas[g])
    assert model.best_params_ == {"C": model.C_, "gamma": model.gamma_}
    assert model.best_score_ == path.scores[g, c]
    own = wm.SVC(C=model.C_, gamma=model.gamma_).fit(X, y)
    assert answers(model, X) == answers(own, X) == answers(model.best_estimator_, X)
    assert model.best_estimator_.get_params() == own.get_params()
    assert fingerprint(model)["certificate_"] == fingerprint(own)["certificate_"]


def table(fold_scores):
    """A path of one gamma with these scores: a row for each C."""
    scores = np.array(fold_scores, dtype=float)[None]
    return SearchPath(10.0 ** np.arange(scores.shape[1]), np.array([0.5]), scores, *np.zeros((3, *scores.shape)))


def test_the_best_is_the_smallest_C_of_the_highest_scores():
    assert table([[0.5], [0.9], [0.9], [0.8]]).best == (0, 1)


def test_one_standard_error_is_taken_from_the_folds_of_the_best():
    """Means 0.70, 0.78, 0.79, 0.80; the folds of the last differ by 0.04: 0.02 is their standard error."""
    spread = [[0.70, 0.70], [0.775, 0.785], [0.79, 0.79], [0.78, 0.82]]
    assert table(spread).errors[0, 3] == pytest.approx(0.02)
    assert table(spread).one_se == (0, 1)
    spread[1] = [0.774, 0.784]
    assert table(spread).one_se == (0, 2)
    assert table([[0.5], [0.6]]).one_se == (0, 1)  # one fold says nothing about errors


def test_the_knee_lies_furthest_below_the_line():
    Cs = 10.0 ** np.arange(5)
    assert knee(Cs, np.array([0.5, 0.8, 0.86, 0.88, 0.9])) == 1
    assert knee(Cs, np.array([0.5, 0.6, 0.85, 0.9, 0.7])) == 2
    assert knee(Cs, np.array([0.9, 0.8, 0.7, 0.6, 0.5])) == 0
    assert knee(Cs, np.full(5, 0.7)) == 0


def test_without_refit_there_is_a_choice_and_no_machine():
    X, y = data()
    model = wm.SVCCV(Cs=CS, cv=3).fit(X, y)
    searched = fingerprint(model)["path_"]
    model.set_params(refit=False).fit(X, y)
    assert fingerprint(model)["path_"] == searched
    assert model.best_params_ == {"C": model.C_}
    assert not hasattr(model, "support_")
    for ask in (model.predict, model.decision_function):
        with pytest.raises(NotFittedError):
            ask(X)


def test_a_number_of_Cs_is_spread_evenly_in_the_logarithm():
    model = wm.SVCCV(Cs=5, cv=2).fit(*data())
    np.testing.assert_allclose(model.path_.Cs, [0.01, 0.1, 1, 10, 100])
    assert np.isnan(model.gamma_)


def test_names_of_gammas_are_numbers_of_all_rows_each_once():
    X, y = data()
    model = wm.SVCCV(Cs=[1.0], gammas=["auto", "scale", 0.2, 0.2], cv=2).fit(X, y)
    np.testing.assert_allclose(model.path_.gammas, sorted([1 / 3, 1 / (3 * X.var()), 0.2]))
    as_object = wm.SVCCV(Cs=[1.0], gammas=[0.2, 0.5], kernel=RBF(9.0), cv=2).fit(X, y)
    by_name = wm.SVCCV(Cs=[1.0], gammas=[0.5, 0.2], cv=2).fit(X, y)
    assert answers(as_object, X) == answers(by_name, X)


@pytest.mark.parametrize(("k", "params"), [(2, {}), (3, {}), (3, {"multiclass": "ovr"}), (3, {"cache_size": 1e-3})])
def test_the_number_of_threads_changes_no_bit(k, params):
    X, y = data(k)
    one, two, three = (wm.SVCCV(Cs=CS, gammas=GAMMAS, cv=3, n_jobs=jobs, **params).fit(X, y) for jobs in (1, 2, 3))
    assert fingerprint(one) == fingerprint(two) == fingerprint(three)
    assert answers(one, X) == answers(two, X) == answers(three, X)


# ---- limits and bad lists -------------------------------------------------------------------------------------------


def test_the_end_of_the_time_leaves_a_machine_and_says_what_was_not_searched():
    X, y = data()
    with pytest.warns(ConvergenceWarning, match="max_time=1e-09 s was over after 0 of 6 candidates: raise max_time"):
        model = wm.SVCCV(Cs=CS, gammas=GAMMAS, cv=3, max_time=1e-9).fit(X, y)
    assert np.isnan(model.path_.scores).all()
    assert len(model.predict(X)) == N
    assert model.max_time == 1e-9
    gap = wm.certify(model, X, y).relative_gap
    assert gap == pytest.approx(model.certificate_.relative_gap)


def test_a_fit_that_the_time_ends_names_the_time_that_was_given():
    X, y = data(2, n=1500, seed=1)
    model = wm.SVCCV(Cs=[1e4], kernel="linear", cv=2, max_time=0.02, gap_tol=1e-12, tol=1e-9)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(1e3 * X, y)
    said = [str(w.message) for w in caught]
    assert said[0].startswith("max_time=0.02 s")
    # Whether a candidate came to an end within so little time or not, it is told.
    assert all(one.startswith("max_time=0.02 s") or "did not reach gap_tol" in one for one in said)


def test_scores_that_are_no_numbers_are_told():
    with pytest.warns(UserWarning, match="no finite number for 3 of 3 candidates"):
        model = wm.SVCCV(Cs=CS, cv=2, scoring=lambda machine, X, y: np.nan).fit(*data())
    assert model.C_ == 0.1


ONE = np.flatnonzero(data(2)[1] == 0)
BAD = {
    "no C": ({"Cs": []}, BadInput, "Cs is empty"),
    "C is 0": ({"Cs": [1.0, 0.0]}, BadInput, "Cs holds 0 at place 1"),
    "C is infinite": ({"Cs": [np.inf]}, BadInput, "Cs holds inf at place 0"),
    "Cs a word": ({"Cs": "eel"}, InvalidParameterError, "'Cs'"),
    "Cs in no order": ({"Cs": {1.0, 2.0}}, InvalidParameterError, "'Cs'.*list"),
    "0 Cs": ({"Cs": 0}, InvalidParameterError, "'Cs'.*Got 0"),
    "no gamma": ({"gammas": []}, BadInput, "gammas is empty"),
    "gamma is 0": ({"gammas": [1.0, 0.0]}, BadInput, r"gammas holds 0\.0 at place 1"),
    "gamma is NaN": ({"gammas": [np.nan]}, BadInput, "gammas holds nan at place 0"),
    "gamma a word": ({"gammas": ["eel"]}, BadInput, "gammas holds 'eel'"),
    "kernel without gamma": ({"gammas": [1.0], "kernel": "linear"}, BadInput, "'linear' has no gamma"),
    "more folds than rows": ({"cv": 31}, ValueError, "31"),
    "one fold": ({"cv": 1}, InvalidParameterError, "'cv'.*Got 1"),
    "no folds": ({"cv": []}, BadInput, "no folds"),
    "groups without groups": ({"cv": GroupKFold(3)}, BadInput, r"needs groups: give cv=list\(cv.split"),
    "nothing to train on": ({"cv": [([], [1])]}, BadInput, "fold 0 of cv has 0 rows to train on and 1"),
    "nothing to test on": ({"cv": [([1, 2], [3]), ([1, 2], [])]}, BadInput, "fold 1 of cv has 2 .* and 0 to test on"),
    "one class to train on": ({"cv": [(ONE, [1])]}, BadInput, "fold 0 of cv trains on 30 rows of only one class"),
    "a row too far": ({"cv": [([0, 200], [1])]}, BadInput, "row 200, but there are 60"),
    "a row too far before": ({"cv": [([0, -61], [1])]}, BadInput, "row -61, but there are 60"),
    "half a row": ({"cv": [([0.5, 1.5], [1])]}, BadInput, r"holds \[0\.5 1\.5\]"),
    "too little truth": ({"cv": [([True] * 5, [1])]}, BadInput, "5 times True or False, but there are 60"),
    "no pairs": ({"cv": [1, 2]}, BadInput, "fold 0 of cv is 1: give a pair"),
    "unknown score": ({"scoring": "eel"}, InvalidParameterError, "'scoring'.*Got 'eel'"),
    "score of probabilities": ({"scoring": "neg_log_loss"}, BadInput, "'neg_log_loss' needs probabilities"),
    "score that is no number": ({"scoring": lambda machine, X, y: "eel"}, ValueError, "eel"),
    "unknown rule": ({"rule": "eel"}, InvalidParameterError, "'rule'.*Got 'eel'"),
    "values beyond float32": ({"kernel": lambda a, b: 1e60 * (a @ b.T)}, BadInput, "float32 cannot hold"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_lists_are_told_and_leave_the_model_as_it_was(case):
    params, error, words = BAD[case]
    X, y = data()
    model = wm.SVCCV(Cs=CS, cv=2).fit(X, y)
    before = fingerprint(model)
    with pytest.raises(error, match=words):
        model.set_params(**params).fit(X, y)
    assert fingerprint(model) == before


def test_before_a_fit_nothing_is_known():
    for name in ("best_params_", "best_score_", "best_index_", "cv_results_", "best_estimator_"):
        with pytest.raises(NotFittedError):
            getattr(wm.SVCCV(), name)


def test_sparse_kernel_values_are_refused():
    X, y = data()
    with pytest.raises(WrongType, match="Sparse precomputed"):
        wm.SVCCV(kernel="precomputed").fit(sp.csr_array(X @ X.T), y)


# ---- what pairs do not finish --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_scores_of_raw_measurements_are_those_of_finished_machines():
    """With numbers of thousands beside others of hundredths, pairs alone end far from the optimum."""
    X, y = load_breast_cancer(return_X_y=True)
    search = wm.SVCCV(kernel="linear", Cs=[1.0, 100.0], cv=3).fit(X, y)
    assert (search.path_.gaps <= search.gap_tol).all()
    for C, score in zip(search.path_.Cs, search.path_.scores[0], strict=True):
        assert score == pytest.approx(cross_val_score(wm.SVC(kernel="linear", C=C), X, y, cv=3).mean(), abs=0.004)


def test_scores_of_unfinished_machines_are_told():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning) as said:
        wm.SVCCV(kernel="rbf", Cs=[1.0, 100.0], cv=3, max_iter=20).fit(StandardScaler().fit_transform(X), y)
    assert any("2 of 2 candidates did not reach gap_tol=0.0001 in every fold" in str(w.message) for w in said)
