"""KernelPerceptron: primal and dual, last, averaged and voted, rows and strings, weights, streams, files."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from tests.oracle.kernel_perceptron import kernel_perceptron, votes

import widemargin as wm
from widemargin import _core, store
from widemargin.base.errors import BadInput, CannotStore
from widemargin.kernels import RBF, Linear, ListItems, Polynomial

DECIDE = ["last", "averaged", "voted"]


class Trigrams:
    """A toy string kernel: the number of common trigrams, counted with their repetitions."""

    def prepare(self, objects):
        return objects if isinstance(objects, ListItems) else ListItems(objects)

    def block(self, a, b, threads=1):
        return np.array([[_common(x, z) for z in b.objects] for x in a.objects], dtype=float).reshape(len(a), len(b))

    def diag(self, a):
        return np.array([_common(x, x) for x in a.objects], dtype=float)


def _common(x, z):
    grams = [{s[i : i + 3]: s.count(s[i : i + 3]) for i in range(len(s) - 2)} for s in (x, z)]
    return sum(n * grams[1].get(g, 0) for g, n in grams[0].items())


def words(seed=0, n=60):
    rng = np.random.default_rng(seed)
    text = ["".join(rng.choice(list("abcd"), size=12)) for _ in range(n)]
    return text, np.array(["no", "yes"])[[int("abc" in s or "dd" in s) for s in text]]


@pytest.mark.theorem("AizermanEtAl64")
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_primal_and_dual_are_one_perceptron(multiclass, make):
    """With the linear kernel w = Σ c x and b = Σ c: the same rows are visited and corrected, to the last bit."""
    X, y = load_iris(return_X_y=True)
    X = make(np.rint(10 * X))
    common = {"random_state": 4, "max_iter": 30, "multiclass": multiclass}
    primal = wm.Perceptron(**common).fit(X, y)
    dual = wm.KernelPerceptron(kernel="linear", **common).fit(X, y)
    assert dual.n_updates_ == primal.n_updates_
    assert_array_equal(dual.dual_coef_ @ X[dual.support_], primal.coef_)
    assert_array_equal(dual.intercept_, primal.intercept_)
    assert_array_equal(dual.trace_["updates"], primal.trace_["updates"])
    assert_array_equal(dual.predict(X), primal.predict(X))
    averaged = wm.AveragedPerceptron(**common).fit(X, y)
    dual_averaged = clone(dual).set_params(decide="averaged").fit(X, y)
    assert_allclose(dual_averaged.dual_coef_ @ X[dual.support_], averaged.coef_, rtol=1e-10)
    assert_array_equal(dual_averaged.predict(X), averaged.predict(X))


@pytest.mark.parametrize("decide", DECIDE)
@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2, 0.5), RBF(0.7)], ids=str)
def test_decisions_are_those_of_the_explicit_sums(decide, kernel):
    rng = np.random.default_rng(2)
    X, Z = rng.normal(size=(70, 3)), rng.normal(size=(40, 3))
    y = np.where(X[:, 0] * X[:, 1] > 0.2 * rng.normal(size=70), 1, -1)
    model = wm.KernelPerceptron(kernel=kernel, decide=decide, max_iter=4, random_state=1, oscillation="ignore").fit(
        X, y
    )
    c, log, mean = kernel_perceptron(kernel(X), y, [_core.permutation(70, 1, e) for e in range(4)])
    K = kernel(Z, X)
    expected = {
        "last": K @ c + c.sum(),
        "averaged": K @ mean + mean.sum(),
        "voted": votes(K, log, 4 * 70),
    }[decide]
    assert_allclose(model.decision_function(Z), expected, atol=1e-9)
    used = np.unique([i for _, i, _ in log])
    assert_array_equal(model.support_, used)
    assert_array_equal(model.unused_, np.setdiff1d(np.arange(70), used))
    assert model.n_updates_ == len(log)


@pytest.mark.parametrize("decide", DECIDE)
def test_all_ways_to_give_a_kernel_are_one(decide):
    """On rows without ties: those of Iris lie on a grid, where two can be equally far from a third."""
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=0.01, size=X.shape)
    common = {"decide": decide, "max_iter": 6, "random_state": 3}
    named = wm.KernelPerceptron(kernel="rbf", gamma=0.3, **common).fit(X, y)
    K = RBF(0.3)(X)
    others = [
        (wm.KernelPerceptron(kernel=RBF(0.3), **common), X),
        (wm.KernelPerceptron(kernel=lambda A, B: RBF(0.3)(A, B), **common), X),
        (wm.KernelPerceptron(kernel="precomputed", **common), K),
        (wm.KernelPerceptron(kernel=RBF(0.3), n_jobs=2, cache_size=1e-3, **common), X),
        (wm.KernelPerceptron(kernel=RBF(0.3), **common), sp.csr_matrix(X)),
    ]
    for model, data in others:
        model.fit(data, y)
        assert_array_equal(model.support_, named.support_)
        assert_array_equal(model.dual_coef_, named.dual_coef_)
        assert_allclose(model.decision_function(data[::3]), named.decision_function(X[::3]), atol=1e-10)


def test_threads_give_the_same_bits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 8))
    y = (np.abs(X[:, 0]) + 0.3 * rng.normal(size=2500) > 0.7).astype(int)
    one, two = (wm.KernelPerceptron(max_iter=3, n_jobs=k).fit(X, y) for k in (1, 2))
    assert_array_equal(one.support_, two.support_)
    assert_array_equal(one.dual_coef_, two.dual_coef_)
    assert_array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.parametrize("decide", DECIDE)
@pytest.mark.parametrize("kernel", [Trigrams(), _common], ids=["object", "function"])
def test_strings_are_learnt_from_as_they_are(kernel, decide):
    text, y = words()
    model = wm.KernelPerceptron(kernel=kernel, decide=decide, random_state=0).fit(text, y)
    assert model.converged_
    if decide == "last":
        assert_array_equal(model.predict(text), y)
    assert set(model.predict(["abcabc", "acacac"])) <= {"no", "yes"}
    K = Trigrams().block(ListItems(text), ListItems(text))
    c, log, mean = kernel_perceptron(
        K, np.where(y == "yes", 1.0, -1.0), [_core.permutation(60, 0, e) for e in range(model.n_iter_)]
    )
    expected = {"last": K @ c + c.sum(), "averaged": K @ mean + mean.sum(), "voted": votes(K, log, 60 * model.n_iter_)}
    assert_allclose(model.decision_function(text), expected[decide], atol=1e-9)


def test_strings_take_weights_and_come_in_batches():
    text, y = words()
    weight = np.where(np.arange(60) < 40, 1.0, 0.0)
    part = wm.KernelPerceptron(kernel=Trigrams()).fit(text, y, sample_weight=weight)
    alone = wm.KernelPerceptron(kernel=Trigrams()).fit(text[:40], y[:40])
    assert_array_equal(part.dual_coef_, alone.dual_coef_)
    stream = wm.KernelPerceptron(kernel=Trigrams())
    for begin in range(0, 60, 20):
        stream.partial_fit(text[begin : begin + 20], y[begin : begin + 20], classes=["no", "yes"])
    assert stream.score(text, y) > 0.7


@pytest.mark.parametrize("decide", DECIDE)
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_weight_zero_is_absence_and_three_is_three_rows(decide, kernel):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > X[:, 1] ** 2 - 0.5).astype(int)
    weight = rng.integers(0, 3, size=60).astype(float)
    K = RBF(1.0)(X)
    given = (lambda rows: K[np.ix_(rows, rows)]) if kernel == "precomputed" else (lambda rows: X[rows])
    every, kept = np.arange(60), np.flatnonzero(weight)
    common = {"kernel": kernel, "gamma": 1.0, "decide": decide, "shuffle": False, "max_iter": 5}
    weighted = wm.KernelPerceptron(**common).fit(given(every), y, sample_weight=weight)
    absent = wm.KernelPerceptron(**common).fit(given(kept), y[kept], sample_weight=weight[kept])
    assert_array_equal(weighted.support_, kept[absent.support_])
    assert_array_equal(np.union1d(weighted.support_, weighted.unused_), every)
    assert_array_equal(weighted.dual_coef_, absent.dual_coef_)
    test, test_kept = (K, K[:, kept]) if kernel == "precomputed" else (X, X)
    assert_allclose(weighted.decision_function(test), absent.decision_function(test_kept), atol=1e-12)
    rows = np.repeat(every, weight.astype(int))
    repeated = wm.KernelPerceptron(**common).fit(given(rows), y[rows])
    assert weighted.n_updates_ == repeated.n_updates_
    heavy = wm.KernelPerceptron(**common, class_weight={0: 2.5}).fit(given(every), y)
    same = wm.KernelPerceptron(**common).fit(given(every), y, sample_weight=np.where(y == 0, 2.5, 1.0))
    assert_array_equal(heavy.dual_coef_, same.dual_coef_)
    assert not np.array_equal(heavy.dual_coef_, wm.KernelPerceptron(**common).fit(given(every), y).dual_coef_)


@pytest.mark.parametrize("decide", DECIDE)
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_one_batch_is_one_epoch_and_streams_go_on_after_saving(decide, multiclass, make):
    X, y = load_iris(return_X_y=True)
    X = make(X)
    common = {"kernel": RBF(0.2), "decide": decide, "multiclass": multiclass, "random_state": 5}
    stream = wm.KernelPerceptron(**common).partial_fit(X, y, classes=[0, 1, 2])
    fit = wm.KernelPerceptron(**common, max_iter=1).fit(X, y)
    assert_allclose(stream.decision_function(X), fit.decision_function(X), atol=1e-10)
    assert stream.n_updates_ == fit.n_updates_
    loaded = store.loads(store.dumps(stream))
    for model in (stream, loaded):
        model.partial_fit(X[::2], y[::2])
    assert store.dumps(stream) == store.dumps(loaded)
    assert stream.n_updates_ > fit.n_updates_


def test_the_second_batch_continues_the_first():
    """Two batches are one pass over both, in the order of the batches."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 4))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
    for decide in DECIDE:
        common = {"kernel": RBF(0.5), "decide": decide, "shuffle": False}
        stream = wm.KernelPerceptron(**common).partial_fit(X[:40], y[:40], classes=[-1, 1]).partial_fit(X[40:], y[40:])
        whole = wm.KernelPerceptron(**common, max_iter=1).fit(X, y)
        assert stream.n_updates_ == whole.n_updates_
        assert_allclose(stream.decision_function(X), whole.decision_function(X), atol=1e-10)


@pytest.mark.parametrize("decide", DECIDE)
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "precomputed", RBF(0.1)], ids=str)
def test_a_model_comes_back_whole(decide, kernel):
    X, y = load_iris(return_X_y=True)
    X = X @ X.T / 100 if kernel == "precomputed" else X
    model = wm.KernelPerceptron(kernel=kernel, decide=decide, max_iter=4).fit(X, y)
    data = store.dumps(model)
    back = store.loads(data)
    assert_array_equal(back.decision_function(X), model.decision_function(X))
    assert store.dumps(back) == data
    assert back.kernel_ == model.kernel_


def test_a_function_is_not_stored():
    text, y = words()
    with pytest.raises(CannotStore):
        store.dumps(wm.KernelPerceptron(kernel=_common).fit(text, y))


def test_stop_reasons_and_scores():
    X, y = load_iris(return_X_y=True)
    easy = wm.KernelPerceptron(random_state=0).fit(X, y == 0)
    assert easy.converged_
    assert "made no update" in easy.stop_reason_
    noisy = wm.KernelPerceptron(kernel="linear", random_state=0).fit(X, y == 1)
    assert not noisy.converged_
    assert "oscillates" in noisy.stop_reason_
    assert "raise max_iter" in wm.KernelPerceptron(kernel="linear", max_iter=2).fit(X, y == 1).stop_reason_
    assert (
        "max_time"
        in wm.KernelPerceptron(kernel="linear", oscillation="ignore", max_time=0.01).fit(X, y == 1).stop_reason_
    )
    assert cross_val_score(wm.KernelPerceptron(decide="voted", random_state=0), X, y, cv=3).mean() > 0.9
    precomputed = wm.KernelPerceptron(kernel="precomputed", decide="averaged", random_state=0)
    assert cross_val_score(precomputed, RBF(0.2)(X), y, cv=3).mean() > 0.9


def test_an_observer_sees_a_model_and_may_stop():
    X, y = load_iris(return_X_y=True)
    seen = []

    def observe(step, columns, snapshot):
        seen.append((step, columns["updates"], snapshot().scores(wm.kernels.RowItems(X)).shape))
        return True

    model = wm.KernelPerceptron(kernel="linear", observe=observe).fit(X, y)
    assert seen == [(1, seen[0][1], (150, 3))]
    assert "on request" in model.stop_reason_


@pytest.mark.parametrize(
    ("options", "X", "y", "message"),
    [
        ({"kernel": "precomputed"}, np.ones((4, 3)), [0, 1, 0, 1], r"square matrix at fit, but its shape is \(4, 3\)"),
        (
            {"kernel": "poly", "degree": 9, "gamma": 1.0},
            np.array([[1e60], [1.0]]),
            [0, 1],
            "overflows for 1 rows, the first being row 0",
        ),
        ({}, np.array([[1e200], [1.0]]), [0, 1], "may overflow"),
        ({"kernel": lambda A, B: np.ones(3)}, np.ones((4, 3)), [0, 1, 0, 1], r"array of shape \(3,\)"),
        ({"kernel": lambda A, B: A @ B.T * np.nan}, np.ones((4, 3)), [0, 1, 0, 1], "the kernel gave nan"),
        ({"kernel": Trigrams()}, ["abc"], ["x", "y"], "1 items but 2 labels"),
        ({"kernel": Trigrams()}, [], [], "no items"),
    ],
)
def test_bad_input_is_named(options, X, y, message):
    with pytest.raises(BadInput, match=message):
        wm.KernelPerceptron(**options).fit(X, y)


def test_precomputed_batches_are_refused():
    with pytest.raises(BadInput, match="between batches"):
        wm.KernelPerceptron(kernel="precomputed").partial_fit(np.eye(4), [0, 1, 0, 1], classes=[0, 1])
