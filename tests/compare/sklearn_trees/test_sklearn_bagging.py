"""Every test of sklearn/ensemble/tests/test_bagging.py that bagging.txt does not name."""

import pytest
from tests.compare.borrowed import borrowed_tests
from tests.compare.sklearn_trees.classes import OURS

pytestmark = pytest.mark.filterwarnings("default")  # scikit-learn's tests do not make warnings errors
globals().update(borrowed_tests("sklearn.ensemble.tests.test_bagging", OURS))
