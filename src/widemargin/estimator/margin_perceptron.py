"""A perceptron that seeks a large margin and gives up on the rows that stand in its way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ..base.errors import BadInput
from ..base.params import Interval, count, fraction
from ..certificate.perceptron import certify_perceptron
from ..certificate.record import PerceptronCertificate
from ..data.rows import Training
from ..solver.margin_perceptron import MarginOptions, MarginSolver
from ..solver.online import row_steps
from ..solver.parts import Parts, PartsState
from .online import SHUFFLE, OnlineClassifier
from .perceptron import PATIENCE, MistakeBound


@dataclass(kw_only=True, eq=False, repr=False)
class MarginPerceptron(MistakeBound, OnlineClassifier):
    """Perceptron whose margin is, at the end, provably within a factor of the largest.

    It corrects itself not only at mistakes but wherever the margin is below (1 − ε) |a| / t, where a is the sum of the
    t corrections so far. |a| / t is an upper bound on every separator's margin, so an epoch without correction proves a
    margin above (1 − ε) of the largest (in the space extended by a constant 1, where the bias is one more weight). Rows
    that keep lying on the wrong side are given up, worst first; what is proved then holds for the rows that are left.

    Parameters
    ----------
    approximation : float, default=0.1
        ε: the margin reached is at least 1 − ε of the largest. Small values take many more epochs.
    give_up : int or None, default=50
        Epochs without progress (no epoch with fewer rows on the wrong side, and at least as many as it took to get
        there) after which rows are given up; None never gives up. Separable data of a very small margin can look
        hopeless for long: raise it if rows are given up there.
    max_given_up : float, default=0.3
        Largest share of the rows, by weight, that may be given up.
    fit_intercept : bool, default=True
        Learn a bias b.
    max_iter : int, default=10000
        Most epochs.
    tol : float or None, default=None
        Also stop when the corrections per row (or the held-out score) have not improved by `tol` for
        `n_iter_no_change` epochs.
    shuffle : bool or "once", default=True
        New order every epoch, the given order, or one order for all epochs.
    warm_start : bool, default=False
        Not possible here: the bound on the margin rests on a start at zero.
    n_jobs, random_state, verbose, early_stopping, validation_fraction, n_iter_no_change, class_weight, multiclass, \
max_time, observe
        As in :class:`Perceptron`.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        One unit vector [w, b] a binary part: scores are distances in the extended space.
    margin_ : ndarray of shape (n_parts,)
        Smallest y u over the rows that are left; negative if some are on the wrong side.
    margin_upper_ : ndarray of shape (n_parts,)
        No separator of these rows has a larger margin.
    given_up_ : ndarray
        Numbers of the rows given up in any binary part, as they stand in the X of fit.
    given_up_by_part_ : list of ndarray
        The same for each part.
    classes_, n_iter_, n_updates_, converged_, stop_reason_, certificate_, trace_
        As in :class:`Perceptron`; `n_updates_` counts those before rows were given up, the certificate those since.

    References
    ----------
    Panagiotakopoulos and Tsampouka, The perceptron with dynamic margin, ALT 2011. The giving up is ours.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClassifier._parameter_constraints,
        "approximation": [fraction()],
        "give_up": [count(), None],
        "max_given_up": [Interval(Real, 0, 1, closed="both")],
    }

    approximation: float = 0.1
    give_up: int | None = 50
    max_iter: int = 10000
    max_given_up: float = 0.3

    def _parts(self, data: Training, seed: int, learn: np.ndarray | None, **changes: Any) -> Parts:
        solvers = []
        for among, signs in self._shares(data, learn):
            options = MarginOptions(
                approximation=self.approximation,
                intercept=self.fit_intercept,
                shuffle=SHUFFLE[self.shuffle],
                seed=seed,
                patience=changes.get("patience", self.give_up or PATIENCE),
                most=0.0 if self.give_up is None else self.max_given_up,
            )
            solvers.append(MarginSolver(data.rows, signs, options, data.weight, among))
        return Parts(solvers, self._threads())

    def _shares(self, data: Training, learn: np.ndarray | None) -> list[tuple[np.ndarray | None, np.ndarray]]:
        """Rows (None = all) and signs of each binary part."""
        shares = []
        for part in self._binary_parts():
            among = part.among(data.y)
            if learn is not None:
                among = learn if among is None else np.intersect1d(among, learn)
            shares.append((among, part.signs(data.y)))
        return shares

    def _starts(self, data: Training, coef_init: Any, intercept_init: Any, seed: int) -> None:
        if coef_init is not None or intercept_init is not None or self.warm_start:
            raise BadInput(
                "MarginPerceptron starts at zero, because its bound on the margin rests on that: "
                "leave out coef_init and intercept_init, and set warm_start=False."
            )

    def _certify_part(self, data: Training, k: int, signs: np.ndarray, rows: np.ndarray | None, prove: bool) -> Any:
        """Margin and its bound on the rows that were not given up; w is a unit vector, so it is not replayed."""
        n = data.n if rows is None else len(rows)
        left = np.ones(data.n, dtype=bool) if rows is None else np.isin(np.arange(data.n), rows)
        left[np.isin(data.numbers(np.arange(data.n)), self.given_up_by_part_[k])] = False
        proof, (_, steps) = self.proof_, row_steps(data.weight)
        certificate = certify_perceptron(
            data.X if left.all() else data.X[left],
            signs[left],
            self.coef_[k],
            float(self.intercept_[k]),
            counts=None if proof is None else proof.counts_of(k, data.n)[left],
            steps=None if steps is None else steps[left],
            intercept=self.fit_intercept,
            plain=False,
            prove=prove,
            data_digest=data.digest,
        )
        promised = 1 - self.approximation if self.converged_ else None
        return _with_share(certificate, promised, n, int(left.sum()))

    def _keep_proof(self, data: Training, state: PartsState, starts: Any, learn: Any, seed: int) -> None:
        super()._keep_proof(data, state, starts, learn, seed)
        scores = self._model(state).scores(data.X)
        margins, given_up = [], []
        for k, (among, signs) in enumerate(self._shares(data, learn)):
            left = state.states[k].given_up_at == 0
            given_up.append(data.numbers(np.flatnonzero(~left)))
            left &= True if among is None else np.isin(np.arange(data.n), among)
            margins.append((signs * scores[:, k])[left].min(initial=np.inf))
        self.margin_ = np.array(margins)
        self.margin_upper_ = np.array([s.margin_upper() for s in state.states])
        self.given_up_by_part_ = given_up
        self.given_up_ = np.unique(np.concatenate(given_up))


def _with_share(c: PerceptronCertificate, promised: float | None, n: int, left: int) -> PerceptronCertificate:
    """Adds what share of the largest margin is reached, where it is proved; fails if less than was promised."""
    claim, holds = c.claim, c.holds
    if c.margin is not None and c.margin_upper:
        share = c.margin / c.margin_upper
        if share > 0:
            claim += f"; that is at least {share:.4f} of the largest margin"
        if promised is not None and share < promised * (1 - 1e-9):  # both margins are rounded outwards
            claim, holds = f"{claim}; but {promised:.4f} of it was promised", False
    if left < n:
        claim += f"; nothing is claimed about the {n - left} of {n} rows given up"
    return replace(c, claim=claim, holds=holds)
