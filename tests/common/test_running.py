"""What may look at a running fit, stop it, or go on from it: callbacks, observer, clock, validation, streams."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.callback import ProgressBar, ScoringMonitor
from tests.common.estimators import answers, each_stepwise, fingerprint, make, sample, takes, weights

import widemargin as wm


class Ask:
    """A callback that asks to stop after some epochs and writes down what it was shown."""

    def __init__(self, after: int = 10**9):
        self.after, self.ends, self.shown = after, 0, []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, **_):
        self.shown.append((X, y))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None, X=None, y=None, **_):
        if context.task_name != "epoch":
            return False
        self.ends += 1
        self.shown.append((X, y))
        self.last = None if fitted_estimator is None else fitted_estimator.predict(X)
        return self.ends >= self.after


@each_stepwise
def test_a_callback_that_asks_to_stop_stops(cls):
    X, y = sample(cls)
    ask = Ask(after=2)
    model = make(cls).set_callbacks(ask).fit(X, y)
    assert ask.ends == 2
    assert model.n_iter_ == 2
    assert "on request" in model.stop_reason_
    assert not model.converged_
    assert fingerprint(model)["certificate_"] is not None
    short = make(cls, max_iter=2).fit(X, y)
    assert answers(model, X) == answers(short, X)
    np.testing.assert_array_equal(ask.last, model.predict(X))


@each_stepwise
def test_looking_on_changes_no_bit(cls):
    X, y = sample(cls)
    ask, seen = Ask(), []
    watched = make(cls, observe=lambda *look: seen.append(look) and None).set_callbacks(ask).fit(X, y)
    plain = make(cls).fit(X, y)
    assert fingerprint(watched) == fingerprint(plain)
    assert ask.ends == plain.n_iter_
    assert seen


@each_stepwise
def test_callbacks_are_shown_the_rows_that_count_with_their_labels(cls):
    """Rows of weight 0 are absent: X and y that callbacks see have the same length and belong together."""
    X, y = sample(cls)
    w = weights(len(y))
    ask = Ask(after=3)
    make(cls).set_callbacks(ask).fit(X, y, sample_weight=w)
    for rows, labels in ask.shown:
        np.testing.assert_array_equal(rows, X[w > 0])
        np.testing.assert_array_equal(labels, y[w > 0])


@each_stepwise
def test_progress_bar_and_scoring_monitor_run(cls, capsys):
    X, y = sample(cls)
    monitor = ScoringMonitor(scoring="r2" if not hasattr(cls, "decision_function") else "accuracy")
    model = make(cls).set_callbacks(monitor, ProgressBar()).fit(X, y)
    scores = [row["r2" if not hasattr(cls, "decision_function") else "accuracy"] for row in monitor.get_logs().data]
    assert len(scores) >= 2
    assert model.score(X, y) in scores
    assert cls.__name__ in capsys.readouterr().out


@each_stepwise
def test_the_observer_sees_a_model_that_can_predict_and_may_stop(cls):
    X, y = sample(cls)
    looks = []

    def observe(step, columns, snapshot):
        looks.append((step, columns, snapshot()))
        return True

    model = make(cls, observe=observe).fit(X, y)
    assert len(looks) == 1
    assert model.n_iter_ == 1
    assert "on request" in model.stop_reason_
    step, columns, snapshot = looks[0]
    assert step == 1
    assert set(columns) == set(model.trace_.keys()) - {"step"}
    assert np.isfinite(list(columns.values())).all()
    assert len(np.asarray(snapshot.scores(X))) == len(X)


@each_stepwise
def test_the_trace_is_small_and_ends_with_the_fit(cls):
    X, y = sample(cls)
    options = {"tol": None} if takes(cls, "tol", "shuffle") else {}
    options |= {"oscillation": "ignore"} if takes(cls, "oscillation") else {}
    model = make(cls, max_iter=200, **options).fit(X, y)
    steps = model.trace_["step"]
    assert (np.diff(steps) > 0).all()
    assert steps[-1] == model.n_iter_
    assert len(steps) <= 40
    assert all(len(model.trace_[name]) == len(steps) for name in model.trace_)


@each_stepwise
def test_a_stop_by_the_clock_says_so(cls):
    X, y = sample(cls)
    options = {"tol": None} if takes(cls, "tol", "shuffle") else {}
    options |= {"oscillation": "ignore"} if takes(cls, "oscillation") else {}
    model = make(cls, max_time=1e-9, max_iter=10**6, **options).fit(X, y)
    assert "max_time=1e-09" in model.stop_reason_
    assert not model.converged_
    assert np.isfinite(model.predict(X).astype(float)).all()


@each_stepwise
def test_early_stopping_holds_rows_out_and_says_why_it_ended(cls):
    if not takes(cls, "early_stopping"):
        return
    X, y = sample(cls, n=120)
    options = {"oscillation": "ignore"} if takes(cls, "oscillation") else {}
    model = make(cls, max_iter=500, early_stopping=True, validation_fraction=0.25, **options).fit(X, y)
    assert "has not risen" in model.stop_reason_
    assert model.n_iter_ < 500
    assert wm.certify(model, X, y).holds == model.certificate_.holds
    assert fingerprint(make(cls, **model.get_params()).fit(X, y)) == fingerprint(model)
    with pytest.raises(AttributeError) as caught:
        model.partial_fit(X, y)
    assert "early_stopping=False" in str(caught.value.__cause__)


@each_stepwise
def test_warm_start_goes_on_or_is_refused(cls):
    if not takes(cls, "warm_start"):
        return
    X, y = sample(cls, k=2)
    model = make(cls, max_iter=1, warm_start=True)
    if cls is wm.MarginPerceptron:
        with pytest.raises(ValueError, match="starts at zero"):
            model.fit(X, y)
        return
    first = answers(model.fit(X, y), X)
    second = answers(model.fit(X, y), X)
    assert first != second
    assert first == answers(make(cls, max_iter=1).fit(X, y), X)
    with pytest.raises(ValueError, match=r"\(1, 3\)"):
        model.fit(X[:, :3], y)


@each_stepwise
def test_a_stream_keeps_a_state_of_constant_size(cls):
    """After 40 batches the pickled learner is as large as after 2, unless it stores the mistakes it made."""
    if not hasattr(cls, "partial_fit"):
        return
    X, y = sample(cls, n=60)
    first = {"classes": np.unique(y)} if hasattr(cls, "decision_function") else {}
    model, sizes = make(cls), []
    for batch in range(40):
        model.partial_fit(X, y, **first)
        sizes.append(len(pickle.dumps(model)))
        assert model.n_iter_ == batch + 1
        assert f"batch {batch + 1}" in model.stop_reason_
    stores_mistakes = "mistakes are stored" in cls.__doc__ or takes(cls, "kernel")
    assert stores_mistakes or sizes[-1] <= sizes[1] + 100
    assert model.certificate_.holds is None


@each_stepwise
def test_one_stream_one_result_and_a_fit_forgets_it(cls):
    if not hasattr(cls, "partial_fit"):
        return
    X, y = sample(cls, n=60)
    first = {"classes": np.unique(y)} if hasattr(cls, "decision_function") else {}

    def stream():
        model = make(cls)
        for cut in (slice(0, 20), slice(20, 25), slice(25, 60)):
            model.partial_fit(X[cut], y[cut], **first)
        return model

    model = stream()
    assert fingerprint(model) == fingerprint(stream())
    assert fingerprint(model.fit(X, y)) == fingerprint(make(cls).fit(X, y))
