"""Reading for boosters of text: documents or counts, one label each or several."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from .. import _core
from ..base.errors import BadInput, SingleClass
from ..data.labels import Labels
from ..data.rows import read_rows, read_training
from ..feature.bag_of_words import BagOfWords
from ..model.words import presence
from .boosting_input import BoostRows


def holds_texts(X: Any) -> bool:
    """Whether these are documents, not rows of numbers."""
    if isinstance(X, str | bytes):
        raise BadInput("X is one text: give a list of documents, one a sample.")
    if sp.issparse(X) or getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__") or not len(X):
        return False
    first = X.iloc[0] if hasattr(X, "iloc") else X[0] if isinstance(X, list | tuple | np.ndarray) else None
    return isinstance(first, str | bytes)


def counts(estimator: Any, X: Any, *, fit: bool) -> Any:
    """Rows of numbers: those that were given, or the terms of documents."""
    if not holds_texts(X):
        if not fit and estimator.words_ is not None:
            raise BadInput("the fit was on texts, and this is a table: give documents.")
        if fit:
            estimator.words_ = None
        return X
    if not fit:
        if estimator.words_ is None:
            raise BadInput("the fit was on a table of counts, and these are texts: give counts of the same terms.")
        return estimator.words_.transform(X).astype(np.float64)
    if not (estimator.warm_start and getattr(estimator, "words_", None) is not None):
        estimator.words_ = clone(estimator.words) if estimator.words is not None else BagOfWords()
        return estimator.words_.fit_transform(X).astype(np.float64)
    return estimator.words_.transform(X).astype(np.float64)


def read_texts(estimator: Any, X: Any, y: Any, sample_weight: Any, *, fit: bool, reset: bool) -> BoostRows:
    """Rows of a fit: which terms each document holds, codes or lines of truth values, weights."""
    X = counts(estimator, X, fit=fit)
    if _has_several(y):
        return _several(estimator, X, y, sample_weight, reset)
    data = read_training(
        estimator, X, y, sample_weight, class_weight=estimator.class_weight, reset=reset, threads=estimator._threads()
    )
    if len(data.labels) < 2:
        raise SingleClass(
            "This classifier needs samples of at least 2 classes in the data, but the data contains only one class: "
            f"{data.labels.classes.tolist()[0]!r}."
        )
    return BoostRows(presence(data.X), data.y, data.weight, data.labels, data.digest)


def _has_several(y: Any) -> bool:
    """Whether there is a line of truth values for each document."""
    if isinstance(y, list | tuple):
        try:
            y = np.asarray(y)
        except ValueError:  # lines of different lengths: the reading of labels tells what is wrong
            return False
    return getattr(y, "ndim", 1) == 2 and y.shape[1] > 1 and type_of_target(y) == "multilabel-indicator"


def _several(estimator: Any, X: Any, y: Any, sample_weight: Any, reset: bool) -> BoostRows:
    if estimator.class_weight is not None:
        raise BadInput("class_weight is for one label a document: leave it out, or give sample_weight.")
    table = np.asarray(y.toarray() if sp.issparse(y) else y)
    rows = np.arange(len(table), dtype=np.float64)  # tells which rows have a weight
    data = read_training(estimator, X, rows, sample_weight, regression=True, reset=reset, threads=estimator._threads())
    told = table[data.y.astype(np.intp)].astype(np.intp)
    beside = told.astype(np.float64) if data.weight is None else np.column_stack([told, data.weight])
    assert data.scanned is not None
    digest = f"{data.scanned.digest:016x}{_core.Rows.dense(np.ascontiguousarray(beside)).scan(0, 1)[3]:016x}"
    return BoostRows(presence(data.X), told, data.weight, Labels(np.arange(told.shape[1])), digest)


def read_documents(estimator: Any, X: Any) -> sp.csr_array:
    """Which terms each document of a prediction holds."""
    check_is_fitted(estimator)
    return presence(read_rows(estimator, counts(estimator, X, fit=False)))
