"""The plain solvers: they climb, they stay in the box, and all that solve one problem reach one optimum."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, minimize
from sklearn import svm

from widemargin.model.box import BoxProblem
from widemargin.solver.reference import RULES, Ascent, coordinate_ascent, intercept_of, smo

FORMULATIONS = ["c_svc", "eps_svr", "one_class", "nu_svc", "nu_svr"]


def make(name, rng, n):
    """A psd matrix and a problem of the named kind."""
    Z = rng.normal(size=(n, 3))
    K = np.exp(-0.4 * ((Z[:, None] - Z[None]) ** 2).sum(axis=2))
    y, z, w = np.where(np.arange(n) % 2, 1.0, -1.0), rng.normal(size=n), rng.uniform(0.3, 2.0, n)
    problem = {
        "c_svc": lambda: BoxProblem.c_svc(y, 2 * w),
        "eps_svr": lambda: BoxProblem.eps_svr(z, 0.1, 2 * w),
        "one_class": lambda: BoxProblem.one_class(w, 0.4),
        "nu_svc": lambda: BoxProblem.nu_svc(y, w, 0.2),
        "nu_svr": lambda: BoxProblem.nu_svr(z, 2.0, w, 0.5),
    }[name]()
    return K, problem


drawn = st.builds(
    lambda name, seed, n: make(name, np.random.default_rng(seed), n),
    st.sampled_from(FORMULATIONS),
    st.integers(0, 10**6),
    st.integers(4, 14),
)


def optimum(K, problem):
    """The same by SciPy's sequential quadratic programming, which knows nothing of support vector machines."""
    copies = problem.n_variables // problem.n
    Q = np.tile(K, (copies, copies))
    sums = np.array([problem.groups == g for g in range(len(problem.total))], dtype=float)
    found = minimize(
        lambda b: b @ Q @ b / 2 - problem.t @ b,
        problem.start(),
        jac=lambda b: Q @ b - problem.t,
        method="SLSQP",
        bounds=Bounds(problem.lower, problem.upper),
        constraints=[LinearConstraint(sums, problem.total, problem.total)] if len(sums) else [],
        options={"ftol": 1e-13, "maxiter": 2000},
    )
    assert found.success, found.message
    return -float(found.fun)


@pytest.mark.theorem("Platt99")
@given(drawn)
def test_a_pair_stays_in_the_box_keeps_the_sums_and_never_loses(case):
    """Every step of SMO keeps lower <= b <= upper and the sum of each group, and raises the dual objective."""
    K, problem = case
    b = problem.start()
    before = -np.inf
    for step in islice(smo(K, problem, 1e-6, b), 3000):
        assert step.objective >= before - 1e-12 * abs(before)
        assert 0 < step.by <= step.whole * (1 + 1e-9)
        assert np.all((problem.lower <= b) & (b <= problem.upper))
        if step.by < step.whole * (1 - 1e-9):
            i, j = step.at
            assert b[i] == problem.upper[i] or b[j] == problem.lower[j]
        sums = [b[problem.groups == g].sum() for g in range(len(problem.total))]
        np.testing.assert_allclose(sums, problem.total, atol=1e-11)
        before = step.objective


@given(st.integers(0, 10**6))
def test_a_pair_that_is_cut_lands_on_the_bound_to_the_last_bit(seed):
    rng = np.random.default_rng(seed)
    for C in rng.uniform(0.1, 1.0, (40, 2)):
        problem = BoxProblem.c_svc([1.0, -1.0], C)
        b = rng.uniform() * C.min() * problem.t
        ascent = Ascent(1e-3 * np.eye(2), problem, b)
        ascent.two(0, 1)
        assert b[0] == C[0] or b[1] == -C[1]
        assert b[0] <= C[0]
        assert b[1] >= -C[1]


@pytest.mark.theorem("Platt99")
@given(drawn, st.floats(-2, 2))
def test_the_whole_pair_step_is_the_maximum_along_its_line(case, other):
    """Along b + s (e_i - e_j) the dual objective is largest at s = (F_j - F_i) / (K_ii + K_jj - 2 K_ij)."""
    K, problem = case
    ascent = Ascent(K, problem)
    pair = ascent.pair(1e-9)
    if pair is None:
        return
    i, j = pair
    start, Q, t = ascent.b.copy(), ascent.K, problem.t
    whole = ascent.two(i, j).whole

    def value(s):
        b = start.copy()
        b[i] += s
        b[j] -= s
        return t @ b - b @ Q @ b / 2

    assert value(whole) >= value(other) - 1e-9
    assert value(whole) >= value(whole * (1 + other / 10)) - 1e-9


@given(drawn, st.sampled_from(list(RULES)))
def test_single_coordinates_stay_in_the_box_and_never_lose(case, rule):
    K, problem = case
    problem = problem.without_sums()
    b, before = problem.start(), -np.inf
    for step in islice(coordinate_ascent(K, problem, rule, 1e-6, b, seed=3), 3000):
        assert step.objective >= before - 1e-12 * abs(before)
        assert len(step.at) == 1
        assert np.all((problem.lower <= b) & (b <= problem.upper))
        assert step.objective == pytest.approx(_dual(K, problem, b), abs=1e-9)
        before = step.objective


def _dual(K, problem, b):
    c = problem.items(b)
    return problem.t @ b - c @ K @ c / 2


@pytest.mark.parametrize("name", FORMULATIONS)
def test_pairs_reach_the_optimum(name):
    K, problem = make(name, np.random.default_rng(5), 24)
    b = problem.start()
    steps = list(smo(K, problem, 1e-9, b))
    assert steps[-1].objective == pytest.approx(_dual(K, problem, b), abs=1e-10)
    assert steps[-1].objective == pytest.approx(optimum(K, problem), abs=1e-5)


@pytest.mark.theorem("HsiehEtAl08")
@given(drawn)
def test_all_rules_reach_one_optimum(case):
    """In turn, by chance or greedily: coordinate ascent ends at the same dual objective and the same function."""
    K, problem = case
    problem = problem.without_sums()
    found = {}
    for rule in RULES:
        b = problem.start()
        list(coordinate_ascent(K, problem, rule, 1e-8, b, seed=1))
        found[rule] = (_dual(K, problem, b), K @ problem.items(b))
    for value, f in found.values():
        assert value == pytest.approx(found["greedy"][0], abs=1e-6)
        np.testing.assert_allclose(f, found["greedy"][1], atol=1e-3)


def test_coordinates_reach_the_optimum_without_bias():
    K, problem = make("c_svc", np.random.default_rng(6), 30)
    problem = problem.without_sums()
    b = problem.start()
    list(coordinate_ascent(K, problem, "greedy", 1e-9, b))
    assert _dual(K, problem, b) == pytest.approx(optimum(K, problem), abs=1e-5)


def test_smo_finds_libsvms_model():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + 0.4 * rng.normal(size=80) > 0, 1.0, -1.0)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    problem = BoxProblem.c_svc(y, 1.5)
    b = problem.start()
    list(smo(K, problem, 1e-8, b))
    theirs = svm.SVC(C=1.5, gamma=0.5, tol=1e-8).fit(X, y)
    coef = np.zeros(80)
    coef[theirs.support_] = theirs.dual_coef_[0]
    np.testing.assert_allclose(b, coef, atol=1e-5)
    intercept, rho = intercept_of(problem, K @ b - problem.t, b)
    assert intercept == pytest.approx(theirs.intercept_[0], abs=1e-6)
    assert rho == 0


def test_the_offsets_of_nu_svc_and_nu_svr_are_libsvms():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y, z = np.where(X[:, 0] + 0.4 * rng.normal(size=60) > 0, 1.0, -1.0), X[:, 0] + 0.3 * rng.normal(size=60)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    problem = BoxProblem.nu_svc(y, np.ones(60), 0.4)
    b = problem.start()
    list(smo(K, problem, 1e-9, b))
    intercept, rho = intercept_of(problem, K @ b - problem.t, b)
    theirs = svm.NuSVC(nu=0.4, gamma=0.5, tol=1e-8).fit(X, y)
    np.testing.assert_allclose((K @ b + intercept) / rho, theirs.decision_function(X), atol=1e-4)
    problem = BoxProblem.nu_svr(z, 1.0, np.ones(60), 0.4)
    b = problem.start()
    list(smo(K, problem, 1e-9, b))
    F = np.tile(K @ problem.items(b), 2) - problem.t
    intercept, rho = intercept_of(problem, F, b)
    theirs = svm.NuSVR(nu=0.4, gamma=0.5, tol=1e-8).fit(X, z)
    np.testing.assert_allclose(K @ problem.items(b) + intercept, theirs.predict(X), atol=1e-5)
    assert -rho > 0


def test_without_free_variables_the_middle_of_the_interval_is_taken():
    problem = BoxProblem.c_svc([1.0, -1.0], 0.5)
    K = np.array([[1.0, 0.0], [0.0, 1.0]])
    b = problem.start()
    list(smo(K, problem, 1e-6, b))
    np.testing.assert_array_equal(b, [0.5, -0.5])
    assert intercept_of(problem, K @ b - problem.t, b)[0] == 0.0


def test_a_single_coordinate_cannot_keep_a_sum():
    K, problem = make("c_svc", np.random.default_rng(0), 6)
    with pytest.raises(ValueError, match="cannot move while sums are fixed"):
        next(coordinate_ascent(K, problem))


@pytest.mark.parametrize("rule", list(RULES))
def test_what_rounding_holds_still_ends(rule):
    """Two equal items and tol = 0: the slopes never vanish exactly, yet the climb ends."""
    K = np.array([[1.0, 1.0, 0.3], [1.0, 1.0, 0.3], [0.3, 0.3, 1.0]]) / 3
    problem = BoxProblem.c_svc([1.0, 1.0, -1.0], 10.0)
    assert len(list(islice(smo(K, problem, 0.0), 10**5))) < 10**5
    assert len(list(islice(coordinate_ascent(K, problem.without_sums(), rule, 0.0), 10**5))) < 10**5
