"""A map of low rank for any kernel, from the values with some of the items.

Problem  φ with φ(x)·φ(z) near k(x, z), exact between landmarks
Symbols  L the m landmarks, K = k(L, L) = V diag(λ) Vᵀ, r the eigenvalues above m 2^-52 of the largest;
         φ(x) = diag(λ)^-1/2 Vᵀ k(L, x) on these r;  e(x) = k(x, x) - |φ(x)|² >= 0
Error    the matrix k - φ·φ is positive semidefinite, so |k(x, z) - φ(x)·φ(z)| <= √(e(x) e(z)), and the mean of e over
         the rows is the trace of that matrix over n: both are computed, not estimated
Method   [WilliamsSeeger01]
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..base.errors import BadInput
from ..base.params import HasMethods, Integral, Interval, StrOptions, count, positive
from ..base.pickles import LookedOver
from ..base.seeds import seed_from
from ..base.threads import threads
from ..data.rows import read_rows
from .function import finite, looks_like_rows
from .items import RowItems
from .mercer import warn_unless_psd
from .precomputed import Precomputed
from .resolve import NAMES, as_kernel
from .sample import LANDMARKS, PAIRS, drawn

PAIR_ITEMS = 200  # all pairs of so many items are compared
_BLOCK = 1 << 21  # kernel values held at a time


@dataclass(frozen=True)
class NystroemError:
    """How far φ(x)·φ(z) is from k(x, z) on the rows of the fit.

    Attributes
    ----------
    n : rows of the fit.
    n_landmarks, rank : landmarks drawn, and features that they gave.
    trace : mean of k(x, x) - |φ(x)|² over all rows.
    bound : the largest k(x, x) - |φ(x)|²: no pair of rows has a larger error, if the kernel is positive semidefinite.
    largest : the largest |k(x, z) - φ(x)·φ(z)| over `n_pairs` pairs drawn at random.
    n_pairs : how many pairs.
    """

    n: int
    n_landmarks: int
    rank: int
    trace: float
    bound: float
    largest: float
    n_pairs: int

    def __str__(self) -> str:
        return (
            f"{self.rank} features from {self.n_landmarks} landmarks: k(x, x) - |φ(x)|² is {self.trace:.3g} on average "
            f"over the {self.n} rows and at most {self.bound:.3g}, which bounds the error of every pair; the largest "
            f"|k(x, z) - φ(x)·φ(z)| among {self.n_pairs} pairs is {self.largest:.3g}"
        )


@dataclass(kw_only=True, eq=False, repr=False)
class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, LookedOver, BaseEstimator):
    """Features whose dot products approximate a kernel, by its values with landmarks.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, kernel or callable, default="rbf"
        As in :class:`widemargin.KernelPerceptron`.
    gamma, degree, coef0
        Of kernels given by name.
    n_components : int, default=100
        Landmarks, drawn from the rows with equal chance.
    random_state : int, RandomState or None, default=0
    n_jobs : int, optional
        Threads; the result does not depend on them.

    Attributes
    ----------
    rank_ : int
        Features: eigenvalues of the landmarks' matrix that are not zero to rounding.
    components_ : ndarray of shape (rank_, landmarks)
        φ(x) = components_ · k(landmarks, x).
    landmarks_ : the landmarks themselves, as items of the kernel.
    component_indices_ : ndarray
        Their numbers among the rows of the fit.
    kernel_ : kernel
        The kernel with all its numbers.
    error_ : NystroemError
        How good the approximation is on the rows of the fit.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(NAMES)), callable, HasMethods(["prepare", "block", "diag"])],
        "gamma": [StrOptions({"scale", "auto"}), positive()],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "n_components": [count()],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    kernel: Any = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    n_components: int = 100
    random_state: Any = 0
    n_jobs: int | None = None

    def _items(self, X: Any, *, reset: bool) -> Any:
        rows = isinstance(self.kernel, str) or getattr(self.kernel, "rows", False)
        rows = rows or (callable(self.kernel) and not hasattr(self.kernel, "prepare") and looks_like_rows(X))
        if not rows:
            return as_kernel(self.kernel).prepare(X)
        X = read_rows(self, X, reset=reset)
        if reset:
            names = getattr(self, "feature_names_in_", None)
            self.kernel_ = as_kernel(
                self.kernel, X, gamma=self.gamma, degree=self.degree, coef0=self.coef0, names=names
            )
        if isinstance(self.kernel_, Precomputed):
            return self.kernel_.prepare(X) if reset else self.kernel_.against_training(X)
        return RowItems(X)

    def fit(self, X: Any, y: Any = None) -> Nystroem:
        """Draw landmarks and compute the map.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` the square matrix of kernel values.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        seed = seed_from(self.random_state)
        if not isinstance(self.kernel, str):
            self.kernel_ = as_kernel(self.kernel)
        items = self._items(X, reset=True)
        warn_unless_psd(self.kernel_, items)
        self.component_indices_ = drawn(len(items), self.n_components, seed, LANDMARKS)
        chosen = items.take(self.component_indices_)
        K = finite(self.kernel_.block(chosen, chosen, self._threads()))
        self.landmarks_ = chosen.compact()
        self.components_ = _inverse_root((K + K.T) / 2)
        self.rank_ = len(self.components_)
        self.error_ = self._error(items, seed)
        return self

    def _threads(self) -> int:
        return threads(self.n_jobs)

    def _features(self, items: Any) -> np.ndarray:
        out = np.empty((len(items), self.rank_))
        step = max(64, _BLOCK // max(len(self.landmarks_), 1))
        for start in range(0, len(items), step):
            stop = min(start + step, len(items))
            part = items if stop - start == len(items) else items.take(np.arange(start, stop))
            out[start:stop] = finite(self.kernel_.block(part, self.landmarks_, self._threads())) @ self.components_.T
        return out

    def _error(self, items: Any, seed: int) -> NystroemError:
        features = self._features(items)
        left = np.asarray(self.kernel_.diag(items)) - np.einsum("ij,ij->i", features, features)
        some = drawn(len(items), PAIR_ITEMS, seed, PAIRS)
        sample = items.take(some)
        off = np.abs(self.kernel_.block(sample, sample, self._threads()) - features[some] @ features[some].T)
        return NystroemError(
            n=len(items),
            n_landmarks=len(self.component_indices_),
            rank=self.rank_,
            trace=float(left.mean()),
            bound=float(left.max()),
            largest=float(off.max()),
            n_pairs=len(some) * (len(some) + 1) // 2,
        )

    def transform(self, X: Any) -> np.ndarray:
        """φ of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` kernel values between these and all rows of the fit.

        Returns
        -------
        ndarray of float64 of shape (n_samples, rank_)
        """
        check_is_fitted(self)
        return self._features(self._items(X, reset=False))

    @property
    def _n_features_out(self) -> int:
        return self.rank_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags


def _inverse_root(K: np.ndarray) -> np.ndarray:
    """diag(λ)^-1/2 Vᵀ on the eigenvalues above rounding, the largest first."""
    values, vectors = np.linalg.eigh(K)
    kept = values > len(K) * 2.0**-52 * np.abs(values).max()
    if not kept.any():
        raise BadInput("the kernel is 0 between all landmarks: there is nothing to map to.")
    return np.ascontiguousarray((vectors[:, kept] / np.sqrt(values[kept])).T[::-1])
