"""Plain Python and NumPy values as strict JSON plus arrays, and back, with their types kept.

JSON says itself: None, bool, int (64 bits), finite float, str, list. Everything else is a dict of one tag:

    {"float": "nan"}  {"int": "0x..."}  {"tuple": [...]}  {"dict": [keys, values]}
    {"array": place}                    numbers and booleans, any shape
    {"text": place}  {"bytes": place}   fixed-width NumPy strings, as code points and as bytes
    {"strings": place}                  an object array of str: UTF-8 bytes and offsets
    {"objects": [...]}                  an object array of None, bool, int, float, str (labels of mixed kinds)
    {"int_list" | "float_list" | "string_list": place}   long lists, so that the header stays small
    {"csr": {...}}                      a SciPy sparse matrix or array
    {"slice": [start, stop, step]}      of None, int and str
    {"dtype" | "scalar_type": name}     np.dtype(name) and its scalar type; only the names in TYPES
    {"part": place}                     another stored object
    {"crowd": place}                    a long list of them (store/crowd)

A place is the path of the value inside its object ("params.C"); the reader demands exactly the place that the writer
would choose, so that each array is used once and none is left over. Fixed-width strings are kept as code points and not
as UTF-8 because one long string among many short ones would otherwise blow up on reading.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_DEPTH = 24
LONG_LIST = 32
TYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"),
    "object",
)
SCALAR_TYPES = {name: np.dtype(name).type if name != "object" else object for name in TYPES}
_NAMES_OF_TYPES = {cls: name for name, cls in SCALAR_TYPES.items()}


class Violation(ValueError):
    """A value breaks a rule; whoever saves or loads turns it into CannotStore or DamagedFile."""


@dataclass
class Box:
    """What a value needs beside its JSON, by place."""

    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Crowd:
    """A long list of stored objects, as one part."""

    items: list[Any]


def to_json(value: Any, place: str, box: Box, depth: int = 0) -> Any:
    """The JSON form of `value`; its arrays and parts go into `box`."""
    if depth > MAX_DEPTH:
        raise Violation(f"{place} is nested more than {MAX_DEPTH} deep")
    if isinstance(value, np.generic):
        value = value.item()
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind in _WRITERS:
        return _WRITERS[kind](value, place, box, depth)
    if kind is np.ndarray or kind is np.memmap:  # other subclasses mean more than their numbers (masks)
        return _write_array(np.asarray(value), place, box)
    if kind.__module__.startswith("scipy.sparse"):
        return _write_sparse(value, place, box)
    if isinstance(value, np.dtype) and value.newbyteorder("=") == value and value.name in TYPES:
        return {"dtype": value.name}
    if kind is type and value in _NAMES_OF_TYPES:
        return {"scalar_type": _NAMES_OF_TYPES[value]}
    box.parts[place] = value
    return {"part": place}


def _write_str(value: str, place: str, box: Box, depth: int) -> str:
    try:
        value.encode()
    except UnicodeError as error:
        raise Violation(f"{place} is a string with a lone surrogate, which has no UTF-8 form") from error
    return value


def _write_int(value: int, place: str, box: Box, depth: int) -> Any:
    return value if -(1 << 63) <= value < 1 << 64 else {"int": hex(value)}


def _write_float(value: float, place: str, box: Box, depth: int) -> Any:
    return value if math.isfinite(value) else {"float": repr(value)}


def _write_list(value: list[Any], place: str, box: Box, depth: int) -> Any:
    if len(value) > LONG_LIST:
        value = [item.item() if isinstance(item, np.generic) else item for item in value]
        kinds = set(map(type, value))
        if kinds == {str}:
            _write_strings(value, place, box)
            return {"string_list": place}
        if kinds == {float} or (kinds == {int} and min(value) >= -(1 << 63) and max(value) < 1 << 63):
            box.arrays[place] = np.array(value, np.float64 if kinds == {float} else np.int64)
            return {"float_list" if kinds == {float} else "int_list": place}
    own = Box()
    written = [to_json(item, f"{place}.{i}", own, depth + 1) for i, item in enumerate(value)]
    if len(value) > LONG_LIST and all(type(item) is dict and "part" in item for item in written):
        box.parts[place] = Crowd(value)
        return {"crowd": place}
    box.arrays.update(own.arrays)
    box.parts.update(own.parts)
    return written


def _write_tuple(value: tuple[Any, ...], place: str, box: Box, depth: int) -> Any:
    return {"tuple": _write_list(list(value), place, box, depth)}


def _write_dict(value: dict[Any, Any], place: str, box: Box, depth: int) -> Any:
    keys = [key.item() if isinstance(key, np.generic) else key for key in value]
    for key in keys:
        if key is not None and type(key) not in (bool, int, float, str):
            raise Violation(
                f"{place} has a key of type {type(key).__name__}; keys must be None, bool, int, float or str"
            )
    halves = (keys, list(value.values()))
    return {
        "dict": [_write_list(half, f"{place}.{name}", box, depth) for half, name in zip(halves, HALVES, strict=True)]
    }


def _write_slice(value: slice, place: str, box: Box, depth: int) -> Any:
    ends = [end.item() if isinstance(end, np.generic) else end for end in (value.start, value.stop, value.step)]
    if not all(end is None or type(end) in (int, str) for end in ends):
        raise Violation(f"{place} is a slice of something else than whole numbers and names")
    return {"slice": _write_list(ends, place, box, depth)}


HALVES = ("keys", "values")
_WRITERS: dict[type, Callable[[Any, str, Box, int], Any]] = {
    str: _write_str,
    int: _write_int,
    float: _write_float,
    list: _write_list,
    tuple: _write_tuple,
    dict: _write_dict,
    slice: _write_slice,
}


def _write_array(array: NDArray[Any], place: str, box: Box) -> Any:
    kind = array.dtype.kind
    if kind in "biu" or array.dtype.newbyteorder("=") in (np.float32, np.float64):
        box.arrays[place] = array.astype(array.dtype.newbyteorder("="), copy=False)
        return {"array": place}
    if kind in "US":
        tag, unit, size = ("text", np.dtype("<u4"), 4) if kind == "U" else ("bytes", np.dtype("u1"), 1)
        if kind == "U" and array.size and any(0xD800 <= ord(c) < 0xE000 for c in "".join(array.ravel().tolist())):
            raise Violation(f"{place} holds a string with a lone surrogate, which has no UTF-8 form")
        native = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
        width = max(array.dtype.itemsize // size, 1)
        box.arrays[place] = native.reshape(-1).view(unit).reshape(array.shape + (width,))
        return {tag: place}
    if kind == "O" and array.ndim == 1:
        items = [item.item() if isinstance(item, np.generic) else item for item in array.tolist()]
        if items and all(type(item) is str for item in items):
            _write_strings(items, place, box)
            return {"strings": place}
        if all(item is None or type(item) in (bool, int, float, str) for item in items):
            return {"objects": [to_json(item, place, box) for item in items]}
        raise Violation(f"{place} holds objects other than None, bool, int, float and str")
    raise Violation(f"{place} is an array of {array.ndim} dimensions of type {array.dtype}, which cannot be stored")


def _write_strings(items: list[str], place: str, box: Box) -> None:
    try:
        encoded = [item.encode() for item in items]
    except UnicodeError as error:
        raise Violation(f"{place} holds a string with a lone surrogate, which has no UTF-8 form") from error
    offsets = np.zeros(len(items) + 1, np.int64)
    np.cumsum([len(item) for item in encoded], out=offsets[1:])
    box.arrays[f"{place}.utf8"] = np.frombuffer(b"".join(encoded), np.uint8)
    box.arrays[f"{place}.offsets"] = offsets


def _write_sparse(value: Any, place: str, box: Box) -> Any:
    from scipy import sparse

    if not sparse.issparse(value) or value.ndim != 2 or value.dtype not in (np.float32, np.float64):
        raise Violation(f"{place} is a {type(value).__name__}, which cannot be stored; use a CSR matrix of floats")
    csr = value.tocsr(copy=True)
    csr.sum_duplicates()
    box.arrays[f"{place}.data"] = csr.data
    box.arrays[f"{place}.indices"] = csr.indices
    box.arrays[f"{place}.indptr"] = csr.indptr.astype(np.int64)
    return {"csr": {"columns": csr.shape[1], "matrix": isinstance(value, sparse.spmatrix)}}
