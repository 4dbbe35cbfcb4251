"""Separability (A5): every verdict is re-verified in fractions, and compared with brute force."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracle.separability import is_separable

from widemargin.base.errors import BadInput
from widemargin.certificate import rational
from widemargin.certificate.separation import find_separator

integers = st.integers(-6, 6)


@st.composite
def labelled(draw, most=9):
    d = draw(st.integers(1, 3))
    n = draw(st.integers(2, most))
    X = draw(st.lists(st.lists(integers, min_size=d, max_size=d), min_size=n, max_size=n))
    y = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    return np.array(X, dtype=float), np.array(y)


@st.composite
def crossing(draw):
    """Two classes whose hulls share a point: the weighted mean of rows of one, given to the other."""
    X, _ = draw(labelled())
    weights = draw(st.lists(st.integers(1, 4), min_size=len(X), max_size=len(X)))
    total = 1 << sum(weights).bit_length()
    weights[0] += total - sum(weights)  # a power of two, so that the mean is a float
    inside = np.array(weights) @ X / total
    return np.vstack([X, inside]), np.array([0] * len(X) + [1])


@st.composite
def apart(draw):
    """Integer rows strictly on either side of a plane with integer coefficients."""
    X, _ = draw(labelled())
    w = np.array(draw(st.lists(integers, min_size=X.shape[1], max_size=X.shape[1])), dtype=float)
    u = X @ w - draw(integers)
    return X[u != 0], np.sign(u[u != 0])


def signed_rows(X, y, classes, intercept=True):
    sign = [1 if label == classes[1] else -1 for label in y]
    return [[s * Fraction(float(v)) for v in [*x, float(intercept)]] for x, s in zip(X, sign, strict=True)]


def verify(X, y, answer, intercept=True):
    """Recompute the whole proof without rounding; float witnesses are held to their claimed bound."""
    z = signed_rows(X, y, answer.classes, intercept)
    if answer.separable:
        v = answer.rational or [Fraction(float(a)) for a in [*answer.coef, answer.intercept]]
        products = [sum(a * b for a, b in zip(v, row, strict=True)) for row in z]
        assert min(products) > 0
        if answer.rational is None or [Fraction(float(a)) for a in [*answer.coef, answer.intercept]] == list(v):
            assert Fraction(answer.margin) ** 2 * sum(a * a for a in v) <= min(products) ** 2
    weights = [Fraction(float(c)) for c in answer.witness]
    assert min(weights) >= 0
    total = sum(weights)
    assert abs(total - 1) < Fraction(1, 10**12)
    if answer.separable is False:
        if answer.rational is not None:
            weights = [answer.rational.get(i, Fraction(0)) for i in range(len(z))]
            assert sum(weights) == 1
            assert min(weights) >= 0
        residual = [sum(c * row[j] for c, row in zip(weights, z, strict=True)) for j in range(len(z[0]))]
        size = max(abs(v) for row in z for v in row)
        assert max(map(abs, residual)) <= (0 if answer.rational is not None else size * Fraction(1, 10**14))
    else:
        residual = [sum(c * row[j] for c, row in zip(weights, z, strict=True)) for j in range(len(z[0]))]
        assert sum(r * r for r in residual) <= (Fraction(answer.margin_upper) * total) ** 2


@pytest.mark.theorem("Gordan1873")
@given(crossing(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_every_inseparable_set_gets_a_witness(sample, exact):
    """If the hulls of the classes meet, then lambda >= 0 with sum 1 and sum lambda_i y_i [x_i, 1] = 0 exists."""
    X, y = sample
    answer = find_separator(X, y, exact=exact)
    assert answer.separable is False
    assert answer.margin_upper == 0
    assert answer.exact or not exact
    verify(X, y, answer)


@pytest.mark.theorem("Gordan1873")
@given(apart(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_every_separable_set_gets_a_separator(sample, exact):
    """If the classes lie strictly on either side of some plane, such a plane is returned, with no row on it."""
    X, y = sample
    if len(set(y)) < 2:
        return
    answer = find_separator(X, y, exact=exact)
    assert answer.separable is True
    assert 0 < answer.margin <= answer.margin_upper
    verify(X, y, answer)


@given(labelled(), st.booleans(), st.booleans())
@settings(max_examples=120, deadline=None)
def test_verdict_is_that_of_brute_force(sample, intercept, as_sparse):
    X, y = sample
    given_x = sparse.csc_array(X) if as_sparse else X
    answer = find_separator(given_x, y, fit_intercept=intercept)
    z = signed_rows(X, y, answer.classes, intercept)
    assert answer.separable is is_separable(z)
    verify(X, y, answer, intercept)


@given(labelled(most=12))
@settings(max_examples=100, deadline=None)
def test_integer_simplex_agrees_with_brute_force(sample):
    X, y = sample
    z = [[int(v) for v in row] for row in signed_rows(X, y, [0, 1])]
    verdict = rational.decide(z)
    assert (verdict.separator is not None) is is_separable(z)
    if verdict.separator is not None:
        assert all(sum(a * b for a, b in zip(verdict.separator, row, strict=True)) > 0 for row in z)
    else:
        assert min(verdict.witness) >= 0
        assert max(verdict.witness) > 0
        assert all(sum(c * row[j] for c, row in zip(verdict.witness, z, strict=True)) == 0 for j in range(len(z[0])))


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=8, unique=True), st.integers(-60, 60))
@settings(max_examples=60, deadline=None)
def test_scale_of_the_data_does_not_change_the_verdict(values, exponent):
    X = np.sort(np.array(values))[:, None] * 2.0**exponent
    y = np.arange(len(values)) >= 2
    assert find_separator(X, y).separable is True
    y[0] = True
    assert find_separator(X, y).separable is False


def test_numbers_between_two_integer_types_are_not_rounded():
    """Integers that need 64 bits with sign in one row once passed through float64 and gave a false witness."""
    X = np.sort(np.array([0.0, -1.0, -202.0, -0.9999899864196777]))[:, None] * 2.0**-42
    y = [0, 0, 1, 1]
    assert find_separator(X, y).separable is True
    numbers, scale = rational.as_integers([Fraction(2**63, 2**65), Fraction(-1, 2**65)])
    assert (numbers, scale) == ([2**63, -1], 2**65)


@pytest.mark.parametrize("label", [2.0**-52, 2.0**-51])
def test_a_gap_of_one_rounding_unit_is_separable_and_is_not_denied(label):
    """Float64 cannot tell 1 from 1 + 2^-52 by any w.x + b it can hold; the fractions can."""
    X = np.array([[1.0], [1.0 + label]])
    answer = find_separator(X, ["a", "b"])
    assert answer.separable is True
    assert answer.exact
    assert 0 < answer.margin <= answer.margin_upper < 1e-14
    verify(X, ["a", "b"], answer)


def test_large_sets_are_decided_from_few_rows():
    random = np.random.default_rng(3)
    X = random.standard_normal((20_000, 8))
    u = X @ random.standard_normal(8) + 0.1
    wide = np.abs(u) > 0.1
    answer = find_separator(X[wide], u[wide] > 0)
    assert answer.separable is True
    # The widest separator is found: nothing is wider than a hundredth of a percent more.
    assert answer.margin_upper <= 1.0001 * answer.margin
    y = u > 0
    y[np.argmax(u)] = False
    answer = find_separator(X, y)
    assert answer.separable is False
    assert np.count_nonzero(answer.witness) <= 10
    verify(X[answer.witness > 0], y[answer.witness > 0], find_separator(X[answer.witness > 0], y[answer.witness > 0]))


def test_wide_sparse_data_are_decided():
    X = sparse.random_array((300, 900), density=0.01, rng=np.random.default_rng(0), format="csr")
    y = np.arange(300) % 2
    answer = find_separator(X, y)
    assert answer.separable == (np.unique(X.toarray(), axis=0).shape[0] == 300)
    X = sparse.vstack([X, X[:1]], format="csr")
    answer = find_separator(X, np.append(y, 1 - y[0]))
    assert answer.separable is False
    assert answer.exact


def test_rows_of_weight_zero_are_absent():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    assert find_separator(X, y).separable is False
    answer = find_separator(X, y, sample_weight=[1, 1, 0])
    assert answer.separable is True
    assert answer.witness[2] == 0
    answer = find_separator([*X, [3.0], [9.0]], [*y, 1, 1], sample_weight=[0, 1, 1, 1, 5], exact=True)
    assert set(answer.rational) in ({1, 2, 3}, {1, 2, 4})


def test_labels_of_any_kind_keep_their_sign():
    answer = find_separator(np.array([[0], [3]]), ["spam", "ham"])
    assert list(answer.classes) == ["ham", "spam"]
    assert answer.intercept > 0 > 3 * answer.coef[0] + answer.intercept


@pytest.mark.parametrize(
    ("X", "y", "weight", "says"),
    [
        ([[1.0], [np.nan]], [0, 1], None, "NaN"),
        ([[1.0], [2.0]], [0, 0], None, "1 different label"),
        ([[1.0], [2.0], [3.0]], [0, 1, 2], None, "3 different label"),
        ([[1.0], [2.0]], [0, 1, 1], None, r"\(3,\)"),
        ([1.0, 2.0], [0, 1], None, "1 dimension"),
        ([["a"], ["b"]], [0, 1], None, "numbers"),
        ([[1.0], [2.0]], [0, 1], [1, -1], "at least 0"),
        ([[1.0], [2.0]], [0, 1], [1, 0], "on 1 rows of positive weight"),
    ],
)
def test_bad_input_is_named(X, y, weight, says):
    with pytest.raises(BadInput, match=says):
        find_separator(X, y, sample_weight=weight)


@given(labelled(), st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_huge_and_tiny_columns_never_give_a_wrong_verdict(sample, column):
    X, y = sample
    truth = find_separator(X, y).separable
    X = X.copy()
    X[:, column % X.shape[1]] *= 2.0**900
    X[:, (column + 1) % X.shape[1]] *= 2.0**-950
    assert find_separator(X, y).separable in (truth, None)
