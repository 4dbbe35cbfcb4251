"""Warnings that point at the line of whoever called the library, however deep inside they arise."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

# scikit-learn's callbacks wrap `fit`: a frame of theirs lies between ours and the caller's.
_INSIDE = ("widemargin", "sklearn.callback")


def warn(message: Warning | str, category: type[Warning] | None = None) -> None:
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and _inside(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _inside(module: str) -> bool:
    return any(module == name or module.startswith(name + ".") for name in _INSIDE)
