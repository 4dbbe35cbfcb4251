"""BrownBoost's game: first rounds in closed form, the potential that stays, what the end proves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erf, erfinv
from tests.oracle import brown as oracle

import widemargin as wm
from widemargin.solver.boost import BoostSolver
from widemargin.solver.brown import Brown, Path
from widemargin.solver.weak import Sample, StumpLearner

C05, C30 = erfinv(0.95) ** 2, erfinv(0.7) ** 2
FIRST = [  # c, error, t, a
    (1, 0.1, 0.371054568995, 0.873376476329),
    (1, 0.2, 0.124610905754, 0.395908051126),
    (1, 0.3, 0.0453044433301, 0.221876454349),
    (1, 0.4, 0.0102938731763, 0.102420581504),
    (4, 0.1, 0.271089047900, 0.589240291753),
    (4, 0.2, 0.114324296754, 0.356770473656),
    (4, 0.3, 0.0439932977763, 0.214180087185),
    (4, 0.4, 0.0102273120514, 0.101626117531),
    (C05, 0.3, 0.0444489397635, 0.216842570352),
    (C30, 0.05, C30, 0.632556207054),
    (C30, 0.10, C30, 0.795006877838),
    (C30, 0.14, C30, 1.140289498481),
    (C30, 0.20, 0.14361040919673, 0.47306218093185),
]


@pytest.mark.parametrize(("c", "error", "t", "a"), FIRST)
def test_first_rounds_have_their_published_steps(c, error, t, a):
    b = np.array([1.0, -1.0])
    got = Path(np.zeros(2), b, np.array([1 - error, error]), c, c).end(0.0)
    assert got[0] == pytest.approx(a, abs=1e-9)
    assert got[1] == pytest.approx(t, abs=1e-9)


@pytest.mark.parametrize(("epsilon", "error"), [("0.3", "0.20"), ("0.05", "0.3"), ("0.1", "0.2")])
def test_first_rounds_agree_with_forty_digits(epsilon, error):
    """The published table gives 0.1436104 and 0.47307 for (0.3, 0.20): the last digit of the second is too large."""
    t, a = oracle.first_round(epsilon, error)
    c, e = erfinv(1 - float(epsilon)) ** 2, float(error)
    got = Path(np.zeros(2), np.array([1.0, -1.0]), np.array([1 - e, e]), c, c).end(0.0)
    assert got == pytest.approx((a, t), abs=1e-9)
    if error == "0.20":
        assert round(t, 7) == 0.1436104
        assert round(a, 5) == 0.47306


@given(st.floats(0.4, 6), st.floats(0.02, 0.48))
def test_the_first_step_in_closed_form(c, error):
    """a = c ln((1 - e) / e) / (4 (c - t)), unless the time is over before."""
    a, t = Path(np.zeros(2), np.array([1.0, -1.0]), np.array([1 - error, error]), c, c).end(0.0)
    if t < c:
        assert a == pytest.approx(c * math.log((1 - error) / error) / (4 * (c - t)), rel=1e-8)
    else:
        epsilon = 1 - math.erf(math.sqrt(c))
        assert error < epsilon / 2 + 1e-9
        assert a == pytest.approx(math.sqrt(c) * erfinv((1 - epsilon) / (1 - 2 * error)), rel=1e-7)


@pytest.mark.theorem("Freund01")
@given(st.integers(0, 2**20), st.sampled_from([0.05, 0.1, 0.2, 0.3]))
def test_the_potential_stays_and_bounds_the_error_at_the_end(seed, epsilon):
    """mean(1 - erf((m + s) / sqrt(c))) = epsilon after every round; at s = 0 the training error is at most epsilon."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)).astype(np.float32)
    y = (X[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
    y[:2] = 0, 1
    u = rng.integers(1, 4, 60).astype(float)
    rows = Sample(X, y, u, 2)
    booster = Brown(2, epsilon, 1e-3)
    solver = BoostSolver(booster, rows, StumpLearner(rows))
    state, before = solver.start(), booster.c
    potential = epsilon
    for t in range(1, 40):
        if solver.advance(state, 1, t) == "no edge":
            break
        now = float(
            np.average(1 - erf((rows.signs * state.F[:, 0] + state.times[0]) / math.sqrt(booster.c)), weights=u)
        )
        assert abs(now - potential) < 1e-9
        potential = now
        assert state.times[0] < before
        before = state.times[0]
        if state.ended == "time over":
            assert np.average(rows.signs * state.F[:, 0] <= 0, weights=u) <= epsilon + 1e-9
            break


def test_far_on_the_wrong_side_is_given_up():
    path = Path(np.array([0.0, -30.0]), np.array([1.0, 1.0]), np.array([0.5, 0.5]), 1.0, 1.0)
    w = path.weights(0.0, 0.0)
    assert w[1] < 1e-300 < w[0]


def test_noise_is_left_wrong_and_the_rest_right():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 2))
    clean = (X[:, 0] > 0).astype(int)
    y = np.where(rng.random(400) < 0.1, 1 - clean, clean)
    model = wm.BrownBoostClassifier(epsilon=0.25).fit(X, y)
    assert model.finished_
    assert model.certificate_.holds
    assert model.certificate_.training_error <= 0.25
    assert (model.predict(X) == clean).mean() > 0.97
