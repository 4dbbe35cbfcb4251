"""What Python's `str` and `re` say of every code point, as a table for the core: words are the same words in both."""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from .. import _core

# Small letters of these depend on their neighbours or are two: documents that hold one are made small by Python.
SPECIAL = re.compile("[\u0130\u03a3]")
_KINDS = ((r"\w", 1), (r"\s", 2), (r"\d", 4))
_UPPER = 8


@cache
def letter_table() -> _core.LetterTable:
    """Made once, when text is first read."""
    plane = np.arange(0x110000, dtype="<u4")
    every = plane.tobytes().decode("utf-32-le", "surrogatepass")
    kind = np.zeros(len(plane), dtype=np.uint8)
    for pattern, bit in _KINDS:
        for run in re.finditer(f"{pattern}+", every):
            kind[run.start() : run.end()] |= bit
    plain = SPECIAL.sub("?", every)
    small = np.frombuffer(plain.lower().encode("utf-32-le", "surrogatepass"), dtype="<u4").copy()
    small[[0x130, 0x3A3]] = [0x130, 0x3A3]
    kind[small != plane] |= _UPPER
    kind[[0x130, 0x3A3]] |= _UPPER
    return _core.LetterTable(small.astype(np.uint32), kind)
