"""A long list of objects as a stored type: each as a part of its own would fill the header with names of arrays.

Symbols  an object of the list is a node (its JSON) and arrays; arrays of one name, type and number of dimensions lie
         behind one another in one column, with the object that each belongs to, and its shape
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .container import MAX_DIMENSIONS
from .entry import Entry, Node, Parcel
from .reading import Shelf, from_json
from .values import Box, Crowd, Violation, to_json


class CrowdData(msgspec.Struct, forbid_unknown_fields=True):
    """Nodes as a list of strings, and the names of the columns."""

    nodes: Any
    columns: list[str]


@dataclass(frozen=True)
class CrowdSpec:
    """The line of the table."""

    target: str = "widemargin.store.values:Crowd"
    version: int = 1

    def entry(self, name: str, cls: type) -> Entry:
        return Entry(name, self.version, cls, CrowdData, _encode, _decode, lambda crowd: None)


def _encode(crowd: Crowd, proof: bool) -> Parcel:
    from .registry import take_apart

    box, nodes = Box(), []
    columns: dict[tuple[str, np.dtype[Any], int], list[tuple[int, NDArray[Any]]]] = {}
    for i, item in enumerate(crowd.items):
        arrays: dict[str, NDArray[Any]] = {}
        nodes.append(_text(take_apart(item, arrays, proof=proof)))
        for place, array in arrays.items():
            columns.setdefault((place, array.dtype, array.ndim), []).append((i, array))
    order = sorted(columns, key=lambda key: (key[0], key[1].str, key[2]))
    for k, key in enumerate(order):
        owners, found = zip(*columns[key], strict=True)
        box.arrays[f"owners.{k}"] = np.array(owners, np.int64)
        box.arrays[f"shapes.{k}"] = np.array([a.shape for a in found], np.int64).reshape(len(found), key[2])
        box.arrays[f"values.{k}"] = np.concatenate([a.ravel() for a in found])
    return Parcel({"nodes": to_json(nodes, "nodes", box), "columns": [key[0] for key in order]}, box.arrays, box.parts)


def _decode(data: CrowdData, shelf: Shelf) -> Crowd:
    from .registry import put_together

    nodes = from_json(data.nodes, "nodes", shelf)
    if type(nodes) is not list or not all(type(text) is str for text in nodes):
        raise Violation("nodes is no list of strings")
    arrays: list[dict[str, NDArray[Any]]] = [{} for _ in nodes]
    for k, place in enumerate(data.columns):
        for owner, array in _column(k, len(nodes), shelf):
            if place in arrays[owner]:
                raise Violation(f"object {owner} has the array {place} twice")
            arrays[owner][place] = array
    each = zip(nodes, arrays, strict=True)
    return Crowd([put_together(_node(text), own, depth=shelf.depth + 1) for text, own in each])


def _column(k: int, count: int, shelf: Shelf) -> list[tuple[int, NDArray[Any]]]:
    """(object, array) of a column."""
    owners, shapes = shelf.view(f"owners.{k}", "i"), shelf.view(f"shapes.{k}", "i")
    values = shelf.view(f"values.{k}", "biuf")
    if owners.ndim != 1 or shapes.ndim != 2 or len(shapes) != len(owners) or values.ndim != 1:
        raise Violation(f"column {k} has {owners.shape} objects and {shapes.shape} shapes")
    if shapes.shape[1] > MAX_DIMENSIONS:
        raise Violation(f"column {k} has arrays of {shapes.shape[1]} dimensions, at most {MAX_DIMENSIONS}")
    if owners.size and (owners.min() < 0 or owners.max() >= count or shapes.min(initial=0) < 0):
        raise Violation(f"column {k} names an object or a shape that cannot be")
    sizes = [math.prod(shape) for shape in shapes.tolist()]
    if sum(sizes) != len(values):
        raise Violation(f"column {k} has {len(values)} values where {sum(sizes)} are due")
    bounds = itertools.pairwise(itertools.accumulate(sizes, initial=0))
    each = zip(owners.tolist(), shapes.tolist(), bounds, strict=True)
    return [(owner, values[a:b].reshape(shape)) for owner, shape, (a, b) in each]


def _text(node: Node) -> str:
    return msgspec.json.encode(node, order="sorted").decode()


def _node(text: str) -> Node:
    node = msgspec.json.decode(text, type=Node)
    if _text(node) != text:
        raise Violation("the node of an object is not written as widemargin writes it")
    if node.type == "Crowd":
        raise Violation("an object of a list is a list")
    return node
