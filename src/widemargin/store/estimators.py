"""Estimators as stored types: the constructor's parameters, and the declared attributes that `fit` leaves.

One line per estimator in `table.TABLE`:

    "Perceptron": EstimatorSpec(
        "widemargin.estimator.perceptron:Perceptron", 1,
        fitted={"coef_": Array("f8", ("k", "d")), "intercept_": Array("f8", ("k",)), "classes_": Labels("c")},
    ),

`n_features_in_` (the size "d") and `feature_names_in_` need not be declared. Attributes that are not declared are not
saved; a file can set no attribute that is not declared. Of a class that is not ours every attribute must be declared: a
later version of its library may keep what it predicts with in new ones.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
import numpy as np

from ..base.errors import UnsupportedFile
from .entry import Entry, Parcel
from .reading import Shelf, from_json
from .rules import Part, Rule, Size, Sizes, Strings, apply_rules
from .values import Box, Violation, to_json

logger = logging.getLogger("widemargin")
TRANSIENT = ("observe", "random_state")  # a callback; a generator that `fit` has already drawn from
_SCALARS = (bool, int, float, str, np.generic)
_OUTPUT = "_sklearn_output_config"


ALWAYS: Mapping[str, Rule] = {
    "n_features_in_": Size("d", optional=True),
    "feature_names_in_": Strings("d", optional=True),
}


class EstimatorData(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON part of every estimator; `fitted` is None before fit, `output` what `set_output` was told, if it was."""

    params: dict[str, Any]
    fitted: dict[str, Any] | None
    output: dict[Literal["transform"], Literal["default", "pandas", "polars"]] | None = None


def own_params(obj: Any) -> dict[str, Any]:
    """The parameters of the object itself."""
    return obj.get_params(deep=False)


@dataclass(frozen=True)
class EstimatorSpec:
    """A line of the table for an estimator.

    Parameters
    ----------
    target : "module:Class".
    version : raise it, and give a step in `migrate`, whenever parameters or fitted attributes change.
    fitted : {attribute: rule}. An estimator without any of the required attributes is saved as unfitted.
    rule : what must hold between the sizes, e.g. `lambda s: s["k"] == (1 if s["c"] == 2 else s["c"])`.
    agree : (object) -> None, raises ValueError or TypeError where attributes or parameters do not fit each other.
    transient : parameters that only matter while `fit` runs; where their value cannot be stored, the default is.
    fixed : {parameter: the only value that files may hold}; another one is not saved, which is told.
    params_of : (object) -> {parameter: value}, where it is not what `get_params` says.
    attributes_of : (object) -> {attribute: value} of a file, where they are not the object's own.
    restore : (object) -> None, makes of the attributes what is not kept in files.
    foreign : attributes that `restore` makes, for a class that is not ours; None for ours.
    migrate : {old version: (data, arrays) -> (data, arrays)} with data = {"params": ..., "fitted": ...}.
    """

    target: str
    version: int
    fitted: Mapping[str, Rule]
    rule: Callable[[Sizes], bool] | None = None
    agree: Callable[[Any], None] | None = None
    transient: Collection[str] = TRANSIENT
    fixed: Mapping[str, Any] = field(default_factory=dict)
    params_of: Callable[[Any], dict[str, Any]] = own_params
    attributes_of: Callable[[Any], Mapping[str, Any]] = vars
    restore: Callable[[Any], None] | None = None
    foreign: Collection[str] | None = None
    migrate: Mapping[int, Any] = field(default_factory=dict)

    def entry(self, name: str, cls: type) -> Entry:
        return _Estimator(self, name, cls).entry()


class _Estimator:
    """A spec and its class: how objects are taken apart, put together and looked over."""

    def __init__(self, spec: EstimatorSpec, name: str, cls: type) -> None:
        self.spec, self.name, self.cls = spec, name, cls
        self.rules: dict[str, Rule] = {**ALWAYS, **spec.fitted}
        self.defaults = {key: p.default for key, p in inspect.signature(cls).parameters.items()}
        for key, r in self.rules.items():
            if r.proof and not r.optional:
                raise TypeError(f"{key} of {name} is a proof, which may be left out, so its rule must be optional")

    def entry(self) -> Entry:
        spec = self.spec
        return Entry(
            self.name,
            spec.version,
            self.cls,
            EstimatorData,
            self.encode,
            self.decode,
            self.validate,
            dict(spec.migrate),
            self.look,
        )

    def encode(self, obj: Any, proof: bool) -> Parcel:
        box = Box()
        params = {}
        for key, value in sorted(self.spec.params_of(obj).items()):
            passing = key in self.spec.transient and not (value is None or isinstance(value, _SCALARS))
            if passing or value is not self.spec.fixed.get(key, value):
                kept = self.spec.fixed.get(key, self.defaults[key])
                logger.warning("%s: %s=%r cannot be stored and is saved as %r", self.name, key, value, kept)
                value = kept
            params[key] = to_json(value, f"params.{key}", box)
        state = None
        if self.is_fitted(obj):
            found = self.spec.attributes_of(obj)
            kept_keys = [
                key
                for key, r in self.rules.items()
                if key in found and not (r.proof and (not proof or found[key] is None))
            ]
            state = {key: to_json(found[key], f"fitted.{key}", box) for key in sorted(kept_keys)}
        output = {"output": dict(vars(obj)[_OUTPUT])} if _OUTPUT in vars(obj) else {}
        return Parcel({"params": params, "fitted": state, **output}, box.arrays, box.parts)

    def decode(self, data: EstimatorData, shelf: Shelf) -> Any:
        self._check_names(data)
        obj = self.cls(**{key: from_json(value, f"params.{key}", shelf) for key, value in data.params.items()})
        if data.fitted is not None:
            values = {key: from_json(value, f"fitted.{key}", shelf) for key, value in data.fitted.items()}
            for key, r in self.rules.items():
                if r.proof:  # a model saved without proof says so by None
                    values.setdefault(key, None)
            self._check_sizes(values)
            vars(obj).update(values)
            if self.spec.restore is not None:
                self.spec.restore(obj)
        if data.output is not None:
            setattr(obj, _OUTPUT, data.output)
        return obj

    def _check_names(self, data: EstimatorData) -> None:
        unknown = set(data.params) - set(self.defaults)
        missing = set(self.defaults) - set(data.params)
        if self.spec.foreign is not None and unknown:
            raise UnsupportedFile(
                f"The file holds a {self.name} with the parameters {sorted(unknown)}, which this scikit-learn does not "
                "know: use the one that the file was written with (wm inspect tells)."
            )
        if unknown or (missing and self.spec.foreign is None):  # parameters may be new in another library
            raise Violation(f"the parameters {sorted(unknown | missing)} are missing or unknown")
        for key, value in self.spec.fixed.items():
            if data.params.get(key, value) is not value:
                raise Violation(f"{key} is something else than {value!r}, which a file may not ask for")
        if data.fitted is not None and not set(data.fitted) <= set(self.rules):
            raise Violation(f"the attributes {sorted(set(data.fitted) - set(self.rules))} are unknown")

    def _check_sizes(self, values: Mapping[str, Any]) -> None:
        sizes = apply_rules(self.rules, values)
        if self.spec.rule is not None and not self.spec.rule(sizes):
            raise Violation(f"the sizes {sizes} do not belong together")

    def validate(self, obj: Any) -> None:
        fitted = self.is_fitted(obj)
        if fitted:
            self._check_sizes(vars(obj))
        if self.spec.foreign is not None:
            known = {*self.rules, *self.defaults, *self.spec.foreign, _OUTPUT, "_metadata_request"}
            unknown = sorted(set(vars(obj)) - known)
            if unknown:
                raise Violation(f"this scikit-learn keeps {', '.join(unknown)}, which this widemargin does not know")
        if (fitted or not self.spec.fitted) and hasattr(obj, "_parameter_constraints"):
            _told(obj._validate_params)
        self._check_agreement(obj)

    def _check_agreement(self, obj: Any) -> None:
        if self.spec.agree is not None:
            _told(self.spec.agree, obj)

    def look(self, obj: Any, known: Callable[[Any], bool]) -> None:
        found = vars(obj)
        rules = {
            key: r
            for key, r in self.rules.items()
            if key in found and not (isinstance(r, Part) and not all(map(known, _listed(found[key]))))
        }
        whole = len(rules) == len(self.rules.keys() & found.keys())
        if whole and all(r.optional or key in found for key, r in self.rules.items()):
            self._check_sizes(found)
            self._check_agreement(obj)
        else:
            apply_rules(rules, {key: found[key] for key in rules if found[key] is not None}, partly=True)

    def is_fitted(self, obj: Any) -> bool:
        return any(not r.optional and key in vars(obj) for key, r in self.rules.items())


def _listed(value: Any) -> list[Any]:
    """The objects under a name: one, several or none."""
    return value if type(value) is list else [] if value is None else [value]


def _told(check: Callable[..., None], *arguments: Any) -> None:
    """Run a check whose errors are those of whoever wrote it."""
    try:
        check(*arguments)
    except Violation:
        raise
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
        raise Violation(str(error)) from error
