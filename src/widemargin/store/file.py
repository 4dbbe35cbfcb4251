"""Saving, loading and inspecting .wm files."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import numpy as np

from ..base.errors import CannotStore, DamagedFile, UnsupportedFile
from ..base.files import write_atomically
from .container import Buffer, chunks, damaged, unpack
from .entry import Node
from .registry import put_together, take_apart
from .values import Crowd

FORMAT = 1


class Header(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON of a .wm file."""

    format: Annotated[int, msgspec.Meta(ge=1)]
    written_by: dict[str, str]
    proof: bool
    object: Node


class _FormatOnly(msgspec.Struct):
    format: Annotated[int, msgspec.Meta(ge=1)]


@dataclass(frozen=True)
class FileInfo:
    """What the header of a .wm file says; no object is built to find out.

    Attributes
    ----------
    type, version : what the file holds and in which version.
    params : the parameters of an estimator, or the fields of a record, in their JSON form.
    parts : the nested objects as {place: (type, version)}.
    arrays : {name: (dtype, shape)}.
    proof : whether the proof was kept.
    written_by : versions of the libraries that wrote the file.
    format, size, sha256 : version of the container, bytes, and hexadecimal digest.
    """

    type: str
    version: int
    params: dict[str, Any]
    parts: dict[str, tuple[str, int]]
    arrays: dict[str, tuple[str, tuple[int, ...]]]
    proof: bool
    written_by: dict[str, str]
    format: int
    size: int
    sha256: str


def save(obj: Any, path: str | os.PathLike[str] | Any, *, proof: bool = True) -> None:
    """Save a fitted (or fresh) estimator, a solver state or a record as a .wm file, whole or not at all.

    Parameters
    ----------
    obj : object of a type in the table of storable types.
    path : path, "-" for standard output, or a binary file object.
    proof : bool, default=True
        False leaves out `proof_`, what `certify` needs beside data and model.

    Raises
    ------
    CannotStore
        The object holds something that cannot be stored. Nothing is written.
    CannotWrite
        The file cannot be written; what was there before is untouched.
    """
    pieces = _pieces(obj, proof)
    write_atomically(path, lambda file: [file.write(piece) for piece in pieces])


def load(path: str | os.PathLike[str] | Any) -> Any:
    """Load what `save` wrote. Runs no code named in the file and trusts no number in it.

    Parameters
    ----------
    path : path, "-" for standard input, or a binary file object.

    Raises
    ------
    DamagedFile
        The file is truncated, altered, or not a .wm file.
    UnsupportedFile
        The file is intact but was written by a newer widemargin.
    """
    data, name = _read(path)
    try:
        return loads(data)
    except (DamagedFile, UnsupportedFile) as error:
        raise type(error)(f"{name}: {error}") from error


def inspect(path: str | os.PathLike[str] | Any) -> FileInfo:
    """What a .wm file says about itself, after its checksum was verified; builds no object. See FileInfo."""
    data, name = _read(path)
    try:
        header, arrays = _open(data)
    except (DamagedFile, UnsupportedFile) as error:
        raise type(error)(f"{name}: {error}") from error
    node = header.object
    return FileInfo(
        type=node.type,
        version=node.version,
        params=node.data.get("params", node.data),
        parts=dict(_parts(node)),
        arrays={name: (str(array.dtype), array.shape) for name, array in arrays.items()},
        proof=header.proof,
        written_by=header.written_by,
        format=header.format,
        size=len(data),
        sha256=bytes(data[-32:]).hex(),
    )


def dumps(obj: Any, *, proof: bool = True) -> bytes:
    """The bytes that `save` would write."""
    return b"".join(_pieces(obj, proof))


def loads(data: Buffer) -> Any:
    """The object whose bytes `dumps` gave."""
    header, arrays = _open(data)
    found = put_together(header.object, arrays)
    if isinstance(found, Crowd):
        raise damaged("it holds a bare list of objects, which is never a file of its own")
    return found


def _pieces(obj: Any, proof: bool) -> list[bytes | memoryview]:
    arrays: dict[str, np.ndarray] = {}
    header = Header(FORMAT, _versions(), bool(proof), take_apart(obj, arrays, proof=bool(proof)))
    try:
        text = _canonical(header)
    except RecursionError as error:
        raise CannotStore(f"The {type(obj).__name__} is nested too deep to be stored.") from error
    return list(chunks(text.decode(), arrays))


def _canonical(header: Header) -> bytes:
    return msgspec.json.encode(header, order="sorted")


def _open(data: Buffer) -> tuple[Header, dict[str, np.ndarray]]:
    text, arrays = unpack(data)
    try:
        newest = msgspec.json.decode(text, type=_FormatOnly).format
        if newest > FORMAT:
            raise UnsupportedFile(
                f"the file has format {newest}; this widemargin reads up to {FORMAT}: upgrade widemargin."
            )
        header = msgspec.json.decode(text, type=Header)
        canonical = _canonical(header)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise damaged(f"its header cannot be read ({error})") from error
    if canonical != text.encode():  # duplicate keys, odd numbers, another order
        raise damaged("its header is not written as widemargin writes it")
    return header, arrays


def _read(path: Any) -> tuple[Buffer, str]:
    if isinstance(path, str) and path == "-":
        return sys.stdin.buffer.read(), "standard input"
    if hasattr(path, "read"):
        return path.read(), str(getattr(path, "name", "the stream"))
    with open(path, "rb") as file:
        return file.read(), os.fsdecode(os.fspath(path))


def _versions() -> dict[str, str]:
    names = ("widemargin", "numpy", "scikit-learn")
    return {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in names}


def _parts(node: Node, prefix: str = "") -> list[tuple[str, tuple[str, int]]]:
    found = []
    for name, part in node.parts.items():
        found.append((prefix + name, (part.type, part.version)))
        found.extend(_parts(part, f"{prefix}{name}/"))
    return found
