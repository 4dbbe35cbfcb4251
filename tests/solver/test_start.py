"""A start carried over from another problem is feasible, and the same point where nothing changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin.base.errors import BadInput
from widemargin.model.box import BoxProblem
from widemargin.solver.start import carried

FORMS = {
    "C-SVC": lambda y, w, a: BoxProblem.c_svc(y, (0.1 + 10 * a) * w),
    "eps-SVR": lambda y, w, a: BoxProblem.eps_svr(3 * y, 0.1, (0.1 + 10 * a) * w),
    "one-class": lambda y, w, a: BoxProblem.one_class(w, 0.05 + 0.9 * a),
    "nu-SVC": lambda y, w, a: BoxProblem.nu_svc(y, np.ones_like(w), 0.05 + 0.7 * a),
    "nu-SVR": lambda y, w, a: BoxProblem.nu_svr(3 * y, 2.0, w, 0.05 + 0.9 * a),
}


def feasible_point(p: BoxProblem, rng: np.random.Generator) -> np.ndarray:
    """A random one: the first point, mixed with others."""
    share = rng.random(p.n_variables)
    share[rng.random(p.n_variables) < 0.4] = 1.0
    b = np.where(rng.random(p.n_variables) < 0.3, 0.0, np.where(p.upper > 0, share * p.upper, share * p.lower))
    return carried(b, p, p)


def assert_feasible(p: BoxProblem, b: np.ndarray) -> None:
    assert (b >= p.lower).all()
    assert (b <= p.upper).all()
    for g, total in enumerate(p.total):
        assert b[p.groups == g].sum() == pytest.approx(total, abs=1e-12 * (1 + np.abs(b).sum()))


@pytest.mark.parametrize("form", FORMS)
@given(st.integers(0, 2**32 - 1), st.floats(0, 1), st.floats(0, 1))
def test_what_is_carried_is_feasible(form, seed, before, after):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    w = rng.integers(1, 4, n).astype(float)
    old, new = FORMS[form](y, w, before), FORMS[form](y, w, after)
    b = feasible_point(old, rng)
    assert_feasible(old, b)
    assert_feasible(new, carried(b, old, new))
    np.testing.assert_array_equal(carried(b, old, old), b)  # what stood at a bound still does


def test_what_was_at_its_bound_goes_to_the_new_one():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    old, new = BoxProblem.c_svc(y, 1.0), BoxProblem.c_svc(y, 5.0)
    np.testing.assert_array_equal(carried(np.array([1.0, 0.0, -1.0, 0.0]), old, new), [5.0, 0.0, -5.0, 0.0])
    np.testing.assert_array_equal(carried(np.array([1.0, 0.5, -1.0, -0.5]), old, new), [5.0, 0.5, -5.0, -0.5])
    # The side that has become too heavy shrinks.
    np.testing.assert_allclose(carried(np.array([1.0, 0.2, -0.6, -0.6]), old, new), [6 / 5.2, 1.2 / 26, -0.6, -0.6])


def test_a_hard_margin_starts_from_a_soft_one_and_the_reverse():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    soft, hard = BoxProblem.c_svc(y, 1.0), BoxProblem.c_svc(y, np.inf)
    np.testing.assert_array_equal(carried(np.array([1.0, 0.0, -1.0, 0.0]), soft, hard), [1.0, 0.0, -1.0, 0.0])
    np.testing.assert_allclose(carried(np.array([3.0, 0.0, -2.0, -1.0]), hard, soft), [1.0, 0.0, -0.5, -0.5])


def test_labels_that_changed_lose_their_variables():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    old, new = BoxProblem.c_svc(y, 1.0), BoxProblem.c_svc(-y, 1.0)
    np.testing.assert_array_equal(carried(np.array([1.0, 0.0, -1.0, 0.0]), old, new), np.zeros(4))


def test_other_rows_are_refused():
    old, new = BoxProblem.one_class(np.ones(4), 0.5), BoxProblem.one_class(np.ones(5), 0.5)
    with pytest.raises(BadInput, match="for 4 rows, but there are 5"):
        carried(old.start(), old, new)
