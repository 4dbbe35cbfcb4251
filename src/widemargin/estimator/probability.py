"""Probabilities of support vector classifiers, learnt from rows that the scores were not learnt from.

Five stratified folds (fewer where a class has fewer rows) are fitted without one another, each scores the rows that it
has not seen, and a sigmoid for each binary part is fitted to these scores (model/sigmoid). The probabilities never
quarrel with `predict`: the label with the highest is the predicted one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from threading import Event
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.metaestimators import _safe_split, available_if
from sklearn.utils.validation import check_is_fitted

from ..base.callbacks import without_callbacks
from ..base.errors import BadInput
from ..base.seeds import seed_from
from ..base.threads import crew
from ..base.warn import warn
from ..model.multiclass import Part, binary_parts
from ..model.sigmoid import agreeing, coupled, fit_sigmoid, normalised, of_parts

FOLDS = 5


def wanted(estimator: Any) -> bool:
    if not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


@dataclass(kw_only=True, eq=False, repr=False)
class Probabilities:
    """What a support vector classifier needs for probabilities."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"probability": ["boolean"]}

    probability: bool = False

    def _sigmoids(self, X: Any, y: Any, sample_weight: Any) -> tuple[dict[str, Any], int]:
        """Attributes of a fit, and how many folds did not converge."""
        A, B, unsure = sigmoids(self, X, y, sample_weight) if self.probability else (None, None, 0)
        return {"probA_": A, "probB_": B}, unsure

    def _part_scores(self, X: Any) -> np.ndarray:
        """n x parts; a positive score of pair (i, j) speaks for class i."""
        return self.model_.scores(self._items(X), self._threads())

    @available_if(wanted)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class; the highest is that of the predicted label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items

        Returns
        -------
        ndarray of shape (n_samples, n_classes), in the order of `classes_`
        """
        check_is_fitted(self)
        if getattr(self, "probA_", None) is None:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False: fit again with probability=True."
            )
        k = len(self.classes_)
        p = of_parts(self._part_scores(X), self.probA_, self.probB_)
        if k == 2:
            p = np.column_stack([1 - p[:, 0], p[:, 0]])
        else:
            p = coupled(p, k) if self.multiclass == "ovo" else normalised(p)
        decided = np.asarray(np.searchsorted(self.classes_, self.predict(X)))
        return agreeing(p, decided)

    @available_if(wanted)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items

        Returns
        -------
        ndarray of shape (n_samples, n_classes), in the order of `classes_`
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def warn_of_folds(machine: Any, unsure: int) -> None:
    """Where the machine itself did not converge either, that is told already."""
    if unsure and machine.converged_:
        told = f"{unsure} of the folds that probabilities are learnt from did not converge"
        warn(f"{told}, the machine itself did: raise max_time or max_iter, or lower C.", ConvergenceWarning)


@dataclass(frozen=True)
class HeldOutScores:
    """Scores (n x parts) of rows by machines that have not seen them; codes and weights of the rows."""

    scores: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    n_classes: int
    unsure: int  # folds that did not converge


def held_out(estimator: Any, X: Any, y: Any, sample_weight: Any) -> HeldOutScores:
    """Folds are fitted side by side by clones of the estimator, each of which scores the rows that it was not given."""
    data = clone(estimator)._read(X, y, sample_weight)
    rows = data.numbers(np.arange(data.n))
    codes, k = data.y, len(data.labels.classes)
    counts = np.bincount(codes, minlength=k)
    if counts.min() < 2:
        name, asked = data.labels.classes[int(counts.argmin())], f"probability={estimator.probability!r}"
        raise BadInput(f"{asked} needs at least 2 rows of each class, but class {name} has {counts.min()}.")
    k_folds, threads = min(FOLDS, int(counts.min())), estimator._threads()
    folds = StratifiedKFold(k_folds, shuffle=True, random_state=seed_from(estimator.random_state))
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    beside = {"probability": False, "n_jobs": 1, "observe": None, "warm_start": False}
    if estimator.max_time is not None:  # each round of folds, and the machine itself, has its share
        beside["max_time"] = estimator.max_time / (math.ceil(k_folds / threads) + 1)

    def one(pair: tuple[np.ndarray, np.ndarray], _cancelled: Event) -> tuple[np.ndarray, bool]:
        train, test = (rows[part] for part in pair)
        machine = without_callbacks(clone(estimator)).set_params(**beside)
        X_train, y_train = _safe_split(machine, X, np.asarray(y), train)
        machine._fit(X_train, y_train, None if weight is None else np.broadcast_to(weight, (len(y),))[train])
        return machine._part_scores(_safe_split(machine, X, None, test, train)[0]), machine.converged_

    split = list(folds.split(np.zeros((data.n, 1)), codes))
    found = crew(threads, one, split)
    scores = np.empty((data.n, found[0][0].shape[1]))
    for (_, test), (values, _) in zip(split, found, strict=True):
        scores[test] = values
    own = np.ones(data.n) if data.weight is None else data.weight
    return HeldOutScores(scores, codes, own, k, sum(not converged for _, converged in found))


def sigmoids(estimator: Any, X: Any, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray, int]:
    """A and B of every binary part, from scores of rows by machines that have not seen them; how many did not end."""
    seen = held_out(estimator, X, y, sample_weight)
    A, B = _fitted(seen.scores, seen.codes, seen.weight, binary_parts(seen.n_classes, estimator.multiclass))
    return A, B, seen.unsure


def _fitted(
    scores: np.ndarray, codes: np.ndarray, weight: np.ndarray, parts: list[Part]
) -> tuple[np.ndarray, np.ndarray]:
    A, B = np.empty((2, len(parts)))
    for q, part in enumerate(parts):
        place = part.among(codes)
        here = np.arange(len(codes)) if place is None else place
        # Scores of pair (i, j) speak for class i, which is the negative one of the part.
        positive = codes[here] == (part.positive if part.negative is None else part.negative)
        A[q], B[q] = fit_sigmoid(scores[here, q], positive, weight[here])
    return A, B
