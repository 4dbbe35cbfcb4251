"""The perceptron and its average.

Problem  find w, b with y (w.x + b) > 0 for all rows, one row at a time: at each mistake, w += eta0 y x, b += eta0 y.
Stops    at an epoch without mistakes: w separates the data. Where that cannot happen, when the updates per epoch have
         stopped falling (oscillation), or after max_iter epochs; never called convergence.
Method   [Rosenblatt58], the bound on mistakes [Novikoff62], averaging [FreundSchapire99, Collins02]
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from .. import _core
from ..base.params import Integral, Interval, StrOptions, positive
from ..base.records import Stop
from ..certificate.perceptron import certify_perceptron
from ..certificate.record import PerceptronCertificate
from ..data.rows import Training
from ..solver.online import OnlineOptions, OnlineState, row_steps
from ..solver.parts import PartsState
from .online import SHUFFLE, OnlineClassifier

PATIENCE = 25  # epochs without a new minimum of updates before the data are called oscillating


class MistakeBound:
    """The certificate of a perceptron: margins, and the bound on updates where its last vector separates the data."""

    def _certify_part(self, data: Training, k: int, signs: np.ndarray, rows: np.ndarray | None, prove: bool) -> Any:
        proof = self.proof_
        counts = None if proof is None else proof.counts_of(k, data.n)
        pick = slice(None) if rows is None else rows
        _, steps = row_steps(data.weight)
        return certify_perceptron(
            data.X if rows is None else data.X[rows],
            signs[pick],
            *self._certified_vector(k),
            eta=self.eta0,
            counts=None if counts is None else counts[pick],
            updates=None if proof is None else int(proof.updates[k]),
            w_start=None if proof is None else proof.start_of(k),
            steps=None if steps is None else steps[pick],
            intercept=self.fit_intercept,
            plain=self._plain(),
            last=self._last_vector(k),
            prove=prove,
            max_squared_norm=data.max_squared_norm,
            data_digest=data.digest,
        )

    def _plain(self) -> bool:
        """Whether w is nothing but the sum of its updates."""
        return True

    def _certified_vector(self, k: int) -> tuple[np.ndarray, float]:
        """The (w, b) of which the claim speaks."""
        return self.coef_[k], float(self.intercept_[k])

    def _last_vector(self, k: int) -> tuple[np.ndarray, float] | None:
        """The sum of the updates, if the model is not that itself."""
        return None

    def _claim_little(self, data: Training | None) -> PerceptronCertificate:
        units = "batches" if data is None else "epochs"
        gone = "the rows of a stream are gone" if data is None else "stopped early on large data"
        return PerceptronCertificate(
            claim=f"{self.n_updates_} updates in {self.n_iter_} {units}; {gone}, so nothing else was recomputed "
            "(certify(model, X, y) does it)",
            holds=None,
            data_digest="" if data is None else data.digest,
            updates=self.n_updates_,
        )


@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(MistakeBound, OnlineClassifier):
    """Online perceptron (Rosenblatt), with the mistake bound as its certificate.

    Parameters
    ----------
    penalty : {"l2", None}, default=None
        Shrink w a little at every visit.
    alpha : float, default=0.0001
        Strength of the penalty.
    fit_intercept : bool, default=True
        Learn a bias b.
    max_iter : int, default=1000
        Most epochs.
    tol : float or None, default=None
        Also stop when the mean loss (or the held-out score) has not improved by `tol` for `n_iter_no_change` epochs.
    shuffle : bool or "once", default=True
        New order every epoch, the given order, or one order for all epochs.
    verbose : int, default=0
        Kept for scikit-learn's signature; use `set_callbacks(ProgressBar())` to see progress.
    eta0 : float, default=1.0
        Step.
    n_jobs : int, optional
        Threads for the binary parts of a multiclass problem.
    random_state : int, RandomState instance or None, default=0
        Seed of the orders and of a random start.
    early_stopping : bool, default=False
        Hold rows out and stop when their score no longer rises.
    validation_fraction : float, default=0.1
        Share of rows held out.
    n_iter_no_change : int, default=5
        Patience, in epochs, of `tol` and `early_stopping`.
    class_weight : dict, "balanced" or None, default=None
        Factors on the weights of the classes.
    warm_start : bool, default=False
        Start from the last fit's solution.
    multiclass : {"ovr", "ovo"}, default="ovr"
        Binary parts: each class against the rest, or against each other.
    start : {"zero", "random"}, default="zero"
        Where w starts.
    oscillation : {"stop", "ignore"}, default="stop"
        Whether to stop when the updates per epoch no longer fall.
    max_time : float, optional
        Most seconds.
    observe : callable, optional
        `observe(epoch, columns, snapshot)`, may return True to stop.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        One row and one number a binary part.
    classes_ : ndarray
        Labels.
    n_iter_, n_updates_ : int
        Epochs and updates made.
    converged_ : bool
        Whether the last epoch was clean.
    stop_reason_ : str
        Why the fit ended.
    certificate_ : PerceptronCertificate
        What is proved about this fit.
    trace_ : Trace
        Updates and loss by epoch.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClassifier._parameter_constraints,
        "penalty": [StrOptions({"l2"}), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "eta0": [positive()],
        "start": [StrOptions({"zero", "random"})],
        "oscillation": [StrOptions({"stop", "ignore"})],
    }

    penalty: str | None = None
    alpha: float = 0.0001
    eta0: float = 1.0
    start: str = "zero"
    oscillation: str = "stop"

    def _options(self, seed: int) -> OnlineOptions:
        return OnlineOptions(
            rule="perceptron",
            eta=self.eta0,
            decay=self.alpha if self.penalty == "l2" else 0.0,
            intercept=self.fit_intercept,
            shuffle=SHUFFLE[self.shuffle],
            seed=seed,
            patience=PATIENCE if self.oscillation == "stop" else 0,
        )

    def _plain(self) -> bool:
        return self.penalty is None

    def _starts(self, data: Training, coef_init: Any, intercept_init: Any, seed: int) -> list[np.ndarray] | None:
        given = super()._starts(data, coef_init, intercept_init, seed)
        if given is not None or self.start == "zero":
            return given
        starts = [2 * _core.uniform(data.d + 1, seed, k) - 1 for k in range(self._n_parts(data))]
        for w in starts:
            w[-1] *= self.fit_intercept
        return starts


@dataclass(kw_only=True, eq=False, repr=False)
class AveragedPerceptron(MistakeBound, OnlineClassifier):
    """Perceptron whose decision is the mean of all vectors that it passed through.

    The running average is kept lazily, in O(d) memory and at no cost for rows that cause no update.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Learn a bias b.
    max_iter : int, default=1000
        Most epochs.
    tol : float or None, default=None
        Also stop when the mean loss (or the held-out score) has not improved by `tol` for `n_iter_no_change` epochs.
    shuffle : bool or "once", default=True
        New order every epoch, the given order, or one order for all epochs.
    verbose : int, default=0
        Kept for scikit-learn's signature; use `set_callbacks(ProgressBar())` to see progress.
    eta0 : float, default=1.0
        Step; scales the solution and changes no decision.
    birth : {1, 0}, default=1
        Survival time with which a new vector starts: 1 (Freund and Schapire) or 0.
    oscillation : {"stop", "ignore"}, default="stop"
        Whether to stop when the updates per epoch no longer fall.
    n_jobs, random_state, early_stopping, validation_fraction, n_iter_no_change, class_weight, warm_start, multiclass, \
max_time, observe
        As in :class:`Perceptron`.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The average, one row and one number a binary part.
    last_coef_, last_intercept_ : ndarray
        The last vectors: the plain perceptron's answer.
    classes_, n_iter_, n_updates_, converged_, stop_reason_, certificate_, trace_
        As in :class:`Perceptron`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClassifier._parameter_constraints,
        "eta0": [positive()],
        "birth": [Interval(Integral, 0, 1, closed="both")],
        "oscillation": [StrOptions({"stop", "ignore"})],
    }

    eta0: float = 1.0
    birth: int = 1
    oscillation: str = "stop"

    def _options(self, seed: int) -> OnlineOptions:
        return OnlineOptions(
            rule="perceptron",
            eta=self.eta0,
            intercept=self.fit_intercept,
            shuffle=SHUFFLE[self.shuffle],
            seed=seed,
            birth=self.birth,
            patience=PATIENCE if self.oscillation == "stop" else 0,
            average=True,
        )

    def _vector(self, state: OnlineState) -> tuple[np.ndarray, float]:
        return state.average(self.birth)

    def _last_vector(self, k: int) -> tuple[np.ndarray, float]:
        return self.last_coef_[k], float(self.last_intercept_[k])

    def _keep(self, state: PartsState, stop: Stop) -> None:
        super()._keep(state, stop)
        last = [s.weights() for s in state.states]
        self.last_coef_, self.last_intercept_ = np.array([w for w, _ in last]), np.array([b for _, b in last])
