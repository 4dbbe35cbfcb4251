"""A linear machine along C, and the search over C: the same optima as single fits, and an honest choice."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler

import widemargin as wm
from widemargin.base.errors import BadInput
from widemargin.base.records import Stop
from widemargin.estimator.linear_fit import LinearLearner
from widemargin.estimator.linear_path import along_hyperbola, carried_on
from widemargin.estimator.linear_work import Solved
from widemargin.loss.losses import Hinge
from widemargin.model.linear_problem import LinearProblem
from widemargin.solver import linear
from widemargin.solver.linear import LinearSolution

CS = np.logspace(-3, 3, 7)


def two(n=200):
    X, y = make_classification(n, 6, n_informative=3, flip_y=0.15, random_state=0)
    return X, y, np.random.default_rng(0).uniform(0.2, 3, n)


@pytest.mark.parametrize(
    "params",
    [
        {"loss": "hinge"},
        {"loss": "squared_hinge"},
        {"loss": "logistic"},
        {"loss": "hinge", "dual": True},
        {"penalty": "l1"},
        {"loss": "hinge", "regularize_intercept": True},
    ],
)
def test_machines_along_a_path_are_those_of_single_fits(params):
    X, y, weight = two()
    tol = 1e-5 if params.get("penalty") == "l1" else 1e-7
    machine = wm.LinearSVC(tol=tol, **params)
    along = machine.path(X, y, CS[::-1], sample_weight=weight)
    np.testing.assert_array_equal(along.Cs, CS)
    assert not hasattr(machine, "coef_")
    for C, model in zip(CS, along.models, strict=True):
        alone = wm.LinearSVC(tol=tol, C=C, **params).fit(X, y, sample_weight=weight)
        assert model.certificate_.primal == pytest.approx(alone.certificate_.primal, rel=2 * tol)
        assert model.C == C
        assert model.converged_
        assert wm.certify(model, X, y, weight).holds
    assert (along.gaps <= tol).all()


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "crammer_singer"])
def test_a_path_of_three_classes(multi_class):
    X, y = load_iris(return_X_y=True)
    along = wm.LinearSVC(multi_class=multi_class, tol=1e-5).path(X, y, [0.01, 0.1, 1.0])
    alone = wm.LinearSVC(multi_class=multi_class, tol=1e-5, C=1.0).fit(X, y)
    assert along[2].certificate_.primal == pytest.approx(alone.certificate_.primal, rel=2e-5)
    np.testing.assert_array_equal(along[2].classes_, [0, 1, 2])


@pytest.mark.theorem("HastieEtAl04")
def test_while_the_same_rows_lie_on_the_margin_solutions_move_on_a_line_in_C():
    """For the hinge w, c and b are linear in C between prices at which the sets of free and bound rows are equal."""
    X, y, _ = two(80)
    Cs = 1 + 1e-4 * np.array([0.0, 1.0, 3.0])
    along = wm.LinearSVC(loss="hinge", tol=1e-12).path(X, y, Cs)
    points = [Solved(one_problem(m, X, y), one_solution(m)) for m in along.models]
    w, b = carried_on(points[2].problem, points[1], points[0])
    moved = np.abs(points[2].solution.b - points[1].solution.b).max()
    assert moved > 1e-5
    np.testing.assert_allclose(b, points[2].solution.b, atol=1e-2 * moved)
    np.testing.assert_allclose(w, points[2].solution.w, atol=1e-6)


def one_problem(model, X, y):
    return LinearProblem(X, 2.0 * y - 1, np.full(len(y), model.C), Hinge())


def one_solution(model):
    w = np.append(model.coef_[0], model.intercept_)
    return LinearSolution(w, model.proof_[0].b, Stop("converged", ""), 1, "newton", model.trace_)


def test_a_warm_path_of_the_hinge_takes_few_steps():
    X, y, _ = two(2000)
    Cs = np.logspace(-3, 3, 20)
    along = wm.LinearSVC(loss="hinge").path(X, y, Cs)
    alone = sum(wm.LinearSVC(loss="hinge", C=C).fit(X, y).n_iter_ for C in Cs)
    assert along.n_iter.sum() < 0.3 * alone


def test_a_warm_path_of_the_squared_hinge_takes_fewer_steps():
    X, y, _ = two(2000)
    along = wm.LinearSVC().path(X, y, np.logspace(-3, 3, 20))
    alone = sum(wm.LinearSVC(C=C).fit(X, y).n_iter_ for C in np.logspace(-3, 3, 20))
    assert along.n_iter.sum() < 0.6 * alone


@pytest.mark.parametrize("params", [{}, {"loss": "hinge", "dual": True}, {"penalty": "l1", "tol": 1e-3}])
def test_certificates_made_together_are_those_made_alone(params, monkeypatch):
    monkeypatch.delattr(LinearLearner, "_learn")  # which would mend what they do not bear
    X, y = load_iris(return_X_y=True)
    for model in wm.LinearSVC(**params).path(X, y, np.logspace(-2, 1, 11)).models:
        found, alone = model.certificate_, wm.certify(model, X, y)
        assert found.holds
        assert found.relative_gap <= model.tol
        for name, part in found.parts.items():
            assert part.primal == pytest.approx(alone.parts[name].primal, rel=1e-12)
            assert part.gap == pytest.approx(alone.parts[name].gap, rel=1e-6, abs=10 * part.rounding)
            assert (part.n_free, part.n_bounded) == (alone.parts[name].n_free, alone.parts[name].n_bounded)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("dual", [True, False])
def test_what_a_certificate_does_not_bear_is_fitted_on(loss, dual, monkeypatch):
    monkeypatch.setattr(linear, "SPARE", 5.0)  # the solver believes itself too early
    X, y, _ = two()
    along = wm.LinearSVC(loss=loss, dual=dual, tol=1e-4).path(X, y, CS)
    assert (along.gaps <= 1e-4).all()
    assert all(model.converged_ and model.certificate_.holds for model in along.models)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_prices_that_differ_by_rounding_alone_give_no_line(loss):
    """1/sqrt(C) is the same number for both: it was divided by their difference."""
    X, y, _ = two()
    along = wm.LinearSVC(loss=loss, dual=False, tol=1e-7).path(X, y, [3.0, np.nextafter(3.0, 4.0), 1000.0])
    assert (along.gaps <= 1e-7).all()


@pytest.mark.parametrize("Cs", [[1e-3, 1.0, 1e3], [0.1, 1.0, 1e3]])
def test_no_line_is_followed_far_beyond_the_solutions_that_it_comes_from(Cs):
    """Fits that began a thousand times the way further on took ten times as many steps, and ended without a proof."""
    random = np.random.default_rng(6)
    X = random.normal(size=(1000, 40))
    y = X @ random.normal(size=40) + 0.5 * random.normal(size=1000) > 0
    along = wm.LinearSVC(loss="hinge", tol=1e-3).path(X, y, Cs)
    assert (along.gaps <= 1e-3).all()
    assert along.n_iter[-1] <= 150


class Ends:
    """A callback that writes down which tasks began and ended."""

    def __init__(self):
        self.told = []

    def setup(self, estimator, context):
        self.told.append("setup")

    def teardown(self, estimator, context):
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator, context, **_):
        self.told.append("begin")

    def on_fit_task_end(self, estimator, context, **_):
        self.told.append("end")
        return False


def test_callbacks_hear_of_the_end_of_each_fit_of_a_path(monkeypatch):
    """Where a certificate was not borne, what had begun before never ended."""
    monkeypatch.setattr(linear, "SPARE", 5.0)
    X, y, _ = two()
    ends = Ends()
    wm.LinearSVC(loss="hinge", dual=True).set_callbacks(ends).path(X, y, [0.1, 1.0, 10.0])
    assert ends.told.count("begin") == ends.told.count("end") > 6


def test_a_path_without_time_is_told():
    X, y, _ = two()
    with pytest.warns(ConvergenceWarning, match=r"of 7 machines did not reach tol"):
        along = wm.LinearSVC(loss="hinge", max_time=1e-9).path(X, y, CS)
    assert len(along) == 7


@pytest.mark.parametrize(("Cs", "words"), [([], "empty"), ([0.0], "positive"), (["a"], "numbers")])
def test_bad_Cs_are_refused(Cs, words):
    X, y, _ = two()
    for call in (lambda: wm.LinearSVC().path(X, y, Cs), lambda: wm.LinearSVCCV(Cs=Cs).fit(X, y)):
        with pytest.raises(BadInput, match=words):
            call()


# ---- the search ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", [None, "roc_auc", "balanced_accuracy"])
def test_the_search_scores_as_grid_search_does(scoring):
    X, y, _ = two()
    ours = wm.LinearSVCCV(Cs=CS, scoring=scoring, tol=1e-6).fit(X, y)
    peer = GridSearchCV(wm.LinearSVC(tol=1e-6), {"C": CS}, scoring=scoring).fit(X, y)
    np.testing.assert_allclose(ours.path_.scores[0], peer.cv_results_["mean_test_score"], atol=1e-9)
    assert peer.best_params_["C"] == ours.C_
    assert ours.best_params_ == {"C": ours.C_}
    assert ours.best_score_ == pytest.approx(peer.best_score_)
    np.testing.assert_allclose(ours.coef_, peer.best_estimator_.coef_, atol=1e-6)
    assert wm.certify(ours, X, y).holds


def test_rules_choose_among_the_same_scores():
    X, y, _ = two()
    found = {rule: wm.LinearSVCCV(Cs=CS, rule=rule).fit(X, y) for rule in ("best", "one_se", "knee")}
    best = found["best"].path_
    assert found["one_se"].C_ <= found["best"].C_
    assert CS[best.knee[1]] == found["knee"].C_
    np.testing.assert_array_equal(found["knee"].path_.scores, best.scores)
    assert found["best"].best_estimator_.C == found["best"].C_
    assert len({model.C_ for model in found.values()}) > 1  # not all of them 1
    for model in found.values():
        assert wm.certify(model, X, y).primal == pytest.approx(model.certificate_.primal)


def test_weights_count_in_training_and_scores():
    X, y, _ = two(120)
    weight = np.random.default_rng(1).integers(0, 3, 120).astype(float)
    here = weight > 0
    folds = list(StratifiedKFold(3).split(X[here], y[here]))
    one = wm.LinearSVCCV(Cs=[0.1, 1.0], cv=3, tol=1e-6).fit(X, y, sample_weight=weight)
    two_ = wm.LinearSVCCV(Cs=[0.1, 1.0], cv=folds, tol=1e-6).fit(X[here], y[here], sample_weight=weight[here])
    np.testing.assert_allclose(one.path_.scores, two_.path_.scores)
    even = wm.LinearSVCCV(Cs=[1.0], cv=3, class_weight="balanced").fit(X, y)
    assert even.path_.fold_scores.shape == (1, 1, 3)


def test_three_classes_and_no_refit():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = wm.LinearSVCCV(Cs=3, multi_class="ovo").fit(X, y)
    assert model.score(X, y) > 0.9
    bare = wm.LinearSVCCV(Cs=3, refit=False).fit(X, y)
    assert not hasattr(bare, "coef_")
    assert bare.best_score_ > 0.8


def test_a_search_without_time_says_which_candidates_it_missed():
    X, y, _ = two()
    with pytest.warns(ConvergenceWarning) as told:
        wm.LinearSVCCV(loss="hinge", Cs=CS, max_time=1e-9).fit(X, y)
    assert any("of 7 candidates" in str(w.message) for w in told)


def test_a_hyperbola_is_followed_exactly_and_no_further_than_it_may():
    """b = p / (q + s) in s = 1/C: two points give the third; what is 0 stays so."""
    p, q = np.array([1.0, -2.0, 3.0, 0.0]), np.array([0.3, 5.0, 40.0, 1.0])
    first, second, third = 8.0, 4.0, 2.0
    further = (third - second) / (second - first)
    b = along_hyperbola(p / (q + first), p / (q + second), further, third / second)
    np.testing.assert_allclose(b, p / (q + third))
    one = np.ones(2)
    np.testing.assert_allclose(along_hyperbola(one / np.array([9.0, 0.01]), one, 1.0, 0.5), [2.0, 1 / 1.99])
    np.testing.assert_allclose(along_hyperbola(np.array([1e-3, 1e3]), one, -5.0, 0.5), [1 / 3.0, 2.0])
