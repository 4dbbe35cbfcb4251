"""Kernels that are none, and more kernel values than memory holds, in support vector machines."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from tests.estimator.svm_cases import Counted, X, each_machine, machine, targets

import widemargin as wm
from widemargin.base.errors import BadInput, NotPositiveSemidefinite
from widemargin.kernels import RBF, Linear, Mahalanobis, Polynomial, Tanh

NAN, INF = float("nan"), float("inf")

# ---- kernels that are none ------------------------------------------------------------------------------------------

NO_KERNEL = {
    "A is not psd": (lambda: Mahalanobis(np.diag([1.0, -3.0])), "smallest eigenvalue is -3"),
    "A is not symmetric": (lambda: Mahalanobis([[1.0, 2.0], [0.5, 1.0]]), r"A\[0, 1\] is 2, but A\[1, 0\] is 0.5"),
    "A has NaN": (lambda: Mahalanobis([[1.0, NAN], [NAN, 1.0]]), r"A\[0, 1\] is nan"),
    "A is not square": (lambda: Mahalanobis(np.ones((2, 3))), r"shape \(2, 3\)"),
    "negative factor": (lambda: -2 * RBF(1.0), r"factor -2\.0"),
    "negative factor behind": (lambda: RBF(1.0) * -0.5, r"factor -0\.5"),
    "NaN as factor": (lambda: NAN * RBF(1.0), "factor nan"),
    "infinite factor": (lambda: INF * RBF(1.0), "factor inf"),
    "negative coefficient": (lambda: Linear().polynomial([1, 2, -3]), r"coefficient 2 is -3\.0"),
    "negative constant": (lambda: RBF(1.0) + (-1.0), r"-1\.0"),
    "negative gamma": (lambda: RBF(-1.0), r"gamma is -1"),
    "gamma not a number": (lambda: RBF(NAN), "gamma is nan"),
    "broken degree": (lambda: Polynomial(degree=1.5), r"degree is 1\.5"),
    "negative degree": (lambda: Polynomial(degree=-1), "degree is -1"),
    "negative offset": (lambda: Polynomial(offset=-1.0), "offset is -1"),
}


@pytest.mark.parametrize("case", NO_KERNEL)
def test_what_is_no_kernel_is_refused_when_it_is_written_down(case):
    act, words = NO_KERNEL[case]
    with pytest.raises(BadInput, match=words):
        act()


@pytest.mark.parametrize("act", [lambda: -RBF(1.0), lambda: RBF(1.0) - RBF(2.0)])
def test_kernels_cannot_be_taken_away(act):
    with pytest.raises(TypeError, match="operand"):
        act()


@each_machine
@pytest.mark.parametrize(
    "kernel", [{"kernel": "sigmoid", "gamma": 5.0, "coef0": -3.0}, {"kernel": Tanh(5.0, -3.0)}], ids=["name", "object"]
)
def test_a_tanh_that_is_not_psd_warns_with_a_witness_and_bounds_nothing(cls, kernel):
    with pytest.warns(NotPositiveSemidefinite, match=r"tanh\(5 x·z - 3\).*eigenvalue on 40 items is -") as caught:
        model = machine(cls, **kernel).fit(X, targets(cls))
    (found,) = [w.message for w in caught if isinstance(w.message, NotPositiveSemidefinite)]
    c = found.witness.witness
    assert c @ np.tanh(5 * X @ X.T - 3) @ c < -1  # the claim, computed here
    assert model.certificate_.holds is None
    assert "bounds nothing" in model.certificate_.claim
    assert wm.certify(model, X, targets(cls)).holds is None


@each_machine
def test_a_matrix_that_is_not_psd_warns_and_bounds_nothing(cls):
    K = -(X @ X.T)
    with pytest.warns(NotPositiveSemidefinite, match="eigenvalue on 40 items"):
        model = machine(cls, kernel="precomputed").fit(K, targets(cls))
    assert model.certificate_.holds is None


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each_machine
@pytest.mark.parametrize("kind", ["function", "matrix"])
def test_values_that_are_not_symmetric_warn_and_bound_nothing(cls, kind):
    kernel, rows = (lambda a, b: a[:, :1] - b[:, 0], X) if kind == "function" else ("precomputed", np.triu(X @ X.T))
    with pytest.warns(NotPositiveSemidefinite, match=r"not symmetric: .* differ by up to \d"):
        model = machine(cls, kernel=kernel, max_iter=500).fit(rows, targets(cls))
    assert model.certificate_.holds is None


# ---- more values than memory ----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("cls", [wm.SVC, wm.SVR, wm.OneClassSVM, wm.SVCCV], ids=lambda cls: cls.__name__)
def test_a_function_is_asked_in_blocks_far_below_all_values(cls):
    """n² values of 4,000 rows are 128 MB; no block has more than 17, whether all of them fit into the cache or not."""
    n = 4000
    rows = np.random.default_rng(1).standard_normal((n, 2))
    y = np.where(rows[:, 0] > 0, 1.0, -1.0)
    for cache in (1, 200):
        kernel = Counted()
        params = {"kernel": kernel, "cache_size": cache, "max_iter": 200}
        machine(cls, **params, **({"cv": [(np.arange(n), np.arange(9))]} if cls is wm.SVCCV else {})).fit(rows, y)
        assert 8 * kernel.largest <= 17e6


def test_a_precomputed_matrix_is_never_copied_in_float64():
    n = 3000
    rows = np.random.default_rng(1).standard_normal((n, 2))
    K, y = rows @ rows.T, np.where(rows[:, 0] > 0, 1.0, -1.0)
    tracemalloc.start()
    try:
        wm.SVC(kernel="precomputed", cache_size=100).fit(K, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6  # float32 is half of the 72 MB of K
