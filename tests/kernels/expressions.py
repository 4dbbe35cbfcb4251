"""Random kernel expressions from positive semidefinite blocks, and one of every kind."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from widemargin.kernels import RBF, ChiSquared, Function, Laplacian, Linear, Mahalanobis, Polynomial, Tanh

D = 4  # columns


def gram_matrix(seed: int, d: int = D, rank: int = 2) -> np.ndarray:
    R = np.random.default_rng(seed).normal(size=(rank, d))
    return R.T @ R


def dot(X, Z):
    return np.asarray((X @ Z.T).todense() if hasattr(X, "todense") else X @ Z.T)


EVERY_KIND = [
    Linear(),
    Polynomial(2, 0.5),
    RBF(0.3),
    Tanh(0.1, 0.2),
    Laplacian(0.4),
    ChiSquared(0.7),
    Mahalanobis(gram_matrix(0)),
    Linear() + RBF(0.5),
    Linear() * RBF(0.5),
    2.5 * RBF(0.5),
    RBF(0.5).on([0, 2]),
    RBF(0.5).on(slice(1, None)),
    (0.1 * Linear()).exp(),
    Linear().polynomial([1, 0, 2]),
    Polynomial(3).normalized(),
]

_gamma = st.sampled_from([0.01, 0.3, 2.0])
LEAVES = st.one_of(
    st.just(Linear()),
    st.builds(Polynomial, st.integers(0, 3), _gamma, st.sampled_from([0.0, 1.0, 2.5])),
    st.builds(RBF, _gamma),
    st.builds(Laplacian, _gamma),
    st.builds(ChiSquared, _gamma),
    st.builds(lambda seed, rank: Mahalanobis(gram_matrix(seed, rank=rank)), st.integers(0, 99), st.integers(1, D)),
    st.just(Function(dot)),
)
FINITE_LEAVES = st.one_of(
    st.just(Linear()),
    st.builds(Polynomial, st.integers(0, 3), _gamma, st.sampled_from([0.0, 1.0, 2.5])),
    st.builds(lambda seed, rank: Mahalanobis(gram_matrix(seed, rank=rank)), st.integers(0, 99), st.integers(1, D)),
)
_columns = st.one_of(
    st.permutations(range(D)),  # all of them, so that forms xᵀAz inside still fit
    st.just(slice(None, None, -1)),
)
_some = st.one_of(
    st.lists(st.integers(-D, D - 1), min_size=1, max_size=D), st.builds(slice, st.integers(0, D - 1), st.none())
)
_coefficients = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1, max_size=3)


def _made_finite(inner):
    return st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda f, k: f * k, st.sampled_from([0.0, 0.25, 3]), inner),
        st.builds(lambda k, c: k.on(c), inner, _columns),
        st.builds(lambda k, c: k.polynomial(c), inner, _coefficients),
    )


def _made(inner):
    return st.one_of(
        _made_finite(inner),
        st.builds(lambda k: k.normalized(), inner),
        st.builds(lambda k: (0.5 * k.normalized()).exp(), inner),
        st.builds(lambda k, c: RBF(0.3).on(c) + k, inner, _some),
    )


KERNELS = st.recursive(LEAVES, _made, max_leaves=6)
FINITE = st.recursive(FINITE_LEAVES, _made_finite, max_leaves=3)
