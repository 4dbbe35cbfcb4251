"""Weights of rows that prove separation impossible, or a bound on every margin.

Problem  lambda >= 0, sum lambda = 1 with r = sum lambda_i z_i small, z_i = y_i [x_i, 1]
Symbols  Z the matrix with the columns z_i of the support, s its smallest singular value
Stops    r = 0 exactly means inseparable. If Z has full row rank and |r| / s is less than the smallest lambda, then
         lambda - Z^T (Z Z^T)^-1 r is an exact witness although we only hold it rounded: its existence is the proof.
Method   Gordan's alternative with a perturbation bound in place of exact arithmetic [Gordan1873]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from . import bounded

_WIDEST = 1500  # largest side of a matrix whose singular values we compute


@dataclass(frozen=True)
class Proof:
    """A verdict and what it rests on: w and b if separable, weights of the rows in every case."""

    separable: bool | None
    w: np.ndarray | None = None
    b: float = 0.0
    weights: np.ndarray = None  # type: ignore[assignment]
    exact: bool = False
    rational: tuple[Fraction, ...] | dict[int, Fraction] | None = None
    exact_margin: tuple[float, float] | None = None
    why: str = ""


def margin_above(X: Any, y: np.ndarray, weights: np.ndarray, intercept: bool = True) -> float:
    """|sum lambda_i z_i| / sum lambda_i rounded up: no unit (w, b) has a larger margin on these rows."""
    total = float(weights.sum())
    if not total > 0:
        return float(bounded.row_norms(X, intercept).min(initial=math.inf))
    v, e = bounded.combination(X, weights * y, intercept)
    return bounded.norm_above(v, e) / (total * (1 - bounded.gamma(weights.size + 4)))


def contradiction(X: Any, y: np.ndarray) -> np.ndarray | None:
    """Weights 1/2 on two equal rows of different labels, if there are such; they need no linear program."""
    group = _groups_of_equal_rows(X)
    high, low = np.full(group.max(initial=-1) + 1, -1), np.full(group.max(initial=-1) + 1, -1)
    high[group[y > 0]] = np.flatnonzero(y > 0)
    low[group[y < 0]] = np.flatnonzero(y < 0)
    both = np.flatnonzero((high >= 0) & (low >= 0))
    if not both.size:
        return None
    i, j = high[both[0]], low[both[0]]
    if sparse.issparse(X) and (X[[i]] != X[[j]]).nnz:
        return None
    weights = np.zeros(y.size)
    weights[[i, j]] = 0.5
    return weights


def _groups_of_equal_rows(X: Any) -> np.ndarray:
    if sparse.issparse(X):
        # Equal rows give equal projections; the few unequal ones that do are sorted out by comparing the rows.
        direction = np.random.default_rng(0).standard_normal(X.shape[1])
        with np.errstate(all="ignore"):
            return np.unique(X.astype(np.float64) @ direction, return_inverse=True)[1]
    clean = np.ascontiguousarray(X + np.zeros(1, dtype=X.dtype))  # -0.0 + 0.0 is 0.0: equal numbers, equal bytes
    if not clean.shape[1]:
        return np.zeros(clean.shape[0], dtype=int)
    as_bytes = clean.view(np.dtype((np.void, clean.dtype.itemsize * clean.shape[1]))).ravel()
    return np.unique(as_bytes, return_inverse=True)[1]


def float_witness(X: Any, y: np.ndarray, weights: np.ndarray, intercept: bool) -> Proof:
    """Sharpen the weights and prove, in float64 with bounds, that an exact witness exists near them."""
    support = np.flatnonzero(weights > 1e-9 * weights.max(initial=0.0))
    Z = support_matrix(X, y, support, intercept)
    if max(Z.shape) > _WIDEST or not support.size:
        return Proof(
            None, weights=weights, why=f"its witness of {Z.shape[1]} rows is too large for the proof in float64"
        )
    sharp = (
        _sharpened(Z, weights[support] / weights[support].sum())
        if Z.size
        else np.full(support.size, 1.0 / support.size)
    )
    weights = np.zeros_like(weights)
    weights[support] = sharp
    # Z is empty if all these rows are 0 in every coordinate: nothing is left to prove.
    residual = bounded.norm_above(Z @ sharp, bounded.gamma(support.size + 3) * (np.abs(Z) @ sharp) + bounded.TINY)
    if not Z.size or residual < 0.5 * _smallest_singular(Z) * sharp.min():
        return Proof(False, weights=weights)
    return Proof(None, weights=weights, why=f"the witness leaves a residual of {residual:.3g}")


def _sharpened(Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weights moved to Z lambda = 0, sum 1 as nearly as float64 can, unless that would lose lambda > 0."""
    system, sharp = np.vstack([Z, np.ones(weights.size)]), weights
    for _ in range(2):
        sharp = sharp + np.linalg.lstsq(system, np.append(-Z @ sharp, 1 - sharp.sum()), rcond=None)[0]
    return sharp if np.isfinite(sharp).all() and (sharp > 0).all() else weights


def _smallest_singular(Z: np.ndarray) -> float:
    """A lower bound on the smallest singular value of the rows of Z; 0 if they may be dependent."""
    if Z.shape[0] > Z.shape[1]:
        return 0.0
    singular = np.linalg.svd(Z, compute_uv=False)
    # The computed values err by a small multiple of u times the largest; 1e-13 times the side is a hundredfold that.
    return max(0.0, float(singular[-1] - 1e-13 * max(Z.shape) * singular[0]))


def support_matrix(X: Any, y: np.ndarray, support: np.ndarray, intercept: bool) -> np.ndarray:
    """The columns z_i of the support, coordinates scaled by powers of two, without any that repeats another one."""
    part = X[support].astype(np.float64)
    if sparse.issparse(part):
        part = part[:, np.unique(part.indices)].toarray()
    Z = (part * y[support, None]).T
    if intercept:
        Z = np.vstack([Z, y[support]])
    largest = np.abs(Z).max(axis=1, initial=0.0)
    Z, largest = Z[largest > 0], largest[largest > 0]
    Z *= np.ldexp(1.0, np.clip(-np.frexp(largest)[1], -1000, 1000))[:, None]
    constant = np.all(np.abs(Z) == np.abs(Z[:, :1]), axis=1)
    Z[constant] = np.sign(Z[constant]) * np.sign(Z[constant, :1])
    _, first = np.unique(Z, axis=0, return_index=True)
    return Z[np.sort(first)]
