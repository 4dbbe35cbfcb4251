"""Where mails lie: a file with one, an mbox, a Maildir, a folder with a file for each, a table with texts."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..base.errors import BadInput
from .mail import MAX_BYTES
from .source import open_bytes

TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.xz", ".tsv.xz")


def read_mails(source: str | os.PathLike[str]) -> Iterator[tuple[str, bytes]]:
    """(name, mail) of every mail of a place.

    Parameters
    ----------
    source : path, or "-" for standard input
        A folder: all files in it and below, or those in `cur` and `new` of a Maildir, in the order of their names. A
        file that begins with "From " is an mbox; any other file is one mail.
    """
    path = os.fspath(source)
    if path != "-" and os.path.isdir(path):
        found = False
        for file in _files(Path(path)):
            found = True
            with open(file, "rb") as opened:
                yield str(file), opened.read(MAX_BYTES)
        if not found:
            raise BadInput(f"{path} is a folder without mails: give one with a file for each, an mbox or a table")
        return
    with nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as stream:
        head = stream.read(5)
        if not head:
            raise BadInput(f"{'standard input' if path == '-' else path} is empty: a mail has at least one line")
        if head == b"From ":
            yield from ((f"{path}:{k}", mail) for k, mail in enumerate(_mbox(head, stream), 1))
        else:
            yield path, head + stream.read(MAX_BYTES)


def _files(folder: Path) -> list[Path]:
    maildir = [folder / name for name in ("cur", "new")]
    if all(part.is_dir() for part in maildir):
        return sorted(file for part in maildir for file in part.iterdir() if file.is_file())
    return sorted(
        file
        for file in folder.rglob("*")
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )


def _mbox(head: bytes, stream: Any) -> Iterator[bytes]:
    """Mails between lines that begin with "From " after a blank one; of a long mail only the beginning is held."""
    lines: list[bytes] = []
    size, blank = 0, True
    for line in _lines(head, stream):
        if line.startswith(b"From ") and blank and lines:
            yield b"".join(lines)
            lines, size = [], 0
        if size < MAX_BYTES:
            lines.append(line[1:] if line.startswith(b">From ") else line)
            size += len(line)
        blank = line in (b"\n", b"\r\n")
    if lines:
        yield b"".join(lines)


def _lines(rest: bytes, stream: Any) -> Iterator[bytes]:
    for piece in iter(lambda: stream.read(1 << 16), b""):
        lines = (rest + piece).split(b"\n")
        rest = lines.pop()
        if len(rest) > MAX_BYTES:  # no line of a mail is as long
            lines.append(rest)
            rest = b""
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest


def is_blank(mail: str | bytes) -> bool:
    """Whether nothing stands in a mail, but for the line that begins it in an mbox."""
    if isinstance(mail, bytes) and mail.startswith(b"From "):
        mail = mail.partition(b"\n")[2]
    return not mail.strip()


def is_mail_table(path: str) -> bool:
    """Whether a path names a table of mails."""
    return path.lower().endswith(TABLES)


def read_mail_table(
    source: str, text: str | None = None, target: str | None = None, encoding: str = "utf-8"
) -> tuple[list[str], list[str] | None]:
    """Texts and labels of a table of mails.

    Parameters
    ----------
    source : path of a CSV or TSV file with a header
    text : str, optional
        Name of the column with the texts; by default the only column beside the target, or the one called "text",
        "message", "mail", "body" or "content".
    target : str, optional
        Name of the column with the labels; without one there are no labels.
    encoding : str
        Of the file.
    """
    with open_bytes(source) as opened:
        content = opened.stream.read().decode(encoding, "replace")
    rows = csv.reader(content.splitlines(keepends=True), delimiter="\t" if ".tsv" in source.lower() else ",")
    before = csv.field_size_limit(min(sys.maxsize, 1 << 30))
    try:
        names = next(rows, [])
        lines = [row for row in rows if row]
    except csv.Error as error:
        raise BadInput(f"{source}, line {rows.line_num}: {error}") from error
    finally:
        csv.field_size_limit(before)
    label = None if target is None else _column(source, names, target)
    place = _column(source, names, text) if text is not None else _text_column(source, names, label)
    short = next((k for k, row in enumerate(lines, 2) if len(row) <= max(place, label or 0)), None)
    if short is not None:
        raise BadInput(f"{source}, row {short}: there are {len(lines[short - 2])} columns where {len(names)} are due")
    return [row[place] for row in lines], None if label is None else [row[label] for row in lines]


def _column(source: str, names: list[str], wanted: str) -> int:
    if wanted in names:
        return names.index(wanted)
    near = get_close_matches(wanted, names, 1)
    guess = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, names[:8]))}"
    raise BadInput(f"{source} has no column {wanted!r}; {guess}")


def _text_column(source: str, names: list[str], label: int | None) -> int:
    others = [k for k in range(len(names)) if k != label]
    usual = [k for k in others if names[k].strip().lower() in ("text", "message", "mail", "body", "content")]
    if len(others) == 1 or usual:
        return (usual or others)[0]
    raise BadInput(f"{source} has the columns {', '.join(map(repr, names[:8]))}: say with text= which holds the mails")
