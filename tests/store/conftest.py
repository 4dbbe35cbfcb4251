import pytest
from tests.store.toys import SPECS

from widemargin.store.registry import temporarily


@pytest.fixture(autouse=True)
def _toys_can_be_stored():
    with temporarily(SPECS):
        yield
