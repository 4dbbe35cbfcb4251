"""The doors of the core: whatever comes in, the call returns or raises; it never crashes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.common.core_arguments import (
    CALLS,
    D,
    N,
    box,
    box_arguments,
    box_pairs,
    box_state,
    dense,
    joined_face_arguments,
    kernel,
    kernel_state,
    margin,
    margin_state,
    matrix_source,
    online,
    online_parts,
    online_state,
    pairs_arguments,
    pairs_state,
)

from widemargin import _core

ROOT = Path(__file__).parents[2]


def test_no_argument_crashes_the_core():
    """One argument at a time is replaced by another length, type, order, number or kind of thing, 6300 times."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.common.core_arguments"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr[-2000:]
    tried, refused = map(int, run.stdout.split())
    assert tried > 5900
    assert 3400 < refused < tried


def test_every_function_of_the_core_is_tried():
    """What is not among the calls takes no arrays: settings, counts, busy work."""
    harmless = {"philox", "pool_size", "set_simd_level", "simd_level", "spin", "thread_limit", "touch_thread"}
    functions = {name for name, thing in vars(_core).items() if callable(thing) and not isinstance(thing, type)}
    assert {name for name in functions if not name.startswith("_")} - harmless <= set(CALLS)


@pytest.mark.parametrize(
    ("solver", "state", "counters"), [(online, online_state, 3), (margin, margin_state, 4), (kernel, kernel_state, 3)]
)
@pytest.mark.parametrize(
    ("place", "number", "words"),
    [
        (1, N + 1, f"position {N + 1} lies outside of an epoch of {N} visits"),
        (1, -1, "a counter is -1"),
        (0, -1, "a counter is -1"),
        (2, 2**62, f"a counter is {2**62}"),
        (3, -2, "a counter is -2"),
    ],
)
def test_a_damaged_state_is_named(solver, state, counters, place, number, words):
    arguments = state()
    arguments[counters][place] = number
    with pytest.raises(ValueError, match=words):
        solver().advance(*arguments)


@pytest.mark.parametrize("list_of", [0, 1])
def test_parts_that_share_what_they_write_are_refused(list_of):
    """They would race: a solver keeps the order of its epoch, a state its numbers."""
    arguments = online_parts()
    arguments[list_of] = [arguments[list_of][0]] * 2
    with pytest.raises(ValueError, match="two parts share"):
        _core.online_advance_parts(*arguments)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: box_pairs().advance(*pairs_state(), np.nan, 1), "seconds must be from 0 to 1e6"),
        (lambda: box_pairs().advance(*pairs_state()[:5], np.zeros(2, np.int8), 1.0, 1), "does not belong"),
        (lambda: _core.box_pairs(*pairs_arguments(2)[:1], *pairs_arguments(3)[1:]), "a class that is not there"),
        (
            lambda: _core.polish_joined(*joined_face_arguments()[:8], np.array([N, N]), *joined_face_arguments()[9:]),
            "a part has no items",
        ),
        (lambda: _core.pair_source(_core.class_rows([dense()], 2, 0.1, 0.0, 1, 0, 1), 0, 1), "a class that is not"),
        (lambda: _core.submatrix_source(np.eye(2, dtype=np.float32), np.ones(2), np.array([2], np.int32)), "an item"),
        (lambda: _core.matrix_source(np.ones((2, 3), np.float32), np.ones(2)), "a square matrix"),
        (lambda: _core.box_solver(matrix_source(), *box_arguments(N - 1)), "one or two variables an item"),
        (lambda: box().shift(*box_state()[:5], np.ones(N - 1)), "one change a variable"),
        (lambda: _core.kernel_rows(dense(), 4, 1.0, 0.0, 1, 1), "kernel 4 is not known"),
        (lambda: _core.SvmlightReader64(-1, False, False, 1, 1), "first index -1 is not known"),
        (lambda: _core.products(dense(), dense(), 2**63 - 1, 1, np.zeros(N), 1), "block lies outside the rows"),
        (lambda: _core.permutation(-1, 0, 0), "-1 rows"),
        (lambda: _core.Rows.csr(np.ones(1), np.array([D], np.int32), np.array([0, 1]), D, 1), "column"),
        (lambda: _core.Rows.csr(np.ones(1), np.array([0], np.int32), np.array([0, 2]), D, 1), "offset"),
        (lambda: _core.Rows.dense(np.ones((2, 6))[:, ::2]), "contiguous"),
        (lambda: _core.Rows.dense(np.zeros(49, np.uint8)[1:].view(np.float64).reshape(2, 3)), "aligned"),
    ],
)
def test_arguments_at_fault_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
