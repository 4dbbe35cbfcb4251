"""What it means to be storable: the entry of a type, the parcel of an object, the node of a header."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, Protocol

import msgspec
from numpy.typing import NDArray

from .reading import Shelf

Arrays = Mapping[str, NDArray[Any]]


class Parcel(NamedTuple):
    """What an object is taken apart into: JSON-able data, arrays, and other storable objects, by place."""

    data: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    parts: dict[str, Any]


class Node(msgspec.Struct, forbid_unknown_fields=True):
    """One object in the header."""

    type: Annotated[str, msgspec.Meta(max_length=100)]
    version: Annotated[int, msgspec.Meta(ge=1)]
    data: dict[str, Any]
    parts: dict[str, Node]


@dataclass(frozen=True)
class Entry:
    """How one type is stored.

    Attributes
    ----------
    name, version : the name in files, and the version that `encode` writes.
    cls : the class; objects of exactly this class are saved under `name`.
    schema : msgspec Struct that the JSON part must convert to, strictly.
    encode : (object, proof) -> Parcel.
    decode : (schema instance, Shelf of arrays and parts) -> object.
    validate : (object) -> None; raises Violation. Runs before each save and after each load.
    migrate : {old version: (data, arrays) -> (data, arrays) of the next version}.
    look : (object, known) -> None; raises Violation. As `validate`, but of an object that need not be fit for a file:
        what was left out by an unfinished fit is not missed, and parts of classes that `known` refuses are let pass.
    """

    name: str
    version: int
    cls: type
    schema: type[msgspec.Struct]
    encode: Callable[[Any, bool], Parcel]
    decode: Callable[[Any, Shelf], Any]
    validate: Callable[[Any], None]
    migrate: Mapping[int, Callable[[dict[str, Any], Arrays], tuple[dict[str, Any], Arrays]]] = field(
        default_factory=dict
    )
    look: Callable[[Any, Callable[[Any], bool]], None] | None = None


class Spec(Protocol):
    """A line of the table: where the class is, and how to make its entry once it is imported."""

    @property
    def target(self) -> str: ...

    def entry(self, name: str, cls: type) -> Entry: ...
