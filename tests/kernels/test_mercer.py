"""Mercer's condition on a sample: the smallest eigenvalue, and a witness that anybody can check."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from tests.kernels.expressions import EVERY_KIND, KERNELS, D

from widemargin.base.errors import BadInput, NotPositiveSemidefinite
from widemargin.kernels import RBF, Function, Linear, ListItems, Precomputed, RowItems, Tanh, mercer, warn_unless_psd


def rows(n=60, seed=0):
    return np.random.default_rng(seed).gamma(1.0, size=(n, D))


@pytest.mark.theorem("Mercer1909")
@given(KERNELS, st.integers(0, 10**6))
def test_no_kernel_has_a_witness_against_it(kernel, seed):
    """If k is positive semidefinite, no c has c'Kc < 0 beyond rounding."""
    found = mercer(kernel, rows(15, seed))
    assert found.psd
    assert found.witness is None
    assert found.smallest >= -found.bound


@given(st.sampled_from([0.5, 1.0, 3.0]), st.sampled_from([-0.5, -1.0, -2.0]), st.integers(0, 10**6))
def test_tanh_with_a_negative_offset_is_caught(alpha, beta, seed):
    X = rows(40, seed)
    X[0] = 0  # k(0, 0) = tanh(beta) < 0
    found = mercer(Tanh(alpha, beta), X)
    assert not found.psd
    c = found.witness
    K = np.tanh(alpha * X @ X.T + beta)
    assert c @ K[np.ix_(found.items, found.items)] @ c < 0
    assert abs(found.value - c @ K @ c) <= found.value_bound
    assert found.smallest <= np.linalg.eigvalsh(K)[0] + found.bound
    assert "not positive semidefinite" in str(found)
    assert f"cᵀKc = {found.value:.3g}" in str(found)


def test_the_smallest_eigenvalue_is_that_of_the_matrix():
    X = rows()
    for kernel in EVERY_KIND:
        found = mercer(kernel, X)
        assert abs(found.smallest - np.linalg.eigvalsh(kernel(X))[0]) <= found.bound
        assert (found.n, found.n_items) == (60, 60)


def test_a_large_set_is_sampled_by_the_seed():
    X = rows(300)
    one, two = (mercer(RBF(0.5), X, max_items=50, random_state=s) for s in (0, 1))
    assert (one.n, one.n_items) == (50, 300)
    assert not np.array_equal(one.items, two.items)
    assert_array_equal(one.items, mercer(RBF(0.5), X, max_items=50).items)
    assert "on 50 items drawn from 300" in str(one)


def test_rounding_alone_is_no_witness():
    """Rank 1 and 200 rows: half of the computed eigenvalues are negative, by rounding."""
    found = mercer(Linear(), np.outer(np.linspace(1, 2, 200), np.ones(3)) * 1e6)
    assert found.psd
    assert found.smallest < 0
    indefinite = mercer(Precomputed(), np.diag([1.0, 1.0, -1e-9]))
    assert not indefinite.psd
    assert mercer(Precomputed(), np.diag([1.0, 1.0, -1e-9]), tol=1e-8).psd


@pytest.mark.parametrize("shift", [1e2, 1e4, 1e6])
@pytest.mark.parametrize("as_function", [False, True], ids=["core", "function"])
def test_values_that_cancel_are_no_witness(shift, as_function):
    """|x - z|² from dot products of long rows loses digits: the values are off by more than tol, and show it."""

    def by_products(X, Z):
        squares = (X**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - 2 * (X @ Z.T)
        return np.exp(-0.01 * np.maximum(squares, 0))

    assert mercer(Function(by_products) if as_function else RBF(0.01), rows(300) + shift).psd


def test_what_is_not_symmetric_is_no_kernel():
    found = mercer(lambda X, Z: X[:, :1] @ Z[:, 1:2].T, rows())
    assert not found.psd
    assert found.asymmetry > 0
    order = mercer(Function(lambda a, b: float(a <= b) + 2.0 * (a == b)), ["a", "b", "c"])
    assert not order.psd
    assert order.witness is None
    assert "not symmetric" in str(order)


def test_estimators_can_warn_with_the_witness():
    X = rows(500)
    with pytest.warns(NotPositiveSemidefinite, match=r"tanh\(x·z - 3\) is not positive semidefinite") as caught:
        found = warn_unless_psd(Tanh(1, -3), RowItems(X))
    witness = caught[0].message.witness
    assert witness is found
    assert witness.n == 200
    sample = X[witness.items]
    assert witness.witness @ np.tanh(sample @ sample.T - 3) @ witness.witness < 0
    assert pickle.loads(pickle.dumps(witness)).value == witness.value
    with pytest.warns(NotPositiveSemidefinite):
        warn_unless_psd(2 * Tanh(1, -3) + Linear(), RowItems(X))
    with pytest.warns(NotPositiveSemidefinite):
        warn_unless_psd(Function(lambda a, b: -1.0), ListItems(["a"]))
    with pytest.warns(NotPositiveSemidefinite):
        warn_unless_psd(Precomputed(), Precomputed().prepare(-np.eye(3)))


def test_kernels_that_are_psd_by_nature_are_not_looked_at():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert warn_unless_psd(RBF(0.5), None) is None
        assert warn_unless_psd(Function(lambda A, B: A @ B.T), RowItems(rows())).psd


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mercer(RBF(1), rows(), tol=-1), "tol is -1"),
        (lambda: mercer(RBF(1), rows(), max_items=0), "max_items is 0"),
        (lambda: mercer(Function(lambda a, b: 1.0), [""][:0] or ListItems([])), "no items"),
        (lambda: mercer(Function(lambda A, B: A @ B.T * np.inf), rows()), "gave inf"),
        (lambda: mercer("cosine", rows()), "'cosine'"),
    ],
)
def test_what_cannot_be_tried_is_refused(make, message):
    with pytest.raises(BadInput, match=message):
        make()


def test_names_of_kernels_are_taken():
    assert mercer("rbf", rows()).psd
    assert not mercer("precomputed", -np.eye(3)).psd


@pytest.mark.parametrize(("shift", "advice"), [(0.0, "float64 for a certificate"), (0.5, "may have no optimum")])
def test_a_matrix_rounded_to_float32_is_told_to_be_that(shift, advice):
    X = np.random.default_rng(0).normal(size=(150, 2))
    K = (RBF(0.5)(X) - shift).astype(np.float32)
    items = Precomputed().training(K, len(K), None)
    with pytest.warns(NotPositiveSemidefinite, match=advice):
        warn_unless_psd(Precomputed(), items)
