"""Folds of groups: those of scikit-learn, which takes far longer."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedGroupKFold

from widemargin.errors import BadInput
from widemargin.study.group_folds import StratifiedGroups
from widemargin.study.tuning_plan import folds_of


def same_folds(y, groups, folds, seed, shuffle=True):
    theirs = StratifiedGroupKFold(folds, shuffle=shuffle, random_state=seed if shuffle else None)
    ours = StratifiedGroups(folds, shuffle=shuffle, random_state=seed)
    rows = np.zeros(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer rows than folds
        wanted = list(theirs.split(rows, y, groups))
    for (train, test), (other_train, other_test) in zip(wanted, ours.split(rows, y, groups), strict=True):
        assert np.array_equal(test, other_test)
        assert np.array_equal(train, other_train)


@given(
    st.integers(0, 2**31 - 1),
    st.integers(10, 80),
    st.integers(2, 9),
    st.integers(2, 6),
    st.floats(0.1, 3),
    st.booleans(),
)
def test_folds_are_those_of_scikit_learn(seed, n, folds, classes, crowding, shuffle):
    r = np.random.default_rng(seed)
    y = r.integers(classes, size=n)
    y[: 2 * classes] = np.repeat(np.arange(classes), 2)[:n]
    groups = r.integers(max(folds, int(n / crowding)), size=n)
    groups[:folds] = np.arange(folds)
    if np.bincount(y).max() >= folds:
        same_folds(y, groups, folds, seed, shuffle)


@pytest.mark.parametrize(("classes", "folds"), [(26, 4), (200, 5), (2, 10)])
def test_folds_of_many_classes_or_rows_are_those_of_scikit_learn(classes, folds):
    r = np.random.default_rng(1)
    y = r.permutation(np.arange(1200) % classes)
    groups = np.arange(1200)
    groups[r.integers(1200, size=90)] = r.integers(1200, size=90)
    same_folds(y.astype(str), groups, folds, 0)


def test_no_group_is_parted_and_classes_keep_their_shares():
    r = np.random.default_rng(2)
    y, groups = r.integers(3, size=600), r.integers(250, size=600)
    fold = StratifiedGroups(4).fold_of(y, groups)
    assert all(len(set(fold[groups == g])) == 1 for g in np.unique(groups))
    shares = np.array([np.bincount(y[fold == k], minlength=3) for k in range(4)]) / np.bincount(y)
    assert np.abs(shares - 0.25).max() < 0.02


def test_a_single_label_is_named_as_the_user_wrote_it():
    with pytest.raises(BadInput, match="the label 'same': there is nothing to decide"):
        folds_of(np.array(["same"] * 20), "classes", None, None, 0)
