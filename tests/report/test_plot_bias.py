"""Pictures of bias and variance and of regret: what they show is what the records say, and nothing overlaps."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.report.test_plot import readable

from widemargin import Hedge, WeightedMajority
from widemargin.base.errors import BadInput
from widemargin.report.plot import (
    BiasVarianceDisplay,
    BiasVarianceMapDisplay,
    BiasVarianceSweepDisplay,
    RegretDisplay,
)
from widemargin.study import bias_variance, bias_variance_sweep, known_source

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="module")
def numbers():
    s = known_source("friedman1", 60)
    X, y, _ = s.points(30, repeats=2)
    learners = {"tree": DecisionTreeRegressor(), "a linear model": LinearRegression()}
    return X, {
        name: bias_variance(learner, X, y, B=10, source=s, noise="repeats") for name, learner in learners.items()
    }


@pytest.fixture(scope="module")
def classes():
    X, y = known_source("twonorm", 60, 0.1)(np.random.default_rng(0))
    learners = {"tree": DecisionTreeClassifier(), "naive Bayes": GaussianNB()}
    return X, {name: bias_variance(learner, X, y, B=15) for name, learner in learners.items()}


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_bars_add_up_to_the_loss(numbers):
    _, studies = numbers
    display = BiasVarianceDisplay.from_studies(studies)
    assert list(display.heights) == ["noise", "bias", "variance"]
    losses = [record.totals["loss"].value for record in studies.values()]
    np.testing.assert_allclose(sum(display.heights.values()), losses)
    assert legend(display.ax_) == ["noise", "bias²", "variance", "loss"]
    readable(display.figure_)


def test_variance_that_helps_hangs_below_zero(classes):
    _, studies = classes
    display = BiasVarianceDisplay.from_studies(studies)
    assert list(display.heights) == ["bias", "variance_unbiased", "variance_biased"]
    assert (display.heights["variance_biased"] < 0).any()
    losses = [record.totals["loss"].value for record in studies.values()]
    np.testing.assert_allclose(sum(display.heights.values()), losses)
    assert legend(display.ax_)[0] == "bias and noise"
    readable(display.figure_)
    one = BiasVarianceDisplay.from_studies(studies["tree"].by("kohavi_wolpert"))
    assert legend(one.ax_) == ["bias² and noise", "variance", "loss"]
    readable(one.figure_)


def test_studies_by_two_losses_do_not_share_a_picture(classes):
    _, studies = classes
    mixed = {"a": studies["tree"], "b": studies["tree"].by("kohavi_wolpert")}
    with pytest.raises(BadInput, match=r"2 losses \(domingos, kohavi_wolpert\)"):
        BiasVarianceDisplay.from_studies(mixed)


def test_the_map_colours_every_point(numbers, classes):
    for X, record in ((numbers[0], numbers[1]["tree"]), (classes[0], classes[1]["tree"])):
        display = BiasVarianceMapDisplay.from_study(record, X)
        assert "main directions of" in display.ax_.get_title(loc="left")
        for panel, expected in zip(display.axes_, (record.points.bias, record.points.variance), strict=True):
            drawn = np.ma.getdata(panel.collections[-1].get_array())
            np.testing.assert_allclose(np.sort(drawn), np.sort(expected[~np.isnan(expected)]))
        readable(display.figure_)


def test_the_map_by_columns_of_a_frame_or_of_sparse_rows(numbers):
    X, studies = numbers
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    display = BiasVarianceMapDisplay.from_study(studies["tree"], frame, columns=["d", "a"])
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("d", "a")
    np.testing.assert_allclose(display.places, X[:, [3, 0]])
    other = BiasVarianceMapDisplay.from_study(studies["tree"], sparse.csr_array(X), columns=[3, 0])
    np.testing.assert_allclose(other.places, display.places)
    readable(display.figure_)


def test_one_column_is_a_curve_with_a_band():
    x = np.linspace(0, 6, 40)[:, None]
    record = bias_variance(DecisionTreeRegressor(max_depth=3), x, np.sin(x[:, 0]), B=30)
    display = BiasVarianceMapDisplay.from_study(record, x, feature_names=["time"])
    assert display.ax_.get_xlabel() == "time"
    line = next(line for line in display.ax_.lines if line.get_label() == "mean prediction")
    np.testing.assert_allclose(line.get_ydata(), record.points.main)
    readable(display.figure_)
    labels = bias_variance(DecisionTreeClassifier(), x, (x[:, 0] > 3).astype(int), B=30)
    readable(BiasVarianceMapDisplay.from_study(labels, x).figure_)


def test_points_without_two_models_are_crosses():
    X, y = known_source("friedman1", 30)(np.random.default_rng(0))
    record = bias_variance(LinearRegression(), X, y, B=3)
    display = BiasVarianceMapDisplay.from_study(record, X)
    assert len(display.ax_.collections[0].get_offsets()) == record.left_out > 0
    with pytest.raises(BadInput, match="X has 29 rows, but the study has 30 points"):
        BiasVarianceMapDisplay.from_study(record, X[1:])


def test_curves_along_a_parameter(classes):
    X, _ = classes
    y = known_source("twonorm", 60, 0.1)(np.random.default_rng(0))[1]
    learners = {"tree": DecisionTreeClassifier(), "stump": DecisionTreeClassifier(max_depth=1)}
    sweep = bias_variance_sweep(learners, "max_features", [1, 20], X, y, B=10)
    display = BiasVarianceSweepDisplay.from_sweep(sweep)
    assert [panel.get_title() for panel in display.axes_] == ["bias and noise", "net variance", "loss"]
    for panel, term in zip(display.axes_, ("bias", "variance", "loss"), strict=True):
        for line, name in zip(panel.lines, learners, strict=True):
            np.testing.assert_allclose(line.get_ydata(), sweep.curve(name, term)[0])
    readable(display.figure_)
    words = bias_variance_sweep(learners["tree"], "criterion", ["gini", "entropy"], X, y, B=10, loss="kohavi_wolpert")
    display = BiasVarianceSweepDisplay.from_sweep(words)
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["gini", "entropy"]
    readable(display.figure_)


def test_regret_and_bound_by_round():
    losses = np.random.default_rng(0).integers(0, 2, (5000, 4))
    games = {"hedge": Hedge().fit(losses), "vote": WeightedMajority().fit(losses)}
    display = RegretDisplay.from_estimator(games)
    for (regret, bound), game in zip(zip(*[iter(display.ax_.lines[:4])] * 2, strict=True), games.values(), strict=True):
        at = np.asarray(regret.get_xdata(), dtype=int) - 1
        assert at[-1] == 4999
        np.testing.assert_allclose(regret.get_ydata(), game.path_.regret[at])
        np.testing.assert_allclose(bound.get_ydata(), game.path_.bound[at])
    readable(display.figure_)
    readable(RegretDisplay.from_estimator(games["hedge"]).figure_)
    with pytest.raises(BadInput, match="GaussianNB has no path_"):
        RegretDisplay.from_estimator(GaussianNB())
    with pytest.raises(BadInput, match="after its first round"):
        RegretDisplay.from_estimator(Hedge())


def test_pictures_take_the_axes_given(numbers):
    import matplotlib.pyplot as plt

    X, studies = numbers
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
    assert BiasVarianceDisplay.from_studies(studies, ax=left).ax_ is left
    assert BiasVarianceMapDisplay.from_study(studies["tree"], X, ax=right).figure_ is figure
