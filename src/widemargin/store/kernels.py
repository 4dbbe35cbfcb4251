"""How kernels, the items that they compare, and the states of kernel solvers are stored.

A kernel that is a Python function cannot be: a file must not name code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels.precomputed import MatrixItems
from ..solver.kernel_perceptron import SUMS, KernelState
from ..solver.online import COUNTERS
from .estimators import EstimatorSpec
from .objects import ObjectSpec
from .records import DataclassSpec
from .rules import Array, Each, Part, Plain, Rows, Rule, Size
from .states import _COUNTERS, _LOG
from .values import Violation

_ROWS = "widemargin.kernels.rows"
_ARRAYS = ("c", "a", "updates_of", "f")


def _state_fields(state: KernelState) -> dict[str, Any]:
    return {
        **{name: getattr(state, name) for name in _ARRAYS},
        **dict(zip(COUNTERS, state.counters.tolist(), strict=True)),
        **dict(zip(SUMS, state.sums.tolist(), strict=True)),
        **dict(zip(_LOG, state.joined_log(), strict=True)),
    }


def _state(cls: type, values: dict[str, Any]) -> KernelState:
    log = tuple(values[name] for name in _LOG)
    counters = np.array([values[name] for name in COUNTERS], np.int64)
    c, a, updates_of, f = (values[name] for name in _ARRAYS)
    sums = np.array([values[name] for name in SUMS])
    return cls(c, a, updates_of, counters, sums, f, [log] if len(log[0]) else [])


def _matrix_items(cls: type, values: dict[str, Any]) -> MatrixItems:
    return cls(None, values["rows"], values["columns"])


KERNEL_STATE = ObjectSpec(
    "widemargin.solver.kernel_perceptron:KernelState",
    1,
    _state_fields,
    _state,
    {
        "c": Array("f8", ("n",)),
        "a": Array("f8", ("n",)),
        "updates_of": Array("i4", ("n",), low=0),
        "f": Array("f8", ("scores",)),
        **_COUNTERS,
        **{name: Plain(float, low=0) for name in SUMS},
        "log_visit": Array("i8", ("m",), low=0),
        "log_row": Array("i4", ("m",), low=0, below="n"),
        "log_step": Array("f8", ("m",)),
    },
)

_OF_ROWS = ("Linear", "Polynomial", "PolynomialFunction", "RBF", "Tanh")
_OF_TWO = ("Sum", "Product")
_OF_ONE = ("Scaled", "Exponential", "PolynomialOf", "Normalized")
KERNEL_NAMES = (
    *(*_OF_ROWS, "Laplacian", "ChiSquared", "Mahalanobis", "Precomputed"),
    *(*_OF_TWO, *_OF_ONE, "OnColumns"),
)
ITEM_NAMES = ("RowItems", "ListItems", "MatrixItems")
_KERNEL = Part(*KERNEL_NAMES)


def items_of(size: str) -> Part:
    """The rule of items of a kernel; `size` is how many there are, and rows of numbers have as many as the data."""

    def sizes(items: Any) -> dict[str, int]:
        return {size: len(items), **({"d": items.X.shape[1]} if type(items).__name__ == "RowItems" else {})}

    return Part(*ITEM_NAMES, sizes=sizes)


def kernel_agrees(items: str) -> Callable[[Any], None]:
    """A check that the kernel of a model can be asked about the items that the model keeps under that name."""

    def agree(model: Any) -> None:
        kept = getattr(model, items, None)
        if kept is None or type(getattr(model, "kernel_", None)).__name__ not in KERNEL_NAMES:
            return
        if isinstance(kept, MatrixItems):
            if type(model.kernel_).__name__ != "Precomputed" or (kept.columns >= model.n_features_in_).any():
                raise Violation(f"{items} are numbers of columns that are none of {model.n_features_in_}")
        elif len(kept):
            model.kernel_.block(kept.take(np.arange(1)), kept.take(np.arange(1)), 1)

    return agree


def _monomials_agree(made: Any) -> None:
    """Every factor of a monomial is a column or an entry of one of the forms."""
    if not hasattr(made, "monomials_"):
        return
    d = made.n_features_in_
    if not all(type(m) is tuple and all(type(j) is int for j in m) for m in made.monomials_):
        raise Violation("monomials_ is no list of tuples of places")
    places = d
    for form in made._forms:
        if type(form) is not tuple or len(form) != 2 or type(form[0]) is not list:
            raise Violation("_forms is no list of columns and matrices")
        columns, root = form
        if not all(type(j) is int and 0 <= j < d for j in columns):
            raise Violation(f"a form names a column that is none of {d}")
        Array("f8", ("rank", len(columns))).bind(root, "_forms", {})
        places += len(root)
    if any(not 0 <= j < places for m in made.monomials_ for j in m):
        raise Violation(f"a monomial names a place that is none of {places}")


KERNELS: dict[str, Any] = {
    **{name: DataclassSpec(f"{_ROWS}:{name}", 1) for name in _OF_ROWS},
    **{name: DataclassSpec(f"widemargin.kernels.distances:{name}", 1) for name in ("Laplacian", "ChiSquared")},
    "Mahalanobis": DataclassSpec("widemargin.kernels.mahalanobis:Mahalanobis", 1, {"A": Array("f8", ("d", "d"))}),
    "Precomputed": DataclassSpec("widemargin.kernels.precomputed:Precomputed", 1),
    **{
        name: DataclassSpec(f"widemargin.kernels.algebra:{name}", 1, {"left": _KERNEL, "right": _KERNEL})
        for name in _OF_TWO
    },
    **{name: DataclassSpec(f"widemargin.kernels.algebra:{name}", 1, {"kernel": _KERNEL}) for name in _OF_ONE},
    "OnColumns": DataclassSpec("widemargin.kernels.columns:OnColumns", 1, {"kernel": _KERNEL}),
    "Span": DataclassSpec("widemargin.kernels.columns:Span", 1),
    "RowItems": ObjectSpec(
        "widemargin.kernels.items:RowItems",
        1,
        lambda items: {"X": items.X},
        lambda cls, values: cls(values["X"]),
        {"X": Rows(("f4", "f8"), ("n", "d"))},
    ),
    "ListItems": ObjectSpec(
        "widemargin.kernels.items:ListItems",
        1,
        lambda items: {"objects": items.objects},
        lambda cls, values: cls(values["objects"]),
        {"objects": Rule()},
    ),
    "MatrixItems": ObjectSpec(
        "widemargin.kernels.precomputed:MatrixItems",
        1,
        lambda items: {"rows": items.rows, "columns": items.columns},
        _matrix_items,
        {"rows": Array("i8", ("n",), low=0), "columns": Array("i8", ("n",), low=0)},
    ),
    "Steps": DataclassSpec(
        "widemargin.model.kernel:Steps",
        1,
        {"at": Array("i4", ("m",), low=0), "step": Array("f8", ("m",)), "life": Array("f8", ("lives",), low=0)},
        rule=lambda s: s["lives"] == s["m"] + 1,
    ),
    "NystroemError": DataclassSpec("widemargin.kernels.nystroem:NystroemError", 1),
    "FourierError": DataclassSpec("widemargin.kernels.fourier:FourierError", 1),
    "Nystroem": EstimatorSpec(
        "widemargin.kernels.nystroem:Nystroem",
        1,
        {
            "kernel_": _KERNEL,
            "landmarks_": items_of("m"),
            "component_indices_": Array("i8", ("m",), low=0),
            "components_": Array("f8", ("r", "m")),
            "rank_": Size("r"),
            "error_": Part("NystroemError"),
        },
        agree=kernel_agrees("landmarks_"),
    ),
    "RandomFourier": EstimatorSpec(
        "widemargin.kernels.fourier:RandomFourier",
        1,
        {
            "kernel_": Part("RBF", "Laplacian"),
            "frequencies_": Array("f8", ("F", "d")),
            "error_": Part("FourierError"),
        },
        rule=lambda s: s["F"] >= 1,
    ),
    "FeatureMap": EstimatorSpec(
        "widemargin.kernels.feature_map:FeatureMap",
        1,
        {
            "n_features_": Size("m"),
            "monomials_": Each("m", Plain(tuple)),
            "weights_": Array("f8", ("m",)),
            "_forms": Plain(list),
        },
        agree=_monomials_agree,
    ),
    "KernelState": KERNEL_STATE,
    "KernelPerceptronOptions": DataclassSpec("widemargin.solver.kernel_perceptron:KernelPerceptronOptions", 1),
}
