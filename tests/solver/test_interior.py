"""Machines of products of few numbers, solved between the bounds: the same optimum, also where pairs get stuck."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from tests.estimator.machines import rows

import widemargin as wm
from widemargin.base.drive import Watch
from widemargin.certificate.svm import certify_svm
from widemargin.kernels import RBF, Linear, Polynomial
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems
from widemargin.kernels.weights import weights
from widemargin.model.box import BoxProblem
from widemargin.solver.interior import _Path, solved_inside

FORMS = {
    "c_svc": lambda r: BoxProblem.c_svc(r.y, 3.0 * r.w),
    "eps_svr": lambda r: BoxProblem.eps_svr(r.z, 0.1, 3.0 * r.w),
    "one_class": lambda r: BoxProblem.one_class(r.w, 0.31),
    "nu_svc": lambda r: BoxProblem.nu_svc(r.y, r.w, 0.6 * share(r)),
    "nu_svr": lambda r: BoxProblem.nu_svr(r.z, 2.0, r.w, 0.37),
}


def share(r):
    return 2 * min(r.w[r.y > 0].sum(), r.w[r.y < 0].sum()) / r.w.sum()


@given(
    form=st.sampled_from(list(FORMS)),
    seed=st.integers(0, 10**6),
    n=st.integers(8, 60),
    d=st.integers(1, 5),
    kernel=st.sampled_from([Linear(), Polynomial(2), RBF(0.5)]),
    far=st.sampled_from([0.0, 100.0]),
)
def test_the_interior_point_is_certified_as_the_optimum(form, seed, n, d, kernel, far):
    r = rows(seed, n, d)
    problem, source = FORMS[form](r), GramSource(kernel, RowItems(r.X + far * isinstance(kernel, Linear)))
    found = solved_inside(source, problem)
    o = found.offsets
    rho = float(o[-1] - o[0]) / 2
    c = certify_svm(source, problem, found.b, intercept=float(o.mean()), rho=rho)
    assert c.holds, c.claim
    assert c.gap <= 1e-7 * max(abs(c.primal), abs(c.dual)) + 1e-9 * problem.sum_of_bounds


def test_it_lands_on_the_bounds():
    """Rows that no boundary needs have no coefficient, and prices are paid in full."""
    r = rows(3, 200, 3)
    problem = BoxProblem.c_svc(r.y, 2.0)
    b = solved_inside(GramSource(Linear(), RowItems(r.X)), problem).b
    free = (b > problem.lower) & (b < problem.upper)
    assert 0 < np.count_nonzero(free) <= 4
    assert np.count_nonzero(b) < 200


def test_it_ends_when_it_is_told():
    r = rows(4, 100, 3)
    source = GramSource(Linear(), RowItems(r.X))
    assert solved_inside(source, BoxProblem.c_svc(r.y, 1.0), lambda: True) is None
    assert solved_inside(source, BoxProblem.c_svc(r.y, 1.0), memory=20_000) is None  # matrices of 24 kB are needed
    # Where nu leaves a single point there is no way through the inside.
    assert solved_inside(source, BoxProblem.nu_svc(r.y, np.ones(100), share(r._replace(w=np.ones(100))))) is None


# ---- what pairs alone do not reach ---------------------------------------------------------------------------------


@pytest.mark.parametrize("C", [1e4, 1e6])
@pytest.mark.parametrize("cls", [wm.SVR, wm.NuSVR])
@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_a_linear_regression_ends_at_any_price(cls, C):
    X, z = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = cls(kernel="linear", C=C).fit(X, z)
    assert model.converged_, model.stop_reason_
    assert wm.certify(model, X, z).relative_gap <= 1e-4


@pytest.mark.parametrize("C", [1.0, 1e2, 1e4])
@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_a_linear_machine_of_raw_measurements_ends(C):
    X, y = load_breast_cancer(return_X_y=True)
    model = wm.SVC(kernel="linear", C=C).fit(X, y)
    assert model.converged_, model.stop_reason_
    assert wm.certify(model, X, y).relative_gap <= 1e-4


def test_steps_that_are_limited_stay_so():
    X, z = load_diabetes(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="max_iter=500"):
        model = wm.SVR(kernel="linear", C=1e6, max_iter=500).fit(X, z)
    assert model.n_iter_ == 500


def test_raw_measurements_have_a_hard_margin():
    """4e-5 wide among numbers of thousands: the coefficients hold its place to a few per cent, and that is said."""
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="rounding allows no further step"):
        model = wm.SVC(kernel="linear", C=np.inf).fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.margin_[0] == pytest.approx(4.137e-5, rel=1e-3)
    found = wm.certify(model, X, y)
    assert found.holds
    assert found.relative_gap < 0.5
    scores = (2 * y - 1) * model.decision_function(X)
    assert scores.min() > 0.7


def test_weights_keep_what_large_terms_leave():
    """1e17 - 1e17 + 1 is 1, not 0, in the numbers that the sums are made of."""
    X, c = np.array([[1e9], [-1e9], [1.0]]), np.array([[1e8, 1e8, 1.0]])
    if np.finfo(np.longdouble).eps < 1e-18:
        assert weights(X, c).sum() == 1.0
    assert Linear().sums(RowItems(np.array([[2.0]])), RowItems(X), c)[0, 0] == pytest.approx(2.0)


@pytest.mark.parametrize("how", ["Ctrl-C", "time"])
def test_what_an_end_on_the_inside_leaves_is_a_model(monkeypatch, how):
    """That of the pairs until then, with its own gap."""
    X, z = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model, step, steps = wm.SVR(kernel="linear", C=1e6, max_time=100.0), _Path.step, []

    def some(self):
        steps.append(1)
        if len(steps) == 3 and how == "Ctrl-C":
            raise KeyboardInterrupt
        if len(steps) == 3:
            monkeypatch.setattr(Watch, "out_of_time", lambda self: True)
        return step(self)

    monkeypatch.setattr(_Path, "step", some)
    if how == "Ctrl-C":
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, z)
    else:
        with pytest.warns(ConvergenceWarning, match="max_time=100.0 s is over"):
            model.fit(X, z)
    assert len(steps) == 3
    assert not model.converged_
    found = wm.certify(model, X, z)
    assert found.holds
    assert found.relative_gap > model.gap_tol
    assert np.isfinite(model.predict(X)).all()


# ---- values that float32 does not hold -----------------------------------------------------------------------------


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("cls", [wm.SVC, wm.SVR, wm.OneClassSVM])
@pytest.mark.parametrize("n", [120, 1700])
def test_sparse_rows_far_from_the_origin_are_told_apart(cls, n):
    """Their distances are differences of numbers a billion times larger, which float32 does not know."""
    r = rows(5, n, 3)
    X = sparse.csr_array(r.X + 3e4)
    model = cls(gamma=0.5).fit(X, r.of(cls))
    near = cls(gamma=0.5).fit(r.X, r.of(cls))
    assert model.converged_, model.stop_reason_
    assert model.certificate_.primal == pytest.approx(near.certificate_.primal, rel=2e-4)


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_a_small_kernel_beside_a_large_constant_is_not_lost():
    """The constant, which changes nothing, has all digits of float32; LIBSVM ends a hundred times above the optimum."""
    r = rows(6, 140, 3)
    plain = RBF(0.5)
    with_constant = wm.SVR(kernel=lambda a, b: plain(a, b) + 1e6, C=10.0, epsilon=0.01).fit(r.X, r.z)
    without = wm.SVR(kernel=plain, C=10.0, epsilon=0.01).fit(r.X, r.z)
    assert with_constant.converged_, with_constant.stop_reason_
    assert with_constant.certificate_.primal == pytest.approx(without.certificate_.primal, rel=2e-4)


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e2])
def test_one_class_around_the_origin_has_no_boundary(scale):
    """A linear function cannot part rows on all sides from the origin: w is 0 to rounding, and that is the optimum."""
    r = rows(7, 150, 4)
    model = wm.OneClassSVM(kernel="linear", nu=0.4).fit(scale * r.X)
    assert model.converged_, model.stop_reason_
    assert np.linalg.norm(model.coef_) <= 1e-8 * scale


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e4])
def test_scores_are_not_divided_by_a_margin_of_rounding(scale):
    r = rows(8, 57, 2, noise=9.0)
    model = wm.NuSVC(kernel="linear", nu=0.68411).fit(scale * r.X, r.y)
    assert "no margin is left" in model.stop_reason_
    assert np.abs(model.decision_function(scale * r.X)).max() <= 1e-6 * scale**2


@pytest.mark.parametrize(("seed", "n", "d"), [(8, 8, 1), (6039, 47, 2), (721620, 44, 1), (679896, 11, 1)])
def test_classes_that_no_parabola_parts_have_no_boundary(seed, n, d):
    """w = 0 is the optimum, and steps beyond what rounding knows of it would lead away again."""
    r = rows(seed, n, d)
    problem, source = FORMS["nu_svc"](r), GramSource(Polynomial(2), RowItems(r.X))
    found = solved_inside(source, problem)
    c = certify_svm(source, problem, found.b, intercept=float(found.offsets.mean()), rho=0.0)
    assert c.holds, c.claim
    assert abs(c.dual) <= 1e-12
    assert c.gap <= 1e-10
