"""The linear machine that chooses C by cross-validation.

Problem  the mean score on held-out folds for every C; the machine of the best of them on all rows
Stops    as LinearSVC, for every fold and C
Method   in each fold, along C, every solution is the start of the next (estimator/linear_path)
"""

from __future__ import annotations

import time
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer_names
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..base.callbacks import hand_on_callbacks
from ..base.drive import Watch
from ..base.params import Integral, Interval, StrOptions
from ..base.warn import warn
from ..data.labels import class_factors
from ..data.rows import Training, canonical, native_rows, scan
from ..model.curve import RULES, SearchPath
from ..model.multiclass import decide
from ..model.multiclass import winners as decided
from .linear_path import starts_from
from .linear_svc import LinearSVC
from .svc_cv import WIDE
from .svc_path import checked_Cs, refuse_unordered
from .svc_search import HeldOut, scored, split

OWN = ("path_", "C_")


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVCCV(LinearSVC):
    """LinearSVC with C chosen by cross-validation.

    Parameters
    ----------
    Cs : int or array-like of float, default=10
        Values of C, in any order; a number: so many between 0.01 and 100, evenly in the logarithm.
    cv : int, splitter or iterable of (train, test), default=5
        As in GridSearchCV: a number is that of stratified folds, not shuffled. Rows of weight 0 are left out before a
        number or a splitter divides the rest; the numbers of an iterable are those of the rows as given.
    scoring : str or callable, optional
        As in GridSearchCV; None is the accuracy, weighted with `sample_weight`. Scores that need probabilities cannot
        be.
    refit : bool, default=True
        Fit the chosen machine on all rows, with its certificate.
    rule : {"best", "one_se", "knee"}, default="best"
        The highest mean score; the smallest C within one standard error of it; or the C at the knee: where the loss
        over log C, as far as its minimum, lies furthest below the line between its ends.
    C : ignored
        It is chosen.
    penalty, loss, dual, tol, multi_class, fit_intercept, regularize_intercept, intercept_scaling, class_weight, \
probability, max_iter, n_jobs, random_state, observe, verbose
        As in :class:`LinearSVC`; `tol` and `max_iter` hold for each fit of the search too, `observe` and callbacks look
        at the last one.
    max_time : float, optional
        Most seconds for the search and the last fit together; candidates that were not reached have no score.
    warm_start : ignored
        Along C every fit starts from the one before.

    Attributes
    ----------
    path_ : SearchPath
        `Cs`, `scores` (mean, 1 x Cs), `fold_scores`, `errors`, `gaps`, `n_iter`, `seconds`, and the places (0, C) of
        `best`, `one_se` and `knee`.
    C_ : float
        What was chosen.
    best_params_, best_score_, best_index_, cv_results_
        As in GridSearchCV, of the candidate that `rule` chose; times are in `path_`.
    best_estimator_ : LinearSVC
        The machine fitted on all rows.

    All other attributes are those of :class:`LinearSVC`, of the machine fitted on all rows.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearSVC._parameter_constraints,
        "Cs": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "refit": ["boolean"],
        "rule": [StrOptions(set(RULES))],
    }

    Cs: Any = 10
    cv: Any = 5
    scoring: Any = None
    refit: bool = True
    rule: str = "best"

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Search, then fit the chosen machine on all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of any kind.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, in training and in the scores.

        Returns
        -------
        self
        """
        self._validate_params()
        self._refuse_impossible()
        refuse_unordered(self, "Cs", "cv")
        Cs = np.logspace(*WIDE, self.Cs) if isinstance(self.Cs, Integral) else checked_Cs(self.Cs)
        watch = self._watch()
        machine = self._machine(float(Cs[0]))
        data = machine._read(X, y, sample_weight)
        path = Search(self, (X, y, sample_weight), data, Cs).run(watch)
        C = float(Cs[path.chosen(self.rule)[1]])
        if self.refit:
            machine = self._machine(C)
            machine._deadline = watch.deadline
            hand_on_callbacks(self, machine)
            try:
                machine.fit(X, y, sample_weight=sample_weight)
            except KeyboardInterrupt:
                if hasattr(machine, "certificate_"):
                    self._take(machine, path, C)
                raise
        self._take(machine, path, C)
        missing = int((~np.isfinite(path.gaps).all(axis=2)).sum())
        if missing:
            told = f"max_time={self.max_time} s was over after {len(Cs) - missing} of {len(Cs)} candidates"
            warn(f"{told}: raise max_time or search less.", ConvergenceWarning)
        return self

    def _machine(self, C: float) -> LinearSVC:
        """The plain machine of one candidate."""
        names = {f.name for f in fields(LinearSVC)}
        params = {name: value for name, value in self.get_params(deep=False).items() if name in names}
        return LinearSVC(**{**params, "C": C, "warm_start": False})

    def _take(self, machine: LinearSVC, path: SearchPath, C: float) -> None:
        """What the machine has learnt becomes ours; nothing of an earlier fit stays."""
        for name in [name for name in vars(self) if _learnt(name)]:
            delattr(self, name)
        vars(self).update({name: value for name, value in vars(machine).items() if _learnt(name)})
        self.path_, self.C_ = path, C

    def _price(self, data: Training, rows: np.ndarray | None = None) -> np.ndarray:
        """Of the chosen C: certificates are recomputed with it."""
        return super()._price(data, rows) * (self.C_ / self.C)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    # ---- as GridSearchCV ---------------------------------------------------------------------------------------

    @property
    def best_index_(self) -> int:
        check_is_fitted(self, "path_")
        return self.path_.index(*self.path_.chosen(self.rule))

    @property
    def best_params_(self) -> dict[str, float]:
        check_is_fitted(self, "path_")
        return self.path_.params[self.best_index_]

    @property
    def best_score_(self) -> float:
        check_is_fitted(self, "path_")
        return float(self.path_.scores[self.path_.chosen(self.rule)])

    @property
    def cv_results_(self) -> dict[str, Any]:
        check_is_fitted(self, "path_")
        return self.path_.table()

    @property
    def best_estimator_(self) -> LinearSVC:
        check_is_fitted(self)
        machine = self._machine(self.C_)
        vars(machine).update({n: v for n, v in vars(self).items() if _learnt(n) and n not in OWN})
        return machine


def _learnt(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


class Search:
    """All folds along C."""

    def __init__(self, machine: LinearSVCCV, given: tuple[Any, Any, Any], data: Training, Cs: np.ndarray) -> None:
        self.machine, self.given, self.data, self.Cs = machine, given, data, Cs
        self.numbers = data.numbers(np.arange(data.n))
        y, weight = given[1:]
        self.user_weight = None if weight is None else np.broadcast_to(
            np.asarray(weight, dtype=np.float64), (_num_samples(y),)
        )[self.numbers]  # fmt: skip
        self.folds = split(machine.cv, data.y, self.numbers, _num_samples(y))

    def run(self, watch: Watch) -> SearchPath:
        shape = (len(self.Cs), len(self.folds))
        scores, gaps, seconds = np.full((3, *shape), np.nan)
        steps = np.zeros(shape, np.int64)
        for f, (train, test) in enumerate(self.folds):
            rows, held = self._part(train), canonical(self.data.X[test])
            solved = before = None
            for c, C in enumerate(self.Cs):
                began = time.perf_counter()
                model = self.machine._machine(float(C))
                model.max_time = None
                before, solved = solved, model._learn(rows, watch, starts_from(solved, before))
                if model._ended == "time":
                    break
                gaps[c, f], steps[c, f] = model.certificate_.relative_gap, model.n_iter_
                scores[c, f] = self._score(test, model.model_.scores(held))
                seconds[c, f] = time.perf_counter() - began
        return SearchPath(self.Cs, np.array([np.nan]), scores[None], gaps[None], steps[None], seconds[None])

    def _part(self, train: np.ndarray) -> Training:
        """The rows of a fold; classes are balanced by the rows that it trains on."""
        data, weight = self.data, None if self.data.weight is None else self.data.weight[train]
        if self.machine.class_weight == "balanced":
            weight = np.ones(len(train)) if self.user_weight is None else self.user_weight[train]
            weight = weight * class_factors("balanced", data.labels, data.y[train], weight)[data.y[train]]
        X = canonical(data.X[train])
        rows = native_rows(X)
        return replace(data, X=X, rows=rows, y=data.y[train], weight=weight, scanned=scan(rows, X), kept=None)

    def _score(self, test: np.ndarray, scores: np.ndarray) -> float:
        m, classes = self.machine, self.data.labels.classes
        decision = decide(scores, len(classes), m.multi_class)
        codes = decided(decision)
        weight = None if self.user_weight is None else self.user_weight[test]
        if m.scoring is None:
            return float(np.average(codes == self.data.y[test], weights=weight))
        held = HeldOut(classes, decision, codes)
        return scored(m.scoring, held, self.given[0], self.numbers[test], classes[self.data.y[test]], weight)
