"""Streams of batches join to what is read at once."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.svmlight_files import files, read, same, stacked

from widemargin.base.errors import BadInput, MalformedFile
from widemargin.data import stream_svmlight

WIDE = {"zero_based": True, "n_features": 2**31 - 1}


@given(files(), st.integers(1, 60))
def test_batches_by_bytes_join_to_the_whole(text, size):
    whole = read(text, **WIDE)
    batches = list(stream_svmlight(io.BytesIO(text), batch_bytes=size, **WIDE))
    if len(whole[1]):
        same(stacked(batches), whole)
    else:
        assert batches == []


@given(files(), st.integers(1, 5))
def test_batches_by_rows_join_to_the_whole(text, rows):
    whole = read(text, **WIDE)
    batches = list(stream_svmlight(io.BytesIO(text), batch_rows=rows, **WIDE))
    assert [len(y) for _, y in batches[:-1]] == [rows] * (len(batches) - 1)
    if len(whole[1]):
        same(stacked(batches), whole)
    else:
        assert batches == []


def test_batches_by_rows_across_pieces():
    text = "".join(f"{i} {i % 11 + 1}:{i}\n" for i in range(200_000)).encode()
    whole = read(text)
    for rows in (70_001, 333, 1_000_000):
        batches = list(stream_svmlight(io.BytesIO(text), batch_rows=rows))
        assert len(batches) == -(-200_000 // rows)
        same(stacked(batches), whole)


def test_the_first_batch_decides_the_width_and_a_later_index_is_named():
    text = b"1 5:1\n1 2:1\n# c\n1 6:1\n"
    assert [X.shape for X, _ in stream_svmlight(io.BytesIO(text), batch_rows=2, n_features=6)] == [(2, 6), (1, 6)]
    batches = stream_svmlight(io.BytesIO(text), batch_rows=2)
    assert next(batches)[0].shape == (2, 5)
    with pytest.raises(MalformedFile, match=r"line 4: index 6 does not fit into 5 features.*at least 6"):
        next(batches)
    with pytest.raises(MalformedFile, match="line 4: index 6 does not fit into 4 features"):
        next(stream_svmlight(io.BytesIO(text), batch_rows=2, n_features=4))


def test_a_fault_in_a_later_piece_has_the_right_line():
    text = b"1 1:1\n" * 1000 + b"1 x:1\n"
    with pytest.raises(MalformedFile, match="line 1001: 'x:1'"):
        list(stream_svmlight(io.BytesIO(text), batch_bytes=50))


@pytest.mark.parametrize(
    "options",
    [
        {"batch_rows": 0},
        {"batch_rows": 2.5},
        {"batch_bytes": -1},
        {"batch_rows": 1, "batch_bytes": 1},
        {"zero_based": "auto"},
    ],
)
def test_bad_parameters_are_refused_at_the_call(options):
    with pytest.raises(BadInput, match=next(iter(options))):
        stream_svmlight(io.BytesIO(b""), **options)
