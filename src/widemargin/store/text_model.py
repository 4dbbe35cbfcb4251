"""The heads of LIBSVM's and LIBLINEAR's model files: ``name value …`` lines up to a last word, then numbers.

Nothing that a head announces is believed before the lines that follow bear it out; what is wrong is told with its line.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from ..base.errors import CannotStore, DamagedFile

WHOLE_LIMIT = 2**31  # whole numbers of both programs have 32 bits


class TextReading:
    """A file as lines, and its head as it is found; a subclass says which entries there are."""

    program: ClassVar[str]
    last_word: ClassVar[str]  # of the head
    words: ClassVar[frozenset[str]]  # entries of one word
    whole: ClassVar[frozenset[str]]  # of one whole number
    real: ClassVar[frozenset[str]]  # of one number
    wholes: ClassVar[frozenset[str]]  # of several whole numbers
    reals: ClassVar[frozenset[str]]
    ignored: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, name: str, lines: list[bytes]) -> None:
        self.name, self.lines = name, lines
        self.head: dict[str, Any] = {}
        self.at: dict[str, int] = {}  # the line of each

    def fault(self, line: int, reason: str) -> DamagedFile:
        return DamagedFile(f"{self.name}, line {line}: {reason}")

    def read_head(self) -> int:
        """Reads up to the last word of the head and returns its line, from 1."""
        for number, line in enumerate(self.lines, 1):
            words = line.decode("ascii", errors="replace").split()
            if words == [self.last_word]:
                return number
            if words:
                self._entry(number, words[0], words[1:])
        told = f"the file ends without the line {self.last_word}: it is cut off, or no model of {self.program}"
        raise self.fault(len(self.lines), told)

    def _entry(self, line: int, key: str, values: list[str]) -> None:
        several = self.wholes | self.reals
        if key not in self.words | self.whole | self.real | several | self.ignored:
            raise self.fault(line, f"{key[:40]!r} is no entry of a {self.program} model")
        if key in self.head:
            raise self.fault(line, f"{key} stands there twice, first in line {self.at[key]}")
        self.at[key] = line
        if key in several:
            kind = int if key in self.wholes else float
            self.head[key] = np.array([self.number(line, key, v, kind) for v in values], np.dtype(kind))
            return
        if key in self.ignored:
            return
        if len(values) != 1:
            raise self.fault(line, f"{key} has {len(values)} values where one is due")
        kind = int if key in self.whole else float
        self.head[key] = values[0] if key in self.words else self.number(line, key, values[0], kind)

    def number(self, line: int, key: str, text: str, kind: Any) -> Any:
        try:
            value = math.nan if "_" in text else kind(text)  # Python's own 1_000 is no number here
        except ValueError:
            value = math.nan
        if kind is int and abs(value) >= WHOLE_LIMIT:
            raise self.fault(line, f"{key} holds {text[:40]!r}, which has more than 32 bits")
        if not math.isfinite(value):
            raise self.fault(line, f"{key} holds {text[:40]!r}, which is no finite {'whole ' * (kind is int)}number")
        return value

    def need(self, key: str, line: int) -> Any:
        if key not in self.head:
            raise self.fault(line, f"the header ends without {key}")
        return self.head[key]

    def labels_of(self, k: int, line: int) -> np.ndarray:
        """The labels of k classes."""
        labels = self.need("label", line)
        if len(labels) != k:
            raise self.fault(self.at["label"], f"label has {len(labels)} values, {k} are due for {k} classes")
        if len(set(labels.tolist())) != k:
            raise self.fault(self.at["label"], "a label stands there twice")
        return labels


def head_lines(entries: list[tuple[str, list[Any]]]) -> list[str]:
    """Entries as text; Python's numbers read back as the same."""
    return [" ".join([key, *map(str, values)]) for key, values in entries]


def label_order(classes: np.ndarray, order: Any, program: str) -> tuple[np.ndarray, np.ndarray]:
    """Labels as both programs order them, by default +1 before -1 and else ascending, and their places in `classes`."""
    numbers = classes.astype(np.float64) if classes.dtype.kind in "iuf" else np.array([np.nan])
    whole = np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all()
    if not (whole and (np.abs(numbers) < WHOLE_LIMIT).all()):
        told = f"A {program} file keeps whole numbers of 32 bits as labels, not {classes[:4].tolist()}: code them."
        raise CannotStore(told)
    numbers = numbers.astype(np.int64)
    if order is None:
        order = [1, -1] if numbers.tolist() == [-1, 1] else numbers
    order = np.asarray(order, dtype=np.int64)
    if sorted(order.tolist()) != numbers.tolist():
        raise CannotStore(f"the order names {order.tolist()}, the classes are {numbers.tolist()}.")
    return order, np.searchsorted(numbers, order)
