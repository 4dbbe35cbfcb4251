"""One call from a file to a tuned model, an honest figure and a report.

Method   read, check, set a test set apart (copies of a row never parted), compare the field of learners on held-out
         rows of the rest, learn the winner from all of the rest, look at the test set once
"""

from __future__ import annotations

import hashlib
import time as clock
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ..base.errors import BadInput
from ..estimator.cost_sensitive import CostSensitiveClassifier
from ..estimator.file_model import FileModel
from ..study.tuning import tune
from ..study.tuning_record import Tuning
from .checks import check_data, check_split, copies
from .describe import describe
from .judgement import judge
from .reading import Learnable, read_learnable
from .record import Easy
from .script import python_script
from .split import set_apart
from .spread import spread
from .words import check_search, verdict


def easy(
    source: Any,
    target: str | int | None = None,
    *,
    time: float = 60.0,
    test: float = 0.25,
    learners: Sequence[str] | None = None,
    cost: Any = None,
    rule: str = "best",
    cv: int | None = None,
    log: Any = None,
    resume: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
    observe: Callable[[str, float], Any] | None = None,
    **reading: Any,
) -> Easy:
    """From a file to a verdict.

    Parameters
    ----------
    source : path, file object or data frame
        CSV, ARFF, Parquet or svmlight.
    target : str or int
        The column to be predicted; svmlight files have it in front.
    time : float, default=60
        About how many seconds the search may plan for.
    test : float, default=0.25
        Share of the rows that is set apart and looked at once, at the end.
    learners : sequence of str, optional
        Names of the field; by default all that suit the rows.
    cost : array of shape (k, k) or callable, optional
        cost[i, j] of a row of class i that is called j, classes in sorted order, or a function of the classes that
        gives it. It steers the choice and every decision.
    rule : {"best", "one-se", "knee"}
        How the winner is chosen among the settings tried.
    cv : int, optional
        Folds of the search.
    log, resume
        A file in which the search keeps what it has found, and whether to go on from it.
    random_state : int
    n_jobs : int, optional
    observe : callable, optional
        observe(words, share done).
    **reading
        `kind`, `text`, `ignore`, `categorical`, `format`, `delimiter`, `header`, `encoding`, `decimal`,
        `missing_values`, `zero_based`.

    Returns
    -------
    Easy
    """
    began = clock.perf_counter()
    tell = observe or (lambda words, share: None)
    tell("reading", 0.0)
    data = read_learnable(source, target, n_jobs=n_jobs, **reading)
    if cost is not None:
        cost = _checked_cost(cost, data)
    groups = copies(data)
    train, held = set_apart(data.y, groups, test, data.kind, random_state)
    X, y = data.X[train], data.y[train]
    parameters: dict[str, Any] = {"time": time, "test": test, "rule": rule, "cv": cv, "random_state": random_state}
    tuning = tune(
        X,
        y,
        kind=data.kind,
        learners=learners,
        **{name: parameters[name] for name in ("time", "rule", "cv", "random_state")},
        groups=groups[train] if len(np.unique(groups)) < len(groups) else None,
        cost=cost,
        log=log,
        resume=resume,
        digest=_digest(data),
        n_jobs=n_jobs,
        observe=lambda done, all_, trial: tell(f"trying {trial.learner}", 0.05 + 0.75 * done / all_),
    )
    tell("learning the winner from all rows", 0.8)
    estimator = _final(tuning, data, cost).fit(X, y)
    tell("looking at the test rows", 0.95)
    return _record(data, (groups, train, held), tuning, estimator, cost, parameters, began)


def _record(
    data: Learnable,
    parts: tuple[np.ndarray, np.ndarray, np.ndarray],
    tuning: Tuning,
    estimator: Any,
    cost: np.ndarray | None,
    parameters: dict[str, Any],
    began: float,
) -> Easy:
    """What was found, after the one look at the test rows."""
    groups, train, held = parts
    judged = judge(estimator, data, train, held, cost)
    judged.pages["data"] = describe(data)
    judged.pages["spread"] = spread(tuning, _safe_indexing(data.X, train), data.y[train], data.kind, parameters["time"])
    return Easy(
        source=data.source,
        target=data.target,
        kind=data.kind,
        rows=(len(train), len(held)),
        model=FileModel(estimator, data.encoder, data.zero_based),
        tuning=tuning,
        checks=(*check_data(data, groups), check_split(groups, train, held), *check_search(tuning, judged, estimator)),
        reading=data.report,
        test=judged.figures,
        certificate=judged.certificate,
        pages=judged.pages,
        verdict=verdict(data, tuning, judged),
        python=python_script(data, tuning, estimator, parameters),
        parameters=parameters,
        seconds=clock.perf_counter() - began,
    )


def _final(tuning: Tuning, data: Learnable, cost: np.ndarray | None) -> Any:
    """The winner, with probabilities where it can have them, and with decisions by cost where there are costs."""
    estimator = clone(tuning.estimator)
    if data.kind == "classes" and "learn__probability" in estimator.get_params():
        enough = np.unique(data.y, return_counts=True)[1].min() >= 10
        if enough:
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
