"""Bootstrap replicates: what is drawn, what is held out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin.base.errors import BadInput
from widemargin.study import Bootstrap, bootstrap


@given(n=st.integers(1, 60), share=st.floats(0.01, 1), B=st.integers(1, 5), seed=st.integers(0, 2**63), replace=...)
def test_a_replicate_and_its_held_out_rows_part_the_data(n, share, B, seed, replace: bool):
    m = max(1, int(share * n))
    plan = bootstrap(n, m, B, seed, replace=replace)
    assert len(plan) == len(list(plan)) == B
    for b, (rows, held_out) in enumerate(plan):
        assert len(rows) == m
        assert sorted({*rows.tolist(), *held_out.tolist()}) == list(range(n))
        assert not set(rows.tolist()) & set(held_out.tolist())
        assert (np.diff(held_out) > 0).all()
        np.testing.assert_array_equal(plan.counts(b), np.bincount(rows, minlength=n))
        np.testing.assert_array_equal(plan.held_out(b), held_out)
        if not replace:
            assert len(set(rows.tolist())) == m


@pytest.mark.theorem("Efron79")
@pytest.mark.parametrize(("n", "m"), [(5, 5), (40, 40), (40, 10), (300, 300), (300, 30)])
def test_the_held_out_share_is_a_row_missed_m_times(n, m):
    """A row is in no draw of m with probability (1 - 1/n)^m; the mean over B replicates agrees within 4 standard
    errors."""
    B = 2000
    plan = bootstrap(n, m, B, seed=1)
    p = (1 - 1 / n) ** m
    assert plan.expected_share == p
    two = (1 - 2 / n) ** m  # both of two rows are missed
    error = np.sqrt((n * p * (1 - p) + n * (n - 1) * (two - p * p)) / n**2 / B)
    assert abs(plan.held_out_share - p) < 4 * error
    assert error < 0.02 * p


def test_without_replacement_the_share_is_exact():
    plan = bootstrap(40, 10, 7, replace=False)
    assert plan.held_out_share == pytest.approx(plan.expected_share) == 0.75


def test_every_row_is_drawn_alike():
    counts = sum(bootstrap(10, 10, 4000, seed=2).counts(b) for b in range(4000))
    assert np.abs(counts - 4000).max() < 4.5 * np.sqrt(40_000 * 0.1 * 0.9)


def test_a_replicate_depends_on_seed_and_number_only():
    few, many = bootstrap(30, 20, 3, seed=5), bootstrap(30, 20, 9, seed=5)
    for b in (2, 0, 1):
        np.testing.assert_array_equal(few.rows(b), many.rows(b))
    assert few == Bootstrap(30, 20, 3, 5)
    assert few.rows(0).tolist() != few.rows(1).tolist()
    assert few.rows(0).tolist() != bootstrap(30, 20, 3, seed=6).rows(0).tolist()


def test_draws_never_change():
    """What a seed meant once it means for ever."""
    assert bootstrap(10, seed=7).rows(3).tolist() == ROWS


ROWS = [2, 3, 4, 8, 9, 8, 2, 0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": 0}, "n is 0"),
        ({"n": 5, "m": 6}, "m=6 draws from n=5"),
        ({"n": 5, "m": 0}, "m is 0"),
        ({"n": 5, "B": 0}, "B is 0"),
        ({"n": 5, "B": 2.5}, r"B is 2\.5"),
        ({"n": True}, "n is True"),
        ({"n": 5, "seed": -1}, "seed is -1"),
        ({"n": 5, "replace": "no"}, "replace is 'no'"),
    ],
)
def test_bad_sizes_are_named(arguments, words):
    with pytest.raises(BadInput, match=words):
        bootstrap(**arguments)


def test_there_is_no_replicate_beyond_the_last():
    with pytest.raises(IndexError, match="0 to 2, but no 3"):
        bootstrap(5, B=3).rows(3)
