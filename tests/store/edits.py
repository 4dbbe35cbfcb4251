"""Edits of model files that keep the checksum right: of bytes, of the header, of the arrays."""

from __future__ import annotations

import hashlib
import itertools
import json

import msgspec
import numpy as np

from widemargin.store.container import chunks, unpack
from widemargin.store.table import TABLE


def sealed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


EXTREMES = (
    None,
    True,
    -1,
    0,
    1,
    3,
    2**31,
    2**63 - 1,
    -(2**63),
    2**64 - 1,
    0.5,
    -0.0,
    1e308,
    "",
    "x",
    "nan",
    [],
    {},
    [[]],
)
TAGS = ("float", "int", "tuple", "dict", "array", "text", "bytes", "strings", "objects", "int_list", "csr", "part", "a")

NODES = "/nodes.utf8"  # how the array ends in which a long list keeps the descriptions of its objects


def places(value, found):
    """Every (container, key) of a JSON value."""
    items = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    for key, item in items:
        found.append((value, key))
        places(item, found)
    return found


def edit_header(header, dice):
    container, key = dice.choice(places(header, []))
    action = dice.randrange(5)
    if action == 0:
        container[key] = dice.choice(EXTREMES)
    elif action == 1:
        del container[key]
    elif action == 2:
        container[key] = {dice.choice(TAGS): container[key]}
    elif action == 3:
        container[key] = dice.choice(places(header, []))[1]
    elif isinstance(container, dict):
        container[dice.choice(("", "extra", "coef_", "params"))] = container[key]
    else:
        container.append(container[key])


def edit_array(arrays, dice):
    name = dice.choice(sorted(arrays))
    array = arrays[name] = np.array(arrays[name])
    action = dice.randrange(6)
    if action == 0 and array.size:
        kind = np.dtype("u1") if array.dtype.kind == "b" else array.dtype
        limits = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
        array.flat[dice.randrange(array.size)] = dice.choice((limits.min, limits.max, 0, 1))
    elif action == 1 and array.dtype.kind == "f" and array.size:
        array.flat[dice.randrange(array.size)] = dice.choice((np.nan, np.inf, -np.inf))
    elif action == 2:
        arrays[name] = array.ravel()[: dice.randrange(array.size + 1)]
    elif action == 3:
        arrays[name] = array.astype(dice.choice(("u1", "<i4", "<i8", "<f4", "<f8", "?")))
    elif action == 4:
        arrays[dice.choice(("more", "fitted.more", "params.first/more"))] = arrays.pop(name)
    else:
        arrays[name] = array.reshape((1,) + array.shape) if dice.random() < 0.5 else array.T


def edit_bytes(body: bytes, dice) -> bytes:
    edited = bytearray(body)
    for _ in range(dice.choice((1, 1, 1, 2, 5))):
        place = dice.randrange(len(edited))
        action = dice.randrange(4)
        if action == 0:
            edited[place] ^= 1 << dice.randrange(8)
        elif action == 1:
            edited[place] = dice.choice(b'0123456789-{}[]",:.eE\x00\xff')
        elif action == 2:
            del edited[place : place + dice.randrange(1, 9)]
        else:
            edited[place:place] = dice.randbytes(dice.randrange(1, 9))
    return bytes(edited)


def edit_entry(arrays, dice):
    """One entry becomes another number of the same kind: what keeps every size right."""
    name = dice.choice([name for name in sorted(arrays) if arrays[name].size])
    array = arrays[name] = np.array(arrays[name])
    place = dice.randrange(array.size)
    if array.dtype.kind == "f":
        array.flat[place] = dice.choice((0.0, -1.0, 1e300 if array.itemsize == 8 else 1e38, np.nan, array.flat[0], 0.5))
    elif array.dtype.kind == "b":
        array.flat[place] ^= True
    else:
        limits = np.iinfo(array.dtype)
        near = (int(array.flat[place]) + dice.choice((-1, 1, 2, 64)), int(array.max()) + 1)
        array.flat[place] = min(max(dice.choice((*near, 0, limits.min, limits.max)), limits.min), limits.max)


def edit_number(header, dice):
    """A number in the header becomes another one, a string another one, a type another type."""
    found = [(c, k) for c, k in places(header, []) if type(c[k]) in (int, float, str, bool)]
    container, key = dice.choice(found)
    value = container[key]
    if key == "type" and dice.random() < 0.9:
        container[key] = dice.choice(sorted(TABLE))
    elif type(value) is bool:
        container[key] = not value
    elif type(value) is str:
        container[key] = dice.choice([c[k] for c, k in found if type(c[k]) is str])
    else:
        container[key] = dice.choice((value + 1, value - 1, -value, value * 2, 10**6, 2**31, 2**40, 0))


def edit_crowd(arrays, dice):
    """An object of a long list (store/crowd) under another description: with an edit as of a header, or another's."""
    place = dice.choice([name for name in sorted(arrays) if name.endswith(NODES)]).removesuffix("utf8")
    text, ends = arrays[place + "utf8"].tobytes(), arrays[place + "offsets"].tolist()
    nodes = [text[a:b] for a, b in itertools.pairwise(ends)]
    i, action = dice.randrange(len(nodes)), dice.randrange(8)
    if action == 0:
        nodes[i] = dice.choice(nodes)
    elif action == 1:
        del nodes[i]
    elif action == 2:
        nodes.append(nodes[i])
    else:
        node = json.loads(nodes[i])
        (edit_header if action < 5 else edit_number)(node, dice)
        nodes[i] = msgspec.json.encode(node, order="sorted")
    arrays[place + "utf8"] = np.frombuffer(b"".join(nodes), np.uint8)
    arrays[place + "offsets"] = np.cumsum([0, *map(len, nodes)])


class Editor:
    """A file, opened once, of which edited copies are made."""

    def __init__(self, data: bytes) -> None:
        self.body = data[:-32]
        self.text, self.arrays = unpack(data)
        self.kinds = 14 if any(name.endswith(NODES) for name in self.arrays) else 10

    def edited(self, dice) -> bytes:
        """The file with one to three edits of one kind, and a right checksum."""
        kind = dice.randrange(self.kinds)
        if kind == 0:
            return sealed(edit_bytes(self.body, dice))
        header, arrays = json.loads(self.text), dict(self.arrays)
        for _ in range(dice.choice((1, 1, 2, 3))):
            if kind >= 10 and any(name.endswith(NODES) for name in arrays):
                edit_crowd(arrays, dice)
            elif kind < 3:
                edit_header(header, dice)
            elif kind < 5:
                edit_number(header["object"] if isinstance(header.get("object"), dict) else header, dice)
            elif kind < 7 and arrays:
                edit_array(arrays, dice)
            else:
                edit_entry(arrays, dice)
        return b"".join(chunks(msgspec.json.encode(header, order="sorted").decode(), arrays))
