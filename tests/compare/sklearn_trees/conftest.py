"""What scikit-learn's tests expect of their surroundings."""

from __future__ import annotations

import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: of scikit-learn's tests")


@pytest.fixture
def global_random_seed():
    return 42
