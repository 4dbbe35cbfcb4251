"""Products of features for linear learners: a transformer before them, or the kernel that means the same."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import widemargin as wm
from widemargin.kernels import Polynomial, feature_map


def circle(n=150, seed=0):
    """No line parts them: inside and outside of a circle."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (n, 3))
    X[random.random((n, 3)) < 0.3] = 0
    return X, (X[:, 0] ** 2 + X[:, 1] ** 2 > 0.4).astype(int)


@pytest.mark.parametrize(
    "learner", [wm.LinearSVC(C=100), wm.AveragedPerceptron(max_iter=200), wm.LinearSVC(loss="hinge", C=100)]
)
def test_what_no_line_parts_is_learnt_from_products(learner):
    X, y = circle()
    plain = learner.fit(X, y).score(X, y)
    piped = make_pipeline(PolynomialFeatures(2, include_bias=False), learner)
    assert piped.fit(X, y).score(X, y) > max(0.97, plain + 0.1)


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array])
def test_sparse_rows_give_the_same_machine_and_stay_sparse(form):
    X, y = circle()
    expand = PolynomialFeatures(3, include_bias=False)
    assert sp.issparse(expand.fit_transform(form(X)))
    dense, sparse = (make_pipeline(expand, wm.LinearSVC(tol=1e-9)).fit(rows, y) for rows in (X, form(X)))
    np.testing.assert_allclose(sparse[-1].coef_, dense[-1].coef_, atol=1e-4)
    assert wm.certify(sparse[-1], expand.transform(form(X)), y).holds


@pytest.mark.theorem("ShaweTaylorCristianini04")
def test_a_linear_machine_on_the_monomials_of_a_kernel_is_the_kernel_machine():
    """With phi(x).phi(z) = (x.z + 1)^2 the optimum of the linear problem on phi(x) is that of the kernel problem."""
    X, y = circle()
    kernel = Polynomial(degree=2, gamma=1.0, offset=1.0)
    linear = make_pipeline(feature_map(kernel), wm.LinearSVC(loss="hinge", C=2.0, tol=1e-8)).fit(X, y)
    machine = wm.SVC(kernel=kernel, C=2.0, gap_tol=1e-8).fit(X, y)
    rows = circle(seed=1)[0]
    np.testing.assert_allclose(linear.decision_function(rows), machine.decision_function(rows), atol=2e-3)
    assert linear[-1].certificate_.primal == pytest.approx(machine.certificate_.primal, rel=1e-6)
