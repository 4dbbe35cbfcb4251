"""SVC.path: each machine along C has the optimum of a fit of its own."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from tests.common.estimators import answers, fingerprint

import widemargin as wm
from widemargin.base.errors import BadInput, WrongType
from widemargin.kernels import RBF, Linear


def data(k=2, n=60, seed=0):
    """k noisy classes in turn along one direction."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 3))
    score = X[:, 0] + 0.8 * random.standard_normal(n)
    return X, np.argsort(np.argsort(score)) * k // n


def parts(certificate):
    return list(getattr(certificate, "parts", {}).values()) or [certificate]


def assert_same_optimum(a, b, X, y, weight=None):
    """Of each binary part the optimum lies between dual and primal of both, and both gaps are what was asked for."""
    for model in (a, b):
        assert model.converged_, model.stop_reason_
        assert wm.certify(model, X, y, sample_weight=weight).relative_gap <= model.gap_tol
    of_a, of_b = parts(a.certificate_), parts(b.certificate_)
    assert len(of_a) == len(of_b)
    for p, q in zip(of_a, of_b, strict=True):
        assert max(p.dual, q.dual) <= min(p.primal, q.primal) + p.rounding + q.rounding
        assert abs(p.primal - q.primal) <= a.gap_tol * abs(q.primal) + p.rounding + q.rounding


PROBLEMS = {
    "two classes": (2, {}),
    "three classes": (3, {}),
    "four classes against the rest": (4, {"multiclass": "ovr"}),
    "balanced classes": (3, {"class_weight": "balanced"}),
    "weighted classes": (2, {"class_weight": {0: 3.0}}),
    "linear": (2, {"kernel": "linear"}),
    "polynomial": (3, {"kernel": "poly", "degree": 2, "coef0": 1.0}),
    "kernel object": (2, {"kernel": RBF(0.3) + Linear()}),
    "function": (2, {"kernel": lambda a, b: (a @ b.T + 1) ** 2}),
    "little memory": (3, {"cache_size": 1e-3}),
    "two threads": (3, {"n_jobs": 2}),
    "to many digits": (2, {"gap_tol": 1e-9, "tol": 1e-6}),
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_machines_of_a_path_are_those_of_separate_fits(problem):
    k, params = PROBLEMS[problem]
    X, y = data(k)
    machine = wm.SVC(**params)
    path = machine.path(X, y, [3.0, 0.01, 0.3, 3.0, 20.0])
    np.testing.assert_array_equal(path.Cs, [0.01, 0.3, 3.0, 20.0])
    assert len(path) == len(path.models) == len(path.gaps) == len(path.n_iter) == len(path.seconds) == 4
    for c, (C, model) in enumerate(zip(path.Cs, path.models, strict=True)):
        own = clone(machine).set_params(C=C).fit(X, y)
        assert_same_optimum(model, own, X, y)
        np.testing.assert_allclose(model.decision_function(X), own.decision_function(X), atol=0.02)
        assert model.get_params() == own.get_params()
        assert path.gaps[c] == model.certificate_.relative_gap
        assert path[c] is model


@given(
    st.lists(st.floats(1e-6, 1e4), min_size=1, max_size=4),
    st.integers(2, 3),
    st.sampled_from(["none", "whole", "any"]),
    st.booleans(),
    st.integers(0, 99),
)
def test_any_list_of_C_in_any_order_with_any_weights_leads_to_the_optima(Cs, k, weighted, sparse, seed):
    X, y = data(k, n=30, seed=seed)
    random = np.random.default_rng(seed)
    weight = {"none": None, "whole": random.integers(0, 3, 30) + (np.arange(30) < 25), "any": random.random(30)}[
        weighted
    ]
    rows = sp.csr_array(np.where(X > 0, X, 0)) if sparse else X
    path = wm.SVC(kernel="rbf", gamma=0.5).path(rows, y, Cs, sample_weight=weight)
    np.testing.assert_array_equal(path.Cs, np.unique(Cs))
    for C, model in zip(path.Cs, path.models, strict=True):
        own = wm.SVC(C=C, kernel="rbf", gamma=0.5).fit(rows, y, sample_weight=weight)
        assert_same_optimum(model, own, rows, y, weight)


@pytest.mark.parametrize("Cs", [[1e-9], [1e-9, 1e6], 2.5, np.float32([1, 4])], ids=str)
def test_one_C_very_small_ones_and_very_large_ones(Cs):
    X, y = data(2, n=40)
    path = wm.SVC(gamma=0.5).path(X, y, Cs)
    for C, model in zip(path.Cs, path.models, strict=True):
        assert_same_optimum(model, wm.SVC(C=C, gamma=0.5).fit(X, y), X, y)


def test_precomputed_values_make_the_same_path():
    X, y = data(3)
    K = RBF(0.4)(X)
    for a, b in zip(
        wm.SVC(kernel="precomputed").path(K, y, [0.5, 5.0]).models,
        wm.SVC(gamma=0.4).path(X, y, [0.5, 5.0]).models,
        strict=True,
    ):
        np.testing.assert_allclose(a.decision_function(K), b.decision_function(X), atol=1e-3)


def test_a_path_leaves_its_machine_as_it_is():
    X, y = data()
    machine = wm.SVC(C=7.0, warm_start=True)
    before = dict(vars(machine))
    machine.path(X, y, [1.0])
    assert vars(machine) == before
    machine.fit(X, y)
    learnt = fingerprint(machine)
    path = machine.path(X, y, [1.0, 2.0])
    assert fingerprint(machine) == learnt
    assert all(model.warm_start for model in path.models)


def test_the_order_of_C_changes_no_bit():
    X, y = data(3)
    one, other = wm.SVC().path(X, y, [1.0, 0.1, 10.0]), wm.SVC().path(X, y, [10.0, 1.0, 0.1, 0.1])
    assert [answers(m, X) for m in one.models] == [answers(m, X) for m in other.models]


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_the_number_of_threads_changes_no_bit(multiclass):
    X, y = data(4, n=80)
    paths = [wm.SVC(multiclass=multiclass, n_jobs=jobs).path(X, y, [0.1, 1.0, 10.0]) for jobs in (1, 2, 3)]
    for path in paths[1:]:
        assert [answers(m, X) for m in path.models] == [answers(m, X) for m in paths[0].models]
        np.testing.assert_array_equal(path.n_iter, paths[0].n_iter)


def test_starts_save_steps():
    X, y = data(2, n=300)
    Cs = np.logspace(-1, 2, 12)
    path = wm.SVC(gamma=0.5).path(X, y, Cs)
    alone = [wm.SVC(gamma=0.5).path(X, y, [C]).n_iter.sum() for C in Cs]
    assert path.n_iter.sum() < sum(alone)


def test_steps_and_time_are_limited_for_each_and_for_all():
    X, y = data(2, n=200)
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        path = wm.SVC(max_iter=3).path(X, y, [1.0, 2.0])
    assert all(gap > 1e-4 for gap in path.gaps)
    assert [wm.certify(m, X, y).relative_gap for m in path.models] == path.gaps.tolist()
    hard = {"kernel": "linear", "max_time": 1e-9, "gap_tol": 1e-12, "tol": 1e-9}
    with pytest.warns(ConvergenceWarning, match="max_time=1e-09 s is over"):
        path = wm.SVC(**hard).path(1e3 * X, y, [1e3, 1e4])
    assert all(m.max_time == 1e-9 and len(m.predict(X)) == 200 for m in path.models)


BAD = {
    "none": ([], "Cs is empty"),
    "zero": ([1.0, 0.0], "Cs holds 0 at place 1"),
    "negative": ([-1.0], "Cs holds -1 at place 0"),
    "NaN": ([1.0, 2.0, np.nan], "Cs holds nan at place 2"),
    "infinity": ([np.inf], "Cs holds inf at place 0"),
    "a word": ([1.0, "eel"], "must hold numbers"),
    "no list": ({1.0, 2.0}, "must hold numbers"),
    "ragged": ([[1.0], [2.0, 3.0]], "must hold numbers"),
    "nothing": (None, "Cs holds nan"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_lists_are_told(case):
    Cs, words = BAD[case]
    with pytest.raises(BadInput, match=words):
        wm.SVC().path(*data(), Cs)


def test_bad_data_are_told_as_in_a_fit():
    X, y = data()
    with pytest.raises(BadInput, match=r"NaN \(row 0, column 1\)"):
        wm.SVC().path(np.where(np.arange(X.size).reshape(X.shape) == 1, np.nan, X), y, [1.0])
    with pytest.raises(BadInput, match="only one class"):
        wm.SVC().path(X, y * 0, [1.0])
    with pytest.raises(WrongType, match="Sparse precomputed"):
        wm.SVC(kernel="precomputed").path(sp.csr_array(X @ X.T), y, [1.0])
    with pytest.raises(BadInput, match="float32 cannot hold"):
        wm.SVC(kernel="linear").path(1e30 * X, y, [1.0])
    with pytest.raises(ValueError, match="'gap_tol'"):
        wm.SVC(gap_tol=-1).path(X, y, [1.0])
