"""Trees and forests as stored types.

A tree is known from which of its nodes are leaves, in the order of a walk from the left; inner nodes add a column and a
threshold, leaves a line of the table of what leaves hold. Numbers are kept in the fewest bytes that hold them exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .estimators import EstimatorSpec
from .objects import ObjectSpec
from .records import DataclassSpec
from .rules import Array, Each, Labels, Part, Plain, Rule, Size, Sizes
from .values import Violation

if TYPE_CHECKING:
    from ..model.trees import Trees

_WHOLE = ("u1", "u2", "u4", "u8")
_STATS = (*_WHOLE, "f8")


def _narrow(values: np.ndarray) -> np.ndarray:
    """The same numbers in the fewest bytes."""
    if not values.size or (values.dtype.kind == "f" and not (np.isfinite(values) & (values % 1 == 0)).all()):
        return values
    if values.min() < 0 or values.max() >= 2**53 or np.signbit(values).any():
        return values
    return values.astype(np.min_scalar_type(int(values.max())))


def _fields(trees: Trees) -> dict[str, Any]:
    leaf, column, threshold, far, line = trees.parts()
    sizes = np.diff(trees.first)
    squares = trees.stats
    parts: dict[str, Any] = {}
    if not trees.classes:  # a leaf of one target has no spread: its square need not be kept
        k = trees.n_outputs
        weight, sums, squares = trees.stats[:, :1], trees.stats[:, 1 : 1 + k], trees.stats[:, 1 + k :]
        parts = {"weight": _narrow(weight), "sums": _narrow(sums)}
        squares = np.zeros((0, k)) if np.array_equal(squares, sums * sums / weight) else squares
    return {
        "sizes": sizes,
        "leaves": np.packbits(leaf),
        "columns": _narrow(column[~leaf]),
        "thresholds": threshold[~leaf],
        "missing_right": np.packbits(far[~leaf]),
        "lines": _narrow(line[leaf]),
        "stats": _narrow(squares),
        "rows": _narrow(trees.rows),
        "sets": trees.sets,
        "n_columns": trees.n_columns,
        "classes": list(trees.classes),
        "n_outputs": trees.n_outputs,
        "categorical": trees.categorical,
        "weight": parts.get("weight"),
        "sums": parts.get("sums"),
        "centres": trees.centres,
    }


def _bits(packed: np.ndarray, count: int, name: str) -> np.ndarray:
    if len(packed) != (count + 7) // 8:
        raise Violation(f"{name} has {len(packed)} bytes for {count} bits")
    return np.unpackbits(packed, count=count).astype(bool)


def _make(cls: Any, v: dict[str, Any]) -> Trees:
    sizes = v["sizes"]
    total = int(sizes.sum())
    leaf = _bits(v["leaves"], total, "leaves")
    inner = int((~leaf).sum())
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    if len(v["columns"]) != inner or len(v["thresholds"]) != inner or len(v["lines"]) != total - inner:
        raise Violation(f"{inner} inner nodes and {total - inner} leaves are due, the arrays have other lengths")
    try:
        left = _core.left_children(leaf.astype(np.uint8), first)
    except ValueError as error:
        raise Violation(str(error)) from error
    column = np.zeros(total, dtype=np.uint32)
    column[~leaf] = v["columns"]
    if inner and v["columns"].max() >= v["n_columns"]:
        raise Violation(f"a node names column {v['columns'].max()} of {v['n_columns']}")
    far = np.zeros(total, dtype=np.uint32)
    far[~leaf] = _bits(v["missing_right"], inner, "missing_right")
    threshold = np.full(total, np.nan, dtype=np.float32)
    threshold[~leaf] = v["thresholds"]
    if np.isnan(v["thresholds"]).any():
        raise Violation("a threshold is not a number")
    lines = np.zeros(total, dtype=np.uint32)
    lines[leaf] = v["lines"]
    nodes, shift = cls.packed_nodes(
        left, column, threshold, far, lines, int(sizes.max()), v["n_columns"], len(v["rows"])
    )
    trees = cls(
        nodes,
        shift,
        first,
        _stats(v),
        v["rows"].astype(np.int32),
        v["sets"],
        v["n_columns"],
        tuple(v["classes"]),
        v["n_outputs"],
        v["categorical"],
        v["centres"],
    )
    if trees.centres is not None and trees.centres.shape != (total, 2 * trees.n_outputs):
        raise Violation(f"{total} nodes have centres of shape {trees.centres.shape}")
    return trees


def _sound(trees: Trees) -> None:
    """What a tree itself is checked for, before anything is asked of it: also where it comes from a pickle."""
    lines, nodes = len(trees.rows), len(trees.nodes) // trees.words
    width = sum(trees.classes) if trees.classes else 1 + 2 * trees.n_outputs
    Array("f8", (lines, width)).bind(trees.stats, "stats", {})
    Array("i4", (lines,)).bind(trees.rows, "rows", {})
    if trees.centres is not None:
        Array("f8", (nodes, 2 * trees.n_outputs)).bind(trees.centres, "centres", {})
    try:
        whole = trees.native is not None  # looks at every node
    except (ValueError, TypeError) as error:
        raise Violation(str(error)) from error
    if not whole or trees.first[0] != 0 or trees.first[-1] != nodes:
        raise Violation(f"the trees do not fill their {nodes} nodes")


def _stats(v: dict[str, Any]) -> np.ndarray:
    if v["classes"]:
        stats = v["stats"].astype(np.float64)
        if len(v["classes"]) != v["n_outputs"] or min(v["classes"]) < 1 or stats.shape[1] != sum(v["classes"]):
            raise Violation(f"{v['classes']} classes do not fit {stats.shape[1]} columns of leaves")
        if (stats < 0).any() or not (stats.sum(axis=1) > 0).all():
            raise Violation("a leaf has no weight")
        return stats
    if v["weight"] is None or v["sums"] is None or v["sums"].shape != (len(v["rows"]), v["n_outputs"]):
        raise Violation("leaves for numbers need their weights and sums")
    weight, sums = v["weight"].astype(np.float64), v["sums"].astype(np.float64)
    if weight.shape != (len(v["rows"]), 1) or not (weight > 0).all():
        raise Violation("a leaf has no weight")
    squares = v["stats"].astype(np.float64) if len(v["stats"]) else sums * sums / weight
    if squares.shape != sums.shape:
        raise Violation("leaves for numbers need one square an output")
    return np.ascontiguousarray(np.column_stack([weight, sums, squares]))


def _fits(s: Sizes) -> bool:
    return s["m"] in (0, s["lines"]) and s["c"] >= 1


class _Whole(Plain):
    """A short list of whole numbers."""

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if type(value) is not list or not all(type(item) is int and 0 < item < 2**31 for item in value):
            raise Violation(f"{name} is no list of sizes")


class LabelLists(Rule):
    """The labels of one output, or a list of those of several."""

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        for one in value if type(value) is list else [value]:
            Labels("_").bind(one, name, {})


TREES = ObjectSpec(
    "widemargin.model.trees:Trees",
    1,
    _fields,
    _make,
    {
        "sizes": Array("i8", ("t",), low=1, below=2**31),
        "leaves": Array("u1", ("b",)),
        "columns": Array(_WHOLE, ("inner",)),
        "thresholds": Array("f4", ("inner",), finite=False),
        "missing_right": Array("u1", ("bits",)),
        "lines": Array(_WHOLE, ("l",), below="lines"),
        "stats": Array(_STATS, ("m", "c")),
        "rows": Array((*_WHOLE, "i4"), ("lines",), low=0, below=2**31),
        "sets": Array("u4", ("words",)),
        "n_columns": Plain(int, low=1, high=2**31 - 1),
        "classes": _Whole(),
        "n_outputs": Plain(int, low=1, high=2**20),
        "categorical": Array("u1", ("marks",), optional=True),
        "weight": Array(_STATS, ("lines", 1), optional=True),
        "sums": Array(_STATS, ("lines", "o"), optional=True),
        "centres": Array("f8", ("nodes", "p"), optional=True),
    },
    _fits,
    sound=_sound,
)


def _classes_agree(model: Any) -> None:
    """Leaves say as much as there are classes, output by output."""
    if not hasattr(model, "trees_"):
        return
    due: tuple[int, ...] = ()
    if hasattr(model, "classes_"):
        several = type(model.classes_) is list
        due = tuple(len(one) for one in (model.classes_ if several else [model.classes_]))
        counts = model.n_classes_ if several else [model.n_classes_]
        if type(counts) is not list or tuple(counts) != due:
            raise Violation(f"n_classes_ is {counts} where {due} are due")
    if model.trees_.classes != due:
        raise Violation(f"trees of {model.trees_.classes} classes do not fit {due}")


def _ascending(labels: Any) -> bool:
    """Whether what a member calls is found among them by halves."""
    each = labels if type(labels) is list else [labels]
    return all(np.array_equal(np.unique(one), one) for one in each)


def _bag_agrees(bag: Any) -> None:
    """The members, or the forest that they are, look at columns that are there."""
    if not hasattr(bag, "estimators_features_"):
        return
    d, columns = bag.n_features_in_, bag.estimators_features_
    forest, members = getattr(bag, "forest_", None), getattr(bag, "members_", None)
    if (forest is None) == (members is None):
        raise Violation("either forest_ or members_ is due")
    if hasattr(bag, "classes_") and not _ascending(bag.classes_):
        raise Violation("classes_ is no list of ascending labels")
    if any(one.max(initial=0) >= d for one in columns):
        raise Violation(f"estimators_features_ names a column that is none of {d}")
    if forest is not None:
        if not hasattr(forest, "trees_") or len(forest.trees_) != len(columns) or forest.n_features_in_ != d:
            raise Violation(f"forest_ is no forest of {len(columns)} trees on {d} columns")
        if type(getattr(forest, "classes_", None)) is not type(getattr(bag, "classes_", None)) or (
            hasattr(bag, "classes_") and len(forest.classes_) != len(bag.classes_)
        ):
            raise Violation("forest_ has other classes than the bag")
        return
    if type(members) is not list or len(members) != len(columns) or not all(hasattr(m, "predict") for m in members):
        raise Violation(f"members_ is no list of {len(columns)} that predict")
    for member, own in zip(members, columns, strict=True):
        if getattr(member, "n_features_in_", len(own)) != len(own):
            raise Violation(f"a member of {member.n_features_in_} columns is given {len(own)}")
        known = getattr(bag, "classes_", None)
        if isinstance(known, np.ndarray) and not np.isin(getattr(member, "classes_", known), known).all():
            raise Violation("a member knows a class that is none of the bag's")


FITTED: Mapping[str, Rule] = {
    "trees_": Part("Trees", sizes=lambda trees: {"d": trees.n_columns, "outputs": trees.n_outputs}),
    "n_outputs_": Size("outputs"),
    "max_features_": Plain(int, low=1),
    "stop_reason_": Plain(str),
    "trace_": Part("Trace"),
    "certificate_": Part("ForestCertificate", optional=True),
    "proof_": Part("ForestProof", optional=True, proof=True),
}
CLASSES: Mapping[str, Rule] = {**FITTED, "classes_": LabelLists(), "n_classes_": Rule()}
OOB: Mapping[str, Rule] = {
    "oob_score_": Rule(optional=True),
    "oob_error_": Plain(float, finite=False, optional=True),
    "oob_decision_function_": Rule(optional=True),
    "oob_prediction_": Rule(optional=True),
}
_BAG: Mapping[str, Rule] = {
    "members_": Rule(optional=True),  # one of these two
    "forest_": Rule(optional=True),
    "drawn_from_": Part("DrawnFrom"),
    "estimators_features_": Each("b", Array("i8", ("_f",), low=0)),
    "stop_reason_": Plain(str),
    "trace_": Part("Trace"),
    "certificate_": Part("ForestCertificate", optional=True),
    "proof_": Part("BaggingProof", optional=True, proof=True),
    **OOB,
}
_TREE, _FOREST = "widemargin.estimator.tree", "widemargin.estimator.forest"
_TRANSIENT = ("observe", "random_state", "oob_score")

FORESTS: dict[str, Any] = {
    "Trees": TREES,
    "BaggingProof": DataclassSpec("widemargin.certificate.bagging:BaggingProof", 1),
    "DrawnFrom": DataclassSpec("widemargin.certificate.bagging:DrawnFrom", 1),
    "ForestProof": DataclassSpec("widemargin.certificate.forest:ForestProof", 1),
    "ForestCertificate": DataclassSpec("widemargin.certificate.record:ForestCertificate", 1, nonfinite=True),
    "DecisionTreeClassifier": EstimatorSpec(f"{_TREE}:DecisionTreeClassifier", 1, CLASSES, agree=_classes_agree),
    "DecisionStump": EstimatorSpec(f"{_TREE}:DecisionStump", 1, CLASSES, agree=_classes_agree),
    "DecisionTreeRegressor": EstimatorSpec(f"{_TREE}:DecisionTreeRegressor", 1, FITTED, agree=_classes_agree),
    "DecisionForestClassifier": EstimatorSpec(
        "widemargin.estimator.decision_forest:DecisionForestClassifier",
        1,
        {**CLASSES, **OOB},
        agree=_classes_agree,
        transient=_TRANSIENT,
    ),
    "BaggingClassifier": EstimatorSpec(
        "widemargin.estimator.bagging:BaggingClassifier",
        1,
        {**_BAG, "classes_": LabelLists(), "n_classes_": Rule()},
        agree=_bag_agrees,
        transient=_TRANSIENT,
    ),
    "BaggingRegressor": EstimatorSpec(
        "widemargin.estimator.bagging:BaggingRegressor", 1, _BAG, agree=_bag_agrees, transient=_TRANSIENT
    ),
    **{
        name: EstimatorSpec(f"{_FOREST}:{name}", 1, {**rules, **OOB}, agree=_classes_agree, transient=_TRANSIENT)
        for name, rules in (
            ("RandomForestClassifier", CLASSES),
            ("ExtraTreesClassifier", CLASSES),
            ("RandomForestRegressor", FITTED),
            ("ExtraTreesRegressor", FITTED),
        )
    },
}
