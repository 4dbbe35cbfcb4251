"""Pegasos and SGDSVC: where they go, what they prove, and how they stream."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle.gradients import objective

import widemargin as wm
from widemargin.errors import BadInput

BOTH = pytest.mark.parametrize("make", [wm.Pegasos, wm.SGDSVC])


def problem(n=200, d=5, seed=0, noise=0.5, k=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X @ rng.normal(size=d) + noise * rng.normal(size=n) + 0.5
    return X, (np.argsort(np.argsort(score)) * k // n if k > 2 else (score > 0).astype(int))


# ---- the optimum ---------------------------------------------------------------------------------------------------


@pytest.mark.theorem("ShalevShwartzEtAl11")
@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 1.0]), st.sampled_from([1, 7, 60]))
def test_pegasos_goes_to_the_optimum_of_the_soft_margin(seed, alpha, k):
    """With lambda = 1/(n C), the objective goes to that of min 1/2 |w|^2 + C sum (1 - y w.x)+, divided by n C."""
    X, y = problem(n=60, d=3, seed=seed)
    if len(set(y)) < 2:
        return
    C = 1 / (len(y) * alpha)
    best = wm.LinearSVC(loss="hinge", fit_intercept=False, C=C, tol=1e-9).fit(X, y)
    model = wm.Pegasos(alpha=alpha, batch_size=k, max_iter=800, tol=None, random_state=seed).fit(X, y)
    least = best.certificate_.primal / (len(y) * C)
    assert least * (1 - 1e-9) <= model.certificate_.primal <= least * 1.01
    assert np.linalg.norm(model.coef_ - best.coef_) <= np.sqrt(2 * 0.01 * least / alpha) + 1e-9


@pytest.mark.theorem("BoydVandenberghe04")
@given(
    st.integers(0, 10**6),
    st.sampled_from([1e-5, 1e-2, 1.0, 50.0]),
    st.sampled_from(["replace", True, False]),
    st.booleans(),
    st.integers(1, 6),
)
def test_no_model_is_better_than_the_dual_says(seed, alpha, shuffle, intercept, epochs):
    """Weak duality: after any number of epochs, D(b) <= P(w, c) for every w and c, so that no gap is below 0."""
    X, y = problem(n=40, d=3, seed=seed)
    if len(set(y)) < 2:
        return
    signs, rng = 2.0 * y - 1, np.random.default_rng(seed)
    options = {"alpha": alpha, "shuffle": shuffle, "max_iter": epochs, "fit_intercept": intercept, "tol": None}
    models = [
        wm.Pegasos(batch_size=3, average=seed % 2 == 0, **options).fit(X, y),
        wm.SGDSVC(step_scale=min(1 / alpha, 1.0), **options).fit(X, y),
    ]
    points = [(m.coef_[0] * f, m.intercept_[0] * f) for m in models for f in (0.0, 0.5, 0.9, 1.0, 1.1)]
    points += [(rng.normal(size=3) / np.sqrt(alpha), rng.normal() * intercept) for _ in range(20)]
    least = min(objective(X, signs, alpha, w, b) for w, b in points)
    for model in models:
        c = model.certificate_
        assert c.holds is True
        assert c.gap >= -c.rounding
        assert 0 <= c.dual <= least * (1 + 1e-12) + c.rounding
        assert c.gap == pytest.approx(c.primal - c.dual, abs=1e-9)


@BOTH
@pytest.mark.parametrize("options", [{}, {"fit_intercept": True}, {"fit_intercept": False}, {"shuffle": "once"}])
def test_the_gap_shrinks(make, options):
    X, y = problem()
    alpha = {"alpha": 0.05, "tol": None, **options}
    gaps = [make(max_iter=n, **alpha).fit(X, y).certificate_.relative_gap for n in (1, 8, 64, 512)]
    assert gaps[0] > gaps[1] > gaps[2] > gaps[3]
    assert gaps[3] < (1e-3 if make is wm.Pegasos else 0.03)


def test_the_average_goes_there_too():
    X, y = problem()
    model = wm.Pegasos(alpha=0.01, average=True, tol=1e-3).fit(X, y)
    assert model.converged_
    last = wm.Pegasos(alpha=0.01, max_iter=model.n_iter_, tol=None).fit(X, y)
    assert not np.array_equal(model.coef_, last.coef_)
    np.testing.assert_array_equal(model.proof_.b != 0, last.proof_.b != 0)


def test_a_free_bias_reaches_the_optimum_of_the_free_bias():
    X, y = problem()
    best = wm.LinearSVC(loss="hinge", C=1 / (len(y) * 0.05), tol=1e-8).fit(X, y)
    for model in (wm.Pegasos(fit_intercept=True), wm.SGDSVC(step_scale=0.1, step_delay=0, shuffle=True)):
        model.set_params(alpha=0.05, tol=5e-3, max_iter=3000).fit(X, y)
        assert model.converged_, model.stop_reason_
        assert model.certificate_.primal <= best.certificate_.primal * 0.05 * 1.005
        assert abs(model.proof_.b.sum()) <= 1e-9 * np.abs(model.proof_.b).sum()


# ---- the certificate -----------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_the_figures_are_those_of_the_stated_problem(make, container):
    """primal = alpha/2 |w|^2 + mean weighted loss; dual = sum a - 1/(2 alpha) |sum a y x|^2, 0 <= a_i <= s_i / W."""
    X, y = problem()
    X = X.astype(np.float32).astype(np.float64)
    s = np.random.default_rng(2).uniform(0.1, 3, len(y))
    model = make(alpha=0.02, max_iter=7, tol=None).fit(container(X), y, sample_weight=s)
    c, signs = model.certificate_, 2.0 * y - 1
    assert c.primal == pytest.approx(objective(X, signs, 0.02, model.coef_[0], model.intercept_[0], s), rel=1e-9)
    a = 0.02 * signs * model.proof_.b
    assert (a >= 0).all()
    assert (a <= s / s.sum() * (1 + 1e-12)).all()
    v = (a * signs) @ X
    assert c.dual == pytest.approx(a.sum() - v @ v / (2 * 0.02), rel=1e-9)
    again = wm.certify(model, container(X), y, sample_weight=s)
    assert (again.primal, again.dual, again.gap) == (c.primal, c.dual, c.gap)


@BOTH
def test_a_forged_proof_or_model_is_found_out(make):
    X, y = problem()
    model = make(alpha=0.02, max_iter=20, tol=None).fit(X, y)
    honest = model.certificate_
    model.proof_.b[np.argmax(np.abs(model.proof_.b))] *= 3.0
    assert wm.certify(model, X, y).holds is False
    model = make(alpha=0.02, max_iter=20, tol=None).fit(X, y)
    model.coef_ = model.coef_ + 0.1
    assert wm.certify(model, X, y).gap > honest.gap
    model.proof_ = replace(model.proof_, b=model.proof_.b[:-1])
    assert wm.certify(model, X, y).holds is False
    model.proof_ = None
    assert wm.certify(model, X, y).holds is None
    with pytest.raises(wm.errors.DataMismatch):
        wm.certify(model, X + 1, y)


@BOTH
@pytest.mark.parametrize("scheme", ["ovr", "ovo"])
def test_several_classes_have_a_certificate_each(make, scheme):
    X, y = problem(k=4)
    model = make(alpha=0.1, multiclass=scheme, max_iter=60, tol=1e-2).fit(X, y)
    c, n = model.certificate_, 4 if scheme == "ovr" else 6
    assert len(c.parts) == len(model.coef_) == n
    assert c.holds is True
    assert c.primal == pytest.approx(sum(p.primal for p in c.parts.values()))
    assert c.relative_gap == max(p.relative_gap for p in c.parts.values())
    one = make(alpha=0.1, max_iter=model.n_iter_, tol=1e-2)
    here = np.isin(y, (0, 1)) if scheme == "ovo" else np.full(len(y), True)
    name = "1 vs 0" if scheme == "ovo" else "0 vs rest"
    target = y[here] == (1 if scheme == "ovo" else 0)
    assert c.parts[name].primal == pytest.approx(one.fit(X[here], target).certificate_.primal, rel=0.02)


# ---- how a fit ends ------------------------------------------------------------------------------------------------


@BOTH
def test_it_stops_when_the_gap_is_reached_and_says_so(make):
    X, y = problem()
    model = make(alpha=0.5, tol=0.02).fit(X, y)
    assert model.converged_
    assert model.n_iter_ < 1000
    assert f"relative gap {model.certificate_.relative_gap:.2g} <= 0.02" in model.stop_reason_
    assert model.certificate_.relative_gap <= 0.02
    assert model.n_iter_ in (1, 2, 3, 4, 6, 9, 13, 19, 28, 42, 63, 94)
    assert model.trace_["gap"][-1] == model.certificate_.relative_gap
    longer = make(alpha=0.5, tol=None, max_iter=model.n_iter_).fit(X, y)
    np.testing.assert_array_equal(longer.coef_, model.coef_)
    short = make(alpha=1e-4, tol=1e-9, max_iter=3).fit(X, y)
    assert not short.converged_
    gap = f"{short.certificate_.relative_gap:.2g}"
    assert f"all 3 epochs done (600 steps in 3 epochs): relative gap {gap} reached, 1e-09 asked" in short.stop_reason_


def test_parts_end_by_themselves():
    X, y = problem(k=3)
    model = wm.Pegasos(alpha=0.05, tol=3e-3, max_iter=30).fit(X, y)
    gaps = [p.relative_gap for p in model.certificate_.parts.values()]
    good = sum(gap <= 3e-3 for gap in gaps)
    assert f"{good} of 3 binary parts converged" in model.stop_reason_


def test_steps_that_would_swing_are_refused():
    X, y = problem()
    with pytest.raises(BadInput, match=r"first step, step_scale / \(1 \+ step_delay\) = 5, is above 1 / alpha = 1"):
        wm.SGDSVC(alpha=1.0, step_scale=10, step_delay=1).fit(X, y)
    with pytest.raises(BadInput, match="swing"):
        wm.SGDSVC(alpha=1.0, step_scale=10).partial_fit(X, y, classes=[0, 1])
    assert wm.SGDSVC(alpha=1.0, step_scale=2, step_delay=1, max_iter=5).fit(X, y).certificate_.holds


# ---- streams -------------------------------------------------------------------------------------------------------


def test_a_stream_in_its_own_order_is_an_epoch_of_a_fit():
    """Pegasos counts time by weight, so that batches of a stream are one long epoch; weights are as they are."""
    X, y = problem()
    s = np.random.default_rng(4).uniform(0.2, 3, len(y))
    fit = wm.Pegasos(shuffle=False, max_iter=1, alpha=0.1, fit_intercept=True).fit(X, y, sample_weight=s)
    stream = wm.Pegasos(shuffle=False, alpha=0.1, fit_intercept=True)
    for cut in (slice(0, 30), slice(30, 31), slice(31, 200)):
        stream.partial_fit(sp.csr_array(X[cut]), y[cut], classes=[0, 1], sample_weight=s[cut])
    np.testing.assert_allclose(stream.coef_, fit.coef_, rtol=1e-10)
    np.testing.assert_allclose(stream.intercept_, fit.intercept_, rtol=1e-10)
    assert stream.n_steps_ == fit.n_steps_
    assert stream.certificate_.holds is None
    assert "199 steps" not in stream.certificate_.claim
    assert f"{stream.n_steps_} steps" in stream.certificate_.claim


def test_the_steps_of_sgd_shrink_from_batch_to_batch():
    """Batch e has the steps m / (e + n): one row a batch is the oracle's loop."""
    from tests.oracle.gradients import sgd

    X, y = problem(n=9)
    model = wm.SGDSVC(alpha=0.1, step_scale=2.0, step_delay=1.0)
    for i in range(9):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    w, b = sgd(X, 2.0 * y - 1, 0.1, [[i] for i in range(9)], 2.0, 1.0)
    np.testing.assert_allclose([*model.coef_[0], *model.intercept_], [*w, b], rtol=1e-10)


@BOTH
@pytest.mark.parametrize("scheme", ["ovr", "ovo"])
def test_a_batch_without_rows_of_a_pair_leaves_the_pair_alone(make, scheme):
    X, y = problem(k=3)
    model = make(multiclass=scheme, alpha=0.01)
    for _ in range(5):
        model.partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    if scheme == "ovo":
        assert model.coef_[0].any()
    model.partial_fit(X, y)
    assert model.score(X, y) > 0.5


@BOTH
def test_every_kind_of_rows_gives_the_same_decisions(make):
    """Dense, sparse, float32: the same decisions to rounding."""
    X, y = problem()
    X = X.astype(np.float32).astype(np.float64)
    one = make(alpha=0.05, max_iter=5, tol=None)
    dense = one.fit(X, y).decision_function(X)
    for other in (sp.csr_array(X), X.astype(np.float32), np.asfortranarray(X), sp.csc_array(X.astype(np.float32))):
        np.testing.assert_allclose(one.fit(other, y).decision_function(X), dense, rtol=1e-6, atol=1e-9)


# ---- warm starts ---------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("intercept", [True, False])
def test_a_warm_start_goes_on_where_the_last_fit_ended(make, intercept):
    """Four fits of 5 epochs are one of 20, to rounding: the same orders, the same lengths of steps."""
    X, y = problem(n=300, d=5, seed=3, k=3)
    options = {"alpha": 0.01, "fit_intercept": intercept, "tol": None}
    model = make(max_iter=5, warm_start=True, **options)
    for _ in range(4):
        model.fit(X, y)
    whole = make(max_iter=20, **options).fit(X, y)
    assert model.t_ == whole.t_
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-6)
    np.testing.assert_allclose(model.intercept_, whole.intercept_, rtol=1e-6)
    assert model.certificate_.holds


@BOTH
def test_a_warm_start_keeps_the_vectors_where_alpha_changes(make):
    X, y = problem(n=300, d=5, seed=1)
    model = make(alpha=0.01, max_iter=200, tol=None, warm_start=True).fit(X, y)
    before = model.coef_.copy()
    model.set_params(alpha=0.02, max_iter=1).fit(X, y)
    assert np.linalg.norm(model.coef_ - before) <= 0.1 * np.linalg.norm(before)


@BOTH
def test_a_warm_start_of_other_features_is_refused(make):
    X, y = problem()
    model = make(warm_start=True, max_iter=3, tol=None).fit(X, y)
    with pytest.raises(BadInput, match="warm_start=False"):
        model.fit(X[:, :3], y)
