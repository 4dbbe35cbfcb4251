"""Proofs that no hard margin exists in a feature space."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin.certificate.ray import check_ray
from widemargin.kernels import RBF, Linear, Polynomial
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
Y = np.array([1.0, 1.0, -1.0, -1.0])
EVEN = np.full(4, 0.25)


def source(kernel, X=XOR):
    return GramSource(kernel, RowItems(np.asarray(X, dtype=float)))


def test_xor_has_a_ray_for_lines_and_none_for_parabolas():
    certificate = check_ray(source(Linear()), Y, EVEN, data_digest="d")
    assert certificate.holds
    assert certificate.margin_upper < 1e-5
    assert certificate.data_digest == "d"
    assert "hulls meet" in certificate.claim
    failed = check_ray(source(Polynomial(2)), Y, EVEN)
    assert failed.holds is False
    assert "above rounding" in failed.claim


def test_one_point_in_both_classes_has_a_ray_for_every_kernel():
    X = np.array([[0.3, 2.0], [1.0, 1.0], [0.3, 2.0]])
    for kernel in (RBF(3.0), Polynomial(5), Linear()):
        assert check_ray(source(kernel, X), np.array([1.0, 1.0, -1.0]), np.array([0.5, 0.0, 0.5])).holds


@pytest.mark.parametrize(
    ("ray", "said"),
    [
        ([0.5, 0.5, 0.5, 0.5], "misses its conditions"),
        ([0.5, 0.5, 0.0, 0.0], "misses its conditions"),
        ([0.75, -0.25, 0.25, 0.25], "misses its conditions"),
        ([0.5, 0.0, 0.5, 0.0], "above rounding"),
        ([0.5, 0.5, np.nan, 0.0], "finite"),
        ([0.5, 0.5], "one an item"),
    ],
)
def test_a_wrong_ray_fails(ray, said):
    certificate = check_ray(source(Linear()), Y, np.array(ray))
    assert certificate.holds is False
    assert said in certificate.claim


@pytest.mark.theorem("Gordan1873")
@given(st.integers(0, 10**6), st.sampled_from([Linear(), Polynomial(2), RBF(0.5)]))
def test_no_separator_has_a_margin_above_the_rays(seed, kernel):
    """For lambda >= 0, sum 1, sum lambda y = 0, any w and b: min y (w.phi + b) <= |w| |sum lambda y phi|."""
    rng = np.random.default_rng(seed)
    X, c, b = rng.normal(size=(12, 2)), rng.normal(size=12), rng.normal()
    K = kernel(X)
    y = np.where(np.arange(12) % 2, 1.0, -1.0)
    ray = rng.uniform(size=12)
    for sign in (-1, 1):
        ray[y == sign] /= 2 * ray[y == sign].sum()
    upper = check_ray(source(kernel, X), y, ray).margin_upper
    assert np.min(y * (K @ c + b)) / np.sqrt(c @ K @ c) <= upper * (1 + 1e-9)
