"""Single trees: splits by the definitions, scikit-learn's trees where there are no ties, missing values, categories."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import tree as peer
from tests.oracle import trees as oracle

import widemargin as wm
from widemargin import _core
from widemargin.base.errors import BadInput

NUMBERS = ["squared_error", "absolute_error"]
CRITERIA = ["gini", "entropy", "information_gain", *NUMBERS]


def tree_for(criterion, **params):
    cls = wm.DecisionTreeRegressor if criterion in NUMBERS else wm.DecisionTreeClassifier
    return cls(criterion=criterion, **params)


@st.composite
def tables(draw, most=24, classes=4):
    n, d = draw(st.integers(2, most)), draw(st.integers(1, 4))
    seed = draw(st.integers(0, 2**20))
    rng = np.random.default_rng(seed)
    X = rng.integers(0, draw(st.integers(2, 30)), (n, d)).astype(np.float32)
    y, w = rng.integers(0, classes, n), rng.integers(1, 4, n).astype(float)
    return X, y, w if draw(st.booleans()) else np.ones(n)


# ---- splits ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
@given(tables())
def test_the_first_split_is_the_best_of_all(criterion, table):
    X, y, w = table
    model = tree_for(criterion, max_depth=1).fit(X, y, sample_weight=w)
    t = model.tree_
    best = oracle.best_cut(criterion, X.tolist(), y.tolist(), w.tolist())
    if t.node_count == 1:
        assert best == np.inf or len(set(y)) == 1
        return
    left = (X[:, t.feature[0]] <= t.threshold[0]).tolist()
    assert oracle.left_over(criterion, left, y.tolist(), w.tolist()) == pytest.approx(best, abs=1e-9)


def gains(tree):
    """What each split takes off the impurity, smallest first."""
    mass = tree.weighted_n_node_samples * tree.impurity
    inner = np.flatnonzero(tree.children_left >= 0)
    return np.sort(mass[inner] - mass[tree.children_left[inner]] - mass[tree.children_right[inner]])


def same_but_for_ties(ours, theirs, best_first=False):
    """Walks both trees from the root. Where splits differ, both must leave the same impurity, and the walk ends there.

    A number of leaves that is limited goes to the best splits first: after a tie, or where two splits are equally good,
    another node may be left whole. Returns the number of nodes that were found equal.
    """
    waiting, equal, whole, ties = [(0, 0)], 0, 0, 0
    while waiting:
        i, j = waiting.pop()
        assert ours.n_node_samples[i] == theirs.n_node_samples[j]
        assert ours.weighted_n_node_samples[i] == pytest.approx(theirs.weighted_n_node_samples[j])
        assert ours.impurity[i] == pytest.approx(theirs.impurity[j], abs=1e-9)
        np.testing.assert_allclose(ours.value[i], theirs.value[j], rtol=1e-9, atol=1e-12)
        children = [(v.children_left[k], v.children_right[k]) for v, k in ((ours, i), (theirs, j))]
        if (children[0][0] < 0) != (children[1][0] < 0):
            whole += 1
            continue
        equal += 1
        if children[0][0] < 0:
            continue
        # A threshold is rounded down to float32.
        near = abs(ours.threshold[i] - theirs.threshold[j]) <= 2e-7 * abs(theirs.threshold[j]) + 1e-30
        if ours.feature[i] == theirs.feature[j] and near:
            waiting += [(children[0][0], children[1][0]), (children[0][1], children[1][1])]
            continue
        left = [
            sum(v.weighted_n_node_samples[c] * v.impurity[c] for c in both)
            for v, both in zip((ours, theirs), children, strict=True)
        ]
        assert left[0] == pytest.approx(left[1], rel=1e-9, abs=1e-9)
        ties += 1
    if whole:
        assert best_first
        assert (
            ties
            or min(np.diff(gains(tree)).min(initial=1) for tree in (ours, theirs)) < 1e-9
            or (gains(ours).min() == pytest.approx(gains(theirs).min(), rel=1e-9))
        )
    return equal


@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 4}, {"max_depth": 3}, {"max_leaf_nodes": 9}], ids=str)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@given(seed=st.integers(0, 2**20))
def test_the_tree_is_scikit_learns_where_there_are_no_ties(criterion, limits, seed):
    """Same columns, cuts, rows and values, node by node; scikit-learn takes numbers within 1e-7 for equal, so these are
    further apart."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(10, 600)), int(rng.integers(1, 6))
    X = (rng.permuted(np.tile(np.arange(n), (d, 1)), axis=1).T / 64).astype(np.float32)
    score = X @ rng.normal(size=d) + rng.normal(size=n) * 4
    y = score if criterion == "squared_error" else (score / 3).astype(int) % int(rng.integers(2, 40))
    w = rng.integers(1, 4, n).astype(float) if rng.random() < 0.5 else None
    cls = peer.DecisionTreeRegressor if criterion == "squared_error" else peer.DecisionTreeClassifier
    theirs = cls(criterion=criterion, random_state=0, **limits).fit(X, y, sample_weight=w).tree_
    ours = tree_for(criterion, **limits).fit(X, y, sample_weight=w).tree_
    same_but_for_ties(ours, theirs, best_first="max_leaf_nodes" in limits)


def test_a_large_tree_of_many_numbers_is_scikit_learns():
    """Nodes of every size: histograms with refinement, sorted keys, copies of small nodes, 32-bit and 64-bit sums."""
    rng = np.random.default_rng(0)
    n = 70_000
    X = np.column_stack([rng.permutation(n) / 8, rng.integers(0, 200, n), rng.permutation(n) % 5000]).astype(np.float32)
    y = ((X[:, 0] / 900 + X[:, 1] / 20 + X[:, 2] / 700 + rng.normal(size=n)) % 5).astype(int)
    ours = wm.DecisionTreeClassifier(max_depth=12).fit(X, y)
    theirs = peer.DecisionTreeClassifier(max_depth=12, random_state=0).fit(X, y)
    assert same_but_for_ties(ours.tree_, theirs.tree_) > 2000
    assert abs(ours.score(X, y) - theirs.score(X, y)) < 1e-3


@pytest.mark.parametrize("d", [1, 3])
@given(table=tables(classes=40))
def test_vectors_change_nothing(d, table):
    X, y, _ = table
    X = np.tile(X, d)
    level = _core.simd_level()
    trees = []
    try:
        for one in (level, "scalar"):
            _core.set_simd_level(one)
            model = wm.RandomForestClassifier(3, max_features=1).fit(X, y)
            extra = wm.ExtraTreesClassifier(3).fit(X, y)
            trees.append([model.trees_.nodes.tobytes(), extra.trees_.nodes.tobytes()])
    finally:
        _core.set_simd_level(level)
    assert trees[0] == trees[1]


# ---- what a tree is ------------------------------------------------------------------------------------------------


@given(tables())
def test_an_unpruned_tree_errs_only_on_equal_rows(table):
    X, y, _ = table
    model = wm.DecisionTreeClassifier().fit(X, y)
    rows, groups = np.unique(X, axis=0, return_inverse=True)
    least = sum(len(y[groups == g]) - np.bincount(y[groups == g]).max() for g in range(len(rows)))
    assert (model.predict(X) != y).sum() == least
    assert model.certificate_.training_error == pytest.approx(least / len(y))
    assert model.certificate_.holds


def test_arrays_by_node_agree_with_each_other():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 3, 300)
    model = wm.DecisionTreeClassifier(min_samples_leaf=3).fit(X, y)
    t = model.tree_
    leaves = model.apply(X)
    assert set(leaves) == set(np.flatnonzero(t.children_left < 0))
    np.testing.assert_array_equal(np.bincount(leaves, minlength=t.node_count)[leaves], t.n_node_samples[leaves])
    path = model.decision_path(X)
    np.testing.assert_array_equal(np.asarray(path.sum(axis=0)).ravel(), t.n_node_samples)
    np.testing.assert_allclose(model.predict_proba(X), t.value[leaves, 0])
    assert model.get_depth() == np.asarray(path.sum(axis=1)).max() - 1
    assert model.get_n_leaves() == (t.node_count + 1) // 2
    assert model.feature_importances_.sum() == pytest.approx(1)
    ours, theirs = (cls(max_depth=3).fit(X, y) for cls in (wm.DecisionTreeClassifier, peer.DecisionTreeClassifier))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)


def test_a_stump_asks_one_question():
    X, y = np.arange(20.0)[:, None], np.arange(20) >= 7
    stump = wm.DecisionStump().fit(X, y)
    assert stump.tree_.node_count == 3
    assert stump.tree_.threshold[0] == 6.5
    assert stump.score(X, y) == 1


def test_depth_takes_no_stack_of_the_machine():
    """A chain: each split cuts off one row."""
    n = 200
    X = np.arange(n, dtype=np.float32)[:, None]
    y = 4.0 ** np.arange(n)
    model = wm.DecisionTreeRegressor().fit(X, y)
    assert model.get_depth() == n - 1
    np.testing.assert_allclose(model.predict(X), y)


def test_a_million_rows_of_one_column():
    n = 1_000_000
    rng = np.random.default_rng(0)
    X, y = rng.permutation(n).astype(np.float32)[:, None], rng.integers(0, 2, n)
    model = wm.DecisionTreeClassifier().fit(X, y)
    assert model.score(X, y) == 1
    assert model.trees_.nbytes < 60 * n


# ---- missing values, categories, outputs ---------------------------------------------------------------------------


def test_missing_values_go_where_they_help():
    X = np.array([0, 1, 2, 3, np.nan, np.nan])[:, None]
    for y in ([0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0]):
        model = wm.DecisionTreeClassifier().fit(X, y)
        np.testing.assert_array_equal(model.predict(X), y)
        assert model.get_n_leaves() == 2


def test_rows_in_company_reach_the_leaves_they_reach_alone_where_presence_is_asked_for():
    """A node that only asks whether a number is there has an infinite threshold, and is no leaf."""
    rng = np.random.default_rng(0)
    X = rng.random((4000, 10)).astype(np.float32)
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + rng.normal(size=4000)
    X[rng.random(X.shape) < 0.1] = np.nan
    tree = wm.DecisionTreeRegressor(max_depth=14).fit(X, y)
    inner = tree.tree_.children_left >= 0
    assert np.isinf(tree.tree_.threshold[inner]).sum() > 20
    alone = np.concatenate([tree.apply(X[i : i + 1]) for i in range(1000)])
    np.testing.assert_array_equal(tree.apply(X)[:1000], alone)


@given(tables(), st.integers(0, 2**20))
def test_missing_values_as_in_scikit_learn(table, seed):
    X, y, w = table
    X[np.random.default_rng(seed).random(X.shape) < 0.3] = np.nan
    theirs = peer.DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y, sample_weight=w)
    ours = wm.DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=w)
    a, b = (
        sum(t.weighted_n_node_samples[k] * t.impurity[k] for k in np.flatnonzero(t.children_left < 0))
        for t in (ours.tree_, theirs.tree_)
    )
    assert a == pytest.approx(b, abs=1e-9)


@pytest.mark.theorem("BreimanEtAl84")
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@given(st.integers(0, 2**20))
def test_two_classes_or_numbers_get_the_best_subset_of_the_categories(criterion, seed):
    """In order of the mean target, the best cut is the best of all 2^(k-1) - 1 ways to divide k categories."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    column, y = rng.integers(0, 6, n), rng.integers(0, 2, n)
    y = rng.normal(size=n) if criterion == "squared_error" else y
    model = tree_for(criterion, max_depth=1, categorical_features=[0]).fit(column[:, None], y)
    best = oracle.best_subset(criterion, column.tolist(), y.tolist(), [1.0] * n)
    if model.tree_.node_count == 1:
        assert best == np.inf or len(set(y.tolist())) == 1
        return
    left = (model.apply(column[:, None]) == 1).tolist()
    assert oracle.left_over(criterion, left, y.tolist(), [1.0] * n) == pytest.approx(best, abs=1e-9)


def test_categories_unknown_at_fit_and_bad_ones():
    X = np.array([[0.0], [1], [2], [3]])
    model = wm.DecisionTreeClassifier(categorical_features=[True]).fit(X, [0, 1, 0, 1])
    assert model.get_n_leaves() == 2
    assert model.predict([[9.0], [np.nan]]).shape == (2,)
    for bad in (-1.0, 0.5, 256.0):
        with pytest.raises(BadInput, match=f"{bad:g} in row 1 is none"):
            wm.DecisionTreeClassifier(categorical_features=[0]).fit([[0.0], [bad]], [0, 1])
    with pytest.raises(BadInput, match="names column 3"):
        wm.DecisionTreeClassifier(categorical_features=[3]).fit(X, [0, 1, 0, 1])


def test_several_outputs():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3)).astype(np.float32)
    Y = np.column_stack([X[:, 0] > 0, (X[:, 1] * 2).astype(int), np.where(X[:, 2] > 0, 5, 7)])
    ours = wm.DecisionTreeClassifier(max_depth=4).fit(X, Y)
    theirs = peer.DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, Y)
    assert same_but_for_ties(ours.tree_, theirs.tree_) > 5
    assert ours.predict(X).shape == Y.shape
    assert [p.shape for p in ours.predict_proba(X)] == [p.shape for p in theirs.predict_proba(X)]
    Z = X @ rng.normal(size=(3, 2))
    ours, theirs = wm.DecisionTreeRegressor(max_depth=4).fit(X, Z), peer.DecisionTreeRegressor(max_depth=4).fit(X, Z)
    assert same_but_for_ties(ours.tree_, theirs.tree_) > 5
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


def test_bins_on_request():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)
    few = wm.DecisionTreeClassifier(max_bins=8).fit(X, y)
    assert len(np.unique(few.apply(X))) <= 8**3
    assert wm.DecisionTreeClassifier().fit(X, y).get_n_leaves() > few.get_n_leaves()


def test_sparse_rows_and_float64_give_the_same_tree():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 5, (120, 6)) * rng.integers(0, 2, (120, 6)) / 4
    y = rng.integers(0, 3, 120)
    plain = wm.DecisionTreeClassifier().fit(X, y)
    for other in (sp.csr_array(X), sp.csc_array(X), X.astype(np.float32), np.asfortranarray(X), X.tolist()):
        model = wm.DecisionTreeClassifier().fit(other, y)
        assert model.trees_.nodes.tobytes() == plain.trees_.nodes.tobytes()
        np.testing.assert_array_equal(model.predict(other), plain.predict(X))
