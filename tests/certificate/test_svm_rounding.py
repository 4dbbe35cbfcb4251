"""The figures of a certificate of support vector machines against the same in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin.certificate.svm import certify_svm
from widemargin.kernels import Precomputed
from widemargin.kernels.gram import GramSource
from widemargin.model.box import BoxProblem

UNIT = 2.0**-53


def fractions(values):
    return np.array([Fraction(float(v)) for v in values], dtype=object)


@st.composite
def points(draw):
    """Any formulation on kernel values that are whole numbers; of the variables many or all stand at a bound."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, C = draw(st.integers(2, 40)), draw(st.sampled_from([1e-9, 0.003, 1.0, 1e6]))
    Z = rng.integers(-3, 4, (n, 3)).astype(float)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    z, w = rng.normal(size=n), draw(st.sampled_from([np.ones(n), rng.uniform(0.3, 2.0, n)]))
    makers = [
        lambda: BoxProblem.c_svc(y, C * w),
        lambda: BoxProblem.eps_svr(z, 0.3, C * w),
        lambda: BoxProblem.one_class(w, 0.4),
        lambda: BoxProblem.nu_svc(y, w, 0.1),
        lambda: BoxProblem.nu_svr(z, C, w, 0.5),
    ]
    problem = draw(st.sampled_from(makers))()
    b = np.where(problem.t > 0, problem.upper, problem.lower)
    free = rng.random(b.size) < draw(st.sampled_from([0.0, 0.2]))
    b = np.where(free, problem.lower + rng.random(b.size) * (problem.upper - problem.lower), b)
    offsets = rng.normal(size=2) * draw(st.sampled_from([0.0, 1.0]))
    return Z @ Z.T, problem, np.clip(b, problem.lower, problem.upper), offsets


def exact(K, problem, b, offsets):
    """(primal, dual, gap, scores) without any rounding."""
    t, lower, upper, b = (fractions(v) for v in (problem.t, problem.lower, problem.upper, b))
    c = b.reshape(-1, problem.n).sum(axis=0)
    f = K.astype(int).astype(object) @ c
    o, total = fractions(offsets), fractions(problem.total)
    r = t - np.tile(f, len(b) // problem.n) - o[problem.groups]
    square, hinge = c @ f, np.maximum(upper * r, lower * r).sum()
    primal, dual = square / 2 + hinge + o @ total, t @ b - square / 2
    return primal, dual, primal - dual, f


@pytest.mark.theorem("Higham02")
@given(points(), st.sampled_from([0.0, 2.0**-30, -(2.0**-30)]))
def test_primal_dual_and_gap_are_right_to_within_the_rounding_that_is_said(drawn, off):
    """In all five formulations, also where rows stand at their bounds, so that no term of the gap is in doubt."""
    K, problem, b, (intercept, rho) = drawn
    primal, dual, gap, f = exact(K, problem, b, problem.offsets(intercept, rho))
    right = np.array([float(v) for v in f])
    scores = right + off * np.sign(problem.items(b)) * np.abs(right)  # as wrong as they may be, all to the same side
    source = GramSource(Precomputed(), Precomputed().prepare(K))
    of_scores = (abs(off) + 4 * UNIT) * np.abs(right)
    said = certify_svm(source, problem, b, intercept=intercept, rho=rho, scores=(scores, of_scores))
    for name, truth in {"primal": primal, "dual": dual, "gap": gap}.items():
        assert abs(Fraction(getattr(said, name)) - truth) <= Fraction(said.rounding), name
