"""Support vector machines for classes (nu_svc.py has the other kind).

Problem  SVC    min 1/2 |w|^2 + sum_i C_i xi_i            s.t.  y_i (w.phi(x_i) + b) >= 1 - xi_i,  xi >= 0
Stops    when the duality gap and the violation of the conditions, recomputed in float64, are what was asked for
Method   solver/svm; classes one against one, as LIBSVM, or one against the rest   [CortesVapnik95; ScholkopfEtAl00]
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from ..base.callbacks import with_callbacks
from ..base.errors import SingleClass
from ..base.params import Interval, StrOptions
from ..model.box import BoxProblem
from ..model.boxes import BoxProblems
from ..model.pairs import PairRows, pairs
from .base import Classifier
from .kernel_input import KernelInput
from .kernel_support import KernelTraining
from .probability import Probabilities, warn_of_folds
from .svc_parts import ClassifierParts
from .svc_path import AlongC
from .svm_fit import SVMFit
from .whole import whole_or_nothing


@dataclass(kw_only=True, eq=False, repr=False)
class SupportVectorClassifier(SVMFit, ClassifierParts, Probabilities, Classifier):
    """Everything but the problem itself."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Classifier._parameter_constraints,
        **KernelInput._parameter_constraints,
        **SVMFit._parameter_constraints,
        **Probabilities._parameter_constraints,
        "decision_function_shape": [StrOptions({"ovo", "ovr"})],
        "break_ties": ["boolean"],
    }
    _one_class: ClassVar[str] = ""

    multiclass: str = "ovo"
    decision_function_shape: str = "ovr"
    break_ties: bool = False
    random_state: Any = None

    def _problem(self, signs: np.ndarray, weight: np.ndarray | None) -> BoxProblem:
        """Weights of None are all 1."""
        raise NotImplementedError

    @with_callbacks
    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Solve the problem of the class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` the square matrix of kernel values.
        y : array-like of shape (n_samples,)
            Labels of any kind.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 3 is a row that stands there three times, 0 one that is absent. Rows of negative weight are left
            out with a warning, as LIBSVM leaves them out.

        Returns
        -------
        self
        """
        unsure = self._fit(X, y, sample_weight)
        self._warn()
        warn_of_folds(self, unsure)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> int:
        """Without warnings; how many folds of the probabilities did not converge."""
        self._validate_params()
        watch = self._watch()
        data = self._read(X, y, sample_weight)
        places = self._places(data)
        problems = self._problems(data, places)  # what cannot be is told before any kernel value
        shape = self._shape_of(X)
        beside = {"shape_fit_": shape, "class_weight_": self._class_weights(data, sample_weight, shape[0])}
        sigmoids, unsure = self._sigmoids(X, y, sample_weight)
        self._learn(data, places, problems, beside | sigmoids, watch)
        return unsure

    def _read(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> KernelTraining:
        try:
            return super()._read(X, y, sample_weight, **options)
        except SingleClass as error:
            if sample_weight is None:
                raise
            raise SingleClass(f"{self._one_class}: {error}") from None

    # ---- decisions ---------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed score of the second class (two classes), or one score a class or pair of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` kernel values between these and all training rows.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or, with `decision_function_shape="ovo"`, one column a
        pair: positive values of pair (i, j) speak for class i
        """
        check_is_fitted(self)
        scores = self.model_.scores(self._items(X), self._threads())
        if len(self.classes_) == 2:
            return scores[:, 0]
        if self.multiclass == "ovr" or self.decision_function_shape == "ovo":
            return scores
        return _ovr_decision_function(scores < 0, -scores, len(self.classes_))

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row: the sign, most pairs won, or the highest score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` kernel values between these and all training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        self._refuse_ties()
        if self._paired and not self.break_ties:
            return self.classes_[self._most_pairs(self.model_.scores(self._items(X), self._threads()))]
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]

    def _most_pairs(self, scores: np.ndarray) -> np.ndarray:
        votes = np.zeros((len(scores), len(self.classes_)), dtype=np.int32)
        for p, (i, j) in enumerate(pairs(len(self.classes_))):
            won = scores[:, p] > 0
            votes[:, i] += won
            votes[:, j] += ~won
        return votes.argmax(axis=1)

    @property
    def margin_width_(self) -> np.ndarray:
        """2 / |w|: from one margin to the other, for each binary part."""
        check_is_fitted(self)
        return 2 * self.margin_

    def distances(self, X: Any) -> np.ndarray:
        """Signed distance of each row from the boundary of each binary part, in feature space.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, parts), with the signs of the scores
        """
        check_is_fitted(self)
        scores = self.model_.scores(self._items(X), self._threads()) * self.margin_
        return scores[:, 0] if scores.shape[1] == 1 else scores


@dataclass(kw_only=True, eq=False, repr=False)
class SVC(AlongC, SupportVectorClassifier):
    """Support vector machine with a soft margin; the hard margin with C=inf.

    Parameters
    ----------
    C : float, default=1.0
        Price of slack, times class weight times sample weight. Infinite: no row may break the margin; classes that
        cannot be separated raise NotSeparable with the proof.
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
        Most seconds, those for the certificate among them; the model that is there by then is kept, with its gap. Where
        that is too short for all rows, it learns from a sample of them that can be solved in time, and says so.
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
        "C": [Interval(Real, 0, None, closed="right")],
    }
    _one_class = "Invalid input - all samples with positive weights belong to the same class"

    C: float = 1.0

    def _problem(self, signs: np.ndarray, weight: np.ndarray | None) -> BoxProblem:
        return BoxProblem.c_svc(signs, self.C if weight is None else self.C * weight)

    def _pair_problems(self, places: PairRows, weight: np.ndarray | None) -> BoxProblems:
        return BoxProblems.c_svc(places.signs, self.C if weight is None else self.C * weight, places.sizes)
