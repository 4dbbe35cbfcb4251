"""Linear support vector machines for classes.

Problem  min 1/2 |w|^2 (or |w|_1) + sum_i C_i l(y_i (w.x_i + b)),   l the hinge, its square or the logistic loss
Stops    when the relative duality gap, recomputed in float64, is what was asked for
Method   solver/linear; classes one against the rest, one against one, or all at once (Crammer and Singer)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..base.callbacks import with_callbacks
from ..base.errors import BadInput
from ..base.params import StrOptions
from ..certificate.linear_classes import certify_classes
from ..certificate.record import SVMCertificate, merge
from ..data.rows import Training, canonical
from ..loss.losses import FOR_CLASSES
from ..model.class_problem import ClassProblem
from ..model.linear_problem import LinearProblem
from ..model.multiclass import Part, binary_parts, rows_of_parts
from .base import Deciding
from .linear_fit import LinearLearner, unproved
from .linear_path import AlongC
from .linear_probability import LinearProbabilities
from .probability import warn_of_folds
from .whole import whole_or_nothing


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVC(AlongC, LinearProbabilities, Deciding, LinearLearner):
    """Linear support vector machine with the proof of its optimum.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        ½|w|², or the sum of |w_j|, which leaves out features; "l1" takes the losses without kinks.
    loss : {"squared_hinge", "hinge", "logistic"}, default="squared_hinge"
        max(0, 1 − m)², max(0, 1 − m) or log(1 + exp(−m)) of the margin m.
    dual : bool or "auto", default="auto"
        True begins with dual coordinate descent, False with Newton's method; the optimum is the same. "auto" chooses by
        the numbers of rows and features. Either goes over to the other where it is slow.
    tol : float, default=1e-4
        Largest relative duality gap, recomputed in float64.
    C : float, default=1.0
        Price of the losses, times class weight times sample weight.
    multi_class : {"ovr", "ovo", "crammer_singer"}, default="ovr"
        One machine for each class against all others, one for each pair of classes, or one problem for all classes,
        which takes the hinge alone.
    fit_intercept : bool, default=True
        Learn a bias b.
    regularize_intercept : bool, default=False
        LIBLINEAR's and scikit-learn's problem: the bias is one more weight, of a constant feature, and is penalised
        like all others. By default it is free.
    intercept_scaling : float, default=1.0
        The constant feature; only with `regularize_intercept`.
    class_weight : dict or "balanced", optional
        Factor of each class; "balanced" is total weight / (classes × weight of the class).
    probability : bool, "sigmoid" or "isotonic", default=False
        Learn probabilities too, from scores of five folds that are fitted beside, within the same `max_time`; then
        there is `predict_proba`. True is "sigmoid", Platt's; "isotonic" wants some hundred rows of each class.
    max_iter : int, default=-1
        Most steps: epochs of dual descent, or steps of Newton's method. -1 is no limit.
    max_time : float, optional
        Most seconds; the model that is there by then is kept, with its gap.
    warm_start : bool, default=False
        Start from the solution of the last fit where there are as many rows and classes; the optimum is the same.
    n_jobs : int, optional
        Threads, which share the binary parts; the result does not depend on them.
    random_state : int, RandomState or None, default=0
        Seed of the order in which dual descent visits the rows, and of the folds of `probability`.
    observe : callable, optional
        Called as observe(step, columns, snapshot) now and then; True stops the fit.
    verbose : ignored

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features), (n_classes, n_features) or (n_pairs, n_features)
        Weights of the features.
    intercept_ : ndarray of shape (1,), (n_classes,) or (n_pairs,)
        The biases.
    classes_ : ndarray of shape (n_classes,)
        The labels in order.
    solver_ : str
        The method that came to the end: "newton", "dual descent", "feature descent" or "class descent".
    n_iter_ : int
        Steps, the most of all binary parts.
    certificate_ : SVMCertificate
        Primal and dual objective and their gap, recomputed in float64 without the solver.
    proof_ : DualPoints or None
        The points of the dual that prove it.
    calibration_ : Sigmoids, RisingLines or None
        How scores become probabilities.
    converged_, stop_reason_, trace_ : bool, str, Trace
        Whether `tol` was reached; why the fit ended; figures by step.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearLearner._parameter_constraints,
        **LinearProbabilities._parameter_constraints,
        "penalty": [StrOptions({"l1", "l2"})],
        "loss": [StrOptions(set(FOR_CLASSES))],
        "multi_class": [StrOptions({"ovr", "ovo", "crammer_singer"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    penalty: str = "l2"
    loss: str = "squared_hinge"
    multi_class: str = "ovr"
    class_weight: Any = None

    @property
    def _scheme(self) -> str:
        return self.multi_class

    @with_callbacks
    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Solve the problem.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of any kind.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 3 is a row that stands there three times, 0 one that is absent.

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
        self._refuse_impossible()
        watch = self._watch()
        data = self._read(X, y, sample_weight)
        calibration, unsure = self._calibration(X, y, sample_weight)
        self.calibration_ = calibration
        self._learn(data, watch)
        return unsure

    def _refuse_impossible(self) -> None:
        # scikit-learn's words first, since programs look for them.
        said = f"Unsupported set of arguments: penalty={self.penalty!r}, loss={self.loss!r} with dual={self.dual}"
        if self.penalty == "l1" and self.loss == "hinge" and self.multi_class != "crammer_singer":
            raise BadInput(f"{said}: 'l1' takes loss='squared_hinge' or 'logistic'.")
        if self.penalty == "l1" and self.dual is True and self.multi_class != "crammer_singer":
            raise BadInput(f"{said}: 'l1' is solved feature by feature, with dual=False or 'auto'.")

    # ---- problems and certificates -----------------------------------------------------------------------------

    def _parts(self, data: Training) -> list[Part]:
        return binary_parts(len(data.labels), self.multi_class)

    @property
    def _together(self) -> bool:
        """One problem for all classes; of two it is that of the hinge at twice the price."""
        return self.multi_class == "crammer_singer"

    def _problems(self, data: Training) -> list[Any]:
        parts = self._parts(data)
        if self._together and len(data.labels) > 2:
            scale = float(self.intercept_scaling)
            return [ClassProblem(*self._rows(data), data.y, self._price(data), len(data.labels), self._bias(), scale)]
        X, native = self._rows(data)
        places = rows_of_parts(parts, data.y)
        return [self._problem(data, X, native, part, rows) for part, rows in zip(parts, places, strict=True)]

    def _problem(self, data: Training, X: Any, native: Any, part: Part, rows: np.ndarray | None) -> LinearProblem:
        X = X if rows is None else canonical(X[rows])
        signs = part.signs(data.y)
        return LinearProblem(
            X,
            signs if rows is None else signs[rows],
            self._price(data, rows) * (2.0 if self._together else 1.0),
            FOR_CLASSES["hinge" if self._together else self.loss],
            self._bias(),
            float(self.intercept_scaling),
            "l2" if self._together else self.penalty,  # type: ignore[arg-type]
            native if rows is None else None,
            (lambda: data.squared_norms) if rows is None else None,
        )

    def _beside(self, data: Training) -> dict[str, Any]:
        return {"classes_": data.labels.classes}

    def _merged(self, data: Training, certificates: Sequence[SVMCertificate]) -> Any:
        if len(certificates) == 1:
            return certificates[0]
        names = [part.name(data.labels.classes) for part in self._parts(data)]
        return merge(dict(zip(names, certificates, strict=True)), data_digest=data.digest)

    def _certify(self, data: Training, *, prove: bool = False) -> Any:
        certificates = []
        W, problems = np.column_stack([self.coef_, self.intercept_]), self._problems(data)
        many = len(W) // len(problems)
        for k, problem in enumerate(problems):
            if self.proof_ is None:
                certificates.append(unproved(data.digest))
                continue
            w = W[k * many : (k + 1) * many].reshape(problem.shape)
            certificates.append(self._certificate(data, problem, w, self.proof_[k].b))
        return self._merged(data, certificates)

    def _certificate(
        self, data: Training, problem: Any, w: np.ndarray, b: np.ndarray, made: Any = None
    ) -> SVMCertificate:
        if not isinstance(problem, ClassProblem):
            return super()._certificate(data, problem, w, b, made)
        return certify_classes(problem, w, b, radius=self._radius(data), asked=self.tol, data_digest=data.digest)
