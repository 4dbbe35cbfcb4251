"""LinearSVR: LIBLINEAR's optimum with its bias, LIBSVM's with a free one."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm
from sklearn.datasets import load_diabetes, make_regression
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

import widemargin as wm

LOSSES = ["epsilon_insensitive", "squared_epsilon_insensitive"]
each_loss = pytest.mark.parametrize("loss", LOSSES)


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(X), (y - y.mean()) / y.std()


def objective(X, y, model, loss, C, epsilon, weight=1.0, scale=None):
    excess = np.maximum(np.abs(model.predict(X) - y) - epsilon, 0.0)
    c = 0.0 if scale is None else float(model.intercept_[0]) / scale
    losses = excess if loss == LOSSES[0] else excess**2
    return model.coef_ @ model.coef_ / 2 + c * c / 2 + C * float((weight * losses).sum())


@each_loss
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
def test_with_a_regularised_bias_the_optimum_is_that_of_liblinear(loss, epsilon, C):
    X, y = diabetes()
    weight = np.random.default_rng(0).uniform(0.2, 2, len(y))
    options = {"loss": loss, "epsilon": epsilon, "C": C, "intercept_scaling": 2.0}
    ours = wm.LinearSVR(tol=1e-7, regularize_intercept=True, **options).fit(X, y, sample_weight=weight)
    peer = svm.LinearSVR(tol=1e-7, max_iter=10**7, dual=loss == LOSSES[0], **options).fit(X, y, sample_weight=weight)
    a, b = (objective(X, y, m, loss, C, epsilon, weight, 2.0) for m in (ours, peer))
    assert a <= b * (1 + 1e-7)
    assert b <= a * (1 + 1e-4)
    assert ours.certificate_.holds
    assert ours.certificate_.primal == pytest.approx(a)


def test_with_a_free_bias_the_optimum_is_that_of_the_kernel_machine():
    X, y = diabetes()
    y = y + 5.0  # a bias that a penalty would hold back
    ours = wm.LinearSVR(C=0.5, epsilon=0.2, tol=1e-9).fit(X, y)
    kernel = wm.SVR(kernel="linear", C=0.5, epsilon=0.2, gap_tol=1e-8, tol=1e-6).fit(X, y)
    assert ours.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-7)
    np.testing.assert_allclose(ours.predict(X), kernel.predict(X), atol=1e-3)


@each_loss
@pytest.mark.parametrize("dual", [True, False])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_method_and_kind_of_rows_do_not_matter(loss, dual, make):
    X, y = diabetes()
    one = wm.LinearSVR(loss=loss, epsilon=0.1, tol=1e-7).fit(X, y)
    other = wm.LinearSVR(loss=loss, epsilon=0.1, tol=1e-7, dual=dual).fit(make(X), y)
    assert other.certificate_.primal == pytest.approx(one.certificate_.primal, rel=2e-7)
    assert other.converged_


@each_loss
def test_rows_inside_of_the_tube_have_no_part_in_the_model(loss):
    X, y = diabetes()
    model = wm.LinearSVR(loss=loss, epsilon=0.5, C=1.0, tol=1e-9).fit(X, y)
    used = np.abs(model.proof_[0].b) > 1e-9
    again = wm.LinearSVR(loss=loss, epsilon=0.5, C=1.0, tol=1e-9).fit(X[used], y[used])
    np.testing.assert_allclose(again.coef_, model.coef_, atol=1e-4)
    assert 0 < used.sum() < len(y)


def test_targets_far_away_and_more_columns_than_rows():
    X, y = make_regression(40, 200, noise=1.0, random_state=0)
    model = wm.LinearSVR(C=10.0, tol=1e-6).fit(X, y + 1e4)
    assert model.converged_
    assert model.certificate_.holds
    assert np.abs(model.predict(X) - y - 1e4).max() < 1.0


def test_a_fit_cut_short_says_how_far_it_is():
    X, y = diabetes()
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 is reached after 2 steps of newton: relative gap"):
        model = wm.LinearSVR(max_iter=2, tol=1e-8).fit(X, y)
    assert model.certificate_.relative_gap > 1e-8


@pytest.mark.parametrize(("params", "words"), [({"epsilon": -1.0}, "'epsilon'"), ({"loss": "hinge"}, "'loss'")])
def test_what_cannot_be_is_refused(params, words):
    with pytest.raises(ValueError, match=words):
        wm.LinearSVR(**params).fit([[0.0], [1.0]], [0.0, 1.0])
