"""φ with φ(x)·φ(z) = k(x, z), feature by feature, where it is finite."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..base.errors import BadInput
from ..base.params import HasMethods, count
from ..base.pickles import LookedOver
from ..data.rows import read_rows
from .columns import with_indices
from .monomials import Base, arranged, refuse_infinite, terms
from .rows import Polynomial


def feature_map(kernel: Any, X: Any = None, *, max_features: int = 100_000) -> FeatureMap:
    """The explicit map of a kernel: x·z, powers and forms xᵀAz of rows, and what the algebra makes of them.

    Parameters
    ----------
    kernel : kernel
        Linear, Polynomial, Mahalanobis, and sums, products, multiples, polynomials and `.on` of such.
    X : int, array-like or sparse matrix, optional
        The number of columns, or rows that tell it (and the names of the columns). Without it, `fit` asks for rows.
    max_features : int, default=100_000
        A map with more features is refused.

    Returns
    -------
    FeatureMap
        Fitted if X was given.
    """
    refuse_infinite(kernel)
    made = FeatureMap(kernel, max_features=max_features)
    if X is None:
        return made
    return made.fit(np.zeros((1, int(X))) if isinstance(X, Integral) else X)


_SQUARE = Polynomial(2)


@dataclass(eq=False, repr=False)
class FeatureMap(TransformerMixin, LookedOver, BaseEstimator):
    """Weighted monomials whose dot products are the values of a kernel.

    Parameters
    ----------
    kernel : kernel, default=Polynomial(2)
    max_features : int, default=100_000

    Attributes
    ----------
    monomials_ : list of tuple of int
        The places in the base that each feature multiplies, with repetitions; (0, 0, 1) is x0² x1. Places 0 … d - 1
        are columns; later ones are the entries of Rx for every form xᵀAz = Rx·Rz in the kernel.
    weights_ : ndarray of shape (n_features_,)
        The factors before the monomials.
    n_features_ : int
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [HasMethods(["prepare", "block", "diag"])],
        "max_features": [count()],
    }

    kernel: Any = _SQUARE
    max_features: int = 100_000

    def fit(self, X: Any, y: Any = None) -> FeatureMap:
        """Learn how many columns there are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        refuse_infinite(self.kernel)
        read_rows(self, X, reset=True)
        d = self.n_features_in_
        base = Base(d, self.max_features)
        kernel = with_indices(self.kernel, getattr(self, "feature_names_in_", None))
        self.monomials_, self.weights_ = arranged(terms(kernel, tuple(range(d)), base))
        self.n_features_ = len(self.monomials_)
        self._forms = [(list(columns), form.root) for form, columns, _ in base.forms]
        return self

    @property
    def n_features(self) -> int:
        """How many features the map has."""
        check_is_fitted(self)
        return self.n_features_

    def transform(self, X: Any) -> Any:
        """φ of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of float64 of shape (n_samples, n_features_), or CSR if X is sparse
        """
        check_is_fitted(self)
        X = read_rows(self, X).astype(np.float64, copy=False)
        longest = max((len(m) for m in self.monomials_), default=0)
        base = self._base(X)
        # Place -1 is the constant 1 at the end of the base: it fills up the shorter monomials.
        places = np.array([m + (-1,) * (longest - len(m)) for m in self.monomials_], dtype=np.intp)
        places = places.reshape(self.n_features_, longest) % max(base.shape[1], 1)
        if sp.issparse(base):
            return self._sparse(base, places)
        out = np.tile(self.weights_, (X.shape[0], 1))
        with np.errstate(over="ignore", invalid="ignore"):
            for factor in places.T:
                out *= base[:, factor]
        return _finite(out)

    def _base(self, X: Any) -> Any:
        parts = [X, *(X[:, columns] @ root.T for columns, root in self._forms), np.ones((X.shape[0], 1))]
        return sp.hstack(parts, format="csc") if sp.issparse(X) else np.hstack(parts)

    def _sparse(self, base: Any, places: np.ndarray) -> Any:
        out = sp.csc_array(np.ones((base.shape[0], 1)))[:, np.zeros(self.n_features_, np.intp)]
        for factor in places.T:
            out = out.multiply(sp.csc_array(base)[:, factor])
        out = sp.csr_array(out.multiply(self.weights_[None, :]))
        _finite(out.data)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The features as products: "x0^2", "1.41421 x0 x1".

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns; by default those of the fit, or x0, x1, …

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        given = getattr(self, "feature_names_in_", None) if input_features is None else input_features
        names = [f"x{j}" for j in range(self.n_features_in_)] if given is None else [str(n) for n in given]
        if len(names) != self.n_features_in_:
            raise BadInput(f"input_features should have length equal to {self.n_features_in_}, but has {len(names)}.")
        names += [f"(R{k} x)[{r}]" for k, (_, root) in enumerate(self._forms) for r in range(len(root))]
        said = [_product(w, m, names) for w, m in zip(self.weights_, self.monomials_, strict=True)]
        return np.array(said, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _product(weight: float, monomial: tuple[int, ...], names: list[str]) -> str:
    powers = [names[j] + (f"^{times}" if times > 1 else "") for j, times in Counter(monomial).items()]
    front = [] if powers and abs(weight - 1) < 1e-12 else [f"{weight:g}"]
    return " ".join(front + powers)


def _finite(values: np.ndarray) -> np.ndarray:
    if not np.isfinite(values).all():
        raise BadInput("a feature overflows: scale the data, for example with sklearn.preprocessing.StandardScaler.")
    return values
