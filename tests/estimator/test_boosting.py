"""AdaBoost and its family: the ten points, the theorem on the training error, margins, stumps against an oracle."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from tests.oracle import boosting as oracle

import widemargin as wm
from widemargin.certificate.boosting import largest_edge
from widemargin.model.stumps import Stumps
from widemargin.solver.boost import BoostSolver, BoostState
from widemargin.solver.boosters import Exponential, Logit, LogitClasses, newton, softmax
from widemargin.solver.floating import Floating
from widemargin.solver.weak import Ask, Sample, StumpLearner

TEN = np.array(
    [
        (1, 2, 1),
        (2, 3, 1),
        (3, 6, -1),
        (4, 4, -1),
        (5, 8, 1),
        (6, 5, -1),
        (7, 7, 1),
        (8, 9, 1),
        (9, 10, -1),
        (10, 1, -1),
    ]
)
CANCER, IRIS = load_breast_cancer(return_X_y=True), load_iris(return_X_y=True)
FAMILY = [
    wm.AdaBoostClassifier,
    wm.RealAdaBoostClassifier,
    wm.GentleBoostClassifier,
    wm.LogitBoostClassifier,
    wm.BrownBoostClassifier,
    wm.FloatBoostClassifier,
]


@st.composite
def samples(draw, missing=True):
    """Few rows of small numbers, some missing, with labels of both signs."""
    n, d = draw(st.integers(4, 14)), draw(st.integers(1, 3))
    cell = st.integers(0, 4).map(float) | st.just(math.nan) if missing else st.integers(0, 4).map(float)
    X = np.array(draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    assume(len(set(y.tolist())) == 2)
    return X, y


def error_after(model, X, y, t):
    """Weighted errors of member t before and after its own reweighting, from scratch in float64."""
    said = [model.stumps_.says(j, X.astype(np.float32))[:, 0] for j in range(t + 1)]
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    out = []
    for steps in (model.steps_[:t], model.steps_[: t + 1]):
        m = sum((a * signs * h for a, h in zip(steps, said, strict=False)), np.zeros(len(y)))
        w = np.exp(m.min() - m)
        out.append(w[said[t] != signs].sum() / w.sum())
    return out


# ---- the ten points --------------------------------------------------------------------------------------------------


def test_the_ten_points_have_their_errors_as_fractions():
    X, y = TEN[:, :2].tolist(), TEN[:, 2].tolist()
    errors = oracle.adaboost(X, y, 3)
    assert errors == [Fraction(3, 10), Fraction(3, 14), Fraction(3, 22)]
    model = wm.AdaBoostClassifier(n_estimators=3).fit(TEN[:, :2], TEN[:, 2])
    np.testing.assert_allclose(model.errors_, [float(e) for e in errors], rtol=1e-13)
    np.testing.assert_allclose(model.steps_, [0.4236, 0.6496, 0.9229], atol=5e-5)
    assert model.score(TEN[:, :2], TEN[:, 2]) == 1
    assert model.certificate_.holds


# ---- theorems --------------------------------------------------------------------------------------------------------


@pytest.mark.theorem("FreundSchapire97")
@given(samples())
def test_after_reweighting_the_last_learner_has_error_one_half(sample):
    """With a = 1/2 ln((1 - e) / e) the weighted error of h_t under the weights of round t + 1 is 1/2."""
    X, y = sample
    model = wm.AdaBoostClassifier(n_estimators=8).fit(X, y)
    for t in range(len(model.steps_)):
        if model.errors_[t] > 1e-9:
            before, after = error_after(model, X, y, t)
            assert abs(before - model.errors_[t]) < 1e-12
            assert abs(after - 0.5) < 1e-12


@pytest.mark.theorem("FreundSchapire97")
@given(samples(), st.integers(1, 12))
def test_training_error_is_at_most_the_product_of_z_at_every_round(sample, rounds):
    """error <= prod Z_t = prod 2 sqrt(e_t (1 - e_t)) <= exp(-2 sum (1/2 - e_t)^2), after every round."""
    X, y = sample
    model = wm.AdaBoostClassifier(n_estimators=rounds).fit(X, y)
    assert model.certificate_.holds
    product, exponent = 1.0, 0.0
    for e, F in zip(model.errors_, model.staged_decision_function(X), strict=True):
        if e < 1e-9:
            return
        product *= 2 * math.sqrt(e * (1 - e))
        exponent -= 2 * (0.5 - e) ** 2
        wrong = np.mean(np.where(y == 1, F, -F) <= 0)
        assert wrong <= product * (1 + 1e-9) <= math.exp(exponent) * (1 + 1e-9)


@pytest.mark.theorem("FreundSchapire96b")
@given(samples())
def test_no_margin_exceeds_the_least_edge(sample):
    """min margin <= largest margin of all sums of stumps <= edge of the best stump under any weights of the rows."""
    X, y = sample
    model = wm.AdaBoostClassifier(n_estimators=10).fit(X, y)
    if len(model.steps_):
        assert model.certificate_.margin_gap >= -1e-12


def test_the_margin_gap_shrinks_on_separable_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    gaps = [wm.AdaBoostClassifier(n_estimators=t).fit(X, y).certificate_.margin_gap for t in (20, 100, 500)]
    assert min(gaps) >= 0
    assert gaps[0] > gaps[1] > gaps[2]


def test_margins_grow_after_the_training_error_is_zero():
    X, y = CANCER
    first = wm.AdaBoostClassifier(n_estimators=60).fit(X, y).certificate_
    later = wm.AdaBoostClassifier(n_estimators=300).fit(X, y).certificate_
    assert first.training_error == later.training_error == 0
    assert later.min_margin > first.min_margin > 0


@pytest.mark.theorem("SchapireSinger99")
@given(samples())
def test_mean_loss_bounds_the_error_of_every_booster(sample):
    """Where a label is wrong the loss that a booster makes small is at least 1."""
    X, y = sample
    for cls in FAMILY:
        model = cls(n_estimators=6).fit(X, y)
        assert model.certificate_.holds, cls
        assert model.certificate_.training_error <= model.certificate_.loss_bound * (1 + 1e-9)


# ---- stumps ----------------------------------------------------------------------------------------------------------


@given(samples(), st.lists(st.integers(1, 9), min_size=14, max_size=14))
def test_the_best_edge_is_the_largest_of_all_stumps(sample, weights):
    X, y = sample
    w = np.array(weights[: len(y)], float)
    expected = oracle.best_edge(X.tolist(), y.tolist(), w.tolist())
    rows = Sample(X.astype(np.float32), (y > 0).astype(np.int64), None, 2)
    learner = StumpLearner(rows)
    answer = learner.answer(Ask("signs", w / w.max()))
    assert answer.error == pytest.approx(0.5 - 0.5 * expected / w.sum(), abs=1e-12)
    assert float((w * y * answer.said[:, 0]).sum()) == pytest.approx(expected)
    assert largest_edge(X.astype(np.float32), y * w) == pytest.approx(expected)
    model = wm.AdaBoostClassifier(n_estimators=1).fit(X, y, sample_weight=w)
    if len(model.errors_):
        assert model.errors_[0] == pytest.approx(answer.error, abs=1e-12)


@pytest.mark.parametrize("n", [300, 3000, 70_000])
def test_coarse_codes_find_the_same_stump_as_all_codes(n):
    """Many different numbers: bins and bounds against counting every code."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3)).astype(np.float32)
    X[rng.random((n, 3)) < 0.05] = np.nan
    y = (np.nansum(X, axis=1) + rng.normal(size=n) > 0).astype(np.int64)
    w = rng.random(n)
    rows = Sample(X, y, None, 2)
    fast = wm.AdaBoostClassifier(n_estimators=1).fit(X, y, sample_weight=w)
    slow = StumpLearner(Sample(X, y, w, 2)).answer(Ask("signs", np.ones(n)))
    assert fast.stumps_.column[0] == slow.member.column[0]
    assert fast.stumps_.threshold[0] == slow.member.threshold[0]
    assert fast.errors_[0] == pytest.approx(slow.error, rel=1e-12)
    assert 1 - 2 * slow.error == pytest.approx(largest_edge(X, rows.signs * w / w.sum()), abs=1e-9)


def test_tables_say_what_the_stumps_say():
    X, y = IRIS
    X = X.copy()
    X[::7, 2] = np.nan
    model = wm.AdaBoostClassifier(n_estimators=40).fit(X, y)
    rows = X.astype(np.float32)
    np.testing.assert_allclose(model.stumps_.scores(rows), sum(model.stumps_.staged(rows)), atol=1e-12)


@pytest.mark.parametrize("cls", FAMILY)
@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["iris", "cancer"])
def test_threads_and_single_steps_change_no_bit(cls, data):
    X, y = data
    one = cls(n_estimators=12, n_jobs=1).fit(X, y)
    two = cls(n_estimators=12, n_jobs=2, observe=lambda *look: None, max_time=1e9).fit(X, y)
    assert one.stumps_.values.tobytes() == two.stumps_.values.tobytes()
    assert one.steps_.tobytes() == two.steps_.tobytes()
    assert one.trace_.to_dict().keys() == two.trace_.to_dict().keys()


# ---- the variants ----------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6), st.lists(st.booleans(), min_size=6, max_size=6))
def test_the_step_of_logitboost_is_newtons(F, labels):
    """z = -l' / l'' by finite differences of ln(1 + exp(-2 Y F)), F being half of the logit: half of z is the step."""
    F, Y = np.array(F), np.where(labels, 1.0, -1.0)
    h = 1e-3
    loss = lambda G: np.logaddexp(0, -2 * Y * G)  # noqa: E731
    slope = (loss(F + h) - loss(F - h)) / (2 * h)
    curve = (loss(F + h) - 2 * loss(F) + loss(F - h)) / h**2
    w, z = newton(1 / (1 + np.exp(-2 * F)), Y > 0, np.inf)
    np.testing.assert_allclose(4 * w, curve, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(0.5 * z * curve, -slope, rtol=1e-4, atol=1e-4)


def test_the_step_of_logitboost_for_classes_follows_the_slope_of_log_loss():
    rng = np.random.default_rng(0)
    F, y = rng.normal(size=(5, 3)), np.array([0, 1, 2, 1, 0])
    p, h = softmax(F), 1e-6
    for c in range(3):
        w, z = newton(p[:, c], y == c, np.inf)
        up, down = F.copy(), F.copy()
        up[:, c] += h
        down[:, c] -= h
        loss = lambda G: np.log(np.exp(G).sum(axis=1)) - G[np.arange(5), y]  # noqa: E731
        np.testing.assert_allclose(w * z, -(loss(up) - loss(down)) / (2 * h), rtol=1e-5, atol=1e-8)
    assert LogitClasses(3).spread(0).sum() == pytest.approx(0)


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["iris", "cancer"])
def test_floatboost_without_exclusion_is_real_adaboost(data):
    X, y = data
    plain = wm.RealAdaBoostClassifier(n_estimators=20).fit(X, y)
    floating = wm.FloatBoostClassifier(n_estimators=20, exclude=False).fit(X, y)
    assert plain.stumps_.values.tobytes() == floating.stumps_.values.tobytes()
    assert plain.stumps_.threshold.tobytes() == floating.stumps_.threshold.tobytes()


@pytest.mark.parametrize("cost", ["error", "exp"])
@pytest.mark.parametrize("relearn", [True, False])
def test_floatboost_removes_a_planted_useless_member(cost, relearn):
    X, y = CANCER
    rows = Sample(X.astype(np.float32), y, None, 2)
    booster, learner = Floating(cost=cost, relearn=relearn), StumpLearner(rows)
    state = BoostSolver(booster, rows, learner).start()
    for _ in range(3):
        Floating(exclude=False).round(rows, state, learner)
    useless = noise(X, y)
    state.add(useless, useless.says(0, rows.X), 1.0, np.nan)
    before = state.F.copy()
    assert booster.take_out(rows, state, learner)
    assert not any(one is useless or np.array_equal(one.values, useless.values) for one in state.members)
    assert booster._cost(rows, state.F) <= booster._cost(rows, before)


def noise(X, y):
    """A stump that is sure of the wrong side."""
    median = np.float32(np.median(X[:, 0]))
    wrong = -1.0 if y[X[:, 0] <= median].mean() > 0.5 else 1.0
    return Stumps(np.array([0]), np.array([median]), np.array([[[2 * wrong], [-2 * wrong], [0.0]]]), np.ones(1))


def test_the_logistic_loss_falls_in_every_round_and_exponential_lines_are_adaboost():
    X, y = CANCER
    falls = []
    wm.AdaBoostClassifier(n_estimators=30, loss="logistic", observe=lambda t, c, s: falls.append(c["loss"])).fit(X, y)
    trace = wm.AdaBoostClassifier(n_estimators=30, loss="logistic").fit(X, y).trace_["loss"]
    assert (np.diff(trace) < 0).all()

    class Line:
        def value(self, m):
            return np.exp(-m)

        def slope(self, m):
            return -np.exp(-m)

    searched = wm.AdaBoostClassifier(n_estimators=5, loss=Line()).fit(X, y)
    closed = wm.AdaBoostClassifier(n_estimators=5).fit(X, y)
    np.testing.assert_allclose(searched.steps_, closed.steps_, rtol=1e-9)
    rule = wm.AdaBoostClassifier(n_estimators=5, loss=Exponential()).fit(X, y)
    np.testing.assert_allclose(rule.steps_, closed.steps_, rtol=1e-12)


# ---- learners, stops, stages -----------------------------------------------------------------------------------------


def test_deep_trees_do_not_end_the_fit_at_the_first_round():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=300) > 0).astype(int)
    for tree in (wm.DecisionTreeClassifier(), SklearnTree()):
        one = tree.fit(X[:200], y[:200]).score(X[200:], y[200:])
        model = wm.AdaBoostClassifier(tree, n_estimators=40).fit(X[:200], y[:200])
        assert model.n_rounds_ == 40
        assert model.score(X[200:], y[200:]) > one


def test_m1_keeps_a_first_learner_that_cannot_be_boosted():
    """Six classes and one question: more than half of the rows are wrong, but fewer than by one class for all."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(6), 30)
    X = y[:, None] + 0.1 * rng.normal(size=(180, 1))
    model = wm.AdaBoostClassifier(n_estimators=20, algorithm="M1").fit(X, y)
    assert model.n_rounds_ == 1
    assert model.errors_[0] == pytest.approx(2 / 3)
    assert model.score(X, y) == pytest.approx(1 / 3)
    assert "remains alone" in model.stop_reason_
    assert model.certificate_.holds


def test_any_learner_with_weights_or_by_draws():
    X, y = CANCER
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for estimator in (wm.LinearSVC(), LogisticRegression(C=0.01), wm.DecisionTreeClassifier(max_depth=2)):
        for sampling in ("weights", "draws"):
            model = wm.AdaBoostClassifier(estimator, n_estimators=5, sampling=sampling).fit(X, y)
            assert model.score(X, y) > 0.95
            assert wm.certify(model, X, y).holds


def test_warm_start_goes_on_to_the_same_bits():
    for X, y in (IRIS, CANCER):
        for cls in FAMILY[:5]:
            whole = cls(n_estimators=9).fit(X, y)
            parts = cls(n_estimators=4, warm_start=True).fit(X, y).set_params(n_estimators=9).fit(X, y)
            assert whole.steps_.tobytes() == parts.steps_.tobytes(), cls
            assert whole.stumps_.values.tobytes() == parts.stumps_.values.tobytes()


def test_early_stopping_keeps_the_rounds_up_to_the_least_error():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 5))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    model = wm.AdaBoostClassifier(n_estimators=300, early_stopping=True, validation_fraction=0.3).fit(X, y)
    assert model.n_rounds_ < 300
    assert "held out" in model.stop_reason_
    assert wm.certify(model, X, y).holds


def test_stages_end_with_the_whole():
    for X, y in (IRIS, CANCER):
        for cls in FAMILY:
            model = cls(n_estimators=6).fit(X, y)
            *_, last = model.staged_predict_proba(X)
            np.testing.assert_allclose(last, model.predict_proba(X), atol=1e-12)
            assert sum(1 for _ in model.staged_predict(X)) == model.n_rounds_


def test_a_wrong_step_or_error_is_found():
    X, y = CANCER
    model = wm.AdaBoostClassifier(n_estimators=10).fit(X, y)
    assert wm.certify(model, X, y, prove=True).holds
    model.stumps_.steps[3] *= 1.001
    model.steps_ = model.stumps_.steps
    assert wm.certify(model, X, y).holds is False


def test_importances_of_planted_columns_are_the_largest():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(500, 6))
    y = (X[:, 1] + X[:, 4] > 0).astype(int)
    for cls in FAMILY:
        share = cls(n_estimators=20).fit(X, y).feature_importances_
        assert share.sum() == pytest.approx(1)
        assert set(np.argsort(share)[-2:]) == {1, 4}


def test_state_of_a_logit_fit_is_a_sum():
    """F of the state is what the members say of the rows."""
    X, y = CANCER
    rows = Sample(X.astype(np.float32), y, None, 2)
    solver = BoostSolver(Logit(), rows, StumpLearner(rows))
    state = solver.start()
    assert solver.advance(state, 7, 5) is None
    assert isinstance(state, BoostState)
    assert state.rounds == 5
    np.testing.assert_allclose(state.stumps().scores(rows.X), state.F, atol=1e-12)
