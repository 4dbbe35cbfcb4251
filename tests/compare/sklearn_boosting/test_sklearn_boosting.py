"""Every test of sklearn/ensemble/tests/test_weight_boosting.py that deselected.txt does not name."""

import pytest
from tests.compare.sklearn_boosting.patched import patched_tests

pytestmark = pytest.mark.filterwarnings("default")  # scikit-learn's tests do not make warnings errors
globals().update({name: value for name, value in vars(patched_tests()).items() if name.startswith("test_")})
