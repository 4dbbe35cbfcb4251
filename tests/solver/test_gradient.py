"""The update rules of Pegasos and of stochastic gradient descent, line by line."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle import gradients

from widemargin import _core
from widemargin.data.rows import native_rows
from widemargin.solver.gradient import SUMS, GradientOptions, GradientSolver


def problem(n=12, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)


def run(X, y, epochs, weight=None, **options):
    solver = GradientSolver(native_rows(X), y, GradientOptions(**options), weight)
    state = solver.start()
    solver.advance(state, 10**9, epochs)
    return state, solver.options


def vector(state, options):
    w, b = state.weights(options)
    return np.append(w, b)


# ---- Pegasos -------------------------------------------------------------------------------------------------------


def test_the_first_step_of_pegasos_by_hand():
    """w = 0: both rows are active, w_2 = 1/(lambda 1 k) (x_0 - x_1); at lambda = 1 it is outside of the ball."""
    X, y = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([1.0, -1.0])
    state, o = run(X, y, 1, lam=4.0, batch=2, drawing="never")
    np.testing.assert_allclose(state.weights(o)[0], [0.125, -0.25])
    assert (state.steps, state.updates, state.projections) == (1, 2, 0)
    state, o = run(X, y, 1, lam=1.0, batch=2, drawing="never")
    np.testing.assert_allclose(state.weights(o)[0], np.array([0.5, -1.0]) / np.sqrt(1.25))
    assert state.projections == 1


@pytest.mark.parametrize(("rule", "updates"), [("pegasos", 1), ("sgd", 0)])
def test_a_row_exactly_on_the_margin_is_active_in_pegasos_and_not_in_sgd(rule, updates):
    """<= 1 and < 1: w = 1, x = 1, y = 1."""
    solver = GradientSolver(
        _core.Rows.dense(np.ones((1, 1))), np.ones(1), GradientOptions(rule=rule, lam=1.0, scale=0.5)
    )
    state = solver.start()
    state.u[0], state.sums[SUMS.index("t")] = 1.0, 1.0
    assert state.weights(solver.options)[0].tolist() == [1.0]
    solver.advance(state, 1, 1)
    assert state.updates == updates


@pytest.mark.parametrize("k", [1, 3, 12])
@pytest.mark.parametrize("lam", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_every_step_of_pegasos_is_that_of_the_oracle(k, lam, container):
    X, y = problem()
    X = X.astype(np.float32).astype(np.float64)
    orders = [_core.permutation(len(y), 5, epoch) for epoch in range(4)]
    solver = GradientSolver(native_rows(container(X)), y, GradientOptions(lam=lam, batch=k, seed=5))
    state = solver.start()
    for n, w in enumerate(gradients.pegasos(X, y, lam, orders, k), start=1):
        solver.advance(state, 1, 99)
        assert state.steps == n
        np.testing.assert_allclose(state.weights(solver.options)[0], w, rtol=1e-9, atol=1e-12)
    assert state.epoch == 4


@given(st.integers(0, 10**6), st.sampled_from([1e-6, 1e-3, 1.0]), st.integers(1, 5))
def test_w_stays_in_the_ball(seed, lam, k):
    """|w| <= 1/sqrt(lambda) after every step."""
    X, y = problem(seed=seed)
    solver = GradientSolver(native_rows(30 * X), y, GradientOptions(lam=lam, batch=k, seed=seed))
    state = solver.start()
    for _ in range(30):
        solver.advance(state, 1, 99)
        assert np.linalg.norm(state.weights(solver.options)[0]) <= (1 + 1e-9) / np.sqrt(lam)
    assert state.projections > 0 or lam == 1.0


def test_the_rest_of_an_epoch_counts_for_as_many_rows_as_it_has():
    """5 rows, k = 2: w is the same sum over active rows, divided by the rows visited, as for any other k."""
    X, y = problem(n=5)
    state, o = run(X / 100, y, 3, lam=0.5, batch=2, drawing="never")
    assert state.steps == 9
    assert state.active_of.tolist() == [1 + 4 + 9] * 5  # so short rows are always active
    np.testing.assert_allclose(state.weights(o)[0], (y @ (X / 100)) / (0.5 * 5), rtol=1e-12)


def test_the_bias_moves_by_the_mean_of_the_active_labels_and_is_not_shrunk():
    X, y = np.array([[0.5], [0.25], [-2.0]]), np.array([1.0, 1.0, -1.0])
    state, o = run(X, y, 1, lam=2.0, batch=3, intercept=True, drawing="never")
    w, b = state.weights(o)
    np.testing.assert_allclose(w, np.array([2.75 / 6]))
    assert b == pytest.approx((1 + 1 - 1) / 6)
    state, o = run(X, y, 50, lam=1e-6, intercept=True)
    assert abs(state.weights(o)[1]) <= 1 + 2 / np.sqrt(1e-6)


def test_the_average_weighs_step_n_by_n():
    X, y = problem()
    for lam in (1e-4, 0.3):
        orders = [_core.permutation(len(y), 2, epoch) for epoch in range(6)]
        state, o = run(X, y, 6, lam=lam, batch=4, seed=2, average=True)
        vectors = gradients.pegasos(X, y, lam, orders, 4)
        expected = np.average(vectors, axis=0, weights=np.arange(1, len(vectors) + 1))
        np.testing.assert_allclose(state.weights(o)[0], expected, rtol=1e-9)


# ---- stochastic gradient descent -----------------------------------------------------------------------------------


def test_the_two_rules_of_sgd_by_hand():
    """First step of 1/2: active, so w = x/2, b = 1/2. Second: y (w.x + b) = 2.5 >= 1, so w shrinks by 1 - eta lambda
    and b stays."""
    X, y = np.array([[2.0]]), np.ones(1)
    solver = GradientSolver(
        native_rows(X), y, GradientOptions(rule="sgd", lam=0.1, scale=1.0, delay=1.0, intercept=True, drawing="never")
    )
    state = solver.start()
    solver.advance(state, 1, 99)
    np.testing.assert_allclose(vector(state, solver.options), [1.0, 0.5])
    solver.advance(state, 1, 99)
    np.testing.assert_allclose(vector(state, solver.options), [1.0 * (1 - 0.1 / 3), 0.5])


@pytest.mark.parametrize("intercept", [True, False])
def test_sgd_is_that_of_the_oracle_in_any_order(intercept):
    X, y = problem()
    draws = [_core.permutation(len(y), 3, epoch) for epoch in range(7)]
    options = {"rule": "sgd", "lam": 0.05, "scale": 2.0, "delay": 3.0, "seed": 3, "intercept": intercept}
    state, o = run(X, y, 7, **options)
    if intercept:
        w, b = gradients.sgd(X, y, 0.05, draws, 2.0, 3.0)
        np.testing.assert_allclose(vector(state, o), [*w, b], rtol=1e-10)
    else:
        assert vector(state, o)[-1] == 0


def test_rows_are_drawn_with_replacement_each_as_often_as_any_other():
    X, y = problem(n=10)
    state, _ = run(X, y, 1, rule="sgd", drawing="replace", seed=1)
    counts = state.visited_of
    assert counts.sum() == 10
    assert counts.max() > 1
    total = np.zeros(10)
    for seed in range(400):
        total += run(X, y, 1, rule="sgd", drawing="replace", seed=seed)[0].visited_of
    assert np.abs(total - 400).max() < 5 * np.sqrt(400)
    other, _ = run(X, y, 1, rule="sgd", drawing="replace", seed=2)
    assert other.visited_of.tolist() != counts.tolist()


def test_a_step_that_shrinks_to_nothing_leaves_the_row_alone():
    """eta lambda = 1: w is forgotten, and what the row adds is all there is."""
    X, y = problem(n=2)
    state, o = run(X, y, 1, rule="sgd", lam=1.0, scale=1.0, delay=0.0, drawing="never")
    assert state.updates >= 1
    np.testing.assert_allclose(state.weights(o)[0], y[1] * X[1] if state.updates == 2 else np.zeros(3))


# ---- what all share ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"batch": 5, "lam": 1e-3, "average": True, "intercept": True},
        {"batch": 1, "lam": 1e-5, "drawing": "replace"},
        {"rule": "sgd", "lam": 0.3, "scale": 1.0, "delay": 0.0, "drawing": "replace", "intercept": True},
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_any_cut_gives_the_same_bits(options, weighted):
    X, y = problem(n=33)
    weight = np.random.default_rng(1).uniform(0.1, 4, 33) if weighted else None
    whole, _ = run(X, y, 5, weight, seed=9, **options)
    for budget in (1, 2, 7, 33, 50):
        solver = GradientSolver(native_rows(X), y, GradientOptions(seed=9, **options), weight)
        state = solver.start()
        while state.epoch < 5:
            solver.advance(state, budget, 5)
        for name in ("u", "h", "active_of", "visited_of", "counters", "sums"):
            np.testing.assert_array_equal(getattr(state, name), getattr(whole, name))


@pytest.mark.parametrize("rule", ["pegasos", "sgd"])
def test_only_the_ratio_of_weights_matters(rule):
    X, y = problem()
    weight = np.random.default_rng(3).uniform(0.2, 0.9, 12)
    one, o = run(X, y, 4, weight, rule=rule, lam=0.1)
    two, _ = run(X, y, 4, weight / 0.9 * 0.999, rule=rule, lam=0.1)
    np.testing.assert_allclose(vector(one, o), vector(two, o), rtol=1e-9)


def test_without_projections_w_is_the_expansion_of_its_active_visits():
    """lambda t w = sum over visits at which row i was active of s y x: the reason why they are a point of the dual."""
    X, y = problem(n=40)
    solver = GradientSolver(native_rows(X / 50), y, GradientOptions(lam=1.0))
    state, times = solver.start(), np.zeros(40)
    for epoch in range(1, 6):
        before = state.active_of.copy()
        solver.advance(state, 10**9, epoch)
        times += (state.active_of - before) / epoch**2
    assert state.projections == 0
    np.testing.assert_allclose(state.weights(solver.options)[0], (times * y) @ (X / 50) / (1.0 * 40 * 5), rtol=1e-9)
