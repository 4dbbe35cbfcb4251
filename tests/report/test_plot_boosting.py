"""Pictures of boosting: what they show is what the records say, and nothing overlaps."""

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.neighbors import KNeighborsClassifier
from tests.report.test_plot import readable

import widemargin as wm
from widemargin.base.errors import BadInput
from widemargin.loss.losses import Hinge
from widemargin.report.plot import (
    BiasVarianceSweepDisplay,
    BoostingErrorsDisplay,
    BoostingRoundsDisplay,
    LossesDisplay,
    MarginsDisplay,
    NoiseLossDisplay,
    NoiseScatterDisplay,
)
from widemargin.study import bias_variance_sweep, boosting_errors, boosting_margins, known_source, label_noise_study

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="module")
def boosted():
    X, y = load_breast_cancer(return_X_y=True)
    model = wm.AdaBoostClassifier(n_estimators=120).fit(X[::2], y[::2])
    return model, X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def study():
    learners = {"one": KNeighborsClassifier(1), "many": KNeighborsClassifier(15)}
    sets = {f"set {k}": make_classification(120, 5, random_state=k) for k in range(5)}
    return label_noise_study(learners, sets, repeats=1)


def test_curves_of_margins_are_distributions(boosted):
    record = boosting_margins(*boosted)
    display = MarginsDisplay.from_study(record)
    lines = [line for line in display.ax_.lines if len(line.get_xdata()) > 2]
    assert len(lines) == len(record.rounds)
    for k, line in enumerate(lines):
        x, share = line.get_xdata()[1:-1], line.get_ydata()[1:-1]
        assert x[0] == record.minimum[k]
        np.testing.assert_allclose(share[np.searchsorted(x, 0.25, side="right") - 1], record.share_at_most(0.25)[k])
    readable(display.figure_)


def test_four_errors_and_the_bound_are_drawn(boosted):
    record = boosting_errors(*boosted)
    display = BoostingErrorsDisplay.from_study(record)
    drawn = {line.get_label(): line.get_ydata() for line in display.ax_.lines}
    assert len(drawn) == 5
    np.testing.assert_array_equal(drawn["test error of the sum"], record.test)
    np.testing.assert_array_equal(drawn["the round's learner, weighted"], record.weighted)
    readable(display.figure_)


@pytest.mark.parametrize("rounds", [(1, 2, 3), (1, 2, 4, 8, 12)])
def test_rounds_show_weights_as_sizes(rounds):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, 2:], y[50:]
    model = wm.AdaBoostClassifier(n_estimators=12).fit(X, y)
    display = BoostingRoundsDisplay.from_estimator(model, X, y, rounds=rounds, grid=30)
    np.testing.assert_allclose(display.weights.sum(axis=1), 1)
    np.testing.assert_allclose(display.weights[0], 1 / len(y))
    sizes = np.concatenate([c.get_sizes() for c in display.axes_[1].collections if c.get_label().startswith("class")])
    order = np.concatenate([np.flatnonzero(y == c) for c in model.classes_])
    assert np.corrcoef(sizes, display.weights[1][order])[0, 1] > 0.999
    for k, t in enumerate(rounds):
        assert f"weighted error {model.errors_[t - 1]:.3f}" in display.axes_[k].get_title()
    readable(display.figure_)


def test_rounds_of_many_classes_and_what_cannot_be_drawn():
    X, y = load_iris(return_X_y=True)
    model = wm.RealAdaBoostClassifier(n_estimators=4).fit(X[:, 2:], y)
    readable(BoostingRoundsDisplay.from_estimator(model, X[:, 2:], y, grid=30).figure_)
    with pytest.raises(BadInput, match="two columns"):
        BoostingRoundsDisplay.from_estimator(wm.AdaBoostClassifier().fit(X, y), X, y)
    with pytest.raises(BadInput, match="the model has 4"):
        BoostingRoundsDisplay.from_estimator(model, X[:, 2:], y, rounds=(5,))


def test_losses_bound_the_0_1_loss():
    """Every loss of the usual picture is at least 1 where the margin is not positive, and never negative."""
    display = LossesDisplay.from_losses()
    zero_one, *others = display.ax_.lines
    assert list(zero_one.get_ydata()) == [1, 1, 0, 0]
    for line in others:
        m, value = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        assert (value[m <= 0] >= 1).all()
        assert (value >= 0).all()
        assert np.interp(0.0, m, value) == pytest.approx(1)
    readable(display.figure_)
    own = LossesDisplay.from_losses({"hinge": Hinge(), "zero": np.zeros_like})
    np.testing.assert_allclose(own.ax_.lines[1].get_ydata()[0], 3)


def test_the_scatter_has_a_point_a_set(study):
    display = NoiseScatterDisplay.from_study(study, "one", "many")
    for panel, share in zip(display.axes_, study.shares, strict=True):
        points = panel.collections[0].get_offsets()
        np.testing.assert_allclose(points, 100 * np.column_stack([study.errors(n, share) for n in ("one", "many")]))
    readable(display.figure_)
    with pytest.raises(BadInput, match="no learner 'two'"):
        NoiseScatterDisplay.from_study(study, "one", "two")


def test_costs_of_noise_have_their_intervals(study):
    display = NoiseLossDisplay.from_study(study)
    assert len(display.ax_.containers) == 2
    drawn = display.ax_.containers[0].lines[0].get_ydata()
    np.testing.assert_allclose(drawn, [100 * study.loss("one", q).mean() for q in (0.05, 0.1, 0.2)])
    readable(display.figure_)


def test_bias_and_variance_by_round_go_by_factors():
    """F10: the same replicates after 1, 5 and 40 rounds."""
    source = known_source("twonorm", n=60)
    X, y, _ = source.points(60)
    learners = {
        "stumps": wm.AdaBoostClassifier(),
        "trees": wm.AdaBoostClassifier(wm.DecisionTreeClassifier(max_depth=3)),
    }
    sweep = bias_variance_sweep(learners, "n_estimators", [1, 5, 40], X, y, 8, source=source, loss="kohavi_wolpert")
    bias, _ = sweep.curve("stumps", "bias")
    assert bias[2] < bias[0]
    display = BiasVarianceSweepDisplay.from_sweep(sweep)
    assert display.ax_.get_xscale() == "log"
    readable(display.figure_)
