"""How traces and the states of solvers are stored: every counter by its name and in its range.

A state goes back into native loops, so nothing in it may point outside: positions and rows are bounded here, sizes
against the data are checked by the solver when it takes the state up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.records import Trace
from ..solver import batch, gradient, margin_perceptron
from ..solver.online import COUNTERS, SUMS, OnlineState
from .objects import ObjectSpec
from .rules import Array, Plain, Rule
from .values import Violation

_MOST = 1 << 53
_LOG = ("log_visit", "log_row", "log_step")


def _online_fields(state: OnlineState) -> dict[str, Any]:
    return {
        "w": state.w,
        "a": state.a,
        "updates_of": state.updates_of,
        **dict(zip(COUNTERS, state.counters.tolist(), strict=True)),
        **dict(zip(SUMS, state.sums.tolist(), strict=True)),
        **dict(zip(_LOG, state.joined_log(), strict=True)),
    }


def _online_state(cls: type, values: dict[str, Any]) -> OnlineState:
    log = tuple(values[name] for name in _LOG)
    return cls(
        values["w"],
        values["a"],
        values["updates_of"],
        np.array([values[name] for name in COUNTERS], np.int64),
        np.array([values[name] for name in SUMS], np.float64),
        [log] if len(log[0]) else [],
    )


_COUNTERS: dict[str, Rule] = {name: Plain(int, low=0, high=_MOST) for name in COUNTERS}
_COUNTERS["best_updates"] = Plain(int, low=-1, high=_MOST)  # -1: no epoch has ended yet

ONLINE_STATE = ObjectSpec(
    "widemargin.solver.online:OnlineState",
    1,
    _online_fields,
    _online_state,
    {
        "w": Array("f8", ("p",)),
        "a": Array("f8", ("averaged",)),
        "updates_of": Array("i4", ("n",), low=0),
        **_COUNTERS,
        **{name: Plain(float) for name in SUMS},
        "log_visit": Array("i8", ("m",), low=0),
        "log_row": Array("i4", ("m",), low=0, below="n"),
        "log_step": Array("f8", ("m",)),
    },
    rule=lambda s: s["averaged"] in (0, s["p"]),
)


def counted_state(target: str, arrays: dict[str, Rule], counters: dict[str, Rule], sums: tuple[str, ...]) -> ObjectSpec:
    """A state of arrays, then `counters` and `sums`, in the order of its constructor."""

    def fields(state: Any) -> dict[str, Any]:
        return {
            **{name: getattr(state, name) for name in arrays},
            **dict(zip(counters, state.counters.tolist(), strict=True)),
            **dict(zip(sums, state.sums.tolist(), strict=True)),
        }

    def build(cls: type, values: dict[str, Any]) -> Any:
        numbers = np.array([values[name] for name in counters], np.int64)
        return cls(*(values[name] for name in arrays), numbers, np.array([values[name] for name in sums], np.float64))

    return ObjectSpec(target, 1, fields, build, {**arrays, **counters, **{name: Plain(float) for name in sums}})


BATCH_STATE = counted_state(
    "widemargin.solver.batch:BatchState",
    {"w": Array("f8", ("p",))},
    {name: Plain(int, low=0, high=_MOST) for name in batch.COUNTERS},
    batch.SUMS,
)

_MARGIN: dict[str, Rule] = {name: Plain(int, low=0, high=_MOST) for name in margin_perceptron.COUNTERS}
_MARGIN["best_wrong"] = Plain(int, low=-1, high=_MOST)  # -1: no epoch has ended yet
MARGIN_STATE = counted_state(
    "widemargin.solver.margin_perceptron:MarginState",
    {
        "w": Array("f8", ("p",)),
        "updates_of": Array("i4", ("n",), low=0),
        "wrong_of": Array("i4", ("n",), low=0),
        "given_up_at": Array("i4", ("n",), low=0),
    },
    _MARGIN,
    margin_perceptron.SUMS,
)

GRADIENT_STATE = counted_state(
    "widemargin.solver.gradient:GradientState",
    {
        "u": Array("f8", ("p",)),
        "h": Array("f8", ("averaged",)),
        "active_of": Array("f8", ("n",), low=0),
        "visited_of": Array("f8", ("m",), low=0),
    },
    {name: Plain(int, low=0, high=_MOST) for name in gradient.COUNTERS},
    gradient.SUMS,
)


def _trace(cls: type, values: dict[str, Any]) -> Trace:
    names, columns = values["names"], values["columns"]
    lengths = {len(column) for column in columns}
    if names[:1] != ["step"] or len(set(names)) != len(names) or len(columns) != len(names) or len(lengths) != 1:
        raise Violation(f"a trace has {len(columns)} columns of lengths {sorted(lengths)} for the names {names}")
    trace = cls(tuple(names[1:]))
    for row in zip(*columns, strict=True):
        trace.append(row[0], dict(zip(names[1:], row[1:], strict=True)))
    return trace


class _Names(Plain):
    def bind(self, value: Any, name: str, sizes: dict[str, int]) -> None:
        if type(value) is not list or not all(type(item) is str for item in value):
            raise Violation(f"{name} is no list of names")


class _Columns(Plain):
    def bind(self, value: Any, name: str, sizes: dict[str, int]) -> None:
        if type(value) is not list or not all(type(column) is list for column in value):
            raise Violation(f"{name} is no list of columns")
        if not all(type(item) in (bool, int, float) for column in value for item in column):
            raise Violation(f"{name} holds something that is not a number")


TRACE = ObjectSpec(
    "widemargin.base.records:Trace",
    1,
    lambda trace: {"names": list(trace), "columns": list(trace.to_dict().values())},
    _trace,
    {"names": _Names(), "columns": _Columns()},
)
