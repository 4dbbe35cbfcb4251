"""Dataclasses as stored types: solver states, certificates, traces, kernels.

The declared types of the fields are the schema: a value of another type is refused when saving and when loading.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Union

import msgspec
import numpy as np

from .entry import Entry, Parcel
from .reading import Shelf, from_json
from .rules import Rule, Sizes, apply_rules, check_finite
from .values import Box, Violation, to_json


@dataclass(frozen=True)
class DataclassSpec:
    """A line of the table for a dataclass.

    Parameters
    ----------
    target : "module:Class".
    version : raise it, and give a step in `migrate`, whenever a field is added, removed or changes its meaning.
    checks : rules for single fields, beside their declared types.
    nonfinite : names of fields that may hold NaN or infinity, or True for all.
    rule : what must hold between the sizes that the checks found.
    migrate : {old version: (data, arrays) -> (data, arrays)}.
    """

    target: str
    version: int
    checks: Mapping[str, Rule] = field(default_factory=dict)
    nonfinite: Collection[str] | bool = ()
    rule: Callable[[Sizes], bool] | None = None
    migrate: Mapping[int, Any] = field(default_factory=dict)

    def entry(self, name: str, cls: type) -> Entry:
        return dataclass_entry(
            cls, name, self.version, checks=self.checks, nonfinite=self.nonfinite, rule=self.rule, migrate=self.migrate
        )


def dataclass_entry(
    cls: type,
    name: str,
    version: int,
    *,
    checks: Mapping[str, Rule] | None = None,
    nonfinite: Collection[str] | bool = (),
    rule: Callable[[Sizes], bool] | None = None,
    migrate: Mapping[int, Any] | None = None,
) -> Entry:
    """The entry of a dataclass, made from the types of its fields; see DataclassSpec for the parameters."""
    names = [f.name for f in dataclasses.fields(cls)]
    if not all(f.init for f in dataclasses.fields(cls)):
        raise TypeError(f"{cls.__name__} has fields that its constructor does not take")
    hints = typing.get_type_hints(cls)
    rules = dict(checks or {})
    if not set(rules) <= set(names):
        raise TypeError(f"{cls.__name__} has no fields {sorted(set(rules) - set(names))}")
    free = set(names) if nonfinite is True else set(nonfinite or ())
    schema = msgspec.defstruct(cls.__name__, [(n, Any) for n in names], forbid_unknown_fields=True)

    def encode(obj: Any, proof: bool) -> Parcel:
        box = Box()
        return Parcel({n: to_json(getattr(obj, n), n, box) for n in names}, box.arrays, box.parts)

    def decode(data: Any, shelf: Shelf) -> Any:
        values = {n: from_json(getattr(data, n), n, shelf) for n in names}
        check(values)  # before the constructor sees them
        return cls(**values)

    def check(values: Mapping[str, Any]) -> None:
        for n in names:
            finite = n not in free and n not in rules
            if not conforms(values[n], hints[n]):
                raise Violation(f"{n} is {type(values[n]).__name__}, which does not fit {hints[n]}")
            if finite:
                _check_all_finite(values[n], n)
        sizes = apply_rules(rules, values)
        if rule is not None and not rule(sizes):
            raise Violation(f"the sizes {sizes} do not belong together")

    def validate(obj: Any) -> None:
        check({n: getattr(obj, n) for n in names})

    return Entry(name, version, cls, schema, encode, decode, validate, dict(migrate or {}))


def conforms(value: Any, hint: Any) -> bool:
    """Whether `value` is of the declared type; an int may stand for a float, a NumPy scalar for its Python kind."""
    if isinstance(value, np.generic):
        value = value.item()
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if hint is None or hint is type(None):
        return value is None
    if origin is typing.Annotated:
        return conforms(value, arguments[0])
    if origin in (Union, types.UnionType):
        return any(conforms(value, one) for one in arguments)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in arguments)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return type(value) is tuple and all(conforms(item, arguments[0]) for item in value)
        return type(value) is tuple and len(value) == len(arguments) and all(map(conforms, value, arguments))
    if origin is list:
        return type(value) is list and all(conforms(item, arguments[0]) for item in value)
    if origin in (dict, Mapping):
        return type(value) is dict and all(
            conforms(key, arguments[0]) and conforms(item, arguments[1]) for key, item in value.items()
        )
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and _dtype_fits(value.dtype, arguments[1])
    if hint is float:
        return type(value) in (float, int)
    if hint in (int, bool, str):
        return type(value) is hint
    return isinstance(hint, type) and isinstance(value, hint)


def _dtype_fits(dtype: np.dtype[Any], hint: Any) -> bool:
    scalar = (typing.get_args(hint) or (Any,))[0]  # NDArray[float64] is ndarray[..., dtype[float64]]
    return not (isinstance(scalar, type) and issubclass(scalar, np.generic)) or issubclass(dtype.type, scalar)


def _check_all_finite(value: Any, name: str) -> None:
    if isinstance(value, np.ndarray):
        check_finite(value, name)
    elif isinstance(value, float) and not math.isfinite(value):
        raise Violation(f"{name} is {value}; only finite numbers are allowed there")
    elif isinstance(value, list | tuple):
        for item in value:
            _check_all_finite(item, name)
    elif isinstance(value, dict):
        for item in value.values():
            _check_all_finite(item, name)
