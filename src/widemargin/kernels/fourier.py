"""A random map for kernels of x - z: cosines and sines of random frequencies.

Problem  φ with φ(x)·φ(z) near k(x - z), |φ(x)| = 1
Symbols  w_1 … w_F frequencies; φ(x) = F^-1/2 [cos w·x, sin w·x], so φ(x)·φ(z) is the mean of cos w·(x - z)
           exp(-γ |δ|²)   w normal with variance 2γ          exp(-γ |δ|₁)   the entries of w Cauchy with scale γ
Error    every entry has mean k(δ) and variance ((1 + k(2δ)) / 2 - k(δ)²) / F <= 1 / (2 F); k(2δ) is k(δ)⁴ for the
         first kernel and k(δ)² for the second                                   [SutherlandSchneider15]
Method   [RahimiRecht07]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .. import _core
from ..base.errors import BadInput
from ..base.params import HasMethods, Integral, StrOptions, count, positive
from ..base.pickles import LookedOver
from ..base.seeds import seed_from
from ..base.threads import threads
from ..data.rows import read_rows
from .distances import Laplacian
from .items import RowItems
from .resolve import as_kernel
from .rows import RBF, Linear
from .sample import FREQUENCIES, PAIRS, drawn

PAIR_ITEMS = 200  # all pairs of so many rows are compared


@dataclass(frozen=True)
class FourierError:
    """How far φ(x)·φ(z) is from k(x, z).

    Attributes
    ----------
    n_frequencies : each gives a cosine and a sine.
    largest, mean : of |k(x, z) - φ(x)·φ(z)| over `n_pairs` pairs of rows drawn at random.
    n_pairs : how many pairs.
    standard_error : what theory expects of one entry: root mean square over the same pairs.
    worst_standard_error : of any entry for any data, 1/√(2 F).
    """

    n_frequencies: int
    largest: float
    mean: float
    n_pairs: int
    standard_error: float
    worst_standard_error: float

    def __str__(self) -> str:
        return (
            f"{self.n_frequencies} frequencies: |k(x, z) - φ(x)·φ(z)| is {self.mean:.3g} on average and at most "
            f"{self.largest:.3g} among {self.n_pairs} pairs; theory gives a standard error of "
            f"{self.standard_error:.3g} for these pairs and of at most {self.worst_standard_error:.3g} for any"
        )


@dataclass(kw_only=True, eq=False, repr=False)
class RandomFourier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, LookedOver, BaseEstimator):
    """Features whose dot products approximate RBF or Laplacian, by random frequencies.

    Parameters
    ----------
    kernel : {"rbf"}, RBF or Laplacian, default="rbf"
    gamma : {"scale", "auto"} or float, default="scale"
        Of a kernel given by name.
    n_frequencies : int, default=50
        Each gives two features, a cosine and a sine.
    random_state : int, RandomState or None, default=0
    n_jobs : int, optional
        Threads; the result does not depend on them.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n_frequencies, n_features)
    kernel_ : kernel
        The kernel with its number.
    error_ : FourierError
        How good the approximation is on the rows of the fit.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"rbf"}), HasMethods(["prepare", "block", "diag"])],
        "gamma": [StrOptions({"scale", "auto"}), positive()],
        "n_frequencies": [count()],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    kernel: Any = "rbf"
    gamma: float | str = "scale"
    n_frequencies: int = 50
    random_state: Any = 0
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any = None) -> RandomFourier:
        """Draw the frequencies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        if not isinstance(self.kernel, str | RBF | Laplacian):
            raise BadInput(f"random frequencies are known for RBF and Laplacian, not for {self.kernel}: use Nystroem.")
        X = read_rows(self, X, reset=True)
        self.kernel_ = as_kernel(self.kernel, X, gamma=self.gamma)
        seed = seed_from(self.random_state)
        F = self.n_frequencies
        uniform = _core.uniform(F * X.shape[1], seed, FREQUENCIES).reshape(F, X.shape[1])
        self.frequencies_ = _frequencies(self.kernel_, uniform)
        self.error_ = self._error(RowItems(X), seed)
        return self

    def _features(self, items: RowItems) -> np.ndarray:
        F = len(self.frequencies_)
        if items.sparse:
            angle = np.asarray(items.X @ self.frequencies_.T, dtype=np.float64)
        else:
            angle = Linear().block(items, RowItems(self.frequencies_), threads(self.n_jobs))
        out = np.empty((len(items), 2 * F))
        np.cos(angle, out=out[:, :F])
        np.sin(angle, out=out[:, F:])
        out *= 1 / math.sqrt(F)
        return out

    def _error(self, items: RowItems, seed: int) -> FourierError:
        sample = items.take(drawn(len(items), PAIR_ITEMS, seed, PAIRS))
        features = self._features(sample)
        k = self.kernel_.block(sample, sample, threads(self.n_jobs))
        pairs = np.triu_indices(len(sample), 1 if len(sample) > 1 else 0)  # an item with itself has no error
        off = np.abs(k - features @ features.T)[pairs]
        doubled = k**4 if isinstance(self.kernel_, RBF) else k**2
        variance = np.maximum((1 + doubled) / 2 - k * k, 0.0)[pairs] / len(self.frequencies_)
        return FourierError(
            n_frequencies=len(self.frequencies_),
            largest=float(off.max()),
            mean=float(off.mean()),
            n_pairs=len(off),
            standard_error=math.sqrt(variance.mean()),
            worst_standard_error=1 / math.sqrt(2 * len(self.frequencies_)),
        )

    def transform(self, X: Any) -> np.ndarray:
        """φ of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of float64 of shape (n_samples, 2 n_frequencies)
        """
        check_is_fitted(self)
        return self._features(RowItems(read_rows(self, X)))

    @property
    def _n_features_out(self) -> int:
        return 2 * len(self.frequencies_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _frequencies(kernel: Any, uniform: np.ndarray) -> np.ndarray:
    middle = uniform + 2.0**-54  # never 0
    if isinstance(kernel, RBF):
        return math.sqrt(2 * kernel.gamma) * ndtri(middle)
    return kernel.gamma * np.tan(math.pi * (middle - 0.5))
