"""Online linear classifiers: one fit for all of them, epoch by epoch over binary parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..base.callbacks import EpochTasks, with_callbacks
from ..base.drive import drive
from ..base.errors import BadInput
from ..base.params import Interval, Options, count, fraction
from ..base.records import Stop
from ..base.seeds import seed_from
from ..data.labels import Labels, encode_labels
from ..data.rows import Training, checked_scan, scan
from ..model.linear import LinearModel
from ..model.multiclass import Part, binary_parts, decide, winners
from ..solver.online import OnlineOptions, OnlineSolver, OnlineState
from ..solver.parts import Parts, PartsState
from .base import Classifier

SHUFFLE = {True: "every_epoch", False: "never", "once": "once"}


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineClassifier(Classifier):
    """Subclasses say which rule (`_options`) and which of the solver's vectors is the model (`_vector`)."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Classifier._parameter_constraints,
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

    def _options(self, seed: int) -> OnlineOptions:
        raise NotImplementedError

    def _vector(self, state: OnlineState) -> tuple[np.ndarray, float]:
        return state.weights()

    # ---- fit ---------------------------------------------------------------------------------------------------

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, coef_init: Any = None, intercept_init: Any = None):
        """Learn from rows and labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of any kind.
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
        starts = self._starts(data, coef_init, intercept_init, seed)
        self.classes_ = data.labels.classes
        learn, held_out = self._split(data, seed)
        parts = self._parts(data, seed, learn)
        state = parts.start(starts)
        self._scan(data, parts)
        tasks = EpochTasks(self, data.X, self.classes_[data.y], self.max_iter)
        watch = self._watch(self._after_epoch(data, parts, state, held_out, tasks))
        stop, trace = drive(
            parts,
            state,
            last=self.max_iter,
            explain=lambda kind: parts.explain(state, self.max_iter, self.max_time)(self._stop_kind or kind),
            watch=watch,
            snapshot=lambda: self._model(state),
        )
        if data.scanned is None:
            data.scanned = scan(data.rows, data.X, threads=self._threads())
        self.trace_ = trace
        self._keep(state, stop)
        self._keep_proof(data, state, starts, learn)
        self.certificate_ = self._certify(data)
        tasks.close(lambda: self._fitted(state))
        return self

    def _scan(self, data: Training, parts: Parts) -> None:
        """Finite values, digest, norms: while the first epoch visits every row once, else beforehand."""
        solver = parts.solvers[0]
        if len(parts.solvers) > 1 or not solver.visits_each_row_once:
            data.scanned = scan(data.rows, data.X, threads=self._threads())
            return

        def tell(seen: tuple[int, int, float, int]) -> None:
            data.scanned = checked_scan(seen, data.X)

        solver.scan_first_epoch(tell)

    def _n_parts(self, data: Training) -> int:
        return len(binary_parts(len(data.labels), self.multiclass))

    def _binary_parts(self) -> list[Part]:
        return binary_parts(len(self.classes_), self.multiclass)

    def _parts(self, data: Training, seed: int, learn: np.ndarray | None, **changes: Any) -> Parts:
        options = replace(self._options(seed), **changes)
        solvers = []
        for part in self._binary_parts():
            among = part.among(data.y)
            if learn is not None:
                among = learn if among is None else np.intersect1d(among, learn)
            solvers.append(OnlineSolver(data.rows, part.signs(data.y), options, data.weight, among))
        return Parts(solvers, self._threads())

    def _starts(self, data: Training, coef_init: Any, intercept_init: Any, seed: int) -> list[np.ndarray] | None:
        """Given vectors, the last fit's (warm_start), or None for zero."""
        n_parts = self._n_parts(data)
        if self.warm_start and hasattr(self, "coef_") and coef_init is None:
            coef_init, intercept_init = self.coef_, self.intercept_
        if coef_init is None and intercept_init is None:
            return None
        coef = np.zeros((n_parts, data.d)) if coef_init is None else np.asarray(coef_init, dtype=np.float64)
        bias = np.zeros(n_parts) if intercept_init is None else np.asarray(intercept_init, dtype=np.float64)
        coef, bias = np.atleast_2d(coef), np.atleast_1d(bias)
        if coef.shape != (n_parts, data.d) or bias.shape != (n_parts,):
            raise BadInput(
                f"coef_init of shape {coef.shape} and intercept_init of shape {bias.shape} do not fit: "
                f"({n_parts}, {data.d}) and ({n_parts},) are needed."
            )
        return [np.append(c, b) for c, b in zip(coef, bias, strict=True)]

    def _split(self, data: Training, seed: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Rows to learn from and rows held out for early stopping (None, None without)."""
        if not self.early_stopping:
            return None, None
        cut = StratifiedShuffleSplit(1, test_size=self.validation_fraction, random_state=seed % 2**32)
        learn, held_out = next(cut.split(np.zeros(data.n), data.y))
        return np.sort(learn), np.sort(held_out)

    def _after_epoch(
        self, data: Training, parts: Parts, state: PartsState, held_out: np.ndarray | None, tasks: EpochTasks
    ) -> Callable | None:
        """What happens at the end of each epoch, or None if nobody asks."""
        self._stop_kind: str | None = None
        if not (tasks.active or held_out is not None or self.tol is not None):
            return None
        best, since = -np.inf, 0

        def look(epoch: int, columns: dict[str, Any]) -> bool:
            nonlocal best, since
            if held_out is not None or self.tol is not None:
                score = self._score(data, state, held_out) if held_out is not None else -columns["loss"] / data.n
                since = 0 if score > best + (self.tol or 0.0) else since + 1
                best = max(best, score)
                if since >= self.n_iter_no_change:
                    self._stop_kind = "flat"
                    return True
            return tasks.active and tasks.epoch_done(lambda: self._fitted(state))

        return look

    def _score(self, data: Training, state: PartsState, rows: np.ndarray) -> float:
        decision = decide(self._model(state).scores(data.X[rows]), len(self.classes_), self.multiclass)
        weight = None if data.weight is None else data.weight[rows]
        return float(np.average(winners(decision) == data.y[rows], weights=weight))

    # ---- what is kept ------------------------------------------------------------------------------------------

    def _model(self, state: PartsState) -> LinearModel:
        vectors = [self._vector(s) for s in state.states]
        return LinearModel(np.array([w for w, _ in vectors]), np.array([b for _, b in vectors]))

    def _fitted(self, state: PartsState) -> dict[str, Any]:
        model = self._model(state)
        return {"coef_": model.coef, "intercept_": model.intercept, "classes_": self.classes_}

    def _keep(self, state: PartsState, stop: Stop) -> None:
        model = self._model(state)
        self.coef_, self.intercept_ = model.coef, model.intercept
        self.n_iter_ = max(s.epoch for s in state.states)
        self.t_ = float(sum(s.visits for s in state.states)) + 1
        self.n_updates_ = sum(s.updates for s in state.states)
        self.converged_ = stop.converged
        self.stop_reason_ = stop.sentence

    def _keep_proof(self, data: Training, state: PartsState, starts: Any, learn: Any) -> None:
        self.proof_ = None

    def _certify(self, data: Training, prove: bool = False) -> Any:
        return None

    @property
    def model_(self) -> LinearModel:
        check_is_fitted(self)
        return LinearModel(self.coef_, self.intercept_)

    # ---- streams -----------------------------------------------------------------------------------------------

    def _may_stream(self) -> bool:
        if self.early_stopping:
            raise AttributeError(
                "partial_fit sees one batch at a time and cannot stop early: set early_stopping=False."
            )
        return True

    @available_if(_may_stream)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None):
        """One pass over a batch, going on from what was learnt before.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All labels that will ever come; needed at the first call only.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._validate_params()
        if isinstance(self.class_weight, str):
            raise BadInput("class_weight='balanced' needs all data at once: give partial_fit a dictionary instead.")
        first = not hasattr(self, "_stream")
        labels = self._stream_labels(classes, first)
        rows_before = 0 if first else self._stream["rows"]
        data = self._read(X, y, sample_weight, labels=labels, reset=first, first=rows_before)
        if first:
            seed = seed_from(self.random_state)
            self.classes_ = labels.classes
            self._stream = {"rows": 0, "batches": 0, "seed": seed, "states": None, "digest": 0}
        stream = self._stream
        # The order of a batch is keyed by its number, so that one stream has one result.
        parts = self._parts(data, stream["seed"] + stream["batches"], None, patience=0)
        state = parts.start()
        if stream["states"] is not None:
            for fresh, old in zip(state.states, stream["states"], strict=True):
                fresh.w, fresh.a, fresh.sums = old.w, old.a, old.sums
                fresh.counters[2:4] = old.counters[2:4]
        stop, self.trace_ = drive(
            parts,
            state,
            last=1,
            explain=lambda kind: Stop(
                "epochs", f"batch {stream['batches'] + 1} of a stream: one pass over {data.n} rows"
            ),
            watch=self._watch(),
        )
        stream.update(rows=rows_before + data.n, batches=stream["batches"] + 1, states=state.states)
        for s in state.states:
            s.updates_of, s.log = np.empty(0, np.int32), []
        self._keep(state, stop)
        self.n_iter_ = stream["batches"]
        self.proof_ = None
        self.certificate_ = self._certify_stream(data)
        return self

    def _stream_labels(self, classes: Any, first: bool) -> Labels:
        if not first:
            if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
                raise BadInput(f"`classes={classes}` is not the same as on last call to partial_fit: {self.classes_}.")
            return Labels(self.classes_)
        if hasattr(self, "classes_") and classes is None:
            return Labels(self.classes_)
        if classes is None:
            raise BadInput("classes must be passed on the first call to partial_fit.")
        return encode_labels(np.asarray(classes))

    def _certify_stream(self, data: Training) -> Any:
        return None
