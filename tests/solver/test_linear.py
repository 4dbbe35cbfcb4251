"""Solvers of linear machines: one optimum for all of them, any cut into calls, and what each promises on its way."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

from widemargin import _core
from widemargin.data.rows import native_rows
from widemargin.loss.losses import Hinge, Logistic, SquaredHinge, SquaredTube, Tube
from widemargin.model.class_problem import ClassProblem
from widemargin.model.linear_problem import LinearProblem
from widemargin.solver import newton
from widemargin.solver.class_descent import ClassSolver
from widemargin.solver.dual_descent import DescentSolver
from widemargin.solver.feature_descent import FeatureSolver
from widemargin.solver.linear import LinearFit, plan
from widemargin.solver.newton import NewtonSolver
from widemargin.solver.newton_l1 import PenalisedNewton

LOSSES = [Hinge(), SquaredHinge(), Logistic(), Tube(0.2), SquaredTube(0.2)]
BIASES = ["free", "regularised", "none"]
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
each_bias = pytest.mark.parametrize("bias", BIASES)
KINDS = [(np.asarray, np.float64), (np.asarray, np.float32), (sp.csr_array, np.float64), (sp.csr_array, np.float32)]


def problem(loss, bias="free", n=60, d=5, seed=0, penalty="l2", make=np.asarray, dtype=np.float64, C=1.0):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) * rng.integers(0, 2, (n, d))).astype(dtype)
    t = X[:, 0] + 0.5 * X[:, -1] + 0.7 * rng.standard_normal(n) + 0.4
    t = np.where(t > 0, 1.0, -1.0) if isinstance(loss, Hinge | SquaredHinge | Logistic) else t.astype(np.float64)
    return LinearProblem(make(X), t, C * rng.uniform(0.5, 2, n), loss, bias, 1.3, penalty)


def value(p, w):
    """The objective, in NumPy."""
    X = np.asarray(p.X.todense() if sp.issparse(p.X) else p.X, dtype=np.float64)
    loss = float(p.C @ p.loss.value(X @ w[:-1] + w[-1], p.t))
    c = w[-1] / p.scale if p.bias == "regularised" else 0.0
    if p.penalty == "l1":
        return float(np.abs(w[:-1]).sum()) + abs(c) + loss
    return float(w[:-1] @ w[:-1]) / 2 + c * c / 2 + loss


def solved(p, solver, tol=1e-9, **options):
    solver = solver(p, tol, **options)
    state = solver.start()
    kind = None
    while kind is None:
        kind = solver.advance(state, 1 << 40, 1 << 40)
    return solver, state, kind


@each_bias
@each_loss
@pytest.mark.parametrize(("make", "dtype"), KINDS)
def test_newton_and_dual_descent_meet_at_one_optimum(loss, bias, make, dtype):
    p = problem(loss, bias, make=make, dtype=dtype)
    values = []
    for method in (NewtonSolver, DescentSolver):
        solver, state, kind = solved(p, method)
        assert kind == "converged"
        w, b = solver.solution(state)
        values.append(value(p, w))
        assert bias != "free" or abs(b.sum()) < 1e-12 * np.abs(b).sum()
    assert values[0] == pytest.approx(values[1], rel=3e-9)


@each_bias
@pytest.mark.parametrize("loss", [SquaredHinge(), Logistic()], ids=lambda loss: type(loss).__name__)
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_both_methods_for_sparse_models_meet_at_one_optimum(loss, bias, make):
    p = problem(loss, bias, penalty="l1", d=8, make=make, C=0.3)
    found = []
    for method in (PenalisedNewton, FeatureSolver):
        solver, state, kind = solved(p, method, 1e-7)
        assert kind == "converged"
        found.append(solver.solution(state)[0])
    assert value(p, found[0]) == pytest.approx(value(p, found[1]), rel=3e-7)
    assert (found[0][:-1] == 0).any()
    np.testing.assert_array_equal(found[0] == 0, found[1] == 0)


@each_loss
def test_conjugate_gradients_lead_to_the_same_optimum(loss, monkeypatch):
    p = problem(loss, n=80, d=12)
    exact = value(p, solved(p, NewtonSolver)[0].solution(solved(p, NewtonSolver)[1])[0])
    monkeypatch.setattr(newton, "SMALL", 0)
    monkeypatch.setattr(newton, "EXACT", 0)
    solver, state, kind = solved(p, NewtonSolver)
    assert not solver.exact
    assert kind == "converged"
    assert value(p, solver.solution(state)[0]) == pytest.approx(exact, rel=3e-9)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_the_matrix_of_newtons_method_follows_the_rows_that_change(make):
    """Less the rows that left and with those that came, it is the matrix made anew."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8))
    t = np.where(X @ rng.normal(size=8) + 0.5 * rng.normal(size=400) > 0, 1.0, -1.0)
    solver = NewtonSolver(LinearProblem(make(X), t, np.full(400, 5.0), SquaredHinge()), 1e-9)
    state = solver.start()
    followed = 0
    for _ in range(6):
        solver.advance(state, 1, 1 << 40)
        H, h = solver.matrix.H, solver.matrix.h
        followed = max(followed, solver.matrix.age)
        anew = solver.matrix.lower(np.flatnonzero(h).astype(np.int32), h)
        np.testing.assert_allclose(np.tril(H), np.tril(anew), atol=1e-9 * np.abs(anew).max())
    assert followed > 0


def test_rows_whose_curvature_changed_are_named():
    h, before = np.array([0.0, 2.0, 0.0, 3.0, 1.0]), np.array([0.0, 0.0, 1.0, 3.0, 1.0 + 1e-15])
    out = np.empty(5, np.int32)
    assert list(out[: _core.unlike_rows(h, before, 1e-12, out)]) == [1, 2]
    assert list(out[: _core.unlike_rows(h, np.empty(0), 0.0, out)]) == [1, 3, 4]


@each_loss
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_a_walk_with_known_scores_is_the_same_walk(loss, make):
    """Where w stays and the centres move, no row is multiplied with w again; nothing else may differ."""
    p = problem(loss, make=make, n=700)
    how, a, w = newton.PROXIMAL if loss.kinked else newton.SLOPE, np.zeros(p.n), np.linspace(-1, 1, p.d + 1)
    arrays = [[np.zeros(p.n), np.zeros(p.n), np.zeros(p.n), np.zeros(p.d + 1)] for _ in range(2)]
    sums = []
    for weights, (b, z, h, g) in zip((w, newton.NONE), arrays, strict=True):
        if not len(weights):
            z[:] = arrays[0][1]
        sums.append(p.core.walk(how, 2.0, weights, b, z, h, g, a))
    assert sums[0] == sums[1]
    for one, other in zip(*arrays, strict=True):
        np.testing.assert_array_equal(one, other)


@each_loss
def test_figures_along_a_line_are_those_of_the_scores_there(loss):
    p, rng = problem(loss, n=700), np.random.default_rng(1)
    how, a = newton.PROXIMAL if loss.kinked else newton.SLOPE, np.zeros(p.n)
    z, v, g = rng.standard_normal(p.n), rng.standard_normal(p.n), np.zeros(p.d + 1)
    found = p.core.along_line(how, 2.0, z, v, 0.3, a)
    b, h = np.zeros(p.n), np.zeros(p.n)
    cost, _, smooth, total = p.core.walk(how, 2.0, newton.NONE, b, z + 0.3 * v, h, g, a)
    np.testing.assert_allclose(found, (cost, smooth, total, -b @ v), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scores_of_sparse_rows_of_any_length_are_sums_of_products_on_all_processors(dtype):
    """Rows of 0 to 20 numbers: ends before, at and behind the length of a vector."""
    rng, n, d = np.random.default_rng(0), 300, 40
    X = np.zeros((n, d), dtype)
    for i in range(n):
        X[i, rng.permutation(d)[: i % 21]] = rng.standard_normal(i % 21)
    p = LinearProblem(sp.csr_array(X), np.ones(n), np.ones(n), Hinge())
    w = rng.standard_normal(d + 1)
    best = _core.simd_level()
    try:
        for level in ("scalar", "avx2", "avx512"):
            _core.set_simd_level(level)
            z, g = np.empty(n), np.empty(d + 1)
            p.core.walk(newton.GIVEN, 1.0, w, np.zeros(n), z, np.empty(n), g, newton.NONE)
            np.testing.assert_allclose(z, X.astype(np.float64) @ w[:-1] + w[-1], rtol=1e-12, atol=1e-12)
    finally:
        _core.set_simd_level(best)


@pytest.mark.parametrize("loss", [Hinge(), Tube(0.3)])
def test_the_best_bias_is_at_the_best_of_all_kinks(loss):
    p, rng = problem(loss, n=80), np.random.default_rng(2)
    z = 2 * rng.standard_normal(p.n)
    costs = [p.C @ loss.value(z + c, p.t) for c in np.concatenate([p.t - z - loss.eps, p.t - z + loss.eps])]
    assert p.C @ loss.value(z + p.best_bias(z), p.t) <= min(costs) * (1 + 1e-12)


@pytest.mark.parametrize("seed", [0, 3, 9])
def test_newtons_method_ends_where_rows_say_little_but_their_class(seed):
    """Two of three rows are 0: the bias strayed beyond all kinks, and dual descent after it did not end at all."""
    rng, n = np.random.default_rng(seed), 9000
    X = 0.01 * rng.standard_normal((n, 8)) * (rng.random((n, 8)) < 0.05)
    t = np.where(X.sum(axis=1) + 0.0005 * rng.standard_normal(n) > 0, 1.0, -1.0)
    solver = NewtonSolver(LinearProblem(X, t, np.full(n, 1e-3), Hinge()), 1e-4)
    assert solver.advance(solver.start(), 100, 100) == "converged"


@pytest.mark.parametrize("every", [2, 4, 8])
def test_a_sample_sees_every_place_of_a_period(every):
    """Rows whose feature is their place in a period of 10: each is seen as often as the others, or nearly."""
    n, period = 8000, 10
    X = np.eye(period)[np.arange(n) % period]
    few = LinearProblem(X, np.ones(n), np.ones(n), Hinge()).sample(every)
    assert few.n == n // every
    assert few.C.sum() == n
    seen = few.X.sum(axis=0)
    assert 0.9 * few.n / period <= seen.min() <= seen.max() <= 1.1 * few.n / period


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_where_a_heavy_row_leaves_the_matrix_rounding_does_not_stay(make):
    p = problem(SquaredHinge(), make=make)
    solver = NewtonSolver(p, 1e-9)
    state, rows = solver.start(), np.arange(p.n, dtype=np.int32)
    for heavy in (1e30, 1.0):
        state.h = np.where(rows == 0, heavy, 1.0)
        H = solver.matrix.followed(rows, state.h, state.k, solver.ridge).copy()
    np.testing.assert_allclose(np.tril(H), np.tril(solver.matrix.lower(rows, state.h)), rtol=1e-9)


@pytest.mark.parametrize("loss", [SquaredHinge(), Logistic(), SquaredTube(0.1)])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_newtons_method_goes_on_at_other_prices_as_if_it_had_looked_at_all_rows(loss, make):
    p = problem(loss, make=make)
    p = replace(p, rows=p.native)
    there, dearer = NewtonSolver(p, 1e-9), replace(p, C=7 * p.C)
    end = there.start()
    there.advance(end, 50, 50)
    on, afresh = NewtonSolver(dearer, 1e-9), NewtonSolver(dearer, 1e-9)
    resumed, looked = on.resume((there, end)), afresh.start(end.w)
    for name in ("w", "b", "z", "h", "g"):
        np.testing.assert_allclose(getattr(resumed, name), getattr(looked, name), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(resumed.figures, looked.figures, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(on.matrix.H, 7 * there.matrix.H)
    assert on.advance(resumed, 50, 50) == afresh.advance(looked, 50, 50) == "converged"
    np.testing.assert_allclose(resumed.best_w, looked.best_w, atol=1e-5)


def test_newtons_method_does_not_go_on_where_it_knows_nothing():
    p = problem(SquaredHinge())
    p = replace(p, rows=p.native)
    solver = NewtonSolver(p, 1e-3)
    last = solver, solver.start()
    assert NewtonSolver(replace(p, C=2 * p.C), 1e-3).resume(last) is not None
    others = {"C": np.where(p.t > 0, 2.0, 3.0) * p.C, "t": -p.t, "bias": "none", "loss": Logistic(), "rows": None}
    for name, value in others.items():
        assert NewtonSolver(replace(p, **{name: value}), 1e-3).resume(last) is None, name
    kinked = replace(p, loss=Hinge())
    solver = NewtonSolver(kinked, 1e-3)
    assert NewtonSolver(kinked, 1e-3).resume((solver, solver.start())) is None


def test_long_rows_are_solved_by_way_of_stiffer_penalties(monkeypatch):
    """Counts up to 255, some features rare: each step of Newton's method turns rows over, and hundreds were needed."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 80)) < np.geomspace(0.5, 0.0075, 80), rng.integers(1, 256, (300, 80)), 0.0)
    t = np.where(X[:, :10] @ rng.normal(size=10) + 60 * rng.normal(size=300) > 0, 1.0, -1.0)
    p = LinearProblem(X, t, np.ones(300), SquaredHinge())
    solver, state, kind = solved(p, NewtonSolver)
    monkeypatch.setattr(newton, "EASIER", 1e30)  # no way, one jump: as without
    _, alone, _ = solved(p, NewtonSolver)
    assert kind == "converged"
    assert state.stiff == 1
    assert solver.step(state) < 0.7 * alone.counters[0]
    assert value(p, state.w) == pytest.approx(value(p, alone.w), rel=3e-9)


def test_rows_that_are_held_at_the_start_rest_for_some_epochs_and_come_back():
    p = problem(SquaredHinge(), n=400, d=5)
    exact = DescentSolver(p, 1e-9)
    end = exact.start()
    assert exact.advance(end, 1 << 40, 1 << 40) == "converged"
    w, b = exact.solution(end)
    solver = DescentSolver(p, 1e-9)
    state = solver.start(w, b)
    held = (b == 0) & (p.t * (p.X @ w[:-1] + w[-1]) > 1)
    assert held.any()
    assert (state.marks[held] != 0).all()
    assert not state.marks[b != 0].any()
    solver.core.advance(state.w, state.b, state.marks, state.counters, state.sums, 1 << 40, 1)
    assert state.visits == np.count_nonzero(~held)
    wrong = solver.start(w, np.where(np.arange(p.n) % 2 == 0, b, 0.0))  # what rests wrongly is found out
    assert solver.advance(wrong, 1 << 40, 1 << 40) == "converged"
    assert value(p, solver.solution(wrong)[0]) == pytest.approx(value(p, w), rel=3e-9)


def test_a_sample_of_the_rows_tells_the_curvature(monkeypatch):
    monkeypatch.setattr(newton, "SAMPLED", 40)
    p = problem(SquaredHinge(), n=5000, d=6)
    solver, state, kind = solved(p, NewtonSolver)
    assert kind == "converged"
    assert state.counters[3] == 0  # every step went all the way
    other = problem(SquaredHinge(), n=5000, d=6)
    w = solved(other, DescentSolver)
    assert value(p, solver.solution(state)[0]) == pytest.approx(value(other, w[0].solution(w[1])[0]), rel=3e-9)


def crowd(bias, n=60, k=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    y = (X[:, :k] + 0.5 * rng.standard_normal((n, k))).argmax(axis=1)
    return ClassProblem(X, native_rows(X), y, rng.uniform(0.5, 2, n), k, bias, 1.3)


@each_bias
def test_all_classes_at_once_reach_a_gap_that_is_small(bias):
    p = crowd(bias)
    solver, state, kind = solved(p, ClassSolver, 1e-7)
    assert kind == "converged"
    W, b = solver.solution(state)
    b = b.reshape(p.n, p.k)
    assert np.abs(b.sum(axis=1)).max() < 1e-12
    assert bias != "free" or np.abs(b.sum(axis=0)).max() < 1e-9
    assert W.shape == p.shape


# ---- states --------------------------------------------------------------------------------------------------------


def bits(state):
    return [a.tobytes() for a in vars(state).values() if isinstance(a, np.ndarray)]


CUT = {
    "dual descent": lambda: DescentSolver(problem(Hinge(), n=70), 1e-6),
    "dual descent that gives up": lambda: DescentSolver(problem(Hinge(), n=70), 1e-6, gives_up=True),
    "newton": lambda: NewtonSolver(problem(Hinge(), n=70), 1e-6),
    "feature descent": lambda: FeatureSolver(problem(SquaredHinge(), n=70, penalty="l1", d=9), 1e-6),
    "proximal newton": lambda: PenalisedNewton(problem(SquaredHinge(), n=70, penalty="l1", d=9), 1e-6),
    "class descent": lambda: ClassSolver(crowd("free"), 1e-6),
}


@pytest.mark.parametrize("name", CUT)
@given(pieces=st.lists(st.integers(1, 150), min_size=1, max_size=12))
@example(pieces=[1, 1, 1, 4, *[150] * 7, 1])  # the pace was judged where a call ended
def test_any_cut_into_calls_gives_the_same_bits(name, pieces):
    whole, cut = CUT[name](), CUT[name]()
    a, b = whole.start(), cut.start()
    for piece in pieces:
        cut.advance(b, piece, 1 << 40)
    while cut.step(b) < 7 or (name != "newton" and name != "proximal newton" and b.position):
        if cut.advance(b, 1, max(cut.step(b) + 1, 7)) is not None:
            break
    while whole.step(a) < cut.step(b):
        if whole.advance(a, 1 << 40, cut.step(b)) is not None:
            break
    assert whole.step(a) == cut.step(b)
    assert bits(a) == bits(b)


@pytest.mark.theorem("HsiehEtAl08")
@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge(), Tube(0.2)], ids=lambda loss: type(loss).__name__)
def test_every_epoch_of_dual_descent_raises_the_dual(loss):
    """Each variable is set to its optimum, so the dual never falls."""
    p = problem(loss, "regularised")
    solver = DescentSolver(p, 1e-12)
    state = solver.start()
    before = 0.0
    for epoch in range(1, 40):
        solver.advance(state, 1 << 40, epoch)
        v = np.asarray(p.X).T @ state.b
        dual = p.loss.reward(state.b, p.t, p.C).sum() - v @ v / 2 - (p.scale * state.b.sum()) ** 2 / 2
        assert dual >= before - 1e-12 * abs(dual)
        before = dual


@pytest.mark.theorem("HsiehEtAl08")
@given(seed=st.integers(0, 1000))
def test_a_visit_sets_one_variable_to_its_optimum(seed):
    """b <- min(max(b - G / Q, 0), C) with G = y w.x - 1 and Q = |x|^2, and w follows."""
    rng = np.random.default_rng(seed)
    x, C = rng.standard_normal((1, 3)), rng.uniform(0.1, 2, 1)
    start = rng.standard_normal(4)
    start[-1] = 0.0
    core = _core.linear_problem(native_rows(x), np.ones(1), C, 0, 0.0)
    w, b = start.copy(), np.zeros(1)
    counters, sums = np.array([0, 0, 0, 0, 1], np.int64), np.zeros(6)
    sums[-1] = -1.0
    _core.dual_descent(core, 0.0, False, True, 0).advance(w, b, np.zeros(1, np.int32), counters, sums, 1, 10)
    wished = np.clip((1 - x[0] @ start[:3]) / (x[0] @ x[0]), 0.0, C[0])
    assert b[0] == pytest.approx(wished)
    np.testing.assert_allclose(w[:3], start[:3] + b[0] * x[0])


def test_known_lengths_of_rows_are_used_and_change_nothing():
    p = problem(SquaredHinge(), n=300, d=4)
    _, alone, _ = solved(p, DescentSolver, 1e-6)
    asked = []
    known = replace(p, norms=lambda: asked.append(1) or p.native.squared_norms(1))
    _, state, _ = solved(known, DescentSolver, 1e-6)
    assert asked == [1]
    np.testing.assert_array_equal(state.w, alone.w)
    assert state.epoch == alone.epoch
    with pytest.raises(ValueError, match="norms"):
        _core.dual_descent(p.core, 0.0, False, True, 0, np.ones(299))


def test_descent_at_another_price_lets_rows_rest_that_were_held():
    p = problem(SquaredHinge(), n=3000, d=3)
    _, last, _ = solved(p, DescentSolver, 1e-6)
    dearer = replace(p, C=1.1 * p.C)
    solver = DescentSolver(dearer, 1e-6)
    state = solver.start(last.w, last.b, last=last)
    np.testing.assert_array_equal(state.marks != 0, last.marks != 0)
    assert (state.marks != 0).any()
    np.testing.assert_allclose(state.w[:-1], p.X.T @ state.b, rtol=1e-9, atol=1e-12)
    assert solver.advance(state, 1 << 40, 1 << 40) == "converged"
    _, whole, _ = solved(dearer, DescentSolver, 1e-6)
    assert solver.look(state)["primal"] == pytest.approx(solver.look(whole)["primal"], rel=1e-5)


def test_the_first_epochs_end_where_the_next_one_would_only_confirm_it():
    """Weak prices: residuals fall tenfold an epoch, and each is seen only in the epoch that removes it."""
    p = replace(problem(SquaredHinge(), "regularised", n=400, d=3), C=np.full(400, 1e-3))
    _, state, kind = solved(p, DescentSolver, 1e-4)
    assert kind == "converged"
    assert state.last_residual > 1e-4 * state.dual


def test_rows_are_left_out_and_come_back():
    p = problem(Hinge(), n=2000, d=3)
    _, state, kind = solved(p, DescentSolver, 1e-5)
    assert kind == "converged"
    assert state.visits < 0.5 * state.epoch * p.n


def test_rows_held_at_the_margin_do_not_stay_out_wrongly():
    """A start at another C has all rows at wrong bounds; the look at all of them brings them back."""
    p = problem(Hinge(), n=300, d=3)
    cold = value(p, solved(p, DescentSolver)[0].solution(solved(p, DescentSolver)[1])[0])
    solver = DescentSolver(p, 1e-9)
    state = solver.start(None, p.inside(np.where(p.t > 0, p.C, -p.C)))
    while solver.advance(state, 1 << 40, 1 << 40) is None:
        pass
    assert value(p, solver.solution(state)[0]) == pytest.approx(cold, rel=3e-9)


def test_a_look_that_is_not_satisfied_brings_all_rows_back():
    p = problem(Hinge(), n=50, d=3)
    solver = DescentSolver(p, 1e-9)
    state = solver.start()
    solver.advance(state, 1 << 40, 2)
    state.marks[:] = 1
    state.counters[-1] = 0
    assert not solver._judged(state)
    assert not state.marks.any()
    assert state.active == 50
    assert state.aim <= 1e-9


@each_bias
@pytest.mark.parametrize("loss", [SquaredHinge(), SquaredTube(0.2)], ids=lambda loss: type(loss).__name__)
def test_a_start_has_the_length_at_which_its_dual_is_highest(loss, bias):
    p = problem(loss, bias)
    far = p.inside(np.sign(p.t) * np.random.default_rng(1).uniform(0, 3, p.n))

    def dual(b):
        v = np.append(p.X.T @ b, p.scale * b.sum() if bias == "regularised" else 0.0)
        return float(p.loss.reward(b, p.t, p.C).sum()) - float(v @ v) / 2

    state = DescentSolver(p, 1e-9).start(None, far)
    np.testing.assert_allclose(state.w[:-1], p.X.T @ state.b, atol=1e-12)
    assert dual(state.b) > dual(p.feasible(far))
    assert max(dual(0.999 * state.b), dual(1.001 * state.b)) < dual(state.b)


@each_loss
def test_along_C_variables_without_two_bounds_stay_and_a_free_bias_keeps_its_balance(loss):
    old, new = problem(loss), problem(loss, C=2.0)
    b = solved(old, DescentSolver)[0].solution(solved(old, DescentSolver)[1])[1]
    carried = new.carried(b, old)
    at = np.isclose(np.abs(b), old.C, rtol=1e-3) if loss.kinked else np.full(old.n, isinstance(loss, Logistic))
    np.testing.assert_allclose(carried, np.where(at, 2 * b, b))
    state = DescentSolver(new, 1e-9).start(None, carried)
    assert abs(state.b.sum()) < 1e-12 * np.abs(state.b).sum()


# ---- which method, and when it is slow -----------------------------------------------------------------------------


def test_the_plan_follows_the_shape():
    assert plan(problem(Hinge(), n=300, d=5))[0] == "newton"
    assert plan(problem(Hinge(), n=50, d=100))[0] == "dual descent"
    assert plan(problem(Hinge(), n=300, d=5), dual=True)[0] == "dual descent"
    assert plan(problem(SquaredHinge(), n=300, d=5, penalty="l1"))[0] == "proximal newton"
    assert plan(problem(SquaredHinge(), n=50, d=400, penalty="l1")) == ("feature descent",)
    assert plan(crowd("free")) == ("class descent",)


def test_where_dual_descent_is_slow_newton_goes_on():
    p = problem(Tube(0.0), n=400, d=200, C=100.0)
    fit = LinearFit(p, 1e-4, dual=True)
    first = fit.run()
    assert first.stop.kind == "stalled"
    assert first.solver == "dual descent"
    second = fit.other()
    assert second.stop.kind == "converged"
    assert second.solver == "newton"
    assert second.steps > first.steps
    assert fit.other() is None
    assert value(p, second.w) < value(p, first.w)


@each_loss
def test_the_sum_of_a_repaired_point_is_zero_and_inside(loss):
    p = problem(loss, n=500)
    lower, upper = p.loss.bounds(p.t, p.C)
    b = np.clip(np.random.default_rng(0).standard_normal(500), lower, upper)
    whole = p.feasible(b)
    assert abs(whole.sum()) <= 1e-15 * np.abs(b).sum()
    assert (whole >= lower).all()
    assert (whole <= upper).all()
    np.testing.assert_array_equal(problem(loss, "none", n=500).feasible(b), b)
