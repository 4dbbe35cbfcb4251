"""The bytes of a text file: mapped whole, or in pieces of whole lines, unpacked on the way."""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput

from .source import is_file, is_packed, open_bytes

_MARK = b"\xef\xbb\xbf"  # the byte order mark that some editors put before UTF-8


@contextlib.contextmanager
def texts(source: Any, size: int, *, whole: bool = False) -> Iterator[Iterator[np.ndarray]]:
    """Pieces of about `size` bytes; with `whole` a plain file is mapped and comes as one piece, without a copy."""
    if not is_file(source):
        raise BadInput(f"{source!r:.100} is neither a path nor an open file.")
    memory = _mapped(source) if whole else None
    if memory is None:
        with open_bytes(source) as opened:
            yield _pieces(opened.stream, size)
        return
    try:
        start = len(_MARK) if memory[: len(_MARK)] == _MARK else 0
        yield iter([np.frombuffer(memory, np.uint8)[start:]])
    finally:
        with contextlib.suppress(BufferError):  # a traceback may still hold the array; then the memory goes with that
            memory.close()


def _mapped(source: Any) -> mmap.mmap | None:
    """A plain file by name; None for all else, also for what cannot be opened: `open_bytes` has words for that."""
    if source == "-" or not isinstance(source, (str, os.PathLike)):
        return None
    try:
        with open(source, "rb", buffering=0) as file:
            return None if is_packed(file.read(8)) else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # a pipe, a device, an empty file
        return None


def _pieces(stream: Any, size: int) -> Iterator[np.ndarray]:
    """Each piece ends with its last newline; the last piece may lack one."""
    rest = b""
    fresh = stream.read(size + len(_MARK)).removeprefix(_MARK)
    while fresh:
        # One piece ahead, since the last needs no newline. A line longer than the piece makes the next piece longer, so
        # that the work stays proportional to the file.
        following = stream.read(max(size, len(rest)))
        cut = fresh.rfind(b"\n") + 1 if following else len(fresh)
        if cut:
            yield np.frombuffer(rest + fresh[:cut] if rest else memoryview(fresh)[:cut], np.uint8)
            rest = fresh[cut:]
        else:
            rest += fresh
        fresh = following
