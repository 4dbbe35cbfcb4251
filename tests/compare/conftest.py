"""What scikit-learn's tests expect of their surroundings, and which of them are left out."""

from __future__ import annotations

import pytest
from tests.compare.borrowed import lists

TOTALS = pytest.StashKey[dict]()


def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: of scikit-learn's tests")


def pytest_collection_modifyitems(config, items):
    config.stash[TOTALS] = {}
    gone = set()
    for path, left_out in lists().items():
        here = [item for item in items if item.path == path]
        if not here:
            continue
        reason_of = {item: left_out.get(item.name) or left_out.get(item.originalname) for item in here}
        gone |= {item for item, reason in reason_of.items() if reason}
        config.stash[TOTALS][path.stem] = {
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
