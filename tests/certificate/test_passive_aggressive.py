"""Loss bounds of passive-aggressive learners, on runs of the plain algorithm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from widemargin.certificate.passive_aggressive import certify_passive_aggressive, passive_aggressive_bound

small = st.integers(-5, 5)


@st.composite
def rows(draw):
    d = draw(st.integers(1, 3))
    X = np.array(draw(st.lists(st.lists(small, min_size=d, max_size=d), min_size=2, max_size=10)), dtype=float)
    y = np.array(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=len(X), max_size=len(X))))
    u = np.array(draw(st.lists(small, min_size=d + 1, max_size=d + 1)), dtype=float)
    return X, y, u


def run(X, y, rule, C, epochs, epsilon=None, steps=None):
    """The algorithm, row by row: (w, losses of all visits, mistakes)."""
    w, losses, mistakes = np.zeros(X.shape[1] + 1), [], 0
    for _ in range(epochs):
        for i, z in enumerate(np.hstack([X, np.ones((len(y), 1))])):
            u = w @ z
            mistakes += y[i] * u <= 0
            loss, sign = (1 - y[i] * u, y[i]) if epsilon is None else (abs(y[i] - u) - epsilon, np.sign(y[i] - u))
            losses.append(max(0.0, loss))
            if loss > 0:
                c = C * (1 if steps is None else steps[i])
                w = w + (min(c, loss / (z @ z)) if rule == "linear" else loss / (z @ z + 0.5 / c)) * sign * z
    return w, np.array(losses), mistakes


rules = st.sampled_from(["linear", "squared"])
costs = st.sampled_from([0.01, 0.3, 1.0, 50.0])


@pytest.mark.theorem("CrammerEtAl06")
@given(rows(), rules, costs, st.integers(1, 5), st.data())
@settings(max_examples=150, deadline=None)
def test_losses_stay_within_the_bound_of_any_comparator(sample, rule, C, epochs, data):
    """sum l, sum l^2 and the mistakes are bounded by the comparator's length and losses, whatever the comparator."""
    X, y, u = sample
    steps = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(y), max_size=len(y))), dtype=float)
    _, losses, mistakes = run(X, y, rule, C, epochs, steps=steps)
    options = {"rule": rule, "C": C, "epochs": epochs, "updates": int(np.sum(losses > 0)), "steps": steps}
    for comparator in (u, u / 3, 0 * u):
        bound = passive_aggressive_bound(X, y, comparator, **options)
        assert losses.sum() <= bound.loss * (1 + 1e-12)
        assert mistakes <= bound.mistakes
        if rule == "squared":
            assert (losses**2).sum() <= bound.squared_loss * (1 + 1e-12)


@pytest.mark.theorem("CrammerEtAl06")
@given(rows(), rules, costs, st.integers(1, 4), st.sampled_from([0.0, 0.1, 1.0]))
@settings(max_examples=80, deadline=None)
def test_regression_losses_stay_within_the_bound(sample, rule, C, epochs, epsilon):
    """The same telescoping sum holds for the loss (|y - u| - eps)+."""
    X, _, u = sample
    y = X @ u[:-1] + np.sin(np.arange(len(X)))
    _, losses, _ = run(X, y, rule, C, epochs, epsilon)
    options = {"rule": rule, "C": C, "epochs": epochs, "updates": int(np.sum(losses > 0)), "epsilon": epsilon}
    for comparator in (u, 0 * u):
        bound = passive_aggressive_bound(X, y, comparator, **options)
        assert losses.sum() <= bound.loss * (1 + 1e-12)
        assert bound.mistakes is None
        if rule == "squared":
            assert (losses**2).sum() <= bound.squared_loss * (1 + 1e-12)


@given(rows(), rules, costs)
@settings(max_examples=40, deadline=None)
def test_certificate_holds_and_fails_for_a_larger_sum(sample, rule, C):
    X, y, _ = sample
    w, losses, _ = run(X, y, rule, C, 3)
    sums = {"loss_sum": losses.sum(), "squared_loss_sum": (losses**2).sum(), "updates": int(np.sum(losses > 0))}
    c = certify_passive_aggressive(X, y, w[:-1], w[-1], rule=rule, C=C, epochs=3, **sums)
    assert c.holds
    assert c.loss_sum <= c.loss_bound * (1 + 1e-12)
    sums["loss_sum"] = 1.001 * c.loss_bound + 1
    assert certify_passive_aggressive(X, y, w[:-1], w[-1], rule=rule, C=C, epochs=3, **sums).holds is False


def test_the_bound_on_the_first_loss_is_tight():
    """One visit of a unit row from 0 has loss 1; the comparator 0 proves sum l <= 1 for the best c."""
    X, y = np.array([[1.0]]), np.array([1.0])
    bound = passive_aggressive_bound(
        X, y, np.array([1.0, 0.0]), rule="linear", C=10.0, epochs=1, updates=1, intercept=False
    )
    assert bound.loss == pytest.approx(1.0)
