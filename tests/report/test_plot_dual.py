"""Pictures of climbs: the way drawn is the way taken, and the segment is where the box allows it."""

import matplotlib
import numpy as np
import pytest
from tests.report.test_plot import readable

from widemargin.base.errors import BadInput
from widemargin.report.plot import DualAscentDisplay, PairStepDisplay
from widemargin.study import ascend_dual

matplotlib.use("Agg")
TWO = (np.array([[1.0, 0.4], [0.5, 0.9]]), [0, 1])


@pytest.fixture(autouse=True)
def _closed():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal((0, 0), 1, (20, 2)), rng.normal((2, 1.5), 1, (20, 2))])
    return ascend_dual(X, np.repeat([0, 1], 20), gamma=0.5)


@pytest.mark.parametrize("rule", ["round_robin", "random", "greedy"])
@pytest.mark.parametrize("C", [0.5, 5.0, np.inf])
def test_the_way_is_a_staircase_that_climbs(rule, C):
    climb = ascend_dual(*TWO, C=C, kernel="linear", rule=rule)
    display = DualAscentDisplay.from_climb(climb)
    assert np.all(np.count_nonzero(np.diff(display.path, axis=0), axis=1) == 1)
    heights = [float(climb.surface((0, 1), climb.b, *point)) for point in display.path]
    np.testing.assert_allclose(heights, climb.objective, atol=1e-12)
    readable(display.figure_)


def test_a_cut_through_many_variables_says_so(pairs):
    display = DualAscentDisplay.from_climb(pairs)
    assert "a cut through 40 variables" in display.ax_.get_title(loc="left").replace("\n", " ")
    np.testing.assert_array_equal(display.path[-1], pairs.alpha[[0, 1]])
    readable(display.figure_)


def test_steps_of_pairs_end_on_their_segment(pairs):
    display = PairStepDisplay.from_climb(pairs, steps=range(1, len(pairs.steps) + 1))
    for k, step in enumerate(pairs.steps, 1):
        start, end, whole = display.ends(k)
        assert np.all((end >= -1e-12) & (end <= 1 + 1e-12))
        i, j = step.at
        values = [float(pairs.surface((i, j), pairs.before(k), *point)) for point in (start, end, whole)]
        assert values[0] < values[1] <= values[2] + 1e-12
        assert values[1] == pytest.approx(step.objective, abs=1e-10)
    np.testing.assert_allclose(pairs.before(len(pairs.steps) + 1), pairs.b, atol=1e-12)


def test_one_cut_and_one_whole_step_are_drawn(pairs):
    display = PairStepDisplay.from_climb(pairs)
    said = [panel.get_title(loc="left") for panel in display.axes_]
    assert len(said) == 2
    assert sum("cut at the box" in text for text in said) == 1
    assert display.ax_ is display.axes_[0]
    readable(display.figure_)


def test_they_take_the_axes_given(pairs):
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    assert DualAscentDisplay.from_climb(pairs, ax=panels[0]).ax_ is panels[0]
    assert PairStepDisplay.from_climb(pairs, ax=panels[1]).figure_ is figure
    figure.canvas.draw()


def test_what_cannot_be_drawn_is_said(pairs):
    with pytest.raises(BadInput, match=r"watch=\[0, 0\]: two different rows"):
        DualAscentDisplay.from_climb(ascend_dual(*TWO, watch=(0, 0)))
    with pytest.raises(BadInput, match="rule='smo'"):
        PairStepDisplay.from_climb(ascend_dual(*TWO, rule="greedy"))
    with pytest.raises(BadInput, match="choose from 1"):
        PairStepDisplay.from_climb(pairs, steps=[0])
