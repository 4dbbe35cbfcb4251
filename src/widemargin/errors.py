"""The exceptions that widemargin raises on purpose, for those who catch them.

Each also is the built-in exception that a caller would expect, so `except ValueError` keeps working.
"""

from .base.errors import (
    BadInput,
    CannotStore,
    CannotWrite,
    DamagedFile,
    DataMismatch,
    MalformedFile,
    MemoryBudget,
    MissingExtra,
    NotPositiveSemidefinite,
    NotSeparable,
    SingleClass,
    TooLarge,
    UnsupportedFile,
    WidemarginError,
    WrongType,
)

__all__ = [
    "BadInput",
    "CannotStore",
    "CannotWrite",
    "DamagedFile",
    "DataMismatch",
    "MalformedFile",
    "MemoryBudget",
    "MissingExtra",
    "NotPositiveSemidefinite",
    "NotSeparable",
    "SingleClass",
    "TooLarge",
    "UnsupportedFile",
    "WidemarginError",
    "WrongType",
]
