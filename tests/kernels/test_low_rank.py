"""Nyström's map and random frequencies: scikit-learn's contract, what theory says, and the errors they state."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.kernels.expressions import EVERY_KIND, KERNELS, D

import widemargin as wm
from widemargin.base.errors import BadInput, NotPositiveSemidefinite
from widemargin.kernels import RBF, Function, Laplacian, Linear, Nystroem, Polynomial, RandomFourier, Tanh

BOTH = [Nystroem, RandomFourier]


def ten(cls):
    """Parameters for ten features."""
    return {"n_components": 10} if cls is Nystroem else {"n_frequencies": 5}


def rows(n=300, d=D, seed=0):
    return np.random.default_rng(seed).gamma(1.0, size=(n, d))


@parametrize_with_checks(
    [Nystroem(), Nystroem(kernel=Polynomial(2)), RandomFourier(), RandomFourier(kernel=Laplacian())]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.theorem("WilliamsSeeger01")
@given(KERNELS, st.integers(0, 10**6), st.integers(1, 12))
def test_nystroem_is_exact_on_landmarks_and_never_above_the_kernel(kernel, seed, m):
    """phi.phi = k between landmarks, and k - phi.phi is psd: |k(x,z) - phi(x).phi(z)|^2 <= e(x) e(z)."""
    X = rows(25, seed=seed)
    K = kernel(X)
    phi = Nystroem(kernel=kernel, n_components=m, random_state=seed)
    assume(K.any())
    features = phi.fit_transform(X)
    near = 1e-6 * np.abs(K).max()  # eigenvalues next to rounding are divided by
    L = phi.component_indices_
    assert features.shape == (25, phi.rank_)
    assert phi.rank_ <= len(L) == min(m, 25)
    left = K - features @ features.T
    assert_allclose(left[np.ix_(L, L)], 0, atol=near)
    assert np.linalg.eigvalsh((left + left.T) / 2)[0] >= -near
    e = phi.error_
    assert_allclose(e.trace, np.trace(left) / 25, atol=near)
    assert_allclose(e.bound, np.diag(left).max(), atol=near)
    assert_allclose(e.largest, np.abs(left).max(), atol=near)  # 25 rows: all pairs are looked at
    assert e.largest <= e.bound + near


def test_all_rows_as_landmarks_give_the_kernel_back():
    X = rows(60)
    features = Nystroem(kernel=RBF(0.5), n_components=60).fit_transform(X)
    assert_allclose(features @ features.T, RBF(0.5)(X), atol=1e-10)
    low = Nystroem(kernel=Linear(), n_components=60).fit(X)
    assert low.rank_ == D
    assert low.error_.bound < 1e-10


def test_nystroem_is_scikit_learns_on_the_same_landmarks():
    X = rows(80)
    ours = Nystroem(kernel=RBF(0.5), n_components=20).fit(X)
    theirs = TheirNystroem(gamma=0.5, n_components=20).fit(X[ours.component_indices_])
    a, b = ours.transform(X), theirs.transform(X)
    assert_allclose(a @ a.T, b @ b.T, atol=1e-9)


@pytest.mark.parametrize("kernel", EVERY_KIND, ids=str)
def test_nystroem_takes_every_kernel(kernel):
    X = rows(70)
    phi = Nystroem(kernel=kernel, n_components=30)
    if isinstance(kernel, Tanh):
        with pytest.warns(NotPositiveSemidefinite, match="witness"):
            phi.fit(X)
    else:
        phi.fit(X)
    features = phi.transform(X)
    assert_allclose(phi.transform(sp.csr_array(X)), features, atol=1e-6 * np.abs(features).max())
    if not isinstance(kernel, Tanh):
        off = np.abs(kernel(X) - features @ features.T)
        assert off.max() <= phi.error_.bound + 1e-6 * kernel(X).max()


def test_nystroem_takes_names_matrices_and_words():
    X, _ = load_iris(return_X_y=True)
    for name, kernel in [("linear", Linear()), ("poly", Polynomial(3, 1 / (4 * X.var()), 0.0))]:
        assert Nystroem(kernel=name, n_components=5).fit(X).kernel_ == kernel
    K = RBF(0.3)(X)
    rows_ = Nystroem(kernel=RBF(0.3), n_components=20).fit(X)
    matrix = Nystroem(kernel="precomputed", n_components=20).fit(K)
    assert_allclose(matrix.transform(K[:7]), rows_.transform(X[:7]), atol=1e-9)
    assert matrix.error_.n_pairs == rows_.error_.n_pairs
    words = ["kernel", "colonel", "kettle", "oak", "kernel"]
    shared = Function(lambda a, b: float(len(set(a) & set(b))))
    phi = Nystroem(kernel=shared, n_components=5).fit(words)
    features = phi.transform(words)
    assert_allclose(features @ features.T, shared(words), atol=1e-9)
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert Nystroem(kernel=RBF(0.3).on("c"), n_components=5).fit(frame).kernel_ == RBF(0.3).on(2)


def test_landmarks_are_drawn_with_equal_chance_by_the_seed():
    X = rows(200)
    times = np.zeros(200)
    for seed in range(400):
        times[Nystroem(kernel=Linear(), n_components=20, random_state=seed).fit(X).component_indices_] += 1
    assert times.sum() == 400 * 20
    # 40 expected of each, standard deviation 6: of 200 rows none should be five off, and the spread should be right
    assert np.abs(times - 40).max() < 30
    assert 0.75 < times.var() / 36 < 1.3


@pytest.mark.parametrize("cls", BOTH)
def test_results_depend_on_the_seed_alone(cls):
    X = rows(500)
    one, two = cls(**ten(cls)).fit(X), cls(**ten(cls), n_jobs=2).fit(X)
    assert_array_equal(one.transform(X), two.transform(X))
    assert one.error_ == two.error_
    other = cls(**ten(cls), random_state=1).fit(X)
    assert not np.array_equal(one.transform(X)[:, 0], other.transform(X)[:, 0])
    again = pickle.loads(pickle.dumps(one))
    assert_array_equal(again.transform(X), one.transform(X))
    assert clone(one).get_params() == one.get_params()


@pytest.mark.parametrize("cls", BOTH)
def test_names_and_tables_come_out(cls):
    X = pd.DataFrame(rows(40), columns=list("abcd"))
    phi = cls(**ten(cls)).set_output(transform="pandas").fit(X)
    assert phi.transform(X).columns.tolist() == [f"{cls.__name__.lower()}{k}" for k in range(10)]
    model = make_pipeline(cls(**ten(cls)), wm.Perceptron(max_iter=50)).fit(X, X["a"] > 1)
    assert model.score(X, X["a"] > 1) > 0.8


@pytest.mark.theorem("RahimiRecht07")
@pytest.mark.parametrize("kernel", [RBF(0.4), Laplacian(0.3)], ids=str)
def test_random_frequencies_meet_the_kernel_with_the_standard_error_of_theory(kernel):
    """phi(x).phi(z) has mean k(x, z) and variance ((1 + k(2(x - z))) / 2 - k(x, z)^2) / F."""
    X = rows(12, 3)
    K, runs, F = kernel(X), 600, 10
    doubled = kernel(2 * X)
    values = np.empty((runs, 12, 12))
    for seed in range(runs):
        features = RandomFourier(kernel=kernel, n_frequencies=F, random_state=seed).fit_transform(X)
        assert_allclose((features**2).sum(axis=1), 1)
        values[seed] = features @ features.T
    spread = np.sqrt(np.maximum((1 + doubled) / 2 - K**2, 0) / F)
    assert np.all(np.abs(values.mean(axis=0) - K) <= 5 * spread / math.sqrt(runs) + 1e-12)
    off = ~np.eye(12, dtype=bool)
    ratio = values.std(axis=0)[off] / spread[off]
    assert 0.85 < ratio.min() < ratio.max() < 1.15


@pytest.mark.parametrize("kernel", [RBF(0.4), Laplacian(0.3)], ids=str)
def test_random_frequencies_state_their_error(kernel):
    X = rows(150)
    phi = RandomFourier(kernel=kernel, n_frequencies=200).fit(X)
    features, e = phi.transform(X), phi.error_
    off = np.abs(kernel(X) - features @ features.T)[np.triu_indices(150, 1)]  # 150 rows: all pairs
    assert_allclose([e.largest, e.mean, e.n_pairs], [off.max(), off.mean(), off.size])
    assert e.worst_standard_error == 1 / math.sqrt(400)
    variance = ((1 + kernel(2 * X)) / 2 - kernel(X) ** 2)[np.triu_indices(150, 1)] / 200
    assert_allclose(e.standard_error, math.sqrt(variance.mean()))
    assert e.standard_error <= e.worst_standard_error
    assert 0.3 < e.mean / e.standard_error < 1.5
    assert_allclose(phi.transform(sp.csr_array(X)), features, atol=1e-12)


def test_errors_are_said_in_words():
    X = rows(50)
    text = str(Nystroem(n_components=7).fit(X).error_)
    assert text.startswith("7 features from 7 landmarks: k(x, x) - |φ(x)|² is 0.")
    assert "among 1275 pairs" in text
    text = str(RandomFourier(n_frequencies=4).fit(X).error_)
    assert text.startswith("4 frequencies: |k(x, z) - φ(x)·φ(z)| is 0.")
    assert "at most 0.354 for any" in text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda X: RandomFourier(kernel=Linear()).fit(X), "not for x·z"),
        (lambda X: Nystroem(kernel=Linear()).fit(0 * X), "0 between all landmarks"),
        (lambda X: Nystroem(kernel=Polynomial(9)).fit(X * 1e80), "gave inf"),
        (lambda X: Nystroem(kernel="precomputed").fit(X), r"square matrix at fit, but its shape is \(9, 4\)"),
        (lambda X: Nystroem().fit(X * np.nan), "NaN"),
    ],
)
def test_what_cannot_be_mapped_is_refused(make, message):
    with pytest.raises(BadInput, match=message):
        make(rows(9))
