"""One call from a file to a tuned model, an honest figure and a report.

Method   read, check, set a test set apart (copies of a row never parted), compare the field of learners on held-out
         rows of the rest, learn the winner from all of the rest, look at the test set once
"""

from __future__ import annotations

import inspect
import time as clock
from collections.abc import Callable, Sequence
from typing import Any

from sklearn.utils import _safe_indexing

from ..base.errors import BadInput
from ..estimator.file_model import FileModel
from .checks import check_data, check_split
from .describe import describe
from .judgement import judge
from .reading import read_learnable
from .record import Easy
from .script import python_script
from .search import Searched, search
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
    parameters: dict[str, Any] = {"time": time, "test": test, "rule": rule, "cv": cv, "random_state": random_state}
    if not test > 0:
        raise BadInput(f"test={test!r}: a share of the rows above 0 and below 1 is needed")
    found = search(
        source,
        target,
        **parameters,
        learners=learners,
        cost=cost,
        log=log,
        resume=resume,
        n_jobs=n_jobs,
        observe=tell,
        **reading,
    )
    tell("learning the winner from all rows", 0.8)
    estimator = found.fitted()
    tell("looking at the test rows", 0.95)
    return _record(found, estimator, parameters, learners, _told(found, reading), began)


def _told(found: Searched, reading: dict[str, Any]) -> dict[str, Any]:
    """What a script has to say again: how the file is read, where that is not the default, and the costs."""
    default = {name: one.default for name, one in inspect.signature(read_learnable).parameters.items()}
    told = {name: list(value) if isinstance(value, tuple) else value for name, value in reading.items()}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in default.items()}
    told = {name: value for name, value in told.items() if value != plain.get(name)}
    return told if found.cost is None else {"cost": found.cost.tolist(), **told}


def _record(
    found: Searched, estimator: Any, parameters: dict[str, Any], learners: Any, told: dict[str, Any], began: float
) -> Easy:
    """What was found, after the one look at the test rows."""
    data, tuning, train, held = found.data, found.tuning, found.train, found.held
    judged = judge(estimator, data, train, held, found.cost)
    judged.pages["data"] = describe(data)
    judged.pages["spread"] = spread(tuning, _safe_indexing(data.X, train), data.y[train], data.kind, parameters["time"])
    checks = (*check_data(data, found.groups), check_split(found.groups, train, held))
    return Easy(
        source=data.source,
        target=data.target,
        kind=data.kind,
        rows=(len(train), len(held)),
        model=FileModel(estimator, data.encoder, data.zero_based),
        tuning=tuning,
        checks=(*checks, *check_search(tuning, judged, estimator)),
        reading=data.report,
        test=judged.figures,
        certificate=judged.certificate,
        pages=judged.pages,
        verdict=verdict(data, tuning, judged),
        python=python_script(data, tuning, estimator, parameters, learners, told),
        parameters=parameters,
        seconds=clock.perf_counter() - began,
    )
