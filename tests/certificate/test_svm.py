"""Certificates of support vector machines: LIBSVM's optima, weak duality for any point, and no false claim."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import svm
from sklearn.datasets import make_classification, make_regression

from widemargin.certificate.record import merge
from widemargin.certificate.svm import Claimed, certify_parts, certify_svm
from widemargin.kernels import RBF, Precomputed
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems
from widemargin.model.box import BoxProblem

GAMMA, TOL = 0.1, 1e-10
C, NU, EPS = 2.0, 0.3, 0.2
NAMES = ["c_svc", "nu_svc", "one_class", "eps_svr", "nu_svr"]


def gram(K):
    return GramSource(Precomputed(), Precomputed().prepare(K))


def halves(coef, n):
    """Variables of a regression from the differences that scikit-learn keeps."""
    return np.concatenate([np.maximum(coef, 0.0), np.minimum(coef, 0.0)])


def dense(model, n):
    coef = np.zeros(n)
    coef[model.support_] = model.dual_coef_[0]
    return coef


def solved(name, weight=None, n=120):
    """(source, problem, b, model) of one formulation, solved by LIBSVM."""
    X, y = make_classification(n, 5, flip_y=0.1, random_state=3)
    y, w = 2.0 * y - 1, np.ones(n) if weight is None else weight
    z = make_regression(n, 5, noise=5.0, random_state=3)[1] / 50
    source = GramSource(RBF(GAMMA), RowItems(X))
    common = {"gamma": GAMMA, "tol": TOL}
    if name == "c_svc":
        fit = svm.SVC(C=C, **common).fit(X, y, sample_weight=weight)
        problem, rho = BoxProblem.c_svc(y, C * w), 0.0
    elif name == "nu_svc":
        fit = svm.NuSVC(nu=NU, **common).fit(X, y, sample_weight=weight)
        problem = BoxProblem.nu_svc(y, w, NU)
        rho = NU * w.sum() / np.abs(fit.dual_coef_).sum()
    elif name == "one_class":
        fit = svm.OneClassSVM(nu=NU, **common).fit(X, sample_weight=weight)
        problem, rho = BoxProblem.one_class(w, NU), 0.0
    elif name == "eps_svr":
        fit = svm.SVR(C=C, epsilon=EPS, **common).fit(X, z, sample_weight=weight)
        problem, rho = BoxProblem.eps_svr(z, EPS, C * w), 0.0
    else:
        fit = svm.NuSVR(nu=NU, C=C, **common).fit(X, z, sample_weight=weight)
        problem = BoxProblem.nu_svr(z, C, w, NU)
        off = np.abs(z - fit.predict(X))[np.abs(dense(fit, n)) > 1e-9]
        rho = -off.min()
    scale = rho if name == "nu_svc" else 1.0
    coef = dense(fit, n)
    b = coef * scale if problem.n_variables == n else halves(coef, n)
    for bound in (problem.lower, problem.upper):  # the division by rho and back is not exact
        b = np.where(np.abs(b - bound) < 1e-12, bound, b)
    if name == "nu_svr":  # LIBSVM may add the same number to both variables of an item; sums tell how much
        b = _with_sums(b, problem)
    model = {"intercept": float(fit.intercept_[0]), "rho": float(rho), "scale": float(scale), "coef": coef}
    return source, problem, b, model


def _with_sums(b, problem):
    n, missing = problem.n, problem.total[0] - b[: problem.n].sum()
    room = np.minimum(problem.upper[:n] - b[:n], b[n:] - problem.lower[n:])
    step = room * (missing / room.sum()) if missing > 0 else np.zeros(n)
    return b + np.concatenate([step, -step])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_the_gap_of_libsvms_optimum_is_nothing(name, weighted):
    weight = np.random.default_rng(0).uniform(0.2, 3.0, 120) if weighted else None
    source, problem, b, model = solved(name, weight)
    certificate = certify_svm(source, problem, b, **model, asked=1e-4)
    assert certificate.holds, certificate.claim
    assert -certificate.rounding <= certificate.gap
    assert certificate.gap < 1e-7 * problem.sum_of_bounds  # LIBSVM keeps kernel values in float32
    assert certificate.relative_gap < 1e-4
    assert certificate.gap == pytest.approx(certificate.primal - certificate.dual, abs=1e-9)
    assert certificate.kkt_violation < 1e-5
    assert certificate.infeasibility < 1e-10
    assert certificate.n_free + certificate.n_bounded <= problem.n_variables
    assert certificate.n_free > 0
    assert certificate.n_bounded > 0
    assert certificate.rounding < 1e-6
    assert "<= 0.0001 asked" in certificate.claim


def test_the_primal_is_the_objective_that_people_know():
    source, problem, b, model = solved("c_svc")
    K, y = source.block(None, None), problem.t
    f = K @ b + model["intercept"]
    known = b @ K @ b / 2 + C * np.maximum(0, 1 - y * f).sum()
    assert certify_svm(source, problem, b, **model).primal == pytest.approx(known, rel=1e-12)
    source, problem, b, model = solved("eps_svr")
    z, c = problem.t[:120] + EPS, model["coef"]
    f = K @ c + model["intercept"]
    known = c @ K @ c / 2 + C * np.maximum(0, np.abs(z - f) - EPS).sum()
    assert certify_svm(source, problem, b, **model).primal == pytest.approx(known, rel=1e-12)
    source, problem, b, model = solved("nu_svc")
    f, rho = K @ b + model["intercept"] * model["rho"], model["rho"]
    known = b @ K @ b / 2 - NU * rho * 120 + np.maximum(0, rho - problem.upper * f + -problem.lower * f).sum()
    assert certify_svm(source, problem, b, **model).primal == pytest.approx(known, rel=1e-10)
    source, problem, b, model = solved("one_class")
    rho = -model["intercept"]
    known = b @ K @ b / 2 - rho * NU * 120 + np.maximum(0, rho - K @ b).sum()
    assert certify_svm(source, problem, b, **model).primal == pytest.approx(known, rel=1e-10)
    source, problem, b, model = solved("nu_svr")
    z, c, eps = problem.t[:120], model["coef"], -model["rho"]
    f = K @ c + model["intercept"]
    known = c @ K @ c / 2 + C * (NU * eps * 120 + np.maximum(0, np.abs(z - f) - eps).sum())
    assert certify_svm(source, problem, b, **model).primal == pytest.approx(known, rel=1e-10)


# ---- weak duality --------------------------------------------------------------------------------------------------


@st.composite
def problems(draw):
    """Any formulation on any psd K, with any feasible dual point, any other point and any offsets."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(2, 12))
    Z = rng.normal(size=(n, draw(st.integers(1, n)))) * draw(st.sampled_from([0.1, 1.0, 10.0]))
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    z, w = rng.normal(size=n) * 3, rng.uniform(0.1, 2.0, n)
    problem = draw(
        st.sampled_from(
            [
                BoxProblem.c_svc(y, 3 * w),
                BoxProblem.eps_svr(z, 0.3, 2 * w),
                BoxProblem.one_class(w, 0.4),
                BoxProblem.nu_svc(y, w, 0.04),  # one row of weight 0.1 beside two of 2 allows it
                BoxProblem.nu_svr(z, 2.0, w, 0.5),
            ]
        )
    )
    return Z @ Z.T, problem, _feasible(problem, rng), _feasible(problem, rng), rng.normal(size=2) * 3


def _feasible(problem, rng):
    """From the start, pairs of one group exchange random amounts."""
    b = problem.start()
    for _ in range(40):
        i, j = rng.integers(0, len(b), 2)
        if i != j and problem.groups[i] == problem.groups[j]:
            step = rng.uniform() * min(problem.upper[i] - b[i], b[j] - problem.lower[j])
            b[i] += step
            b[j] -= step
    return np.clip(b, problem.lower, problem.upper)


@pytest.mark.theorem("BoydVandenberghe04")
@given(problems())
def test_no_dual_value_exceeds_a_primal_one(drawn):
    """D(b) <= P(a, o) for every feasible b, every a and all offsets o, in all five formulations."""
    K, problem, b, a, (intercept, rho) = drawn
    source = gram(K)
    lower = certify_svm(source, problem, b, intercept=0.0)
    upper = certify_svm(source, problem, a, intercept=intercept, rho=rho)
    assert lower.holds, lower.claim
    assert upper.holds, upper.claim
    size = abs(lower.dual) + abs(upper.primal) + problem.sum_of_bounds * np.abs(K).max()
    assert lower.dual <= upper.primal + 1e-9 * size
    for certificate in (lower, upper):
        assert certificate.gap >= -certificate.rounding
        assert certificate.gap == pytest.approx(certificate.primal - certificate.dual, abs=1e-9 * size)


@pytest.mark.theorem("Higham02")
@given(problems(), st.integers(0, 10**6))
def test_the_gap_moves_by_no_more_than_its_rounding_when_kernel_values_do(drawn, seed):
    """Kernel values wrong by 2^-41 of sqrt(k(i, i) k(j, j)) change the gap by less than the bound that is stated."""
    K, problem, b, _, (intercept, rho) = drawn
    size = np.sqrt(np.outer(np.diag(K), np.diag(K)))
    noise = np.random.default_rng(seed).choice([-1.0, 1.0], K.shape)
    one = certify_svm(gram(K), problem, b, intercept=intercept, rho=rho)
    two = certify_svm(gram(K + 2.0**-41 * size * noise), problem, b, intercept=intercept, rho=rho)
    assert abs(one.gap - two.gap) <= min(one.rounding, two.rounding)
    assert one.rounding <= 1e-10 * problem.sum_of_bounds * (np.abs(problem.t).max() + np.abs(K).sum() * 30 + 10)


@given(problems())
def test_the_gap_is_primal_minus_dual_also_where_the_sums_are_missed(drawn):
    K, problem, b, _, (intercept, rho) = drawn
    b = problem.start() * 0.5 + np.where(problem.upper > 0, 0.3 * problem.upper, 0.0)
    certificate = certify_svm(gram(K), problem, b, intercept=intercept, rho=rho)
    assert certificate.holds is False
    assert "miss their sum" in certificate.claim
    size = abs(certificate.primal) + abs(certificate.dual)
    assert certificate.gap == pytest.approx(certificate.primal - certificate.dual, abs=1e-9 * (1 + size))


# ---- what is caught ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_intercept_shows_as_a_gap(name):
    source, problem, b, model = solved(name)
    model["intercept"] += 0.1
    certificate = certify_svm(source, problem, b, **model, asked=1e-4)
    assert certificate.holds
    assert certificate.relative_gap > 1e-4
    assert "reached, 0.0001 asked" in certificate.claim


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_coefficient_fails(name):
    source, problem, b, model = solved(name)
    i = int(np.flatnonzero(model["coef"])[0])
    model["coef"] = model["coef"].copy()
    model["coef"][i] *= 1 + 1e-9
    certificate = certify_svm(source, problem, b, **model)
    assert certificate.holds is False
    assert f"coefficient of item {i}" in certificate.claim


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_proof_fails(name):
    source, problem, b, model = solved(name)
    free = np.flatnonzero((b > problem.lower) & (b < problem.upper))
    moved, beyond, lost = b.copy(), b.copy(), b.copy()
    moved[free[0]] += 0.5 * (problem.upper - b)[free[0]]
    beyond[free[0]] = problem.upper[free[0]] * 1.5 + 0.01
    lost[free[0]] = np.nan
    for broken, said in (
        (moved, "sum"),
        (beyond, "outside of its bounds"),
        (lost, "not finite"),
        (b[:-1], "variables"),
    ):
        certificate = certify_svm(source, problem, broken, **model)
        assert certificate.holds is False
        assert said in certificate.claim


def test_a_dual_above_the_primal_is_caught():
    y = np.array([1.0, -1.0])
    certificate = certify_svm(gram(1e-3 * np.eye(2)), BoxProblem.c_svc(y, 1.0), 100 * y, intercept=0.0)
    assert certificate.dual > certificate.primal
    assert certificate.holds is False
    assert "below 0 by more than rounding" in certificate.claim


def test_another_label_is_caught():
    source, problem, b, model = solved("c_svc")
    y = problem.t.copy()
    y[np.flatnonzero(b)[0]] *= -1
    assert certify_svm(source, BoxProblem.c_svc(y, C), b, **model).holds is False
    y = problem.t.copy()
    y[np.flatnonzero(b == 0)[0]] *= -1
    assert certify_svm(source, BoxProblem.c_svc(y, C), b, **model).relative_gap > 1e-3


def test_the_kkt_violation_is_libsvms():
    source, problem, b, model = solved("c_svc")
    assert certify_svm(source, problem, np.zeros(120), intercept=0.0).kkt_violation == 2.0
    F = source.block(None, None) @ b - problem.t
    i, j = np.flatnonzero((b > problem.lower) & (b < problem.upper))[:2]
    moved = b.copy()
    moved[i] += 1e-3
    moved[j] -= 1e-3
    F = source.block(None, None) @ moved - problem.t
    known = F[moved > problem.lower].max() - F[moved < problem.upper].min()
    assert certify_svm(source, problem, moved, **{**model, "coef": None}).kkt_violation == pytest.approx(known)


def test_an_indefinite_matrix_is_not_called_proved():
    K = -np.eye(4) + 0.1
    y = np.array([1.0, -1.0, 1.0, -1.0])
    certificate = certify_svm(gram(K), BoxProblem.c_svc(y, 1.0), y * 0.5, intercept=0.0)
    assert certificate.holds is None
    assert "positive semidefinite" in certificate.claim
    certificate = certify_svm(gram(np.eye(4)), BoxProblem.c_svc(y, 1.0), y * 0.5, intercept=0.0, psd=False)
    assert certificate.holds is None


def test_values_that_are_not_finite_fail():
    K = np.eye(4)
    source = gram(K)
    K[0, 1] = np.inf
    y = np.array([1.0, -1.0, 1.0, -1.0])
    source.items.matrix[0, 1] = np.inf
    certificate = certify_svm(source, BoxProblem.c_svc(y, 1.0), y * 0.5, intercept=0.0)
    assert certificate.holds is False
    assert "not finite" in certificate.claim


# ---- hard margin ---------------------------------------------------------------------------------------------------


def _hard():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = np.sign(X[:, 0] + 0.3)
    X[:, 0] += 0.4 * y
    fit = svm.SVC(C=1e8, kernel="linear", tol=1e-10).fit(X, y)
    return X, y, fit, BoxProblem.c_svc(y, np.inf)


def test_a_hard_margin_has_no_gap_at_its_optimum():
    X, y, fit, problem = _hard()
    b = dense(fit, 60)
    certificate = certify_svm(gram(X @ X.T), problem, b, intercept=float(fit.intercept_[0]), coef=b, asked=1e-6)
    assert certificate.holds, certificate.claim
    assert certificate.relative_gap < 1e-6  # LIBSVM keeps kernel values in float32
    margin = np.min(y * fit.decision_function(X)) / np.linalg.norm(fit.coef_)
    assert certificate.primal == pytest.approx(0.5 / margin**2, rel=1e-8)
    assert certificate.n_bounded == 0


@given(st.floats(0.2, 5), st.floats(-0.2, 0.2))
def test_a_hard_margins_dual_never_exceeds_its_primal(factor, shift):
    X, _, fit, problem = _hard()
    b, intercept = dense(fit, 60) * factor, float(fit.intercept_[0]) * factor + shift
    certificate = certify_svm(gram(X @ X.T), problem, b, intercept=intercept)
    assert certificate.holds, certificate.claim
    assert certificate.primal >= certificate.dual
    assert certificate.gap >= -certificate.rounding
    if np.isfinite(certificate.primal):
        assert certificate.gap == pytest.approx(certificate.primal - certificate.dual, rel=1e-6, abs=1e-6)


def test_a_broken_hard_margin_has_an_infinite_primal():
    X, _, fit, problem = _hard()
    certificate = certify_svm(gram(X @ X.T), problem, dense(fit, 60), intercept=float(fit.intercept_[0]) + 10)
    assert certificate.primal == certificate.gap == np.inf
    assert "margin is broken" in certificate.claim


# ---- blocks and parts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
def test_blocks_and_float32_rows_give_float64_figures(threads, monkeypatch):
    from widemargin.kernels import gram

    source, problem, b, model = solved("c_svc")
    whole = certify_svm(source, problem, b, **model)
    monkeypatch.setattr(gram, "ROWS", 17)
    monkeypatch.setattr(gram, "COLUMNS", 11)
    X32 = source.items.X.astype(np.float32)
    for items, same in ((RowItems(source.items.X), whole), (RowItems(X32), None), (RowItems(X32.astype(float)), None)):
        pieces = certify_svm(GramSource(RBF(GAMMA), items, threads), problem, b, **model)
        if same is None:
            same, previous = pieces, pieces
        assert pieces.primal == pytest.approx(same.primal, rel=1e-13 if same is whole else 1e-6)
    assert pieces.primal == pytest.approx(previous.primal, rel=1e-13)


def test_parts_merge_to_the_worst_gap_and_summed_objectives():
    parts = {name: certify_svm(*solved(name)[:3], **solved(name)[3]) for name in ("c_svc", "nu_svc")}
    parts["bad"] = replace(parts["c_svc"], relative_gap=0.5, kkt_violation=0.25, holds=False)
    whole = merge(parts)
    assert whole.holds is False
    assert whole.relative_gap == 0.5
    assert whole.kkt_violation == 0.25
    assert whole.primal == pytest.approx(sum(p.primal for p in parts.values()))
    assert whole.gap == pytest.approx(sum(p.gap for p in parts.values()))
    assert whole.n_free == sum(p.n_free for p in parts.values())
    assert "largest relative gap 0.5" in whole.claim


def test_many_certificates_at_once_are_those_made_one_by_one():
    """Figure by figure, with kernel values that all parts share and without."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    for n in (60, 12):
        source = GramSource(RBF(0.7), RowItems(X[:n]))
        parts = []
        for k in range(8):
            items = np.sort(random.permutation(n)[: random.integers(4, 9)])
            y = np.where(np.arange(len(items)) % 2, 1.0, -1.0)
            problem = BoxProblem.c_svc(y, 2.0 if k % 2 else random.uniform(1, 2, len(items)))
            b = y * random.uniform(0, 1, len(items))
            b[y > 0] *= -b[y < 0].sum() / b[y > 0].sum()
            b = np.clip(b, problem.lower, problem.upper)
            parts.append(Claimed(problem, b, float(random.normal()), coef=b * (k != 3), items=items))
        found = certify_parts(source, parts, asked=1e-3)
        for part, many in zip(parts, found, strict=True):
            one = certify_svm(source.take(part.items), part.problem, part.b, intercept=part.intercept, coef=part.coef)
            assert many.holds == one.holds
            for name in ("primal", "dual", "gap", "kkt_violation", "infeasibility", "rounding"):
                assert getattr(many, name) == pytest.approx(getattr(one, name), rel=1e-9, abs=1e-12)
            assert (many.n_free, many.n_bounded) == (one.n_free, one.n_bounded)
        assert not found[3].holds
