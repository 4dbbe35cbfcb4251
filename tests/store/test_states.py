"""A solver's state is a file like any other: saved in mid-fit and loaded, it goes on as if nothing had happened."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from tests.store.toys import same

from widemargin import _core, store
from widemargin.base.errors import CannotStore, DamagedFile
from widemargin.base.records import Trace
from widemargin.estimator.batch_perceptron import BatchPerceptron
from widemargin.estimator.margin_perceptron import MarginPerceptron
from widemargin.estimator.pegasos import Pegasos
from widemargin.estimator.perceptron import AveragedPerceptron, Perceptron
from widemargin.estimator.sgd_svc import SGDSVC
from widemargin.estimator.voted_perceptron import VotedPerceptron
from widemargin.solver.gradient import GradientOptions, GradientSolver
from widemargin.solver.online import OnlineOptions, OnlineSolver
from widemargin.store.container import chunks, unpack


def problem(seed=3, n=60, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)


@pytest.mark.parametrize("cut", [1, 59, 60, 333])
@pytest.mark.parametrize("options", [OnlineOptions(), OnlineOptions(average=True, log=True, seed=5)])
def test_a_state_saved_in_mid_fit_continues_to_the_identical_end(cut, options):
    X, y = problem()

    def solver():
        return OnlineSolver(_core.Rows.dense(X), y, options)

    whole, first = solver().start(), solver().start()
    solver().advance(whole, 1000, 100)
    solver().advance(first, cut, 100)
    loaded = store.loads(store.dumps(first))
    solver().advance(loaded, 1000 - cut, 100)
    assert store.dumps(loaded) == store.dumps(whole)
    assert whole.visits == 1000


@pytest.mark.parametrize("cut", [1, 59, 60, 333])
@pytest.mark.parametrize(
    "options",
    [
        GradientOptions(average=True, seed=5, lam=1e-3, intercept=True),
        GradientOptions(batch=7),
        GradientOptions(rule="sgd", drawing="replace", intercept=True),
    ],
)
def test_stochastic_gradients_saved_in_mid_fit_continue_to_the_identical_end(cut, options):
    X, y = problem()

    def solver():
        return GradientSolver(_core.Rows.dense(X), y, options)

    whole, first = solver().start(), solver().start()
    solver().advance(whole, 10_000, 20)
    solver().advance(first, cut, 20)
    loaded = store.loads(store.dumps(first))
    solver().advance(loaded, 10_000, 20)
    assert store.dumps(loaded) == store.dumps(whole)
    assert whole.epoch == 20


@pytest.mark.parametrize(
    ("old", "new"),
    [('"position":0', '"position":-1'), ('"epoch":1', '"epoch":9007199254740993'), ('"log_row"', '"row"')],
)
def test_a_state_that_points_outside_is_refused(old, new):
    X, y = problem()
    solver = OnlineSolver(_core.Rows.dense(X), y, OnlineOptions())
    state = solver.start()
    solver.advance(state, len(X), 100)
    text, arrays = unpack(store.dumps(state))
    assert old in text
    with pytest.raises(DamagedFile):
        store.loads(b"".join(chunks(text.replace(old, new), arrays)))


def test_a_state_with_a_nan_is_not_saved():
    X, y = problem()
    state = OnlineSolver(_core.Rows.dense(X), y, OnlineOptions()).start()
    state.w[2] = np.nan
    with pytest.raises(CannotStore, match="w holds nan"):
        store.dumps(state)


def test_a_trace_comes_back_with_its_gaps():
    trace = Trace(("loss", "updates"))
    trace.append(1, {"loss": np.float64(0.5), "updates": np.int64(7)})
    trace.append(2, {"updates": 6})
    back = store.loads(store.dumps(trace))
    assert list(back) == ["step", "loss", "updates"]
    for name in trace:
        np.testing.assert_array_equal(back[name], trace[name])


@pytest.mark.parametrize(
    "make", [Perceptron, AveragedPerceptron, BatchPerceptron, MarginPerceptron, VotedPerceptron, Pegasos, SGDSVC]
)
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_perceptron_comes_back_whole(make, multiclass, n_classes):
    X, _ = problem()
    y = np.array(["ant", "bee", "cat", "dog"])[np.arange(len(X)) % n_classes]
    model = make(max_iter=5, multiclass=multiclass, observe=lambda *args: False).fit(X, y)
    data = store.dumps(model)
    back = store.loads(data)
    np.testing.assert_array_equal(back.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(back.predict(X), model.predict(X))
    assert back.get_params() == {**model.get_params(), "observe": None}
    assert same(back.classes_, model.classes_)
    assert back.stop_reason_ == model.stop_reason_
    assert store.dumps(back) == data


@pytest.mark.parametrize("make", [AveragedPerceptron, MarginPerceptron, VotedPerceptron, Pegasos, SGDSVC])
def test_a_stream_goes_on_after_saving(make):
    X, y = problem()
    whole = make().partial_fit(X[:30], y[:30], classes=[-1.0, 1.0])
    loaded = store.loads(store.dumps(whole))
    for model in (whole, loaded):
        model.partial_fit(X[30:], y[30:])
    assert store.dumps(whole) == store.dumps(loaded)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_of_sparse_rows_and_of_members_come_back(n_classes):
    X, _ = problem()
    y = np.arange(len(X)) % n_classes
    model = VotedPerceptron(max_iter=3).fit(sparse.csr_array(X), y)
    for one in (model, model.compress(3)):
        back = store.loads(store.dumps(one))
        np.testing.assert_array_equal(back.decision_function(X), one.decision_function(X))
        assert store.dumps(back) == store.dumps(one)


def test_mistakes_that_point_outside_the_support_are_refused():
    X, y = problem()
    model = VotedPerceptron(max_iter=2).fit(X, y)
    model.mistakes_["row"][3] = len(model.support_)
    with pytest.raises(CannotStore, match="row"):
        store.dumps(model)
    small = VotedPerceptron(max_iter=2, n_members=2).fit(X, y)
    small.members_[0] = small.members_[0][:, 1:]
    with pytest.raises(CannotStore, match="belong together"):
        store.dumps(small)
