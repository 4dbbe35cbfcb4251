"""The voted perceptron: every vector that the perceptron passed through has a vote, as long as it lived."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base.errors import BadInput
from ..base.params import Integral, Interval, StrOptions, count, positive, validate_params
from ..base.records import Stop
from ..data.labels import Labels, as_column
from ..data.rows import Training, read_rows
from ..model.multiclass import decide
from ..model.voted import MemberModel, VotedModel, gathered, joined, split, survival_times
from ..solver.online import OnlineOptions
from ..solver.parts import KeepingParts
from .online import SHUFFLE, OnlineClassifier
from .perceptron import PATIENCE, MistakeBound


@dataclass(kw_only=True, eq=False, repr=False)
class VotedPerceptron(MistakeBound, OnlineClassifier):
    """Perceptron that decides by the vote sgn Σ cₙ sgn(wₙ·x) of all vectors that it passed through.

    cₙ is the number of visits that wₙ survived. Only the mistakes are stored, each as a row number and the visit at
    which it was made, never a vector; a prediction walks along them once for a whole block of rows. A vector with
    wₙ·x = 0 abstains (sgn 0 = 0), and a vote of 0 goes to the first class, as a score of 0 does in the perceptron.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Learn a bias b.
    max_iter : int, default=30
        Most epochs; every mistake made in them is a member of the vote.
    tol : float or None, default=None
        Also stop when the mean loss (or the held-out score) has not improved by `tol` for `n_iter_no_change` epochs.
    shuffle : bool or "once", default=True
        New order every epoch, the given order, or one order for all epochs.
    eta0 : float, default=1.0
        Step; changes no vote.
    birth : {1, 0}, default=1
        Survival time with which a new vector starts: 1 (Freund and Schapire) or 0.
    n_members : int or None, default=None
        Keep only so many vectors a binary part, chosen and weighted so that the votes change least; see `compress`.
        `partial_fit` keeps all mistakes.
    oscillation : {"stop", "ignore"}, default="stop"
        Whether to stop when the updates per epoch no longer fall.
    warm_start : bool, default=False
        Start from the last vectors of the last fit, whose own votes are forgotten.
    n_jobs : int, optional
        Threads for the binary parts and for predictions.
    random_state, verbose, early_stopping, validation_fraction, n_iter_no_change, class_weight, multiclass, max_time, \
observe
        As in :class:`Perceptron`.

    Attributes
    ----------
    support_ : ndarray or CSR of shape (n_support, n_features)
        The rows of which some mistake was made; None if there are only members.
    mistakes_ : dict of ndarray
        "offsets" (of each binary part), and for each mistake "row" (of the support), "step" and "visit"; None if
        there are only members.
    visits_ : ndarray of shape (n_parts,)
        Visits made.
    members_ : list of ndarray of shape (n_members, n_features + 1) or None
        The vectors kept, the bias last, if `n_members` is given.
    lives_ : list of ndarray
        Survival times cₙ by part, or the weights of the members.
    last_coef_, last_intercept_ : ndarray
        The last vectors: the plain perceptron's answer.
    classes_, n_iter_, n_updates_, converged_, stop_reason_, certificate_, trace_
        As in :class:`Perceptron`; the certificate speaks about the last vectors.

    References
    ----------
    Freund and Schapire, Large margin classification using the perceptron algorithm, 1999.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClassifier._parameter_constraints,
        "eta0": [positive()],
        "birth": [Interval(Integral, 0, 1, closed="both")],
        "n_members": [count(), None],
        "oscillation": [StrOptions({"stop", "ignore"})],
    }

    max_iter: int = 30
    eta0: float = 1.0
    birth: int = 1
    n_members: int | None = None
    oscillation: str = "stop"

    # ---- fit ---------------------------------------------------------------------------------------------------

    def _options(self, seed: int) -> OnlineOptions:
        return OnlineOptions(
            rule="perceptron",
            eta=self.eta0,
            intercept=self.fit_intercept,
            shuffle=SHUFFLE[self.shuffle],
            seed=seed,
            patience=PATIENCE if self.oscillation == "stop" else 0,
            log=True,
        )

    def _parts(self, data: Training, seed: int, learn: np.ndarray | None, **changes: Any) -> KeepingParts:
        parts = super()._parts(data, seed, learn, **changes)
        return KeepingParts(parts.solvers, parts.threads, X=data.X)

    def _starts(self, data: Training, coef_init: Any, intercept_init: Any, seed: int) -> list[np.ndarray] | None:
        if self.warm_start and hasattr(self, "last_coef_") and coef_init is None:
            coef_init, intercept_init = self.last_coef_, self.last_intercept_
        return super()._starts(data, coef_init, intercept_init, seed)

    def _model(self, state: Any) -> Any:
        return _model_from(self._fitted(state), self.fit_intercept, self._threads())

    def _fitted(self, state: Any) -> dict[str, Any]:
        starts = state.kept["starts"]
        support, mistakes = gathered(state.kept["X"], [s.joined_log() for s in state.states])
        visits = np.array([s.visits for s in state.states])
        return {
            "support_": support,
            "mistakes_": mistakes,
            "members_": None,
            "visits_": visits,
            "lives_": survival_times(mistakes, visits, self.birth),
            "starts_": None if starts is None else np.array(starts),
            "classes_": self.classes_,
        }

    def _keep(self, state: Any, stop: Stop) -> None:
        before = dict(vars(self)) if self._goes_on() else None
        super()._keep(state, stop)
        if before is not None:
            now = vars(self)
            support, mistakes = joined(before["support_"], before["mistakes_"], now["support_"], now["mistakes_"])
            self.support_, self.mistakes_ = support, mistakes
            self.lives_ = survival_times(mistakes, now["visits_"], self.birth)
        last = [s.weights() for s in state.states]
        self.last_coef_, self.last_intercept_ = np.array([w for w, _ in last]), np.array([b for _, b in last])
        if self.n_members is not None and not hasattr(self, "_stream"):
            self._keep_members(self.n_members)

    def _goes_on(self) -> bool:
        """Whether the batch at hand has others of its stream before it."""
        stream: Any = getattr(self, "_stream", None)
        return stream is not None and stream["batches"] > 0

    def _certified_vector(self, k: int) -> tuple[np.ndarray, float]:
        """Votes have no single vector: the claim speaks of the last one."""
        return self.last_coef_[k], float(self.last_intercept_[k])

    def _keep_members(self, k: int) -> None:
        model = self.model_.compressed(k)
        self.support_ = self.mistakes_ = self.starts_ = None
        self.members_, self.lives_ = model.members, model.lives

    # ---- prediction --------------------------------------------------------------------------------------------

    @property
    def model_(self) -> Any:
        check_is_fitted(self)
        return _model_from(dict(vars(self)), self.fit_intercept, self._threads())

    def _scores(self, X: Any) -> np.ndarray:
        vote, score = self.model_.votes(X)
        if len(self.classes_) == 2:
            return vote
        # Votes of several classes are often equal; less than half the smallest difference of votes decides then.
        least = 1.0 / np.array([max(life.sum(), 1.0) for life in self.lives_])
        return vote + least / 3 * score / (1 + np.abs(score))

    def voting_margins(self, X: Any, y: Any, *, kind: str = "vote") -> np.ndarray:
        """How clearly each row is decided for its label, positive if right.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        kind : {"vote", "score"}, default="vote"
            y Σ cₙ sgn(wₙ·x) / Σ cₙ, in [−1, 1]; or y Σ cₙ wₙ·x / Σ cₙ. With several classes: half the lead of the right
            class over the best other one.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if kind not in ("vote", "score"):
            raise BadInput(f"kind={kind!r} is unknown: give 'vote' or 'score'.")
        X = read_rows(self, X)
        codes = Labels(self.classes_).encode(as_column(y))
        if len(codes) != X.shape[0]:
            raise BadInput(f"X has {X.shape[0]} rows, y has {len(codes)} labels: one label a row is needed.")
        votes = self.model_.votes(X)[kind == "score"]
        decision = decide(votes, len(self.classes_), self.multiclass)
        if decision.ndim == 1:
            return np.where(codes == 1, decision, -decision)
        rows = np.arange(len(codes))
        right = decision[rows, codes]
        others = decision.copy()
        others[rows, codes] = -np.inf
        return (right - others.max(axis=1)) / 2

    # ---- fewer members -----------------------------------------------------------------------------------------

    def compress(self, k: int) -> VotedPerceptron:
        """A voted perceptron of at most k vectors a binary part that votes as much as possible like this one.

        The vectors are chosen greedily among the long-lived ones, and weighted by non-negative least squares on the
        votes of all of them about the support. They are stored as dense vectors: k (n_features + 1) numbers a part.

        Parameters
        ----------
        k : int
            Most members of a binary part.

        Returns
        -------
        VotedPerceptron
            A new one; this one stays as it is.
        """
        check_is_fitted(self)
        self._validate_size(k)
        if self.members_ is not None:
            raise BadInput(
                f"the mistakes are gone, n_members={self.n_members} vectors are left: fit without n_members."
            )
        small = copy(self)
        small.n_members = int(k)
        small._keep_members(int(k))
        small._forget_stream()
        return small

    @staticmethod
    @validate_params({"k": [count()]}, prefer_skip_nested_validation=True)
    def _validate_size(k: int) -> None: ...

    def accuracy_by_size(
        self, X: Any, y: Any, sizes: Any = (1, 2, 3, 5, 10, 20, 50, 100), sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Accuracy of `compress(k)` for some k, and of all vectors as the last entry.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sizes : sequence of int
            The k to try.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        dict
            "size" (vectors kept in the largest part), "accuracy", "agreement" (share of rows decided as by all).
        """
        all_of_it = self.predict(X)
        table: dict[str, list[float]] = {"size": [], "accuracy": [], "agreement": []}
        for model in [*(self.compress(k) for k in sizes), self]:
            table["size"].append(max(len(life) for life in model.lives_))
            table["accuracy"].append(model.score(X, y, sample_weight))
            table["agreement"].append(float(np.mean(model.predict(X) == all_of_it)))
        return {name: np.array(column) for name, column in table.items()}


def _model_from(fitted: dict[str, Any], intercept: bool, threads: int) -> VotedModel | MemberModel:
    if fitted["members_"] is not None:
        return MemberModel(fitted["members_"], fitted["lives_"])
    starts, lives = fitted["starts_"], fitted["lives_"]
    parts = split(fitted["mistakes_"], lives, [None] * len(lives) if starts is None else starts)
    return VotedModel(fitted["support_"], parts, intercept, threads)
