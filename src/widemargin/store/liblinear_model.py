"""A machine as LIBLINEAR's model files hold it, and what it says about rows.

Symbols  score of column c: w_c · x + (weight of the bias)_c · bias - rho; of two classes there is one column, for the
         first label; one class has a rho
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

from ..base.errors import BadInput
from ..model.linear import LinearModel

SOLVERS = {  # LIBLINEAR's numbers after -s
    0: "L2R_LR",
    1: "L2R_L2LOSS_SVC_DUAL",
    2: "L2R_L2LOSS_SVC",
    3: "L2R_L1LOSS_SVC_DUAL",
    4: "MCSVM_CS",
    5: "L1R_L2LOSS_SVC",
    6: "L1R_LR",
    7: "L2R_LR_DUAL",
    11: "L2R_L2LOSS_SVR",
    12: "L2R_L2LOSS_SVR_DUAL",
    13: "L2R_L1LOSS_SVR_DUAL",
    21: "ONECLASS_SVM",
}
TYPES = tuple(SOLVERS.values())
ONE_CLASS = "ONECLASS_SVM"


@dataclass(frozen=True, eq=False, repr=False)
class LiblinearModel:
    """What a model file of LIBLINEAR holds.

    Attributes
    ----------
    solver_type : str
        One of LIBLINEAR's names, for instance "L2R_L2LOSS_SVC_DUAL".
    w : ndarray of shape (columns, d)
        Weights of the features: a row for each label; one row for two labels (but two for "MCSVM_CS"), for numbers and
        for one class.
    bias : float
        The constant feature; negative where there is none.
    bias_weight : ndarray of shape (columns,)
        Its weights; 0 where there is none.
    labels : ndarray of int
        Of classifiers; otherwise empty. Positive scores of the one row speak for the first.
    rho : float
        Of one class: what is taken off every score.
    """

    solver_type: str
    w: np.ndarray
    bias: float
    bias_weight: np.ndarray
    labels: np.ndarray
    rho: float = 0.0

    @property
    def is_classifier(self) -> bool:
        return not (self.is_regressor or self.solver_type == ONE_CLASS)

    @property
    def is_regressor(self) -> bool:
        return "SVR" in self.solver_type

    @property
    def has_probabilities(self) -> bool:
        return self.solver_type in ("L2R_LR", "L1R_LR", "L2R_LR_DUAL")

    @property
    def linear(self) -> LinearModel:
        """The same as weights and intercepts."""
        bias = self.bias_weight * max(self.bias, 0.0) - self.rho
        return LinearModel(self.w, bias)

    def decision_function(self, X: Any) -> np.ndarray:
        """LIBLINEAR's decision values.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, any)
            Features that the rows do not have are 0, features that the model does not have are left out.

        Returns
        -------
        ndarray of shape (n, columns); one column where there are two classes
        """
        d = min(X.shape[1], self.w.shape[1])
        known = self.linear
        scores = LinearModel(np.ascontiguousarray(known.coef[:, :d]), known.intercept).scores(_narrowed(X, d))
        return scores[:, :1] if len(self.labels) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Labels, numbers, or +1 and -1 of one class, as LIBLINEAR's predict gives them."""
        return self.decided(self.decision_function(X))

    def decided(self, scores: np.ndarray) -> np.ndarray:
        """What `predict` says where `decision_function` says this."""
        if self.is_regressor:
            return scores[:, 0]
        if self.solver_type == ONE_CLASS:
            return np.where(scores[:, 0] > 0, 1, -1)
        if len(self.labels) == 2:
            return self.labels[np.where(scores[:, 0] > 0, 0, 1)]
        return self.labels[scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each of `labels`, in their order; only of logistic regression."""
        if not self.has_probabilities:
            raise BadInput(f"{self.solver_type} has no probabilities: only logistic regression (-s 0, 6 or 7) has.")
        p = expit(self.decision_function(X))
        if len(self.labels) == 2:
            return np.column_stack([p[:, 0], 1 - p[:, 0]])
        return p / p.sum(axis=1, keepdims=True)


def _narrowed(X: Any, d: int) -> Any:
    """The first d columns."""
    if X.shape[1] == d:
        return X
    return sp.csr_matrix(X)[:, :d] if sp.issparse(X) else np.asarray(X)[:, :d]
