"""The perceptron in a feature space given by a kernel; its last, averaged or voted answer.

Problem  find c with y_i u(x_i) > 0 for all rows,  u(x) = sum_j c_j (k(x_j, x) + 1), one row at a time: at each mistake,
         c_i += eta0 y_i
Stops    at an epoch without mistakes; where that cannot happen, when the updates per epoch have stopped falling, or
         after max_iter epochs
Method   [AizermanEtAl64], voting and averaging [FreundSchapire99, sec. 3]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..base.callbacks import EpochTasks, with_callbacks
from ..base.drive import drive
from ..base.errors import BadInput
from ..base.memory import budget
from ..base.params import Options, StrOptions, count, positive
from ..base.records import Stop
from ..base.seeds import seed_from
from ..data.rows import Training
from ..kernels.gram import GramSource
from ..kernels.precomputed import Precomputed
from ..model.kernel import KernelModel, VotedKernelModel
from ..model.multiclass import binary_parts, decide
from ..solver.kernel_perceptron import KernelPerceptronOptions, KernelPerceptronSolver
from ..solver.parts import Parts
from .base import Classifier
from .kernel_certify import KernelMistakeBound
from .kernel_input import KernelInput
from .kernel_support import Expansion, KernelTraining, carried, kept_expansion, kernel_proof, refuse_overflow
from .online_fit import NEARLY_FREE, SHUFFLE
from .perceptron import PATIENCE
from .stream import stream_labels
from .whole import whole_or_nothing


@dataclass(kw_only=True, eq=False, repr=False)
class KernelPerceptron(KernelInput, KernelMistakeBound, Classifier):
    """Perceptron in the feature space of a kernel.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, kernel or callable, default="rbf"
        A name, an object of :mod:`widemargin.kernels`, anything with its three methods, or a function: called with two
        matrices for rows of numbers, with two items for anything else (strings, graphs …).
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid"; "scale" is 1 / (features × variance of all values), "auto" is 1 / features.
    degree : int, default=3
        Of "poly".
    coef0 : float, default=0.0
        Of "poly": (gamma x·z + coef0)^degree, and of "sigmoid": tanh(gamma x·z + coef0).
    decide : {"last", "averaged", "voted"}, default="last"
        Which of the expansions decides: the last one, the mean over all visits, or all by majority, each with as many
        votes as visits that it survived.
    eta0 : float, default=1.0
        Step; scales the solution and changes no decision.
    fit_intercept : bool, default=True
        Learn a bias b = Σ c: 1 is added to the kernel.
    max_iter : int, default=1000
        Most epochs.
    shuffle : bool or "once", default=True
        New order every epoch, the given order, or one order for all epochs.
    oscillation : {"stop", "ignore"}, default="stop"
        Whether to stop when the updates per epoch no longer fall.
    cache_size : float or "auto", default="auto"
        MB of memory for rows of kernel values; "auto" is a quarter of what is free, at most 4096.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    class_weight, multiclass, random_state, verbose, max_time, observe
        As in :class:`Perceptron`.

    Attributes
    ----------
    support_ : ndarray
        Rows that were used in at least one update, of any binary part.
    unused_ : ndarray
        All other rows.
    dual_coef_ : ndarray of shape (parts, support)
        c of the last expansion, or of the average with `decide="averaged"`.
    intercept_ : ndarray of shape (parts,)
        b = Σ c.
    kernel_ : kernel
        The kernel with all its numbers.
    classes_, n_iter_, n_updates_, converged_, stop_reason_, certificate_, proof_, trace_
        As in :class:`Perceptron`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Classifier._parameter_constraints,
        **KernelInput._parameter_constraints,
        "decide": [StrOptions({"last", "averaged", "voted"})],
        "eta0": [positive()],
        "fit_intercept": ["boolean"],
        "max_iter": [count()],
        "shuffle": ["boolean", Options(str, {"once"})],
        "oscillation": [StrOptions({"stop", "ignore"})],
    }

    decide: str = "last"
    eta0: float = 1.0
    fit_intercept: bool = True
    max_iter: int = 1000
    shuffle: bool | str = True
    oscillation: str = "stop"

    # ---- fit ---------------------------------------------------------------------------------------------------

    @with_callbacks
    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Learn from rows (or whatever the kernel compares) and labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` the square matrix of kernel values.
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
        source = GramSource(data.kernel, data.items, self._threads())
        refuse_overflow(source)
        self.classes_, self.kernel_ = data.labels.classes, data.kernel
        self.__dict__.pop("_stream", None)
        seed = seed_from(self.random_state)
        parts, places = self._parts(source, data, seed)
        state = parts.start()
        expand = lambda: kept_expansion(self, data.items, state.states, places)  # noqa: E731
        tasks = EpochTasks(self, data, self.max_iter)
        after = (lambda _step, _columns: tasks.epoch_done(lambda: self._fitted(expand()))) if tasks.active else None
        stop, self.trace_ = drive(
            parts,
            state,
            last=self.max_iter,
            explain=parts.explain(state, self.max_iter, self.max_time),
            watch=self._watch(after),
            snapshot=lambda: self._model(expand()),
        )
        self._keep(expand(), state.states, stop)
        self._number(expand().used, data.kept, _num_samples(X))
        self.proof_: Any = kernel_proof(state.states, places, seed)
        cheap = data.n * len(self.support_) <= NEARLY_FREE
        self.certificate_ = self._certify(data) if cheap else self._claim_little(data)
        tasks.close(lambda: self._fitted(expand()))
        return self

    def _options(self, seed: int, n_parts: int, **changes: Any) -> KernelPerceptronOptions:
        options = KernelPerceptronOptions(
            eta=self.eta0,
            intercept=self.fit_intercept,
            shuffle=SHUFFLE[self.shuffle],
            seed=seed,
            patience=PATIENCE if self.oscillation == "stop" else 0,
            log=self.decide == "voted",
            memory=budget(self.cache_size) // n_parts,
            threads=self._threads(),
        )
        return replace(options, **changes)

    def _parts(self, source: GramSource, data: Training, seed: int) -> tuple[Parts, list[np.ndarray]]:
        """Solvers, and for each the numbers of the items that it works on."""
        solvers, places = [], []
        parts = binary_parts(len(self.classes_), self.multiclass)
        options = self._options(seed, len(parts))
        for part in parts:
            among = part.among(data.y)
            place = np.arange(source.n) if among is None else among
            weight = data.weight if data.weight is None else data.weight[place]
            here = source if among is None else source.take(among)
            solvers.append(KernelPerceptronSolver(here, part.signs(data.y[place]), options, weight))
            places.append(place)
        return Parts(solvers, self._threads()), places

    # ---- what is kept ------------------------------------------------------------------------------------------

    def _model(self, e: Expansion) -> KernelModel | VotedKernelModel:
        if self.decide == "voted":
            return VotedKernelModel(self.kernel_, e.support, tuple(e.steps), self.fit_intercept)
        return KernelModel(self.kernel_, e.support, e.coef, e.intercept)

    def _fitted(self, e: Expansion) -> dict[str, Any]:
        return {
            "classes_": self.classes_,
            "kernel_": self.kernel_,
            "support_items_": e.support,
            "dual_coef_": e.coef,
            "intercept_": e.intercept,
            "steps_": e.steps,
        }

    def _keep(self, e: Expansion, states: list[Any], stop: Stop) -> None:
        for name, value in self._fitted(e).items():
            setattr(self, name, value)
        self.n_iter_ = max(s.epoch for s in states)
        self.n_updates_ = sum(s.updates for s in states)
        self.converged_ = stop.converged
        self.stop_reason_ = stop.sentence

    def _number(self, used: np.ndarray, kept: np.ndarray | None, n: int) -> None:
        """Rows by the caller's numbers: rows of weight 0 were left out."""
        self.support_ = used if kept is None else kept[used]
        self.unused_ = np.setdiff1d(np.arange(n), self.support_)

    @property
    def model_(self) -> KernelModel | VotedKernelModel:
        check_is_fitted(self)
        return self._model(Expansion(np.empty(0), self.support_items_, self.dual_coef_, self.intercept_, self.steps_))

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed score of the second class (two classes) or one score a class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` kernel values between these and all training rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        scores = self.model_.scores(self._items(X), self._threads())
        return decide(scores, len(self.classes_), self.multiclass)

    # ---- streams -----------------------------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None):
        """One pass over a batch, going on from what was learnt before. Rows that were used are kept.

        A `fit` before the first batch fixes the classes and is otherwise forgotten.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
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
        first = "_stream" not in vars(self)
        new = not hasattr(self, "classes_")
        labels = stream_labels(self, classes, new)
        stream = {"rows": 0, "batches": 0, "seed": 0, "states": None, **vars(self).get("_stream", {})}
        data = self._read(X, y, sample_weight, labels=labels, reset=new, first=stream["rows"])
        if isinstance(data.kernel, Precomputed):
            raise BadInput("a precomputed kernel holds no values between batches: use fit, or give the kernel itself.")
        if first:
            self.classes_, self.kernel_ = labels.classes, data.kernel
            stream["seed"] = seed_from(self.random_state)
        source, states, stop = self._one_pass(stream, data)
        e = kept_expansion(self, source.items, states, [np.arange(source.n)] * len(states))
        self._keep(e, states, stop)
        self._number(np.arange(len(e.used)), None, len(e.used))
        stream.update(rows=stream["rows"] + data.n, batches=stream["batches"] + 1)
        stream["states"] = [carried(s, e.used) for s in states]
        self._stream = stream
        self.n_iter_ = stream["batches"]
        self.proof_ = None
        self.certificate_ = self._claim_little(None)
        return self

    def _one_pass(self, stream: dict[str, Any], data: KernelTraining) -> tuple[GramSource, list[Any], Stop]:
        """The old support goes in front of the batch: it is summed over, only the batch is visited."""
        n_old, batch = 0, data.items
        if stream["states"] is not None:
            n_old = len(self.support_items_)
            batch = self.support_items_.join(batch)
        source = GramSource(self.kernel_, batch, self._threads())
        refuse_overflow(source)
        parts = binary_parts(len(self.classes_), self.multiclass)
        # The order of a batch is keyed by its number, so that one stream has one result.
        options = self._options(stream["seed"] + stream["batches"], len(parts), patience=0)
        weight = None if data.weight is None else np.concatenate([np.ones(n_old), data.weight])
        solvers = []
        for part in parts:
            signs = np.concatenate([np.ones(n_old), part.signs(data.y)])
            among = part.among(data.y)
            among = None if among is None and n_old == 0 else n_old + (np.arange(data.n) if among is None else among)
            solvers.append(KernelPerceptronSolver(source, signs, options, weight, among, n_old))
        together = Parts(solvers, self._threads())
        old = stream["states"] or [None] * len(solvers)
        state = together.start([None if s is None else np.append(s.c, np.zeros(data.n)) for s in old])
        for new, before in zip(state.states, old, strict=True):
            if before is not None:
                new.a[:n_old], new.updates_of[:n_old], new.log = before.a, before.updates_of, list(before.log)
                new.counters[2:4] = before.counters[2:4]
        done = Stop("epochs", f"batch {stream['batches'] + 1} of a stream: one pass over {data.n} rows")
        stop, self.trace_ = drive(together, state, last=1, explain=lambda kind: done, watch=self._watch())
        return source, state.states, stop
