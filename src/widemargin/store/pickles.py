"""Pickled estimators: the rules of model files, for objects that were never meant for a file.

A pickle can run code, so this is no defence against who wrote it. It is one against broken arrays: what obeys the rules
cannot lead a native loop astray. Objects of classes that the table does not know (kernels and members of users) are let
pass, and so is what an unfinished fit has left out.
"""

from __future__ import annotations

from typing import Any

from ..base.errors import DamagedFile
from ..base.pickles import LookedOver
from .registry import entry_named
from .table import TABLE
from .values import MAX_DEPTH, Violation

_PLAIN = (str, int, float, bool, type(None))


def look_over(estimator: Any) -> None:
    """Raise DamagedFile unless the estimator, and all stored objects in it, obey the rules of their types."""
    names = {spec.target: name for name, spec in TABLE.items()}
    try:
        _look(estimator, names, 0)
    except (Violation, ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
        raise DamagedFile(
            f"the pickled {type(estimator).__name__} is not valid ({error}): pickle it anew, or train again."
        ) from error


def _target(value: Any) -> str:
    return f"{type(value).__module__}:{type(value).__qualname__}"


def _look(obj: Any, names: dict[str, str], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise Violation(f"it is nested more than {MAX_DEPTH} deep")
    if _target(obj) in names:
        entry = entry_named(names[_target(obj)])
        if entry.look is not None:
            entry.look(obj, lambda part: _target(part) in names)
        else:
            entry.validate(obj)
        for value in vars(obj).values():
            _look_inside(value, names, depth)


def _look_inside(value: Any, names: dict[str, str], depth: int) -> None:
    if isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            if type(item) not in _PLAIN:
                _look_inside(item, names, depth + 1)
    elif not isinstance(value, LookedOver):  # those were looked over when they came out of the pickle
        _look(value, names, depth + 1)
