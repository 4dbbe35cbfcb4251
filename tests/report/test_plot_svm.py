"""Pictures of support vector machines: rings, slack, tube, region and knee are what the machine says."""

from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from tests.report.test_plot import readable

import widemargin.report.plot as pictures
from widemargin import SVC, SVR, KernelRidge, NuSVC, NuSVR, OneClassSVM, Perceptron
from widemargin.base.errors import BadInput
from widemargin.data import load_iris
from widemargin.report.plot import KneeDisplay, OneClassDisplay, SupportDisplay, TubeDisplay

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="module")
def clouds():
    rng = np.random.default_rng(5)
    X = np.vstack([rng.normal((0, 0), 1, (40, 2)), rng.normal((2.6, 1.8), 1, (40, 2))])
    return X, np.repeat(["left", "right"], 40)


@pytest.fixture(scope="module")
def wave():
    rng = np.random.default_rng(2)
    x = np.sort(rng.uniform(0, 6, 70))
    return x[:, None], np.sin(x) + rng.normal(0, 0.18, 70)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# ---- support vectors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [SVC(kernel="linear"), SVC(gamma=0.5, C=3.0), NuSVC(gamma=0.5, nu=0.3)])
def test_rings_are_the_support_with_its_alphas(clouds, model):
    X, y = clouds
    model.fit(X, y)
    display = SupportDisplay.from_estimator(model, X, y, grid=160)
    np.testing.assert_allclose(display.support, X[model.support_])
    np.testing.assert_array_equal(display.alpha, np.abs(model.dual_coef_[0]))
    np.testing.assert_array_equal(np.where(display.free, "free", "bounded"), model.support_kinds_)
    free, bounded = int(display.free.sum()), int((~display.free).sum())
    assert {f"free support vector ({free})", f"bounded: α at its limit ({bounded})"} <= set(legend(display.ax_))
    readable(display.figure_)


def test_slack_leads_to_the_margin_of_the_rows_own_class(clouds):
    """Linear: the foot has score ±1, the way is along w, and its length is slack / |w|."""
    X, y = clouds
    model = SVC(kernel="linear").fit(X, y)
    display = SupportDisplay.from_estimator(model, X, y)
    signs = np.where(y == "right", 1, -1)
    expected = np.maximum(0, 1 - signs * model.decision_function(X))
    np.testing.assert_allclose(display.slacks, expected)
    assert display.violators.tolist() == np.flatnonzero(expected > 0.01).tolist()
    assert len(display.violators) > 5
    rows, w = display.violators, model.coef_[0]
    np.testing.assert_allclose(model.decision_function(display.feet), signs[rows], atol=1e-9)
    way = (display.feet - X[rows]) @ w / np.linalg.norm(w)
    np.testing.assert_allclose(way, signs[rows] * expected[rows] / np.linalg.norm(w), atol=1e-9)


def test_slack_of_a_curved_margin_ends_on_it_too(clouds):
    X, y = clouds
    model = SVC(gamma=0.5, C=3.0).fit(X, y)
    display = SupportDisplay.from_estimator(model, X, y)
    scores = model.decision_function(display.feet)
    np.testing.assert_allclose(scores, np.where(y[display.violators] == "right", 1, -1), atol=0.02)


def test_the_projection_of_many_columns_keeps_the_margin():
    X, species = load_iris()
    y = species == "virginica"
    model = SVC(kernel="linear").fit(X, y)
    display = SupportDisplay.from_estimator(model, X, y)
    length = np.linalg.norm(model.coef_)
    rows = display.violators
    np.testing.assert_allclose(display.feet[:, 0], np.where(y[rows], 1, -1) / length, atol=1e-6)
    readable(display.figure_)
    cut = SupportDisplay.from_estimator(SVC().fit(X, y), X, y, grid=60)
    assert np.isnan(cut.feet).all()
    assert not any("slack" in text for text in legend(cut.ax_))
    assert "main directions" in cut.ax_.get_title(loc="left")
    readable(cut.figure_)


def test_rings_grow_with_alpha(clouds):
    X, y = clouds
    model = SVC(gamma=0.5, C=3.0).fit(X, y)
    display = SupportDisplay.from_estimator(model, X, y, grid=60)
    rings = next(
        c for c in display.ax_.collections if len(c.get_offsets()) == display.free.sum() and c.get_zorder() == 4
    )
    order = np.argsort(display.alpha[display.free])
    assert np.all(np.diff(np.asarray(rings.get_sizes())[order]) > 0)


# ---- tube ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [SVR(C=10, gamma=0.5, epsilon=0.2), NuSVR(C=10, gamma=0.5, nu=0.3)])
def test_the_tube_holds_what_costs_nothing(wave, model):
    X, y = wave
    model.fit(X, y)
    display = TubeDisplay.from_estimator(model, X, y)
    away = np.abs(model.predict(X) - y)
    assert display.epsilon == pytest.approx(getattr(model, "epsilon_", model.get_params().get("epsilon")))
    assert display.outside.tolist() == np.flatnonzero(away > display.epsilon + display.tol).tolist()
    assert len(display.inside) + len(display.edge) + len(display.outside) == len(y)
    np.testing.assert_array_equal(display.curve[1], model.predict(display.curve[0][:, None]))
    # Complementary slackness: free support vectors lie on the edge, bounded ones on it or outside, all others within.
    kinds = dict(zip(model.support_.tolist(), model.support_kinds_, strict=True))
    assert {i for i, kind in kinds.items() if kind == "free"} <= set(display.edge.tolist())
    assert set(display.outside.tolist()) <= {i for i, kind in kinds.items() if kind == "bounded"}
    assert set(display.inside.tolist()).isdisjoint(kinds)
    readable(display.figure_)


def test_several_columns_are_drawn_against_the_prediction():
    X, _ = load_iris()
    model = SVR(C=10).fit(X[:, :3], X[:, 3])
    display = TubeDisplay.from_estimator(model, X[:, :3], X[:, 3], target_name="petal width")
    np.testing.assert_array_equal(display.place, model.predict(X[:, :3]))
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("prediction", "petal width")
    readable(display.figure_)


def test_any_regression_has_a_tube_if_its_width_is_given(wave):
    X, y = wave
    display = TubeDisplay.from_estimator(LinearRegression().fit(X, y), X, y, epsilon=0.5)
    assert len(display.outside) == np.sum(np.abs(display.residuals) > 0.5 + display.tol)


# ---- one class -------------------------------------------------------------------------------------------------------


def test_the_region_is_where_the_score_is_positive():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 0.5, (80, 2)), rng.uniform(-3, 3, (10, 2))])
    model = OneClassSVM(nu=0.15, gamma=0.6).fit(X)
    display = OneClassDisplay.from_estimator(model, X, grid=60)
    assert display.outside.tolist() == np.flatnonzero(model.predict(X) < 0).tolist()
    i, j = 11, 42
    assert display.scores[i, j] == pytest.approx(model.decision_function([[display.x[j], display.y[i]]])[0])
    assert f"outside ({len(display.outside)})" in legend(display.ax_)
    np.testing.assert_allclose(display.support, X[model.support_])
    readable(display.figure_)
    X4, _ = load_iris()
    readable(OneClassDisplay.from_estimator(OneClassSVM(nu=0.2).fit(X4), X4, columns=(2, 3), grid=60).figure_)


# ---- knee ------------------------------------------------------------------------------------------------------------

CS, ERRORS = np.logspace(-2, 2, 5), np.array([0.4, 0.3, 0.12, 0.1, 0.11])


def test_lowest_error_and_knee_are_marked():
    display = KneeDisplay(Cs=CS[::-1], error=ERRORS[::-1], std=ERRORS / 10, knee=1.0).plot()
    np.testing.assert_array_equal(display.Cs, CS)
    np.testing.assert_array_equal(display.error, ERRORS)
    assert display.best == 10
    assert {"lowest: 10", "knee: 1", "± one deviation"} <= set(legend(display.ax_))
    assert display.ax_.get_xscale() == "log"
    assert "knee at 1 with 0.12" in display.ax_.get_title(loc="left")
    readable(display.figure_)


def test_the_record_of_a_path_is_read():
    folds = 1 - ERRORS[:, None] + np.array([-0.02, 0, 0.02])
    display = KneeDisplay.from_path(SimpleNamespace(Cs=CS, scores=folds, knee=1.0))
    np.testing.assert_allclose(display.error, ERRORS)
    np.testing.assert_allclose(display.std, folds.std(axis=1))
    plain = KneeDisplay.from_path(SimpleNamespace(Cs=CS, scores=1 - ERRORS, stds=ERRORS / 4, knee=None))
    np.testing.assert_allclose(plain.std, ERRORS / 4)
    assert not any("knee" in text for text in legend(plain.ax_))


# ---- what cannot be --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda X, y: SupportDisplay.from_estimator(Perceptron().fit(X, y), X, y), "Perceptron has no support"),
        (lambda X, y: SupportDisplay.from_estimator(SVC().fit(X, np.arange(len(y)) % 3), X, y), "two classes, got 3"),
        (lambda X, y: SupportDisplay.from_estimator(SVC().fit(X, y), X, y[:3]), "80 rows in X but 3 labels"),
        (
            lambda X, y: SupportDisplay.from_estimator(SVC(kernel="precomputed").fit(X @ X.T, y), X @ X.T, y),
            "no rows of numbers",
        ),
        (lambda X, y: TubeDisplay.from_estimator(KernelRidge().fit(X, X[:, 0]), X, X[:, 0]), "no tube: give epsilon"),
        (lambda X, y: TubeDisplay.from_estimator(SVR().fit(X, X[:, 0]), X, X[:4, 0]), "80 rows in X but 4 targets"),
        (lambda X, y: OneClassDisplay.from_estimator(SVC().fit(X, y), X), "no machine of one class"),
        (lambda X, y: KneeDisplay(Cs=[1, 2], error=[0.1]), "2 values of C with 1 errors"),
        (lambda X, y: KneeDisplay(Cs=[0, 2], error=[0.1, 0.2]), "above 0"),
        (lambda X, y: KneeDisplay(Cs=[1, 2], error=[0.1, 0.2], knee=3), "knee 3 is none"),
    ],
)
def test_what_cannot_be_drawn_is_said(clouds, draw, said):
    with pytest.raises(BadInput, match=said):
        draw(*clouds)


def test_they_take_the_axes_given(clouds, wave):
    import matplotlib.pyplot as plt

    X, y = clouds
    figure, panels = plt.subplots(2, 2, figsize=(13, 11), layout="constrained")
    drawn = [
        SupportDisplay.from_estimator(SVC().fit(X, y), X, y, grid=60, ax=panels[0, 0]),
        OneClassDisplay.from_estimator(OneClassSVM().fit(X), X, grid=60, ax=panels[0, 1]),
        TubeDisplay.from_estimator(SVR().fit(*wave), *wave, ax=panels[1, 0]),
        KneeDisplay(Cs=CS, error=ERRORS).plot(ax=panels[1, 1]),
    ]
    assert [display.ax_ for display in drawn] == panels.ravel().tolist()
    readable(figure)


def test_all_pictures_are_listed():
    for name in pictures.__all__:
        assert getattr(pictures, name).__name__ == name
