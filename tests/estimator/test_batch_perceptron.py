import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.oracle.perceptrons import batch_perceptron

import widemargin as wm
from widemargin import store
from widemargin.base.drive import drive
from widemargin.base.errors import BadInput
from widemargin.data.rows import native_rows
from widemargin.solver.batch import BatchOptions, BatchSolver


def separable(seed, n=60, d=4, gap=0.1):
    rng = np.random.default_rng(seed)
    u, X = rng.normal(size=d), rng.normal(size=(n, d))
    m = X @ u / np.linalg.norm(u)
    keep = np.abs(m) > gap
    return X[keep], np.where(m[keep] > 0, 1, -1)


def solver(X, y, **options):
    norm = float((np.asarray(X.todense() if sp.issparse(X) else X) ** 2).sum(1).max())
    return BatchSolver(X, native_rows(X), y.astype(float), BatchOptions(**options), max_squared_norm=norm)


@pytest.mark.theorem("DudaHart73")
@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(["constant", "invscaling"]))
def test_batch_perceptron_separates_whatever_can_be_separated(seed, schedule):
    """On separable rows the steps end after finitely many passes, with no y u <= 0 left."""
    X, y = separable(seed)
    model = wm.BatchPerceptron(max_iter=10**6, schedule=schedule).fit(X, y)
    assert model.converged_
    assert (y * model.decision_function(X) > 0).all()
    assert "found no row" in model.stop_reason_


def test_a_minimum_that_separates_nothing_is_not_success():
    """XOR: delta = 0 at w = 0, where E(0) = 0 is a minimum."""
    X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1]
    model = wm.BatchPerceptron().fit(X, y)
    assert not model.converged_
    assert model.n_updates_ == 0
    assert not model.coef_.any()
    assert "4 of 4 rows" in model.stop_reason_
    assert "separates nothing" in model.stop_reason_


def test_a_short_delta_with_wrong_rows_stops_without_a_claim():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = wm.BatchPerceptron(tol=0.5).fit(X, [0, 1, 0, 1])
    assert not model.converged_
    assert model.n_iter_ < 1000
    assert "separates nothing" in model.stop_reason_


def test_the_limit_of_passes_is_named():
    model = wm.BatchPerceptron(max_iter=3).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    assert not model.converged_
    assert model.n_iter_ == 3
    assert "all 3 passes" in model.stop_reason_


@pytest.mark.parametrize("power", [0.0, 0.25, 1.0])
def test_equals_the_slow_batch_perceptron(power):
    rng = np.random.default_rng(5)
    X, y, s = rng.normal(size=(200, 6)), rng.choice([-1, 1], 200), rng.integers(1, 5, 200) / 2
    model = wm.BatchPerceptron(max_iter=30, eta0=0.7, power_t=power).fit(X, y, s)
    w = batch_perceptron(X, y, 30, lambda t: 0.7 / (1 + t) ** power, s)
    assert_allclose(np.append(model.coef_, model.intercept_), w, rtol=1e-12)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_weight_is_a_number_of_rows_and_the_order_is_nothing_bit_for_bit(make):
    rng = np.random.default_rng(8)
    X = np.round(rng.normal(size=(3000, 8)) * 10.0 ** rng.integers(-3, 4, 8), 2)
    y, s = rng.choice([-1, 1], 3000), rng.integers(0, 5, 3000)
    order = rng.permutation(int(s.sum()))
    R, r = np.repeat(X, s, axis=0)[order], np.repeat(y, s)[order]
    a = wm.BatchPerceptron(max_iter=200).fit(make(X), y, s)
    b = wm.BatchPerceptron(max_iter=200, n_jobs=2).fit(make(R), r)
    assert_array_equal(a.coef_, b.coef_)
    assert_array_equal(a.intercept_, b.intercept_)


def test_threads_change_no_bit():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(9000, 5)).astype(np.float32), rng.integers(0, 3, 9000)
    one, two = (wm.BatchPerceptron(max_iter=40, n_jobs=j).fit(X, y) for j in (1, 2))
    assert_array_equal(one.coef_, two.coef_)


def test_passes_one_by_one_equal_one_call_and_a_saved_state_goes_on():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 3)), rng.choice([-1.0, 1.0], 80)
    whole, piece = solver(X, y, power=0.25), solver(X, y, power=0.25)
    a, b = whole.start(), piece.start()
    whole.advance(a, 10**9, 50)
    for step in range(50):
        piece.advance(b, 1, 50)
        b = store.loads(store.dumps(b))
        assert b.step == step + 1
    for x, z in ((a.w, b.w), (a.counters, b.counters), (a.sums, b.sums)):
        assert_array_equal(x, z)


def test_drive_stops_at_the_step_asked_for():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 3)), rng.choice([-1.0, 1.0], 80)
    s = solver(X, y)
    state = s.start()
    stop, trace = drive(s, state, last=7, explain=s.explain(state, 7, None))
    assert (stop.kind, state.step) == ("epochs", 7)
    assert trace["step"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert (trace["length"] > 0).all()


def test_multiclass_ovo_and_warm_start():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    model = wm.BatchPerceptron(multiclass="ovo", schedule="constant", max_iter=5000).fit(X, y)
    assert model.score(X, y) >= 0.95
    first = wm.BatchPerceptron(warm_start=True, max_iter=5000).fit(X, y == 0)
    assert first.converged_
    again = first.fit(X, y == 0)
    assert again.n_updates_ == 0
    with pytest.raises(ValueError, match="warm_start"):
        first.fit(X, y)


def test_the_certificate_says_what_the_model_proves():
    X, y = separable(3)
    model = wm.BatchPerceptron(max_iter=10**5).fit(X, y)
    c = wm.certify(model, X, y)
    assert c.holds
    assert c.separable
    length = np.linalg.norm(np.append(model.coef_, model.intercept_))
    assert_allclose(c.margin, (y * model.decision_function(X)).min() / length, rtol=1e-9)
    xor, labels = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1]
    model = wm.BatchPerceptron().fit(xor, labels)
    assert model.certificate_.separable is None
    assert model.certificate_.rows_wrong == 4
    assert wm.certify(model, xor, labels, prove=True).separable is False


def test_a_stream_is_one_pass_a_batch_with_the_rate_falling():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 3)), rng.choice([-1, 1], 60)
    stream = wm.BatchPerceptron()
    for _ in range(30):
        stream.partial_fit(X, y, classes=[-1, 1])
    whole = wm.BatchPerceptron(max_iter=30).fit(X, y)
    assert_array_equal(stream.coef_, whole.coef_)
    assert stream.n_updates_ == whole.n_updates_ == 30
    assert stream.certificate_.holds is None


def test_numbers_beyond_all_measure_are_not_called_separated():
    X = np.array([[1.0, 2.0], [-1.0, 1.0], [2.0, -1.0], [-3.0, -1.0]]) * 1e200
    with pytest.raises(BadInput, match=r"-3e\+200 \(row 3, column 0\).*overflow"):
        wm.BatchPerceptron(max_iter=50).fit(X, [1, 0, 0, 1])
    model = wm.BatchPerceptron(max_iter=50).fit(X / 1e105, [1, 0, 0, 1])
    assert model.converged_ <= (model.certificate_.rows_wrong == 0)
