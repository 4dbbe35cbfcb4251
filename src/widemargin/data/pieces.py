"""The bytes of a data file: mapped whole, or in pieces of whole lines, unpacked on the way."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import mmap
import os
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput, MalformedFile

Source = str | os.PathLike[str] | Any  # a path, "-", or a binary file object
_UNPACK: dict[str, Any] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
_DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError)
_MARK = b"\xef\xbb\xbf"  # the byte order mark that some editors put before UTF-8


def name_of(source: Source) -> str | None:
    """What messages call the source, or None."""
    if hasattr(source, "read"):
        name = getattr(source, "name", None)
        return name if isinstance(name, str) else None
    return "standard input" if source == "-" else os.fspath(source)


@contextlib.contextmanager
def opened(source: Source) -> Iterator[Any]:
    """The source as a binary file that unpacks what its name says is packed. Files given open are left open."""
    if hasattr(source, "read"):
        yield source
    elif source == "-":
        yield sys.stdin.buffer
    else:
        path = os.fspath(source)
        unpack = _UNPACK.get(os.path.splitext(path)[1].lower())
        with unpack(path, "rb") if unpack else open(path, "rb", buffering=0) as file:
            yield file


def _read(file: Any, size: int, name: str | None) -> bytes:
    try:
        piece = file.read(size)
    except _DAMAGE as error:
        if getattr(error, "errno", None) is not None:  # the disk, not the bytes on it
            raise
        raise MalformedFile(f"the packed file is damaged or cut short ({error})", path=name) from error
    if isinstance(piece, str):
        raise BadInput("The file is open as text; open it in binary mode ('rb') so that bytes can be read.")
    if piece is None:
        raise BadInput("The file does not wait for its bytes (non-blocking mode); open it in blocking mode.")
    return piece


def pieces(file: Any, size: int, name: str | None = None) -> Iterator[np.ndarray]:
    """About `size` bytes at a time, each piece ending with its last newline; the last piece may lack one."""
    rest = b""
    fresh = _read(file, size + len(_MARK), name)
    if fresh.startswith(_MARK):
        fresh = fresh[len(_MARK) :] or _read(file, size, name)
    while fresh:
        # One piece ahead, since the last needs no newline. A line longer than the piece makes the next piece longer, so
        # that the work stays proportional to the file.
        following = _read(file, max(size, len(rest)), name)
        cut = fresh.rfind(b"\n") + 1 if following else len(fresh)
        if cut:
            yield np.frombuffer(rest + fresh[:cut] if rest else memoryview(fresh)[:cut], np.uint8)
            rest = fresh[cut:]
        else:
            rest += fresh
        fresh = following


@contextlib.contextmanager
def mapped(file: Any) -> Iterator[np.ndarray | None]:
    """The rest of an ordinary uncompressed file as one array without a copy; None where that cannot be had."""
    try:
        if not isinstance(file, (io.FileIO, io.BufferedReader)):
            raise OSError
        start = file.tell()
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # a pipe, a device, an empty file, something that only looks like a file
        yield None
        return
    if start == 0 and memory[:3] == _MARK:
        start = 3
    try:
        yield np.frombuffer(memory, np.uint8)[start:]
        file.seek(0, os.SEEK_END)
    finally:
        with contextlib.suppress(BufferError):  # a traceback may still hold the array; then it goes with that
            memory.close()
