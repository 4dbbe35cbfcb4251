"""Bias, variance and noise: the definitions, the identities, the truth of known sources, and bad input."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.oracle import bias_variance as oracle

from widemargin import Perceptron, store
from widemargin.base.errors import BadInput, MemoryBudget
from widemargin.data import load_iris
from widemargin.study import bias_variance, bias_variance_sweep, bootstrap, known_source, turned_labels
from widemargin.study.decomposition import NumberMoments, VoteMoments
from widemargin.study.noise import Places

SUM = {"rtol": 1e-9, "atol": 1e-9}


def adds_up(record):
    total = {name: figure.value for name, figure in record.totals.items()}
    np.testing.assert_allclose(total["loss"], total.get("noise", 0.0) + total["bias"] + total["variance"], **SUM)


# ---- definitions ----------------------------------------------------------------------------------------------------


@given(st.data())
def test_numbers_are_parted_by_the_definition(data):
    n, B = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    number = st.floats(-1e3, 1e3)
    rows = st.lists(number | st.just(np.nan), min_size=n, max_size=n)
    h = np.array(data.draw(st.lists(rows, min_size=B, max_size=B)))
    y = np.array(data.draw(st.lists(number, min_size=n, max_size=n)))
    points = NumberMoments.of(h, y, np.full(n, np.nan)).points()
    for i in range(n):
        said = h[~np.isnan(h[:, i]), i].tolist()
        assert points.K[i] == len(said)
        if len(said) < 2:
            assert np.isnan([points.loss[i], points.variance[i], points.bias[i]]).all()
        else:
            expected = oracle.squared(said, y[i])
            np.testing.assert_allclose([points.loss[i], points.bias[i], points.variance[i]], expected, 1e-7, 1e-6)


@given(st.data())
def test_votes_are_parted_by_the_definition(data):
    n, B, k = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 7)), data.draw(st.integers(2, 4))
    h = np.array(data.draw(st.lists(st.lists(st.integers(0, k), min_size=n, max_size=n), min_size=B, max_size=B)))
    y = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    both = [VoteMoments.of(h, y, k, None, np.ones(n, int), loss) for loss in ("domingos", "kohavi_wolpert")]
    d, kw, terms = both[0].points(), both[1].points(), both[0].terms()
    for i in range(n):
        said = [int(c) for c in h[:, i] if c < k]
        if len(said) < 2:
            assert np.isnan([d.loss[i], kw.loss[i], kw.variance[i], terms["variance"][i]]).all()
            continue
        assert d.main[i] == oracle.most_frequent(said)
        found = [d.loss[i], d.bias[i], d.variance[i], terms["variance"][i]]
        truth = int(y[i])
        np.testing.assert_allclose(found, oracle.domingos(said, truth, [truth]), **SUM)
        np.testing.assert_allclose([kw.loss[i], kw.bias[i], kw.variance[i]], oracle.kohavi_wolpert(said, truth), **SUM)


@pytest.mark.theorem("Domingos00")
@given(st.data())
def test_the_loss_is_noise_and_bias_and_net_variance(data):
    """Any labels and predictions: loss = c1 N + B + c2 V; with two classes c1 = 2 P(h = y*) - 1 and c2 = +1 where the
    main prediction is right, -1 where it is wrong."""
    B, r = data.draw(st.integers(2, 8)), data.draw(st.integers(1, 5))
    said = np.array(data.draw(st.lists(st.integers(0, 1), min_size=B, max_size=B)))
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=r, max_size=r)))
    f = np.tile(np.bincount(y, minlength=2) / r, (r, 1))
    moments = VoteMoments.of(np.tile(said[:, None], (1, r)), y, 2, f, np.full(r, r), "domingos")
    points, terms = moments.points(), moments.terms()
    best = f[0].argmax()
    c1, c2 = 2 * np.mean(said == best) - 1, 1 if points.bias[0] == 0 else -1
    noise = np.mean(y != best)
    loss = np.mean(said[:, None] != y)
    np.testing.assert_allclose(loss, c1 * noise + points.bias[0] + c2 * points.variance[0], **SUM)
    np.testing.assert_allclose(terms["noise"].mean(), c1 * noise, **SUM)
    np.testing.assert_allclose(terms["variance"].mean(), c2 * points.variance[0], **SUM)


@pytest.mark.theorem("KohaviWolpert96")
def test_the_estimate_of_squared_bias_is_right_on_average():
    """Over all outcomes of K predictions and r labels at one x, the mean of the estimates is
    sigma2 = (1 - sum f^2)/2, bias2 = sum (f - p)^2/2, variance = (1 - sum p^2)/2."""
    p, f, K, r = 0.7, 0.2, 3, 2
    mean = dict.fromkeys(("noise", "bias", "variance"), 0.0)
    for votes in range(K + 1):
        for ones in range(r + 1):
            weight = binom.pmf(votes, K, p) * binom.pmf(ones, r, f)
            said, y = np.arange(K) < votes, (np.arange(r) < ones).astype(int)
            shares = np.tile([1 - y.mean(), y.mean()], (r, 1))
            moments = VoteMoments.of(np.tile(said[:, None], (1, r)), y, 2, shares, np.full(r, r), "kohavi_wolpert")
            for name in mean:
                mean[name] += weight * moments.terms()[name].mean()
    np.testing.assert_allclose(mean["noise"], f * (1 - f), **SUM)
    np.testing.assert_allclose(mean["bias"], (f - p) ** 2, **SUM)
    np.testing.assert_allclose(mean["variance"], p * (1 - p), **SUM)


# ---- replicates -----------------------------------------------------------------------------------------------------


def test_every_point_is_judged_by_the_models_that_have_not_seen_it():
    X, y = known_source("friedman1", 60)(np.random.default_rng(0))
    record = bias_variance(LinearRegression(), X, y, B=12, m=40, random_state=3)
    assert record.predictions.shape == (12, 60)
    for b, (rows, held_out) in enumerate(bootstrap(60, 40, 12, seed=3)):
        assert np.flatnonzero(~np.isnan(record.predictions[b])).tolist() == held_out.tolist()
        model = LinearRegression().fit(X[rows], y[rows])
        np.testing.assert_array_equal(record.predictions[b, held_out], model.predict(X[held_out]))
    for i in range(60):
        said = record.predictions[:, i]
        expected = oracle.squared(said[~np.isnan(said)].tolist(), y[i])
        np.testing.assert_allclose(
            [record.points.loss[i], record.points.bias[i], record.points.variance[i]], expected, rtol=1e-9
        )
    adds_up(record)


def test_points_that_fewer_than_two_models_saw_are_left_out_and_said():
    X, y = known_source("friedman1", 40)(np.random.default_rng(0))
    record = bias_variance(LinearRegression(), X, y, B=3)
    few = record.points.K < 2
    assert 0 < few.sum() == record.left_out < 40
    assert np.isnan(record.points.loss[few]).all()
    assert np.isfinite(record.points.loss[~few]).all()
    assert f"{record.left_out} points were asked about fewer than twice" in str(record)
    assert record.totals["loss"].value == pytest.approx(record.points.loss[~few].mean())


@pytest.mark.parametrize("jobs", [2, -1])
def test_the_number_of_threads_changes_no_bit(jobs):
    X, y = load_iris()
    one = bias_variance(DecisionTreeClassifier(max_features=1), X, y, B=10)
    many = bias_variance(DecisionTreeClassifier(max_features=1), X, y, B=10, n_jobs=jobs)
    assert one.predictions.tobytes() == many.predictions.tobytes()
    assert one.totals == many.totals
    other = bias_variance(DecisionTreeClassifier(max_features=1), X, y, B=10, random_state=1)
    assert other.predictions.tobytes() != one.predictions.tobytes()


def test_what_is_handed_in_is_left_alone_and_clones_get_random_states():
    X, y = load_iris()
    learner = DecisionTreeClassifier(splitter="random", max_features=1, random_state=5)
    record = bias_variance(learner, X, y, B=4, m=149, replace=False)
    assert not hasattr(learner, "tree_")
    assert learner.random_state == 5
    assert record.rows_learnt == 149


@pytest.mark.parametrize(
    "kind",
    [pd.DataFrame, sp.csr_array, np.asfortranarray, lambda X: X.tolist()],
    ids=["frame", "sparse", "Fortran", "list"],
)
def test_rows_in_any_container(kind):
    X, y = load_iris()
    expected = bias_variance(DecisionTreeClassifier(), X, y, B=6).totals
    assert bias_variance(DecisionTreeClassifier(), kind(X), y.tolist(), B=6).totals == expected


def test_pipelines_and_our_own_estimators():
    X, y = load_iris()
    record = bias_variance(make_pipeline(StandardScaler(), Perceptron(max_iter=5)), X, y, B=8)
    assert record.classes.tolist() == ["setosa", "versicolor", "virginica"]
    assert set(record.points.main) <= set(record.classes)
    adds_up(record)
    adds_up(record.by("kohavi_wolpert"))
    assert record.by("kohavi_wolpert").totals["loss"].value == record.totals["loss"].value


def test_a_replicate_of_one_class_is_that_class():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 0, 1])
    record = bias_variance(Perceptron(), X, y, B=60, m=3)
    assert record.constant > 5
    assert f"{record.constant} replicates held one class only" in record.deviation
    assert record.totals["loss"].value > 0


def test_labels_to_learn_from_may_differ_from_those_to_judge_by():
    X, y = load_iris()
    turned = turned_labels(y, 0.3, seed=1)
    record = bias_variance(DecisionTreeClassifier(), X, y, B=10, y_train=turned)
    assert record.totals["loss"].value > bias_variance(DecisionTreeClassifier(), X, y, B=10).totals["loss"].value + 0.1
    for b, (rows, held_out) in enumerate(bootstrap(150, B=10)):
        assert {record.classes[c] for c in record.predictions[b, held_out]} <= set(turned[rows])


def test_the_record_as_text_and_json():
    X, y = load_iris()
    record = bias_variance(GaussianNB(), X, y, B=30)
    assert record.left_out == 0
    assert [name for name, *_ in record.table()] == [
        "bias + noise",
        "variance where unbiased",
        "- variance where biased",
        "net variance",
        "loss",
    ]
    text = str(record)
    assert "GaussianNB: 0-1 loss (Domingos) at 150 points" in text
    assert "of 150 rows on average" in text
    assert "not over fresh samples" in text
    found = record.to_dict()
    assert found["totals"]["loss"]["value"] == record.totals["loss"].value
    assert found["replicates"] == {"m": 150, "replace": True}
    assert repr(record).startswith("<BiasVariance of GaussianNB: loss 0.0")


# ---- noise ----------------------------------------------------------------------------------------------------------


def test_noise_from_repeats_is_the_variance_of_labels_at_one_place():
    X = np.repeat(np.arange(4.0), [1, 2, 3, 4])[:, None]
    y = np.array([5.0, 1, 2, 3, 3, 6, 0, 1, 2, 3])
    for rows in (X, sp.csr_array(X)):
        record = bias_variance(LinearRegression(), rows, y, B=80, noise="repeats")
        variances = [np.nan, 0.5, 0.5, 3, 3, 3, *[5 / 3] * 4]
        np.testing.assert_allclose(record.points.noise, variances)
        adds_up(record)
    assert "9 of 10 rows whose x repeats" in record.note


def test_noise_from_neighbours_is_the_variance_among_the_nearest():
    X, y = np.array([[0.0], [1.0], [10.0], [11.5], [30.0]]), np.array([0.0, 4, 1, 1, 9])
    record = bias_variance(LinearRegression(), X, y, B=40, noise="neighbours")
    np.testing.assert_allclose(record.points.noise, [8, 8, 0, 0, 32])
    votes = bias_variance(DummyClassifier(), X, [0, 1, 0, 0, 1], B=40, noise="neighbours", loss="kohavi_wolpert")
    np.testing.assert_allclose(votes.points.noise, [0.5, 0.5, 0, 0, 0.5])
    adds_up(votes)
    assert "1 nearest rows" in votes.note


def test_repeated_rows_are_each_others_neighbours():
    X, y = np.repeat([[0.0], [5.0]], 3, axis=0), np.array([0.0, 1, 2, 0, 0, 0])
    record = bias_variance(LinearRegression(), X, y, B=40, noise="neighbours", neighbours=2)
    np.testing.assert_allclose(record.points.noise, [1, 1, 1, 0, 0, 0])


# ---- truth ----------------------------------------------------------------------------------------------------------


def close(figure, truth, errors=3.0):
    assert abs(figure.value - truth) <= errors * figure.error, (figure, truth)


def test_fresh_samples_recover_bias_variance_and_noise_of_least_squares():
    """A line through a parabola at a fixed design: bias (I - H) f, variance s^2 diag H, noise s^2, all known."""
    x, s = np.linspace(-1, 1, 25), 0.5
    A = np.column_stack([np.ones(25), x])
    H = A @ np.linalg.solve(A.T @ A, A.T)
    f = 2 * x**2 + x
    points, rng = np.repeat(x, 40)[:, None], np.random.default_rng(8)
    y = np.repeat(f, 40) + s * rng.standard_normal(1000)
    record = bias_variance(
        LinearRegression(), points, y, B=300, noise="repeats", source=lambda r: (x[:, None], f + s * r.normal(size=25))
    )
    truth = {"noise": s**2, "bias": np.mean((f - H @ f) ** 2), "variance": s**2 * np.trace(H) / 25}
    for name, value in truth.items():
        close(record.totals[name], value)
        assert record.totals[name].error < 0.35 * value
    close(record.totals["loss"], sum(truth.values()))
    np.testing.assert_allclose(record.points.main[::40], H @ f, atol=5 * s * np.sqrt(np.diag(H).max() / 300))
    np.testing.assert_allclose(record.points.variance[::40], s**2 * np.diag(H), rtol=0.4)
    assert record.deviation == "none: 300 fresh samples of 25 rows"


def test_fresh_samples_recover_the_parts_of_a_vote():
    """A tree with a leaf a place takes the majority of 9 labels in each: its predictions are binomial tails."""
    r, repeats, q = 9, 30, np.linspace(0.05, 0.8, 40)
    p = 1 - binom.cdf(r // 2, r, q)  # says 1
    places = np.arange(40.0)[:, None]
    y = (np.random.default_rng(1).random(40 * repeats) < np.repeat(q, repeats)).astype(int)
    record = bias_variance(
        DecisionTreeClassifier(),
        np.repeat(places, repeats, axis=0),
        y,
        B=300,
        noise="repeats",
        loss="kohavi_wolpert",
        source=lambda rng: (np.repeat(places, r, axis=0), (rng.random(40 * r) < np.repeat(q, r)).astype(int)),
    )
    close(record.totals["noise"], np.mean(q * (1 - q)))
    close(record.totals["bias"], np.mean((q - p) ** 2))
    close(record.totals["variance"], np.mean(p * (1 - p)))
    assert record.totals["variance"].error < 0.2 * record.totals["variance"].value
    np.testing.assert_allclose(record.points.variance[::repeats], p * (1 - p), atol=4 * 0.5 / np.sqrt(300))
    parted = record.by("domingos")
    best, main = q > 0.5, p > 0.5
    right = np.where(best, p, 1 - p)
    close(parted.totals["noise_rate"], np.mean(np.minimum(q, 1 - q)))
    close(parted.totals["noise"], np.mean(np.minimum(q, 1 - q) * (2 * right - 1)))
    close(parted.totals["bias"], np.mean(best != main))
    close(parted.totals["disagreement"], np.mean(np.minimum(p, 1 - p)))
    assert parted.totals["disagreement"].error < 0.2 * parted.totals["disagreement"].value


def test_standard_errors_are_neither_too_small_nor_wild():
    """Over 60 studies with new points and samples the figures spread as much as their errors say, within a factor."""
    s = known_source("friedman1", 40)
    found = []
    for seed in range(60):
        X, y, _ = s.points(60, repeats=2, seed=seed)
        found.append(bias_variance(LinearRegression(), X, y, B=20, noise="repeats", source=s, random_state=seed).totals)
    for name in ("noise", "bias", "variance", "loss"):
        values = np.array([t[name].value for t in found])
        said = np.sqrt(np.mean([t[name].error ** 2 for t in found]))
        assert 0.7 < said / values.std(ddof=1) < 1.6, name


def test_the_bootstrap_deviates_and_says_so():
    """One data set of 300 rows by replicates, against fresh samples of the same size: a linear model's variance agrees,
    a tree's loss comes out too high, since its replicates hold 63 % of the rows."""
    s = known_source("friedman1", 300)
    X, y, _ = s.points(400, repeats=3)
    D = s(np.random.default_rng(4))
    fresh = bias_variance(DecisionTreeRegressor(), X, y, B=100, source=s, noise="repeats")
    by_replicates = bias_variance(DecisionTreeRegressor(), *D, B=100)
    share = by_replicates.rows_learnt / 300
    assert share == pytest.approx(1 - (1 - 1 / 300) ** 300, abs=0.01)
    assert f"{by_replicates.rows_learnt:.1f} of 300 rows" in by_replicates.deviation
    assert by_replicates.totals["loss"].value > fresh.totals["loss"].value + 2 * fresh.totals["loss"].error
    line = [bias_variance(LinearRegression(), *D, B=200), bias_variance(LinearRegression(), X, y, B=100, source=s)]
    one, other = (record.totals["variance"].value for record in line)
    assert 0.7 < one / other < 1.4


def test_bagging_lowers_the_variance_of_trees_and_not_of_a_linear_model():
    s = known_source("friedman1", 150)
    X, y, _ = s.points(200)

    def variance(learner):
        return bias_variance(learner, X, y, B=40, source=s).totals["variance"].value

    tree = variance(BaggingRegressor(DecisionTreeRegressor(), 15)) / variance(DecisionTreeRegressor())
    line = variance(BaggingRegressor(LinearRegression(), 15)) / variance(LinearRegression())
    assert tree < 0.4
    assert 0.85 < line < 1.3


# ---- bad input ------------------------------------------------------------------------------------------------------


class Talks(RegressorMixin, BaseEstimator):
    """A regressor that says what it was told to say."""

    def __init__(self, said=np.nan):
        self.said = said

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full((len(X), *np.shape(self.said)), self.said)


X, Y = load_iris()
BAD = {
    "B": (lambda: bias_variance(GaussianNB(), X, Y, B=1), "B is 1: .* at least 2"),
    "B a fraction": (lambda: bias_variance(GaussianNB(), X, Y, B=2.5), r"B is 2\.5"),
    "m": (lambda: bias_variance(GaussianNB(), X, Y, m=151), "m=151 draws from n=150"),
    "loss": (lambda: bias_variance(GaussianNB(), X, Y, loss="hinge"), "loss is 'hinge': .* kohavi_wolpert"),
    "loss of numbers": (lambda: bias_variance(GaussianNB(), X, Y, loss="squared"), "GaussianNB predicts classes"),
    "loss of classes": (
        lambda: bias_variance(LinearRegression(), X, X[:, 0], loss="domingos"),
        "LinearRegression predicts numbers",
    ),
    "no predictor": (lambda: bias_variance(KMeans(), X, Y), "KMeans is neither"),
    "lengths": (lambda: bias_variance(GaussianNB(), X, Y[:-1]), "X has 150 rows, but y has 149"),
    "lengths to learn": (lambda: bias_variance(GaussianNB(), X, Y, y_train=Y[:-1]), "y_train has 149"),
    "noise": (lambda: bias_variance(GaussianNB(), X, Y, noise="guess"), "noise is 'guess'"),
    "no repeats": (
        lambda: bias_variance(GaussianNB(), X[:20] + np.arange(20)[:, None], Y[:20], noise="repeats"),
        "no two of the 20 rows",
    ),
    "neighbours": (lambda: bias_variance(GaussianNB(), X, Y, noise="neighbours", neighbours=150), "neighbours=150"),
    "words": (
        lambda: bias_variance(DummyClassifier(), [["a"], ["b"], ["b"]], [0, 1, 1], noise="repeats"),
        "X must hold numbers",
    ),
    "source and m": (lambda: bias_variance(GaussianNB(), X, Y, m=5, source=lambda rng: (X, Y)), "with source="),
    "text for numbers": (lambda: bias_variance(LinearRegression(), X, Y), "needs one number a row"),
    "NaN said": (lambda: bias_variance(Talks(), X, X[:, 0], B=2), "Talks must predict one finite number"),
    "two numbers said": (lambda: bias_variance(Talks([1.0, 2.0]), X, X[:, 0], B=2), "Talks must predict one finite"),
    "other rule": (lambda: bias_variance(GaussianNB(), X, Y, B=2).by("squared"), "GaussianNB predicts classes"),
    "strange labels": (
        lambda: bias_variance(GaussianNB(), X, Y, source=lambda rng: (X, np.char.add(Y.astype(str), "?"))),
        "labels that are not among the classes",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    act, words = BAD[case]
    with pytest.raises(BadInput, match=words):
        act()


def test_memory_is_asked_for_beforehand(monkeypatch):
    monkeypatch.setenv("WIDEMARGIN_MEMORY", "1")
    with pytest.raises(MemoryBudget, match=r"2 MB, and 1 MB may be used: take fewer"):
        bias_variance(LinearRegression(), X, X[:, 0], B=2000)


# ---- files ----------------------------------------------------------------------------------------------------------

STUDIES = {
    "classes": lambda: bias_variance(GaussianNB(), X, Y, B=5),
    "numbers by neighbours": lambda: bias_variance(LinearRegression(), X, X[:, 0], B=5, m=90, noise="neighbours"),
    "repeats": lambda: bias_variance(GaussianNB(), X[:, :1], Y, B=5, noise="repeats", loss="kohavi_wolpert"),
    "fresh": lambda: bias_variance(LinearRegression(), X, X[:, 0], B=5, source=lambda rng: (X, X[:, 1])),
}


@pytest.mark.parametrize("case", STUDIES)
def test_a_study_is_stored(case):
    record = STUDIES[case]()
    back = store.loads(store.dumps(record))
    assert back.totals == record.totals
    assert str(back) == str(record)
    assert back.predictions.tobytes() == record.predictions.tobytes()
    assert store.dumps(back) == store.dumps(record)


def test_a_sweep_is_stored():
    sweep = bias_variance_sweep(DecisionTreeClassifier(), "max_features", [1, None], X, Y, B=4)
    back = store.loads(store.dumps(sweep))
    assert back.table() == sweep.table()
    assert back.values == (1, None)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y": np.zeros(3, np.int64)}, "do not belong to 3 labels"),
        ({"y": np.full(150, 3)}, "codes of 3 classes"),
        ({"predictions": np.full((5, 150), 4, np.uint8)}, "a prediction is 4, but there are 3"),
        ({"loss": "squared"}, "does not belong to 3 classes"),
        ({"places": Places(7)}, "do not belong to 150 labels"),
    ],
    ids=str,
)
def test_records_that_contradict_themselves_are_refused(change, words):
    record = STUDIES["classes"]()
    with pytest.raises(BadInput, match=words):
        replace(record, **change)
    for rows in (np.full(5, 5), np.full((5, 2), -1), np.zeros(4, int)):
        with pytest.raises(BadInput, match="do not belong to 5 rows"):
            Places(5, same=rows)
