"""The solvers of the kernel perceptron: decisions of float64 from float32 blocks, any cut of the work, any threads."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.oracle.kernel_perceptron import kernel_perceptron

from widemargin import _core, store
from widemargin.kernels import RBF, Function, GramSource, Linear, Polynomial, RowItems, Tanh
from widemargin.solver.kernel_perceptron import KernelPerceptronOptions, KernelPerceptronSolver
from widemargin.solver.online import OnlineOptions, OnlineSolver

KERNELS = [Linear(), Polynomial(2), RBF(0.3), Tanh(0.4, -0.3)]


def sample(seed, n=150, d=6, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] > 0, 1.0, -1.0)
    return X, np.where(rng.random(n) < noise, -y, y)


def source(kernel, X, native=True):
    items = RowItems(X)
    return GramSource(kernel if native else Function(lambda a, b: kernel(a, b)), items)


def solver(kernel, X, y, *, native=True, weight=None, among=None, **options):
    options = KernelPerceptronOptions(**{"log": True, "memory": 1 << 20, **options})
    return KernelPerceptronSolver(source(kernel, X, native), y, options, weight, among)


def run(s, visits=10**9, epochs=10, state=None):
    state = s.start() if state is None else state
    s.advance(state, visits, epochs)
    return state


def same(a, b):
    assert store.dumps(a) == store.dumps(b)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("native", [True, False], ids=["core", "python"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)], ids=["f8", "csr", "f4"])
def test_updates_are_those_of_the_plain_algorithm(kernel, native, make):
    X, y = sample(1)
    X = make(X)
    dense = X.toarray() if sp.issparse(X) else np.asarray(X, np.float64)
    state = run(solver(kernel, X, y, native=native, seed=5), epochs=4)
    orders = [_core.permutation(len(y), 5, e) for e in range(4)]
    c, log, mean = kernel_perceptron(kernel(dense), y, orders)
    assert_array_equal(state.c, c)
    assert [tuple(r) for r in zip(*state.joined_log(), strict=True)] == log
    assert_allclose(state.average(), mean, atol=1e-12)
    assert_array_equal(state.updates_of, np.bincount([i for _, i, _ in log], minlength=len(y)))


@pytest.mark.parametrize("native", [True, False], ids=["core", "python"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shuffle", ["never", "once", "every_epoch"])
def test_steps_weights_and_orders_are_those_of_the_linear_solver(native, intercept, shuffle):
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, size=(80, 5)).astype(float)
    y = np.where(rng.random(80) < 0.5, 1.0, -1.0)
    weight, among = rng.integers(1, 4, size=80) * 0.5, np.flatnonzero(rng.random(80) < 0.7)
    options = {"eta": 0.5, "intercept": intercept, "shuffle": shuffle, "seed": 9}
    dual = run(solver(Linear(), X, y, native=native, weight=weight, among=among, **options), epochs=7)
    linear = OnlineSolver(_core.Rows.dense(X), y, OnlineOptions(**options, log=True, average=True), weight, among)
    primal = linear.start()
    linear.advance(primal, 10**9, 7)
    assert_array_equal(dual.counters, primal.counters)
    for a, b in zip(dual.joined_log(), primal.joined_log(), strict=True):
        assert_array_equal(a, b)
    assert_array_equal(dual.c @ X, primal.w[:-1])
    assert dual.c.sum() * intercept == primal.w[-1]
    assert_allclose(dual.average() @ X, primal.average()[0], atol=1e-12)


@settings(deadline=None, max_examples=20)
@given(
    st.integers(0, 10**6),
    st.sampled_from(KERNELS),
    st.lists(st.integers(1, 700), min_size=1, max_size=12),
    st.booleans(),
)
def test_any_cut_of_the_work_gives_the_same_bits(seed, kernel, cuts, native):
    X, y = sample(seed)
    whole = run(solver(kernel, X, y, native=native, seed=seed), sum(cuts), 10**6)
    s = solver(kernel, X, y, native=native, seed=seed)
    pieces = s.start()
    for k, cut in enumerate(cuts):
        # Every other piece goes to a solver that knows nothing but the state.
        s = solver(kernel, X, y, native=native, seed=seed) if k % 2 else s
        if s.advance(pieces, cut, 10**6) is not None:
            break
    same(pieces, whole)


def test_single_steps_are_one_long_call():
    X, y = sample(3, n=90)
    s = solver(RBF(0.5), X, y)
    one = s.start()
    for _ in range(400):
        s.advance(one, 1, 10**6)
    same(one, run(solver(RBF(0.5), X, y), 400, 10**6))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_threads_memory_and_vector_instructions_change_nothing(make, kernel):
    X, y = sample(4, n=1500, d=20)
    plain = run(solver(kernel, make(X), y), epochs=3)
    same(run(solver(kernel, make(X), y, threads=2), epochs=3), plain)
    same(run(solver(kernel, make(X), y, memory=0), epochs=3), plain)
    level = _core.simd_level()
    try:
        for other in ("avx2", "scalar"):
            _core.set_simd_level(other)
            same(run(solver(kernel, make(X), y), epochs=3), plain)
    finally:
        _core.set_simd_level(level)


@pytest.mark.parametrize("scale", [1e-140, 1e-30, 1e-9, 1e9, 1e30, 1e100])
def test_data_of_any_size_are_decided_as_in_float64(scale):
    X, y = sample(5, n=120)
    small = run(solver(Linear(), X, y, intercept=False, seed=1), epochs=5)
    same(run(solver(Linear(), X * 2.0 ** np.rint(np.log2(scale)), y, intercept=False, seed=1), epochs=5), small)


def test_ties_are_mistakes_and_are_seen_through_float32():
    """u = 0 exactly: two equal rows with opposite labels, and numbers that float32 cannot hold."""
    X = np.array([[1.0, 2.0**-30], [1.0, 2.0**-30], [1.0 + 2.0**-40, 0.0], [1.0, 0.0]])
    y = np.array([1.0, -1.0, 1.0, -1.0])
    state = run(solver(Linear(), X, y, shuffle="never", intercept=False), epochs=50)
    c, _, _ = kernel_perceptron(X @ X.T, y, [range(4)] * 50, intercept=False)
    assert_array_equal(state.c, c)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_near_ties_are_decided_as_in_float64(kernel, make):
    """Rows with c = 1, each with a twin of c = -1 that float32 hardly tells from it: every score is next to 0."""
    X, y = sample(11, n=100)
    twins = X[:50] * (1 + 3e-8 * np.random.default_rng(1).normal(size=(50, 6)))
    X, y = np.vstack([X[:50], twins, X[50:]]), np.append(np.ones(100), y[50:])
    c = np.repeat([1.0, -1.0, 0.0], 50)
    scores = kernel(X) @ c
    for i in range(100, 150):
        s = solver(kernel, make(X), y, among=np.array([i]), intercept=False)
        state = s.start(c)
        s.advance(state, 1, 1)
        assert state.updates == (y[i] * scores[i] <= 0)
        assert state.visits == 1


def test_float32_decides_most_visits_and_float64_the_rest():
    X, y = sample(6, n=3000, d=30)
    s = solver(RBF(1 / 60), X, y)
    state = run(s, epochs=5)
    asked = s._loop.core.exact_scores
    assert 0 < asked < 0.05 * state.visits


def test_a_changed_state_is_followed():
    X, y = sample(7)
    s, other = solver(RBF(0.3), X, y, seed=2), solver(RBF(0.3), X, y, seed=2)
    state = run(s, 333, 10**6)
    run(s, 777, 10**6)  # the solver now knows another state
    a, b = store.loads(store.dumps(state)), store.loads(store.dumps(state))
    same(run(s, 200, 10**6, a), run(other, 200, 10**6, b))


@pytest.mark.parametrize("native", [True, False], ids=["core", "python"])
def test_rows_before_the_first_are_summed_over_and_never_visited(native):
    X, y = sample(8)
    options = KernelPerceptronOptions(log=True)
    s = KernelPerceptronSolver(source(RBF(0.3), X, native), y, options, first=100)
    c = np.zeros(150)
    c[:100] = np.random.default_rng(0).integers(-2, 3, size=100)
    state = s.start(c)
    s.advance(state, 10**6, 3)
    assert_array_equal(state.c[:100], c[:100])
    assert state.visits == 150
    K = RBF(0.3)(X)
    for _, i, step in zip(*state.joined_log(), strict=True):
        assert i >= 100
        assert y[i] * (c @ K[:, i] + c.sum()) <= 0
        c[i] += step
    assert_array_equal(c, state.c)


def test_bad_arrays_are_refused():
    X, y = sample(9)
    s = solver(Linear(), X, y)
    state = s.start()
    state.c = state.c[:-1]
    with pytest.raises(ValueError, match="one entry a row"):
        s.advance(state, 10, 1)
    with pytest.raises(ValueError, match="one label a row"):
        solver(Linear(), X, y[:-1])
