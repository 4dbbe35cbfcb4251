"""Every estimator, taught by every kind of rows and labels, says the same to the last bit after loading."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import is_classifier
from tests.common.estimators import answers, each_estimator, make, sample

from widemargin import store

ROWS = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "fortran": np.asfortranarray,
    "csr": sp.csr_array,
    "csr float32": lambda X: sp.csr_matrix(X.astype(np.float32)),
    "pandas": lambda X: pd.DataFrame(X, columns=["alpha", "beta", "größe", "delta"]),
}
LABELS = {
    "numbers": lambda y: y,
    "text": lambda y: np.array(["ä", "no", "perhaps"])[y],
    "objects": lambda y: np.array(["no", "perhaps", "yes"], dtype=object)[y],
    "booleans": lambda y: y > 0,
}


def said(model, X):
    """Answers to the last bit, with the kinds of labels."""
    predicted = model.predict(X)
    return answers(model, X) if predicted.dtype != object else (predicted.tolist(), answers_of_scores(model, X))


def answers_of_scores(model, X):
    return [getattr(model, how)(X).tobytes() for how in ("decision_function", "predict_proba") if hasattr(model, how)]


@each_estimator
@pytest.mark.parametrize("rows", list(ROWS))
def test_after_loading_every_estimator_says_the_same_of_every_kind_of_rows(cls, rows):
    X, y = sample(cls)
    X = ROWS[rows](X)
    model = make(cls).fit(X, y)
    back = store.loads(store.dumps(model))
    assert said(back, X) == said(model, X)


@each_estimator
@pytest.mark.parametrize("labels", list(LABELS))
def test_after_loading_every_classifier_says_the_same_labels(cls, labels):
    if not is_classifier(cls()):
        return
    X, y = sample(cls)
    model = make(cls).fit(X, LABELS[labels](y))
    back = store.loads(store.dumps(model))
    assert back.classes_.dtype == model.classes_.dtype
    assert said(back, X) == said(model, X)
