"""What a weight means: 0 is a row that is absent, 3 one that stands there three times."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.common.estimators import (
    answers,
    depends_on_order,
    draws_rows,
    each_classifier,
    each_estimator,
    ends_by_gap,
    fingerprint,
    make,
    sample,
    schemed,
    takes,
    weights,
)

import widemargin as wm

ROW_NUMBERS = {  # as the rows stand in the X of fit
    *("given_up_", "given_up_by_part_", "support_", "unused_", "shape_fit_", "slacks_", "drawn_from_")
}


def learnt(model, *without):
    return {name: value for name, value in fingerprint(model).items() if name not in ROW_NUMBERS | set(without)}


@each_estimator
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_weight_zero_is_a_row_absent(cls, container):
    X, y = sample(cls)
    w = weights(len(y))
    here = w > 0
    assert 0 < here.sum() < len(y)
    model = make(cls).fit(container(X), y, sample_weight=w)
    assert learnt(model) == learnt(make(cls).fit(container(X[here]), y[here], sample_weight=w[here]))
    assert wm.certify(model, container(X), y, sample_weight=w).holds == model.certificate_.holds
    ones = here.astype(float)
    assert learnt(make(cls).fit(X, y, sample_weight=ones)) == learnt(make(cls).fit(X[here], y[here]))


@each_estimator
def test_what_stands_in_a_row_of_weight_zero_does_not_matter(cls):
    X, y = sample(cls)
    w = weights(len(y))
    model = make(cls).fit(X, y, sample_weight=w)
    X[w == 0] = np.inf
    assert fingerprint(make(cls).fit(X, y, sample_weight=w)) == fingerprint(model)


@each_estimator
def test_weight_one_is_no_weight(cls):
    X, y = sample(cls)
    plain = fingerprint(make(cls).fit(X, y))
    for ones in (np.ones(len(y)), 1.0, [1] * len(y), np.ones(len(y), np.float32), np.ones(len(y), bool)):
        assert fingerprint(make(cls).fit(X, y, sample_weight=ones)) == plain


@each_classifier
def test_a_class_without_weight_is_absent(cls):
    if not takes(cls, "class_weight"):
        return
    X, y = sample(cls)
    here = y != 1
    absent = make(cls).fit(X[here], y[here])
    by_rows = make(cls).fit(X, y, sample_weight=here.astype(float))
    by_class = make(cls, class_weight={1: 0}).fit(X, y)
    assert by_rows.classes_.tolist() == by_class.classes_.tolist() == [0, 2]
    assert learnt(by_rows) == learnt(absent) == learnt(by_class)
    assert wm.certify(by_rows, X, y, here.astype(float)).holds == absent.certificate_.holds
    assert wm.certify(by_class, X, y).holds == absent.certificate_.holds


@each_estimator
def test_partial_fit_takes_weight_zero_as_absent(cls):
    if not hasattr(cls, "partial_fit"):
        return
    X, y = sample(cls)
    w = weights(len(y))
    here = w > 0
    first = {"classes": [0, 1, 2]} if hasattr(cls, "decision_function") else {}
    one = make(cls).partial_fit(X, y, sample_weight=w, **first)
    two = make(cls).partial_fit(X[here], y[here], sample_weight=w[here], **first)
    assert answers(one, X) == answers(two, X)


@each_estimator
def test_whole_weights_are_repeated_rows(cls):
    """Exactly, where an optimum is sought, to rounding where linear equations lead to it. Online learners depend on the
    order of the rows: for them the mean decision over 200 orders agrees within 3 standard errors of the difference, at
    every probe."""
    X, y = sample(cls, n=24, d=3, k=2, seed=5)
    w = weights(len(y), seed=6)
    X2, y2 = np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int))
    if draws_rows(cls):  # tests/estimator/test_forest.py
        return
    if not depends_on_order(cls):
        one, two = make(cls).fit(X, y, sample_weight=w), make(cls).fit(X2, y2)
        if takes(cls, "kernel") or ends_by_gap(cls) or cls is wm.BrownBoostClassifier:
            np.testing.assert_allclose(scores_of(one, X), scores_of(two, X), rtol=1e-9, atol=1e-9)
        else:
            assert answers(one, X) == answers(two, X)
        return
    scores = np.array(
        [
            [scores_of(make(cls, random_state=seed, max_iter=3).fit(X, y, sample_weight=w), X) for seed in range(200)],
            [scores_of(make(cls, random_state=seed, max_iter=3).fit(X2, y2), X) for seed in range(1000, 1200)],
        ]
    )
    means, errors = scores.mean(axis=1), scores.std(axis=1, ddof=1) / np.sqrt(200)
    assert np.abs(means[0] - means[1]).max() > 0
    assert (np.abs(means[0] - means[1]) <= 3 * np.hypot(*errors)).all()


def scores_of(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


@each_classifier
@pytest.mark.parametrize("scheme", ["ovr", "ovo"])
def test_class_weights_multiply_sample_weights(cls, scheme):
    if not takes(cls, "class_weight"):
        return
    X, y = sample(cls)
    w, factors = weights(len(y)), np.array([0.5, 2.0, 1.0])
    one = {"Cs": [1.0]} if takes(cls, "Cs") else {}  # class weights have no part in the scores of a search
    one |= schemed(cls, scheme)
    by_class = make(cls, class_weight={0: 0.5, 1: 2.0}, **one).fit(X, y, sample_weight=w)
    by_row = make(cls, **one).fit(X, y, sample_weight=w * factors[y])
    assert learnt(by_class, "class_weight_", "path_") == learnt(by_row, "class_weight_", "path_")
    if "Cs" in one:
        np.testing.assert_array_equal(by_class.path_.gaps, by_row.path_.gaps)
    assert fingerprint(by_class) != fingerprint(make(cls, **schemed(cls, scheme)).fit(X, y, sample_weight=w))


@each_classifier
def test_balanced_counts_weights(cls):
    """n_c is the sum of the weights of class c: total / (classes x n_c)."""
    if not takes(cls, "class_weight") or takes(
        cls, "n_estimators"
    ):  # rounding decides between equal cuts of many trees
        return
    X, y = sample(cls)
    w = weights(len(y)) * (y + 1)
    counts = np.bincount(y, weights=w)
    factors = counts.sum() / (3 * counts)
    one = {"Cs": [1.0]} if takes(cls, "Cs") else {}  # a search balances the rows of each fold
    balanced = make(cls, class_weight="balanced", **one).fit(X, y, sample_weight=w)
    by_row = make(cls, **one).fit(X, y, sample_weight=w * factors[y])
    np.testing.assert_allclose(scores_of(balanced, X), scores_of(by_row, X), rtol=1e-9, atol=1e-9)
    assert answers(balanced, X) != answers(make(cls, **one).fit(X, y, sample_weight=w), X)


@each_estimator
def test_scores_are_weighted(cls):
    if not hasattr(cls, "score"):
        return
    X, y = sample(cls)
    model = make(cls).fit(X, y)
    w = weights(len(y))
    times = w.astype(int)
    expected = model.score(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert model.score(X, y, sample_weight=w) == pytest.approx(expected)
