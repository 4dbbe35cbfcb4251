"""Forests: the mean of their trees, draws and what they leave out, growing in pieces, certificates, files."""

import pickle
import time
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier as Peer
from sklearn.metrics import balanced_accuracy_score
from tests.oracle import trees as oracle

import widemargin as wm
from widemargin import _core, store
from widemargin.base.errors import BadInput, DamagedFile
from widemargin.certificate.forest import ForestProof, drawn_times

CLASSIFIERS = [wm.RandomForestClassifier, wm.ExtraTreesClassifier]
REGRESSORS = [wm.RandomForestRegressor, wm.ExtraTreesRegressor]
each_classifier = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda c: c.__name__)
each_forest = pytest.mark.parametrize("cls", CLASSIFIERS + REGRESSORS, ids=lambda c: c.__name__)


def data(n=300, d=6, k=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    return X, (np.abs(X[:, 0] * 2 + X[:, 1] + rng.normal(size=n) * 0.4)).astype(int) % k


def same(a, b):
    return all(np.array_equal(getattr(a.trees_, name), getattr(b.trees_, name)) for name in ("nodes", "first", "stats"))


# ---- the mean of trees ---------------------------------------------------------------------------------------------


@each_classifier
def test_probabilities_are_the_mean_of_the_trees(cls):
    X, y = data()
    model = cls(13).fit(X, y)
    each = [tree.predict_proba(X) for tree in model.estimators_]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(each, axis=0), atol=1e-12)
    assert len(model) == 13
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


@pytest.mark.parametrize("cls", REGRESSORS, ids=lambda c: c.__name__)
def test_numbers_are_the_mean_of_the_trees(cls):
    X, y = data()
    model = cls(9).fit(X, y + X[:, 2])
    np.testing.assert_allclose(model.predict(X), np.mean([tree.predict(X) for tree in model], axis=0))


@each_forest
def test_a_row_alone_is_told_the_same_as_in_company(cls):
    X, y = data()
    model = cls(40).fit(X, y)
    say = model.predict_proba if hasattr(model, "predict_proba") else model.predict
    together = say(X)
    for rows in ([0], range(5), range(100, 117)):
        np.testing.assert_array_equal(say(X[list(rows)]), together[list(rows)])


@each_forest
def test_threads_change_no_bit(cls):
    X, y = data(2000)
    one, two = cls(6, n_jobs=1).fit(X, y), cls(6, n_jobs=3).fit(X, y)
    assert same(one, two)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    assert one.certificate_.to_dict() | {"seconds": 0} == two.certificate_.to_dict() | {"seconds": 0}


@each_forest
def test_grown_in_pieces_or_at_once(cls):
    X, y = data()
    whole = cls(12).fit(X, y)
    parts = cls(5, warm_start=True).fit(X, y).set_params(n_estimators=12).fit(X, y)
    watched = cls(12, observe=lambda step, columns, snapshot: snapshot().predict(X[:3]) is None).fit(X, y)
    assert same(whole, parts)
    assert same(whole, watched)
    loaded = store.loads(store.dumps(cls(5, warm_start=True).fit(X, y))).set_params(n_estimators=12).fit(X, y)
    assert same(whole, loaded)


def test_the_law_is_scikit_learns():
    """Mean size of trees and accuracy over seeds agree within 4 standard errors."""
    X, y = data(1200, seed=3)
    X, y, Z, z = X[:600], y[:600], X[600:], y[600:]
    nodes, scores = [], []
    for cls in (wm.RandomForestClassifier, Peer):
        models = [cls(10, random_state=s).fit(X, y) for s in range(12)]
        nodes.append([t.tree_.node_count for m in models for t in m.estimators_])
        scores.append([m.score(Z, z) for m in models])
    for a, b in (nodes, scores):
        error = np.hypot(np.std(a) / np.sqrt(len(a)), np.std(b) / np.sqrt(len(b)))
        assert abs(np.mean(a) - np.mean(b)) < 4 * error


# ---- draws ---------------------------------------------------------------------------------------------------------


@pytest.mark.theorem("Breiman96")
@pytest.mark.parametrize(("n", "m"), [(50, 50), (200, 60), (30, 90)])
def test_the_share_of_rows_never_drawn(n, m):
    """Of n rows, m draws with replacement leave each out with probability (1 - 1/n)^m."""
    drawn = drawn_times(ForestProof(3, m), range(4000), n, None)
    assert (drawn.sum(axis=1) == m).all()
    share, expected = (drawn == 0).mean(), (1 - 1 / n) ** m
    assert abs(share - expected) < 4 * np.sqrt(expected / drawn.size * 4)


def test_rows_are_drawn_by_their_weights():
    weight = np.array([1.0, 2, 0, 5])
    drawn = drawn_times(ForestProof(3, 100), range(300), 4, weight)
    np.testing.assert_allclose(drawn.mean(axis=0), 100 * weight / 8, atol=1)
    assert (drawn[:, 2] == 0).all()


@given(st.integers(0, 2**20))
def test_out_of_bag_uses_only_trees_without_the_row(seed):
    X, y = data(40, 3, 2, seed)
    model = wm.RandomForestClassifier(15, oob_score=True, random_state=seed % 1000)
    with warnings.catch_warnings(action="ignore"):
        model.fit(X, y)
    drawn = drawn_times(model.proof_, range(15), 40, None)
    said = np.array([tree.predict_proba(X) for tree in model.estimators_])
    for i in range(40):
        free = drawn[:, i] == 0
        if free.any():
            np.testing.assert_allclose(model.oob_decision_function_[i], said[free, i].mean(axis=0))
        else:
            assert np.isnan(model.oob_decision_function_[i]).all()


def test_any_metric_and_the_curve_by_number_of_trees():
    X, y = data(400)
    model = wm.RandomForestClassifier(60, oob_score=balanced_accuracy_score).fit(X, y)
    said = model.oob_decision_function_.argmax(axis=1)
    assert model.oob_score_ == balanced_accuracy_score(y, said)
    assert model.oob_error_ == pytest.approx((said != y).mean())
    steps, errors = model.trace_["trees"], model.trace_["oob_error"]
    assert steps[0] == 1
    assert steps[-1] == 60
    assert errors[-1] == model.oob_error_
    with warnings.catch_warnings(action="ignore"):
        short = wm.RandomForestClassifier(4, oob_score=True).fit(X, y)
    assert errors[3] == short.oob_error_


def test_growth_ends_when_the_curve_is_flat():
    X, y = data(300)
    model = wm.RandomForestClassifier(2000, oob_patience=30).fit(X, y)
    assert len(model) < 2000
    assert "no better" in model.stop_reason_
    assert same(model, wm.RandomForestClassifier(len(model)).fit(X, y))


def test_without_draws_nothing_is_out_of_bag():
    X, y = data(60)
    for params, words in (({"oob_score": True}, "Out of bag"), ({"max_samples": 5}, "max_samples")):
        with pytest.raises(BadInput, match=words):
            wm.ExtraTreesClassifier(**params).fit(X, y)


# ---- certificates --------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**20))
def test_strength_and_correlation_are_their_definitions(seed):
    X, y = data(50, 3, 3, seed)
    model = wm.RandomForestClassifier(12, random_state=seed % 999).fit(X, y)
    drawn = drawn_times(model.proof_, range(12), 50, None)
    codes = np.searchsorted(model.classes_, y)
    votes = [np.searchsorted(model.classes_, tree.predict(X)) for tree in model.estimators_]
    s, rho = oracle.breiman(np.array(votes).tolist(), drawn.tolist(), codes.tolist(), len(model.classes_))
    c = model.certificate_
    assert c.strength == pytest.approx(s)
    assert c.correlation == pytest.approx(rho)
    if s > 0:
        assert c.error_bound == pytest.approx(rho * (1 - s * s) / s**2)


@pytest.mark.theorem("Breiman01")
def test_votes_of_infinitely_many_trees_err_no_more_than_the_bound():
    """The error of a forest is at most correlation (1 - strength^2) / strength^2, all from out-of-bag votes."""
    for seed in range(5):
        X, y = data(400, k=2, seed=seed)
        c = wm.RandomForestClassifier(200, random_state=seed, oob_score=True).fit(X, y).certificate_
        assert c.holds
        assert c.oob_error <= c.error_bound + 3 * c.oob_se


def test_a_certificate_is_found_again_and_a_false_claim_is_found_out():
    X, y = data()
    model = wm.RandomForestClassifier(30, oob_score=True).fit(X, y)
    again = wm.certify(model, X, y)
    assert again.holds
    assert again.oob_error == model.oob_error_
    assert 0 < again.oob_se < 0.1
    assert again.training_error == pytest.approx(1 - model.score(X, y))
    model.oob_error_ -= 0.01
    false = wm.certify(model, X, y)
    assert false.holds is False
    assert "claims" in false.claim


# ---- running -------------------------------------------------------------------------------------------------------


def test_time_is_kept():
    X, y = data(4000)
    began = time.monotonic()
    model = wm.RandomForestClassifier(10**6, max_time=0.3).fit(X, y)
    assert time.monotonic() - began < 3
    assert 0 < len(model) < 10**6
    assert "max_time=0.3" in model.stop_reason_
    assert same(model, wm.RandomForestClassifier(len(model)).fit(X, y))


def test_warm_starts_that_cannot_be():
    X, y = data(60)
    model = wm.RandomForestClassifier(5, warm_start=True).fit(X, y)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        model.fit(X, y)
    with pytest.raises(BadInput, match="at least the 5 trees"):
        model.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(BadInput, match="same columns and classes"):
        model.set_params(n_estimators=9).fit(X[:, :3], y)


# ---- what else a forest tells --------------------------------------------------------------------------------------


def test_importances_find_the_columns_that_matter():
    X, y = data(1000)
    model = wm.RandomForestClassifier(30).fit(X, y)
    np.testing.assert_allclose(model.feature_importances_.sum(), 1)
    assert set(np.argsort(model.feature_importances_)[-2:]) == {0, 1}
    each = np.mean([tree.feature_importances_ for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.feature_importances_, each)


def test_proximity_is_the_share_of_common_leaves():
    X, y = data(50)
    model = wm.ExtraTreesClassifier(11).fit(X, y)
    leaves = model.apply(X)
    expected = (leaves[:, None] == leaves[None]).mean(axis=2)
    np.testing.assert_allclose(model.proximity(X), expected)
    np.testing.assert_allclose(model.proximity(X[:4], X), expected[:4])


def test_quantiles_of_the_targets_in_the_leaves():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1500, 2))
    y = X[:, 0] + rng.normal(size=1500) * 0.1
    model = wm.RandomForestRegressor(50, min_samples_leaf=20).fit(X, y)
    low, middle, high = model.predict_quantiles(X, (0.05, 0.5, 0.95), train=(X, y)).T
    assert (low <= middle).all()
    assert (middle <= high).all()
    assert 0.85 < ((low <= y) & (y <= high)).mean() < 0.98
    with pytest.raises(BadInput, match="train"):
        model.predict_quantiles(X)


def test_balanced_draws_weigh_all_classes_the_same():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 2))
    y = ((X[:, 0] + rng.normal(size=600)) > 1.8).astype(int)
    plain = wm.RandomForestClassifier(40, min_samples_leaf=20).fit(X, y)
    balanced = wm.RandomForestClassifier(40, min_samples_leaf=20, class_weight="balanced_subsample").fit(X, y)
    assert balanced.predict(X).mean() > plain.predict(X).mean() + 0.05


def test_several_outputs_out_of_bag():
    X, y = data(200)
    Y = np.column_stack([y, X[:, 0] > 0])
    model = wm.RandomForestClassifier(40, oob_score=True).fit(X, Y)
    assert model.oob_decision_function_.shape == (200, 3, 2)
    assert model.predict(X).shape == (200, 2)
    assert wm.certify(model, X, Y).holds


# ---- files ---------------------------------------------------------------------------------------------------------


@each_forest
def test_files_are_small_and_come_back_the_same(cls):
    X, y = data(3000, k=7)
    model = cls(20).fit(X, y)
    blob = store.dumps(model)
    again = store.loads(blob)
    assert same(model, again)
    np.testing.assert_array_equal(again.trees_.rows, model.trees_.rows)
    assert pickle.loads(pickle.dumps(model)).predict(X).tobytes() == model.predict(X).tobytes()
    if cls is wm.RandomForestClassifier:
        theirs = Peer(20, random_state=0).fit(X, y)
        assert len(blob) < len(pickle.dumps(theirs)) / 10
        held = sum(len(t.tree_.__getstate__()["nodes"].tobytes()) + t.tree_.value.nbytes for t in theirs.estimators_)
        assert model.trees_.nbytes < held / 6


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("nodes", lambda a: np.where(a >= 0xFF800000, a | np.uint32(0xFFFFF), a)),
        ("nodes", lambda a: a ^ np.uint32(0x00FF00FF)),
        ("first", lambda a: a[::-1].copy()),
    ],
)
def test_damaged_trees_are_refused(name, change):
    X, y = data(60)
    model = wm.RandomForestClassifier(3).fit(X, y)
    parts = {k: getattr(model.trees_, k) for k in ("nodes", "first")}
    parts[name] = change(parts[name])
    with pytest.raises(ValueError, match=r"tree|node|leaf|column|child|threshold"):
        _core.Trees(parts["nodes"], model.trees_.shift, parts["first"], 3, 6, None, model.trees_.sets)


LEAF = object()


@pytest.mark.parametrize(
    ("node", "threshold", "column", "left", "flaw"),
    [
        (0, 0.5, 7, 1, "names a column"),
        (1, 0.5, 0, 1, "a leaf has a threshold"),
        (0, 0.5, 0, 2, "names a child"),
        (2, 0.5, 0, 1, "names a child"),
        (2, 0.5, 0, 3, "two parents"),
        (0, np.nan, 0, 1, "not a number"),
        (0, 0.5, 0, 1, None),
    ],
)
def test_what_is_wrong_with_a_tree_is_said(node, threshold, column, left, flaw):
    """A root, a leaf, a node with two leaves; one of them is changed."""
    size = 3 if flaw == "names a child" else 5
    parts = [(0.5, 0, 1), (LEAF, 0, 1), (0.5, 1, 3), (LEAF, 0, 3), (LEAF, 0, 4)][:size]
    if size == 3:
        parts[2] = (LEAF, 0, 2)
    parts[node] = (threshold, column, left)
    if flaw == "two parents":
        parts[0] = (0.5, 0, 2)
    keys = [0xFF800000 if t is LEAF else int(np.float32(t).view(np.uint32)) ^ 0x80000000 for t, _, _ in parts]
    words = [w for key, (_, f, c) in zip(keys, parts, strict=True) for w in (key, c << 5 | f << 2)]
    made = (np.array(words, dtype=np.uint32), 5, np.array([0, size]))
    if flaw is None:
        _core.Trees(*made, 1, 2, None, np.zeros(0, np.uint32))
        with pytest.raises(ValueError, match="says nothing"):
            _core.Trees(*made, 0, 2, None, np.zeros(0, np.uint32))
        with pytest.raises(ValueError, match="names a set"):
            _core.Trees(*made, 1, 2, np.array([1, 0], np.uint8), np.zeros(0, np.uint32))
        return
    with pytest.raises(ValueError, match=flaw):
        _core.Trees(*made, 1, 2, None, np.zeros(0, np.uint32))


def test_lines_say_the_shares_of_their_classes():
    lines = np.array([[1.0, 3, 0, 2, 2], [0, 5, 0, 0, 1], [0.5, 0, 0, 7, 0]])
    shares = _core.leaf_shares(lines, [3, 2])
    expected = np.hstack([part / part.sum(axis=1, keepdims=True) for part in (lines[:, :3], lines[:, 3:])])
    np.testing.assert_array_equal(shares.reshape(lines.shape), expected)
    mixed, only = _core.leaf_table(np.ascontiguousarray(lines[[0, 1, 0, 2], :3]))
    np.testing.assert_array_equal(only, [-1, 1, -2, 0])
    np.testing.assert_array_equal(mixed.reshape(-1, 3), expected[[0, 0], :3])


def test_a_file_with_leaves_that_form_no_tree_is_refused():
    X, y = data(60)
    blob = bytearray(store.dumps(wm.RandomForestClassifier(3).fit(X, y)))
    refused = 0
    for at in range(len(blob) - 600, len(blob), 7):
        changed = blob.copy()
        changed[at] ^= 0xFF
        try:
            store.loads(bytes(changed)).predict(X)
        except DamagedFile:
            refused += 1
    assert refused > 10
