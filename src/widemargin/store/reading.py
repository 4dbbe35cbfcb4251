"""Values out of JSON and arrays: the inverse of `values.to_json`, trusting no name, size or index that it reads."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .values import HALVES, LONG_LIST, MAX_DEPTH, SCALAR_TYPES, Crowd, Violation


@dataclass
class Shelf:
    """Where the reader takes arrays and parts from; `depth` tells how far down, `used` what was not left over."""

    arrays: Mapping[str, NDArray[Any]]
    parts: Mapping[str, Any]
    depth: int = 0
    used: set[str] = field(default_factory=set)

    def array(self, place: str, kinds: str) -> NDArray[Any]:
        return np.array(self.view(place, kinds))  # the model's own: writable, aligned, and the file's buffer can go

    def view(self, place: str, kinds: str) -> NDArray[Any]:
        """The array as it lies in the file, for those who take copies of its pieces."""
        if place not in self.arrays:
            raise Violation(f"the array {place} is missing")
        found = self.arrays[place]
        if found.dtype.kind not in kinds:
            raise Violation(f"the array {place} has the type {found.dtype}")
        self.used.add(place)
        return found

    def part(self, place: str) -> Any:
        if place not in self.parts:
            raise Violation(f"the part {place} is missing")
        self.used.add(place)
        return self.parts[place]

    def left_over(self) -> set[str]:
        return (set(self.arrays) | set(self.parts)) - self.used


def from_json(value: Any, place: str, shelf: Shelf, depth: int = 0) -> Any:
    """The inverse of `to_json`; raises Violation for anything that `to_json` would not write."""
    if depth > MAX_DEPTH:
        raise Violation(f"{place} is nested more than {MAX_DEPTH} deep")
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is list:
        return [from_json(item, f"{place}.{i}", shelf, depth + 1) for i, item in enumerate(value)]
    if type(value) is not dict or len(value) != 1:
        raise Violation(f"{place} has no known form")
    ((tag, content),) = value.items()
    if tag in _AT_PLACE:
        if content != place:
            raise Violation(f"{place} names the place {content!r}")
        return _AT_PLACE[tag](place, shelf)
    if tag not in _READERS:
        raise Violation(f"{place} has the unknown form {str(tag)[:40]!r}")
    return _READERS[tag](content, place, shelf, depth)


def _read_float(content: Any, place: str, shelf: Shelf, depth: int) -> float:
    if content not in ("nan", "inf", "-inf"):
        raise Violation(f"{place} is not a float")
    return float(content)


def _read_int(content: Any, place: str, shelf: Shelf, depth: int) -> int:
    try:
        number = int(content, 16) if len(content) <= 4096 else 0
    except (TypeError, ValueError) as error:
        raise Violation(f"{place} is not a whole number") from error
    if hex(number) != content:
        raise Violation(f"{place} is not a whole number in hexadecimal form")
    return number


def _read_sequence(content: Any, place: str, shelf: Shelf, depth: int) -> list[Any]:
    items = from_json(content, place, shelf, depth)
    if type(items) is not list:
        raise Violation(f"{place} is not a list")
    return items


def _read_tuple(content: Any, place: str, shelf: Shelf, depth: int) -> tuple[Any, ...]:
    return tuple(_read_sequence(content, place, shelf, depth))


def _read_slice(content: Any, place: str, shelf: Shelf, depth: int) -> slice:
    ends = _read_sequence(content, place, shelf, depth)
    if len(ends) != 3 or not all(end is None or type(end) in (int, str) for end in ends):
        raise Violation(f"{place} is not a slice")
    return slice(*ends)


def _read_scalar_type(content: Any, place: str, shelf: Shelf, depth: int) -> Any:
    if type(content) is not str or content not in SCALAR_TYPES:
        raise Violation(f"{place} names the type {str(content)[:40]!r}, which is none of {', '.join(SCALAR_TYPES)}")
    return SCALAR_TYPES[content]


def _read_dtype(content: Any, place: str, shelf: Shelf, depth: int) -> np.dtype[Any]:
    return np.dtype(_read_scalar_type(content, place, shelf, depth))


def _read_dict(content: Any, place: str, shelf: Shelf, depth: int) -> dict[Any, Any]:
    if type(content) is not list or len(content) != 2:
        raise Violation(f"{place} is not a pair of keys and values")
    keys, values = (
        _read_sequence(half, f"{place}.{name}", shelf, depth) for half, name in zip(content, HALVES, strict=True)
    )
    if any(key is not None and type(key) not in (bool, int, float, str) for key in keys):
        raise Violation(f"{place} has a key that is not None, bool, int, float or str")
    if len(keys) != len(values) or len(set(keys)) != len(keys):
        raise Violation(f"{place} has {len(keys)} keys for {len(values)} values, or a key twice")
    return dict(zip(keys, values, strict=True))


def _read_objects(content: Any, place: str, shelf: Shelf, depth: int) -> NDArray[Any]:
    if type(content) is not list:
        raise Violation(f"{place} is not a list of labels")
    array = np.empty(len(content), dtype=object)
    for i, item in enumerate(content):
        array[i] = from_json(item, place, shelf, depth + 1)
        if array[i] is not None and type(array[i]) not in (bool, int, float, str):
            raise Violation(f"{place} holds a label that is not None, bool, int, float or str")
    return array


def _read_csr(content: Any, place: str, shelf: Shelf, depth: int) -> Any:
    from scipy import sparse

    if type(content) is not dict or set(content) != {"columns", "matrix"} or type(content["matrix"]) is not bool:
        raise Violation(f"{place} does not describe a sparse matrix")
    columns = content["columns"]
    if type(columns) is not int or not 0 <= columns < 1 << 48:
        raise Violation(f"{place} announces {columns!r} columns")
    data = shelf.array(f"{place}.data", "f")
    indices = shelf.array(f"{place}.indices", "i")
    indptr = shelf.array(f"{place}.indptr", "i")
    check_csr(data, indices, indptr, columns, place)
    make = sparse.csr_matrix if content["matrix"] else sparse.csr_array
    index_type = indices.dtype
    return make((data, indices, indptr.astype(index_type)), shape=(len(indptr) - 1, columns))


_READERS: dict[str, Callable[[Any, str, Shelf, int], Any]] = {
    "float": _read_float,
    "int": _read_int,
    "tuple": _read_tuple,
    "dict": _read_dict,
    "objects": _read_objects,
    "csr": _read_csr,
    "slice": _read_slice,
    "dtype": _read_dtype,
    "scalar_type": _read_scalar_type,
}


def check_offsets(offsets: NDArray[Any], end: int, place: str) -> None:
    """Raise Violation unless 0 = offsets[0] <= offsets[1] <= ... <= offsets[-1] = end."""
    if offsets.ndim != 1 or offsets.dtype.kind != "i" or offsets.size == 0 or offsets[0] != 0 or offsets[-1] != end:
        raise Violation(f"{place} does not run from 0 to {end}")
    if (offsets[1:] < offsets[:-1]).any():
        raise Violation(f"{place} decreases")


def check_csr(data: Any, indices: Any, indptr: Any, columns: int, place: str, *, ordered: bool = True) -> None:
    """Raise Violation unless the arrays are a CSR matrix whose columns are below `columns` (and in order)."""
    check_offsets(indptr, len(data), f"{place}.indptr")
    if data.ndim != 1 or indices.shape != data.shape:
        raise Violation(f"{place} has {data.size} values for {indices.size} columns")
    if indices.size and (indices.min() < 0 or indices.max() >= columns):
        raise Violation(f"{place} has a column outside 0..{columns - 1}")
    if not ordered:
        return
    ends = indptr[1:-1]
    falls = np.diff(indices) <= 0
    falls[ends[(ends > 0) & (ends < len(indices))] - 1] = False
    if falls.any():
        raise Violation(f"{place} has columns out of order")


def _strings_at(place: str, shelf: Shelf) -> list[str]:
    utf8 = shelf.view(f"{place}.utf8", "u")
    offsets = shelf.view(f"{place}.offsets", "i")
    if utf8.ndim != 1 or utf8.dtype != np.uint8:
        raise Violation(f"{place}.utf8 is not a row of bytes")
    check_offsets(offsets, len(utf8), f"{place}.offsets")
    text = utf8.tobytes()
    bounds = offsets.tolist()
    try:
        return [text[a:b].decode() for a, b in itertools.pairwise(bounds)]
    except UnicodeError as error:
        raise Violation(f"{place} holds bytes that are not UTF-8") from error


def _object_strings_at(place: str, shelf: Shelf) -> NDArray[Any]:
    return np.array(_strings_at(place, shelf), dtype=object)


def _fixed_width_at(place: str, shelf: Shelf, unit: str, letter: str) -> NDArray[Any]:
    codes = shelf.array(place, "u")
    if codes.dtype != np.dtype(unit) or codes.ndim == 0 or not 1 <= codes.shape[-1] < 1 << 24:
        raise Violation(f"{place} does not hold strings of a fixed width")
    if letter == "U" and codes.size and (codes.max() > 0x10FFFF or ((codes >= 0xD800) & (codes < 0xE000)).any()):
        raise Violation(f"{place} holds a number that is no character")
    return codes.reshape(-1).view(f"<{letter}{codes.shape[-1]}").reshape(codes.shape[:-1])


def _number_list_at(place: str, shelf: Shelf, dtype: str) -> list[Any]:
    array = shelf.array(place, "if")
    if array.ndim != 1 or array.dtype != np.dtype(dtype):
        raise Violation(f"{place} is not a list of numbers")
    return array.tolist()


def _part_at(place: str, shelf: Shelf) -> Any:
    part = shelf.part(place)
    if isinstance(part, Crowd):
        raise Violation(f"{place} is a list where one object is due")
    return part


def _crowd_at(place: str, shelf: Shelf) -> list[Any]:
    crowd = shelf.part(place)
    if not isinstance(crowd, Crowd) or len(crowd.items) <= LONG_LIST:
        raise Violation(f"{place} is no long list of objects")
    return crowd.items


_AT_PLACE: dict[Any, Callable[[str, Shelf], Any]] = {
    "array": lambda place, shelf: shelf.array(place, "biuf"),
    "text": lambda place, shelf: _fixed_width_at(place, shelf, "<u4", "U"),
    "bytes": lambda place, shelf: _fixed_width_at(place, shelf, "u1", "S"),
    "strings": _object_strings_at,
    "string_list": _strings_at,
    "int_list": lambda place, shelf: _number_list_at(place, shelf, "<i8"),
    "float_list": lambda place, shelf: _number_list_at(place, shelf, "<f8"),
    "part": _part_at,
    "crowd": _crowd_at,
}
