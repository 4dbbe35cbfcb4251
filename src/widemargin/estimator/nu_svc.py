"""The support vector machine for classes whose share of margin errors is given.

Problem  min 1/2 |w|^2 - nu W rho + sum_i w_i xi_i  s.t.  y_i (w.phi(x_i) + b) >= rho - xi_i,  xi >= 0
Symbols  rho the margin, by which the model is divided; W the sum of the weights w_i
Stops    when the duality gap and the violation of the conditions, recomputed in float64, are what was asked for
Method   solver/svm                                                                              [ScholkopfEtAl00]
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ..base.errors import BadInput
from ..base.params import Interval
from ..model.box import BoxProblem
from ..model.dual import DualPoint
from ..solver.svm import BoxSolution
from .svc import SupportVectorClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class NuSVC(SupportVectorClassifier):
    """Support vector machine whose nu bounds the share of margin errors from above, that of the support from below.

    Parameters
    ----------
    nu : float, default=0.5
        Above 0, at most 1, and at most twice the share of the smaller class of each binary part.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, kernel or callable, default="rbf"
        A name, an object of :mod:`widemargin.kernels`, anything with its three methods, or a function. A function is
        called with two matrices for rows of numbers, with two lists or two items for anything else.
    degree : int, default=3
        Of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid"; "scale" is 1 / (features × variance of all values, weighted), "auto" is
        1 / features, 0 makes all values the same.
    coef0 : float, default=0.0
        Of "poly": (gamma x·z + coef0)^degree, and of "sigmoid": tanh(gamma x·z + coef0). Where that is not positive
        semidefinite a warning has the witness, and the certificate says that it bounds nothing.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        With several classes one score a class or one a pair. Binary parts are those of `multiclass` either way.
    break_ties : bool, default=False
        Decide between classes that won as many pairs by their scores rather than by their order.
    multiclass : {"ovo", "ovr"}, default="ovo"
        One machine for each pair of classes, as LIBSVM, or one for each class against all others.
    class_weight : dict or "balanced", optional
        Factor of each class; "balanced" is total weight / (classes × weight of the class).
    tol : float, default=1e-3
        Largest violation of the optimality conditions, as LIBSVM measures it.
    gap_tol : float, default=1e-4
        Largest relative duality gap. The fit ends when both hold, recomputed in float64.
    shrinking : bool, default=True
        Leave out rows that stay at their bounds while the fit is under way; the certificate looks at all of them.
    cache_size : float or "auto", default="auto"
        MB of memory for rows of kernel values; "auto" is a quarter of what is free, at most 4096.
    max_iter : int, default=-1
        Most steps, each of one pair of variables; -1 is no limit.
    max_time : float, optional
        Most seconds, those for the certificate among them; the model that is there by then is kept, with its gap.
    warm_start : bool, default=False
        Start from the solution of the last fit where there are as many rows and classes; the optimum is the same.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    observe : callable, optional
        Called as observe(step, columns, snapshot) now and then; True stops the fit.
    probability : bool, default=False
        Learn probabilities too, from five folds that are fitted beside, within the same `max_time`; then there is
        `predict_proba`.
    random_state : int, RandomState or None, default=None
        Divides the rows into these folds; nothing else is random.
    verbose : ignored

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Numbers of the support rows, by class.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The rows themselves; empty where the kernel compares something else.
    n_support_ : ndarray of shape (n_classes,)
        How many of each class.
    support_kinds_ : ndarray of shape (n_support,)
        "free" rows lie on the margin, "bounded" ones inside of it or on the wrong side.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes - 1, n_support)
        y α in LIBSVM's layout; with `multiclass="ovr"` one row a class. Sparse where the rows are.
    coef_ : ndarray or sparse matrix of shape (parts, n_features)
        Weights of the features; only with the linear kernel.
    intercept_ : ndarray of shape (parts,)
        The biases.
    classes_, class_weight_ : ndarray of shape (n_classes,)
        The labels in order, and what `class_weight` multiplies C of each with.
    n_iter_ : ndarray of shape (parts,)
        Steps of each binary part.
    probA_, probB_ : ndarray of shape (parts,)
        With `probability`: a score f of a part is a probability of 1 / (1 + exp(A f + B)) for its positive side.
    margin_, margin_width_ : ndarray of shape (parts,)
        1 / |w| and 2 / |w|.
    slacks_ : ndarray of shape (n_samples,) or None
        ξ of each row, NaN for rows of weight 0: 0 on or beyond the margin, above 1 on the wrong side. Two classes only.
    kernel_ : kernel
        The kernel with all its numbers.
    certificate_ : SVMCertificate
        Primal and dual objective, their gap and the violation, recomputed in float64 without the solver.
    proof_ : DualPoints or None
        The point of the dual that proves it.
    converged_, fit_status_ : bool, int
        Whether `tol` and `gap_tol` were reached; 0 if so, else 1.
    stop_reason_, trace_ : str, Trace
        Why the fit ended; figures by round.
    n_features_in_, feature_names_in_, shape_fit_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupportVectorClassifier._parameter_constraints,
        "nu": [Interval(Real, 0, 1, closed="right")],
    }
    _one_class = "specified nu is infeasible"

    nu: float = 0.5

    _of_nothing = ": at this nu no margin is left between the classes, and scores are mere rounding: raise nu"

    def _problem(self, signs: np.ndarray, weight: np.ndarray | None) -> BoxProblem:
        return BoxProblem.nu_svc(signs, np.ones(len(signs)) if weight is None else weight, self.nu)

    def _divisor(self, problem: BoxProblem, rho: float) -> float:
        return rho if rho > 0 else 1.0  # before the end rho may be anything

    def _divisors(self, rho: np.ndarray) -> np.ndarray:
        return np.where(rho > 0, rho, 1.0)

    def _divisor_under_way(self, problem: BoxProblem, s: BoxSolution) -> float:
        """At the optimum |w|^2 = nu W rho minus the slacks: |w|^2 / (nu W) is no more than rho, and never negative."""
        least = s.square / (2 * problem.total[0])
        return max(s.rho, least) if least > 0 else self._divisor(problem, s.rho)

    def _point(self, problem: BoxProblem, coef: np.ndarray) -> DualPoint:
        total = float(coef[coef > 0].sum())
        if not total > 0:
            raise BadInput("this model has no coefficients, and its proof was left out: fit it again.")
        rho = problem.total[0] / total
        return DualPoint(coef * rho, rho)
