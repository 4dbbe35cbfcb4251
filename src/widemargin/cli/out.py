"""What a command prints: one JSON document, or tables for people; notes and progress on standard error."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


class Out:
    """Standard output of a command. `data_on_stdout` sends tables to standard error, where they spoil no data."""

    def __init__(self, args: argparse.Namespace, *, data_on_stdout: bool = False) -> None:
        self.json, self.quiet = args.json, args.quiet
        self._stream = sys.stderr if data_on_stdout else sys.stdout

    def document(self, document: dict[str, Any]) -> None:
        """The whole result; printed where JSON was asked for."""
        if self.json:
            self._stream.write(json.dumps(plain(document), ensure_ascii=False, allow_nan=False) + "\n")

    def table(self, title: str, rows: Iterable[Iterable[Any]], head: Iterable[str] | None = None) -> None:
        """A table: with `head` a column each, without one the rows are pairs of name and value."""
        if self.json or self.quiet:
            return
        from rich.table import Table

        lines = [list(row) for row in rows]
        table = Table(show_header=head is not None)
        for i, name in enumerate(head or ("", "")):
            numbers = head is not None and all(row[i] is None or isinstance(row[i], int | float) for row in lines)
            table.add_column(name, justify="right" if numbers else "left", overflow="fold")
        for row in lines:
            table.add_row(*map(shown, row))
        console = self._console()
        console.print(title, style="bold")
        console.print(table)

    def line(self, text: str) -> None:
        if not (self.json or self.quiet):
            self._stream.write(text + "\n")

    def note(self, text: str) -> None:
        """Beside the result: always on standard error."""
        if not self.quiet:
            sys.stderr.write(f"wm: {text}\n")

    def _console(self) -> Any:
        from rich.console import Console

        width = None if self._stream.isatty() else 140
        return Console(file=self._stream, width=width, markup=False, highlight=False, emoji=False)

    @contextmanager
    def progress(self, what: str, total: float | None) -> Iterator[Any]:
        """Yields advance(done, words): a bar for people who watch, now and then a plain line for a log."""
        if self.quiet:
            yield lambda done, words="": None
            return
        if not sys.stderr.isatty():
            lines = _Lines(what, total)
            yield lines
            lines.end()
            return
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True, markup=False), transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda done, words="": bar.update(task, completed=done, description=f"{what} {words}")


class _Lines:
    """Progress as lines on standard error, the first after `EVERY` seconds, so that quick work stays silent."""

    EVERY = 5.0

    def __init__(self, what: str, total: float | None) -> None:
        self.what, self.total = what, total
        self.began = self.told = time.monotonic()

    def __call__(self, done: float, words: str = "") -> None:
        now = time.monotonic()
        if now - self.told < self.EVERY:
            return
        self.told = now
        part = f"{done / self.total:.0%}" if self.total else f"{done:g}"
        sys.stderr.write(f"wm: {self.what}: {part} {words}".rstrip() + "\n")

    def end(self) -> None:
        spent = time.monotonic() - self.began
        if spent >= self.EVERY:
            sys.stderr.write(f"wm: {self.what}: done in {spent:.0f} s\n")


def plain(value: Any) -> Any:
    """Values that JSON has; what is not finite becomes null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def shown(value: Any) -> str:
    """A value in a cell of a table."""
    if value is None:
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        few = ", ".join(map(shown, value[:8]))
        return few if len(value) <= 8 else f"{few}, … ({len(value)})"
    return str(value)


def label_text(label: Any) -> str:
    """A label as it stands in a file."""
    return str(label.item() if isinstance(label, np.generic) else label)
