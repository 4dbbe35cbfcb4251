"""LinearSVC: LIBLINEAR's optimum with its bias, LIBSVM's with a free one, and what it says of how it got there."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import svm
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from tests.common.estimators import fingerprint

import widemargin as wm
from widemargin.base.errors import BadInput

SETS = {"breast cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine}
LOSSES = ["hinge", "squared_hinge", "logistic"]
each_loss = pytest.mark.parametrize("loss", LOSSES)


def scaled(name):
    X, y = SETS[name](return_X_y=True)
    return StandardScaler().fit_transform(X), y


def two(n=150, d=4, seed=0):
    X, y = make_classification(n, d, n_informative=3, n_redundant=0, flip_y=0.15, random_state=seed)
    return X, y, np.random.default_rng(seed).uniform(0.2, 3, n)


def objective(X, y, w, c, loss, C, weight=None, scale=None):
    """With y = +1, -1; the bias is penalised if `scale` is given."""
    m = y * (X @ w + c)
    losses = {
        "hinge": np.maximum(0, 1 - m),
        "squared_hinge": np.maximum(0, 1 - m) ** 2,
        "logistic": np.logaddexp(0, -m),
    }[loss]
    bias = 0.0 if scale is None else (c / scale) ** 2 / 2
    return w @ w / 2 + bias + C * float((losses * (1.0 if weight is None else weight)).sum())


# ---- the same optimum as others ------------------------------------------------------------------------------------


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("name", SETS)
def test_with_a_regularised_bias_the_objective_is_that_of_liblinear(name, loss, C):
    X, y = scaled(name)
    ours = wm.LinearSVC(loss=loss, C=C, regularize_intercept=True, intercept_scaling=1.5, tol=1e-6).fit(X, y)
    peer = svm.LinearSVC(loss=loss, C=C, tol=1e-7, max_iter=10**7, dual=loss == "hinge", intercept_scaling=1.5).fit(
        X, y
    )
    for k in range(len(ours.coef_)):
        signs = np.where(y == (1 if len(ours.coef_) == 1 else k), 1.0, -1.0)
        a, b = (objective(X, signs, m.coef_[k], m.intercept_[k], loss, C, scale=1.5) for m in (ours, peer))
        assert a <= b * (1 + 1e-6)
        assert b <= a * (1 + 1e-3)
    assert ours.converged_
    assert ours.certificate_.holds
    assert ours.certificate_.relative_gap <= 1e-6


def test_weights_lead_to_liblinears_optimum():
    X, y, weight = two()
    for loss in ("hinge", "squared_hinge"):
        options = {"loss": loss, "C": 0.7, "class_weight": {0: 2.0, 1: 0.5}}
        ours = wm.LinearSVC(tol=1e-9, regularize_intercept=True, **options).fit(X, y, sample_weight=weight)
        peer = svm.LinearSVC(tol=1e-10, max_iter=10**7, dual=loss == "hinge", **options).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(ours.coef_, peer.coef_, atol=2e-4)
        np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=2e-4)


@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_with_a_free_bias_the_optimum_is_that_of_the_kernel_machine(C):
    X, y, weight = two()
    ours = wm.LinearSVC(loss="hinge", C=C, tol=1e-10).fit(X, y, sample_weight=weight)
    kernel = wm.SVC(kernel="linear", C=C, gap_tol=1e-9, tol=1e-6).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, kernel.coef_, atol=1e-4)
    assert ours.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-8)
    assert kernel.certificate_.dual <= ours.certificate_.primal * (1 + 1e-12)


@pytest.mark.parametrize("penalty", ["l2", "l1"])
def test_the_logistic_loss_is_logistic_regression(penalty):
    X, y, weight = two()
    ours = wm.LinearSVC(loss="logistic", penalty=penalty, C=0.3, tol=1e-10).fit(X, y, sample_weight=weight)
    share = {"l1_ratio": 1.0, "solver": "saga"} if penalty == "l1" else {}
    peer = LogisticRegression(C=0.3, tol=1e-10, max_iter=10**5, **share).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-4)


@pytest.mark.parametrize("name", SETS)
def test_sparse_models_are_those_of_liblinear(name):
    X, y = scaled(name)
    options = {"penalty": "l1", "C": 0.05, "dual": False}
    ours = wm.LinearSVC(tol=1e-8, regularize_intercept=True, **options).fit(X, y)
    peer = svm.LinearSVC(tol=1e-8, max_iter=10**6, random_state=0, **options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_array_equal(np.abs(ours.coef_) > 1e-3, np.abs(peer.coef_) > 1e-3)
    assert (ours.coef_ == 0).any()
    assert ours.solver_ in ("proximal newton", "feature descent")


@pytest.mark.parametrize("name", SETS)
def test_all_classes_at_once_are_those_of_liblinear(name):
    X, y = scaled(name)
    options = {"multi_class": "crammer_singer", "C": 0.3}
    ours = wm.LinearSVC(tol=1e-9, regularize_intercept=True, **options).fit(X, y)
    peer = svm.LinearSVC(tol=1e-9, max_iter=10**7, random_state=0, **options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-4)
    assert (ours.predict(X) == peer.predict(X)).mean() > 0.99
    assert ours.certificate_.holds


@pytest.mark.theorem("CrammerSinger01")
def test_of_two_classes_the_common_problem_is_the_hinge_at_twice_the_price():
    """At the optimum w_0 = -w_1 = u / 2, and 1/2 |w_0|^2 + 1/2 |w_1|^2 = 1/4 |u|^2."""
    X, y, _ = two()
    together = wm.LinearSVC(multi_class="crammer_singer", C=0.004, tol=1e-9).fit(X, y)
    hinge = wm.LinearSVC(loss="hinge", C=0.008, tol=1e-9).fit(X, y)
    assert together.certificate_.primal == pytest.approx(hinge.certificate_.primal)
    np.testing.assert_allclose(together.coef_, hinge.coef_, atol=1e-6)


# ---- one optimum, however it is asked for --------------------------------------------------------------------------


@each_loss
@pytest.mark.parametrize("dual", [True, False])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_method_and_kind_of_rows_do_not_matter(loss, dual, make, dtype):
    X, y, weight = two()
    X = X.astype(np.float32)
    one = wm.LinearSVC(loss=loss, tol=1e-8).fit(X.astype(np.float64), y, sample_weight=weight)
    other = wm.LinearSVC(loss=loss, tol=1e-8, dual=dual).fit(make(X.astype(dtype)), y, sample_weight=weight)
    assert other.certificate_.primal == pytest.approx(one.certificate_.primal, rel=2e-8)
    assert dual or other.solver_ == "newton"


@each_loss
@given(seed=st.integers(0, 10**6))
def test_a_row_of_weight_three_is_three_rows(loss, seed):
    X, y, _ = two(n=40, seed=seed % 1000)
    times = np.random.default_rng(seed).integers(1, 4, 40)
    one = wm.LinearSVC(loss=loss, tol=1e-9).fit(X, y, sample_weight=times)
    two_ = wm.LinearSVC(loss=loss, tol=1e-9).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert two_.certificate_.primal == pytest.approx(one.certificate_.primal, rel=3e-9)


@pytest.mark.theorem("CortesVapnik95")
@given(seed=st.integers(0, 1000))
def test_rotated_rows_have_a_rotated_model(seed):
    """The problem knows rows by their products alone."""
    X, y, _ = two(n=60, seed=seed)
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((4, 4)))[0]
    one, other = (wm.LinearSVC(loss="squared_hinge", tol=1e-10).fit(Z, y) for Z in (X, X @ Q))
    np.testing.assert_allclose(other.coef_, one.coef_ @ Q, atol=1e-6)


@given(shift=st.floats(-50, 50))
def test_a_free_bias_takes_up_a_shift_of_all_rows(shift):
    X, y, _ = two(n=80)
    one, other = (wm.LinearSVC(loss="hinge", tol=1e-9).fit(Z, y) for Z in (X, X + shift))
    assert other.certificate_.primal == pytest.approx(one.certificate_.primal, rel=1e-6)
    np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-3)


@pytest.mark.parametrize("params", [{}, {"loss": "hinge"}, {"multi_class": "ovo"}, {"multi_class": "crammer_singer"}])
def test_threads_change_no_bit(params):
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    one, other = (wm.LinearSVC(C=0.01, tol=1e-3, n_jobs=jobs, **params).fit(X, y) for jobs in (1, 2))
    a, b = fingerprint(one), fingerprint(other)
    assert {k: v for k, v in a.items() if k != "certificate_"} == {k: v for k, v in b.items() if k != "certificate_"}


def test_one_against_one_scores_pairs():
    X, y = scaled("iris")
    model = wm.LinearSVC(multi_class="ovo", tol=1e-8).fit(X, y)
    assert model.coef_.shape == (3, 4)
    pair = wm.LinearSVC(tol=1e-8).fit(X[y != 1], y[y != 1])
    np.testing.assert_allclose(model.coef_[1], pair.coef_[0], atol=1e-6)
    assert list(model.certificate_.parts) == ["1 vs 0", "2 vs 0", "2 vs 1"]
    assert model.decision_function(X).shape == (150, 3)


# ---- how it ends ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("params", [{}, {"dual": True}, {"penalty": "l1"}, {"multi_class": "crammer_singer"}])
def test_the_proof_is_recomputed_and_a_changed_model_is_seen(params):
    X, y = scaled("wine")
    model = wm.LinearSVC(**params).fit(X, y)
    again = wm.certify(model, X, y)
    assert again.holds
    assert again.relative_gap == pytest.approx(model.certificate_.relative_gap)
    model.coef_ = model.coef_ * 2
    assert wm.certify(model, X, y).relative_gap > 10 * model.tol


@pytest.mark.parametrize(
    "params", [{"dual": True}, {"dual": False}, {"penalty": "l1"}, {"multi_class": "crammer_singer"}]
)
def test_a_fit_cut_short_says_how_far_it_is(params):
    X, y = scaled("wine")
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 is reached .* asked: raise max_iter or tol"):
        model = wm.LinearSVC(max_iter=1, tol=1e-7, **params).fit(X, y)
    assert not model.converged_
    assert model.certificate_.holds
    assert model.certificate_.relative_gap > 1e-7
    assert model.n_iter_ == 1
    best = wm.LinearSVC(tol=1e-7, **params).fit(X, y)
    reached = model.certificate_
    assert reached.dual <= best.certificate_.primal * (1 + 1e-9)
    assert best.certificate_.dual <= reached.primal * (1 + 1e-9)


def test_time_is_obeyed_and_told():
    X, y = make_classification(3000, 60, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"max_time=1e-09 s is over"):
        model = wm.LinearSVC(loss="hinge", C=1e4, max_time=1e-9, tol=1e-12).fit(X, y)
    assert model.predict(X).shape == (3000,)
    assert model.certificate_.holds


@pytest.mark.parametrize("dual", [True, False])
def test_an_observer_sees_models_and_may_stop(dual):
    X, y, _ = two()
    seen = []

    def look(step, columns, snapshot):
        seen.append((step, columns["relative_gap"], snapshot().scores(X).shape))
        return len(seen) >= 1

    model = wm.LinearSVC(loss="hinge", dual=dual, tol=1e-9, observe=look).fit(X, y)
    assert len(seen) == 1
    assert seen[0][2] == (150, 1)
    assert "stopped on request" in model.stop_reason_
    assert not model.converged_


@each_loss
def test_a_warm_start_leads_to_the_same_optimum_and_has_less_to_do(loss):
    X, y, _ = two(n=400)
    cold = wm.LinearSVC(loss=loss, C=2.0, tol=1e-8).fit(X, y)
    warm = wm.LinearSVC(loss=loss, C=1.9, tol=1e-8, warm_start=True).fit(X, y)
    warm.set_params(C=2.0).fit(X, y)
    assert warm.certificate_.primal == pytest.approx(cold.certificate_.primal, rel=2e-8)
    assert warm.n_iter_ <= cold.n_iter_
    warm.fit(X[:-1], y[:-1])  # other rows: from nothing
    assert warm.converged_


def test_a_small_gap_is_reached_where_it_is_asked_for():
    X, y = scaled("breast cancer")
    for loss in LOSSES:
        model = wm.LinearSVC(loss=loss, C=100.0, tol=1e-10).fit(X, y)
        assert model.converged_, model.stop_reason_


# ---- what cannot be ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"penalty": "l1", "loss": "hinge"}, "'squared_hinge' or 'logistic'"),
        ({"penalty": "l1", "dual": True}, "feature by feature"),
        ({"C": 0.0}, "'C' parameter"),
        ({"C": np.inf}, "'C' parameter"),
        ({"tol": 0.0}, "'tol' parameter"),
        ({"loss": "squared"}, "'loss' parameter"),
        ({"multi_class": "one"}, "'multi_class' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"intercept_scaling": 0.0}, "'intercept_scaling' parameter"),
    ],
)
def test_what_cannot_be_is_refused(params, words):
    X, y, _ = two()
    with pytest.raises(ValueError, match=words):
        wm.LinearSVC(**params).fit(X, y)


def test_one_class_is_refused():
    with pytest.raises(BadInput, match="class"):
        wm.LinearSVC().fit([[0.0], [1.0]], [1, 1])


@pytest.mark.parametrize("C", [1e-4, 1e-3, 3e-3])
def test_a_small_price_does_not_drive_the_free_bias_away(C):
    """Nearly all rows at their bound: a centre of the method of multipliers whose sum is wrong once led to 1e8."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6))
    y = X[:, 1] + 0.7 * rng.standard_normal(200) > 0
    for dual in (False, True):
        model = wm.LinearSVC(loss="hinge", C=C, dual=dual).fit(X, y)
        assert model.converged_, model.stop_reason_
        assert abs(model.intercept_[0]) < 10


def test_the_bias_of_a_rare_class_is_found():
    """Three rows among thousands tell its curvature: a step held back for all rows' sake took hundreds."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((20_000, 4)) * [1e6, 1e3, 1, 1]
    y = np.arange(20_000) < 3
    X[y, 3] += 9
    model = wm.LinearSVC(dual=False).fit(X, y)
    assert model.converged_, model.stop_reason_
    assert model.solver_ == "newton"
    assert model.n_iter_ < 60


@pytest.mark.parametrize("bias", [{}, {"fit_intercept": False}, {"regularize_intercept": True}])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_all_classes_at_once_are_proved_of_short_rows_too(bias, C):
    """Rounding of their scores is much of their variables, whose sums were not 0: the proof was refused."""
    X, y = load_iris(return_X_y=True)
    model = wm.LinearSVC(multi_class="crammer_singer", C=C, **bias).fit(1e-4 * X, y)
    assert model.converged_, model.stop_reason_
    assert model.certificate_.holds
    assert model.certificate_.relative_gap <= model.tol
