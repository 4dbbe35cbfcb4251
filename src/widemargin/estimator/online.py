"""Online linear learners as classifiers (binary parts for any number of classes) and regressors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils.validation import check_is_fitted

from ..certificate.record import merge
from ..data.rows import Training, read_rows
from ..model.linear import LinearModel
from ..model.multiclass import Part, binary_parts, decide, winners
from ..solver.parts import PartsState
from .base import Classifier, NumberTargets
from .online_fit import SHUFFLE, OnlineLearner
from .stream import StreamedClassifier, StreamedRegressor

__all__ = ["SHUFFLE", "OnlineClassifier", "OnlineRegressor"]


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineClassifier(StreamedClassifier, Classifier, OnlineLearner):
    """One binary problem a part."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineLearner._parameter_constraints,
        **Classifier._parameter_constraints,
    }

    def _take_labels(self, data: Training) -> None:
        self.classes_ = data.labels.classes

    def _n_parts(self, data: Training) -> int:
        return len(self._binary_parts())

    def _binary_parts(self) -> list[Part]:
        return binary_parts(len(self.classes_), self.multiclass)

    def _problems(self, data: Training) -> list[tuple[np.ndarray, np.ndarray | None]]:
        return [(part.signs(data.y), part.among(data.y)) for part in self._binary_parts()]

    def _split(self, data: Training, seed: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        if not self.early_stopping:
            return None, None
        cut = StratifiedShuffleSplit(1, test_size=self.validation_fraction, random_state=seed % 2**32)
        learn, held_out = next(cut.split(np.zeros(data.n), data.y))
        return np.sort(learn), np.sort(held_out)

    def _score(self, data: Training, model: LinearModel, rows: np.ndarray) -> float:
        decision = decide(model.scores(data.X[rows]), len(self.classes_), self.multiclass)
        weight = None if data.weight is None else data.weight[rows]
        return float(np.average(winners(decision) == data.y[rows], weights=weight))

    def _fitted(self, state: PartsState) -> dict[str, Any]:
        return {**super()._fitted(state), "classes_": self.classes_}

    def _certify(self, data: Training, *, prove: bool = False) -> Any:
        """One certificate a part, merged."""
        learn = None if self.proof_ is None else self._split(data, self.proof_.seed)[0]
        certificates = {}
        for k, (part, (signs, among)) in enumerate(zip(self._binary_parts(), self._problems(data), strict=True)):
            rows = among if learn is None else learn if among is None else np.intersect1d(among, learn)
            certificates[part.name(self.classes_)] = self._certify_part(data, k, signs, rows, prove)
        return merge(certificates, data_digest=data.digest)

    def _certify_part(self, data: Training, k: int, signs: np.ndarray, rows: np.ndarray | None, prove: bool) -> Any:
        raise NotImplementedError


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineRegressor(StreamedRegressor, NumberTargets, RegressorMixin, OnlineLearner):
    """A single part whose targets are numbers."""

    def _problems(self, data: Training) -> list[tuple[np.ndarray, np.ndarray | None]]:
        return [(data.y, None)]

    def _split(self, data: Training, seed: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        if not self.early_stopping:
            return None, None
        cut = ShuffleSplit(1, test_size=self.validation_fraction, random_state=seed % 2**32)
        learn, held_out = next(cut.split(np.zeros(data.n)))
        return np.sort(learn), np.sort(held_out)

    def _score(self, data: Training, model: LinearModel, rows: np.ndarray) -> float:
        weight = None if data.weight is None else data.weight[rows]
        return float(r2_score(data.y[rows], model.scores(data.X[rows])[:, 0], sample_weight=weight))

    def _fitted(self, state: PartsState) -> dict[str, Any]:
        model = self._model(state)
        return {"coef_": model.coef[0], "intercept_": model.intercept}

    def predict(self, X: Any) -> np.ndarray:
        """The number predicted for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.model_.scores(read_rows(self, X))[:, 0]
