"""Pictures: what they show is what the estimator says, and nothing overlaps."""

import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier

from widemargin import AveragedPerceptron, KernelPerceptron, MarginPerceptron, Perceptron, VotedPerceptron
from widemargin.base.errors import BadInput, MissingExtra
from widemargin.data import load_iris
from widemargin.report.plot import BoundaryDisplay, OrdersDisplay, PerceptronStepsDisplay, TraceDisplay

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="module")
def clouds():
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal((0, 0), 0.8, (30, 2)), rng.normal((3, 2.4), 0.8, (30, 2))])
    return X, np.repeat(["left", "right"], 30)


@pytest.fixture(scope="module")
def overlapping():
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal((0, 0), 1, (40, 2)), rng.normal((2.2, 2), 1, (40, 2))])
    return X, np.repeat([0, 1], 40)


def drawn_texts(figure) -> list[tuple[str, object]]:
    """Every text that is drawn, with its box; matplotlib also keeps labels of ticks beyond the limits."""
    from matplotlib.text import Text

    figure.canvas.draw()
    hidden = set()
    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if not low <= tick.get_loc() <= high or not panel.axison:
                    hidden |= {tick.label1, tick.label2}
    shown = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and t not in hidden]
    return [(t.get_text(), t.get_window_extent().padded(-1)) for t in shown]


def readable(figure) -> None:
    """No two texts overlap and none leaves the picture."""
    boxes = drawn_texts(figure)
    assert len(boxes) > 5
    assert [(a, b) for k, (a, one) in enumerate(boxes) for b, two in boxes[:k] if one.overlaps(two)] == []
    width, height = figure.canvas.get_width_height()
    assert [t for t, b in boxes if b.x0 < 0 or b.y0 < 0 or b.x1 > width or b.y1 > height] == []


def test_boundary_marks_the_rows_that_predict_gets_wrong(overlapping):
    X, y = overlapping
    model = AveragedPerceptron().fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    assert display.wrong.tolist() == np.flatnonzero(model.predict(X) != y).tolist()
    assert display.margin is None
    assert display.ax_.figure is display.figure_
    readable(display.figure_)


def test_boundary_runs_where_the_score_is_zero_and_the_margin_through_the_nearest_row(clouds):
    X, y = clouds
    model = Perceptron().fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y, grid=50)
    signed = model.decision_function(X) * np.where(y == "right", 1, -1)
    assert display.margin == signed.min()
    assert display.touching.tolist() == [signed.argmin()]
    i, j = 7, 31
    point = [[display.x[j], display.y[i]]]
    assert display.scores[i, j] == pytest.approx(model.decision_function(point)[0])
    readable(display.figure_)


def test_rows_given_up_are_shown_as_such_and_not_as_wrong(overlapping):
    X, y = overlapping
    model = MarginPerceptron(max_iter=400).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    assert len(model.given_up_)
    assert display.given_up.tolist() == model.given_up_.tolist()
    labels = [t.get_text() for t in display.ax_.get_legend().get_texts()]
    assert f"given up ({len(model.given_up_)})" in labels
    readable(display.figure_)


def test_rows_given_up_in_the_fit_are_not_sought_in_other_data(overlapping):
    X, y = overlapping
    model = MarginPerceptron(max_iter=400).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X[::2], y[::2])
    assert len(display.given_up) == 0


def test_columns_of_a_data_frame_name_the_axes(clouds):
    X, y = clouds
    frame = pd.DataFrame(X, columns=["height", "width"])
    model = Perceptron().fit(frame, y)
    for display in (
        BoundaryDisplay.from_estimator(model, frame, y),
        OrdersDisplay.from_estimator(model, frame, y, seeds=[0]),
    ):
        assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("height", "width")
    steps = PerceptronStepsDisplay.from_estimator(model, frame, y)
    assert steps.ax_.get_ylabel() == "width"


def test_any_classifier_can_be_drawn(overlapping):
    X, y = overlapping
    model = KNeighborsClassifier(3).fit(X, y)  # has no decision_function
    display = BoundaryDisplay.from_estimator(model, X, y, grid=40)
    assert set(np.unique(display.scores)) == {-1.0, 1.0}
    assert display.wrong.tolist() == np.flatnonzero(model.predict(X) != y).tolist()


def test_a_projection_keeps_every_distance_to_a_linear_boundary():
    X, species = load_iris()
    y = species == "virginica"
    model = AveragedPerceptron().fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    distance = model.decision_function(X) / np.linalg.norm(model.coef_)
    np.testing.assert_allclose(display.points[:, 0], distance, atol=1e-9)
    np.testing.assert_allclose(display.scores / np.linalg.norm(model.coef_), np.tile(display.x, (240, 1)), atol=1e-9)
    assert "4 columns" in display.ax_.get_title(loc="left")
    readable(display.figure_)


def test_three_classes_and_named_columns_say_what_they_leave_out():
    X, species = load_iris()
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    model = Perceptron(max_iter=20).fit(X, species)
    display = BoundaryDisplay.from_estimator(
        model, X, species, columns=("petal length", "petal width"), feature_names=names
    )
    said = display.ax_.get_title(loc="left").replace("\n", " ")
    assert f"sepal length = {np.median(X[:, 0]):.3g}" in said
    np.testing.assert_array_equal(display.points, X[:, 2:])
    readable(display.figure_)
    plain = BoundaryDisplay.from_estimator(model, X, species)
    assert "main directions" in plain.ax_.get_title(loc="left")


@pytest.mark.parametrize("decide", ["last", "averaged", "voted"])
def test_a_curved_boundary_parts_what_a_line_cannot(decide):
    rng = np.random.default_rng(0)
    radius, angle = np.repeat([0.5, 1.6], 30) + rng.normal(0, 0.1, 60), rng.uniform(0, 6.28, 60)
    X, y = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat(["disc", "ring"], 30)
    display = BoundaryDisplay.from_estimator(KernelPerceptron(gamma=1.0, decide=decide).fit(X, y), X, y)
    assert len(display.wrong) == 0
    centre, corner = display.scores[120, 120], display.scores[0, 0]
    assert centre < 0 < corner
    assert display.margin > 0
    readable(display.figure_)
    orders = OrdersDisplay.from_estimator(KernelPerceptron(gamma=1.0), X, y, seeds=[3])
    fit = KernelPerceptron(gamma=1.0, random_state=3).fit(X, y)
    assert orders.uses.sum() == fit.n_updates_
    assert orders.unused.tolist() == fit.unused_.tolist()


def test_votes_have_regions_too(overlapping):
    X, y = overlapping
    model = VotedPerceptron(max_iter=5).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    assert display.wrong.tolist() == np.flatnonzero(model.predict(X) != y).tolist()


def test_sparse_rows_are_drawn_like_dense_ones():
    X, species = load_iris()
    y = species == "setosa"
    model = Perceptron().fit(X, y)
    dense = BoundaryDisplay.from_estimator(model, X, y, grid=20)
    thin = BoundaryDisplay.from_estimator(model, sparse.csr_array(X), y, grid=20)
    np.testing.assert_allclose(thin.points, dense.points, atol=1e-9)


def test_steps_show_the_vectors_of_the_fit(clouds):
    X, y = clouds
    model = Perceptron(random_state=5).fit(X, y)
    display = PerceptronStepsDisplay.from_estimator(model, X, y)
    assert len(display.replay) == model.n_updates_
    assert display.updates[-1] == model.n_updates_
    np.testing.assert_array_equal(display.replay.coef[-1], model.coef_[0])
    readable(display.figure_)


def test_orders_count_what_each_row_caused(clouds):
    X, y = clouds
    display = OrdersDisplay.from_estimator(Perceptron(), X, y, seeds=range(4))
    for seed, uses in enumerate(display.uses):
        assert uses.sum() == Perceptron(random_state=seed).fit(X, y).n_updates_
    assert set(display.unused) == set(np.flatnonzero(display.uses.sum(axis=0) == 0))
    readable(display.figure_)


def test_trace_draws_one_panel_a_column_for_one_fit_or_several(overlapping):
    X, y = overlapping
    one = Perceptron().fit(X, y)
    display = TraceDisplay.from_estimator(one)
    assert len(display.axes_) == 2
    np.testing.assert_array_equal(display.axes_[0].lines[0].get_ydata(), one.trace_["epoch_updates"])
    both = TraceDisplay.from_estimator({"a": one, "b": Perceptron(shuffle=False).fit(X, y)}, columns=["loss"])
    assert len(both.ax_.lines) == 2
    readable(both.figure_)


def test_pictures_take_the_axes_given(clouds):
    import matplotlib.pyplot as plt

    X, y = clouds
    model = Perceptron().fit(X, y)
    figure, panels = plt.subplots(2, 2, figsize=(12, 9), layout="constrained")
    assert BoundaryDisplay.from_estimator(model, X, y, ax=panels[0, 0]).ax_ is panels[0, 0]
    assert OrdersDisplay.from_estimator(model, X, y, seeds=[1], ax=panels[0, 1]).ax_ is panels[0, 1]
    assert PerceptronStepsDisplay.from_estimator(model, X, y, ax=panels[1, 0]).figure_ is figure
    assert TraceDisplay.from_estimator(model, ax=panels[1, 1]).figure_ is figure
    figure.canvas.draw()


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda m, X, y: BoundaryDisplay.from_estimator(m, X, y, columns=("x0", "x7")), "x7"),
        (lambda m, X, y: BoundaryDisplay.from_estimator(m, X, y, columns=(0, 9)), "column 9"),
        (lambda m, X, y: BoundaryDisplay.from_estimator(m, X, y, columns=(1, 1)), "two different"),
        (lambda m, X, y: BoundaryDisplay.from_estimator(m, X, y, feature_names=["a"]), "1 feature names for 2"),
        (lambda m, X, y: BoundaryDisplay.from_estimator(m, X, y[:5]), "60 rows in X but 5 labels"),
        (
            lambda m, X, y: BoundaryDisplay.from_estimator(Perceptron().fit(X[:, :1], y), X[:, :1], y),
            "2 columns, got 1",
        ),
        (lambda m, X, y: PerceptronStepsDisplay.from_estimator(m, X, y, updates=[10**6]), "choose from 1 to"),
        (lambda m, X, y: OrdersDisplay.from_estimator(m, X, y, seeds=[]), "seeds is empty"),
        (lambda m, X, y: OrdersDisplay.from_estimator(m, X, np.arange(len(y)) % 3), "two classes, got 3"),
        (lambda m, X, y: TraceDisplay.from_estimator(Perceptron()), "fit it first"),
        (lambda m, X, y: TraceDisplay.from_estimator(m, columns=["speed"]), "no column 'speed'"),
    ],
)
def test_what_cannot_be_drawn_is_said(clouds, draw, said):
    X, y = clouds
    with pytest.raises(BadInput, match=said):
        draw(Perceptron(max_iter=30).fit(X, y), X, y)


def test_without_matplotlib_the_extra_is_named(clouds, monkeypatch):
    X, y = clouds
    model = Perceptron().fit(X, y)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtra, match=r"widemargin\[plot\]"):
        TraceDisplay.from_estimator(model)
