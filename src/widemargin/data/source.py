"""Opening whatever holds a table: a path, "-" (standard input), a file object; compressed or not.

Compression and format are told by the first bytes, never by the name, so that pipes and odd names work alike.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from widemargin.base.errors import BadInput, MalformedFile

_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"\xfd7zXZ\x00": lzma.open, b"BZh": bz2.open}
_FOREIGN = {
    b"PK\x03\x04": "a zip archive (or a spreadsheet): unpack it or save it as CSV first",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: unpack it first (gzip, xz and bzip2 are read as they are)",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet: save it as CSV first",
    b"\x93NUMPY": "a NumPy file: load it with numpy.load",
    b"<html": "a web page, perhaps the error message of a download",
    b"<!doctype": "a web page, perhaps the error message of a download",
    b'{"': "JSON: save the table as CSV or Parquet first",
    b"[{": "JSON: save the table as CSV or Parquet first",
    b"\x89HDF": "an HDF5 file: save the table as CSV or Parquet first",
}
_HEAD_BYTES = 1 << 20


def describe(source: Any) -> str:
    """The name of a source for messages."""
    if isinstance(source, (str, os.PathLike)):
        return "standard input" if source == "-" else os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "the file object"


def is_file(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike)) or hasattr(source, "read")


def is_packed(head: bytes) -> bool:
    """Whether a file that begins so must be unpacked, or is refused, by `open_bytes`."""
    return any(head.startswith(magic) for magic in [*_OPENERS, *_FOREIGN])


@dataclass
class Opened:
    """Decompressed bytes with their beginning known: `stream` still yields all of them."""

    name: str
    head: bytes
    stream: io.BufferedReader
    decoded: bool  # the caller's file object yields text: the bytes are UTF-8, whatever encoding was asked for

    def encoding(self, asked: str) -> str:
        """The encoding asked for, unless a byte order mark says UTF-16."""
        if self.decoded:
            return "utf-8"
        if self.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        try:
            return codecs.lookup(asked).name
        except LookupError as error:
            raise BadInput(f"encoding={asked!r} is not known to Python: try 'utf-8' or 'latin-1'") from error


@contextmanager
def open_bytes(source: Any) -> Iterator[Opened]:
    """The decompressed bytes of `source`."""
    name = describe(source)
    with _raw(source) as raw:
        decoded = isinstance(raw, io.TextIOBase)
        head, rest = _with_head(raw, 16)
        for magic, words in _FOREIGN.items():
            if head.lower().startswith(magic.lower()):
                raise MalformedFile(f"the file is {words}", path=name)
        opener = next((o for magic, o in _OPENERS.items() if head.startswith(magic)), None)
        try:
            plain = rest if opener is None else opener(rest, "rb")
            head, stream = _with_head(plain, _HEAD_BYTES)
            yield Opened(name, head, stream, decoded)
        except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
            if opener is None or getattr(error, "errno", None) is not None:  # not the packed bytes are to blame
                raise
            raise MalformedFile(f"the compressed file is damaged or cut off ({error})", path=name) from error


@contextmanager
def _raw(source: Any) -> Iterator[Any]:
    if source == "-" and isinstance(source, str):
        yield sys.stdin.buffer
    elif isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if os.path.isdir(path):
            raise BadInput(f"{path} is a directory, a table is one file: name the file inside it")
        if not os.path.exists(path):
            raise BadInput(f"{path} does not exist (working directory: {os.getcwd()})")
        if not os.access(path, os.R_OK):
            raise BadInput(f"{path} cannot be read: permission denied")
        with open(path, "rb") as stream:
            yield stream
    else:
        yield source


class _Rewound(io.RawIOBase):
    """A stream whose first bytes were read already; never closes the stream below, which belongs to someone else."""

    def __init__(self, head: bytes, rest: Any) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._head:
            self._head = _bytes_of(self._rest.read(len(buffer)))
        n = min(len(buffer), len(self._head))
        buffer[:n], self._head = self._head[:n], self._head[n:]
        return n


def _with_head(stream: Any, size: int) -> tuple[bytes, io.BufferedReader]:
    head = b""
    while len(head) < size:
        piece = _bytes_of(stream.read(size - len(head)))
        if not piece:
            break
        head += piece
    return head, io.BufferedReader(_Rewound(head, stream), _HEAD_BYTES)


def _bytes_of(piece: Any) -> bytes:
    return piece.encode("utf-8", "surrogateescape") if isinstance(piece, str) else piece


def format_of(head: bytes) -> str:
    """ "parquet", "arff" or "csv", by the first bytes."""
    if head.startswith(b"PAR1"):
        return "parquet"
    for line in head.removeprefix(codecs.BOM_UTF8).splitlines():
        line = line.strip()
        if line and not line.startswith(b"%"):
            return "arff" if line[:9].lower() == b"@relation" else "csv"
    return "csv"


def lines_of(stream: Iterable[bytes], encoding: str, name: str, start: int = 1) -> Iterator[str]:
    """Decoded lines with their line ends; a byte that does not decode is reported with its line.

    `start` is the number of the first line of `stream`, which may be the rest of a file.
    """
    if encoding.startswith("utf-16"):
        yield from _lines_in_utf16(stream, name)
        return
    for number, raw in enumerate(stream, start=start):
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if b"\0" in raw:
            raise MalformedFile("the line holds a zero byte: this is not a text file", path=name, line=number)
        try:
            yield raw.decode(encoding)
        except UnicodeDecodeError as error:
            raise MalformedFile(
                f"byte {raw[error.start]:#04x} at position {error.start} of the line is not {encoding}: "
                "pass the file's encoding, for instance encoding='latin-1'",
                path=name,
                line=number,
            ) from error


def _lines_in_utf16(stream: Any, name: str) -> Iterator[str]:
    text = io.TextIOWrapper(stream, encoding="utf-16", newline="")
    number = 0
    try:
        for line in text:
            number += 1
            yield line
    except UnicodeError as error:
        raise MalformedFile(f"the text is not UTF-16 ({error})", path=name, line=number + 1) from error
    finally:
        text.detach()
