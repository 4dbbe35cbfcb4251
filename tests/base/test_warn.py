"""A warning points at the line of the user, not at one of ours or of those in between."""

import warnings

import numpy as np
import pytest
from scipy.linalg import LinAlgWarning
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import widemargin as wm
from widemargin.base.errors import NotPositiveSemidefinite
from widemargin.base.warn import warn
from widemargin.kernels import Tanh

X = np.random.default_rng(0).normal(size=(40, 2))
y = np.where(X[:, 0] > 0, 1, -1)
NEGATIVE = np.where(np.arange(40) == 7, -1.0, 1.0)

CASES = {
    "negative weight, SVC": (DataConversionWarning, lambda: wm.SVC().fit(X, y, sample_weight=NEGATIVE)),
    "negative weight, NuSVR": (DataConversionWarning, lambda: wm.NuSVR().fit(X, y, sample_weight=NEGATIVE)),
    "negative weight, one class": (DataConversionWarning, lambda: wm.OneClassSVM().fit(X, sample_weight=NEGATIVE)),
    "cut off, SVC": (ConvergenceWarning, lambda: wm.SVC(C=100.0, max_iter=1).fit(X, y)),
    "cut off, SVR": (ConvergenceWarning, lambda: wm.SVR(C=100.0, max_iter=1).fit(X, y)),
    "out of time": (ConvergenceWarning, lambda: wm.SVCCV(max_time=1e-6, refit=False).fit(X, y)),
    "column of labels": (DataConversionWarning, lambda: wm.Perceptron().fit(X, y[:, None])),
    "no kernel": (NotPositiveSemidefinite, lambda: wm.SVC(kernel=Tanh(1.0, -1.0)).fit(X, y)),
    "singular": (LinAlgWarning, lambda: wm.KernelRidge(kernel="linear", alpha=1e-300).fit(X, y)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_warning_points_at_the_line_that_called(name):
    category, call = CASES[name]
    with pytest.warns(category) as told:
        call()
    here = [w for w in told if issubclass(w.category, category)]
    assert here
    for warning in here:
        assert (warning.filename, warning.lineno) == (__file__, call.__code__.co_firstlineno)


def test_a_warning_without_a_caller_outside_is_still_told():
    inside: dict = {"__name__": "widemargin.somewhere", "warn": warn}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        exec("warn('so', UserWarning)", inside)
    assert [str(w.message) for w in told] == ["so"]
