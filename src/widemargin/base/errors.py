"""The named exceptions of widemargin.

Every message is one sentence or two: what happened, the numbers, what to do. Each class also is the built-in
exception that a caller would expect, so `except ValueError` keeps working.
"""

from __future__ import annotations

from typing import Any


class WidemarginError(Exception):
    """Any error that widemargin raises on purpose."""


class BadInput(WidemarginError, ValueError):
    """The data cannot be used as they are."""


class WrongType(BadInput, TypeError):
    """The data are of a kind that cannot be used here."""


class TooLarge(BadInput):
    """Numbers so large that what is computed of them is not finite."""


class SingleClass(BadInput):
    """All rows that count have one label."""


class MalformedFile(BadInput):
    """A data file breaks the rules of its format; `line` counts from 1."""

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        place = ", ".join(p for p in (path and str(path), line and f"line {line}") if p)
        super().__init__(f"{place}: {message}" if place else message)
        self.path = path
        self.line = line


class DamagedFile(WidemarginError, ValueError):
    """A model file is truncated, altered, or not a model file."""


class UnsupportedFile(WidemarginError, ValueError):
    """A model file is intact, but of a type or version that this widemargin does not know."""


class CannotStore(WidemarginError, ValueError):
    """An object holds something that a model file cannot keep (a function, a foreign object, a NaN in the weights)."""


class DataMismatch(BadInput):
    """A certificate was asked for other data than those of the fit."""


class MemoryBudget(BadInput, MemoryError):
    """The work needs more memory at once than it may have; `needed` and `allowed` are bytes."""

    def __init__(self, message: str, needed: int = 0, allowed: int = 0) -> None:
        super().__init__(message)
        self.needed = needed
        self.allowed = allowed


class NotSeparable(WidemarginError, ValueError):
    """No separator exists; `witness` (lambda >= 0, sum 1, sum lambda y [x, 1] = 0) proves it.

    For kernels x stands for its image in feature space.
    """

    def __init__(self, message: str, witness: Any = None) -> None:
        super().__init__(message)
        self.witness = witness


class NotPositiveSemidefinite(UserWarning):
    """A function that was given as a kernel is none; `witness` (a record of `mercer`) has the c with cᵀKc < 0."""

    def __init__(self, message: str, witness: Any = None) -> None:
        super().__init__(message)
        self.witness = witness


class CannotWrite(WidemarginError, OSError):
    """A file could not be written; what was there before is untouched."""


class MissingExtra(WidemarginError, ImportError):
    """An optional package is needed for this call."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f'{purpose} needs {package}: pip install "widemargin[{extra}]"')
