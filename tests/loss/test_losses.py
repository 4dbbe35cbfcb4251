"""The losses and what is dual to them, for the NumPy ones that certificates use."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin.loss.losses import Hinge, Logistic, SquaredHinge, SquaredTube, Tube

LOSSES = [Hinge(), SquaredHinge(), Logistic(), Tube(0.3), Tube(0.0), SquaredTube(0.3), SquaredTube(0.0)]
losses = st.sampled_from(LOSSES)
numbers = st.floats(-4, 4)
prices = st.floats(0.01, 50)
GRID = np.linspace(-60, 60, 240_001)


def column(value):
    return np.array([value], dtype=np.float64)


def target(loss, t):
    """Classes are +1 and -1."""
    return np.where(t >= 0, 1.0, -1.0) if isinstance(loss, Hinge | SquaredHinge | Logistic) else t


def inside(loss, share, t, C):
    """A feasible variable: a share of the way between its bounds, or of C where there are none."""
    lower, upper = loss.bounds(t, C)
    return np.maximum(lower, -3 * C) + share * (np.minimum(upper, 3 * C) - np.maximum(lower, -3 * C))


@pytest.mark.theorem("BoydVandenberghe04")
@given(losses, numbers, numbers, st.floats(0, 1), prices)
def test_value_and_conjugate_obey_fenchel_and_young(loss, z, t, share, C):
    """C l(z) + C l*(-b/C) + b z >= 0 for every score and every feasible b, and that is the residual."""
    z, t, C = column(z), target(loss, column(t)), column(C)
    b = inside(loss, share, t, C)
    plain = C * loss.value(z, t) - loss.reward(b, t, C) + b * z
    residual = loss.residual(z, b, t, C)
    assert residual >= 0
    assert float(residual[0]) == pytest.approx(float(plain[0]), abs=1e-9 * float((1 + C * (1 + z * z + t * t) * 20)[0]))


@pytest.mark.theorem("BoydVandenberghe04")
@given(losses, numbers, numbers, prices)
def test_the_slope_closes_the_inequality(loss, z, t, C):
    """b = -C l'(z) has no residual: it is the dual variable of z."""
    z, t, C = column(z), target(loss, column(t)), column(C)
    b = -C * loss.slope(z, t)
    assert loss.residual(z, b, t, C) == pytest.approx(0, abs=1e-9 * float(C[0]))


@given(losses, numbers, numbers, st.floats(-0.2, 1.2), prices)
def test_terms_are_the_four_figures_each_by_itself(loss, z, t, share, C):
    """Also of a b beyond its bounds, whose reward is -infinity."""
    z, t, C = column(z), target(loss, column(t)), column(C)
    b = inside(loss, share, t, C)
    each = C * loss.value(z, t), loss.residual(z, b, t, C), loss.reward(b, t, C), loss.steepest(z, b, t, C)
    for found, wanted in zip(loss.terms(z, b, t, C), each, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * float(C[0]))


@given(losses, numbers, numbers)
def test_the_slope_is_the_derivative(loss, z, t):
    t, h = target(loss, column(t)), 1e-6
    left, right = (float((loss.value(column(z + s * h), t) - loss.value(column(z), t))[0] / (s * h)) for s in (-1, 1))
    assert min(left, right) - 1e-4 <= loss.slope(column(z), t)[0] <= max(left, right) + 1e-4


@pytest.mark.theorem("BoydVandenberghe04")
@given(losses, st.floats(0.05, 0.95), numbers)
def test_the_conjugate_is_the_largest_difference(loss, share, t):
    """l*(s) = sup_z (s z - l(z)), here over a fine grid."""
    t = target(loss, column(t))
    s = -inside(loss, share, t, column(1.0))
    found = float((s * GRID - loss.value(GRID, np.full_like(GRID, t[0]))).max())
    assert float(loss.conjugate(s, t)[0]) == pytest.approx(found, abs=2e-3)


@given(losses, numbers, prices)
def test_outside_of_its_bounds_a_variable_earns_nothing(loss, t, C):
    t, C = target(loss, column(t)), column(C)
    lower, upper = loss.bounds(t, C)
    for b in (lower - 0.1, upper + 0.1):
        if np.isfinite(b[0]):
            assert loss.reward(b, t, C)[0] == -np.inf
