"""Every test of sklearn/svm/tests/test_svm.py that deselected.txt does not name."""

import pytest
from tests.compare.sklearn_svm.patched import patched_tests

pytestmark = [
    pytest.mark.filterwarnings("default"),  # scikit-learn's tests do not make warnings errors
    *(
        pytest.mark.filterwarnings(f"ignore:{words}")  # what they lead to and do not look at
        for words in ("Liblinear failed to converge", "Solver terminated early", "sample_weight is -")
    ),
]
globals().update({name: value for name, value in vars(patched_tests()).items() if name.startswith("test_")})
