"""Pictures of trees and forests: what they show is what the models say, and nothing overlaps."""

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeRegressor
from tests.report.test_plot import readable

import widemargin as wm
from widemargin.base.errors import BadInput
from widemargin.report.plot import OOBCurveDisplay, TreeDisplay, VoteMapDisplay

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="module")
def iris():
    return load_iris(as_frame=True)


def test_the_curve_is_the_trace(iris):
    forest = wm.RandomForestClassifier(40, oob_score=True).fit(iris.data, iris.target)
    display = OOBCurveDisplay.from_estimator({"forest": forest, "again": forest})
    line = display.ax_.lines[0]
    np.testing.assert_array_equal(line.get_xdata(), forest.trace_["trees"])
    np.testing.assert_array_equal(line.get_ydata(), forest.trace_["oob_error"])
    readable(display.figure_)
    with pytest.raises(BadInput, match="oob_score"):
        OOBCurveDisplay.from_estimator(wm.RandomForestClassifier(5).fit(iris.data, iris.target))


@pytest.mark.parametrize("depth", [2, 3])
def test_every_box_says_what_its_node_says(iris, depth):
    tree = wm.DecisionTreeClassifier().fit(iris.data, iris.target)
    display = TreeDisplay.from_estimator(tree, max_depth=depth, class_names=iris.target_names)
    boxes = {int(text.get_gid().split()[1]): text.get_text() for text in display.ax_.texts}
    path = tree.decision_path(iris.data).toarray()
    assert set(boxes) == set(display.nodes)
    for node, said in boxes.items():
        assert f"{int(path[:, node].sum())} rows" in said
        if tree.tree_.children_left[node] >= 0:
            assert f"≤ {tree.tree_.threshold[node]:.4g}?" in said
        else:
            assert iris.target_names[tree.tree_.value[node, 0].argmax()] in said
    readable(display.figure_)


def test_trees_of_numbers_and_of_scikit_learn(iris):
    theirs = DecisionTreeRegressor(max_depth=2).fit(iris.data, iris.data["petal width (cm)"])
    readable(TreeDisplay.from_estimator(theirs).figure_)
    with pytest.raises(BadInput, match="tree_"):
        TreeDisplay.from_estimator(wm.RandomForestClassifier())


def test_sets_of_categories_are_named():
    X = np.arange(60, dtype=float)[:, None] % 6
    tree = wm.DecisionTreeClassifier(categorical_features=[0]).fit(X, np.isin(X[:, 0], (1, 4)))
    (said,) = tree.tree_.category_sets.values()
    assert set(said) in ({1, 4}, {0, 2, 3, 5})
    assert "in {" + ", ".join(str(c) for c in said) + "}?" in TreeDisplay.from_estimator(tree).ax_.texts[0].get_text()


def test_the_map_shows_the_votes(iris):
    columns = ("petal length (cm)", "petal width (cm)")
    X = iris.data[list(columns)]
    forest = wm.RandomForestClassifier(20).fit(X, iris.target)
    display = VoteMapDisplay.from_estimator(forest, X, iris.target, grid=40)
    points = np.stack(np.meshgrid(display.x, display.y), axis=-1).reshape(-1, 2)
    said = wm.RandomForestClassifier(20).fit(X.to_numpy(), iris.target).predict_proba(points)
    np.testing.assert_allclose(display.shares.reshape(-1, 3), said)
    readable(display.figure_)
    with pytest.raises(BadInput, match="labels"):
        VoteMapDisplay.from_estimator(forest, X, iris.target + 7)
