"""Estimators as stored types: the constructor's parameters, and the declared attributes that `fit` leaves.

One line per estimator in `table.TABLE`:

    "Perceptron": EstimatorSpec(
        "widemargin.estimator.perceptron:Perceptron", 1,
        fitted={"coef_": Array("f8", ("k", "d")), "intercept_": Array("f8", ("k",)), "classes_": Labels("c")},
    ),

`n_features_in_` (the size "d") and `feature_names_in_` need not be declared. Attributes that are not declared are not
saved; a file can set no attribute that is not declared.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from .entry import Entry, Parcel
from .reading import Shelf, from_json
from .rules import Rule, Size, Sizes, Strings, apply_rules
from .values import Box, Violation, to_json

logger = logging.getLogger("widemargin")
TRANSIENT = ("observe", "random_state")  # a callback; a generator that `fit` has already drawn from
_SCALARS = (bool, int, float, str, np.generic)
ALWAYS: Mapping[str, Rule] = {
    "n_features_in_": Size("d", optional=True),
    "feature_names_in_": Strings("d", optional=True),
}


@dataclass(frozen=True)
class EstimatorSpec:
    """A line of the table for an estimator.

    Parameters
    ----------
    target : "module:Class".
    version : raise it, and give a step in `migrate`, whenever parameters or fitted attributes change.
    fitted : {attribute: rule}. An estimator without any of the required attributes is saved as unfitted.
    transient : parameters that only matter while `fit` runs; where their value cannot be stored, None is.
    rule : what must hold between the sizes, e.g. `lambda s: s["k"] == (1 if s["c"] == 2 else s["c"])`.
    migrate : {old version: (data, arrays) -> (data, arrays)} with data = {"params": ..., "fitted": ...}.
    """

    target: str
    version: int
    fitted: Mapping[str, Rule]
    rule: Callable[[Sizes], bool] | None = None
    transient: Collection[str] = TRANSIENT
    migrate: Mapping[int, Any] = field(default_factory=dict)

    def entry(self, name: str, cls: type) -> Entry:
        return estimator_entry(
            cls, name, self.version, self.fitted, rule=self.rule, transient=self.transient, migrate=self.migrate
        )


class EstimatorData(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON part of every estimator; `fitted` is None before fit."""

    params: dict[str, Any]
    fitted: dict[str, Any] | None


def estimator_entry(
    cls: type,
    name: str,
    version: int,
    fitted: Mapping[str, Rule],
    *,
    rule: Callable[[Sizes], bool] | None = None,
    transient: Collection[str] = TRANSIENT,
    migrate: Mapping[int, Any] | None = None,
) -> Entry:
    """The entry of an estimator; see EstimatorSpec for the parameters."""
    rules = {**ALWAYS, **fitted}

    def encode(obj: Any, proof: bool) -> Parcel:
        box = Box()
        params = {}
        for key, value in sorted(obj.get_params(deep=False).items()):
            if key in transient and not (value is None or isinstance(value, _SCALARS)):
                logger.warning("%s: %s=%r cannot be stored and is saved as None", name, key, value)
                value = None
            params[key] = to_json(value, f"params.{key}", box)
        state = None
        if _is_fitted(obj, rules):
            kept = [key for key, r in rules.items() if key in vars(obj) and not (r.proof and _is_gone(obj, key, proof))]
            state = {key: to_json(vars(obj)[key], f"fitted.{key}", box) for key in sorted(kept)}
        return Parcel({"params": params, "fitted": state}, box.arrays, box.parts)

    def decode(data: EstimatorData, shelf: Shelf) -> Any:
        expected = set(inspect.signature(cls).parameters)
        if set(data.params) != expected:
            raise Violation(f"the parameters {sorted(set(data.params) ^ expected)} are missing or unknown")
        obj = cls(**{key: from_json(value, f"params.{key}", shelf) for key, value in data.params.items()})
        if data.fitted is not None:
            if not set(data.fitted) <= set(rules):
                raise Violation(f"the attributes {sorted(set(data.fitted) - set(rules))} are unknown")
            values = {key: from_json(value, f"fitted.{key}", shelf) for key, value in data.fitted.items()}
            for key, r in rules.items():
                if r.proof:  # a model saved without proof says so by None
                    values.setdefault(key, None)
            check(values)
            vars(obj).update(values)
        return obj

    def check(values: Mapping[str, Any]) -> None:
        sizes = apply_rules(rules, values)
        if rule is not None and not rule(sizes):
            raise Violation(f"the sizes {sizes} do not belong together")

    def validate(obj: Any) -> None:
        if _is_fitted(obj, rules):
            check(vars(obj))

    for key, r in rules.items():
        if r.proof and not r.optional:
            raise TypeError(f"{key} of {name} is a proof, which may be left out, so its rule must be optional")
    return Entry(name, version, cls, EstimatorData, encode, decode, validate, dict(migrate or {}))


def _is_gone(obj: Any, key: str, proof: bool) -> bool:
    return not proof or vars(obj)[key] is None


def _is_fitted(obj: Any, rules: Mapping[str, Rule]) -> bool:
    return any(not r.optional and key in vars(obj) for key, r in rules.items())
