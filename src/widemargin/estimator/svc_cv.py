"""The soft-margin machine that chooses C and gamma by cross-validation.

Problem  the mean score on held-out folds for every C and gamma; the machine of the best of them on all rows
Stops    the search when `tol` and `gap_tol` hold in the solver for every fold, C and gamma; the machine itself as SVC
Method   for each gamma all kernel values once (float32), shared by all folds, binary parts and C; along C each solution
         is the start of the next, and held-out rows stand beside the problem so that their scores follow (solver/path)
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer_names
from sklearn.utils.validation import check_is_fitted

from ..base.callbacks import hand_on_callbacks
from ..base.errors import BadInput
from ..base.params import Integral, Interval, StrOptions
from ..base.warn import warn
from ..kernels.expression import with_params
from ..kernels.rows import Tanh
from ..model.box import BoxProblem
from ..model.curve import RULES, SearchPath
from .svc import SVC, SupportVectorClassifier
from .svc_path import checked_Cs, refuse_unordered
from .svc_search import Search
from .svm_input import without_negative

WIDE = (-2.0, 2.0)  # powers of ten between which a number of Cs is spread


@dataclass(kw_only=True, eq=False, repr=False)
class SVCCV(SupportVectorClassifier):
    """SVC with C and gamma chosen by cross-validation.

    Parameters
    ----------
    Cs : int or array-like of float, default=10
        Values of C, in any order; a number: so many between 0.01 and 100, evenly in the logarithm.
    gammas : array-like of float, "scale" or "auto", optional
        Values of gamma for the kernels "rbf", "poly" and "sigmoid", or for a kernel object that has one. None: `gamma`.
        "scale" is that of all rows, not of each fold.
    cv : int, splitter or iterable of (train, test), default=5
        As in GridSearchCV: a number is that of stratified folds, not shuffled. Rows of weight 0 are left out before a
        number or a splitter divides the rest; the numbers of an iterable are those of the rows as given.
    scoring : str or callable, optional
        As in GridSearchCV; None is the accuracy, weighted with `sample_weight`. Scores that need probabilities cannot
        be.
    refit : bool, default=True
        Fit the chosen machine on all rows, with its certificate.
    rule : {"best", "one_se", "knee"}, default="best"
        The highest mean score; with its gamma, the smallest C within one standard error of it; or, with its gamma, the
        C at the knee: where the loss over log C, as far as its minimum, lies furthest below the line between its ends.

    kernel, degree, gamma, coef0, decision_function_shape, break_ties, multiclass, class_weight, tol, gap_tol, \
shrinking, cache_size, max_iter, n_jobs, probability, random_state, observe, verbose
        As in :class:`SVC`; `tol`, `gap_tol`, `max_iter` hold for each fit of the search too, `observe` and
        callbacks look at the last one.
    max_time : float, optional
        Most seconds for the search and the last fit together; candidates that were not reached have no score.
    warm_start : ignored
        Along C every fit starts from the one before.

    Attributes
    ----------
    path_ : SearchPath
        `Cs`, `gammas`, `scores` (mean, gammas x Cs), `fold_scores`, `errors`, `gaps`, `n_iter`, `seconds`, and the
        places (gamma, C) of `best`, `one_se` and `knee`.
    C_, gamma_ : float
        What was chosen; `gamma_` is NaN where gamma was not searched.
    best_params_, best_score_, best_index_, cv_results_
        As in GridSearchCV, of the candidate that `rule` chose; times are in `path_`.
    best_estimator_ : SVC
        The machine fitted on all rows.

    All other attributes are those of :class:`SVC`, of the machine fitted on all rows.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupportVectorClassifier._parameter_constraints,
        "Cs": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "gammas": ["array-like", None],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "refit": ["boolean"],
        "rule": [StrOptions(set(RULES))],
    }

    Cs: Any = 10
    gammas: Any = None
    cv: Any = 5
    scoring: Any = None
    refit: bool = True
    rule: str = "best"

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Search, then fit the chosen machine on all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` the square matrix of kernel values.
        y : array-like of shape (n_samples,)
            Labels of any kind.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, in training and in the scores.

        Returns
        -------
        self
        """
        self._validate_params()
        self._refuse_unordered()
        Cs = np.logspace(*WIDE, self.Cs) if isinstance(self.Cs, Integral) else checked_Cs(self.Cs)
        sample_weight = without_negative(sample_weight)  # said once
        watch = self._watch()
        found, search = [], None
        for gamma in self._checked_gammas():
            machine = self._machine(float(Cs[0]), gamma)
            data = machine._read(X, y, sample_weight)
            search = search or Search(self, (X, y, sample_weight), data, Cs)
            number = np.nan if gamma is None else _gamma_of(data.kernel)
            found.append((number, search.along_C(data.kernel, data.items, watch)))
        del search  # and its kernel values
        found.sort(key=lambda one: one[0])
        path = SearchPath(Cs, np.array([g for g, _ in found]), *map(np.array, zip(*(f for _, f in found), strict=True)))
        g, c = path.chosen(self.rule)
        C, gamma = float(path.Cs[c]), float(path.gammas[g])
        if self.refit:
            machine = self._machine(C, None if np.isnan(gamma) else gamma)
            machine._deadline = watch.deadline
            hand_on_callbacks(self, machine)
            try:
                machine.fit(X, y, sample_weight=sample_weight)
            except KeyboardInterrupt:
                if hasattr(machine, "certificate_"):
                    self._take(machine, path, C, gamma)
                raise
        self._take(machine, path, C, gamma)
        self._tell_of_missing(path)
        return self

    def _refuse_unordered(self) -> None:
        refuse_unordered(self, "Cs", "gammas", "cv")

    def _checked_gammas(self) -> list[Any]:
        """Numbers or names, each once; [None] where gamma is not searched."""
        if self.gammas is None:
            return [None]
        gammas = list(np.ravel(np.array(self.gammas, dtype=object)))
        if not gammas:
            raise BadInput("gammas is empty: give at least one value, or None for gamma alone.")
        named = isinstance(self.kernel, str) and self.kernel in ("rbf", "poly", "sigmoid")
        if not named and not hasattr(self.kernel, "gamma"):
            what = f"{self.kernel!r}" if isinstance(self.kernel, str) else f"{self.kernel}"
            raise BadInput(
                f"gammas are given, but the kernel {what} has no gamma: leave gammas out, or take kernel='rbf'."
            )
        for place, gamma in enumerate(gammas):
            name = isinstance(gamma, str)
            if name and gamma in ("scale", "auto") and named:
                continue
            if name or not isinstance(gamma, Real) or not 0 < float(gamma) < np.inf:
                raise BadInput(f"gammas holds {gamma!r} at place {place}: every gamma must be positive and finite.")
        return [g if isinstance(g, str) else float(g) for g in dict.fromkeys(gammas)]

    def _machine(self, C: float, gamma: Any) -> SVC:
        """The plain machine of one candidate."""
        own = {f.name for f in fields(SVCCV)} - {f.name for f in fields(SVC)}
        params = {name: value for name, value in self.get_params(deep=False).items() if name not in own}
        params |= {"C": C, "warm_start": False}
        if gamma is not None:
            params |= (
                {"gamma": gamma} if isinstance(self.kernel, str) else {"kernel": with_params(self.kernel, gamma=gamma)}
            )
        return SVC(**params)

    def _take(self, machine: SVC, path: SearchPath, C: float, gamma: float) -> None:
        """What the machine has learnt becomes ours; nothing of an earlier fit stays."""
        for name in [name for name in vars(self) if _learnt(name)]:
            delattr(self, name)
        for name, value in vars(machine).items():
            if _learnt(name):
                setattr(self, name, value)
        self.path_, self.C_, self.gamma_ = path, C, gamma

    def _tell_of_missing(self, path: SearchPath) -> None:
        reached, of = np.isfinite(path.gaps).all(axis=2), path.scores.size
        if not reached.all():
            warn(
                f"max_time={self.max_time} s was over after {reached.sum()} of {of} candidates: raise max_time or "
                "search less.",
                ConvergenceWarning,
            )
        short = int((reached & (path.gaps > self.gap_tol).any(axis=2)).sum())
        if short:
            worst = float(np.nanmax(path.gaps))
            warn(
                f"{short} of {of} candidates did not reach gap_tol={self.gap_tol:.2g} in every fold (largest relative "
                f"gap {worst:.2g}), so their scores are those of unfinished machines: scale the features, search "
                "smaller Cs, or raise gap_tol or max_iter.",
                ConvergenceWarning,
            )
        unknown = int((reached & ~np.isfinite(path.scores)).sum())
        if unknown:
            warn(f"scoring={self.scoring!r} gave no finite number for {unknown} of {of} candidates.", UserWarning)

    def _problem(self, signs: np.ndarray, weight: np.ndarray | None) -> BoxProblem:
        return BoxProblem.c_svc(signs, self.C_ if weight is None else self.C_ * weight)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "dual_coef_")

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
    def best_estimator_(self) -> SVC:
        check_is_fitted(self)
        machine = self._machine(self.C_, None if np.isnan(self.gamma_) else self.gamma_)
        for name, value in vars(self).items():
            if _learnt(name) and name not in ("path_", "C_", "gamma_"):
                setattr(machine, name, value)
        return machine


def _learnt(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def _gamma_of(kernel: Any) -> float:
    return float(kernel.alpha if isinstance(kernel, Tanh) else kernel.gamma)
