"""What Pegasos and SGDSVC share: read, start, run epoch by epoch, prove.

Problem  min over w (and c)   alpha/2 |w|^2 + 1/W sum_i s_i (1 - y_i (w.x_i + c))+,   s_i the weights, W their sum
Proof    how often each row was active on the way is a point of the dual (core/solver/gradient.hpp). With C_i = s_i /
         (alpha W) this is LinearSVC's problem with the hinge, times alpha: one certificate serves both
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base.blas import one_blas_thread
from ..base.callbacks import EpochTasks, with_callbacks
from ..base.drive import drive
from ..base.errors import BadInput
from ..base.params import Interval, Options, count, positive
from ..base.records import Stop
from ..base.seeds import seed_from
from ..certificate.linear import certify_linear
from ..certificate.record import SVMCertificate, merge
from ..data.rows import Training, canonical
from ..loss.losses import Hinge
from ..model.dual import DualPoint, DualPoints
from ..model.linear import LinearModel
from ..model.linear_problem import LinearProblem
from ..model.multiclass import Part, binary_parts
from ..solver.gradient import GradientOptions, GradientSolver, GradientState, dual_point
from ..solver.parts import Parts, PartsState
from .base import Classifier
from .gradient_work import ProvedParts
from .linear_fit import unproved
from .stream import StreamedClassifier
from .whole import whole_or_nothing

DRAWING = {True: "every_epoch", False: "never", "once": "once", "replace": "replace"}


@dataclass(kw_only=True, eq=False, repr=False)
class GradientClassifier(StreamedClassifier, Classifier):
    """Subclasses say which rule makes a step (`_options`)."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Classifier._parameter_constraints,
        "alpha": [positive()],
        "fit_intercept": ["boolean"],
        "max_iter": [count()],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "shuffle": ["boolean", Options(str, {"once", "replace"})],
        "warm_start": ["boolean"],
    }

    alpha: float = 1e-4
    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = 1e-3
    shuffle: bool | str = True
    warm_start: bool = False

    def _options(self, seed: int) -> GradientOptions:
        raise NotImplementedError

    def _refuse_impossible(self) -> None:
        """Parameters that do not go together."""

    # ---- fit ---------------------------------------------------------------------------------------------------

    @with_callbacks
    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Learn from rows and labels.

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
        self._validate_params()
        self._refuse_impossible()
        watch = self._watch()
        data = self._read(X, y, sample_weight)
        self.classes_ = data.labels.classes
        parts = self._parts(data, self._options(seed_from(self.random_state)))
        state = parts.start(self._starts(data, parts))
        tasks = EpochTasks(self, data, self.max_iter)
        if tasks.active:
            watch.after_step = lambda epoch, columns: tasks.epoch_done(lambda: self._fitted(state))
        with one_blas_thread():
            ended, self.trace_ = drive(
                parts,
                state,
                last=self.max_iter,
                explain=lambda kind: Stop(kind, ""),
                watch=watch,
                snapshot=lambda: self._model(state),
            )
            certificates = parts.prove(state)
        self._keep(state, parts.explain(state, self.max_iter, self.max_time)(ended.kind))
        self.proof_ = DualPoints.of([DualPoint(b) for b in parts.points])
        self.certificate_ = self._merged(data, certificates)
        self.__dict__.pop("_stream", None)
        tasks.close(lambda: self._fitted(state))
        return self

    def _starts(self, data: Training, parts: ProvedParts) -> list[tuple[np.ndarray, int]] | None:
        """With warm_start: the vectors of the last fit, and how many epochs led to them."""
        if not (self.warm_start and hasattr(self, "coef_")):
            return None
        shape = len(parts.solvers), data.d
        if self.coef_.shape != shape:
            raise BadInput(
                f"warm_start: the last fit's coef_ has shape {self.coef_.shape}, now {shape} is needed: "
                "set warm_start=False or fit a clone."
            )
        epochs = round((self.t_ - 1) / sum(s.visits_per_epoch for s in parts.solvers))
        return [(np.append(w, b), max(epochs, 1)) for w, b in zip(self.coef_, self.intercept_, strict=True)]

    def _parts(self, data: Training, options: GradientOptions) -> ProvedParts:
        return ProvedParts(
            self._solvers(data, options),
            self._threads(),
            lambda state, k: self._proved(data, k, state),
            self.tol,
        )

    def _solvers(self, data: Training, options: GradientOptions) -> list[GradientSolver]:
        return [
            GradientSolver(data.rows, part.signs(data.y), options, data.weight, part.among(data.y))
            for part in self._binary_parts()
        ]

    def _binary_parts(self) -> list[Part]:
        return binary_parts(len(self.classes_), self.multiclass)

    # ---- a stream ----------------------------------------------------------------------------------------------

    def _batch_parts(self, data: Training, seed: int) -> Parts:
        """A stream has drawn its rows already: each is visited once. Its weights stand for themselves."""
        self._refuse_impossible()
        options = self._options(seed).in_a_stream()
        return Parts(self._solvers(data, options), self._threads())

    def _claim_little(self, data: Training | None) -> SVMCertificate:
        return SVMCertificate(
            claim=f"{self.n_steps_} steps in {self.n_iter_} batches; the rows of a stream are gone, so no gap is known",
            holds=None,
        )

    # ---- what is kept ------------------------------------------------------------------------------------------

    def _vector(self, state: GradientState) -> tuple[np.ndarray, float]:
        return state.weights(self._options(0))

    def _model(self, state: PartsState) -> LinearModel:
        vectors = [self._vector(s) for s in state.states]
        return LinearModel(np.array([w for w, _ in vectors]), np.array([b for _, b in vectors]))

    def _fitted(self, state: PartsState) -> dict[str, Any]:
        """The attributes with which an estimator can predict as of now."""
        model = self._model(state)
        return {"coef_": model.coef, "intercept_": model.intercept, "classes_": self.classes_}

    def _keep(self, state: PartsState, stop: Stop) -> None:
        fitted = self._fitted(state)
        if not (np.isfinite(fitted["coef_"]).all() and np.isfinite(fitted["intercept_"]).all()):
            raise BadInput(
                "the numbers overflow float64 on the way: scale the features, for example with "
                "sklearn.preprocessing.MaxAbsScaler."
            )
        for name, value in fitted.items():
            setattr(self, name, value)
        self.n_iter_ = max(s.epoch for s in state.states)
        self.n_steps_ = sum(s.steps for s in state.states)
        self.n_updates_ = sum(s.updates for s in state.states)
        self.t_ = float(sum(s.visits for s in state.states)) + 1
        self.converged_ = stop.converged
        self.stop_reason_ = stop.sentence

    @property
    def model_(self) -> LinearModel:
        check_is_fitted(self)
        return LinearModel(self.coef_, self.intercept_)

    # ---- the proof ---------------------------------------------------------------------------------------------

    def _problem(self, data: Training, k: int) -> LinearProblem:
        part = self._binary_parts()[k]
        rows = part.among(data.y)
        pick = slice(None) if rows is None else rows
        signs = part.signs(data.y)[pick]
        weight = np.ones(len(signs)) if data.weight is None else data.weight[pick]
        return LinearProblem(
            data.X if rows is None else canonical(data.X[rows]),
            signs,
            weight / (self.alpha * weight.sum()),
            Hinge(),
            "free" if self.fit_intercept else "none",
        )

    def _proved(self, data: Training, k: int, state: GradientState) -> tuple[SVMCertificate, np.ndarray]:
        """The certificate of a part as it is, and the dual point that it rests on."""
        problem, rows = self._problem(data, k), self._binary_parts()[k].among(data.y)
        w, c = self._vector(state)
        b = dual_point(problem, state, rows)
        return self._certificate(data, problem, w, c, b), b

    def _certificate(
        self, data: Training, problem: LinearProblem, w: np.ndarray, c: float, b: np.ndarray
    ) -> SVMCertificate:
        return certify_linear(
            problem,
            w,
            c,
            b,
            radius=math.sqrt(data.max_squared_norm) * (1 + 1e-12),
            asked=self.tol,
            unit=self.alpha,
            data_digest=data.digest,
        )

    def _merged(self, data: Training, certificates: list[SVMCertificate]) -> Any:
        names = [part.name(self.classes_) for part in self._binary_parts()]
        return merge(dict(zip(names, certificates, strict=True)), data_digest=data.digest)

    def _certify(self, data: Training, *, prove: bool = False) -> Any:
        if self.proof_ is None:
            return self._merged(data, [unproved(data.digest) for _ in self._binary_parts()])
        certificates = [
            self._certificate(data, self._problem(data, k), self.coef_[k], float(self.intercept_[k]), self.proof_[k].b)
            for k in range(len(self.proof_))
        ]
        return self._merged(data, certificates)
