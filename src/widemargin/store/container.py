"""The bytes of a .wm file: one safetensors file whose last tensor is a SHA-256 of everything before it.

    8 bytes     length of the header, little-endian
    header      JSON: {"__metadata__": {"widemargin": <the model's own JSON>}, name: {dtype, shape, data_offsets}, ...},
                padded with spaces so that the arrays start at a multiple of 8
    arrays      little-endian, C order, widest elements first, then by name (so each is aligned), without gaps
    sha256      32 bytes, the digest of every byte above

Reading is strict by being canonical: names, dtypes and shapes of a header determine every byte of it, so the reader
writes the header anew and compares. Duplicate keys, gaps, overlaps, odd number formats and stray blanks all fail this
one test. With the checksum, the caps and the list of dtypes checked first, what the safetensors library would still do
for us is one np.frombuffer per array; so it is not needed to read. It does read our files, and the tests hold us to it.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..base.errors import CannotStore, DamagedFile

MAX_HEADER = 1 << 20
MAX_TENSORS = 100_000
MAX_DIMENSIONS = 8
DIGEST = "sha256"
DIGEST_BYTES = 32
METADATA = "__metadata__"
KEY = "widemargin"

DTYPES = {
    "BOOL": np.dtype("?"),
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "U16": np.dtype("<u2"),
    "I16": np.dtype("<i2"),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}
_CODES = {dtype: code for code, dtype in DTYPES.items()}
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,250}")

Size = Annotated[int, msgspec.Meta(ge=0, le=1 << 48)]
Buffer = bytes | bytearray | memoryview


class Tensor(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One line of the header."""

    dtype: str
    shape: Annotated[tuple[Size, ...], msgspec.Meta(max_length=MAX_DIMENSIONS)]
    data_offsets: tuple[Size, Size] = (0, 0)

    @property
    def nbytes(self) -> int:
        return DTYPES[self.dtype].itemsize * math.prod(self.shape)


def damaged(reason: str) -> DamagedFile:
    """The one sentence for every file that cannot be trusted."""
    return DamagedFile(f"not an intact .wm file: {reason}. Restore it from a copy, or train and save again.")


def chunks(header: str, arrays: Mapping[str, NDArray[Any]]) -> Iterator[bytes | memoryview]:
    """The bytes of the file, piece by piece; equal arguments give equal bytes."""
    tensors = {name: Tensor(_code(name, array), tuple(array.shape)) for name, array in arrays.items()}
    for name in tensors:
        if not _NAME.fullmatch(name) or name in (DIGEST, METADATA):
            raise CannotStore(f"The array name {name[:80]!r} cannot be stored: use letters, digits and _ . / - only.")
    if len(tensors) >= MAX_TENSORS:
        raise CannotStore(f"{len(tensors)} arrays are more than the {MAX_TENSORS} that a .wm file may hold.")
    head, order = _head(header, tensors)
    if len(head) - 8 > MAX_HEADER:
        raise CannotStore(
            f"The header would take {len(head) - 8} bytes and may take {MAX_HEADER}: keep long lists in arrays."
        )
    digest = hashlib.sha256(head)
    yield head
    for name in order:
        piece = _flat_bytes(arrays[name], DTYPES[tensors[name].dtype])
        digest.update(piece)
        yield piece
    yield digest.digest()


def verify(data: Buffer) -> None:
    """Raise DamagedFile unless the last 32 bytes are the SHA-256 of all others."""
    if len(data) < 8 + 2 + DIGEST_BYTES:
        raise damaged(f"it has only {len(data)} bytes")
    view = memoryview(data)
    if hashlib.sha256(view[:-DIGEST_BYTES]).digest() != view[-DIGEST_BYTES:]:
        raise damaged(
            f"the checksum of its {len(data)} bytes does not match, so it was altered, cut short or never a model"
        )


def unpack(data: Buffer) -> tuple[str, dict[str, NDArray[Any]]]:
    """The model's JSON and its arrays (views of `data`), after every check that needs no knowledge of the model."""
    verify(data)
    length = int.from_bytes(data[:8], "little")
    if length > MAX_HEADER or 8 + length + DIGEST_BYTES > len(data):
        raise damaged(f"a header of {length} bytes is announced in a file of {len(data)} (at most {MAX_HEADER})")
    head = bytes(data[: 8 + length])
    header, tensors = _read_head(head[8:])
    if DIGEST in tensors and tensors[DIGEST].shape != (DIGEST_BYTES,):
        raise damaged("its checksum has a wrong shape")
    tensors.pop(DIGEST, None)
    canonical, order = _head(header, tensors)
    if canonical != head:
        raise damaged("its header is not written as widemargin writes it, or its arrays overlap or leave gaps")
    if len(head) + sum(tensor.nbytes for tensor in tensors.values()) + DIGEST_BYTES != len(data):
        raise damaged("the sizes in its header do not add up to the size of the file")
    return header, _views(data, len(head), [(name, tensors[name]) for name in order])


def _code(name: str, array: NDArray[Any]) -> str:
    code = _CODES.get(array.dtype.newbyteorder("<"))
    if code is None:
        raise CannotStore(f"The array {name} has the type {array.dtype}, which a .wm file does not know.")
    if array.ndim > MAX_DIMENSIONS:
        raise CannotStore(f"The array {name} has {array.ndim} dimensions; at most {MAX_DIMENSIONS} can be stored.")
    return code


def _flat_bytes(array: NDArray[Any], dtype: np.dtype[Any]) -> memoryview:
    return np.ascontiguousarray(array, dtype=dtype).reshape(-1).view(np.uint8).data


def _head(header: str, tensors: Mapping[str, Tensor]) -> tuple[bytes, list[str]]:
    order = sorted(tensors, key=lambda name: (-DTYPES[tensors[name].dtype].itemsize, name))
    document: dict[str, Any] = {METADATA: {KEY: header}}
    end = 0
    for name in order:
        tensor = tensors[name]
        start, end = end, end + tensor.nbytes
        document[name] = Tensor(tensor.dtype, tensor.shape, (start, end))
    document[DIGEST] = Tensor("U8", (DIGEST_BYTES,), (end, end + DIGEST_BYTES))
    text = msgspec.json.encode(document)
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text, order


def _read_head(text: bytes) -> tuple[str, dict[str, Tensor]]:
    try:
        document = msgspec.json.decode(text)
        if not isinstance(document, dict) or len(document) > MAX_TENSORS:
            raise damaged(f"its header is not a table of at most {MAX_TENSORS} arrays")
        metadata = msgspec.convert(document.pop(METADATA, None), dict[str, str])
        tensors = msgspec.convert(document, dict[str, Tensor])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise damaged(f"its header cannot be read ({error})") from error
    if list(metadata) != [KEY]:
        raise damaged(f"its header has no part named {KEY!r}, or more than that")
    for name, tensor in tensors.items():
        if tensor.dtype not in DTYPES or not _NAME.fullmatch(name):
            raise damaged(f"its array {name[:80]!r} of type {tensor.dtype[:20]!r} is not allowed")
    return metadata[KEY], tensors


def _views(data: Buffer, start: int, tensors: list[tuple[str, Tensor]]) -> dict[str, NDArray[Any]]:
    arrays = {}
    for name, tensor in tensors:
        dtype = DTYPES[tensor.dtype]
        try:
            array = np.frombuffer(data, dtype, math.prod(tensor.shape), start).reshape(tensor.shape)
        except ValueError as error:  # an empty array may still announce dimensions that no array can have
            raise damaged(f"the shape {tensor.shape} of its array {name!r} is impossible") from error
        if dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
            raise damaged(f"its array {name!r} holds bytes that are neither true nor false")
        arrays[name] = array
        start += tensor.nbytes
    return arrays
