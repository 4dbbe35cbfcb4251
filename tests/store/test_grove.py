"""Many small trees of a booster are one part of a file."""

from __future__ import annotations

import numpy as np
import pytest

import widemargin as wm
from widemargin import store
from widemargin.estimator.boosting_trees import Grove
from widemargin.model.grove import joined, parted


def many(n_estimators=120, **options):
    r = np.random.default_rng(0)
    X = r.normal(size=(90, 5))
    y = (X[:, 0] + X[:, 1] ** 2 > 0.4).astype(int) + (X[:, 2] > 0)
    tree = wm.DecisionTreeRegressor(max_depth=3, max_bins=16)
    return wm.LogitBoostClassifier(tree, n_estimators=n_estimators, **options).fit(X, y), X


def test_a_thousand_trees_are_saved_and_say_the_same(tmp_path):
    """Each as a part of its own, names and offsets would fill the header: 360 trees were too many."""
    model, X = many()
    assert len(model.members_) > 300
    store.save(model, tmp_path / "m.wm")
    again = store.load(tmp_path / "m.wm")
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert not hasattr(again, "grove_")
    for old, new in zip(model.members_, again.members_, strict=True):
        assert old.get_params() == new.get_params()
        assert np.array_equal(old.trees_.nodes, new.trees_.nodes)
        assert np.array_equal(old.trees_.stats, new.trees_.stats)
        assert (old.proof_, old.certificate_.claim) == (new.proof_, new.certificate_.claim)
    store.save(again, tmp_path / "n.wm")
    assert (tmp_path / "n.wm").read_bytes() == (tmp_path / "m.wm").read_bytes()


def test_saving_leaves_the_booster_as_it_is(tmp_path):
    model, X = many(4)
    before = model.decision_function(X)
    store.save(model, tmp_path / "m.wm")
    assert not hasattr(model, "grove_")
    assert np.array_equal(model.decision_function(X), before)


def test_other_members_are_parts_of_their_own(tmp_path):
    X = np.random.default_rng(1).normal(size=(60, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = wm.AdaBoostClassifier(wm.DecisionTreeClassifier(max_depth=2), n_estimators=5).fit(X, y)
    assert Grove.of(model.members_) is None
    store.save(model, tmp_path / "m.wm")
    assert np.array_equal(store.load(tmp_path / "m.wm").predict(X), model.predict(X))


def test_trees_that_are_joined_and_parted_are_the_same():
    model, _ = many(3)
    trees = [m.trees_ for m in model.members_]
    for old, new in zip(trees, parted(*joined(trees)), strict=True):
        assert np.array_equal(old.nodes, new.nodes)
        assert np.array_equal(old.stats, new.stats)
        assert np.array_equal(old.rows, new.rows)


@pytest.mark.parametrize("fault", ["fewer", "moved", "none"])
def test_lines_that_do_not_fit_are_refused(fault):
    whole, lines = joined([m.trees_ for m in many(3)[0].members_])
    lines = lines.copy()
    if fault == "fewer":
        lines = lines[:-1]
    elif fault == "moved":
        lines[0] += 1
        lines[1] -= 1
    else:
        lines[0], lines[1] = 0, lines[0] + lines[1]
    with pytest.raises(ValueError, match=r"said to have|of another tree"):
        parted(whole, lines)
