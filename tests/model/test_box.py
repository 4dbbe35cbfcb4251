"""The five formulations as one problem: their boxes, sums and starts, and what is refused before any kernel work."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin.base.errors import BadInput
from widemargin.model.box import BoxProblem

Y = np.array([1.0, -1.0, -1.0, 1.0, -1.0])
Z = np.array([0.5, -1.0, 2.0, 0.0, 3.0])
W = np.array([1.0, 2.0, 0.5, 3.0, 1.0])


def all_problems() -> dict[str, BoxProblem]:
    return {
        "c_svc": BoxProblem.c_svc(Y, 2 * W),
        "eps_svr": BoxProblem.eps_svr(Z, 0.1, 2.0),
        "one_class": BoxProblem.one_class(W, 0.3),
        "nu_svc": BoxProblem.nu_svc(Y, W, 0.7),
        "nu_svr": BoxProblem.nu_svr(Z, 2.0, W, 0.4),
    }


@pytest.mark.parametrize("name", list(all_problems()))
def test_the_start_lies_in_the_box_and_has_the_sums(name):
    problem = all_problems()[name]
    b = problem.start()
    assert np.all(b >= problem.lower)
    assert np.all(b <= problem.upper)
    sums = [b[problem.groups == g].sum() for g in range(len(problem.total))]
    np.testing.assert_allclose(sums, problem.total, rtol=1e-15, atol=1e-15)


@given(weight=st.lists(st.floats(0.01, 100), min_size=2, max_size=30), nu=st.floats(0.001, 1))
def test_any_weights_and_nu_have_a_feasible_start(weight, nu):
    w = np.array(weight)
    for problem in (BoxProblem.one_class(w, nu), BoxProblem.nu_svr(np.zeros(len(w)), 3.0, w, nu)):
        b = problem.start()
        assert np.all((b >= problem.lower) & (b <= problem.upper))
        sums = [b[problem.groups == g].sum() for g in range(len(problem.total))]
        np.testing.assert_allclose(sums, problem.total, rtol=1e-12)


@given(weight=st.lists(st.floats(0.01, 100), min_size=3, max_size=30))
def test_the_largest_nu_is_taken_and_asks_for_no_more_than_there_is(weight):
    w = np.array(weight)
    y = np.where(np.arange(len(w)) % 2, 1.0, -1.0)
    small = min(w[y > 0].sum(), w[y < 0].sum())
    problem = BoxProblem.nu_svc(y, w, min(1.0, 2 * small / w.sum()))
    assert problem.total[0] == -problem.total[1] <= small


def test_boxes_and_linear_terms():
    p = all_problems()
    assert p["c_svc"].t is not Y
    np.testing.assert_array_equal(p["c_svc"].upper, [2, 0, 0, 6, 0])
    np.testing.assert_array_equal(p["c_svc"].lower, [0, -4, -1, 0, -2])
    np.testing.assert_allclose(p["eps_svr"].t, np.concatenate([Z - 0.1, Z + 0.1]))
    assert p["eps_svr"].n_variables == 10
    assert p["one_class"].total == pytest.approx((0.3 * 7.5,))
    assert p["nu_svc"].total == pytest.approx((0.7 * 7.5 / 2, -0.7 * 7.5 / 2))
    np.testing.assert_array_equal(p["nu_svc"].group, [0, 1, 1, 0, 1])
    assert p["nu_svr"].total == pytest.approx((2 * 0.4 * 7.5 / 2, -2 * 0.4 * 7.5 / 2))
    assert p["c_svc"].sum_of_bounds == 15
    assert p["eps_svr"].sum_of_bounds == 10
    np.testing.assert_array_equal(p["eps_svr"].items(np.arange(10.0)), np.arange(5.0) + np.arange(5.0, 10))


def test_the_start_of_one_class_fills_the_first_items_as_libsvm_does():
    np.testing.assert_allclose(BoxProblem.one_class(np.ones(5), 0.5).start(), [1, 1, 0.5, 0, 0])


def test_a_hard_margin_has_infinite_bounds():
    problem = BoxProblem.c_svc(Y, np.inf)
    assert problem.hard
    np.testing.assert_array_equal(problem.upper, [np.inf, 0, 0, np.inf, 0])
    assert not problem.start().any()
    assert not all_problems()["c_svc"].hard


def test_offsets_follow_libsvm():
    p = all_problems()
    np.testing.assert_array_equal(p["c_svc"].offsets(0.5), [0.5])
    np.testing.assert_array_equal(p["nu_svc"].offsets(0.5, 2.0), [-1.5, 2.5])


def test_nu_beyond_the_smaller_class_is_told_with_the_largest_one():
    with pytest.raises(BadInput, match=r"nu is 0\.9.*at most 0\.8 .*lower nu"):
        BoxProblem.nu_svc([1, 1, -1, -1, -1], np.ones(5), 0.9)
    BoxProblem.nu_svc([1, 1, -1, -1, -1], np.ones(5), 0.8)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: BoxProblem.c_svc([0, 1], 1.0), "-1 and \\+1"),
        (lambda: BoxProblem.c_svc([1, -1], 0.0), "C is 0 for row 0"),
        (lambda: BoxProblem.c_svc([1, -1], [1.0, np.nan]), "C is nan for row 1"),
        (lambda: BoxProblem.c_svc([1, -1], [1.0, np.inf]), "infinite for 1 of 2"),
        (lambda: BoxProblem.eps_svr([0.0, np.nan], 0.1, 1.0), "row 1"),
        (lambda: BoxProblem.eps_svr([0.0, 1.0], -0.1, 1.0), "epsilon is -0.1"),
        (lambda: BoxProblem.eps_svr([0.0, 1.0], 0.1, np.inf), "C is infinite"),
        (lambda: BoxProblem.one_class(np.ones(3), 0.0), "nu is 0.0"),
        (lambda: BoxProblem.one_class(np.ones(3), 1.5), "nu is 1.5"),
        (lambda: BoxProblem.one_class([1.0, -1.0], 0.5), "sample_weight is -1 for row 1"),
        (lambda: BoxProblem.nu_svr([0.0, 1.0], np.inf, np.ones(2), 0.5), "C is infinite"),
    ],
)
def test_what_cannot_be_solved_is_refused(make, said):
    with pytest.raises(BadInput, match=said):
        make()
