"""Any other class as a stored type: one function that gives its fields, one that makes it from them, rules between."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from .entry import Entry, Parcel
from .reading import Shelf, from_json
from .rules import Rule, Sizes, apply_rules
from .values import Box, Violation, to_json


@dataclass(frozen=True)
class ObjectSpec:
    """A line of the table for a class that is neither a dataclass of plain fields nor an estimator.

    Parameters
    ----------
    target : "module:Class".
    version : raise it, and give a step in `migrate`, whenever the fields change.
    fields : (object) -> {name: value}, with exactly the names of `rules`.
    make : (class, {name: value}) -> object; sees only values that obey the rules.
    rules : {name: rule}.
    rule : what must hold between the sizes that the rules found.
    sound : (object) -> None, raises Violation; looks at the object itself, before `fields` is asked.
    look : (object, known) -> None, for pickles, where `validate` asks more than an object must be.
    migrate : {old version: (data, arrays) -> (data, arrays)}.
    """

    target: str
    version: int
    fields: Callable[[Any], dict[str, Any]]
    make: Callable[[type, dict[str, Any]], Any]
    rules: Mapping[str, Rule]
    rule: Callable[[Sizes], bool] | None = None
    sound: Callable[[Any], None] | None = None
    look: Callable[[Any, Callable[[Any], bool]], None] | None = None
    migrate: Mapping[int, Any] = field(default_factory=dict)

    def entry(self, name: str, cls: type) -> Entry:
        schema = msgspec.defstruct(cls.__name__, [(n, Any) for n in self.rules], forbid_unknown_fields=True)

        def encode(obj: Any, proof: bool) -> Parcel:
            box = Box()
            values = self.fields(obj)
            return Parcel({n: to_json(values[n], n, box) for n in self.rules}, box.arrays, box.parts)

        def decode(data: Any, shelf: Shelf) -> Any:
            values = {n: from_json(getattr(data, n), n, shelf) for n in self.rules}
            self._check(values)
            return self.make(cls, values)

        def validate(obj: Any) -> None:
            if self.sound is not None:
                self.sound(obj)
            self._check(self.fields(obj))

        return Entry(name, self.version, cls, schema, encode, decode, validate, self.migrate, self.look)

    def _check(self, values: Mapping[str, Any]) -> None:
        sizes = apply_rules(self.rules, values)
        if self.rule is not None and not self.rule(sizes):
            raise Violation(f"the sizes {sizes} do not belong together")
