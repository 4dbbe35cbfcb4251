"""The fit of all boosters: rounds that are watched, may be resumed, and end early where held-out rows say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base.callbacks import EpochTasks, with_callbacks
from ..base.drive import drive
from ..base.errors import BadInput, DataMismatch
from ..base.params import count, fraction, positive
from ..base.records import Stop, Trace
from ..base.seeds import keyed, seed_from
from ..certificate.boosting import BoostingProof
from ..certificate.record import BoostingCertificate
from ..model.stumps import Stumps
from ..solver.boost import BoostSolver, BoostState, StumpBoostSolver
from ..solver.boosters import Booster
from ..solver.weak import Sample
from .base import Learner
from .boosting_input import BoostRows
from .boosting_trees import packed, unpack
from .whole import whole_or_nothing

NEARLY_FREE = 200_000  # rows times members up to which figures of every round cost less than anybody notices


@dataclass(kw_only=True, eq=False, repr=False)
class Rounds(Learner):
    """Subclasses read rows, and give the booster and the solver of some rows; they keep what a state holds."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Learner._parameter_constraints,
        "n_estimators": [count()],
        "learning_rate": [positive()],
        "early_stopping": ["boolean"],
        "validation_fraction": [fraction()],
        "n_iter_no_change": [count()],
        "warm_start": ["boolean"],
    }
    _regression: ClassVar[bool] = False

    n_estimators: int = 50
    learning_rate: float = 1.0
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    warm_start: bool = False

    def _booster(self, sample: Sample) -> Booster:
        raise NotImplementedError

    def _solver(self, booster: Booster, sample: Sample, seed: int) -> BoostSolver:
        raise NotImplementedError

    def _start_at(self, data: BoostRows) -> float:
        """A constant that the sum begins with."""
        return 0.0

    def _claim_kind(self, k: int) -> str:
        raise NotImplementedError

    def _blocks(self, X: Any) -> Iterator[Any]:
        """Rows of a prediction, read, some at a time."""
        raise NotImplementedError

    def _check_learner(self) -> None:
        """What can be said against the weak learner before anything is fitted."""

    @with_callbacks
    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Add weak learners, round by round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With stumps and trees NaN stands for a missing value.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 3 is a row that stands there three times, 0 one that is absent.

        Returns
        -------
        self
        """
        self._validate_params()
        old = self if self.warm_start and "steps_" in vars(self) else None
        data = self._read(X, y, sample_weight, reset=old is None)
        self._check_learner()
        held, kept = self._hold_out(data)
        seed = seed_from(self.random_state)
        if not self._regression:
            self._same_classes(old, data)
            self.classes_, self.n_classes_ = data.labels.classes, len(data.labels)
        self.start_ = self._start_at(kept)
        sample = Sample(kept.X, kept.y - self.start_ if self._regression else kept.y, kept.u, len(data.labels))
        booster = self._booster(sample)
        solver = self._solver(booster, sample, seed)
        state = solver.start() if old is None else self._resumed(solver, sample, booster)
        stop, self.trace_ = self._boost(solver, state, kept, held)
        self._keep(state, booster)
        self.proof_: BoostingProof | None = self._proof(state, len(data.labels))
        self.stop_reason_ = str(stop)
        self.certificate_ = self._first_certificate(data)
        return self

    def _same_classes(self, old: Any, data: BoostRows) -> None:
        if old is not None and not np.array_equal(old.classes_, data.labels.classes):
            raise BadInput(
                f"warm_start goes on with the classes {old.classes_.tolist()}, but y has others: "
                f"{data.labels.classes.tolist()}."
            )

    def _hold_out(self, data: BoostRows) -> tuple[BoostRows | None, BoostRows]:
        """(rows that only tell when to stop, rows to learn from); of each class a share."""
        if self.early_stopping is not True:
            return None, data
        order = keyed(seed_from(self.random_state), "split", 0).permutation(data.n)
        single = len(data.labels) > 0 and data.y.ndim == 1
        codes = data.y[order] if single else np.zeros(data.n, np.intp)
        groups = [order[codes == c] for c in range(len(data.labels) if single else 1)]
        out = np.sort(np.concatenate([g[: round(self.validation_fraction * len(g))] for g in groups]))
        rest = np.setdiff1d(np.arange(data.n), out)
        if not len(out) or not len(rest) or (single and len(np.unique(data.y[rest])) < len(data.labels)):
            raise BadInput(
                f"early_stopping holds {self.validation_fraction:g} of {data.n} rows out, which leaves too few on one "
                "side: give more rows or another validation_fraction."
            )
        return data.take(out), data.take(rest)

    def _resumed(self, solver: BoostSolver, sample: Sample, booster: Booster) -> BoostState:
        """The state that the members lead to, adding them up in their order."""
        if self.n_estimators < self.n_rounds_:
            raise BadInput(
                f"n_estimators={self.n_estimators} must be at least the {self.n_rounds_} rounds that are there."
            )
        state = solver.start()
        for said, step in zip(self._said_by_members(sample.X), self.steps_, strict=True):
            state.F = state.F + step * said
        members = [self.stumps_[t : t + 1] for t in range(len(self.stumps_))] if self.stumps_ is not None else []
        state.members = members or list(self.members_)
        state.steps, state.errors = self.steps_.tolist(), self.errors_.tolist()
        state.rounds = self.n_rounds_
        if self.proof_ is not None and self.proof_.times is not None:
            state.times = self.proof_.times.copy()
        return state

    def _boost(
        self, solver: BoostSolver, state: BoostState, data: BoostRows, held: BoostRows | None
    ) -> tuple[Stop, Trace]:
        tasks = EpochTasks(self, data, max(0, self.n_estimators - state.rounds))
        if state.rounds >= self.n_estimators:
            return self._explain("epochs", state), Trace(solver.columns)
        plain = not (tasks.active or self.observe or self.max_time or self.early_stopping)
        if plain and isinstance(solver, StumpBoostSolver):
            trace = solver.whole(state, self.n_estimators)
            return self._explain(state.ended or "epochs", state), trace
        watcher: Any = Validation(self, held, solver, state) if held is not None else None
        if self.early_stopping == "oob":
            watcher = OutOfBag(self, solver, state)

        def after(step: int, columns: dict[str, Any]) -> bool:
            stale = watcher is not None and watcher.stale(state)
            return (tasks.active and tasks.epoch_done(lambda: vars(self._copy(state, solver)))) or stale

        watch = self._watch(after if tasks.active or watcher else None)
        stop, trace = drive(
            solver,
            state,
            last=self.n_estimators,
            explain=lambda kind: self._explain(kind, state, watcher),
            watch=watch,
            snapshot=lambda: self._copy(state, solver),
        )
        if watcher is not None:
            watcher.cut(state)
        tasks.close(lambda: vars(self._copy(state, solver)))
        return stop, trace

    def _copy(self, state: BoostState, solver: BoostSolver) -> Any:
        """A fitted estimator as of now."""
        copy = type(self)(**self.get_params(deep=False))
        names = ("n_features_in_", "feature_names_in_", "classes_", "n_classes_", "start_")
        vars(copy).update({name: value for name, value in vars(self).items() if name in names})
        copy._keep(state, solver.booster)
        return copy

    def _explain(self, kind: str, state: BoostState, watcher: Any = None) -> Stop:
        n, wanted = state.rounds, self.n_estimators
        if kind == "asked" and watcher is not None and watcher.over:
            return Stop("converged", watcher.sentence())
        said = {
            "epochs": f"all {wanted} rounds done",
            "perfect": f"the learner of round {n} makes no error: its vote is capped, and nothing is left to learn.",
            "no edge": f"after {n} rounds no learner is better than chance on the weighted rows.",
            "no edge after": "the first learner is no better than chance on the weighted rows, and remains alone.",
            "time over": f"after {n} rounds the time of the booster is over: the training error is at most its target.",
            "time": f"max_time={self.max_time} s is over after {n} of {wanted} rounds: raise max_time.",
            "asked": f"stopped on request after {n} of {wanted} rounds.",
        }
        return Stop("converged" if kind not in ("time", "asked") else kind, said[kind])

    def _keep(self, state: BoostState, booster: Booster) -> None:
        native = not state.members or isinstance(state.members[0], Stumps)
        self.stumps_: Any = state.stumps() if native else None
        self.members_ = [] if native else list(state.members)
        self.steps_, self.errors_ = np.array(state.steps), np.array(state.errors)
        self.per_round_ = booster.per_round
        self.n_rounds_ = len(state.steps) // booster.per_round

    def _packed(self) -> dict[str, Any]:
        """The attributes as a file keeps them."""
        return packed(self)

    def _unpack(self) -> None:
        """From those of a file."""
        unpack(self)

    # ---- the sum ---------------------------------------------------------------------------------------------------

    def _sum(self, X: Any) -> np.ndarray:
        """F of rows as the user gives them."""
        check_is_fitted(self)
        return np.concatenate([self._sum_of(rows) for rows in self._blocks(X)])

    def _staged(self, X: Any) -> Iterator[np.ndarray]:
        """F after each round."""
        check_is_fitted(self)
        rows = list(self._blocks(X))
        whole = rows[0] if len(rows) == 1 else np.concatenate(rows)
        F: Any = self.start_
        for t, (said, step) in enumerate(zip(self._said_by_members(whole), self.steps_, strict=True), 1):
            F = F + step * said
            if t % self.per_round_ == 0:
                yield F

    # ---- certificate -----------------------------------------------------------------------------------------------

    def _proof(self, state: BoostState, k: int) -> BoostingProof:
        return BoostingProof(self._claim_kind(k), float(self.learning_rate), self.errors_)

    def _first_certificate(self, data: BoostRows) -> BoostingCertificate:
        """At the end of a fit: the figures of the end; those after each round where they cost next to nothing."""
        return self._certify(data, each=data.n * len(self.steps_) <= NEARLY_FREE)

    def _recertify(self, X: Any, y: Any, sample_weight: Any, *, prove: bool) -> BoostingCertificate:
        data = self._read(X, y, sample_weight, reset=False)
        same = self._regression or np.array_equal(data.labels.classes, self.classes_)
        if data.digest != self.certificate_.data_digest or not same:
            raise DataMismatch(
                f"these are not the data of the fit: {data.n} rows with digest {data.digest}, "
                f"the fit had {self.certificate_.data_digest}."
            )
        return self._certify(data, prove=prove)


class Validation:
    """Rows that were held out: the error after each round, and whether it has not fallen for long."""

    def __init__(self, estimator: Any, held: BoostRows, solver: BoostSolver, state: BoostState) -> None:
        self.estimator, self.held, self.solver, self.before = estimator, held, solver, state.rounds
        self.errors: list[float] = []
        self.over = False

    def stale(self, state: BoostState) -> bool:
        self.errors.append(self.loss_now(state))
        best = int(np.argmin(self.errors))
        self.over = len(self.errors) - 1 - best >= self.estimator.n_iter_no_change
        return self.over

    def loss_now(self, state: BoostState) -> float:
        return self.estimator._copy(state, self.solver)._held_loss(self.held)

    def cut(self, state: BoostState) -> None:
        """Back to the round with the least error; of equal ones the first."""
        if state.rounds > self.before + len(self.errors):  # a last round that ended the fit by itself
            self.errors.append(self.loss_now(state))
        if not self.errors:
            return
        best, skip = int(np.argmin(self.errors)) + 1, self.before
        per = self.solver.booster.per_round
        stumps = state.stumps()
        keep = (skip + best) * per
        state.members = [stumps[:keep]] if len(stumps) else state.members[:keep]
        state.steps, state.errors = state.steps[:keep], state.errors[:keep]
        state.rounds = skip + best

    def sentence(self) -> str:
        best = int(np.argmin(self.errors))
        return (
            f"the loss on {self.where()} has not fallen below {self.errors[best]:.4g} for "
            f"{self.estimator.n_iter_no_change} rounds: the first {best + 1} are kept."
        )

    def where(self) -> str:
        return f"{self.held.n} rows that were held out"


class OutOfBag(Validation):
    """By how much each round lowers the mean loss of the rows that its learner has not drawn, added up."""

    def __init__(self, estimator: Any, solver: BoostSolver, state: BoostState) -> None:
        self.estimator, self.solver, self.before, self.F = estimator, solver, state.rounds, state.F.copy()
        self.errors: list[float] = []
        self.over = False

    def loss_now(self, state: BoostState) -> float:
        learner, s, booster = self.solver.learner, self.solver.sample, self.solver.booster
        out = np.flatnonzero(~learner.seen)
        before, now, self.F = self.F, state.F, state.F.copy()
        learner.seen[:] = False
        last = self.errors[-1] if self.errors else booster.loss(s, BoostState(before))
        if not len(out):
            return last
        part = Sample(None, s.y[out], None if s.u is None else s.u[out], s.k)
        return last + booster.loss(part, BoostState(now[out])) - booster.loss(part, BoostState(before[out]))

    def where(self) -> str:
        return "rows that were not drawn"
