"""Data that are odd but no fault, and models after a fit that failed."""

from __future__ import annotations

import warnings
from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import LinAlgWarning
from sklearn.exceptions import ConvergenceWarning
from tests.common.estimators import (
    each_classifier,
    each_estimator,
    ends_by_gap,
    is_ensemble,
    make,
    reads_targets,
    sample,
    takes,
)

from widemargin.base.errors import BadInput

FINE = {
    "constant columns": lambda X: np.ones_like(X),
    "all zero": lambda X: np.zeros_like(X),
    "an empty CSR": lambda X: sp.csr_array(X.shape),
    "equal rows": lambda X: np.tile(X[0], (len(X), 1)),
    "tiny": lambda X: X * 1e-300,
    "denormal": lambda X: X * 5e-324,
    "large": lambda X: X * 1e98,
    "largest float32": lambda X: np.where(X > 0, np.finfo(np.float32).max, X).astype(np.float32),
    "minus zero": lambda X: np.where(X == 0, -0.0, X),
    "one column": lambda X: X[:, :1],
    "more columns than rows": lambda X: np.tile(X, 30),
}


@pytest.mark.parametrize("how", FINE)
@each_estimator
def test_odd_data_that_are_no_fault(cls, how):
    """A model without warning or NaN, and a certificate that does not fail."""
    X, y = sample(cls)
    if how == "large" and is_ensemble(cls):  # beyond float32; test_bad_input.py has what is said then
        return
    X = FINE[how](X)
    # Sums of 3e38 that cancel to 1e-38 leave float64 no proof of an optimum: a linear machine says so.
    coarse = how == "largest float32" and takes(cls, "regularize_intercept")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if coarse else "error", ConvergenceWarning)
        model = make(cls).fit(X, y)
    assert model.predict(X).shape == (45,)
    assert np.isfinite(model.predict(X).astype(float)).all()
    assert model.certificate_.holds is not False


@pytest.mark.filterwarnings("ignore:2 of 2 candidates did not reach gap_tol")  # a search says it of its folds too
@pytest.mark.parametrize("w", [1e-300, 1e-9, 17.25, 1e30])
@each_estimator
def test_light_and_heavy_rows(cls, w):
    X, y = sample(cls)
    weight = np.where(np.arange(45) % 2 == 0, w, 1.0)
    # Two equal rows of weight 1e30 leave linear equations singular in float64: that is said, and the model is usable.
    singular = w > 1e15 and not takes(cls, "max_iter") and not is_ensemble(cls)
    # Where some bounds are 1e30 times others, a violation of 0.001 is far below rounding.
    coarse = w > 1e15 and ends_by_gap(cls)
    said = (
        warnings.catch_warnings(action="ignore", category=ConvergenceWarning)  # some reach it all the same
        if coarse and takes(cls, "regularize_intercept")
        else pytest.warns(LinAlgWarning, match="raise alpha")
        if singular
        else pytest.warns(ConvergenceWarning, match="rounding allows no further step .* asked: scale")
        if coarse
        else nullcontext()
    )
    with said:
        model = make(cls).fit(X, y, sample_weight=weight)
    assert np.isfinite(model.predict(X).astype(float)).all()
    assert model.certificate_.holds is not False


@each_classifier
def test_two_rows_of_two_classes_are_enough(cls):
    if cls.__name__ == "DecisionForestClassifier":  # trees that share two rows know one class each
        return
    if takes(cls, "cv"):  # one row of a class cannot be trained on and held out
        with pytest.raises(ValueError, match="n_splits=2 cannot be greater"):
            make(cls).fit([[0.0], [1.0]], ["no", "yes"])
        return
    model = make(cls).fit([[0.0], [1.0]], ["no", "yes"])
    assert model.predict([[-5.0], [6.0]]).tolist() == ["no", "yes"]


@each_estimator
def test_a_failed_fit_leaves_the_old_model_usable_or_none(cls):
    X, y = sample(cls)
    model = make(cls).fit(X, y)
    before = model.predict(X)
    holed = X.copy()
    holed[3, 3] = np.inf
    for bad in ((X[:-1], y), (holed, y)) if reads_targets(cls) else ((holed, y),):
        with pytest.raises(BadInput):
            model.fit(*bad)
        np.testing.assert_array_equal(model.predict(X), before)
