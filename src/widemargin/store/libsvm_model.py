"""A machine as LIBSVM's model files hold it, and what it says about rows.

Symbols  pair (i, j), i < j, in the order of `labels`: positive scores speak for class i; `coef` as in model/pairs
Method   probabilities of pairs by a sigmoid [LinEtAl07], of classes by coupling them [WuEtAl04, alg. 2],
         with LIBSVM's own stopping rule, so that its figures come out
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import BadInput
from ..kernels.items import RowItems
from ..kernels.precomputed import MatrixItems, Precomputed
from ..model.kernel import KernelModel
from ..model.pairs import PairsModel, pairs

CLASSIFIERS = ("c_svc", "nu_svc")
REGRESSORS = ("epsilon_svr", "nu_svr")
_SURE = 1e-7  # no probability of a pair is nearer to 0 or 1


@dataclass(frozen=True, eq=False, repr=False)
class LibsvmModel:
    """What a model file of LIBSVM holds.

    Attributes
    ----------
    svm_type : {"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"}
    kernel : kernel
        Of :mod:`widemargin.kernels`.
    support : csr_matrix of shape (s, d), or ndarray of int of shape (s,)
        Support vectors in the order of their classes; with a precomputed kernel their serial numbers, from 1.
    coef : ndarray of shape (classes - 1, s)
        One row for everything but classifiers of more than two classes.
    rho : ndarray of shape (pairs,)
        Minus the intercepts.
    labels, n_support : ndarray of int of shape (classes,)
        Of classifiers; otherwise empty. The first label is the one for which positive scores speak.
    prob_a, prob_b : ndarray or None
        Of the sigmoid of each pair; for regressors `prob_a` is the width of the Laplace distribution of the errors.
    """

    svm_type: str
    kernel: Any
    support: Any
    coef: np.ndarray
    rho: np.ndarray
    labels: np.ndarray
    n_support: np.ndarray
    prob_a: np.ndarray | None = None
    prob_b: np.ndarray | None = None

    @property
    def precomputed(self) -> bool:
        return isinstance(self.kernel, Precomputed)

    @property
    def is_classifier(self) -> bool:
        return self.svm_type in CLASSIFIERS

    def decision_function(self, X: Any, threads: int = 1) -> np.ndarray:
        """LIBSVM's decision values: one column a pair of classes, or one in all.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            Of any width: a feature that one side does not have is 0 there. With a precomputed kernel the values between
            the rows and all training rows.
        threads : int

        Returns
        -------
        ndarray of shape (n, pairs)
        """
        if self.coef.shape[1] == 0:
            return np.tile(-self.rho, (X.shape[0], 1))
        items, support = self._items(X)
        if self.is_classifier:
            return PairsModel(self.kernel, support, self.coef, self.n_support, -self.rho).scores(items, threads)
        return KernelModel(self.kernel, support, self.coef, -self.rho).scores(items, threads)

    def _items(self, X: Any) -> tuple[Any, Any]:
        if self.precomputed:
            K = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
            if self.support.max() > K.shape[1]:
                raise BadInput(
                    f"the rows have kernel values with {K.shape[1]} training rows, but number {self.support.max()} is "
                    "a support vector: give the values with all training rows."
                )
            nobody = np.empty(0, np.intp)
            return MatrixItems(K, np.arange(len(K)), nobody), MatrixItems(None, self.support, self.support - 1)
        width = max(X.shape[1], self.support.shape[1])
        return RowItems(_widened(X, width)), RowItems(_widened(self.support, width))

    def predict(self, X: Any, threads: int = 1) -> np.ndarray:
        """Labels, numbers, or +1 and -1 of one class, as svm-predict gives them."""
        return self.decided(self.decision_function(X, threads))

    def decided(self, scores: np.ndarray) -> np.ndarray:
        """What `predict` says where `decision_function` says this."""
        if self.svm_type == "one_class":
            return np.where(scores[:, 0] > 0, 1, -1)
        if not self.is_classifier:
            return scores[:, 0]
        votes = np.zeros((len(scores), len(self.labels)), dtype=np.int64)
        for p, (i, j) in enumerate(pairs(len(self.labels))):
            won = scores[:, p] > 0
            votes[:, i] += won
            votes[:, j] += ~won
        return self.labels[votes.argmax(axis=1)]

    def predict_proba(self, X: Any, threads: int = 1) -> np.ndarray:
        """The probability of each of `labels`, in their order."""
        if not self.is_classifier or self.prob_a is None or self.prob_b is None:
            raise BadInput("the model has no probabilities: train it with -b 1.")
        score = self.decision_function(X, threads) * self.prob_a + self.prob_b
        with np.errstate(over="ignore"):
            won = np.clip(1 / (1 + np.exp(score)), _SURE, 1 - _SURE)
        return np.column_stack([won, 1 - won]) if won.shape[1] == 1 else coupled(won, len(self.labels))


def _widened(X: Any, width: int) -> Any:
    """X with columns of zeros up to the width."""
    if X.shape[1] == width:
        return X
    if sp.issparse(X):
        return sp.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], width))
    return np.hstack([X, np.zeros((X.shape[0], width - X.shape[1]))])


def coupled(won: np.ndarray, k: int) -> np.ndarray:
    """Probabilities p of k classes that fit those r of all pairs: min sum (r_ji p_i - r_ij p_j)^2, sum p = 1."""
    n = len(won)
    r = np.zeros((n, k, k))
    for c, (i, j) in enumerate(pairs(k)):
        r[:, i, j], r[:, j, i] = won[:, c], 1 - won[:, c]
    Q = -r * r.transpose(0, 2, 1)
    Q[:, np.arange(k), np.arange(k)] = (r**2).sum(axis=1)
    p = np.full((n, k), 1 / k)
    open_ = np.arange(n)
    for _ in range(max(100, k)):
        Qp = np.einsum("nij,nj->ni", Q[open_], p[open_])
        error = np.abs(Qp - np.einsum("ni,ni->n", p[open_], Qp)[:, None]).max(axis=1)
        open_ = open_[error >= 0.005 / k]
        if not open_.size:
            break
        p[open_] = _one_round(Q[open_], p[open_])
    return p


def _one_round(Q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """One step in each coordinate, the sum brought back to 1 after each."""
    Qp = np.einsum("nij,nj->ni", Q, p)
    pQp = np.einsum("ni,ni->n", p, Qp)
    p = p.copy()
    for t in range(p.shape[1]):
        d = (pQp - Qp[:, t]) / Q[:, t, t]
        p[:, t] += d
        pQp = (pQp + d * (d * Q[:, t, t] + 2 * Qp[:, t])) / (1 + d) ** 2
        Qp = (Qp + d[:, None] * Q[:, t]) / (1 + d)[:, None]
        p /= (1 + d)[:, None]
    return p
