"""Fewest mistakes of any hyperplane (A13): both bounds meet, and equal brute force on tiny sets."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from tests.oracle.separability import fewest_removed

from widemargin.certificate.separation import find_separator
from widemargin.study import fewest_mistakes, mistakes


def verify(X, y, answer):
    sign = np.where(np.asarray(y) == np.unique(y)[1], 1, -1)
    wrong = np.flatnonzero(sign * (X @ answer.coef + answer.intercept) <= 0)
    assert list(wrong) == list(answer.rows_wrong)
    assert len(wrong) == answer.upper
    for rows in answer.sets:
        assert find_separator(X[list(rows)], y[list(rows)]).separable is False


@st.composite
def tiny(draw):
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 2))
    X = draw(st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=n, max_size=n))
    y = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    return np.array(X, dtype=float), np.array(y)


@pytest.mark.theorem("GleesonRyan90")
@given(tiny())
@settings(max_examples=40, deadline=None)
def test_both_bounds_equal_brute_force_on_tiny_sets(sample):
    """The fewest rows to give up are a smallest set that meets every irreducible inseparable set."""
    X, y = sample
    z = [[int(s * v) for v in [*x, 1]] for x, s in zip(X, 2 * y - 1, strict=True)]
    answer = fewest_mistakes(X, y, max_time=60)
    assert answer.lower == answer.upper == fewest_removed(z)
    verify(X, y, answer)


@given(tiny())
@settings(max_examples=40, deadline=None)
def test_lower_bound_needs_no_help_from_above(sample):
    """Started with a poor hyperplane, the sets alone reach the optimum and never pass it."""
    X, y = sample
    sign = 2.0 * y - 1
    Z = np.hstack([X, np.ones((len(y), 1))]) * sign[:, None]
    best = mistakes._Best(X, sign)
    best.rows = np.arange(len(y))
    lower, sets = mistakes._lower_bound(X, sign, Z, best, 0, time.monotonic() + 60)
    assert lower == best.upper == fewest_removed(Z.astype(int).tolist())
    assert mistakes._hitting_set(dict.fromkeys(sets), len(y), time.monotonic() + 60)[1] <= lower


@pytest.mark.parametrize(("noise", "seed"), [(0.05, 0), (0.1, 1), (0.2, 2)])
def test_bounds_meet_on_sixty_points(noise, seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((60, 2))
    y = (X @ [1.0, 2.0] > 0.2) ^ (random.random(60) < noise)
    answer = fewest_mistakes(X, y, max_time=120)
    assert answer.gap == 0
    assert answer.upper > 0
    verify(X, y, answer)


def test_virginica_by_petals_costs_three_mistakes():
    X, y = load_iris(return_X_y=True)
    answer = fewest_mistakes(X[:, 2:], y == 2, max_time=120)
    assert (answer.lower, answer.upper) == (3, 3)
    assert "3 of 150" in answer.claim
    verify(X[:, 2:], y == 2, answer)


def test_separable_data_need_no_mistake():
    X, y = load_iris(return_X_y=True)
    answer = fewest_mistakes(X, y == 0)
    assert (answer.lower, answer.upper, answer.sets) == (0, 0, ())


def test_without_time_the_bounds_stay_valid():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((40, 3)), random.random(40) < 0.5
    answer = fewest_mistakes(X, y, max_time=0)
    full = fewest_mistakes(X, y, max_time=60)
    assert answer.lower <= full.upper <= answer.upper
    verify(X, y, answer)
