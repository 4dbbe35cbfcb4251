"""Files of every version stay readable, and no bit of them can be changed unnoticed."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from tests.store.fuzz import run
from tests.store.golden.models import HERE, answers, models

from widemargin import store
from widemargin.base.errors import DamagedFile

FILES = sorted(HERE.glob("*.wm"))
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def test_there_are_golden_models_of_at_least_six_families():
    assert {path.stem for path in FILES} == set(models())
    assert len({store.inspect(path).type for path in FILES}) >= 6


@each_file
def test_golden_models_say_what_they_said(path):
    """Labels exactly; scores to the last digits, which depend on the processor."""
    _, rows, _ = models()[path.stem]
    then = json.loads((HERE / f"{path.stem}.json").read_text())
    now = answers(store.load(path), rows)
    assert set(now) == set(then)
    for how, said in then.items():
        if isinstance(said[0], str):
            assert now[how] == said
        else:
            np.testing.assert_allclose(now[how], said, rtol=1e-12, atol=1e-14)


@each_file
def test_golden_models_can_be_saved_again(path):
    model = store.load(path)
    again = store.loads(store.dumps(model))
    _, rows, _ = models()[path.stem]
    assert answers(again, rows) == answers(model, rows)


def _refused(data: bytes | bytearray) -> bool:
    try:
        store.loads(data)
    except DamagedFile:
        return True
    return False


def _flipped(data: bytes, bit: int) -> bytearray:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return changed


@each_file
def test_single_bit_flips_and_truncations_are_refused(path):
    """Some of them; all of them in the slow test."""
    data, dice = path.read_bytes(), random.Random(3)
    assert all(_refused(_flipped(data, bit)) for bit in dice.sample(range(8 * len(data)), 500))
    assert all(_refused(data[:size]) for size in dice.sample(range(len(data)), 200))


@pytest.mark.slow
@each_file
def test_every_single_bit_flip_and_every_truncation_is_refused(path):
    data = path.read_bytes()
    assert all(_refused(_flipped(data, bit)) for bit in range(8 * len(data)))
    assert all(_refused(data[:size]) for size in range(len(data)))


def test_edits_under_a_right_checksum_are_refused_by_name_or_valid():
    count, wrong = run(600, seed=0)
    assert wrong == []
    assert sum(times for (_, what), times in count.items() if what == "DamagedFile") > 200
    assert sum(times for (_, what), times in count.items() if what == "loaded, answers") > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
def test_a_hundred_thousand_edits_are_refused_by_name_or_valid(seed):
    _, wrong = run(10_000, seed)
    assert wrong == []
