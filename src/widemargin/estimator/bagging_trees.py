"""Bags of our own trees grow as a forest: the same draws, ranked columns once for all members."""

from __future__ import annotations

from typing import Any

from ..certificate.bagging import BaggingProof
from .bagging_input import BagTraining
from .forest import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from .tree import DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor

OWN = (DecisionTreeClassifier, DecisionTreeRegressor, DecisionStump)
NOT_THE_TREES = {"n_jobs", "random_state", "observe", "max_time", "verbose", "class_weight"}


def grown_together(bag: Any, data: BagTraining, proof: BaggingProof, start: Any = None) -> Any:
    """The forest of the members, or None where a forest would not do what the members do; `start` is there already."""
    template = bag._template()
    votes = getattr(bag, "vote", "mean") == "mean"
    plain = data.weight is None or bool(data.weight.all())
    numbers = data.form is not None or data.X.dtype.kind in "biuf"
    if type(template) not in OWN or not (bag.bootstrap and votes and plain and numbers):
        return None
    regression = isinstance(template, DecisionTreeRegressor)
    if regression != bag._regression or getattr(template, "class_weight", None) is not None:
        return None
    if template.observe is not None or template.max_time is not None:
        return None
    kinds = (
        (ExtraTreesRegressor, RandomForestRegressor) if regression else (ExtraTreesClassifier, RandomForestClassifier)
    )
    kind = kinds[template.splitter == "best"]
    names = (set(template.get_params()) & set(kind().get_params())) - NOT_THE_TREES
    shared = {name: getattr(template, name) for name in names}
    forest = kind(
        bag.n_estimators,
        **shared,
        bootstrap=True,
        max_samples=proof.draws,
        random_state=proof.seed,
        n_jobs=bag.n_jobs,
    )
    if start is not None:
        if len(start) == bag.n_estimators:
            return start
        forest.trees_, forest.warm_start = start.trees_, True
    return forest._fit_members(data.X, data.targets, data.weight)
