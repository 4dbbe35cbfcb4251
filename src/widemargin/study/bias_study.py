"""Bias, variance and noise of any scikit-learn estimator.

Problem  how much of the mean loss of a learner is due to what it cannot express (bias), to the sample that it happened
         to see (variance), and to labels that nobody could predict (noise)
Method   B bootstrap replicates of the data; each point is judged by the K <= B models that have not seen it. Or, where
         the source of the data is known, B fresh samples. Formulas: decomposition.py
Deviates bootstrap replicates all come from one data set, and with replacement hold about 63 % of its rows. So the
         figures are those of a learner with fewer rows, and the variance is that over replicates, not over fresh data:
         the record says so (`deviation`). Fresh samples have no such deviation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import _safe_indexing

from ..base.errors import BadInput, MemoryBudget
from ..base.memory import budget
from ..base.seeds import keyed, seed_from
from ..data.labels import Labels, as_column, as_numbers
from .bias_record import BiasVariance
from .decomposition import LOSSES
from .noise import KINDS, places_of
from .replicates import Bootstrap, bootstrap

Source = Callable[[np.random.Generator], tuple[Any, Any]]


def bias_variance(
    estimator: Any,
    X: Any,
    y: Any,
    B: int = 100,
    *,
    loss: str = "auto",
    m: int | None = None,
    replace: bool = True,
    noise: str | None = None,
    neighbours: int = 1,
    source: Source | None = None,
    y_train: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> BiasVariance:
    """Part the mean loss of a learner into noise, bias and variance, at every point and in all.

    Parameters
    ----------
    estimator : scikit-learn classifier or regressor
        Cloned for every replicate; each clone gets a random state of its own, keyed by `random_state`.
    X : array-like, data frame, sparse matrix or list of n objects
    y : array-like of shape (n,)
        Labels or numbers to judge by.
    B : int, default=100
        Replicates.
    loss : {"auto", "squared", "domingos", "kohavi_wolpert"}, default="auto"
        Squared loss for regressors; for classifiers 0-1 loss, parted as by Domingos ("auto") or by Kohavi and Wolpert.
    m : int, optional
        Draws a replicate, at most n; n if not given. Not used with `source`.
    replace : bool, default=True
        Whether a replicate may hold a row twice.
    noise : {"repeats", "neighbours"} or None, default=None
        Where the noise is estimated from: rows with the same x, or the nearest rows. None leaves it in the bias.
    neighbours : int, default=1
        How many.
    source : callable, optional
        `source(rng)` gives a fresh sample (X, y) to learn from, by the numpy Generator handed to it. Then no replicates
        are drawn, and every model is asked at every point.
    y_train : array-like of shape (n,), optional
        Labels to learn from where they differ from `y`, for example with errors put in.
    random_state : int, RandomState instance or None, default=0
        Of replicates, samples and clones.
    n_jobs : int, optional
        Replicates at a time, on threads. The result does not depend on it.

    Returns
    -------
    BiasVariance
        Figures by point and in all with standard errors; `print` shows the table.
    """
    loss = _loss_of(estimator, loss)
    y = as_column(y)
    classes = None if loss == "squared" else np.unique(y if y_train is None else np.r_[y, as_column(y_train)])
    truth = as_numbers(y) if classes is None else Labels(classes).encode(y)
    if noise is not None and noise not in KINDS:
        raise BadInput(f"noise is {noise!r}: it must be None, {' or '.join(map(repr, KINDS))}.")
    _refuse_other_lengths(X, y, y_train)
    seed = seed_from(random_state)
    plan = None if source is not None else bootstrap(len(y), m, B, seed, replace=replace)
    if source is not None and (m is not None or y_train is not None):
        raise BadInput("m and y_train shape replicates of the data; with source= samples are as the source gives them.")
    places = places_of(X, noise, neighbours)
    learn_y = y if y_train is None else as_column(y_train)
    work = _Replicates(estimator, X, learn_y, classes, seed, plan, source)
    predictions = _gathered(work, _checked_B(B), len(y), n_jobs)
    return BiasVariance(
        estimator=type(estimator).__name__,
        loss=loss,
        classes=classes,
        predictions=predictions,
        y=truth,
        places=places,
        noise_from=noise,
        plan=plan,
        rows_learnt=work.rows_learnt,
        constant=work.constant,
    )


def _loss_of(estimator: Any, loss: str) -> str:
    if loss not in ("auto", *LOSSES):
        raise BadInput(f"loss is {loss!r}: it must be one of auto, {', '.join(LOSSES)}.")
    if not is_classifier(estimator) and not is_regressor(estimator):
        raise BadInput(f"{type(estimator).__name__} is neither a classifier nor a regressor of scikit-learn's kind.")
    if loss == "auto":
        return "squared" if is_regressor(estimator) else "domingos"
    if (loss == "squared") != is_regressor(estimator):
        kind = "numbers" if is_regressor(estimator) else "classes"
        raise BadInput(f"loss={loss!r}, but {type(estimator).__name__} predicts {kind}.")
    return loss


def _checked_B(B: Any) -> int:
    if isinstance(B, bool) or not isinstance(B, int | np.integer) or B < 2:
        raise BadInput(f"B is {B!r}: a variance needs at least 2 replicates.")
    return int(B)


def _refuse_other_lengths(X: Any, y: np.ndarray, y_train: Any) -> None:
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    for name, length in (("y", len(y)), ("y_train", n if y_train is None else len(as_column(y_train)))):
        if length != n:
            raise BadInput(f"X has {n} rows, but {name} has {length}: one label a row is needed.")


class _Replicates:
    """One replicate after another: which rows to learn from, and what the model says of the points it has not seen."""

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: np.ndarray,
        classes: np.ndarray | None,
        seed: int,
        plan: Bootstrap | None,
        source: Source | None,
    ) -> None:
        self.estimator, self.X, self.y, self.classes, self.seed = estimator, X, y, classes, seed
        self.plan, self.source = plan, source
        self.rows_learnt, self.constant = 0.0, 0
        self.n = len(y)

    def __call__(self, b: int) -> tuple[np.ndarray | slice, np.ndarray, int, bool]:
        """(points asked, predictions there, different rows learnt from, whether only one class was there)."""
        points: np.ndarray | slice
        if self.plan is not None:
            rows, points = self.plan[b]
            X, y, distinct = _safe_indexing(self.X, rows), self.y[rows], self.n - len(points)
            asked = _safe_indexing(self.X, points)
        else:
            assert self.source is not None
            X, y = self.source(keyed(self.seed, "source", b))
            y, points, asked = as_column(y), slice(None), self.X
            distinct = len(y)
        count = self.n if isinstance(points, slice) else len(points)
        if self.classes is not None and (y == y[0]).all():
            return points, np.full(count, self._codes(y[:1])[0]), distinct, True
        if count == 0:
            return points, np.empty(0), distinct, False
        model = seeded(clone(self.estimator), self.seed, b).fit(X, y)
        said = np.asarray(model.predict(asked))
        return points, self._numbers(said) if self.classes is None else self._codes(said), distinct, False

    def _numbers(self, said: np.ndarray) -> np.ndarray:
        said = said.astype(np.float64).reshape(len(said), -1)
        if said.shape[1] != 1 or not np.isfinite(said).all():
            raise BadInput(f"{type(self.estimator).__name__} must predict one finite number a row.")
        return said[:, 0]

    def _codes(self, labels: np.ndarray) -> np.ndarray:
        assert self.classes is not None
        return Labels(self.classes).encode(np.asarray(labels))


def seeded(estimator: Any, seed: int, b: int) -> Any:
    """The estimator with random states of its own; what has none stays as it is."""
    names = sorted(n for n in estimator.get_params(deep=True) if n == "random_state" or n.endswith("__random_state"))
    draws = keyed(seed, "learner", b).integers(0, 2**31 - 1, len(names))
    return estimator.set_params(**dict(zip(names, map(int, draws), strict=True)))


def _gathered(work: _Replicates, B: int, n: int, n_jobs: int | None) -> np.ndarray:
    """Predictions, models x points: NaN or the number of classes where a model was not asked."""
    k = None if work.classes is None else len(work.classes)
    dtype = np.dtype(np.float64) if k is None else np.min_scalar_type(k)
    needed, allowed = B * n * dtype.itemsize, budget()
    if needed > allowed:
        raise MemoryBudget(
            f"{B} predictions at each of {n} points take {needed / 1e6:.0f} MB, and {allowed / 1e6:.0f} MB may be "
            "used: take fewer replicates or points, or raise WIDEMARGIN_MEMORY.",
            needed,
            allowed,
        )
    predictions = np.full((B, n), np.nan if k is None else k, dtype=dtype)
    run = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    results: Iterator[Any] = run(joblib.delayed(work)(b) for b in range(B))
    for b, (points, said, distinct, constant) in enumerate(results):
        predictions[b, points] = said
        work.rows_learnt += distinct / B
        work.constant += constant
    return predictions
