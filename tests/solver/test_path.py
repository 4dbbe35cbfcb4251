"""Columns side by side along C: each is the machine that it would be alone, held-out items are scored beside it."""

from itertools import chain

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import widemargin as wm
from widemargin.base.drive import Watch
from widemargin.kernels import RBF
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems
from widemargin.kernels.whole import LazyGram, WholeGram
from widemargin.model.multiclass import binary_parts
from widemargin.solver.box import BoxOptions
from widemargin.solver.folds import Fold, all_paths
from widemargin.solver.path import BoxPaths

CS = np.array([0.01, 0.3, 10.0, 1000.0])


@pytest.fixture(scope="module")
def problem():
    random = np.random.default_rng(3)
    X = random.normal(size=(300, 5))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.3 * random.normal(size=300) > 0.7, 1.0, -1.0)
    weight = np.ones((3, 300))
    for k in range(3):
        weight[k, k::3] = 0.0
    return X, y, weight


def gram(X):
    return WholeGram(GramSource(RBF(0.2), RowItems(X)))


@pytest.fixture(scope="module")
def reached(problem):
    X, y, weight = problem
    path = BoxPaths(gram(X).rows(), y, weight, BoxOptions())
    return [path.reach(C) for C in CS]


@pytest.mark.theorem("BoydVandenberghe04")
def test_every_column_is_within_its_gap_of_the_optimum(problem, reached):
    """D* - D <= P(any machine) - D; here P is that of the best multiple, and D* is known to 1e-9 from a fit alone."""
    X, y, weight = problem
    for C, columns in zip(CS, reached, strict=True):
        for c, r in enumerate(columns):
            rows = weight[c] > 0
            alone = wm.SVC(C=C, gamma=0.2, gap_tol=1e-9, tol=1e-6).fit(X[rows], y[rows])
            K = RBF(0.2)(X[rows], X[rows])
            dual = r.b[rows] @ y[rows] - r.b[rows] @ K @ r.b[rows] / 2
            best = alone.certificate_.dual
            assert r.stop == "converged"
            assert r.gap <= 1e-4
            assert -1e-9 * abs(best) <= best - dual <= (r.gap + 1e-6) * abs(best) * 1.001
            assert_allclose(r.scores, alone.decision_function(X), atol=0.06)


def test_variables_stay_in_their_boxes_and_held_out_items_have_none(problem, reached):
    _, y, weight = problem
    for C, columns in zip(CS, reached, strict=True):
        for c, r in enumerate(columns):
            assert not r.b[weight[c] == 0].any()
            assert (r.b * y >= 0).all()
            assert (np.abs(r.b) <= C).all()
            assert abs(r.b.sum()) <= 1e-9 * C * len(y)


def test_one_column_begins_where_C_is_large(problem):
    """All variables at their bounds would be a bad start; the same optimum either way."""
    X, y, weight = problem
    (straight,) = BoxPaths(gram(X).rows(), y, weight[:1], BoxOptions(gap_tol=1e-6)).reach(1000.0)
    path = BoxPaths(gram(X).rows(), y, weight[:1], BoxOptions(gap_tol=1e-6))
    path.reach(0.01)
    (warm,) = path.reach(1000.0)
    assert straight.stop == warm.stop == "converged"
    assert_allclose(straight.scores, warm.scores, atol=0.02)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("whole", [True, False])
def test_threads_and_memory_do_not_change_a_bit(problem, classes, whole):
    X, _, weight = problem
    codes = np.digitize(X[:, 0] + X[:, 1] ** 2, [0.7] if classes == 2 else [0.3, 1.2])
    source = GramSource(RBF(0.2), RowItems(X))
    folds = [Fold(w, np.flatnonzero(w == 0)) for w in weight]
    parts = binary_parts(classes, "ovo")

    def run(threads, memory):
        kept = WholeGram(source) if whole else LazyGram(source)
        return all_paths(kept, codes, parts, folds, CS, BoxOptions(threads=threads, memory=memory), Watch())

    one, other = run(1, 0), run(3, 1 << 24)
    for a, b in zip(chain(*one), chain(*other), strict=True):
        assert_array_equal(a.scores, b.scores)
        assert_array_equal(a.steps, b.steps)


def test_memory_of_the_last_kernel_holds_the_next():
    X = np.random.default_rng(0).normal(size=(50, 3))
    first = WholeGram(GramSource(RBF(0.2), RowItems(X)))
    second = WholeGram(GramSource(RBF(2.0), RowItems(X)), first.K)
    assert second.K is first.K
    assert_allclose(second.K, RBF(2.0)(X, X), atol=1e-5)
    assert WholeGram(GramSource(RBF(2.0), RowItems(X[:9])), first.K).K.shape == (9, 9)


@pytest.mark.parametrize("order", ["by class", "by fold"])
def test_columns_that_share_a_working_set_all_move(order):
    """At the start all items violate alike, and the first of them may be of one class, or all held out in a column."""
    random = np.random.default_rng(5)
    X = random.normal(size=(1000, 3))
    y = np.where(X[:, 0] + 0.5 * random.normal(size=1000) > 0, 1.0, -1.0)
    rows = np.argsort(y, kind="stable") if order == "by class" else np.arange(1000)
    X, y = X[rows], y[rows]
    weight = np.ones((2, 1000))
    weight[0, :500], weight[1, 500:] = 0.0, 0.0
    if order == "by class":
        weight[:] = 1.0
    for r in BoxPaths(gram(X).rows(), y, weight, BoxOptions()).reach(0.01):
        assert r.stop == "converged"
        assert r.gap <= 1e-4
