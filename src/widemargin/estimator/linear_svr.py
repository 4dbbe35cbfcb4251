"""Linear support vector machines for numbers.

Problem  min 1/2 |w|^2 + sum_i C_i l(|w.x_i + b - z_i|),   l(u) = max(0, u - epsilon) or its square
Stops    when the relative duality gap, recomputed in float64, is what was asked for
Method   solver/linear                                                                    [DruckerEtAl97; HoLin12]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ..base.callbacks import with_callbacks
from ..base.params import Interval, StrOptions
from ..data.rows import Training, read_rows
from ..loss.losses import FOR_NUMBERS
from ..model.linear_problem import LinearProblem
from .base import NumberTargets
from .linear_fit import LinearLearner, unproved
from .linear_work import LinearWork, Solved
from .whole import whole_or_nothing


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVR(NumberTargets, RegressorMixin, LinearLearner):
    """Linear regression with a tube, with the proof of its optimum.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube: errors up to it cost nothing.
    tol : float, default=1e-4
        Largest relative duality gap, recomputed in float64.
    C : float, default=1.0
        Price of the losses, times sample weight.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        The excess over epsilon, or its square.
    fit_intercept : bool, default=True
        Learn a bias b.
    regularize_intercept : bool, default=False
        LIBLINEAR's and scikit-learn's problem: the bias is one more weight, of a constant feature, and is penalised
        like all others. By default it is free.
    intercept_scaling : float, default=1.0
        The constant feature; only with `regularize_intercept`.
    dual : bool or "auto", default="auto"
        True begins with dual coordinate descent, False with Newton's method; the optimum is the same. "auto" chooses by
        the numbers of rows and features. Either goes over to the other where it is slow.
    max_iter : int, default=-1
        Most steps: epochs of dual descent, or steps of Newton's method. -1 is no limit.
    max_time : float, optional
        Most seconds; the model that is there by then is kept, with its gap.
    warm_start : bool, default=False
        Start from the solution of the last fit where there are as many rows; the optimum is the same.
    n_jobs : ignored
        One problem is solved by one thread.
    random_state : int, RandomState or None, default=0
        Seed of the order in which dual descent visits the rows.
    observe : callable, optional
        Called as observe(step, columns, snapshot) now and then; True stops the fit.
    verbose : ignored

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the features.
    intercept_ : ndarray of shape (1,)
        The bias.
    solver_ : str
        The method that came to the end: "newton" or "dual descent".
    n_iter_ : int
        Steps.
    certificate_ : SVMCertificate
        Primal and dual objective and their gap, recomputed in float64 without the solver.
    proof_ : DualPoints or None
        The point of the dual that proves it.
    converged_, stop_reason_, trace_ : bool, str, Trace
        Whether `tol` was reached; why the fit ended; figures by step.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearLearner._parameter_constraints,
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "loss": [StrOptions(set(FOR_NUMBERS))],
    }

    epsilon: float = 0.0
    loss: str = "epsilon_insensitive"

    @with_callbacks
    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Solve the problem.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            One number a row.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 3 is a row that stands there three times, 0 one that is absent.

        Returns
        -------
        self
        """
        self._validate_params()
        watch = self._watch()
        self._learn(self._read(X, y, sample_weight), watch)
        self._warn()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The number predicted for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.model_.scores(read_rows(self, X))[:, 0]

    def _problems(self, data: Training) -> list[Any]:
        loss = FOR_NUMBERS[self.loss](float(self.epsilon))
        scale = float(self.intercept_scaling)
        X, rows = self._rows(data)
        price, norms = self._price(data), lambda: data.squared_norms
        return [LinearProblem(X, data.y, price, loss, self._bias(), scale, rows=rows, norms=norms)]

    def _learnt(self, work: LinearWork, solved: Sequence[Solved]) -> dict[str, Any]:
        learnt = super()._learnt(work, solved)
        return {**learnt, "coef_": learnt["coef_"][0]}

    def _merged(self, data: Training, certificates: Sequence[Any]) -> Any:
        return certificates[0]

    def _certify(self, data: Training, *, prove: bool = False) -> Any:
        if self.proof_ is None:
            return unproved(data.digest)
        w = np.append(self.coef_, self.intercept_)
        return self._certificate(data, self._problems(data)[0], w, self.proof_[0].b)
