"""Medians, counts, pruning, orders of columns, honest trees, importances out of the bag."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import tree as peer
from tests.oracle import trees as oracle

import widemargin as wm
from widemargin import store
from widemargin.base.errors import BadInput, DataMismatch


def rows(n=120, d=4, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    return X, 2.0 * X[:, 0] - X[:, 1] ** 2 + noise * rng.normal(size=n)


# ---- criteria ----------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**20), st.booleans(), st.sampled_from(["absolute_error", "poisson", "squared_error"]))
def test_every_node_has_the_impurity_of_its_rows(seed, weighted, criterion):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 9, (30, 3)).astype(np.float32), rng.poisson(2.0, 30).astype(float) + (rng.random(30) < 0.1)
    y[0] += 1.0
    w = rng.integers(1, 5, 30).astype(float) if weighted else np.ones(30)
    model = wm.DecisionTreeRegressor(criterion=criterion, max_depth=3).fit(X, y, sample_weight=w)
    path = model.decision_path(X).toarray().astype(bool)
    for node in range(model.tree_.node_count):
        own = path[:, node]
        expected = oracle.impurity(criterion, y[own].tolist(), w[own].tolist())
        assert model.tree_.impurity[node] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("outputs", [1, 2])
def test_trees_of_medians_are_scikit_learns(weighted, outputs):
    X, y = rows(200)
    y = y if outputs == 1 else np.column_stack([y, X[:, 2] + y])
    w = np.random.default_rng(1).uniform(0.5, 2.0, 200) if weighted else None
    params = {"criterion": "absolute_error", "max_depth": 4, "min_samples_leaf": 5}
    ours = wm.DecisionTreeRegressor(**params).fit(X, y, sample_weight=w)
    theirs = peer.DecisionTreeRegressor(**params).fit(X, y, sample_weight=w)
    np.testing.assert_array_equal(ours.tree_.feature, theirs.tree_.feature)
    np.testing.assert_allclose(ours.tree_.impurity, theirs.tree_.impurity, atol=1e-12)
    np.testing.assert_allclose(ours.tree_.value, theirs.tree_.value, atol=1e-12)
    again = store.loads(store.dumps(ours))
    np.testing.assert_array_equal(again.tree_.impurity, ours.tree_.impurity)
    np.testing.assert_array_equal(again.predict(X), ours.predict(X))


def test_leaves_of_counts_are_above_zero():
    X, y = rows(400)
    counts = np.maximum(np.round(y), 0.0) * 0.1
    model = wm.DecisionTreeRegressor(criterion="poisson").fit(X, counts)
    assert model.predict(X).min() > 0
    with pytest.raises(BadInput, match="negative"):
        model.fit(X, counts - 1)
    with pytest.raises(BadInput, match="strictly positive"):
        model.fit(X, 0 * counts)


# ---- pruning -----------------------------------------------------------------------------------------------------


@pytest.mark.theorem("BreimanEtAl84")
@given(st.integers(0, 2**20), st.sampled_from(["gini", "squared_error", "absolute_error"]))
def test_no_way_to_cut_back_is_better_at_any_price(seed, criterion):
    """For each alpha the pruned tree minimises cost + alpha times leaves over all trees that arise by cutting back,
    and among those it is the smallest."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(14, 2)).astype(np.float32), rng.integers(0, 3, 14)
    kind = wm.DecisionTreeClassifier if criterion == "gini" else wm.DecisionTreeRegressor
    whole = kind(criterion=criterion, max_leaf_nodes=7).fit(X, y)
    cost = whole.tree_.weighted_n_node_samples * whole.tree_.impurity / 14
    every = oracle.prunings(whole.tree_.children_left, whole.tree_.children_right, cost)
    path = whole.cost_complexity_pruning_path(X, y)
    assert (np.diff(path.ccp_alphas) >= -1e-12).all()
    for alpha in [*(path.ccp_alphas + 1e-9), 0.5 * path.ccp_alphas[-1] + 1e-6]:
        best = min(r + alpha * leaves for r, leaves in every)
        cut = kind(criterion=criterion, max_leaf_nodes=7, ccp_alpha=alpha).fit(X, y).tree_
        leaf = cut.children_left < 0
        held = (cut.weighted_n_node_samples * cut.impurity)[leaf].sum() / 14
        assert held + alpha * cut.n_leaves == pytest.approx(best, abs=1e-9)


def test_pruned_trees_are_scikit_learns():
    X, y = rows(300)
    for alpha in (0.01, 0.1, 1.0):
        ours = wm.DecisionTreeRegressor(ccp_alpha=alpha).fit(X, y)
        theirs = peer.DecisionTreeRegressor(ccp_alpha=alpha, random_state=0).fit(X, y)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)
    forest = wm.RandomForestRegressor(10, ccp_alpha=0.1).fit(X, y)
    full = wm.RandomForestRegressor(10).fit(X, y)
    assert len(forest.trees_.nodes) < len(full.trees_.nodes) / 4
    assert wm.certify(forest, X, y).holds
    on = wm.RandomForestRegressor(5, ccp_alpha=0.1, warm_start=True).fit(X, y).set_params(n_estimators=10).fit(X, y)
    np.testing.assert_array_equal(on.predict(X), forest.predict(X))


# ---- orders ------------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**20), st.sampled_from(["number", "class", "random"]))
def test_what_is_said_rises_and_falls_as_demanded(seed, kind):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 3)).astype(np.float32), rng.normal(size=80)  # noise: nothing but the demand gives order
    signs = [1, -1, 0]
    if kind == "class":
        model = wm.RandomForestClassifier(3, monotonic_cst=signs).fit(X, y > 0)
        say = lambda Z: model.predict_proba(Z)[:, 1]  # noqa: E731
    else:
        cls = wm.ExtraTreesRegressor if kind == "random" else wm.RandomForestRegressor
        model = cls(3, monotonic_cst=signs).fit(X, y)
        say = model.predict
    Z = rng.normal(size=(60, 3)).astype(np.float32)
    for column, sign in enumerate(signs[:2]):
        higher = Z.copy()
        higher[:, column] += rng.exponential(size=60)
        assert (sign * (say(higher) - say(Z)) >= -1e-12).all()


def test_orders_that_cannot_be():
    X, y = rows(50)
    with pytest.raises(BadInput, match="multiple outputs"):
        wm.DecisionTreeRegressor(monotonic_cst=[1, 0, 0, 0]).fit(X, np.column_stack([y, y]))
    with pytest.raises(BadInput, match="multiclass"):
        wm.DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, np.arange(50) % 3)
    with pytest.raises(BadInput, match="medians"):
        wm.DecisionTreeRegressor(criterion="absolute_error", monotonic_cst=[1, 0, 0, 0]).fit(X, y)
    with pytest.raises(ValueError, match="shape"):
        wm.DecisionTreeRegressor(monotonic_cst=[1, 0]).fit(X, y)


# ---- honest trees ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_half_of_the_rows_fill_the_leaves(criterion):
    X, y = rows(101)
    model = wm.DecisionTreeRegressor(honest=True, criterion=criterion).fit(X, y)
    tree = model.tree_
    assert tree.n_node_samples[0] == 50
    assert (tree.n_node_samples > 0).all()
    leaves = model.apply(X)
    for leaf in np.unique(leaves):  # what a leaf says is made of some of the rows that come to it
        own = y[leaves == leaf]
        assert own.min() - 1e-9 <= tree.value[leaf, 0, 0] <= own.max() + 1e-9
        assert tree.n_node_samples[leaf] < len(own) or len(own) == 1


def test_honest_leaves_do_not_flatter_themselves():
    """On labels that are noise the leaves of a usual tree know every row, those of an honest tree only guess."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), rng.integers(0, 2, 400)
    usual, honest = (wm.RandomForestClassifier(100, honest=h, oob_score=True).fit(X, y) for h in (False, True))
    assert usual.score(X, y) == 1.0
    assert honest.score(X, y) < 0.95
    assert wm.certify(honest, X, y).holds
    np.testing.assert_array_equal(
        wm.RandomForestClassifier(30, honest=True, n_jobs=3).fit(X, y).predict_proba(X),
        wm.RandomForestClassifier(30, honest=True).fit(X, y).predict_proba(X),
    )


# ---- categories and random cuts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cls", "options"),
    [
        (wm.ExtraTreesClassifier, {}),
        (wm.ExtraTreesRegressor, {}),
        (wm.DecisionTreeClassifier, {"splitter": "random"}),
        (wm.DecisionTreeRegressor, {"splitter": "random"}),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
@pytest.mark.parametrize("numbers", [False, True])
def test_random_cuts_take_categories_as_numbers(cls, options, numbers):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (400, 3)).astype(np.float32)
    if numbers:  # so many that they have no codes of a byte
        X[:, 0] = rng.normal(size=400)
    y = (X[:, 1] == 2) ^ (rng.random(400) < 0.1)
    named = cls(**options, categorical_features=[1]).fit(X, y)
    plain = cls(**options).fit(X, y)
    np.testing.assert_array_equal(named.trees_.nodes, plain.trees_.nodes)
    np.testing.assert_array_equal(store.loads(store.dumps(named)).predict(X), plain.predict(X))
    with pytest.raises(BadInput, match="holds categories"):
        cls(**options, categorical_features=[1]).fit(X + 0.5, y)


# ---- importances -------------------------------------------------------------------------------------------------


def test_importances_out_of_the_bag():
    X, y = rows(300, d=5)
    X[:, 4] = 7.0  # a constant column is never asked for
    forest = wm.RandomForestRegressor(40).fit(X, y)
    found = forest.oob_permutation_importances(X, y, n_repeats=3)
    assert found.importances.shape == (5, 3)
    assert found.importances_mean[4] == 0.0
    assert found.importances_mean[0] > found.importances_mean[1] > 10 * abs(found.importances_mean[2])
    with pytest.raises(DataMismatch):
        forest.oob_permutation_importances(X + 1, y)
    with pytest.raises(BadInput, match="drew"):
        wm.ExtraTreesRegressor(5).fit(X, y).oob_permutation_importances(X, y)
