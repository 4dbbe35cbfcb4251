"""Cross-validation of soft-margin machines for many C: folds, shared kernel values, scores of held-out rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from ..base.drive import Watch
from ..base.errors import BadInput
from ..data.labels import class_factors
from ..model.multiclass import binary_parts, decide
from ..model.pairs import pairs
from ..solver.box import BoxOptions
from ..solver.folds import Fold, all_paths
from .kernel_support import KernelTraining
from .svc_path import shared_gram


class HeldOut(ClassifierMixin, BaseEstimator):
    """What a scorer of scikit-learn may ask of a machine, for the rows that were held out."""

    def __init__(self, classes: Any = None, decision: Any = None, codes: Any = None) -> None:
        self.classes, self.decision, self.codes = classes, decision, codes

    @property
    def classes_(self) -> np.ndarray:
        return self.classes

    def decision_function(self, X: Any) -> np.ndarray:
        return self.decision

    def predict(self, X: Any) -> np.ndarray:
        return self.classes[self.codes]

    def __sklearn_is_fitted__(self) -> bool:
        return True


class Search:
    """One set of folds for all gammas."""

    def __init__(self, machine: Any, given: tuple[Any, Any, Any], data: KernelTraining, Cs: np.ndarray) -> None:
        self.machine, self.Cs, self.codes, self.classes = machine, Cs, data.y, data.labels.classes
        self.X, y, sample_weight = given
        self.numbers = data.numbers(np.arange(data.n))
        self.user_weight = None if sample_weight is None else np.broadcast_to(
            np.asarray(sample_weight, dtype=np.float64), (_num_samples(y),)
        )[self.numbers]  # fmt: skip
        self.parts = binary_parts(len(self.classes), machine.multiclass)
        self.paired = len(self.parts) > len(self.classes) or (len(self.classes) == 3 and machine.multiclass == "ovo")
        self.folds = [
            Fold(self._weights_of(data, train), test)
            for train, test in split(machine.cv, data.y, self.numbers, _num_samples(y))
        ]
        self.gram: Any = None  # of the last kernel: its memory is used again
        self.order = self._by_class_and_fold() if self.paired else np.arange(data.n)

    def _weights_of(self, data: KernelTraining, train: np.ndarray) -> np.ndarray:
        """Of all items in the training of a fold; classes are balanced by the rows that it trains on."""
        times = np.bincount(train, minlength=data.n)
        if self.machine.class_weight != "balanced":
            return times * (1.0 if data.weight is None else data.weight)
        weight = times * (1.0 if self.user_weight is None else self.user_weight)
        return weight * class_factors("balanced", data.labels, data.y, weight)[data.y]

    def _by_class_and_fold(self) -> np.ndarray:
        """What a pair trains on in a fold are then a few runs of neighbours."""
        fold_of = np.zeros(len(self.codes), np.intp)
        for k, fold in enumerate(self.folds):
            fold_of[fold.test] = k
        return np.lexsort((fold_of, self.codes))

    def along_C(self, kernel: Any, items: Any, watch: Watch) -> tuple[np.ndarray, ...]:
        """Scores, gaps, steps and seconds, each n_C x n_folds, for one kernel."""
        m, order = self.machine, self.order
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        threads = m._threads()
        items = items.take(order) if self.paired else items
        self.gram, memory = shared_gram(kernel, items, threads, m.cache_size, self.gram)
        options = BoxOptions(tol=m.tol, gap_tol=m.gap_tol, max_steps=m.max_iter, memory=memory, threads=threads)
        folds = [Fold(fold.weight[order], place[fold.test]) for fold in self.folds]
        found = all_paths(self.gram, self.codes[order], self.parts, folds, self.Cs, options, watch)
        scores = [self._scores(fold, [p.scores for p in parts]) for fold, parts in zip(self.folds, found, strict=True)]
        gaps = [np.max([p.gaps for p in parts], axis=0) for parts in found]
        steps = [np.nan_to_num(np.sum([p.steps for p in parts], axis=0)).astype(np.int64) for parts in found]
        seconds = [np.sum([p.seconds for p in parts], axis=0) for parts in found]
        return tuple(np.array(a).T for a in (scores, gaps, steps, seconds))

    # ---- scores ------------------------------------------------------------------------------------------------

    def _scores(self, fold: Fold, by_part: list[np.ndarray]) -> np.ndarray:
        """Of one fold, for each C."""
        return np.array([self._score(fold, np.column_stack([p[c] for p in by_part])) for c in range(len(self.Cs))])

    def _score(self, fold: Fold, scores: np.ndarray) -> float:
        if np.isnan(scores).any():
            return np.nan
        m, k, weight = self.machine, len(self.classes), self.user_weight
        weight = None if weight is None else weight[fold.test]
        codes = winners(scores, k, m.multiclass, m.break_ties)
        if m.scoring is None:
            return float(np.average(codes == self.codes[fold.test], weights=weight))
        # As SVC: positive values of pair (i, j) speak for class i.
        shape = -scores if self.paired and m.decision_function_shape == "ovo" else decide(scores, k, m.multiclass)
        held, labels = HeldOut(self.classes, shape, codes), self.classes[self.codes[fold.test]]
        return scored(m.scoring, held, self.X, self.numbers[fold.test], labels, weight)


def scored(scoring: Any, held: HeldOut, X: Any, test: np.ndarray, labels: np.ndarray, weight: Any) -> float:
    """What a scorer of scikit-learn says of the decisions about rows that were held out."""
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    more = {} if weight is None else {"sample_weight": weight}
    try:
        return float(scorer(held, _safe_indexing(X, test), labels, **more))
    except AttributeError as error:
        if "predict_proba" not in str(error):
            raise
        raise BadInput(
            f"scoring={scoring!r} needs probabilities, which a search does not learn: take a score of labels or "
            "decisions, or GridSearchCV over SVC(probability=True)."
        ) from None


def winners(scores: np.ndarray, n_classes: int, scheme: str, break_ties: bool) -> np.ndarray:
    """Codes of the predicted classes from the scores of the binary parts, as SVC.predict decides."""
    if n_classes == 2:
        return (scores[:, 0] > 0).astype(np.intp)
    if scheme == "ovr" or break_ties:
        return decide(scores, n_classes, scheme).argmax(axis=1)
    votes = np.zeros((len(scores), n_classes), np.int32)
    for p, (i, j) in enumerate(pairs(n_classes)):
        votes[:, i] += scores[:, p] < 0
        votes[:, j] += scores[:, p] >= 0
    return votes.argmax(axis=1)


def split(cv: Any, codes: np.ndarray, numbers: np.ndarray, n_given: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds of the rows that are there. An iterable has the numbers of the rows as given; some may be absent."""
    listed = isinstance(cv, Iterable) and not hasattr(cv, "split")
    if listed:
        cv = list(cv)
        for k, pair in enumerate(cv):
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise BadInput(f"fold {k} of cv is {pair!r:.60}: give a pair (train, test) of row numbers.")
    splitter = check_cv(cv, codes, classifier=True)
    folds = []
    of = np.full(n_given, -1)
    of[numbers] = np.arange(len(numbers))
    for k, pair in enumerate(_pairs(splitter, codes)):
        train, test = (_present(part, of, k) if listed else part for part in pair)
        if len(train) == 0 or len(test) == 0:
            raise BadInput(
                f"fold {k} of cv has {len(train)} rows to train on and {len(test)} to test on: give it both."
            )
        if (codes[train] == codes[train[0]]).all():
            raise BadInput(f"fold {k} of cv trains on {len(train)} rows of only one class: give it rows of two.")
        folds.append((train, test))
    if not folds:
        raise BadInput("cv holds no folds: give at least one pair (train, test).")
    return folds


def _pairs(splitter: Any, codes: np.ndarray) -> list[tuple[Any, Any]]:
    try:
        return list(splitter.split(np.zeros((len(codes), 1)), codes))
    except ValueError as error:
        if "'groups'" not in str(error):
            raise
        raise BadInput(f"cv={splitter} needs groups: give cv=list(cv.split(X, y, groups)) instead.") from None


def _present(rows: Any, of: np.ndarray, fold: int) -> np.ndarray:
    rows = np.asarray(rows)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "biu"):
        raise BadInput(f"fold {fold} of cv holds {rows.ravel()[:3]}: give whole row numbers, or True and False.")
    if rows.dtype == bool:
        if len(rows) != len(of):
            raise BadInput(f"fold {fold} of cv says {len(rows)} times True or False, but there are {len(of)} rows.")
        rows = np.flatnonzero(rows)
    out = rows[(rows < -len(of)) | (rows >= len(of))] if rows.size else rows
    if out.size:
        raise BadInput(f"fold {fold} of cv speaks of row {out[0]}, but there are {len(of)} rows.")
    rows = of[rows.astype(np.intp)]
    return rows[rows >= 0]
