"""Known sources, labels turned, and studies along a parameter."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from widemargin.base.errors import BadInput
from widemargin.study import bias_variance, bias_variance_sweep, known_source, turned_labels


@pytest.mark.parametrize("name", ["twonorm", "ringnorm"])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_probabilities_of_a_source_are_calibrated(name, noise):
    """Among rows with P(second) near q, a share q is of the second class."""
    s = known_source(name, 40_000, noise)
    X, y = s(np.random.default_rng(0))
    p = s.truth(X)
    for low in np.arange(0, 1, 0.2):
        here = (p >= low) & (p < low + 0.2)
        if here.sum() > 200:
            error = np.sqrt(np.mean(p[here] * (1 - p[here])) / here.sum())
            assert abs(y[here].mean() - p[here].mean()) < 4 * error + 1e-12
    assert abs(y.mean() - 0.5) < 0.02


def test_bayes_errors_are_those_of_the_source():
    """twonorm: the error of the best rule is P(N(0, 1) > 2) = 2.28 %; labels turned add their share."""
    for noise, error in ((0.0, 0.02275), (0.1, 0.02275 * 0.8 + 0.1)):
        p = known_source("twonorm", 200_000, noise)
        X, _ = p(np.random.default_rng(1))
        assert np.mean(np.minimum(p.truth(X), 1 - p.truth(X))) == pytest.approx(error, abs=1e-3)


def test_friedmans_numbers():
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(50, noise=0.0, random_state=0)
    np.testing.assert_allclose(known_source("friedman1").truth(X), y)
    s = known_source("friedman1", 20_000, 0.5)
    X, y = s(np.random.default_rng(0))
    assert np.std(y - s.truth(X)) == pytest.approx(0.5, rel=0.03)


def test_points_repeat_each_row_with_new_labels():
    X, y, truth = known_source("friedman1").points(7, repeats=3, seed=2)
    assert X.shape == (21, 10)
    np.testing.assert_array_equal(X[0], X[2])
    assert len(set(y)) == 21
    np.testing.assert_array_equal(truth[::3], truth[2::3])
    assert (X[0] != X[3]).any()


def test_turned_labels_are_another_class():
    y = np.repeat(["a", "b", "c"], 3000)
    turned = turned_labels(y, 0.3, seed=1)
    assert np.mean(turned != y) == pytest.approx(0.3, abs=0.02)
    counts = [np.mean(turned[(y == "a") & (turned != "a")] == c) for c in "bc"]
    assert counts == pytest.approx([0.5, 0.5], abs=0.05)
    assert (turned_labels(y, 0.0) == y).all()
    assert (turned_labels(y, 1.0) != y).all()
    assert (turned_labels(y, 0.3, seed=1) == turned).all()


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: known_source("iris"), "'iris': it must be one of friedman1"),
        (lambda: known_source("twonorm", noise=0.6), r"noise=0\.6"),
        (lambda: known_source("friedman1", noise=-1), r"noise=-1\.0"),
        (lambda: known_source("friedman1", n=1), "n is 1"),
        (lambda: turned_labels([0, 1], 1.5), r"share=1\.5"),
        (lambda: bias_variance_sweep({}, "max_depth", [1], [[0]], [0]), "0 learners at 1 values"),
        (lambda: bias_variance_sweep(DecisionTreeClassifier(), "depth", [1], [[0]], [0]), "no parameter 'depth'"),
    ],
)
def test_bad_input_is_named(act, words):
    with pytest.raises(BadInput, match=words):
        act()


def test_a_sweep_is_one_study_a_value_on_the_same_replicates():
    X, y = known_source("twonorm", 80, 0.1)(np.random.default_rng(0))
    told = []
    found = bias_variance_sweep(
        {"stump": DecisionTreeClassifier(max_depth=1), "tree": DecisionTreeClassifier()},
        "max_features",
        [1, 20],
        X,
        y,
        B=8,
        after=lambda *what: told.append(what[:2]),
    )
    assert told == [("stump", 1), ("stump", 20), ("tree", 1), ("tree", 20)]
    alone = bias_variance(DecisionTreeClassifier(max_features=20), X, y, B=8)
    assert found.records["tree"][1].totals == alone.totals
    values, errors = found.curve("tree", "variance")
    assert values[1] == alone.totals["variance"].value
    assert errors[1] == alone.totals["variance"].error
    assert found.table()[3] == ("tree", 20, *(alone.totals[t].value for t in ("bias", "variance", "loss")))
    assert found.to_dict()["records"]["tree"][1]["totals"]["loss"]["value"] == alone.totals["loss"].value


def test_the_variance_of_a_single_tree_rises_as_fewer_attributes_are_tried():
    """The source of the study says the opposite; this is what is measured (twonorm, 10 % of the labels turned)."""
    s = known_source("twonorm", 150, 0.1)
    X, y, _ = s.points(300)
    found = bias_variance_sweep(
        ExtraTreeClassifier(), "max_features", [1, 20], X, y, B=60, source=s, loss="kohavi_wolpert"
    )
    (few, all_), (e_few, e_all) = found.curve("ExtraTreeClassifier", "variance")
    assert few - all_ > 3 * np.hypot(e_few, e_all)
