"""Bias and variance of the winner, and its loss by the number of rows: would more rows help, or other columns?

Method   bootstrap replicates of the rows learnt from, as in `study.bias_variance`. How many rows take part follows from
         the learner's formula of seconds and the time asked for; no clock has a say, so the figures come out the same.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit, learning_curve
from sklearn.utils import _safe_indexing

from ..study.averaging import WITH_PROBABILITIES
from ..study.bias_study import bias_variance
from ..study.learners import chosen, shape_of
from ..study.tuning_record import Tuning

_REPLICATES = 20
_SPLITS, _SHARES = 5, (0.125, 0.25, 0.5, 1.0)
_FITS = _REPLICATES + _SPLITS * sum(_SHARES)
_MOST, _LEAST = 1000, 40  # rows
_SHARE = 0.05  # of the time of the search
_FALLS = 0.9  # of the loss with half of the rows


def spread(tuning: Tuning, X: Any, y: np.ndarray, kind: str, time: float) -> dict[str, Any] | None:
    """Loss parted into bias and variance, on a sample of the rows; None where a learner is too slow for that."""
    shape = shape_of(X, y, kind)
    parts = chosen([name for name, *_ in tuning.members] or [tuning.winner.learner], shape)
    slow = WITH_PROBABILITIES if tuning.members else 1.0
    n = min(len(y), _MOST)
    while n >= _LEAST and _FITS * slow * sum(one.cost(shape.of(n)) for one in parts) > _SHARE * time:
        n //= 2
    if n < _LEAST:
        return None
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:n])
    sample, labels = _safe_indexing(X, rows), y[rows]
    if kind == "classes" and np.unique(labels, return_counts=True)[1].max() > n - 5:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a sample of the rows lacks is not news
        found = bias_variance(clone(tuning.estimator), sample, labels, _REPLICATES, n_jobs=1)
        curve = _by_rows(tuning.estimator, sample, labels, kind)
    totals = found.totals
    bias, variance = totals["bias"].value, totals["variance"].value
    return {
        "words": _advice(bias, variance, totals["loss"].value, curve["test"]),
        "by_rows": curve,
        "loss": totals["loss"].value,
        "bias": bias,
        "variance": variance,
        "errors": {name: totals[name].error for name in ("loss", "bias", "variance")},
        "measure": "squared error" if kind == "numbers" else "share of errors",
        "replicates": _REPLICATES,
        "rows": n,
        "learnt": found.rows_learnt,
    }


def _by_rows(estimator: Any, X: Any, y: np.ndarray, kind: str) -> dict[str, list[float]]:
    """Mean loss of the rows learnt from and of held-out rows, by the number of rows learnt from."""
    even = kind == "classes" and np.unique(y, return_counts=True)[1].min() >= 2
    split = (StratifiedShuffleSplit if even else ShuffleSplit)(_SPLITS, test_size=0.25, random_state=0)
    rows, *scores = learning_curve(
        clone(estimator),
        X,
        y,
        train_sizes=_SHARES,
        cv=split,
        scoring="accuracy" if kind == "classes" else "neg_mean_squared_error",
        shuffle=True,
        random_state=0,
    )
    best = 1.0 if kind == "classes" else 0.0
    train, test = (best - one.mean(axis=1) for one in scores)
    known = np.isfinite(train) & np.isfinite(test)  # a few rows may all be of one class
    return {"rows": rows[known].tolist(), "train": train[known].tolist(), "test": test[known].tolist()}


def _advice(bias: float, variance: float, loss: float, by_rows: list[float]) -> str:
    if loss == 0:
        return "There is no loss to part."
    falls = len(by_rows) > 1 and by_rows[-1] < _FALLS * by_rows[-2]
    if variance > bias:
        more = "more rows" if falls else "a simpler setting, or a vote of many,"
        return f"Most of the loss is variance, what depends on the rows seen: {more} would help most."
    if falls:
        return "Most of the loss is bias or noise, but it still falls with the number of rows: more rows would help."
    return "Most of the loss is bias or noise: better columns or another learner would help more than more rows."
