"""What all estimators share: reading, class weights, decisions, prediction, the certificate recomputed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..base.callbacks import CallbackSupportMixin
from ..base.drive import Watch
from ..base.errors import DataMismatch
from ..base.params import Declared, Integral, StrOptions, positive
from ..base.pickles import LookedOver
from ..base.threads import threads
from ..data.rows import Training, read_rows, read_training
from ..model.multiclass import decide, winners


@dataclass(kw_only=True, eq=False, repr=False)
class Certified(Declared, LookedOver, BaseEstimator):
    """Base of every estimator: its certificate can be recomputed."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"n_jobs": [Integral, None]}

    n_jobs: int | None = None

    def _threads(self) -> int:
        return threads(self.n_jobs)

    def _recertify(self, X: Any, y: Any, sample_weight: Any, *, prove: bool) -> Any:
        """The certificate anew; only for the data of the fit."""
        expected = getattr(self.certificate_, "data_digest", "")
        if not expected:
            told = "this model learnt from a stream of batches, or in another program"
            raise DataMismatch(f"{told}: there is no fit on these data to certify.")
        data = self._read(X, y, sample_weight, reset=False)
        classes = getattr(self, "classes_", data.labels.classes)
        if data.digest != expected or not np.array_equal(data.labels.classes, classes):
            raise DataMismatch(
                f"these are not the data of the fit: {data.n} rows with digest {data.digest}, the fit had {expected}."
            )
        return self._certify(data, prove=prove)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(kw_only=True, eq=False, repr=False)
class Learner(CallbackSupportMixin, Certified):
    """Base of what learns step by step: common parameters and the watch over a running fit."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Certified._parameter_constraints,
        "max_time": [positive(), None],
        "observe": [callable, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    random_state: Any = 0
    verbose: int = 0
    max_time: float | None = None
    observe: Any = None

    def _watch(self, after_step: Any = None) -> Watch:
        watch = Watch(max_time=self.max_time, observe=self.observe, after_step=after_step)
        watch.deadline = vars(self).pop("_deadline", watch.deadline)  # of a search that this fit is a part of
        return watch


class NumberTargets:
    """Reading for regressors: targets are numbers."""

    def _read(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> Training:
        return read_training(self, X, y, sample_weight, regression=True, threads=self._threads(), **options)


class Deciding(ClassifierMixin):
    """Scores of parts become decisions between classes; `_scheme` says how. Comes before the kind of learner."""

    @property
    def _scheme(self) -> str:
        raise NotImplementedError

    def _read(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> Training:
        """Rows, codes and weights with class_weight multiplied in."""
        return read_training(
            self, X, y, sample_weight, class_weight=self.class_weight, threads=self._threads(), **options
        )

    def _scores(self, X: Any) -> np.ndarray:
        return self.model_.scores(X)

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed score of the second class (two classes) or one score a class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = read_rows(self, X)
        return decide(self._scores(X), len(self.classes_), self._scheme)

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        codes = winners(self.decision_function(X))
        return self.classes_[codes]


@dataclass(kw_only=True, eq=False, repr=False)
class Classifier(Deciding, Learner):
    """Binary learners for any number of classes, one-vs-rest or one-vs-one."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Learner._parameter_constraints,
        "multiclass": [StrOptions({"ovr", "ovo"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    multiclass: str = "ovr"
    class_weight: Any = None

    @property
    def _scheme(self) -> str:
        return self.multiclass
