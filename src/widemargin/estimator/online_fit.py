"""The fit that all online linear learners share: read, start, run epoch by epoch, keep, certify."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base.callbacks import EpochTasks, with_callbacks
from ..base.drive import drive
from ..base.errors import BadInput
from ..base.params import Interval, Options, count, fraction
from ..base.records import Stop
from ..base.seeds import seed_from
from ..data.rows import Training, checked_scan, scan
from ..model.linear import LinearModel
from ..solver.online import OnlineOptions, OnlineProof, OnlineSolver, OnlineState
from ..solver.parts import Parts, PartsState
from .base import Learner
from .whole import whole_or_nothing

SHUFFLE = {True: "every_epoch", False: "never", "once": "once"}
NEARLY_FREE = 5_000_000  # numbers in X up to which a certificate costs less than anybody notices


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineLearner(Learner):
    """Subclasses say which rule (`_options`), which vector of the solver is the model (`_vector`), what the parts learn
    (`_problems`), how good a model is (`_score`) and what can be proved (`_certify`)."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Learner._parameter_constraints,
        "fit_intercept": ["boolean"],
        "max_iter": [count()],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "shuffle": ["boolean", Options(str, {"once"})],
        "early_stopping": ["boolean"],
        "validation_fraction": [fraction()],
        "n_iter_no_change": [count()],
        "warm_start": ["boolean"],
    }

    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = None
    shuffle: bool | str = True
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    warm_start: bool = False

    # ---- what a subclass says ----------------------------------------------------------------------------------

    def _options(self, seed: int) -> OnlineOptions:
        raise NotImplementedError

    def _vector(self, state: OnlineState) -> tuple[np.ndarray, float]:
        return state.weights()

    def _problems(self, data: Training) -> list[tuple[np.ndarray, np.ndarray | None]]:
        """Targets and rows (None = all) of each part."""
        raise NotImplementedError

    def _split(self, data: Training, seed: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Rows to learn from and rows held out for early stopping (None, None without)."""
        raise NotImplementedError

    def _score(self, data: Training, model: LinearModel, rows: np.ndarray) -> float:
        raise NotImplementedError

    def _certify(self, data: Training, *, prove: bool = False) -> Any:
        raise NotImplementedError

    def _claim_little(self, data: Training | None) -> Any:
        """The certificate of a fit that ended early on large data, or of a stream: nothing was recomputed."""
        raise NotImplementedError

    # ---- fit ---------------------------------------------------------------------------------------------------

    @with_callbacks
    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, coef_init: Any = None, intercept_init: Any = None):
        """Learn from rows and labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of any kind, or numbers for a regressor.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 3 is a row that stands there three times, 0 one that is absent.
        coef_init, intercept_init : array-like, optional
            Where to start instead of zero.

        Returns
        -------
        self
        """
        self._validate_params()
        data = self._read(X, y, sample_weight, scan_now=False)
        seed = seed_from(self.random_state)
        self._take_labels(data)
        starts = self._starts(data, coef_init, intercept_init, seed)
        learn, held_out = self._split(data, seed)
        parts = self._parts(data, seed, learn)
        state = parts.start(starts)
        self._scan(data, parts)
        self._forget_stream()
        tasks = EpochTasks(self, data, self.max_iter)
        stop, self.trace_ = drive(
            parts,
            state,
            last=self.max_iter,
            explain=lambda kind: parts.explain(state, self.max_iter, self.max_time)(self._stop_kind or kind),
            watch=self._watch(self._after_epoch(data, state, held_out, tasks)),
            snapshot=lambda: self._model(state),
        )
        if data.scanned is None:
            data.scanned = scan(data.rows, data.X, threads=self._threads())
        self._keep(state, stop)
        self._keep_proof(data, state, starts, learn, seed)
        worthwhile = stop.converged or self.n_iter_ >= 10 or data.n * data.d <= NEARLY_FREE
        self.certificate_ = self._certify(data) if worthwhile else self._claim_little(data)
        tasks.close(lambda: self._fitted(state))
        return self

    def _take_labels(self, data: Training) -> None:
        """Classifiers keep the classes."""

    def _forget_stream(self) -> None:
        self.__dict__.pop("_stream", None)

    def _scan(self, data: Training, parts: Parts) -> None:
        """Finite values, digest, norms: while the first epoch visits every row once, else beforehand."""
        solver = parts.solvers[0]
        if len(parts.solvers) > 1 or not solver.visits_each_row_once:
            data.scanned = scan(data.rows, data.X, threads=self._threads())
            return

        def tell(seen: tuple[int, int, float, int]) -> None:
            # A visit in any order may meet a later fault first: then look again, in order.
            data.scanned = checked_scan(seen, data.X) if seen[0] < 0 else scan(data.rows, data.X)

        solver.scan_first_epoch(tell)

    def _parts(self, data: Training, seed: int, learn: np.ndarray | None, **changes: Any) -> Parts:
        options = replace(self._options(seed), **changes)
        solvers = []
        for target, among in self._problems(data):
            if learn is not None:
                among = learn if among is None else np.intersect1d(among, learn)
            solvers.append(OnlineSolver(data.rows, target, options, data.weight, among))
        return Parts(solvers, self._threads())

    def _n_parts(self, data: Training) -> int:
        return 1

    def _starts(self, data: Training, coef_init: Any, intercept_init: Any, seed: int) -> list[np.ndarray] | None:
        """Given vectors, the last fit's (warm_start), or None for zero."""
        n_parts = self._n_parts(data)
        if self.warm_start and hasattr(self, "coef_") and coef_init is None:
            coef_init, intercept_init = self.coef_, self.intercept_
        if coef_init is None and intercept_init is None:
            return None
        coef = np.atleast_2d(_numbers(coef_init, "coef_init", np.zeros((n_parts, data.d))))
        bias = np.atleast_1d(_numbers(intercept_init, "intercept_init", np.zeros(n_parts)))
        if coef.shape != (n_parts, data.d) or bias.shape != (n_parts,):
            raise BadInput(
                f"coef_init of shape {coef.shape} and intercept_init of shape {bias.shape} do not fit: "
                f"({n_parts}, {data.d}) and ({n_parts},) are needed."
            )
        return [np.append(c, b) for c, b in zip(coef, bias, strict=True)]

    def _after_epoch(
        self, data: Training, state: PartsState, held_out: np.ndarray | None, tasks: EpochTasks
    ) -> Callable | None:
        """What happens at the end of each epoch, or None if nobody asks."""
        self._stop_kind: str | None = None
        if not (tasks.active or held_out is not None or self.tol is not None):
            return None
        best, since = -np.inf, 0

        def look(epoch: int, columns: dict[str, Any]) -> bool:
            nonlocal best, since
            if held_out is not None or self.tol is not None:
                if held_out is not None:
                    score = self._score(data, self._model(state), held_out)
                else:
                    score = -columns["loss"] / data.n
                since = 0 if score > best + (self.tol or 0.0) else since + 1
                best = max(best, score)
                if since >= self.n_iter_no_change:
                    self._stop_kind = "flat"
                    return True
            return tasks.active and tasks.epoch_done(lambda: self._fitted(state))

        return look

    # ---- what is kept ------------------------------------------------------------------------------------------

    def _model(self, state: PartsState) -> LinearModel:
        vectors = [self._vector(s) for s in state.states]
        return LinearModel(np.array([w for w, _ in vectors]), np.array([b for _, b in vectors]))

    def _fitted(self, state: PartsState) -> dict[str, Any]:
        """The attributes with which an estimator can predict as of now."""
        model = self._model(state)
        return {"coef_": model.coef, "intercept_": model.intercept}

    def _keep(self, state: PartsState, stop: Stop) -> None:
        if not all(np.isfinite(s.w).all() for s in state.states):
            raise BadInput(
                "the numbers overflow float64 on the way: scale the features, for example with "
                "sklearn.preprocessing.MaxAbsScaler."
            )
        for name, value in self._fitted(state).items():
            setattr(self, name, value)
        self.n_iter_ = max(s.epoch for s in state.states)
        self.t_ = float(sum(s.visits for s in state.states)) + 1
        self.n_updates_ = sum(s.updates for s in state.states)
        self.converged_ = stop.converged
        self.stop_reason_ = stop.sentence

    def _keep_proof(self, data: Training, state: PartsState, starts: Any, learn: Any, seed: int) -> None:
        self.proof_ = OnlineProof.of(state.states, seed, starts)

    @property
    def model_(self) -> LinearModel:
        check_is_fitted(self)
        return LinearModel(np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_))


def _numbers(given: Any, name: str, default: np.ndarray) -> np.ndarray:
    if given is None:
        return default
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as e:
        raise BadInput(f"{name} must be numbers: {e}.") from e
    if not np.isfinite(values).all():
        raise BadInput(f"{name} must be finite, but holds {values[~np.isfinite(values)][0]}.")
    return values
