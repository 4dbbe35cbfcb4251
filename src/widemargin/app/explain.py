"""What a model goes by: weights of features or words, importances, how much worse it gets without a column; the rows
that carry a support vector machine; the questions of a tree, or of a small tree that imitates the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..estimator.cost_sensitive import without_costs
from ..estimator.tree import DecisionTreeClassifier, DecisionTreeRegressor
from .reading import Learnable

_SHOWN = 20
_DEEP = 3  # questions in a row that a person follows
_CARRIERS = 5
_IMITATED = 5000  # rows whose answers are learnt
_SHUFFLED_ROWS, _SHUFFLED_COLUMNS, _TIMES = 400, 40, 3


def explanation(estimator: Any, data: Learnable, train: np.ndarray | None, X: Any, y: np.ndarray) -> dict[str, Any]:
    """kind of explanation, (name, value) of the features that matter most, and what else the model can tell."""
    whole = without_costs(estimator)
    last = learner_of(whole)
    facts: dict[str, Any] = {"learner": type(last).__name__}
    if hasattr(last, "support_") and hasattr(last, "n_support_"):
        facts["support_vectors"] = _carriers(last, data, train)
    table = not data.is_text and not sp.issparse(X)
    if table:
        facts["tree"] = _tree(whole, last, data, train, X, _names(whole, data))
    told = _by_column(whole, data)
    if not told and table and X.shape[1] <= _SHUFFLED_COLUMNS:
        told = {"kind": "loss when shuffled", "features": _shuffled(whole, data, X, y)}
    return {**facts, **(told or _of_member(whole, data) or {"kind": "none", "features": []})}


def learner_of(estimator: Any) -> Any:
    """The last step of a pipeline."""
    return estimator[-1] if hasattr(estimator, "steps") else estimator


def _by_column(estimator: Any, data: Learnable) -> dict[str, Any]:
    """Weights or importances, if the model keeps any."""
    last, names = learner_of(estimator), _names(estimator, data)
    weights, shares = _weights(last), getattr(last, "feature_importances_", None)
    if weights is not None and len(weights) == len(names):
        return {"kind": "weights", "features": _largest(names, weights)}
    if shares is not None and len(shares) == len(names):
        return {"kind": "importances", "features": _largest(names, np.asarray(shares))}
    return {}


def _of_member(estimator: Any, data: Learnable) -> dict[str, Any]:
    """Of an average: what its heaviest member tells that tells something."""
    for name, weight, member in getattr(estimator, "heaviest_first", list)():
        told = _by_column(member, data)
        if told:
            return {**told, "member": {"name": name, "weight": weight}}
    return {}


def _carriers(last: Any, data: Learnable, train: np.ndarray | None) -> dict[str, Any]:
    """How many rows carry the decision; where the rows are at hand, those with the largest coefficients."""
    found: dict[str, Any] = {"count": len(last.support_), "rows": []}
    if train is None:
        return found
    found["share"] = len(last.support_) / len(train)
    coef = last.dual_coef_
    pull = np.abs(coef.toarray() if sp.issparse(coef) else np.atleast_2d(coef)).sum(axis=0)
    for i in np.argsort(-pull, kind="stable")[:_CARRIERS]:
        at = int(train[last.support_[i]])
        text = str(data.X[at])[:160] if data.is_text else ""
        found["rows"].append({"row": at, "truth": data.y[at].item(), "pull": float(pull[i]), "text": text})
    return found


def _tree(
    whole: Any, last: Any, data: Learnable, train: np.ndarray | None, X: np.ndarray, names: list[str]
) -> dict[str, Any] | None:
    """The model's own questions where it is one tree of the columns themselves, else those of a small tree that
    learnt the model's answers, with how often (or how well) the two agree on the rows X."""
    if hasattr(last, "tree_") and last is whole:
        return {"own": True, "agrees": None, "root": _node(last, 0, names, 0)}
    rows = X if train is None else data.X[train[:_IMITATED]]
    classes = data.kind == "classes"
    answers = whole.predict(rows)
    if classes and len(np.unique(answers)) < 2:
        return None
    small = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(max_depth=_DEEP, random_state=0)
    small.fit(rows, answers)
    said, told = whole.predict(X), small.predict(X)
    if classes:
        agrees = float((said == told).mean())
    else:
        spread = float(np.var(said))
        agrees = 1 - float(((said - told) ** 2).mean()) / spread if spread > 0 else 1.0
    return {"own": False, "agrees": agrees, "root": _node(small, 0, names, 0)}


def _node(tree: Any, at: int, names: list[str], depth: int) -> dict[str, Any]:
    """One question with what follows from yes and from no, or an answer."""
    t = tree.tree_
    value = np.ravel(t.value[at])
    node: dict[str, Any] = {"rows": int(t.n_node_samples[at])}
    if hasattr(tree, "classes_"):
        node |= {"says": tree.classes_[value.argmax()].item(), "share": float(value.max() / max(value.sum(), 1e-300))}
    else:
        node["says"] = float(value[0])
    left = int(t.children_left[at])
    if left < 0:
        return node
    if depth == _DEEP:
        return {**node, "more": True}
    some = getattr(t, "category_sets", {}).get(at)
    name, cut = names[int(t.feature[at])], float(t.threshold[at])
    node["asks"] = {"column": name, "at_most": cut} if some is None else {"column": name, "among": list(some)}
    children = (left, int(t.children_right[at]))
    node["yes"], node["no"] = (_node(tree, child, names, depth + 1) for child in children)
    return node


def _names(estimator: Any, data: Learnable) -> list[str]:
    if data.is_text:
        return [str(term) for term in estimator[0].get_feature_names_out()] if hasattr(estimator, "steps") else []
    d = data.X.shape[1]
    return list(data.feature_names) or [f"feature {j + (not data.zero_based)}" for j in range(d)]


def _weights(last: Any) -> np.ndarray | None:
    try:
        coef = last.coef_
    except AttributeError:
        return None
    coef = coef.toarray() if sp.issparse(coef) else np.asarray(coef)
    if coef.ndim == 1:
        return coef
    return coef[0] if len(coef) == 1 else np.abs(coef).max(axis=0)


def _largest(names: list[str], values: np.ndarray) -> list[tuple[str, float]]:
    order = np.argsort(-np.abs(values), kind="stable")[:_SHOWN]
    return [(names[j], float(values[j])) for j in order if values[j] != 0]


def _shuffled(estimator: Any, data: Learnable, X: np.ndarray, y: np.ndarray) -> list[tuple[str, float]]:
    """How much the loss rises when a column is dealt out anew among the rows."""
    rng = np.random.default_rng(0)
    X, y = X[:_SHUFFLED_ROWS], y[:_SHUFFLED_ROWS]

    def loss(rows: np.ndarray) -> float:
        called = estimator.predict(rows)
        return float((called != y).mean() if data.kind == "classes" else ((called - y) ** 2).mean())

    base, rises = loss(X), np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        for _ in range(_TIMES):
            mixed = X.copy()
            mixed[:, j] = rng.permutation(mixed[:, j])
            rises[j] += (loss(mixed) - base) / _TIMES
    return _largest(_names(estimator, data), rises)
