"""Which objects can be stored, and how an object with parts becomes a tree of nodes and a flat table of arrays.

Each storable type has an `Entry`. Entries are found through one static table (`table.TABLE`: name -> spec with the
place "module:Class"), so a file can only name what the table holds; nothing is imported or called because a file says
so. An object is saved under the name of exactly its class: a subclass would come back as its parent, so it is refused.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from numpy.typing import NDArray

from ..base.errors import CannotStore, DamagedFile, UnsupportedFile
from .container import damaged
from .entry import Arrays, Entry, Node, Spec
from .reading import Shelf
from .table import TABLE
from .values import MAX_DEPTH, Violation

_entries: dict[str, Entry] = {}


def stored_names() -> list[str]:
    """The names of all types that can be stored."""
    return sorted(TABLE)


def entry_named(name: str) -> Entry:
    """The entry of a name that stands in the table; imports its module at the first use."""
    if name not in TABLE:
        raise UnsupportedFile(
            f"The file holds an object of type {name[:80]!r}, which this widemargin does not know; a newer one may."
        )
    if name not in _entries:
        module, _, attribute = TABLE[name].target.partition(":")
        _entries[name] = TABLE[name].entry(name, getattr(importlib.import_module(module), attribute))
    return _entries[name]


def entry_of(obj: Any, place: str) -> Entry:
    """The entry under which `obj` is saved."""
    target = f"{type(obj).__module__}:{type(obj).__qualname__}"
    for name, spec in TABLE.items():
        if spec.target == target:
            return entry_named(name)
    what = f"{place} is" if place else "This is"
    raise CannotStore(
        f"{what} a {type(obj).__name__} of {type(obj).__module__}, which cannot be stored: a .wm file keeps "
        "widemargin's own estimators, kernels and records, and plain numbers, strings, lists, dicts and arrays."
    )


@contextlib.contextmanager
def temporarily(specs: Mapping[str, Spec]) -> Iterator[None]:
    """Add lines to the table for the length of a test."""
    clash = set(specs) & set(TABLE)
    if clash:
        raise ValueError(f"already in the table: {sorted(clash)}")
    TABLE.update(specs)
    try:
        yield
    finally:
        for name in specs:
            TABLE.pop(name)
            _entries.pop(name, None)


def take_apart(obj: Any, arrays: dict[str, NDArray[Any]], *, proof: bool, prefix: str = "", depth: int = 0) -> Node:
    """The node of `obj`; the arrays of it and of its parts go into `arrays` under their full names."""
    if depth > MAX_DEPTH:
        raise CannotStore(f"{prefix} is nested more than {MAX_DEPTH} deep")
    entry = entry_of(obj, prefix.rstrip("/"))
    try:
        entry.validate(obj)
        parcel = entry.encode(obj, proof)
    except Violation as error:
        raise CannotStore(f"The {entry.name} cannot be stored: {error}.") from error
    for name, array in parcel.arrays.items():
        arrays[prefix + name] = array
    parts = {
        name: take_apart(part, arrays, proof=proof, prefix=f"{prefix}{name}/", depth=depth + 1)
        for name, part in parcel.parts.items()
    }
    return Node(entry.name, entry.version, parcel.data, parts)


def put_together(node: Node, arrays: Arrays, prefix: str = "", depth: int = 0) -> Any:
    """The object of a node; every array of the file must belong to it or to one of its parts."""
    if depth > MAX_DEPTH:
        raise damaged(f"its objects are nested more than {MAX_DEPTH} deep")
    entry = entry_named(node.type)
    own: dict[str, NDArray[Any]] = {}
    below: dict[str, dict[str, NDArray[Any]]] = {name: {} for name in node.parts}
    for name, array in arrays.items():
        head, slash, rest = name.partition("/")
        if not slash:
            own[name] = array
        elif head in below:
            below[head][rest] = array
        else:
            raise damaged(f"its array {prefix}{name} belongs to nothing")
    data, migrated = _migrated(entry, node, own)
    parts = {name: put_together(part, below[name], f"{prefix}{name}/", depth + 1) for name, part in node.parts.items()}
    return _decoded(entry, data, Shelf(migrated, parts, depth), prefix)


def _migrated(entry: Entry, node: Node, arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    if node.version > entry.version:
        raise UnsupportedFile(
            f"The file holds a {entry.name} of version {node.version}; this widemargin reads up to version "
            f"{entry.version}: upgrade widemargin."
        )
    data = node.data
    for version in range(node.version, entry.version):
        if version not in entry.migrate:
            raise UnsupportedFile(
                f"The file holds a {entry.name} of version {node.version}, which this widemargin (version "
                f"{entry.version}) reads no longer: load and save it with an older one first."
            )
        try:
            data, arrays = entry.migrate[version](data, arrays)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise damaged(f"its {entry.name} of version {version} cannot be brought up to date ({error})") from error
    return data, arrays


def _decoded(entry: Entry, data: dict[str, Any], shelf: Shelf, prefix: str) -> Any:
    try:
        obj = entry.decode(msgspec.convert(data, entry.schema), shelf)
        entry.validate(obj)
        left_over = shelf.left_over()
    except (DamagedFile, UnsupportedFile):
        raise
    except (msgspec.MsgspecError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
        # constructors of records may refuse values in their own words
        raise damaged(f"its {entry.name} is not valid ({prefix.rstrip('/')}{': ' if prefix else ''}{error})") from error
    if left_over:
        raise damaged(f"its {entry.name} has no use for {prefix}{min(left_over)}")
    return obj
