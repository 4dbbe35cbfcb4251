"""Scores that are exact only where it matters make the same certificate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.estimator.machines import MACHINES, fitted, make, rows

import widemargin as wm
from widemargin.certificate import telling
from widemargin.certificate.expansion import expansion
from widemargin.certificate.svm import certify_svm
from widemargin.certificate.telling import telling_scores
from widemargin.kernels import RBF
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems
from widemargin.model.box import BoxProblem

FIGURES = ("primal", "dual", "gap", "relative_gap", "kkt_violation", "n_free", "n_bounded")


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Small problems go the way of large ones."""
    monkeypatch.setattr(telling, "LEAST", 1)


def same(source, problem, b, **options):
    """Both certificates, after a look at how they agree."""
    offsets = problem.offsets(options["intercept"], options.get("rho", 0.0))
    quick, slow = (
        certify_svm(source, problem, b, scores=scores, **options)
        for scores in (telling_scores(source, problem, b, offsets), expansion(source, problem.items(b)))
    )
    for name in FIGURES:
        assert getattr(quick, name) == pytest.approx(getattr(slow, name), rel=1e-11, abs=1e-11), name
    assert quick.holds == slow.holds
    return quick, slow


@given(
    seed=st.integers(0, 2**31), kind=st.sampled_from(["c_svc", "eps_svr", "one_class", "none"]), bias=st.floats(-2, 2)
)
def test_any_point_has_the_certificate_of_exact_scores(seed, kind, bias):
    """Whatever b is in the box and whatever the offset: no item that matters is left to float32."""
    random = np.random.default_rng(seed)
    n = 60
    X, z = random.normal(size=(n, 3)), random.normal(size=n)
    y = np.where(random.random(n) < 0.5, 1.0, -1.0)
    problem = {
        "c_svc": lambda: BoxProblem.c_svc(y, 1.0),
        "none": lambda: BoxProblem.c_svc(y, 1.0).without_sums(),
        "eps_svr": lambda: BoxProblem.eps_svr(z, 0.1, 1.0),
        "one_class": lambda: BoxProblem.one_class(np.ones(n), 0.3),
    }[kind]()
    b = np.where(random.random(problem.n_variables) < 0.4, random.uniform(problem.lower, problem.upper), 0.0)
    b = np.where(random.random(problem.n_variables) < 0.2, problem.lower + problem.upper, b)
    source = GramSource(RBF(float(random.choice([0.01, 0.3, 3.0]))), RowItems(X))
    same(source, problem, b, intercept=bias)


@pytest.mark.parametrize("cls", MACHINES, ids=lambda cls: cls.__name__)
def test_a_machine_has_the_certificate_of_exact_scores(cls, monkeypatch):
    r = rows(5, 300, 3)
    quick = fitted(make(cls, r), r.X, r.of(cls), r.w).certificate_
    monkeypatch.setattr(telling, "LEAST", 1 << 60)
    slow = fitted(make(cls, r), r.X, r.of(cls), r.w).certificate_
    for name in FIGURES:
        assert getattr(quick, name) == pytest.approx(getattr(slow, name), rel=1e-9, abs=1e-9), name
    assert quick.holds


def test_only_items_that_may_matter_are_computed_twice():
    """Most rows far from the boundary are left to float32, and their error is said."""
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 2))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    model = wm.SVC(C=10.0, gamma=0.5).fit(X, y)
    problem, b = BoxProblem.c_svc(y, 10.0), model.proof_[0].b
    source = GramSource(RBF(0.5), RowItems(X))
    f, e = telling_scores(source, problem, b, problem.offsets(float(model.intercept_[0])))
    exact, small = expansion(source, problem.items(b))
    single = e > 10 * small
    assert single.mean() > 0.8
    assert not single[model.support_].any()
    assert (np.abs(f - exact) <= e + small).all()
    assert (1 - y * (exact + model.intercept_) < 0)[single].all()
    # The gap's own rounding does not suffer: those rows add nothing to the gap.
    quick, slow = same(source, problem, b, intercept=float(model.intercept_[0]))
    assert quick.rounding == pytest.approx(slow.rounding, rel=0.5)


@pytest.mark.parametrize("kind", ["c_svc", "eps_svr", "one_class"])
def test_far_from_the_optimum_float32_tells_of_all_rows_and_its_error_is_part_of_the_rounding(kind, monkeypatch):
    """A gap far above what was asked: both certificates bound the same optimum, and no row is computed twice."""
    random = np.random.default_rng(1)
    X, n = random.normal(size=(400, 3)), 400
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    problem = {
        "c_svc": lambda: BoxProblem.c_svc(y, 1.0),
        "eps_svr": lambda: BoxProblem.eps_svr(y, 0.1, 1.0),
        "one_class": lambda: BoxProblem.one_class(np.ones(n), 0.5),
    }[kind]()
    b = problem.start()
    if kind != "one_class":
        b[:20] = 0.1 * (np.arange(20) % 2) * (problem.upper > 0)[:20]
    source, offsets = GramSource(RBF(0.3), RowItems(X)), problem.offsets(0.1, 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(RBF, "sums", lambda *_, **__: pytest.fail("float64 for rows without coefficients"))
        f, e = telling_scores(source, problem, b, offsets, 1e-4)
    exact, _ = expansion(source, problem.items(b))
    assert (np.abs(f - exact) <= e).all()
    quick, slow = (
        certify_svm(source, problem, b, intercept=0.1, asked=1e-4, scores=scores)
        for scores in ((f, e), expansion(source, problem.items(b)))
    )
    assert quick.relative_gap > telling.FAR
    for name in ("primal", "gap"):
        assert abs(getattr(quick, name) - getattr(slow, name)) <= quick.rounding + slow.rounding
    assert quick.rounding <= telling.SHARE * quick.gap
