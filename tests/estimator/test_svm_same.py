"""One optimum, however it is asked for: repeated, moved, scaled, permuted, split into parts, by another kernel."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.common.estimators import fingerprint
from tests.estimator.machines import CLASSES, MACHINES, NUMBERS, feasible_nu, fitted, make, rbf, rows, scores, sets

import widemargin as wm
from widemargin.kernels import RBF

SAME = {"rtol": 1e-6, "atol": 1e-6}
machines = pytest.mark.parametrize("cls", MACHINES, ids=lambda cls: cls.__name__)
any_machine = st.sampled_from(MACHINES)
factors = st.sampled_from([1e-3, 0.3, 7.0, 1e3])


def value(model):
    return model.certificate_.primal


# ---- rows ----------------------------------------------------------------------------------------------------------


@given(cls=any_machine, r=sets())
def test_a_row_of_weight_three_is_three_rows(cls, r):
    r = r._replace(w=np.ceil(r.w))
    X, y, times = r.X, r.of(cls), r.w.astype(int)
    one = fitted(make(cls, r), X, y, r.w)
    two = fitted(make(cls, r), np.repeat(X, times, axis=0), np.repeat(y, times))
    assert value(two) == pytest.approx(value(one), rel=1e-9)
    np.testing.assert_allclose(scores(two, X), scores(one, X), **SAME)


@given(cls=any_machine, r=sets(), seed=st.integers(0, 10**6))
def test_the_order_of_rows_and_features_does_not_matter(cls, r, seed):
    rng = np.random.default_rng(seed)
    order, features = rng.permutation(len(r.y)), rng.permutation(r.X.shape[1])
    moved = r.take(order)
    one = fitted(make(cls, r), r.X, r.of(cls), r.w)
    two = fitted(make(cls, r), moved.X[:, features], moved.of(cls), moved.w)
    assert value(two) == pytest.approx(value(one), rel=1e-9)
    np.testing.assert_allclose(scores(two, r.X[:, features]), scores(one, r.X), **SAME)


@given(cls=st.sampled_from(CLASSES), r=sets())
def test_with_the_classes_exchanged_scores_change_their_sign(cls, r):
    one, two = (fitted(make(cls, r), r.X, s * r.y, r.w) for s in (1, -1))
    np.testing.assert_allclose(scores(two, r.X), -scores(one, r.X), **SAME)
    np.testing.assert_allclose(two.slacks_, one.slacks_, **SAME)


@pytest.mark.parametrize("cls", CLASSES)
def test_weights_of_classes_are_weights_of_rows(cls):
    r = rows(1)
    one = fitted(make(cls, r, nu=0.2) if cls is wm.NuSVC else make(cls, r), r.X, r.y, r.w * np.where(r.y > 0, 3.0, 0.5))
    two = make(cls, **{**one.get_params(), "class_weight": {-1: 0.5, 1: 3.0}})
    fitted(two, r.X, r.y, r.w)
    np.testing.assert_array_equal(scores(two, r.X), scores(one, r.X))
    even = make(cls, **{**one.get_params(), "class_weight": "balanced"})
    fitted(even, r.X, r.y)
    share = {s: len(r.y) / (2 * (r.y == s).sum()) for s in (-1, 1)}
    assert even.class_weight_.tolist() == [share[-1], share[1]]


# ---- scales --------------------------------------------------------------------------------------------------------


@given(cls=any_machine, r=sets(), s=factors, shift=st.floats(-5, 5))
def test_rows_moved_and_scaled_with_their_kernel_are_the_same(cls, r, s, shift):
    one = fitted(make(cls, r), r.X, r.of(cls), r.w)
    X = s * (r.X + shift)
    two = fitted(make(cls, r, gamma=r.gamma / s**2), X, r.of(cls), r.w)
    assert value(two) == pytest.approx(value(one), rel=1e-8)
    np.testing.assert_allclose(scores(two, X), scores(one, r.X), **SAME)


@given(cls=st.sampled_from([wm.SVC, *NUMBERS]), r=sets(), s=factors)
def test_a_kernel_times_a_number_is_a_price_times_it(cls, r, s):
    """1/2 |w|^2 in the space of s k is s times smaller for the same function."""
    one = fitted(make(cls, r, C=2.0), r.X, r.of(cls), r.w)
    two = fitted(make(cls, r, C=2.0 / s, kernel=s * RBF(r.gamma)), r.X, r.of(cls), r.w)
    assert value(two) * s == pytest.approx(value(one), rel=1e-8)
    np.testing.assert_allclose(scores(two, r.X), scores(one, r.X), **SAME)
    np.testing.assert_allclose(two.dual_coef_.sum() * s, one.dual_coef_.sum(), atol=1e-6)


@given(cls=st.sampled_from(NUMBERS), r=sets(), s=factors, shift=st.floats(-5, 5))
def test_targets_moved_and_scaled_move_and_scale_the_function(cls, r, s, shift):
    tube = {"epsilon": 0.2} if cls is wm.SVR else {}
    wide = {"epsilon": 0.2 * s} if cls is wm.SVR else {}
    one = fitted(make(cls, r, C=2.0, **tube), r.X, r.z, r.w)
    two = fitted(make(cls, r, C=2.0 * s, **wide), r.X, s * (r.z + shift), r.w)
    np.testing.assert_allclose(scores(two, r.X) / s - shift, scores(one, r.X), rtol=1e-5, atol=1e-5)
    assert value(two) == pytest.approx(s**2 * value(one), rel=1e-7)


@given(sets(), factors)
def test_nu_machines_do_not_ask_how_large_the_weights_are(r, s):
    """Times s, the weights of nu-SVC leave the function alone; those of one-class multiply it."""
    one, two = (fitted(make(wm.NuSVC, r), r.X, r.y, w) for w in (r.w, s * r.w))
    np.testing.assert_allclose(scores(two, r.X), scores(one, r.X), **SAME)
    one, two = (fitted(make(wm.OneClassSVM, r), r.X, None, w) for w in (r.w, s * r.w))
    np.testing.assert_allclose(scores(two, r.X) / s, scores(one, r.X), **SAME)


# ---- kernels -------------------------------------------------------------------------------------------------------


@machines
def test_names_objects_functions_matrices_and_sparse_rows_are_one_kernel(cls):
    r = rows(5, 60, 3)
    X, y = r.X * (np.abs(r.X) > 0.3), r.of(cls)
    asked = fitted(make(cls, r), X, y, r.w)
    known = scores(asked, X)
    for kernel in (RBF(r.gamma), lambda A, B: rbf(A, B, r.gamma)):
        np.testing.assert_allclose(scores(fitted(make(cls, r, kernel=kernel), X, y, r.w), X), known, **SAME)
    sparse = fitted(make(cls, r), sp.csr_array(X), y, r.w)
    np.testing.assert_allclose(scores(sparse, sp.csr_array(X)), known, **SAME)
    K = rbf(X, X, r.gamma)
    matrix = fitted(make(cls, kernel="precomputed", **({"nu": asked.nu} if hasattr(asked, "nu") else {})), K, y, r.w)
    np.testing.assert_allclose(scores(matrix, K), known, **SAME)


@machines
def test_rows_of_float32_are_the_numbers_that_they_are(cls):
    """The values of float32 rows, not values rounded again: the optimum of the same rows in float64."""
    r = rows(6, 80, 3)
    X32 = r.X.astype(np.float32)
    one = fitted(make(cls, r), X32, r.of(cls), r.w)
    two = fitted(make(cls, r), X32.astype(float), r.of(cls), r.w)
    assert value(one) == pytest.approx(value(two), rel=1e-9)
    np.testing.assert_allclose(scores(one, X32), scores(two, X32.astype(float)), rtol=1e-4, atol=1e-4)


# ---- parts ---------------------------------------------------------------------------------------------------------


def several(seed, k=4, n=90):
    r = rows(seed, n, 3)
    return r, np.random.default_rng(seed).permutation(np.arange(n) % k), list("cadb")[:k]


@pytest.mark.parametrize("cls", CLASSES)
def test_pairs_of_classes_are_machines_of_two_classes(cls):
    r, codes, _ = several(0)
    extra = {"nu": 0.4} if cls is wm.NuSVC else {}
    whole = fitted(make(cls, gamma=r.gamma, decision_function_shape="ovo", **extra), r.X, codes, r.w)
    found = whole.decision_function(r.X)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for p, (i, j) in enumerate(pairs):
        here = (codes == i) | (codes == j)
        part = fitted(make(cls, gamma=r.gamma, **extra), r.X[here], codes[here], r.w[here])
        np.testing.assert_allclose(found[:, p], -scores(part, r.X), **SAME)  # positive speaks for the first
        assert whole.margin_[p] == pytest.approx(part.margin_[0], rel=1e-6)
        assert list(whole.certificate_.parts.values())[p].primal == pytest.approx(value(part), rel=1e-8)
    votes = np.zeros((len(codes), 4))
    for p, (i, j) in enumerate(pairs):
        votes[np.arange(len(codes)), np.where(found[:, p] > 0, i, j)] += 1
    np.testing.assert_array_equal(whole.predict(r.X), votes.argmax(axis=1))


@pytest.mark.parametrize("cls", CLASSES)
def test_each_class_and_the_rest_are_machines_of_two_classes(cls):
    r, codes, _ = several(1)
    extra = {"nu": 0.4} if cls is wm.NuSVC else {}
    whole = fitted(make(cls, gamma=r.gamma, multiclass="ovr", **extra), r.X, codes, r.w)
    found = whole.decision_function(r.X)
    for i in range(4):
        part = fitted(make(cls, gamma=r.gamma, **extra), r.X, codes == i, r.w)
        np.testing.assert_allclose(found[:, i], scores(part, r.X), **SAME)
        assert whole.margin_[i] == pytest.approx(part.margin_[0], rel=1e-6)
    np.testing.assert_array_equal(whole.predict(r.X), found.argmax(axis=1))


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_the_names_of_classes_do_not_matter(multiclass):
    r, codes, names = several(2)
    one = fitted(make(wm.SVC, r, multiclass=multiclass), r.X, codes)
    two = fitted(make(wm.SVC, r, multiclass=multiclass), r.X, np.array(names)[codes])
    order = np.argsort(names)
    np.testing.assert_allclose(two.decision_function(r.X), one.decision_function(r.X)[:, order], **SAME)
    assert value(two) == pytest.approx(value(one), rel=1e-8)


# ---- ways ----------------------------------------------------------------------------------------------------------


@machines
def test_threads_and_memory_do_not_change_a_bit(cls):
    r = rows(7, 700, 4, gamma=0.3)
    extra = {"nu": 0.5 * feasible_nu(r.y, r.w)} if cls is wm.NuSVC else {}
    base = fingerprint(fitted(make(cls, gamma=0.3, gap_tol=1e-5, tol=1e-3, **extra), r.X, r.of(cls), r.w))
    for ways in ({"n_jobs": 2}, {"n_jobs": 3, "cache_size": 1}, {"cache_size": 0.01}):
        other = make(cls, gamma=0.3, gap_tol=1e-5, tol=1e-3, **extra, **ways).fit(r.X, r.of(cls), r.w)
        assert fingerprint(other) == base


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_threads_do_not_change_a_bit_of_many_classes(multiclass):
    r, codes, _ = several(3, n=400)
    one, two, three = (
        make(wm.SVC, gamma=0.3, multiclass=multiclass, **ways).fit(r.X, codes, r.w)
        for ways in ({"n_jobs": 1}, {"n_jobs": 3}, {"n_jobs": 2, "cache_size": 1})
    )
    assert fingerprint(one) == fingerprint(two) == fingerprint(three)
