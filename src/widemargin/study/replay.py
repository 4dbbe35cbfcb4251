"""A fit run again, one row at a time: every vector that an online learner passed through, and the row that caused it.

A solver's work may be cut anywhere without changing a bit of its result, so what is seen here is the fit itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..base.errors import BadInput, DataMismatch


@dataclass(frozen=True, kw_only=True, eq=False)
class Replay:
    """The updates of one fit, in order.

    Attributes
    ----------
    row, epoch, visit : ndarray of shape (t,)
        The row that caused each update, and its epoch and visit, both counted from 1.
    coef : ndarray of shape (t + 1, d)
    intercept : ndarray of shape (t + 1,)
        The vectors: entry 0 is the start, entry k the one after k updates.
    visits : int
        Visits in all.
    """

    row: np.ndarray
    epoch: np.ndarray
    visit: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    visits: int

    def __len__(self) -> int:
        return len(self.row)

    def survived(self, birth: int = 1) -> np.ndarray:
        """Votes of each vector: `birth` and one for every row that it got right; the start has no birth vote."""
        lives = np.diff(self.visit, prepend=0, append=self.visits + 1) - 1
        return lives + np.r_[0, np.full(len(self), birth)]


def replay_updates(estimator: Any, X: Any, y: Any, sample_weight: Any = None, *, max_updates: int = 10_000) -> Replay:
    """Repeat the fit of an online learner and keep every vector on the way.

    Parameters
    ----------
    estimator : fitted online classifier
        Of two classes, with a single vector (a perceptron, a passive-aggressive learner).
    X, y, sample_weight : array-like
        The data of its fit.
    max_updates : int
        Stop after so many updates.

    Returns
    -------
    Replay

    Raises
    ------
    DataMismatch
        If these are not the data of the fit.
    """
    check_is_fitted(estimator)
    twin = clone(estimator)
    solver, state = _restarted(estimator, twin, X, y, sample_weight)
    vectors = [state.weights()]
    rows: list[int] = []
    epochs: list[int] = []
    visits: list[int] = []
    last_visit = int(estimator.t_) - 1  # a time limit or `tol` may have ended the fit before its rule did
    while len(rows) < max_updates and state.visits < last_visit:
        epoch, seen = state.epoch + 1, state.updates
        kind = solver.advance(state, 1, twin.max_iter)
        if state.updates > seen:
            rows.append(int(state.log[-1][1][-1]))
            epochs.append(epoch)
            visits.append(state.visits)
            vectors.append(state.weights())
        if kind is not None:
            break
    return Replay(
        row=np.array(rows, dtype=np.int64),
        epoch=np.array(epochs, dtype=np.int64),
        visit=np.array(visits, dtype=np.int64),
        visits=state.visits,
        coef=np.array([w for w, _ in vectors]),
        intercept=np.array([b for _, b in vectors]),
    )


def _restarted(estimator: Any, twin: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """The solver of the fit and its state before the first visit."""
    proof: Any = getattr(estimator, "proof_", None)
    if not hasattr(proof, "seed") or not hasattr(estimator, "coef_"):
        raise _no_log(estimator)
    if len(estimator.classes_) != 2:
        raise BadInput(f"a replay follows one vector, but {len(estimator.classes_)} classes need several: pick two.")
    data = twin._read(X, y, sample_weight)
    if data.digest != estimator.certificate_.data_digest:
        raise DataMismatch(f"these {data.n} rows are not the data of the fit: a replay of them would be another fit.")
    twin._take_labels(data)
    learn, _ = twin._split(data, proof.seed)
    solver = twin._parts(data, proof.seed, learn, log=True).solvers[0]
    if not getattr(solver.options, "log", False):
        raise _no_log(estimator)
    return solver, solver.start(proof.start_of(0))


def _no_log(estimator: Any) -> BadInput:
    return BadInput(
        f"{type(estimator).__name__} cannot be replayed: it keeps no log of single updates; "
        "use Perceptron, AveragedPerceptron or PassiveAggressiveClassifier."
    )
