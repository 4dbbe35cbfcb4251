"""What scikit-learn's tests expect of their surroundings, and which of them are left out."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
TOTALS = pytest.StashKey[dict]()


def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: of scikit-learn's tests")


def listed() -> dict[str, tuple[str, str]]:
    """{test: (reason, why)} of deselected.txt: three columns, divided by |."""
    lines = (HERE / "deselected.txt").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|", 2)] for line in lines if line.strip() and line[0] != "#"]
    return {name: (reason, why) for name, reason, why in rows}


def pytest_collection_modifyitems(config, items):
    """A line without brackets stands for all cases of a test."""
    left_out = listed()
    here = [item for item in items if item.path == HERE / "test_sklearn_boosting.py"]
    reason_of = {item: left_out.get(item.name) or left_out.get(item.originalname) for item in here}
    gone = {item for item, reason in reason_of.items() if reason}
    config.stash[TOTALS] = {
        "scope": sum(not reason or reason[0] != "not ours" for reason in reason_of.values()),
        "gone": sum(bool(reason) and reason[0] != "not ours" for reason in reason_of.values()),
        "unknown": set(left_out) - {n for item in here for n in (item.name, item.originalname)},
    }
    if gone:
        config.hook.pytest_deselected(items=list(gone))
        items[:] = [item for item in items if item not in gone]


@pytest.fixture
def global_random_seed():
    return 42
