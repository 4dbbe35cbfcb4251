"""The engines that split CSV agree with the reference, the standard library's parser, on values and on messages."""

import io

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from widemargin.base.errors import WidemarginError
from widemargin.data import csv_file, read_table

CELLS = st.sampled_from(
    ["1", "2.5", "-3e2", " 4 ", "1_000", "0x1F", "", "?", "NA", "nan", "inf", "abc", "a b", "٣", "1.", ".5", "+7", "é"]
    + ["1e400", "-0", "1e-400", "12345678901234567890", "0.1", "\x1c1", "\u00a01", "1,5", '"', '"q"', "\r", "\n", "#"]
)
TABLES = st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=6)


def outcome(data, engine):
    try:
        table = read_table(io.BytesIO(data), missing="keep", engine=engine)
    except WidemarginError as error:
        return type(error), str(error)
    return table.X.tolist().__repr__(), table.encoder, table.report


@given(TABLES, st.sampled_from([",", "\t", ";"]), st.sampled_from(["\n", "\r\n"]), st.booleans())
@example([["a", "b"], ["1", "2"], ["3"]], ",", "\n", True)
@example([["a", "b"], ["1", "2"], ["3", "4", "5"]], ",", "\n", True)
@example([["a", "b"], ["1", ""], ["", ""]], ",", "\r\n", False)
def test_polars_reads_what_the_standard_library_reads(rows, delimiter, end, closed):
    data = end.join(delimiter.join(row) for row in rows).encode() + (end.encode() if closed else b"")
    assert outcome(data, "polars") == outcome(data, "python")


def test_large_file_takes_the_fast_engine_and_gives_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12_000, 6)) * 10.0 ** rng.integers(-300, 300, (12_000, 6))
    names = np.array(["red", "green", "", "blue"])[rng.integers(0, 4, len(X))]
    lines = [",".join(map(repr, row)) + f",{name}" for row, name in zip(X.tolist(), names, strict=True)]
    data = ("a,b,c,d,e,f,g\n" + "\n".join(lines)).encode()
    assert len(data) > 1 << 20
    taken = []
    split = csv_file._split_by_polars
    monkeypatch.setattr(csv_file, "_split_by_polars", lambda *args: taken.append(split(*args)) or taken[-1])
    fast = read_table(io.BytesIO(data), missing="keep")
    assert len(taken) == 1
    assert taken[0] is not None
    plain = read_table(io.BytesIO(data), missing="keep", engine="python")
    np.testing.assert_array_equal(fast.X, plain.X)
    np.testing.assert_array_equal(plain.X[:, :6], X)
    assert fast.encoder == plain.encoder
    assert fast.report == plain.report
