"""Novikoff's bound and the other figures of a perceptron (A3), against plain loops and fractions."""

import math
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from widemargin.certificate.perceptron import (
    augmented_margin,
    certify_perceptron,
    margin_upper_from_counts,
    mistake_bound,
    radius,
    replay_weights,
)

small = st.integers(-8, 8)


@st.composite
def separable(draw):
    """Rows with a known separator: integers, so that everything can be recomputed as fractions."""
    d = draw(st.integers(1, 3))
    X = np.array(draw(st.lists(st.lists(small, min_size=d, max_size=d), min_size=2, max_size=12)), dtype=float)
    v = np.array(draw(st.lists(small, min_size=d + 1, max_size=d + 1)), dtype=float)
    u = X @ v[:-1] + v[-1]
    if not np.any(u):
        X, v, u = np.eye(d), np.append(np.ones(d), 0.0), np.ones(d)
    return X[u != 0], np.sign(u[u != 0]), v


def perceptron(X, y, eta=1.0, start=None, epochs=10_000, steps=None):
    """Rosenblatt's loop, row by row."""
    w = np.zeros(X.shape[1] + 1) if start is None else start.copy()
    counts = np.zeros(len(y), dtype=int)
    for _ in range(epochs):
        before = counts.sum()
        for i, z in enumerate(np.hstack([X, np.ones((len(y), 1))])):
            if y[i] * (w @ z) <= 0:
                w = w + eta * (1.0 if steps is None else steps[i]) * y[i] * z
                counts[i] += 1
        if counts.sum() == before:
            return w, counts
    return w, counts


def exact_bound(X, y, v):
    z = [[Fraction(s) * Fraction(a) for a in [*x, 1]] for x, s in zip(X.tolist(), y.tolist(), strict=True)]
    products = [sum(a * Fraction(b) for a, b in zip(row, v.tolist(), strict=True)) for row in z]
    length = sum(Fraction(a) ** 2 for a in v.tolist())
    return max(sum(a * a for a in row) for row in z) * length / min(products) ** 2


@pytest.mark.theorem("Novikoff62")
@given(separable(), st.sampled_from([0.25, 1.0, 3.0]))
@settings(max_examples=80, deadline=None)
def test_updates_stay_within_the_bound_of_any_separator(sample, eta):
    """From a zero start, updates <= R^2 |v|^2 / min(y x.v)^2 for every separator v."""
    X, y, v = sample
    _, counts = perceptron(X, y, eta)
    bound = mistake_bound(X, y, v[:-1], v[-1])
    assert counts.sum() <= bound
    assert bound == math.floor(exact_bound(X, y, v))


@pytest.mark.theorem("Novikoff62")
@given(separable(), st.lists(small, min_size=4, max_size=4), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=80, deadline=None)
def test_updates_from_any_start_stay_within_the_general_bound(sample, start, eta):
    """From w_1 with step eta, updates <= |w_1/eta - a v|^2 / R^2 with a = R^2 / min(y x.v)."""
    X, y, v = sample
    start = np.array(start[: v.size], dtype=float)
    _, counts = perceptron(X, y, eta, start)
    assert counts.sum() <= mistake_bound(X, y, v[:-1], v[-1], w_start=start, eta=eta)
    zero = mistake_bound(X, y, v[:-1], v[-1], w_start=np.full(v.size, 1e-300), eta=eta)
    assert abs(zero - mistake_bound(X, y, v[:-1], v[-1])) <= 1


@given(separable(), st.data())
@settings(max_examples=60, deadline=None)
def test_weighted_steps_multiply_the_bound_by_their_ratio(sample, data):
    X, y, v = sample
    steps = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(y), max_size=len(y))), dtype=float)
    w, counts = perceptron(X, y, steps=steps)
    assert counts.sum() <= mistake_bound(X, y, v[:-1], v[-1], steps=steps)
    assert certify_perceptron(X, y, w[:-1], w[-1], counts=counts, steps=steps).holds


def test_the_bound_is_reached_where_the_theorem_is_tight():
    """Orthogonal unit rows without intercept: n updates, R = 1, margin 1/sqrt(n)."""
    X = np.eye(7)
    assert mistake_bound(X, np.ones(7), np.ones(7), intercept=False) == 7


@pytest.mark.theorem("Novikoff62")
@given(separable())
@settings(max_examples=60, deadline=None)
def test_counts_bound_every_margin(sample):
    """|sum c_i y_i [x_i, 1]| / sum c_i is at least the margin of every unit separator."""
    X, y, v = sample
    w, counts = perceptron(X, y)
    upper = margin_upper_from_counts(X, y, counts)
    assert upper >= augmented_margin(X, y, v[:-1], v[-1])
    assert upper == pytest.approx(np.linalg.norm(w) / counts.sum(), rel=1e-12)


@given(separable(), st.booleans())
@settings(max_examples=40, deadline=None)
def test_certificate_of_an_honest_model_holds(sample, as_sparse):
    X, y, _ = sample
    w, counts = perceptron(X, y, 0.1)
    given_x = sparse.csr_array(X) if as_sparse else X
    c = certify_perceptron(given_x, y, w[:-1], w[-1], eta=0.1, counts=counts, prove=True)
    assert c.holds
    assert c.separable is True
    assert c.rows_wrong == 0
    assert c.updates == counts.sum() <= c.mistake_bound
    assert c.margin <= c.margin_upper
    weaker = certify_perceptron(given_x, y, w[:-1], w[-1], eta=0.1, counts=counts)
    assert weaker.margin >= 0
    # A margin too small for float64 gives no bound.
    assert weaker.mistake_bound is None or c.mistake_bound <= weaker.mistake_bound
    assert c.margin_upper <= weaker.margin_upper


@given(separable())
@settings(max_examples=30, deadline=None)
def test_figures_agree_with_plain_numpy(sample):
    X, y, v = sample
    Z = np.hstack([X, np.ones((len(y), 1))])
    assert radius(X) == pytest.approx(np.linalg.norm(Z, axis=1).max(), rel=1e-12)
    assert radius(X) >= np.linalg.norm(Z, axis=1).max() * (1 - 1e-15)
    assert augmented_margin(X, y, v[:-1], v[-1]) == pytest.approx(np.min(y * (Z @ v)) / np.linalg.norm(v), rel=1e-12)
    assert replay_weights(X, y, np.arange(len(y)), 0.5)[0] == pytest.approx(0.5 * (np.arange(len(y)) * y) @ Z)


XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([-1.0, -1.0, 1.0, 1.0])


def test_inseparable_data_are_proved_so_only_when_asked():
    X, y = XOR
    w, counts = perceptron(X, y, epochs=25)
    c = certify_perceptron(X, y, w[:-1], w[-1], counts=counts)
    assert (c.holds, c.separable, c.mistake_bound) == (True, None, None)
    assert 0 < c.margin_upper == pytest.approx(np.linalg.norm(w) / counts.sum())
    c = certify_perceptron(X, y, w[:-1], w[-1], counts=counts, prove=True, exact=True)
    assert (c.holds, c.separable, c.margin_upper) == (True, False, 0.0)
    assert "no separator exists (witness of 4 rows)" in c.claim
    assert c.witness == pytest.approx([0.25] * 4)


def test_falsified_figures_do_not_hold():
    X, y = np.array([[2.0], [-1.0], [5.0]]), np.array([1.0, -1.0, 1.0])
    w, counts = perceptron(X, y)
    assert certify_perceptron(X, y, w[:-1], w[-1], counts=counts).holds
    assert certify_perceptron(X, y, w[:-1] + 1e-12, w[-1], counts=counts).holds is False
    assert certify_perceptron(X, y, w[:-1], w[-1], counts=counts + 1).holds is False
    assert certify_perceptron(X, y, w[:-1], w[-1], counts=counts, updates=9).holds is False
    assert certify_perceptron(X, y, w[:-1], w[-1], updates=10**6).holds is False
    assert certify_perceptron(X, -y, w[:-1], w[-1], counts=counts).holds is False


def test_an_average_is_not_replayed():
    X, y = np.array([[2.0], [-1.0], [5.0]]), np.array([1.0, -1.0, 1.0])
    w, counts = perceptron(X, y)
    c = certify_perceptron(X, y, 3 * w[:-1], 3 * w[-1], counts=counts, plain=False)
    assert c.holds
    assert c.mistake_bound is None


def test_rows_exactly_on_the_boundary_count_as_wrong():
    """0.1 * 3 - 0.3 is not 0 in float64, but 0.1 and 0.3 are not what they seem either: fractions decide."""
    X, y = np.array([[0.1], [2.0]]), np.array([1.0, 1.0])
    c = certify_perceptron(X, y, np.array([3.0]), -0.30000000000000004)
    exact = 3 * Fraction(0.1) - Fraction(0.30000000000000004)
    assert c.rows_wrong == (exact <= 0)
    assert certify_perceptron(X, y, np.array([0.0]), 0.0).rows_wrong == 2


def test_a_certificate_cannot_be_altered():
    X, y = XOR
    with pytest.raises(FrozenInstanceError):
        certify_perceptron(X, y, np.ones(2), 0.0).holds = True
