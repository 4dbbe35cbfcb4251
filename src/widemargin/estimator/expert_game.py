"""What learners with expert advice share: reading losses or labels, the state of the game, weights, the certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score
from sklearn.utils import ClassifierTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .. import _core
from ..base.errors import BadInput, DataMismatch
from ..base.pickles import LookedOver
from ..certificate.record import ExpertCertificate
from ..data.labels import Labels, as_column
from ..model.experts import RegretPath
from ..solver.experts import ExpertState, weighted_vote


def _has_experts(self: Any) -> bool:
    if self.experts is None:
        raise AttributeError("without experts= this learner is told losses, so it has nothing to say of rows.")
    return True


@dataclass(frozen=True, eq=False)
class Rounds:
    """Rounds of a game: the losses of the experts, and what they said where they are classifiers."""

    losses: np.ndarray
    said: np.ndarray | None = None
    y: np.ndarray | None = None

    def digest(self, first: int) -> int:
        """Of rounds `first`, first + 1, …; digests of consecutive rounds add up."""
        told = self.losses
        if self.said is not None and self.y is not None:
            told = np.column_stack([self.said, self.y]).astype(np.float64)
        return int(_core.Rows.dense(np.ascontiguousarray(told)).scan(first, 1)[3])


@dataclass(kw_only=True, eq=False, repr=False)
class ExpertGame(LookedOver, BaseEstimator):
    """Base of learners with expert advice."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"experts": [list, tuple, None]}

    experts: Any = None

    def fit(self, X: Any, y: Any = None):
        """A new game, from the first round on.

        Parameters
        ----------
        X : array-like of shape (rounds, n_experts), or rows for the experts
            Losses of the experts in order of the rounds; with `experts`, rows that they classify.
        y : array-like of shape (rounds,), optional
            The right labels; only with `experts`.

        Returns
        -------
        self
        """
        self._validate_params()
        rounds = self._read(X, y, first=True)
        self._begin(rounds)
        self._play(rounds)
        self._proved = self._certify(rounds)
        return self

    def partial_fit(self, X: Any, y: Any = None):
        """Some more rounds. One by one or in batches, the result is the same to the last bit.

        Parameters
        ----------
        X : array-like of shape (rounds, n_experts) or (n_experts,), or rows for the experts
            Losses of the experts in one round or several; with `experts`, rows that they classify.
        y : array-like of shape (rounds,), optional
            The right labels; only with `experts`.

        Returns
        -------
        self
        """
        first = not hasattr(self, "_state")
        if first or not self._goes_on():
            self._validate_params()
        if not first and not self._goes_on():
            raise BadInput(f"the parameters were changed to {self} in the middle of a game: call fit for a new one.")
        rounds = self._read(X, y, first=first)
        if first:
            self._begin(rounds)
        self._play(rounds)
        self._proved = None
        return self

    def _goes_on(self) -> bool:
        """Whether the parameters still say what the game is played by; asked every round, so without scikit-learn."""
        try:
            return self._rule(self.n_experts_) == self._state.rule
        except (TypeError, ValueError):
            return False

    def _begin(self, rounds: Rounds) -> None:
        rule = self._rule(rounds.losses.shape[1])
        if rounds.said is not None:
            self.classes_ = self._classes()
        self._state, self._digest = ExpertState.start(rule), 0

    def _play(self, rounds: Rounds) -> None:
        self._digest = (self._digest + rounds.digest(self.n_rounds_)) % 2**64
        self._state.advance(rounds.losses, rounds.said, rounds.y)

    @property
    def n_experts_(self) -> int:
        return self._state.rule.n

    @property
    def n_rounds_(self) -> int:
        return self._state.rounds

    @property
    def weights_(self) -> np.ndarray:
        return self._state.weights()

    @property
    def loss_(self) -> float:
        return self._state.loss

    @property
    def expert_losses_(self) -> np.ndarray:
        return self._state.expert_losses

    @property
    def path_(self) -> RegretPath:
        return self._state.path

    @property
    def regret_(self) -> float:
        return self.loss_ - float(self.expert_losses_.min())

    @property
    def regret_bound_(self) -> float:
        return float(self.path_.bound[-1])

    @property
    def certificate_(self) -> ExpertCertificate:
        """Proved by `fit`; after `partial_fit` figures as played, which whoever has all the losses can recompute."""
        return self._claim() if self._proved is None else self._proved

    def _claim(self) -> ExpertCertificate:
        best = int(self.expert_losses_.argmin())
        return ExpertCertificate(
            claim=f"regret {self.regret_:.6g} <= bound {self.regret_bound_:.6g} after {self.n_rounds_} rounds, "
            "as played; nothing was recomputed (certify(model, all losses) does it)",
            holds=None,
            data_digest=f"{self._digest:016x}",
            rounds=self.n_rounds_,
            loss=self.loss_,
            best_loss=float(self.expert_losses_[best]),
            best_expert=best,
            regret=self.regret_,
            regret_bound=self.regret_bound_,
        )

    def _recertify(self, X: Any, y: Any, sample_weight: Any, *, prove: bool) -> ExpertCertificate:
        if sample_weight is not None:
            raise BadInput("rounds have no weights: a loss between 0 and 1 says how much a round counts.")
        rounds = self._read(X, y, first=False)
        digest = f"{rounds.digest(0):016x}"
        if len(rounds.losses) != self.n_rounds_ or digest != self.certificate_.data_digest:
            raise DataMismatch(
                f"these are not the rounds of the game: {len(rounds.losses)} with digest {digest}, it had "
                f"{self.n_rounds_} with {self.certificate_.data_digest}."
            )
        return self._certify(rounds)

    # ---- reading ----------------------------------------------------------------------------------------------------

    def _read(self, X: Any, y: Any, *, first: bool) -> Rounds:
        if self.experts is None:
            return Rounds(self._losses(X, y, first))
        return self._advised(X, y, first)

    def _losses(self, X: Any, y: Any, first: bool) -> np.ndarray:
        if y is not None:
            raise BadInput("y was given, but there are no experts to be judged by it: give losses alone, or experts=.")
        try:
            losses = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise BadInput(f"losses must be numbers, one an expert and round ({error}).") from error
        losses = losses[None] if losses.ndim == 1 else losses
        if losses.ndim != 2 or 0 in losses.shape:
            raise BadInput(f"losses have shape {np.shape(X)}: a row a round and a column an expert are needed.")
        if not first and losses.shape[1] != self.n_experts_:
            raise BadInput(f"{losses.shape[1]} losses a round, but the game has {self.n_experts_} experts.")
        bad = ~((losses >= 0) & (losses <= 1))
        if bad.any():
            t, i = (int(k) for k in np.argwhere(bad)[0])
            raise BadInput(f"the loss of expert {i} in row {t} is {losses[t, i]}: losses must lie between 0 and 1.")
        return losses

    def _advised(self, X: Any, y: Any, first: bool) -> Rounds:
        known = Labels(self._classes() if first else self.classes_)
        y = known.encode(as_column(y))
        if not first and len(self.experts) != self.n_experts_:
            raise BadInput(f"{len(self.experts)} experts, but the game began with {self.n_experts_}: call fit.")
        said = self._said(X, known)
        if len(said) != len(y):
            raise BadInput(f"X has {len(said)} rows, but y has {len(y)}: one label a row is needed.")
        if len(y) == 0:
            raise BadInput("X has 0 rows: there is no round to be played.")
        return Rounds((said != y[:, None]).astype(np.float64), said, y)

    def _classes(self) -> np.ndarray:
        if len(self.experts) == 0:
            raise BadInput("experts=[]: at least one classifier is needed.")
        for i, expert in enumerate(self.experts):
            if not hasattr(expert, "predict"):
                raise BadInput(f"expert {i} is {type(expert).__name__}, which cannot predict: give fitted classifiers.")
            check_is_fitted(expert)
            if not hasattr(expert, "classes_"):
                raise BadInput(f"expert {i}, {type(expert).__name__}, is no classifier: it has no classes_.")
        return np.unique(np.concatenate([as_column(expert.classes_) for expert in self.experts]))

    def _said(self, X: Any, known: Labels) -> np.ndarray:
        """Codes of the labels that the experts give to rows, a column an expert."""
        return np.column_stack([known.encode(np.asarray(expert.predict(X))) for expert in self.experts])

    # ---- prediction -------------------------------------------------------------------------------------------------

    @available_if(_has_experts)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The weight of the experts behind each class.

        Parameters
        ----------
        X : rows, as the experts take them

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        check_is_fitted(self)
        said = self._said(X, Labels(self.classes_))
        return weighted_vote(np.broadcast_to(self.weights_, said.shape), said, len(self.classes_))[1]

    @available_if(_has_experts)
    def predict(self, X: Any) -> np.ndarray:
        """The class with the most weight behind it, as the weights are now.

        Parameters
        ----------
        X : rows, as the experts take them

        Returns
        -------
        ndarray of shape (n,)
        """
        votes = self.predict_proba(X)
        return self.classes_[votes.argmax(axis=1)]

    @available_if(_has_experts)
    def score(self, X: Any, y: Any) -> float:
        """Share of rows that the vote gets right.

        Parameters
        ----------
        X : rows, as the experts take them
        y : array-like of shape (n,)

        Returns
        -------
        float
        """
        return float(accuracy_score(y, self.predict(X)))

    # ---- scikit-learn -----------------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_state")

    def __sklearn_clone__(self):
        """The experts stay as they are: a clone of them would have forgotten what it learnt."""
        return type(self)(**self.get_params(deep=False))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.experts is not None:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
            tags.target_tags.required = True
        return tags
