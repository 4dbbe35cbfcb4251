"""What may look at a running support vector machine, stop it, or cut it off; what is there afterwards."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.callback import ProgressBar, ScoringMonitor
from sklearn.exceptions import ConvergenceWarning
from tests.common.estimators import answers, fingerprint
from tests.common.test_running import Ask
from tests.estimator import svm_cases
from tests.estimator.svm_cases import USUAL, each_machine

import widemargin as wm

N = 300


def machine(cls, **params):
    return svm_cases.machine(cls, **({"nu": 0.5} if cls is wm.NuSVC else {}), **params)


def data(cls, k=2):
    random = np.random.default_rng(0)
    X = random.standard_normal((N, 3))
    score = X[:, 0] + 0.8 * random.standard_normal(N)
    return X, score if is_regressor(cls()) else np.argsort(np.argsort(score)) * k // N


def plain(cls, k=2, **params):
    return machine(cls, **params).fit(*data(cls, k))


CLASSES = [(cls, k) for cls in USUAL for k in ((2, 3) if is_classifier(cls()) else (2,))]
each_problem = pytest.mark.parametrize(
    ("cls", "k"), CLASSES, ids=[f"{cls.__name__}-{k}" if is_classifier(cls()) else cls.__name__ for cls, k in CLASSES]
)


# ---- looking on -----------------------------------------------------------------------------------------------------


@each_problem
def test_looking_on_changes_no_bit_and_pairs_only_by_the_gap(cls, k):
    """Pairs of classes that nobody looks at share kernel values: another way to the same optimum."""
    X, y = data(cls, k)
    ask, seen = Ask(), []
    watched = machine(cls, observe=lambda *look: seen.append(look) and None).set_callbacks(ask).fit(X, y)
    alone = machine(cls).fit(X, y)
    assert seen
    assert ask.ends > 1
    if k == 2:
        assert fingerprint(watched) == fingerprint(alone)
        return
    assert watched.certificate_.relative_gap <= watched.gap_tol
    scores = [m.set_params(decision_function_shape="ovo").decision_function(X) for m in (watched, alone)]
    np.testing.assert_allclose(*scores, atol=1e-3)


def test_classes_against_the_rest_are_the_same_bits_whoever_looks_on():
    X, y = data(wm.SVC, 3)
    watched, alone = (wm.SVC(multiclass="ovr", observe=look).fit(X, y) for look in (lambda *_: None, None))
    assert fingerprint(watched) == fingerprint(alone)


@each_problem
def test_the_observer_sees_a_model_that_can_predict_and_may_stop(cls, k):
    X, y = data(cls, k)
    looks = []

    def observe(step, columns, snapshot):
        looks.append((step, columns, snapshot()))
        return True

    model = machine(cls, observe=observe).fit(X, y)  # what was asked for is no reason to warn
    step, columns, snapshot = looks[0]
    assert step == 1
    assert set(columns) == set(model.trace_.keys()) - {"step"} == {"violation", "relative_gap", "steps", "support"}
    assert np.isfinite(list(columns.values())).all()
    assert snapshot.scores(X).shape == (N, 1 if k == 2 else 3)
    assert "on request" in model.stop_reason_
    assert not model.converged_
    assert k == 3 or model.certificate_.relative_gap > model.gap_tol  # pairs this small are solved at the first look
    assert wm.certify(model, X, y).relative_gap == pytest.approx(model.certificate_.relative_gap)
    assert len(model.predict(X)) == N


class Keep(Ask):
    """Keeps the last model that it was shown."""

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None, X=None, y=None, **_):
        if context.task_name == "epoch":
            self.model = fitted_estimator
        return super().on_fit_task_end(estimator, context, fitted_estimator=fitted_estimator, X=X, y=y)


@each_problem
def test_a_callback_that_asks_to_stop_stops_and_has_seen_the_model(cls, k):
    X, y = data(cls, k)
    keep = Keep(after=2)
    model = machine(cls).set_callbacks(keep).fit(X, y)
    assert keep.ends == 2
    assert "on request" in model.stop_reason_
    assert not model.converged_
    assert len(keep.model.predict(X)) == N
    if k == 2:  # of other pairs no look was told
        np.testing.assert_array_equal(keep.model.dual_coef_, model.dual_coef_)


def test_folds_for_probabilities_are_nobodys_business():
    X, y = data(wm.SVC)
    ask = Ask()
    model = wm.SVC(probability=True, random_state=0).set_callbacks(ask).fit(X, y)
    assert all(len(rows) == N for rows, _ in ask.shown)
    assert fingerprint(model) == fingerprint(wm.SVC(probability=True, random_state=0).fit(X, y))


@each_machine
def test_callbacks_are_shown_the_rows_that_count(cls):
    X, y = data(cls)
    weight = (np.arange(N) % 3 > 0).astype(float)
    ask = Ask(after=1)
    machine(cls).set_callbacks(ask).fit(X, y, sample_weight=weight)
    for rows, labels in ask.shown:
        np.testing.assert_array_equal(rows, X[weight > 0])
        assert len(labels) == np.count_nonzero(weight)


@each_machine
def test_progress_bar_and_scoring_monitor_run(cls, capsys):
    if cls is wm.OneClassSVM:
        return  # it has no score
    score = "r2" if is_regressor(cls()) else "accuracy"
    monitor = ScoringMonitor(scoring=score)
    model = machine(cls).set_callbacks(monitor, ProgressBar()).fit(*data(cls))
    scores = [row[score] for row in monitor.get_logs().data]
    assert len(scores) >= 2
    assert model.score(*data(cls)) in scores
    assert "SV" in capsys.readouterr().out


@each_problem
def test_the_trace_ends_with_what_was_reached(cls, k):
    model = plain(cls, k)
    steps = model.trace_["step"]
    assert 1 <= len(steps) <= 60
    assert (np.diff(steps) >= 0).all()
    assert all(len(model.trace_[name]) == len(steps) for name in model.trace_)
    assert model.trace_["relative_gap"][-1] <= max(model.gap_tol, 1e-3)
    assert model.trace_["steps"][-1] == np.max(np.ravel(model.n_iter_)[:1])


# ---- limits ---------------------------------------------------------------------------------------------------------


@each_problem
@pytest.mark.parametrize("limit", [{"max_iter": 5}, {"max_time": 1e-9}], ids=["steps", "time"])
def test_a_limit_leaves_a_model_and_says_gap_reached_gap_asked_why_and_what_to_do(cls, k, limit):
    if cls is wm.SVCCV and "max_time" in limit:
        return  # tests/estimator/test_svc_cv.py
    X, y = data(cls, k)
    (name, value) = next(iter(limit.items()))
    hard = {} if "max_iter" in limit else {"gap_tol": 1e-13, "tol": 1e-11, "kernel": "linear"}
    sentence = rf"{name}={value}.*relative gap \S+ and violation \S+ reached, \S+ and \S+ asked: raise {name}"
    with pytest.warns(ConvergenceWarning, match=sentence):
        model = machine(cls, **limit, **hard).fit(100 * X if hard else X, y)
    assert not model.converged_
    assert model.fit_status_ == 1
    again = wm.certify(model, 100 * X if hard else X, y)
    assert again.relative_gap == pytest.approx(model.certificate_.relative_gap, rel=1e-6)
    assert not (again.relative_gap <= model.gap_tol and again.kkt_violation <= model.tol)
    assert len(model.predict(X)) == N


@each_machine
def test_a_limit_that_was_not_needed_is_not_spoken_of(cls):
    """Whatever ended a fit: where the gap is what was asked for, the fit has converged."""
    model = plain(cls, max_iter=10**6, max_time=1e4, gap_tol=0.9, tol=10.0)
    assert model.converged_
    assert model.stop_reason_.startswith("converged")


# ---- Ctrl-C ---------------------------------------------------------------------------------------------------------


def cut_off(cls, k, after, **params):
    """A machine that Ctrl-C has cut off at a look."""
    looks = []

    def observe(*_):
        looks.append(1)
        if len(looks) >= after:
            raise KeyboardInterrupt

    model = machine(cls, observe=observe, **params)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*data(cls, k))
    return model


@each_problem
def test_ctrl_c_leaves_a_model_whose_certificate_claims_nothing(cls, k):
    X, y = data(cls, k)
    model = cut_off(cls, k, 1)
    assert "interrupted after" in model.stop_reason_
    assert "fit again to go on to the end" in model.stop_reason_
    assert not model.converged_
    assert model.certificate_.holds is None
    assert len(model.predict(X)) == N
    assert np.isfinite(model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)).all()
    recomputed = wm.certify(model, X, y)
    assert recomputed.relative_gap > model.gap_tol
    model.set_params(observe=None).fit(X, y)
    assert fingerprint(model) == fingerprint(plain(cls, k))


@each_machine
def test_a_warm_start_goes_on_from_where_ctrl_c_cut_off(cls):
    if cls is wm.SVCCV:
        return  # it starts anew
    X, y = data(cls)
    model = cut_off(cls, 2, 1, warm_start=True)
    model.set_params(observe=None).fit(X, y)
    assert model.converged_
    own = plain(cls)
    assert abs(model.certificate_.primal - own.certificate_.primal) <= own.gap_tol * abs(own.certificate_.primal) + 1e-9


@each_machine
def test_ctrl_c_before_the_first_step_leaves_what_was_there(cls):
    X, y = data(cls)

    def kernel(a, b):
        raise KeyboardInterrupt

    fresh, learnt = machine(cls), plain(cls)
    before = dict(vars(fresh)), fingerprint(learnt)
    for model in (fresh, learnt):
        with pytest.raises(KeyboardInterrupt):
            model.set_params(kernel=kernel).fit(X[:, :2], y)
    assert {**vars(fresh), "kernel": "rbf"} == before[0]
    assert fingerprint(learnt) == before[1]


# ---- threads --------------------------------------------------------------------------------------------------------


@each_problem
def test_the_number_of_threads_changes_no_bit(cls, k):
    X = data(cls, k)[0]
    one, two, three = (plain(cls, k, n_jobs=jobs) for jobs in (1, 2, 3))
    assert fingerprint(one) == fingerprint(two) == fingerprint(three)
    assert answers(one, X) == answers(two, X) == answers(three, X)


def test_machines_of_several_threads_at_once_are_those_of_one():
    expected = {(cls, k): fingerprint(plain(cls, k)) for cls, k in CLASSES}
    found, go = [], threading.Barrier(3)

    def work():
        go.wait()
        found.append({(cls, k): fingerprint(plain(cls, k, n_jobs=2)) for cls, k in CLASSES})

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3


def test_an_error_inside_of_one_thread_of_several_is_raised():
    X, y = data(wm.SVC, 3)
    calls = []

    def kernel(a, b):
        calls.append(1)
        if len(calls) > 305:
            raise ZeroDivisionError("planted")
        return a @ b.T

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError, match="planted"):
        wm.SVC(kernel=kernel, n_jobs=2).fit(X, y)
    assert threading.active_count() == before
