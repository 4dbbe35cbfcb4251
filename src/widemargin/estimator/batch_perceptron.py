"""The batch perceptron: gradient steps on the mean depth of the mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base.callbacks import EpochTasks, with_callbacks
from ..base.drive import drive
from ..base.errors import BadInput
from ..base.params import Interval, StrOptions, count, positive
from ..base.records import Stop
from ..certificate.perceptron import certify_perceptron
from ..certificate.record import merge
from ..data.rows import Training
from ..model.linear import LinearModel
from ..model.multiclass import Part, binary_parts
from ..solver.batch import BatchOptions, BatchSolver
from ..solver.parts import Parts, PartsState
from .base import Classifier
from .online_fit import NEARLY_FREE
from .perceptron import MistakeBound
from .stream import StreamedClassifier
from .whole import whole_or_nothing


@dataclass(kw_only=True, eq=False, repr=False)
class BatchPerceptron(StreamedClassifier, MistakeBound, Classifier):
    """Perceptron that looks at all rows before each step.

    Minimises E(w) = 1/W Σ s (−y u)₊ by steps η δ, where δ sums s y [x, 1] / W over all rows with y u ≤ 0. A row of
    weight 3 is the same as three rows, to the last bit, and the order of the rows does not matter. E(0) = 0 is a
    trivial minimum: convergence is claimed only when no row has y u ≤ 0.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Learn a bias b.
    max_iter : int, default=1000
        Most passes.
    tol : float, default=1e-12
        Stop when |δ| < tol · max |[x, 1]|; with rows still on the wrong side this is not convergence.
    eta0 : float, default=1.0
        First rate.
    schedule : {"invscaling", "constant"}, default="invscaling"
        Large steps first, then smaller: eta0 / (1 + t)^power_t; or eta0 throughout.
    power_t : float, default=0.25
        Exponent of "invscaling", at most 1 (a faster fall could stop short of a separator).
    warm_start : bool, default=False
        Start from the last fit's solution.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    class_weight, multiclass, random_state, verbose, max_time, observe
        As in :class:`Perceptron`; nothing is random here.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        One row and one number a binary part.
    classes_ : ndarray
        Labels.
    n_iter_, n_updates_ : int
        Passes and steps made.
    converged_ : bool
        Whether the last pass found no row with y u ≤ 0.
    stop_reason_ : str
        Why the fit ended.
    certificate_ : PerceptronCertificate
        What the model proves: its margin if it separates the data.
    trace_ : Trace
        Rows on the wrong side, their weight, E and |δ| by pass.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Classifier._parameter_constraints,
        "fit_intercept": ["boolean"],
        "max_iter": [count()],
        "tol": [Interval(Real, 0, None, closed="left")],
        "eta0": [positive()],
        "schedule": [StrOptions({"constant", "invscaling"})],
        "power_t": [Interval(Real, 0, 1, closed="both")],
        "warm_start": ["boolean"],
    }

    early_stopping: ClassVar[bool] = False

    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float = 1e-12
    eta0: float = 1.0
    schedule: str = "invscaling"
    power_t: float = 0.25
    warm_start: bool = False

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
        data = self._read(X, y, sample_weight)
        labels: Any = data.labels
        self.classes_ = labels.classes
        parts = self._parts(data)
        state = parts.start(self._starts(data))
        tasks = EpochTasks(self, data, self.max_iter)
        after = (lambda _step, _columns: tasks.epoch_done(lambda: self._fitted(state))) if tasks.active else None
        stop, self.trace_ = drive(
            parts,
            state,
            last=self.max_iter,
            explain=lambda kind: parts.explain(state, self.max_iter, self.max_time)(kind),
            watch=self._watch(after),
            snapshot=lambda: self._model(state),
        )
        self._forget_stream()
        self._keep(state, stop)
        self.proof_ = None  # the model and the data say all
        worthwhile = stop.converged or self.n_iter_ >= 10 or data.n * data.d <= NEARLY_FREE
        self.certificate_ = self._certify(data) if worthwhile else self._claim_little(data)
        tasks.close(lambda: self._fitted(state))
        return self

    def _parts(self, data: Training, seed: int = 0, learn: None = None, **_changes: Any) -> Parts:
        options = BatchOptions(
            eta=self.eta0,
            power=self.power_t if self.schedule == "invscaling" else 0.0,
            tol=self.tol,
            intercept=self.fit_intercept,
        )
        solvers = [
            BatchSolver(
                data.X,
                data.rows,
                part.signs(data.y),
                options,
                weight=data.weight,
                among=part.among(data.y),
                max_squared_norm=_largest(data),
                threads=self._threads(),
            )
            for part in self._binary_parts()
        ]
        return Parts(solvers, self._threads())

    def _binary_parts(self) -> list[Part]:
        return binary_parts(len(self.classes_), self.multiclass)

    def _forget_stream(self) -> None:
        self.__dict__.pop("_stream", None)

    def _certify(self, data: Training, *, prove: bool = False) -> Any:
        """One certificate a part, merged: what the model alone proves."""
        certificates = {}
        for k, part in enumerate(self._binary_parts()):
            rows = part.among(data.y)
            certificates[part.name(self.classes_)] = certify_perceptron(
                data.X if rows is None else data.X[rows],
                part.signs(data.y) if rows is None else part.signs(data.y)[rows],
                self.coef_[k],
                float(self.intercept_[k]),
                intercept=self.fit_intercept,
                plain=False,
                prove=prove,
                max_squared_norm=_largest(data),
                data_digest=data.digest,
            )
        return merge(certificates, data_digest=data.digest)

    def _starts(self, data: Training) -> list[np.ndarray] | None:
        if not (self.warm_start and hasattr(self, "coef_")):
            return None
        n_parts = len(self._binary_parts())
        if self.coef_.shape != (n_parts, data.d):
            raise BadInput(
                f"warm_start: the last fit's coef_ has shape {self.coef_.shape}, now ({n_parts}, {data.d}) is needed: "
                "set warm_start=False or fit a clone."
            )
        return [np.append(w, b) for w, b in zip(self.coef_, self.intercept_, strict=True)]

    def _model(self, state: PartsState) -> LinearModel:
        vectors = [s.weights() for s in state.states]
        return LinearModel(np.array([w for w, _ in vectors]), np.array([b for _, b in vectors]))

    def _fitted(self, state: PartsState) -> dict[str, Any]:
        model = self._model(state)
        return {"coef_": model.coef, "intercept_": model.intercept, "classes_": self.classes_}

    def _keep(self, state: PartsState, stop: Stop) -> None:
        model = self._model(state)
        self.coef_, self.intercept_ = model.coef, model.intercept
        self.n_iter_ = max(s.step for s in state.states)
        self.n_updates_ = sum(s.updates for s in state.states)
        self.converged_ = stop.converged
        self.stop_reason_ = stop.sentence

    @property
    def model_(self) -> LinearModel:
        check_is_fitted(self)
        return LinearModel(self.coef_, self.intercept_)


def _largest(data: Training) -> float:
    """The largest |x|^2."""
    scanned: Any = data.scanned
    return scanned.max_squared_norm
