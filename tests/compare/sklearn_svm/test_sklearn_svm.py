"""Every test of sklearn/svm/tests/test_svm.py that svm.txt does not name."""

import pytest
from tests.compare.borrowed import borrowed_tests

import widemargin as wm

pytestmark = [
    pytest.mark.filterwarnings("default"),  # scikit-learn's tests do not make warnings errors
    *(
        pytest.mark.filterwarnings(f"ignore:{words}")  # what they lead to and do not look at
        for words in ("Liblinear failed to converge", "Solver terminated early", "sample_weight is -")
    ),
]
OURS = {name: getattr(wm, name) for name in ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR")}
globals().update(borrowed_tests("sklearn.svm.tests.test_svm", {"sklearn.svm": OURS}))
