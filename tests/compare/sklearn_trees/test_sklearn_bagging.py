"""Every test of scikit-learn's module of this name that deselected.txt does not name."""

import pytest
from tests.compare.sklearn_trees.patched import patched_tests

pytestmark = pytest.mark.filterwarnings("default")  # scikit-learn's tests do not make warnings errors
module = patched_tests("sklearn.ensemble.tests.test_bagging")
globals().update({name: value for name, value in vars(module).items() if name.startswith("test_")})
