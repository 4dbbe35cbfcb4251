"""Explicit feature maps: their dot products are the kernel."""

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.kernels.expressions import FINITE, D, gram_matrix

import widemargin as wm
from widemargin.base.errors import BadInput
from widemargin.kernels import (
    RBF,
    ChiSquared,
    FeatureMap,
    Function,
    Laplacian,
    Linear,
    Mahalanobis,
    Polynomial,
    Precomputed,
    Tanh,
    feature_map,
)


@pytest.mark.theorem("ShaweTaylorCristianini04")
@given(FINITE, st.integers(0, 10**6), st.booleans())
def test_dot_products_of_features_are_the_kernel(kernel, seed, sparse):
    """phi(x).phi(z) = k(x, z) for every kernel that is a polynomial of rows with coefficients >= 0."""
    X = np.random.default_rng(seed).normal(size=(9, D)) * np.random.default_rng(seed + 1).integers(0, 2, (9, D))
    phi = feature_map(kernel, D)
    features = phi.transform(sp.csr_array(X) if sparse else X)
    assert sp.issparse(features) == sparse
    assert features.shape == (9, phi.n_features) == (9, len(phi.get_feature_names_out()))
    dots = (features @ features.T).toarray() if sparse else features @ features.T
    K = kernel(X)
    assert_allclose(dots, K, rtol=1e-9, atol=1e-10 * max(np.abs(K).max(), 1e-300))


def test_the_square_of_a_dot_product_has_three_features():
    for kernel in (Polynomial(2, offset=0), Linear() * Linear(), Linear().polynomial([0, 0, 1])):
        phi = feature_map(kernel, 2)
        assert phi.monomials_ == [(0, 0), (0, 1), (1, 1)]
        assert_allclose(phi.weights_, [1, math.sqrt(2), 1])
        assert phi.get_feature_names_out().tolist() == ["x0^2", "1.41421 x0 x1", "x1^2"]
        assert_allclose(phi.transform([[3.0, 5.0]]), [[9, 15 * math.sqrt(2), 25]])


def test_the_features_of_a_polynomial_are_counted():
    for d, p in [(2, 3), (5, 2), (7, 4), (3, 0), (4, 1)]:
        assert feature_map(Polynomial(p, 0.5, 2.0), d).n_features == math.comb(d + p, p)
        assert feature_map(Polynomial(p, 0.5, 0.0), d).n_features == math.comb(d + p - 1, p)
    assert feature_map(Mahalanobis(gram_matrix(1, 5, 2)), 5).n_features == 2
    assert feature_map(Linear() + Linear().on([0]), 3).n_features == 3
    assert feature_map(Linear() + Mahalanobis(gram_matrix(1, 3, 2)), 3).n_features == 5


def test_equal_columns_are_counted_as_often_as_they_are_chosen():
    phi = feature_map(Polynomial(2, offset=0).on([0, 0, 1]), 2)
    assert_allclose(phi.weights_**2, [4, 4, 1])
    assert phi.monomials_ == [(0, 0), (0, 1), (1, 1)]


def test_names_are_those_of_the_columns():
    X = pd.DataFrame({"age": [1.0, 2.0], "height": [3.0, 5.0]})
    phi = feature_map((Polynomial(2) + Mahalanobis(np.eye(1)).on("height")).on(["age", "height"]), X)
    names = phi.get_feature_names_out().tolist()
    assert names[:3] == ["1", "1.41421 age", "1.41421 height"]
    assert "(R0 x)[0]" in names
    table = FeatureMap(Polynomial(2)).set_output(transform="pandas").fit_transform(X)
    assert table.columns.tolist() == ["1", "1.41421 age", "1.41421 height", "age^2", "1.41421 age height", "height^2"]


def test_a_linear_learner_on_features_is_a_kernel_learner():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    y = (X**2).sum(axis=1) > 1.5
    linear = make_pipeline(feature_map(Polynomial(2)), wm.Perceptron(fit_intercept=False)).fit(X, y)
    kernel = wm.KernelPerceptron(kernel=Polynomial(2), fit_intercept=False).fit(X, y)
    assert_array_equal(linear.predict(X), y)
    assert_array_equal(kernel.predict(X), y)
    assert linear[-1].n_updates_ == kernel.n_updates_


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: feature_map(RBF(0.1)), r"exp\(-0\.1 \|x - z\|²\) has no finite feature map"),
        (lambda: feature_map(Linear() + Laplacian(1)), r"\|x - z\|₁\) has no finite"),
        (lambda: feature_map(ChiSquared()), "no finite"),
        (lambda: feature_map(Linear().exp()), r"exp\(x·z\) has no finite"),
        (lambda: feature_map(Linear().normalized(), 3), "no finite"),
        (lambda: feature_map(Tanh()), "no finite"),
        (lambda: feature_map(Function(max)), "no finite"),
        (lambda: feature_map(Precomputed()), "no finite"),
        (lambda: feature_map(Polynomial(5), 100), f"has {math.comb(105, 5)} features, and at most 100000"),
        (lambda: feature_map(Polynomial(3) * Polynomial(3), 30), "has more than 1[0-9]{5} features"),
        (lambda: feature_map(Linear().polynomial([0, 0, 1]), 4, max_features=9), "more than 10 features"),
        (lambda: feature_map(Mahalanobis(np.eye(3)), 4), "A is for 3 features, but the rows have 4"),
        (lambda: feature_map(Linear().on(7), 4), "column 7"),
        (lambda: feature_map(Polynomial(5), 1).transform([[1e80]]), "overflows"),
    ],
)
def test_what_cannot_be_written_out_is_refused(make, message):
    with pytest.raises(BadInput, match=message):
        make()


def test_without_rows_or_their_width_a_map_is_not_fitted():
    with pytest.raises(NotFittedError):
        feature_map(Polynomial(2)).transform([[1.0]])
    with pytest.raises(NotFittedError):
        _ = feature_map(Polynomial(2)).n_features


@parametrize_with_checks([FeatureMap(Polynomial(2)), FeatureMap(Linear() + Polynomial(3, 0.1))])
def test_scikit_learn_check(estimator, check):
    check(estimator)
