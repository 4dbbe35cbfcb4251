"""Certificates of the kernel perceptron: the linear ones where both exist, the mistake bound, and no false claim."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

import widemargin as wm
from widemargin.base.errors import DataMismatch
from widemargin.kernels import RBF, Polynomial

FIGURES = ("updates", "radius", "margin", "margin_upper", "mistake_bound", "rows_wrong")


@pytest.mark.parametrize("weight", [None, 2.5])
def test_with_the_linear_kernel_the_figures_are_the_linear_ones(weight):
    X, y = load_iris(return_X_y=True)
    X = np.round(10 * X)  # whole numbers: ties are exact, and no order of adding up decides them
    weight = weight and np.where(np.arange(150) % 2, 1.0, weight)
    common = {"random_state": 1, "max_iter": 30, "eta0": 0.5}
    primal = wm.Perceptron(**common).fit(X, y, sample_weight=weight).certificate_
    dual = wm.KernelPerceptron(kernel="linear", **common).fit(X, y, sample_weight=weight).certificate_
    assert dual.holds
    for name, part in primal.parts.items():
        for figure in FIGURES:
            ours, theirs = getattr(dual.parts[name], figure), getattr(part, figure)
            assert (ours is None) == (theirs is None)
            assert theirs is None or ours == pytest.approx(theirs, rel=1e-5)


@pytest.mark.theorem("Novikoff62")
@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from([RBF(0.5), RBF(3.0), Polynomial(2), Polynomial(3, 0.5)]))
def test_updates_do_not_exceed_the_bound_in_feature_space(seed, kernel):
    """If y u(x) >= m > 0 for a unit u in feature space and k(x, x) + 1 <= R^2, then updates <= (R / m)^2."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    c = rng.normal(size=40)
    K = kernel(X) + 1
    score = K @ c
    keep = np.abs(score) > 0.3 * np.abs(score).max()
    y = np.sign(score)[keep]
    assume(len(y) > 1)
    if len(set(y)) < 2:
        y[0] = -y[0]
    model = wm.KernelPerceptron(kernel=kernel, max_iter=10**4, oscillation="ignore").fit(X[keep], y)
    certificate = model.certificate_
    assert certificate.holds
    assert model.converged_
    assert certificate.separable
    assert certificate.updates == model.n_updates_ <= certificate.mistake_bound
    assert 0 < certificate.margin <= certificate.margin_upper
    if np.array_equal(y, np.sign(score)[keep]):
        known = np.min(y * score[keep]) / np.sqrt(c @ K @ c)
        assert known <= certificate.margin_upper * (1 + 1e-9)
        assert model.n_updates_ <= (np.diag(K).max() / known**2) * (1 + 1e-9)


def test_a_witness_bounds_every_margin_on_data_that_no_expansion_separates():
    X = np.array([[0.0], [0.0], [1.0], [2.0]])
    certificate = wm.KernelPerceptron(kernel=RBF(1.0), max_iter=200).fit(X, [0, 1, 0, 1]).certificate_
    assert certificate.holds
    assert certificate.separable is None
    assert certificate.margin_upper < 0.1
    assert_allclose(certificate.witness.sum(), 1)


@pytest.mark.parametrize("decide", ["last", "averaged", "voted"])
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_certify_recomputes_and_sees_what_was_changed(decide, multiclass):
    X, y = load_iris(return_X_y=True)
    weight = np.where(np.arange(150) % 7, 1.0, 0.0)
    model = wm.KernelPerceptron(decide=decide, multiclass=multiclass, max_iter=5).fit(X, y, sample_weight=weight)
    again = wm.certify(model, X, y, weight)
    assert again.holds
    assert [getattr(again, f) for f in FIGURES] == [getattr(model.certificate_, f) for f in FIGURES]
    with pytest.raises(DataMismatch):
        wm.certify(model, X + 1, y, weight)
    model.proof_.counts[0] += 1
    assert wm.certify(model, X, y, weight).holds is False
    model.proof_.counts[0] -= 1
    if decide != "averaged":
        model.dual_coef_[0, 0] += 1
        assert "coefficient" in str(wm.certify(model, X, y, weight))


def test_large_fits_and_streams_claim_only_what_they_counted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 3)), rng.integers(0, 2, size=4000)
    model = wm.KernelPerceptron(max_iter=1).fit(X, y)
    assert model.certificate_.holds is None
    assert wm.certify(model, X, y).holds
    stream = wm.KernelPerceptron().partial_fit(X[:100], y[:100], classes=[0, 1])
    assert stream.certificate_.holds is None
    with pytest.raises(DataMismatch, match="stream"):
        wm.certify(stream, X[:100], y[:100])
