"""Reading tables: what comes out, and what the report says was done."""

import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse

from widemargin.data import TableEncoder, frames, learn_encoder, read_table, stream_table

MIXED = "color,size,age,y\nred,1,3.5,yes\nblue,2,,no\nred,3,4.5,yes\n"


def read(text, *args, **options):
    return read_table(io.StringIO(text), *args, **options)


def test_numbers_and_categories_become_features():
    table = read(MIXED, "y", missing="mean")
    assert table.feature_names == ("color=blue", "color=red", "size", "age")
    np.testing.assert_array_equal(table.X, [[0, 1, 1, 3.5], [1, 0, 2, 4.0], [0, 1, 3, 4.5]])
    assert table.X.dtype == np.float64
    assert table.y.tolist() == ["yes", "no", "yes"]
    assert table.classes == ("no", "yes")
    assert table.target_name == "y"
    assert table.categories == {"color": ("blue", "red")}


def test_report_says_exactly_what_was_done():
    table = read(MIXED.replace("y\n", "y,one,none\n", 1).replace("yes\n", "yes,7,\n").replace("no\n", "no,7,\n"), "y",
                 missing="mean", ignore=["size"])  # fmt: skip
    assert table.report == (
        "the file object: 3 rows and 6 columns read (delimiter ',', the first line is the header); "
        "4 features in a dense array",
        "column 'color' was one-hot coded into 2 features: blue, red",
        "column 'size' was ignored, as asked",
        "column 'age' has 1 missing cell, filled with 4 (the mean)",
        "column 'y' is the target: text, 2 classes: no, yes",
        "column 'one' is constant",
        "column 'none' is empty in every row and was left out",
    )


def test_report_names_identifiers_and_dropped_rows():
    rows = "".join(f"{i},name{i},{i * i % 7}{'' if i % 10 else '.5'},{'?' if i == 3 else i % 2}\n" for i in range(40))
    table = read("id,name,v,y\n" + rows, "y", missing="drop")
    assert "column 'id' looks like an identifier (it counts the rows): consider ignoring it" in table.report
    assert any(line.startswith("column 'name' looks like an identifier (40 different values") for line in table.report)
    assert table.report[-1] == "1 of 40 rows were dropped because a cell is missing"
    assert table.X.shape[0] == len(table.y) == 39
    assert set(table.y.tolist()) == {0, 1}


@pytest.mark.parametrize("missing", ["mean", "median", "keep", "drop"])
def test_missing_numbers(missing):
    table = read("a,b\n1,1\n2,1\n9,1\n,2\n", "b", missing=missing)
    expected = {"mean": [1, 2, 9, 4], "median": [1, 2, 9, 2], "keep": [1, 2, 9, np.nan], "drop": [1, 2, 9]}[missing]
    np.testing.assert_array_equal(table.X.ravel(), expected)
    assert len(table.y) == len(expected)


def test_missing_categories():
    text = "c,n\na,1\nb,2\nb,3\nNA,4\n"
    assert read(text, missing="mean").X[3].tolist() == [0, 1, 4]
    assert read(text, missing="keep").X[3].tolist() == [0, 0, 4]
    ordinal = read(text, missing="keep", categories="ordinal").X[:, 0]
    np.testing.assert_array_equal(ordinal, [0, 1, 1, np.nan])
    assert read(text, missing="drop").X.shape == (3, 3)


@pytest.mark.parametrize(
    ("cells", "kind", "labels"),
    [
        (["1", "2", "1"], "i", [1, 2, 1]),
        (["0.5", "2", "1"], "f", [0.5, 2.0, 1.0]),
        (["+1", "-1", "+1"], "i", [1, -1, 1]),
        (["1", "two", "1"], "U", ["1", "two", "1"]),
        (["True", "False", "True"], "U", ["True", "False", "True"]),
    ],
)
def test_labels_stay_what_they_are(cells, kind, labels):
    table = read("x,y\n" + "".join(f"{i / 3},{cell}\n" for i, cell in enumerate(cells)), "y")
    assert table.y.dtype.kind == kind
    assert table.y.tolist() == labels
    assert table.classes == (None if kind == "f" else tuple(sorted(set(labels))))


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|", " "])
def test_delimiter_is_found(delimiter):
    text = MIXED.replace(",,", ",?,").replace(",", delimiter)
    np.testing.assert_array_equal(read(text, "y", missing="mean").X, read(MIXED, "y", missing="mean").X)


def test_header_is_found():
    assert read("a,b\n1,2\n3,4\n").feature_names == ("a", "b")
    assert read("1,2\n3,4\n").feature_names == ("x0", "x1")
    assert read("p,x,1\ne,x,2\np,y,3\n", 0).target_name == "x0"
    # No numbers at all: a first row that recurs below is data, one that does not is a header.
    assert read("p,x\ne,x\np,y\n", 0).X.shape[0] == 3
    # Names that are mostly digits do not make a header of a row whose other cells recur.
    assert read("+\tS10\n-\t1019\n+\t1024\n", 0).X.shape[0] == 3
    assert read("class,shape\ne,x\np,y\n", "class").X.shape[0] == 2
    assert read("1,2\n3,4\n", header=True).feature_names == ("1", "2")
    assert read(",a\n0,5\n1,6\n").feature_names == ("x0", "a")


def test_a_delimiter_at_the_end_of_each_row_adds_no_column():
    assert read("a,b,\n1,2,\n3,4,\n").feature_names == ("a", "b")


def test_quotes_blanks_and_line_ends():
    text = ' "the, name",n\r\n"a ""b""\nc", 1 \r\n\r\nplain,2\r\n'
    table = read(text)
    assert table.categories == {"the, name": ('a "b"\nc', "plain")}
    assert table.X[:, 2].tolist() == [1, 2]
    assert read('label\ttext\nham\tsay "hi\nspam\tno\n', "label", quote=None).X.shape == (2, 2)


def test_decimal_comma():
    table = read("a;b\n1,5;2\n-2,25;3\n", decimal=",")
    assert table.X.tolist() == [[1.5, 2], [-2.25, 3]]


def test_numbers_listed_as_categorical_are_names():
    assert read("zip,n\n10115,1\n80331,2\n", categorical=["zip"]).feature_names == ("zip=10115", "zip=80331", "n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(encoding):
    data = "größe,y\n1,ä\n2,ö\n".encode(encoding)
    options = {"encoding": "latin-1"} if encoding == "latin-1" else {}
    table = read_table(io.BytesIO(data), "y", **options)
    assert table.feature_names == ("größe",)
    assert table.y.tolist() == ["ä", "ö"]


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_compressed_files_objects_and_standard_input_read_alike(compress, tmp_path, monkeypatch):
    data = compress(MIXED.encode())
    path = tmp_path / "no_telling_name"
    path.write_bytes(data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    stream = io.BytesIO(data)
    tables = [read_table(source, "y", missing="mean") for source in (path, str(path), "-", stream)]
    for table in tables:
        np.testing.assert_array_equal(table.X, tables[0].X)
    assert not stream.closed


def test_wide_one_hot_is_sparse_and_equal_to_dense():
    text = "c,n,y\n" + "".join(f"w{i % 60:02},{i % 3},{i % 2}\n" for i in range(240))
    table, dense = read(text, "y"), read(text, "y", sparse=False)
    assert scipy.sparse.issparse(table.X)
    assert table.X.format == "csr"
    np.testing.assert_array_equal(table.X.toarray(), dense.X)
    assert table.encoder.sparse
    assert not dense.encoder.sparse


@pytest.mark.parametrize("engine", ["pyarrow", "polars"])
def test_parquet_equals_csv(tmp_path, engine, monkeypatch):
    monkeypatch.setattr(frames, "_engine", lambda: engine)
    path = tmp_path / "t.parquet"
    frame = pl.DataFrame({"color": ["red", "blue", "red"], "size": [1, 2, 3], "age": [3.5, None, 4.5], "y": [*"abb"]})
    frame.write_parquet(path)
    table = read_table(path, "y", missing="mean")
    csv = read(MIXED, "y", missing="mean")
    np.testing.assert_array_equal(table.X, csv.X)
    assert table.feature_names == csv.feature_names
    batches = list(stream_table(path, "y", missing="mean", batch_rows=2))
    np.testing.assert_array_equal(np.vstack([X for X, _ in batches]), table.X)
    assert np.concatenate([y for _, y in batches]).tolist() == ["a", "b", "b"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_three_libraries_read_alike(make):
    native = make({"color": ["red", "blue", "red"], "ok": [True, False, True], "n": [1, 2, 3], "y": [1.5, 2.5, 0.5]})
    table = read_table(native, "y")
    assert table.X.tolist() == [[0, 1, 1, 1], [1, 0, 0, 2], [0, 1, 1, 3]]
    assert table.y.tolist() == [1.5, 2.5, 0.5]
    assert read_table(native, "ok").y.tolist() == [True, False, True]


def test_pandas_categories_and_missing_values():
    native = pd.DataFrame({"c": pd.Categorical(["u", None, "v"]), "n": pd.array([1, None, 3], dtype="Int64")})
    table = read_table(native, missing="mean")
    assert table.X.tolist() == [[1, 0, 1], [1, 0, 2], [0, 1, 3]]


# --- the encoder --------------------------------------------------------------------------------------------------


def test_encoder_applies_the_same_coding_to_a_file_with_other_columns_and_order(caplog):
    encoder = read(MIXED, "y", missing="mean").encoder
    table = encoder.apply(io.StringIO("extra;age;size;color\n9;;5;green\n9;1;6;blue\n9;2;7;green\n"))
    np.testing.assert_array_equal(table.X, [[0, 0, 5, 4], [1, 0, 6, 1], [0, 0, 7, 2]])
    assert table.y is None
    warnings = [record.getMessage() for record in caplog.records]
    assert len(warnings) == 1
    assert "2 cells with categories that training never saw ('color': 2)" in warnings[0]
    assert table.report[-1] == warnings[0]


def test_encoder_reads_the_target_where_it_is_present():
    encoder = read("a,y\n1,7\n2,8\n", "y").encoder
    assert encoder.apply(io.StringIO("y,a\n8,5\n")).y.tolist() == [8]
    text = read("a,y\n1,u\n2,8\n", "y").encoder
    assert text.apply(io.StringIO("y,a\n8,5\n")).y.tolist() == ["8"]


def test_encoder_without_header_takes_columns_by_position():
    encoder = read("a,1,2\nb,3,4\n", 0).encoder
    assert encoder.apply(io.StringIO("b,5,6\n")).X.tolist() == [[5, 6]]
    assert encoder.apply(io.StringIO("5,6\n")).X.tolist() == [[5, 6]]
    assert encoder.apply(pd.DataFrame({"u": [5], "v": [6]})).X.tolist() == [[5, 6]]


def test_unknown_category_is_minus_one_in_ordinal_coding(caplog):
    encoder = read("c,n\na,1\nb,2\n", categories="ordinal").encoder
    assert encoder.apply(io.StringIO("c,n\nz,1\nb,1\n")).X[:, 0].tolist() == [-1, 1]
    assert len(caplog.records) == 1


def test_encoder_never_drops_rows():
    encoder = read("a,y\n1,7\n,8\n2,8\n", "y", missing="drop").encoder
    with pytest.raises(ValueError, match=r"line 3: column 'a' has 1 missing cell"):
        encoder.apply(io.StringIO("a\n1\nNA\n"))


def test_encoder_survives_json():
    for table in (
        read(MIXED, "y", missing="mean"),
        read(MIXED, "y", missing="keep", categories="ordinal"),
        read("1,2\n3,4\n"),
    ):
        plain = json.loads(json.dumps(table.encoder.to_dict()))
        again = TableEncoder.from_dict(plain)
        assert again == table.encoder
        assert again.feature_names == table.feature_names


# --- streaming ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_rows", [1, 7, 40, 1000])
def test_streaming_equals_reading_at_once(tmp_path, batch_rows):
    path = tmp_path / "t.csv"
    # Column c holds numbers first and text later: only a look at the whole file tells what it is.
    rows = [f"{i},{i % 4 if i < 20 else 'k' + str(i % 3)},{'' if i % 9 == 0 else i / 8},{'no' if i % 3 else 'yes'}"
            for i in range(41)]  # fmt: skip
    path.write_text("id,c,v,y\n" + "\n".join(rows) + "\n")
    whole = read_table(path, "y", missing="mean")
    batches = list(stream_table(path, "y", missing="mean", batch_rows=batch_rows))
    assert max(X.shape[0] for X, _ in batches) <= batch_rows
    np.testing.assert_array_equal(np.vstack([X for X, _ in batches]), whole.X)
    assert np.concatenate([y for _, y in batches]).tolist() == whole.y.tolist()
    assert learn_encoder(path, "y", missing="mean", batch_rows=batch_rows) == whole.encoder
    again = list(stream_table(path, encoder=whole.encoder, batch_rows=batch_rows))
    np.testing.assert_array_equal(np.vstack([X for X, _ in again]), whole.X)


def test_streaming_drops_rows_for_training_and_refuses_them_for_prediction(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,7\n,8\n2,8\n")
    assert [y.tolist() for _, y in stream_table(path, "y", missing="drop", batch_rows=2)] == [[7], [8]]
    encoder = learn_encoder(path, "y", missing="drop")
    with pytest.raises(ValueError, match="line 3"):
        list(stream_table(path, encoder=encoder, drop_incomplete=False))


def test_file_objects_frames_and_pipes_can_be_streamed(monkeypatch):
    stream = io.BytesIO(b"a,y\n1,7\n2,8\n")
    assert [X.tolist() for X, _ in stream_table(stream, "y", batch_rows=1)] == [[[1]], [[2]]]
    frame = pd.DataFrame({"a": [1, 2, 3], "y": [7, 8, 7]})
    assert [y.tolist() for _, y in stream_table(frame, "y", batch_rows=2)] == [[7, 8], [7]]
    encoder = read_table(frame, "y").encoder
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y,a\n7,5\n")))
    assert [X.tolist() for X, _ in stream_table("-", encoder=encoder)] == [[[5]]]


def test_columns_of_a_frame_may_be_named_by_numbers():
    table = read_table(pd.DataFrame(np.arange(6).reshape(3, 2)), 1)
    assert table.feature_names == ("0",)
    assert table.y.tolist() == [1, 3, 5]


def test_csv_needs_neither_polars_nor_any_other_extra():
    code = """
import sys, io
for name in ("polars", "pandas", "pyarrow", "narwhals"):
    sys.modules[name] = None
from widemargin.data import read_table
data = b"a,b,y\\n" + b"1.5,red,0\\n2.5,blue,1\\n" * 60_000
table = read_table(io.BytesIO(data), "y")
assert table.X.shape == (120_000, 3), table.X.shape
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.parametrize(
    "cells", [["1.2.3", "1.234.5"], ["192.168.100.7", "10.0.0.1"], ["1,234 kg", "7"], ["007", "0,5,7"]]
)
def test_what_only_looks_like_numbers_is_names(cells):
    table = read("a;b\n" + "".join(f"{cell};{k}\n" for k, cell in enumerate(cells)))
    assert len(table.feature_names) == len(cells) + 1
