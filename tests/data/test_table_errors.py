"""Bad tables: each gives the documented exception, the place and the number at fault."""

import gzip
import io
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from widemargin.base.errors import BadInput, MalformedFile, MissingExtra
from widemargin.data import TableEncoder, frames, learn_encoder, read_table, stream_table

GOOD = "a,b,y\n1,2,u\n3,4,v\n"


@pytest.mark.parametrize("engine", ["python", "polars"])
@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"a,b,c\n1,2,3\n4,5\n", 3, "2 fields where the header has 3"),
        (b"a,b,c\n1,2,3\n4,5,6,7\n8,9,10\n", 3, "4 fields where the header has 3"),
        (b"1,2,3\n4,5\n6,7,8\n", 2, "2 fields where the first row has 3"),
        (b"a,b\n\n1,2\n\n3\n", 5, "1 fields where the header has 2"),
        (b'a,b\n1,"x\ny"\n3\n', 4, "1 fields"),
        (b'a,b\n1,2\n3,"4\n5,6\n', 3, "never closed"),
        (b'a,b\n1,2\n3,"4"5\n', 3, "expected after"),
        (b"a,a\n1,2\n", 1, "columns 0 and 1 (from 0) are both named 'a'"),
        (b"a,b\n1,2\n3,\xff\n", 3, "byte 0xff at position 2"),
        (b"a,b\n1,\x002\n", 2, "zero byte"),
        (b"sep=;\na;b\n1;2\n", 1, "note to a spreadsheet"),
        (b"a,b\r1,2\r3,4\r", 1, "carriage return"),
        (b"a,b\n" + b"1,2\n" * 30 + b"oops,2\n", 32, "holds a number in 30 rows and text in 1, first 'oops'"),
        (b"a;b\n1,5;2\n2,5;3\n", 2, "decimal=','"),
        (b"a;b\n985,5;2\n1.234,5;3\n", 2, "thousands are set apart"),
        (b'a;b\n985;2\n"1,234,567";3\n', 3, "thousands are set apart"),
        (b'a;b\n985.5;2\n"1,234.5";3\n', 3, "thousands are set apart"),
        ("a;b\n985;2\n1\u202f234;3\n1'234;3\n".encode(), 3, "thousands are set apart"),
        (b'a;b\n985;2\n"1,234";3\n', 3, "thousands apart write them without it"),
    ],
)
def test_malformed_csv_is_refused_with_its_line(data, line, words, engine):
    with pytest.raises(MalformedFile) as caught:
        read_table(io.BytesIO(data), header=None if data[:1] != b"a" else True, engine=engine)
    assert caught.value.line == line
    assert words in str(caught.value)
    assert f"line {line}:" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", {}, "is empty"),
        ("\n\n", {}, "is empty"),
        ("a,b\n", {"header": True}, "no rows below the header"),
        (GOOD, {"target": "z"}, "no column 'z' (target); it has 'a', 'b', 'y'"),
        (GOOD.replace("a,", "alpha,"), {"target": "alpa"}, "did you mean 'alpha'?"),
        (GOOD, {"target": 3}, "has 3 columns, numbered 0 to 2"),
        (GOOD, {"target": 1.5}, "numbered 0 to 2"),
        (GOOD, {"ignore": ["zz"]}, "no column 'zz' (ignore)"),
        (GOOD, {"ignore": "a"}, "must be a list of column names"),
        (GOOD, {"categorical": ["zz"]}, "no column 'zz' (categorical)"),
        (GOOD, {"categories": "error"}, "column 'y' holds text (2 different values, such as 'u')"),
        (GOOD, {"categories": "dummy"}, "categories='dummy' must be one of 'onehot', 'ordinal', 'error'"),
        (GOOD, {"missing": "zero"}, "missing='zero' must be one of"),
        (GOOD, {"sparse": 3}, "sparse=3"),
        (GOOD, {"format": "xls"}, "format='xls'"),
        (GOOD, {"engine": "fast"}, "engine='fast'"),
        (GOOD, {"delimiter": ";;"}, "delimiter=';;' must be one character"),
        (GOOD, {"delimiter": ",", "decimal": ","}, "they must differ"),
        (GOOD, {"decimal": "x"}, "decimal='x'"),
        (GOOD, {"missing_values": "NA"}, "must be a list of strings"),
        (GOOD, {"target": "y", "ignore": ["a", "b"]}, "no feature left beside the target 'y'"),
        ("a,y\n1,u\nNA,v\n?,v\n", {"target": "y"}, "line 3: column 'a' has 2 missing cells"),
        (
            "a,y\n1,u\n2,\n",
            {"target": "y", "missing": "mean"},
            "line 3: column 'y' has 1 missing cell, the first one here: a target is never",
        ),
        ("<!DOCTYPE html><html><head>\n", {}, "a web page"),
        ('{"a": 1}\n', {}, "JSON"),
        ("a,y\n1,u\ninf,v\n", {"target": "y"}, "line 3: column 'a' holds inf (1 infinite value in all)"),
        ("a,y\n1,1\n2,-inf\n", {"target": "y"}, "line 3: column 'y' holds -inf"),
        ("a,b\n1,\n2,\n", {"header": True}, "column 'b' is empty in all 2 rows"),
        ("a,b\n1,\n,2\n", {"missing": "drop"}, "each of the 2 rows has a missing cell"),
        ("1 1:0.5 3:2\n-1 2:1\n", {}, "svmlight file (index:value pairs): use read_svmlight"),
        ("@relation r\n@attribute d date\n@data\n2020-01-01\n", {}, "column 'd' holds dates"),
    ],
)
def test_unusable_tables_are_refused_in_words(text, options, words):
    with pytest.raises(BadInput) as caught:
        read_table(io.StringIO(text), **options)
    assert words in str(caught.value)


def test_encoding_must_exist():
    with pytest.raises(BadInput, match="encoding='klingon'"):
        read_table(io.BytesIO(GOOD.encode()), encoding="klingon")


def test_places_that_cannot_be_read(tmp_path):
    with pytest.raises(BadInput, match=r"nowhere.csv does not exist"):
        read_table(tmp_path / "nowhere.csv")
    with pytest.raises(BadInput, match="is a directory"):
        read_table(tmp_path)
    with pytest.raises(BadInput, match=r"not from ndarray"):
        read_table(np.zeros((2, 2)))
    with pytest.raises(BadInput, match=r"not from int"):
        read_table(3)


def test_foreign_and_damaged_files():
    with pytest.raises(MalformedFile, match="zip archive"):
        read_table(io.BytesIO(b"PK\x03\x04" + bytes(40)))
    whole = gzip.compress(GOOD.encode() * 100)
    with pytest.raises(MalformedFile, match="damaged or cut off"):
        read_table(io.BytesIO(whole[:-12]))
    with pytest.raises(MalformedFile, match="damaged or cut off"):
        read_table(io.BytesIO(whole[:15] + b"\xff\xff" + whole[17:]))
    parquet = io.BytesIO()
    pl.DataFrame({"a": [1, 2]}).write_parquet(parquet)
    with pytest.raises(MalformedFile, match="Parquet file is damaged"):
        read_table(io.BytesIO(parquet.getvalue()[:-9]))


def test_parquet_without_its_packages(monkeypatch):
    parquet = io.BytesIO()
    pl.DataFrame({"a": [1, 2]}).write_parquet(parquet)
    parquet.seek(0)
    monkeypatch.setattr(frames.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r'pip install "widemargin\[files\]"'):
        read_table(parquet)


def test_frames_with_columns_that_are_neither_numbers_nor_text():
    with pytest.raises(BadInput, match="column 'when' holds dates"):
        read_table(pd.DataFrame({"when": pd.to_datetime(["2020-01-01"]), "n": [1]}))
    with pytest.raises(BadInput, match="column 'l' holds"):
        read_table(pl.DataFrame({"l": [[1, 2], [3]], "n": [1, 2]}))
    with pytest.raises(BadInput, match="column 'o' holds a object"):
        read_table(pd.DataFrame({"o": [object(), "a"], "n": [1, 2]}))
    with pytest.raises(BadInput, match=r"row 1 \(from 0\): column 'n' has 1 missing cell"):
        read_table(pd.DataFrame({"n": [1.0, None]}))


def test_encoder_refuses_files_that_do_not_fit():
    encoder = read_table(io.StringIO(GOOD), "y").encoder
    with pytest.raises(BadInput, match=r"lacks 1 of the 2 columns used in training: 'b'; it has 'a', 'y'"):
        encoder.apply(io.StringIO("a,y\n1,u\n"))
    with pytest.raises(MalformedFile, match=r"line 3: column 'b' is numeric, but the cell is 'x' \(1 such cell"):
        encoder.apply(io.StringIO("a,b\n1,2\n1,x\n"))
    with pytest.raises(BadInput, match="no rows below the header"):
        encoder.apply(io.StringIO("a,b\n"))
    bare = read_table(io.StringIO("1,2,3\n4,5,6\n"), 2).encoder
    with pytest.raises(BadInput, match="has 5 columns and no header"):
        bare.apply(io.StringIO("1,2,3,4,5\n"))


def test_streams_that_cannot_work(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(GOOD)
    with pytest.raises(BadInput, match="batch_rows=0"):
        stream_table(path, batch_rows=0)
    with pytest.raises(BadInput, match="a pipe can be read only once"):
        stream_table("-", "y")
    with pytest.raises(BadInput, match="missing='median' needs the whole table"):
        learn_encoder(path, "y", missing="median", batch_rows=1)
    encoder = learn_encoder(path, "y")
    with pytest.raises(BadInput, match="the encoder's target is 'y'"):
        stream_table(path, "a", encoder=encoder)
    with pytest.raises(BadInput, match="missing: the coding is fixed by the encoder"):
        stream_table(path, encoder=encoder, missing="mean")
    path.write_text(GOOD + "5\n")
    batches = stream_table(path, encoder=encoder, batch_rows=2)
    assert next(batches)[0].shape == (2, 2)
    with pytest.raises(MalformedFile, match="line 4: 1 fields"):
        next(batches)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("missing",), "whatever"),
        (("columns",), []),
        (("columns", 0), "a"),
        (("columns", 0, "kind"), "date"),
        (("columns", 0, "coding"), "onehot"),
        (("columns", 0, "fill"), "3"),
        (("columns", 0, "fill"), float("nan")),
        (("columns", 0, "name"), "c"),
        (("columns", 1, "categories"), ["u", "u"]),
        (("columns", 1, "categories"), [1]),
        (("columns", 1, "categories"), []),
        (("columns", 1, "fill"), "w"),
        (("source_columns",), ["c", "y"]),
        (("target",), "a"),
        (("target",), None),
        (("target_kind",), "colour"),
        (("header",), 1),
        (("sparse",), "no"),
        (("decimal",), "-"),
        (("quote",), "''"),
        (("new",), 1),
    ],
)
def test_altered_encoder_dictionaries_are_refused(path, value):
    plain = read_table(io.StringIO("a,c,y\n1,u,p\n2,v,q\n"), "y", missing="mean").encoder.to_dict()
    plain = json.loads(json.dumps(plain))
    place = plain
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(BadInput, match="not a table encoder"):
        TableEncoder.from_dict(plain)


@pytest.mark.parametrize("plain", [None, [], {}, {"version": 1}])
def test_other_things_are_no_encoder(plain):
    with pytest.raises(BadInput, match="not a table encoder"):
        TableEncoder.from_dict(plain)
