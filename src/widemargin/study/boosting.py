"""Boosting round by round: the four errors, and margins with what they say about rows that were never seen.

Problem  of a fitted booster and its rows: the weighted error of each round's learner, the error of the same learner
         after reweighting, training error and test error; margins after chosen rounds
Symbols  F the sum after a round, G what the round added to it;  w the weights that the booster gives to F, asked of it
         anew;  margin of a row: its own score less the largest other, or Y F, over sum |a_t| max |h_t|
Method   four errors [FreundSchapire96]; margins [SchapireEtAl98]; the bound: margin_bound.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import erf
from sklearn.utils.validation import check_is_fitted

from ..base.errors import BadInput
from ..certificate.boosting import BoostedRows, loss_of
from ..data.labels import as_column
from ..estimator.boosting_base import Boosting
from ..solver.boost import BoostState
from ..solver.boosters import PerClass, PseudoLoss
from ..solver.brown import Brown
from ..solver.weak import Sample
from .boosting_record import BoostingErrors, BoostingMargins
from .margin_bound import log_growth, margin_bound


def boosting_errors(
    model: Any, X: Any, y: Any, X_test: Any = None, y_test: Any = None, *, sample_weight: Any = None
) -> BoostingErrors:
    """The four errors of boosting, by round.

    Parameters
    ----------
    model : fitted booster for classes
    X, y : the rows that it was fitted on
    X_test, y_test : rows that it has not seen, optional
    sample_weight : array-like of shape (n_samples,), optional
        The weights of the fit.

    Returns
    -------
    BoostingErrors
        Weighted error of each round's learner, its error after reweighting, training error, test error, and the mean
        loss that bounds the training error.
    """
    rows = _Rows(model, X, y, sample_weight)
    kind = model._claim_kind(rows.s.k)
    bound = loss_of("exponential" if kind == "edges" else kind, rows.certified, model.proof_)
    if isinstance(rows.booster, Brown):
        bound = None  # it holds when the time is over, not by round
    found: dict[str, list[float]] = {name: [] for name in ("weighted", "after", "training", "bound")}
    F = np.zeros((rows.s.n, rows.booster.outputs(rows.s)))
    for t, (G, _) in enumerate(rows.added()):
        said = G / (model.steps_[t] or 1.0) if model.per_round_ == 1 else G
        found["weighted"].append(rows.error_of(said, F))
        F = F + G
        found["after"].append(rows.error_of(said, F))
        found["training"].append(float(rows.share @ (rows.margins(F) <= 0)))
        if bound is not None:
            found["bound"].append(float(rows.share @ bound(F)))
    test = _test_errors(model, X_test, y_test)
    return BoostingErrors(
        estimator=type(model).__name__,
        weighted=np.array(found["weighted"]),
        after=np.array(found["after"]),
        training=np.array(found["training"]),
        test=None if test is None else np.array(list(test)),
        bound=None if bound is None else np.array(found["bound"]),
    )


def boosting_margins(
    model: Any,
    X: Any,
    y: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    rounds: Sequence[int] | None = None,
    sample_weight: Any = None,
    delta: float = 0.05,
) -> BoostingMargins:
    """Margins of the training rows after chosen rounds, and the bound on the error of unseen rows that they give.

    Parameters
    ----------
    model : fitted booster for classes
    X, y : the rows that it was fitted on
    X_test, y_test : rows that it has not seen, optional
    rounds : sequence of int, optional
        Those that the model has are taken; default: 5, 100, 1000 and the last.
    sample_weight : array-like of shape (n_samples,), optional
        The weights of the fit. With weights there is no bound.
    delta : float, default=0.05
        The bound holds with probability 1 - delta over the draw of the rows.

    Returns
    -------
    BoostingMargins
    """
    if not 0 < delta < 1:
        raise BadInput(f"delta={delta}: it must lie between 0 and 1.")
    rows = _Rows(model, X, y, sample_weight)
    chosen = _chosen(rounds, model.n_rounds_)
    test = _test_errors(model, X_test, y_test)
    found: dict[str, list[Any]] = {name: [] for name in ("margins", "nodes", "bound", "theta", "test")}
    F, sizes = np.zeros((rows.s.n, rows.booster.outputs(rows.s))), 0.0
    per = model.per_round_
    for t, (G, size) in enumerate(rows.added(), 1):
        F, sizes = F + G, sizes + size
        wrong = None if test is None else next(test)
        if t not in chosen:
            continue
        margins = rows.margins(F) / (sizes or 1.0)
        growth = log_growth(model, t * per, rows.s.X.shape, rows.s.k)
        bound, theta = margin_bound(margins, growth, max(rows.s.k, 2), delta) if rows.s.u is None else (None, None)
        for name, value in zip(found, (margins, _nodes(model, t * per), bound, theta, wrong), strict=True):
            found[name].append(value)
    return BoostingMargins(
        estimator=type(model).__name__,
        rounds=chosen,
        margins=np.array(found["margins"]),
        share=rows.share,
        nodes=None if None in found["nodes"] else np.array(found["nodes"]),
        test=None if test is None else np.array(found["test"]),
        bound=None if None in found["bound"] else np.array(found["bound"]),
        theta=None if None in found["theta"] else np.array(found["theta"]),
        delta=delta,
    )


def round_weights(model: Any, X: Any, y: Any, rounds: Sequence[int], sample_weight: Any = None) -> np.ndarray:
    """Weights of the rows before each of some rounds, one line a round; each line sums to 1."""
    rows = _Rows(model, X, y, sample_weight)
    F, found = np.zeros((rows.s.n, rows.booster.outputs(rows.s))), {}
    for t, (G, _) in enumerate(rows.added(), 1):
        if t in rounds:
            w = rows.weights(F)
            found[t] = (w if w.ndim == 1 else w.sum(axis=1)) / w.sum()
        F = F + G
    return np.array([found[t] for t in rounds])


def _chosen(rounds: Sequence[int] | None, last: int) -> tuple[int, ...]:
    asked = [5, 100, 1000, last] if rounds is None else list(rounds)
    found = tuple(sorted({int(t) for t in asked if 1 <= t <= last}))
    if not found:
        raise BadInput(f"rounds={list(asked)}: the model has {last}, counted from 1.")
    return found


def _nodes(model: Any, members: int) -> int | None:
    """Nodes of the first members: three of a stump; None where they are no trees."""
    if model.stumps_ is not None:
        return 3 * members
    trees: list[Any] = [getattr(member, "tree_", None) for member in model.members_[:members]]
    return None if None in trees else sum(int(tree.node_count) for tree in trees)


def _test_errors(model: Any, X: Any, y: Any) -> Iterator[float] | None:
    if (X is None) != (y is None):
        raise BadInput("X_test and y_test belong together: give both or neither.")
    if X is None:
        return None
    y = as_column(y)
    return (float(np.mean(labels != y)) for labels in model.staged_predict(X))


class _Rows:
    """The rows of a fit and its booster, which can be asked again what it gave them."""

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any) -> None:
        if not isinstance(model, Boosting) or model._regression:
            raise BadInput(f"{type(model).__name__} is no booster of classes: errors by round are those of boosters.")
        check_is_fitted(model)
        self.model, data = model, model._read(X, y, sample_weight, reset=False)
        if not np.array_equal(data.labels.classes, model.classes_):
            raise BadInput(
                f"the model knows the classes {model.classes_.tolist()}, but y has {data.labels.classes.tolist()}: "
                "give the rows of the fit."
            )
        self.s = Sample(data.X, data.y, data.u, len(data.labels))
        self.booster = model._booster(self.s)
        self.certified = BoostedRows(data.y, data.u, self.s.k)
        self.share = self.certified.share

    def added(self) -> Iterator[tuple[np.ndarray, float]]:
        """What each round adds to the sum, and the sizes of its members."""
        G, size = np.zeros((self.s.n, self.booster.outputs(self.s))), 0.0
        for t, (said, step) in enumerate(zip(self.model._said_by_members(self.s.X), self.model.steps_, strict=True), 1):
            G, size = G + step * said, size + abs(step) * float(np.abs(said).max(initial=0.0))
            if t % self.model.per_round_ == 0:
                yield G, size
                G, size = np.zeros_like(G), 0.0

    def margins(self, F: np.ndarray) -> np.ndarray:
        """Y F, or the score of a row's class less the largest other."""
        if F.shape[1] == 1:
            return self.s.signs * F[:, 0]
        i, rest = np.arange(self.s.n), F.copy()
        rest[i, self.s.y] = -np.inf
        return F[i, self.s.y] - rest.max(axis=1)

    def error_of(self, said: np.ndarray, F: np.ndarray) -> float:
        """The share of the weight at F that is on what a round gets wrong; where it says nothing it is half wrong."""
        w = self.weights(F)
        if isinstance(self.booster, PseudoLoss):  # each wrong class has a weight: the pseudo-loss of sets of classes
            own = said[np.arange(self.s.n), self.s.y][:, None]
            return float((w * (1 - own + said)).sum() / (2 * w.sum()))
        agree = self.margins(said) if w.ndim == 1 else self.s.label_signs() * said
        return float((w * (0.5 - 0.5 * np.sign(agree))).sum() / w.sum())

    def weights(self, F: np.ndarray) -> np.ndarray:
        """Of rows, or of rows and classes."""
        state = BoostState(F)
        if isinstance(self.booster, PerClass):
            problem = self.booster.problem(self.s, state)
            w = np.column_stack([problem(c)[0] for c in range(self.s.k)])
        elif isinstance(self.booster, Brown):
            w = _brown_weights(self.booster, self, F)
        else:
            w = np.abs(self.booster.ask(self.s, state).v)
            if isinstance(self.booster, PseudoLoss):
                w[np.arange(self.s.n), self.s.y] = 0.0
        return w if self.s.u is None else w * (self.s.u if w.ndim == 1 else self.s.u[:, None])


def _brown_weights(booster: Brown, rows: _Rows, F: np.ndarray) -> np.ndarray:
    """exp(-(r + s)^2 / c), where s is the time at which the mean potential of the margins r is epsilon."""
    signs = rows.s.signs[:, None] if rows.s.k == 2 else rows.s.label_signs()
    root, out = np.sqrt(booster.c), np.empty(F.shape)
    for c, r in enumerate((signs * F).T):

        def left(s: float, r: np.ndarray = r) -> float:
            return float(rows.share @ (1 - erf((r + s) / root))) - booster.epsilon

        s = 0.0 if left(0.0) <= 0 else brentq(left, 0.0, booster.c + np.abs(r).max() + 10 * root)
        e = -np.square((r + s) / root)
        out[:, c] = np.exp(e - e.max())
    return out[:, 0] if rows.s.k == 2 else out
