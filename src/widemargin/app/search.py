"""From a file to the winner of a search that never sees the rows set apart.

Method   read, set a test set apart (copies of a row never parted), compare the field of learners on held-out rows of
         the rest. What is kept in the log makes a search that was killed go on to the same winner.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ..base.errors import BadInput
from ..estimator.cost_sensitive import CostSensitiveClassifier
from ..study.averaging import WITH_PROBABILITIES
from ..study.learners import Shape, chosen, shape_of
from ..study.tuning import tune
from ..study.tuning_record import Tuning
from .checks import copies
from .reading import Learnable, read_learnable
from .split import set_apart

_PROBABILITIES = 0.6  # of the time may go into a last fit with probabilities


@dataclass(frozen=True, eq=False)
class Searched:
    """A search and its rows: `train` may be learnt from, `held` has not been looked at."""

    data: Learnable
    groups: np.ndarray
    train: np.ndarray
    held: np.ndarray
    tuning: Tuning
    cost: np.ndarray | None
    time: float

    def fitted(self) -> Any:
        """The winner, learnt from all rows of the search."""
        X, y = self.data.X[self.train], self.data.y[self.train]
        return _final(self.tuning, shape_of(X, y, self.data.kind), y, self.cost, self.time).fit(X, y)


def search(
    source: Any,
    target: str | int | None = None,
    *,
    time: float = 60.0,
    test: float = 0.25,
    learners: Sequence[str] | None = None,
    cost: Any = None,
    rule: str = "best",
    cv: int | None = None,
    validation: float | None = None,
    log: Any = None,
    resume: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
    observe: Callable[[str, float], Any] | None = None,
    **reading: Any,
) -> Searched:
    """Search the rows of a file; parameters as in `easy`.

    `test` 0 sets nothing apart; otherwise the rows are those that `easy` tests on with the same `random_state`.
    `validation` is the share of the other rows that is held out once, in place of folds.
    """
    tell = observe or (lambda words, share: None)
    tell("reading", 0.0)
    data = read_learnable(source, target, n_jobs=n_jobs, **reading)
    if cost is not None:
        cost = _checked_cost(cost, data)
    groups = copies(data)
    if test == 0:
        train, held = np.arange(len(data.y)), np.arange(0)
    else:
        train, held = set_apart(data.y, groups, test, data.kind, random_state)
    tuning = tune(
        data.X[train],
        data.y[train],
        kind=data.kind,
        learners=learners,
        time=time,
        cv=cv,
        validation=validation,
        rule=rule,
        random_state=random_state,
        groups=groups[train] if len(np.unique(groups)) < len(groups) else None,
        cost=cost,
        log=log,
        resume=resume,
        digest=_digest(data),
        n_jobs=n_jobs,
        observe=lambda done, all_, trial: tell(f"trying {trial.learner}", 0.05 + 0.75 * done / all_),
    )
    return Searched(data, groups, train, held, tuning, cost, time)


def _final(tuning: Tuning, shape: Shape, y: np.ndarray, cost: np.ndarray | None, time: float) -> Any:
    """The winner, with probabilities where it can have them in time, and with decisions by cost if there are costs."""
    estimator = clone(tuning.estimator)
    if shape.kind == "classes" and "learn__probability" in estimator.get_params():
        seconds = WITH_PROBABILITIES * chosen([tuning.winner.learner], shape)[0].cost(shape)
        in_time = cost is not None or seconds <= _PROBABILITIES * time
        if in_time and np.unique(y, return_counts=True)[1].min() >= 10:
            estimator.set_params(learn__probability=True)
    if cost is None:
        return estimator
    if not hasattr(estimator, "predict_proba"):
        raise BadInput(f"{tuning.winner.learner} gives no probabilities, so costs cannot steer it: name other learners")
    return CostSensitiveClassifier(estimator, cost=cost.tolist())


def _checked_cost(cost: Any, data: Learnable) -> np.ndarray:
    if data.kind != "classes":
        raise BadInput("cost is for classes, but the target holds numbers: leave it out")
    classes = np.unique(data.y)
    k = len(classes)
    found = np.asarray(cost(classes) if callable(cost) else cost, dtype=np.float64)
    if found.shape != (k, k) or not np.isfinite(found).all():
        raise BadInput(f"cost must hold {k} x {k} finite numbers for {k} classes; it has the shape {found.shape}")
    return found


def _digest(data: Learnable) -> str:
    """Says which rows these are, so that the log of a search on others is refused."""
    digest = hashlib.sha256()
    if data.is_text:
        for text in data.X:
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    elif sp.issparse(data.X):
        for part in (data.X.indptr, data.X.indices, data.X.data):
            digest.update(np.ascontiguousarray(part).tobytes())
    else:
        digest.update(np.ascontiguousarray(data.X).tobytes())
    digest.update(repr(data.y.tolist()).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]
