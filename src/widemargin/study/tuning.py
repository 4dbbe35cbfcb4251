"""Which learner, with which settings? A search that any clock or interruption leaves with the same answer.

Problem  the least mean loss on held-out rows: share of errors, mean cost, or squared error
Symbols  rungs: numbers of rows to learn from, each about three times the one before
Stops when  the last rung is done. What is tried on which rung follows from the size of the data, the seconds asked for
         and the losses before it; measured times have no say
Method   successive halving over rows [JamiesonTalwalkar16]: every setting on few rows, the best third on more; settings
         along a path are one fit. Then the best settings are averaged (averaging). rule="one-se": the simplest setting
         of the winning learner whose loss is within one standard error of the best [BreimanEtAl84, §3.4.3];
         rule="knee": the knee of the loss along the path
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.errors import BadInput
from ..model.curve import knee
from .averaging import average_of, averaged
from .learners import Learner, Shape, chosen, shape_of
from .trials import Search, built, known
from .tuning_log import TuningLog
from .tuning_plan import Group, folds_of, going_on, plan
from .tuning_record import Trial, Tuning, best_of_each

RULES = ("best", "one-se", "knee")


def tune(
    X: Any,
    y: Any,
    *,
    kind: str = "classes",
    learners: Sequence[str] | None = None,
    time: float = 60.0,
    cv: int | None = None,
    validation: float | None = None,
    groups: Any = None,
    cost: Any = None,
    rule: str = "best",
    log: Any = None,
    resume: bool = False,
    digest: str = "",
    random_state: int = 0,
    n_jobs: int | None = None,
    observe: Callable[[int, int, Trial], Any] | None = None,
) -> Tuning:
    """Compare learners and their settings on held-out rows.

    Parameters
    ----------
    X : array, CSR matrix, or list of texts
    y : array of labels or numbers
    kind : {"classes", "numbers"}
    learners : sequence of str, optional
        Names of the field; all that suit the rows by default.
    time : float, default=60
        About how many seconds of one core the search may plan for. It says what is tried; no clock cuts anything off.
    cv : int, optional
        Folds. By default five up to 5,000 rows, above that a quarter of the rows is held out once.
    validation : float, optional
        Hold out about this share of the rows, at most one half, once, instead of folds.
    groups : array of int, optional
        Rows of one number, copies of one row for instance, are never parted.
    cost : array of shape (k, k), optional
        cost[i, j] of a row of class i that is called j.
    rule : {"best", "one-se", "knee"}, default="best"
    log : path, optional
        Every result is kept there at once.
    resume : bool, default=False
        Go on from such a log.
    digest : str
        Says which data these are; a log of other data is refused.
    random_state : int
    n_jobs : int, optional
    observe : callable, optional
        observe(groups done, groups in all, the trial just made).

    Returns
    -------
    Tuning
    """
    if rule not in RULES:
        raise BadInput(f"rule={rule!r} must be one of {', '.join(RULES)}")
    if not time > 0:
        raise BadInput(f"time={time!r}: a positive number of seconds is needed")
    y = np.asarray(y)
    shape = shape_of(X, y, kind)
    folds = folds_of(y, kind, cv, groups, random_state, validation)
    price = None if cost is None else np.asarray(cost, dtype=np.float64)
    search = Search(X, y, folds, price, np.unique(y) if kind == "classes" else None, n_jobs)
    asked = None if learners is None else list(learners)
    said = {"learners": asked, "time": time, "cv": cv, "validation": validation, "random_state": random_state}
    entrants = chosen(learners, shape)
    rungs, entered, left_out = plan(entrants, shape, folds, time)
    # last: what cannot be searched leaves no log behind
    book = TuningLog(log, {**_header(shape, digest, price), **said}, resume=resume)
    trials = _halved(book, search, shape, rungs, entered, time, observe)
    winner = _winner([t for t in trials if t.rows == rungs[-1]], entrants, rule)
    estimator = built(next(one for one in entrants if one.name == winner.learner), shape, winner.setting, n_jobs)
    # The other rules ask for something simple.
    best = averaged(book, search, shape, best_of_each(trials, winner), entrants, time) if rule == "best" else None
    if best is not None:
        trials.append(best.trial(rungs[-1]))
        if best.better:
            winner, estimator = trials[-1], average_of(best, shape, entrants, n_jobs)
    return Tuning(
        measure="mean squared error" if kind == "numbers" else "mean cost" if cost is not None else "share of errors",
        rule=rule,
        trials=tuple(trials),
        winner=winner,
        estimator=estimator,
        folds=f"{len(folds)} folds" if len(folds) > 1 else f"{len(folds[0][1])} rows held out",
        rows=shape.n,
        left_out=tuple(left_out),
        members=tuple(map(tuple, best.members)) if best is not None and best.better else (),
    )


def _header(shape: Shape, digest: str, price: np.ndarray | None) -> dict[str, Any]:
    """What a log says of the rows: one of others is refused."""
    return {
        "search": 2,
        "digest": digest,
        "shape": {name: value for name, value in vars(shape).items() if isinstance(value, str | int)},
        "cost": None if price is None else price.tolist(),
    }


def _halved(
    book: TuningLog,
    search: Search,
    shape: Shape,
    rungs: list[int],
    entered: list[Group],
    time: float,
    observe: Callable[[int, int, Trial], Any] | None,
) -> list[Trial]:
    """All trials: every group on the first rung, the best third of them, as far as the time allows, on the next."""
    trials: list[Trial] = []
    for number, rows in enumerate(rungs):
        found = []
        for place, (learner, group) in enumerate(entered):
            made = known(book, search, shape, learner, group, rows)
            trials += made
            found.append(min(trial.loss for trial in made))
            if observe is not None:
                observe(place + 1 + number * len(entered), len(rungs) * len(entered), made[-1])
        if number + 1 < len(rungs):
            entered = going_on(entered, found, number, rungs, shape, search.folds, time)
    return trials


# ---- the choice ------------------------------------------------------------------------------------------------------


def _winner(last: list[Trial], learners: list[Learner], rule: str) -> Trial:
    best = min(last, key=lambda trial: trial.loss)  # of equal losses the first, which is the simpler one
    if rule == "best":
        return best
    learner = next(learner for learner in learners if learner.name == best.learner)
    own = {repr(trial.setting): trial for trial in last if trial.learner == best.learner}
    ordered = [own[repr(setting)] for setting in learner.settings if repr(setting) in own]
    if rule == "one-se":
        return next(trial for trial in ordered if trial.loss <= best.loss + best.se)
    rest = {key: value for key, value in best.setting.items() if key != learner.along}
    path = [t for t in ordered if {k: v for k, v in t.setting.items() if k != learner.along} == rest]
    if not learner.along or len(path) < 3:
        return best
    values = np.array([trial.setting[learner.along] for trial in path])
    return path[knee(values, -np.array([trial.loss for trial in path]))]
