"""Whatever the bytes, reading a table ends in a table or in one of the named errors."""

import bz2
import gzip
import io
import lzma

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from widemargin.base.errors import WidemarginError
from widemargin.data import read_table, stream_table

ARFF = b"""@relation r
@attribute 'a b' numeric
@attribute c {u,'v w'}
@attribute s string
@data
1,u,x
{1 'v w'}
?,u,?
"""
CSV = b'\xef\xbb\xbfa,"b",c\n1,"x ""y""",2.5\n-3e4,z,NA\n5,"two\nlines",7\n'


def parquet():
    stream = io.BytesIO()
    pl.DataFrame({"a": [1, 2, None], "b": ["u", None, "v"], "c": [0.5, 1.5, 2.5]}).write_parquet(stream)
    return stream.getvalue()


SEEDS = [
    ARFF,
    CSV,
    parquet(),
    gzip.compress(CSV, mtime=0),
    lzma.compress(ARFF),
    bz2.compress(CSV),
    "a;b\n1;ä\n".encode("utf-16"),
]


def attempt(data, **options):
    """True if a table came out; a WidemarginError is the only other way to end."""
    try:
        table = read_table(io.BytesIO(data), missing="keep", **options)
    except WidemarginError:
        return False
    assert table.X.shape[0] > 0
    assert table.X.shape[1] == len(table.feature_names)
    values = table.X if isinstance(table.X, np.ndarray) else table.X.data
    assert not np.isinf(values).any()
    return True


@pytest.mark.parametrize("seed", SEEDS)
def test_the_seeds_themselves_are_tables(seed):
    assert attempt(seed)


@given(st.binary(max_size=200), st.sampled_from(["auto", "csv", "arff", "parquet"]))
def test_any_bytes(data, format):
    attempt(data, format=format)


@given(st.text(alphabet="a1.,;\t \n\r'\"{}?@%-eE\\é", max_size=80), st.sampled_from(["csv", "arff"]))
def test_any_text(text, format):
    attempt(text.encode(), format=format)


@given(st.text(alphabet="a1,\t '\"{}?%\\", max_size=40))
def test_any_row_of_arff(row):
    attempt(b"@relation r\n@attribute a numeric\n@attribute b string\n@data\n" + row.encode() + b"\n")


@settings(max_examples=300)
@given(st.sampled_from(SEEDS), st.data())
def test_altered_and_truncated_files(seed, data):
    at = data.draw(st.integers(0, len(seed) - 1))
    if data.draw(st.booleans()):
        attempt(seed[:at])
    else:
        attempt(seed[:at] + bytes([data.draw(st.integers(0, 255))]) + seed[at + 1 :])


@settings(max_examples=200)
@given(st.text(alphabet='a1.,\n"\r', max_size=80), st.integers(1, 4), st.sampled_from(["python", "polars"]))
@example("a,b\n1,2\n3,4\n5,6\n7\n", 2, "polars")
@example('a,b\n1,2\n3,4\n5,"6\n7"\n8,9', 1, "polars")
@example("a,b\n1,2\n\n3,4\n5,x", 2, "polars")
@example("1,2\n3,4\n5,x", 1, "polars")
def test_streaming_ends_as_reading_does(text, batch_rows, engine):
    """The same message or the same rows, however the file is cut into batches and whoever splits it."""
    options = {"missing": "keep", "sparse": False}

    def read():
        return read_table(io.BytesIO(text.encode()), engine="python", **options).X

    def stream():
        batches = stream_table(io.BytesIO(text.encode()), batch_rows=batch_rows, engine=engine, **options)
        return np.vstack([X for X, _ in batches])

    assert ending(stream) == ending(read)


def ending(call):
    try:
        return repr(call().tolist())
    except WidemarginError as error:
        return type(error), str(error)
