"""Bagging of any members, and forests that deal out their rows."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier

import widemargin as wm
from widemargin import store
from widemargin.base.errors import BadInput
from widemargin.certificate.bagging import rows_of_member
from widemargin.certificate.forest import drawn_times


def data(n=200, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) * 0.3 > 0.7).astype(int)


@pytest.mark.parametrize("member", [None, KNeighborsClassifier(3), LogisticRegression(), wm.DecisionStump()], ids=str)
@pytest.mark.parametrize("vote", ["mean", "majority"])
def test_the_bag_is_the_mean_of_its_members(member, vote):
    X, y = data()
    model = wm.BaggingClassifier(member, 7, vote=vote).fit(X, y)
    each = [m.predict_proba(X) if vote == "mean" else np.eye(2)[m.predict(X)] for m in model.estimators_]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(each, axis=0))
    assert len(model) == 7
    assert model.certificate_.holds


def test_rows_and_columns_are_drawn():
    X, y = data()
    model = wm.BaggingClassifier(n_estimators=9, max_samples=0.3, max_features=2, bootstrap=False).fit(X, y)
    for b, columns in enumerate(model.estimators_features_):
        times = rows_of_member(model.proof_, b, 200, None)
        assert times.sum() == 60
        assert times.max() == 1
        assert len(set(columns)) == 2
    twice = wm.BaggingClassifier(n_estimators=9, max_features=5, bootstrap_features=True).fit(X, y)
    assert any(len(set(columns)) < 5 for columns in twice.estimators_features_)


def test_a_member_learns_from_the_rows_that_it_drew():
    X, y = data()
    model = wm.BaggingRegressor(Ridge(), 3).fit(X, y)
    for b, member in enumerate(model.estimators_):
        rows = np.repeat(np.arange(200), rows_of_member(model.proof_, b, 200, None))
        np.testing.assert_allclose(member.coef_, Ridge().fit(X[rows], y[rows]).coef_, atol=1e-9)


@pytest.mark.parametrize("cls", [wm.BaggingClassifier, wm.BaggingRegressor], ids=lambda c: c.__name__)
def test_threads_warm_starts_and_files_change_nothing(cls):
    X, y = data()
    whole = cls(n_estimators=25, oob_score=True).fit(X, y)
    for other in (
        cls(n_estimators=25, n_jobs=3, oob_score=True).fit(X, y),
        cls(n_estimators=5, warm_start=True, oob_score=False).fit(X, y).set_params(n_estimators=25).fit(X, y),
        store.loads(store.dumps(whole)),
    ):
        np.testing.assert_array_equal(other.predict(X), whole.predict(X))
    assert wm.certify(whole, X, y).oob_error == pytest.approx(whole.oob_error_)
    whole.oob_error_ += 0.1
    assert wm.certify(whole, X, y).holds is False


def test_bagging_helps_trees_and_not_a_linear_model():
    X, y = data(400, seed=1)
    Z, z = data(2000, seed=2)
    gains = []
    for member in (wm.DecisionTreeClassifier(), LogisticRegression()):
        alone = np.mean([member.fit(X[k::3], y[k::3]).score(Z, z) for k in range(3)])
        bag = np.mean([wm.BaggingClassifier(member, 30).fit(X[k::3], y[k::3]).score(Z, z) for k in range(3)])
        gains.append(bag - alone)
    assert gains[0] > 0.01
    assert abs(gains[1]) < 0.01


def test_the_trees_of_a_decision_forest_share_out_the_rows():
    X, y = data()
    model = wm.DecisionForestClassifier(6, oob_score=True).fit(X, y)
    drawn = drawn_times(model.proof_, range(6), 200, None)
    np.testing.assert_array_equal(drawn.sum(axis=0), np.ones(200))
    assert set(drawn.sum(axis=1)) <= {33, 34}
    for tree, own in zip(model.estimators_, drawn, strict=True):
        assert tree.tree_.n_node_samples[0] == own.sum()
        assert tree.score(X[own > 0], y[own > 0]) == 1
    np.testing.assert_allclose(model.predict_proba(X), np.mean([t.predict_proba(X) for t in model], axis=0))
    assert wm.certify(model, X, y).holds
    for params, words in (({"n_estimators": 201}, "cannot share"), ({"warm_start": True}, "no meaning")):
        with pytest.raises(BadInput, match=words):
            wm.DecisionForestClassifier(**params).fit(X, y)
