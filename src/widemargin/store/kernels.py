"""How kernels, the items that they compare, and the states of kernel solvers are stored.

A kernel that is a Python function cannot be: a file must not name code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.precomputed import MatrixItems
from ..solver.kernel_perceptron import SUMS, KernelState
from ..solver.online import COUNTERS
from .objects import ObjectSpec
from .records import DataclassSpec
from .rules import Array, Part, Plain, Rows, Rule
from .states import _COUNTERS, _LOG

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
    "KernelState": KERNEL_STATE,
    "KernelPerceptronOptions": DataclassSpec("widemargin.solver.kernel_perceptron:KernelPerceptronOptions", 1),
}
