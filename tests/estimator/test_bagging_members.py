"""Bags: our own trees grow together, other members get what they were promised."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor

import widemargin as wm
from widemargin import store
from widemargin.base.errors import BadInput


def data(n=150, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) * 0.3 > 0.7).astype(int)


@pytest.mark.parametrize("member", [None, wm.DecisionTreeClassifier(max_depth=3), wm.DecisionStump()], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_that_grow_together_draw_as_members_do(member, weighted):
    X, y = data()
    w = np.random.default_rng(1).uniform(0.5, 2.0, 150) if weighted else None
    bag = wm.BaggingClassifier(member, 30, oob_score=True).fit(X, y, sample_weight=w)
    assert bag.forest_ is not None
    alone = member or wm.DecisionTreeClassifier()
    for tree, drawn in zip(bag.estimators_, bag.estimators_samples_, strict=True):
        times = np.bincount(drawn, minlength=150).astype(float)
        same = wm.DecisionTreeClassifier(max_depth=alone.max_depth).fit(X, y, sample_weight=times)
        assert tree.tree_.weighted_n_node_samples[0] == 150
        assert tree.score(X, y, sample_weight=times) == pytest.approx(same.score(X, y, sample_weight=times), abs=0.02)
    apart = [bag.estimators_[b].predict_proba(X) for b in range(30)]
    np.testing.assert_allclose(bag.predict_proba(X), np.mean(apart, axis=0))
    votes, voters = np.zeros((150, 2)), np.zeros(150)
    for said, drawn in zip(apart, bag.estimators_samples_, strict=True):
        free = np.setdiff1d(np.arange(150), drawn)
        votes[free] += said[free]
        voters[free] += 1
    seen = voters > 0
    np.testing.assert_allclose(bag.oob_decision_function_[seen], votes[seen] / voters[seen, None])
    assert wm.certify(bag, X, y, w).holds
    again = store.loads(store.dumps(bag))
    np.testing.assert_array_equal(again.predict_proba(X), bag.predict_proba(X))
    np.testing.assert_array_equal(again.estimators_samples_[3], bag.estimators_samples_[3])


@pytest.mark.parametrize(
    "params",
    [{"bootstrap": False}, {"max_features": 2}, {"vote": "majority"}, {"estimator": LogisticRegression()}],
    ids=str,
)
def test_other_bags_have_members_of_their_own(params):
    X, y = data()
    bag = wm.BaggingClassifier(n_estimators=4, **params).fit(X, y)
    assert bag.forest_ is None
    assert len(bag.members_) == 4
    assert bag.certificate_.holds


def test_members_see_the_rows_as_they_were_given():
    X, y = data()

    class Member(Ridge):
        def fit(self, X, y):
            self.kind_, self.rows_ = type(X), X.shape[0]
            return super().fit(X, y)

    for given in (sp.csc_matrix(X), sp.csr_array(X), X):
        bag = wm.BaggingRegressor(Member(), 3, max_samples=40).fit(given, y)
        assert all(m.kind_ is type(given) and m.rows_ == 40 for m in bag)
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    assert wm.BaggingClassifier(n_estimators=5).fit(gaps, y).score(gaps, y) > 0.8
    with pytest.raises(ValueError, match="NaN"):
        wm.BaggingRegressor(Ridge()).fit(gaps, y)


def test_several_outputs():
    X, y = data()
    both = np.column_stack([y, X[:, 2]])
    for member in (None, KNeighborsRegressor()):
        bag = wm.BaggingRegressor(member, 20, oob_score=True).fit(X, both)
        assert bag.predict(X).shape == (150, 2)
        np.testing.assert_allclose(bag.predict(X), np.mean([m.predict(X) for m in bag], axis=0))
        assert bag.oob_prediction_.shape == (150, 2)
        assert wm.certify(bag, X, both).holds


def test_weights_say_how_many_rows_are_drawn():
    X, y = data()
    w = np.zeros(150)
    w[[4, 50]] = 2, 3
    bag = wm.BaggingRegressor(Ridge(), 6, max_samples=0.8).fit(X, y, sample_weight=np.where(w > 0, 4 * w, 0))
    assert all(len(rows) == 16 and set(rows) <= {4, 50} for rows in bag.estimators_samples_)
    with pytest.warns(UserWarning, match="low number"):
        wm.BaggingRegressor(Ridge(), 6, max_samples=0.8).fit(X, y, sample_weight=w / 100)
    with pytest.warns(UserWarning, match="bootstrap=True"):
        wm.BaggingRegressor(Ridge(), 3, bootstrap=False, max_samples=2).fit(X, y, sample_weight=w)


def test_what_is_handed_on_needs_routing():
    X, y = data()
    bag = wm.BaggingClassifier(LogisticRegression(), 2).fit(X, y)
    with pytest.raises(BadInput, match="metadata_routing"):
        bag.predict(X, sample_weight=y)
