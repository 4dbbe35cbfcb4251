"""The last digits: what two variables of one item have in common, and machines whose tube is empty."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import widemargin as wm
from widemargin.model.box import BoxProblem
from widemargin.solver.active_set import parted


@st.composite
def points(draw):
    """A problem with two variables an item, and a point of it."""
    n = draw(st.integers(1, 12))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    z, w = random.normal(size=n), random.integers(1, 4, n).astype(float)
    share = random.choice([0.0, 0.3, 1.0], size=(2, n)) * random.random((2, n)) ** random.integers(0, 3)
    b = np.concatenate([share[0] * w, -share[1] * w])
    nu = draw(st.booleans())
    problem = BoxProblem.nu_svr(z, 1.0, w, 0.5) if nu else BoxProblem.eps_svr(z, draw(st.sampled_from([0.0, 0.2])), w)
    return problem, b


@given(points())
def test_parted_variables_are_the_same_point_of_the_model(given_point):
    """Coefficients and, where each side has its own, sums stay; the objective does not rise; at most one item has both
    variables inside of their boxes, and none away from 0 twice where one sum binds both."""
    problem, b = given_point
    n, new = problem.n, parted(problem, b)
    assert_allclose(problem.items(new), problem.items(b), rtol=0, atol=1e-15 * problem.upper.max())
    assert (new >= problem.lower).all()
    assert (new <= problem.upper).all()
    assert problem.t @ new >= problem.t @ b - 1e-12
    if len(problem.total) == 2:
        for side in (slice(n), slice(n, None)):
            assert math.isclose(new[side].sum(), b[side].sum(), abs_tol=1e-12)
        inside = (new > problem.lower) & (new < problem.upper)
        assert np.count_nonzero(inside[:n] & inside[n:]) <= 1
    else:
        assert not (new[:n] * new[n:]).any()


def test_one_variable_an_item_is_left_alone():
    problem = BoxProblem.c_svc([1, -1, 1], 2.0)
    b = np.array([1.0, -1.5, 0.5])
    assert parted(problem, b) is b


def binary(n, seed):
    random = np.random.default_rng(seed)
    return (random.random((n, 180)) < 0.25).astype(float), random.integers(1, 4, n).astype(float)


def noise():
    random = np.random.default_rng(0)
    return random.standard_normal((200, 100)), random.standard_normal(200)


EMPTY = {"noise": (noise, 0.01), "400": (lambda: binary(400, 0), "scale"), "800": (lambda: binary(800, 1), "scale")}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_tube_is_solved_to_the_last_digits(name):
    """Every item has a free variable, and only one of them both: the equations are not the same twice."""
    data, gamma = EMPTY[name]
    X, z = data()
    model = wm.NuSVR(C=10.0, nu=0.5, gamma=gamma, tol=1e-8, gap_tol=1e-9).fit(X, z)
    assert model.converged_, model.stop_reason_
    assert model.certificate_.holds
    assert model.certificate_.n_free <= len(z) + 1
    assert 0.0 <= model.epsilon_ < 1e-12
    assert math.copysign(1.0, model.epsilon_) == 1.0
    assert math.copysign(1.0, model.certificate_.infeasibility) == 1.0
    assert_allclose(model.predict(X), z, atol=1e-6)


@pytest.mark.parametrize("n", [60, 400])
def test_a_tube_of_width_zero_pulls_no_row_both_ways(n):
    X, z = binary(n, n)
    model = wm.SVR(C=100.0, epsilon=0.0, gap_tol=1e-9, tol=1e-8).fit(X, z)
    assert model.converged_, model.stop_reason_
    b = model.proof_.b
    assert_array_equal(b[:n] * b[n:], 0.0)


def test_the_width_of_a_tube_is_never_negative():
    """Equal targets: nothing is left to fit."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    model = wm.NuSVR(C=1.0).fit(X, np.ones(30))
    assert math.copysign(1.0, model.epsilon_) == 1.0
    assert model.epsilon_ < 1e-12
