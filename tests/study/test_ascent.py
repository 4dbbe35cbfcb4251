"""The dual climbed for teaching: the record is the climb."""

import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import make_classification

from widemargin.base.errors import BadInput
from widemargin.kernels import RBF
from widemargin.study import ascend_dual

RULES = ["smo", "round_robin", "random", "greedy"]


@pytest.fixture(scope="module")
def points():
    X, y = make_classification(60, 4, flip_y=0.1, random_state=1)
    return X, np.where(y, "yes", "no")


@pytest.mark.parametrize("rule", RULES)
def test_the_record_is_the_climb(points, rule):
    X, y = points
    climb = ascend_dual(X, y, rule=rule, tol=1e-6, watch=(3, 7, 11))
    assert climb.converged
    assert climb.certificate.holds, climb.certificate.claim
    assert climb.gap >= -climb.certificate.rounding
    assert climb.gap < 1e-3
    assert len(climb.objective) == len(climb.path) == len(climb.steps) + 1
    assert np.all(np.diff(climb.objective) >= -1e-12)
    assert climb.objective[-1] == pytest.approx(climb.certificate.dual, rel=1e-9)
    np.testing.assert_array_equal(climb.path[-1], climb.alpha[[3, 7, 11]])
    b = np.zeros(60)
    for step in climb.steps:
        b[step.at[0]] += step.by
        if rule == "smo":
            b[step.at[1]] -= step.by
    np.testing.assert_allclose(b, climb.b, atol=1e-12)


def test_smo_agrees_with_libsvm_and_coordinates_with_each_other(points):
    X, y = points
    theirs = svm.SVC(tol=1e-8).fit(X, y)
    ours = ascend_dual(X, y, tol=1e-7)
    np.testing.assert_allclose(ours.K @ ours.b + ours.intercept, theirs.decision_function(X), atol=1e-5)
    single = [ascend_dual(X, y, rule=rule, tol=1e-7) for rule in RULES[1:]]
    for climb in single:
        assert climb.intercept == 0
        assert climb.objective[-1] == pytest.approx(single[0].objective[-1], abs=1e-6)
    assert single[0].objective[-1] >= ours.objective[-1] - 1e-9  # fewer constraints


def test_kernels_come_by_name_object_and_matrix(points):
    X, y = points
    named = ascend_dual(X, y, gamma=0.3)
    matrix = RBF(0.3)(X)
    for other in (ascend_dual(X, y, kernel=RBF(0.3)), ascend_dual(matrix, y, kernel="precomputed")):
        np.testing.assert_allclose(other.b, named.b, atol=1e-12)


def test_a_climb_that_is_cut_short_says_so(points):
    X, y = points
    climb = ascend_dual(X, y, max_steps=3)
    assert len(climb.steps) == 3
    assert not climb.converged
    assert climb.gap > 1


def test_the_random_rule_follows_its_seed(points):
    X, y = points
    one, same, other = (ascend_dual(X, y, rule="random", random_state=s) for s in (1, 1, 2))
    assert one.steps == same.steps
    assert one.steps != other.steps


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rule": "best"}, "rule is 'best'"),
        ({"watch": [60]}, "from 0 to 59"),
        ({"C": -1.0}, "C is -1"),
        ({"kernel": "sine"}, "kernel is 'sine'"),
    ],
)
def test_what_cannot_be_climbed_is_said(points, change, said):
    with pytest.raises(BadInput, match=said):
        ascend_dual(*points, **change)


def test_large_sets_are_refused():
    with pytest.raises(BadInput, match="5000 rows"):
        ascend_dual(np.zeros((5000, 1)), np.arange(5000) % 2)
