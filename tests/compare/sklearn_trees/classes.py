"""Our classes by scikit-learn's names. Its single extra trees are our trees with random cuts."""

from __future__ import annotations

from dataclasses import dataclass, field

import widemargin as wm


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreeClassifier(wm.DecisionTreeClassifier):
    splitter: str = "random"
    max_features: int | float | str | None = field(default="sqrt")


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreeRegressor(wm.DecisionTreeRegressor):
    splitter: str = "random"
    max_features: int | float | str | None = field(default=1.0)


TREES = {
    "DecisionTreeClassifier": wm.DecisionTreeClassifier,
    "DecisionTreeRegressor": wm.DecisionTreeRegressor,
    "ExtraTreeClassifier": ExtraTreeClassifier,
    "ExtraTreeRegressor": ExtraTreeRegressor,
}
ENSEMBLES = {
    name: getattr(wm, name)
    for kind in ("RandomForest", "ExtraTrees", "Bagging")
    for name in (f"{kind}Classifier", f"{kind}Regressor")
}
OURS = {"sklearn.tree": TREES, "sklearn.ensemble": ENSEMBLES}
