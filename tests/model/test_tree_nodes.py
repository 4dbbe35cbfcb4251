"""Nodes of trees: two words or four, keys instead of numbers; whoever walks them comes to the same leaves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import widemargin as wm
from widemargin import _core
from widemargin.model.trees import LINES, Trees

MARKS = {"numbers": None, "missing": None, "categories": [1, 3]}


def rows(kind, n=400, d=5, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).round(1)
    if kind == "categories":
        X[:, [1, 3]] = rng.integers(0, 9, size=(n, 2))
    if kind != "numbers":
        X[rng.random((n, d)) < 0.15] = np.nan
    return X, ((np.nan_to_num(X[:, 0]) > 0.2) + 2 * (np.nan_to_num(X[:, 1]) > 0.5)).astype(int)


def with_four_words(trees):
    leaf, column, threshold, far, line = trees.parts()
    left = np.concatenate([_left(trees, t) for t in range(len(trees))])
    threshold = np.where(leaf, np.float32(np.nan), threshold)
    nodes, shift = Trees.packed_nodes(left, column, threshold, far.astype(np.uint32), line * leaf, 9, 5, LINES + 1)
    assert shift == 0
    return replace(trees, nodes=nodes, shift=shift)


def _left(trees, tree):
    left, _, _, _, _, origin, _ = trees.layout(tree)
    place = np.arange(len(left), dtype=np.uint32)
    place[origin] = np.where(left < 0, origin, origin[left])
    return place


def walked(trees, tree, row, marks):
    """The leaf of a row, step by step."""
    left, right, column, threshold, missing_left, origin, _ = trees.layout(tree)
    at = 0
    while left[at] >= 0:
        x, t = row[column[at]], threshold[at]
        if np.isnan(x):
            goes_left = missing_left[at]
        elif marks and column[at] in marks:
            words = trees.sets.reshape(-1, 8)[int(t)]
            goes_left = words[int(x) >> 5] >> (int(x) & 31) & 1
        else:
            goes_left = x <= t
        at = left[at] if goes_left else right[at]
    return origin[at]


@pytest.mark.parametrize("kind", list(MARKS))
def test_rows_come_to_the_leaves_that_thresholds_send_them_to(kind):
    X, y = rows(kind)
    model = wm.RandomForestClassifier(3, categorical_features=MARKS[kind]).fit(X, y)
    trees = model.trees_
    Z = np.vstack([rows(kind, 61, seed=4)[0], X[:7]])
    found = trees.leaves(Z, kind != "numbers")
    for t in range(3):
        np.testing.assert_array_equal(found[:, t], [walked(trees, t, row, MARKS[kind]) for row in Z])
    np.testing.assert_array_equal(trees.leaves(Z[:2], kind != "numbers"), found[:2])


@pytest.mark.parametrize("kind", list(MARKS))
@pytest.mark.parametrize("cls", [wm.RandomForestClassifier, wm.RandomForestRegressor])
def test_nodes_of_four_words_say_the_same(cls, kind):
    X, y = rows(kind)
    trees = cls(4, max_depth=6, categorical_features=MARKS[kind]).fit(X, y).trees_
    wide, missing = with_four_words(trees), kind != "numbers"
    for Z in (X, X[:3]):
        assert wide.votes(Z, missing).tobytes() == trees.votes(Z, missing).tobytes()
        assert wide.leaves(Z, missing).tobytes() == trees.leaves(Z, missing).tobytes()
        assert wide.leaves(Z, missing, lines=True).tobytes() == trees.leaves(Z, missing, lines=True).tobytes()
    leaf = trees.parts()[0]
    for own, other in zip(trees.parts()[:4], wide.parts()[:4], strict=True):
        np.testing.assert_array_equal(own[~leaf], other[~leaf])


LEVELS = ("avx512", "avx2", "scalar")  # those that a CPU has not are the next lower ones


@pytest.mark.parametrize("n", [63, 64, 65, 129, 2500])
@pytest.mark.parametrize("kind", ["numbers", "missing"])
def test_rows_in_lanes_come_to_the_same_leaves(kind, n):
    """Blocks that fill their vectors or do not; leaves above and below the levels that are looked up first."""
    missing, before = kind == "missing", _core.simd_level()
    X, y = rows(kind, 900, seed=5)
    Z = rows(kind, n, seed=6)[0]
    Z[0, 0] = -0.0
    models = [cls(5).fit(X, y) for cls in (wm.RandomForestClassifier, wm.ExtraTreesRegressor)]
    models.append(wm.RandomForestClassifier(3, max_depth=2).fit(X, y))
    trees, told = [m.trees_ for m in models], []
    try:
        for level in LEVELS:
            _core.set_simd_level(level)
            said = [(t.leaves(Z, missing), t.leaves(Z, missing, lines=True), t.votes(Z, missing)) for t in trees]
            told.append(b"".join(one.tobytes() for three in said for one in three))
    finally:
        _core.set_simd_level(before)
    assert told[0] == told[1] == told[2]


def test_rows_far_wider_than_there_are_trees_are_told_the_same():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 70)).astype(np.float32)
    trees = wm.RandomForestClassifier(2).fit(X, X[:, 0] > 0).trees_
    many = wm.RandomForestClassifier(20).fit(X, X[:, 0] > 0).trees_
    np.testing.assert_array_equal(trees.leaves(X, False), many.leaves(X, False)[:, :2])


@pytest.mark.parametrize("words", [2, 4])
@pytest.mark.parametrize("threshold", [0.0, -0.0])
def test_zero_with_a_sign_is_zero(threshold, words):
    """-0 <= 0 and 0 <= -0."""
    nothing, thresholds = np.zeros(3, np.uint32), np.array([threshold, np.nan, np.nan], np.float32)
    left, lines = np.array([1, 1, 2], np.uint32), np.array([0, 0, 1], np.uint32)
    nodes, shift = Trees.packed_nodes(left, nothing, thresholds, nothing, lines, 3, 1, 2 if words == 2 else LINES + 1)
    first, none = np.array([0, 3]), np.zeros(0, np.uint32)
    stump = Trees(nodes, shift, first, np.array([[2.0, 0], [0, 3]]), np.array([2, 3], np.int32), none, 1, (2,))
    assert stump.words == words
    x = np.array([[-0.0], [0.0], [-1e-30], [1e-30], [np.nan]] * 3, dtype=np.float32)
    expected = [[1, 0], [1, 0], [1, 0], [0, 1], [1, 0]] * 3
    np.testing.assert_array_equal(stump.votes(x, True), expected)
    np.testing.assert_array_equal(stump.votes(x[:2], True), expected[:2])


def test_a_leaf_of_numbers_takes_no_more_room_than_its_node():
    """8 bytes a node, and what the lines hold, of which there are few where targets repeat."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 4)).astype(np.float32), rng.integers(0, 50, 2000)
    trees = wm.RandomForestRegressor(30).fit(X, y).trees_
    nodes, lines = int(trees.first[-1]), len(trees.rows)
    assert trees.nbytes <= 8 * nodes + 28 * lines + 8 * 31
