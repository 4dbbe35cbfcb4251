"""Every test of sklearn/ensemble/tests/test_weight_boosting.py that boosting.txt does not name."""

import pytest
from tests.compare.borrowed import borrowed_tests

import widemargin as wm

pytestmark = pytest.mark.filterwarnings("default")  # scikit-learn's tests do not make warnings errors
OURS = {name: getattr(wm, name) for name in ("AdaBoostClassifier", "AdaBoostRegressor")}
globals().update(borrowed_tests("sklearn.ensemble.tests.test_weight_boosting", {"sklearn.ensemble": OURS}))
