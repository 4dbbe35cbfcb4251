"""scikit-learn's own tests, run against our classes: the modules as installed, and the lists of what is left out.

The list of test_sklearn_NAME.py is NAME.txt beside it: test | reason | why. A test without brackets stands for all its
cases. Reasons are four, and "not ours" for tests that never touch one of our classes: these do not count.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

HERE = Path(__file__).parent
PREFIX = "test_sklearn_"
REASONS = {"private attribute", "exact iteration count", "wording of a message", "departure", "not ours"}


def borrowed_tests(name: str, ours: dict[str, dict[str, Any]], **also: Any) -> dict[str, Any]:
    """The tests of the installed module `name`, run anew with `ours` ({module: {class name: class}}) in place of
    scikit-learn's: both its imports and its later look-ups find them. `also` sets further names of the module."""
    importlib.import_module(name)  # what it leads to is loaded with scikit-learn's own classes
    spec = importlib.util.find_spec(name)
    module = importlib.util.module_from_spec(spec)
    with ExitStack() as stack:
        for place, classes in ours.items():
            stack.enter_context(mock.patch.multiple(importlib.import_module(place), **classes))
        spec.loader.exec_module(module)
    for place, classes in ours.items():
        _look_up_ours(module, importlib.import_module(place), classes)
    vars(module).update(also)
    tests = {key: value for key, value in vars(module).items() if key.startswith("test_")}
    for test in tests.values():
        test.pytestmark = [_lasting(mark) for mark in getattr(test, "pytestmark", [])]
    return tests


def _lasting(mark: pytest.Mark) -> pytest.Mark:
    """Cases that an iterator would give once are kept in a list."""
    if mark.name != "parametrize" or not isinstance(mark.args[1], Iterator):
        return mark
    return pytest.mark.parametrize(mark.args[0], list(mark.args[1]), *mark.args[2:], **mark.kwargs).mark


def _look_up_ours(module: ModuleType, place: ModuleType, classes: dict[str, Any]) -> None:
    """A whole package that the tests import becomes a copy in which our classes stand."""
    for key, value in list(vars(module).items()):
        if value is place:
            copy = ModuleType(place.__name__)
            vars(copy).update({**vars(place), **classes})
            setattr(module, key, copy)


def lists() -> dict[Path, dict[str, tuple[str, str]]]:
    """{test file: {test: (reason, why)}} of all lists."""
    return {path: listed(path) for path in sorted(HERE.glob(f"*/{PREFIX}*.py"))}


def listed(test_file: Path) -> dict[str, tuple[str, str]]:
    lines = test_file.with_name(f"{test_file.stem.removeprefix(PREFIX)}.txt").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|", 2)] for line in lines if line.strip() and line[0] != "#"]
    return {name: (reason, why) for name, reason, why in rows}
