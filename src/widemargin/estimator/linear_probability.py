"""Probabilities of linear machines, learnt from rows that the scores were not learnt from; `predict` stays as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..base.params import StrOptions
from ..data.rows import read_rows
from ..model.calibration import METHODS, Calibration, calibrated
from ..model.multiclass import binary_parts, decide, winners
from ..model.sigmoid import agreeing, coupled, normalised
from .probability import held_out, wanted


@dataclass(kw_only=True, eq=False, repr=False)
class LinearProbabilities:
    """What a linear classifier needs for probabilities."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"probability": ["boolean", StrOptions(set(METHODS))]}

    probability: bool | str = False

    @property
    def _rest(self) -> str:
        """One score a class, or one a pair."""
        return "ovo" if self.multi_class == "ovo" else "ovr"

    def _calibration(self, X: Any, y: Any, sample_weight: Any) -> tuple[Calibration | None, int]:
        """What becomes of scores, and how many of the folds that it was learnt from did not converge."""
        if not self.probability:
            return None, 0
        seen = held_out(self, X, y, sample_weight)
        parts = []
        for q, part in enumerate(binary_parts(seen.n_classes, self._rest)):
            rows = part.among(seen.codes)
            here = np.arange(len(seen.codes)) if rows is None else rows
            parts.append((seen.scores[here, q], seen.codes[here] == part.positive, seen.weight[here]))
        return calibrated("sigmoid" if self.probability is True else str(self.probability), parts), seen.unsure

    def _part_scores(self, X: Any) -> np.ndarray:
        return self.model_.scores(read_rows(self, X))

    @available_if(wanted)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class; the highest is that of the predicted label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), in the order of `classes_`
        """
        check_is_fitted(self)
        if getattr(self, "calibration_", None) is None:
            raise NotFittedError("predict_proba needs a fit with probability=True, 'sigmoid' or 'isotonic': fit again.")
        k, scores = len(self.classes_), self._part_scores(X)
        p = self.calibration_.shares(scores)
        if k == 2:
            p = np.column_stack([1 - p[:, 0], p[:, 0]])
        else:
            p = coupled(1 - p, k) if self._rest == "ovo" else normalised(p)
        return agreeing(p, winners(decide(scores, k, self._scheme)))

    @available_if(wanted)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), in the order of `classes_`
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
