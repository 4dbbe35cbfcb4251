"""Reading svmlight text: against scikit-learn's reader, Python's float, and hand-made bad files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import struct

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file
from tests.data.svmlight_files import TEXT, files, read, same, stacked

from widemargin.base.errors import BadInput
from widemargin.data import read_svmlight, stream_svmlight


def test_values_labels_comments_and_blank_lines():
    X, y = read(TEXT)
    np.testing.assert_array_equal(y, [1, -1, 0.25, 2])
    dense = np.zeros((4, 12))
    dense[0, [0, 2, 6]] = 0.5, -2e-3, 1
    dense[1, 1] = 1
    dense[3, [9, 10, 11]] = 1e5, 0.5, 7
    np.testing.assert_array_equal(X.toarray(), dense)
    assert X.indices.dtype == np.int32
    assert X.has_canonical_format
    X.check_format(full_check=True)


@given(files(), st.integers(1, 40), st.sampled_from([True, "auto"]))
def test_reads_what_scikit_learn_reads_whatever_the_blocks(text, block, zero_based):
    mine = read(text, zero_based=zero_based, _block_bytes=block)
    if mine[0].nnz == 0:  # scikit-learn gives such files one column
        assert mine[0].shape[1] == 0
        mine[0].resize(mine[0].shape[0], 1)
    same(mine, load_svmlight_file(io.BytesIO(text), zero_based=zero_based))


several = st.lists(st.integers(-5, 5), min_size=1, max_size=4).map(lambda k: ",".join(map(str, k)))


@given(files(label=several), st.integers(1, 40))
def test_several_labels_as_in_scikit_learn(text, block):
    X, y = read(text, multilabel=True, zero_based=True, n_features=2**31 - 1, _block_bytes=block)
    X2, y2 = load_svmlight_file(io.BytesIO(text), multilabel=True, zero_based=True, n_features=2**31 - 1)
    assert y == y2
    same((X,), (X2,))


def test_a_line_may_have_no_label_where_several_are_allowed():
    X, y = read(b"2,1 1:1\n 3:4\n#\n5\n", multilabel=True)
    assert y == [(1.0, 2.0), (), (5.0,)]
    np.testing.assert_array_equal(X.toarray(), [[1, 0, 0], [0, 0, 4], [0, 0, 0]])


@given(st.lists(st.tuples(st.integers(-(10**17), 10**17), st.booleans()), max_size=20), st.integers(1, 40))
def test_query_numbers(rows, block):
    text = "".join(f"1 qid:{q}{' 3:1' if some else ''}\n# qid:7\n" for q, some in rows).encode()
    X, y, qid = read(text, query_id=True, _block_bytes=block)
    assert qid.tolist() == [q for q, _ in rows]
    assert np.diff(X.indptr).tolist() == [some for _, some in rows]
    same((X, y), read(text))  # without query_id they are skipped


@given(files(), st.integers(1, 64), st.integers(2, 4))
def test_any_number_of_threads_gives_the_same(text, block, n_jobs):
    same(read(text, _block_bytes=block), read(text, _block_bytes=block, n_jobs=n_jobs))


def test_one_and_two_threads_agree_on_many_blocks(tmp_path):
    values = np.random.default_rng(0).normal(size=40000).tolist()
    text = "".join(f"{i} 1:{x!r} 5:{i % 7}{' # c:' * (i % 5 == 0)}\n" for i, x in enumerate(values))
    path = tmp_path / "big.svm"
    path.write_text(text)
    one, two = read_svmlight(path, n_jobs=1), read_svmlight(path, n_jobs=2)
    same(one, two)
    same(one, load_svmlight_file(str(path)))
    assert one[1].tolist() == list(range(40000))


@given(st.permutations(list(range(1, 9))), st.integers(1, 8))
def test_unsorted_indices_are_sorted(order, k):
    X, _ = read(f"1 {' '.join(f'{j}:{j}.5' for j in order[:k])}\n".encode(), n_features=9)
    assert X.indices.tolist() == sorted(j - 1 for j in order[:k])
    assert X.data.tolist() == [j + 1.5 for j in X.indices]


@pytest.mark.parametrize(
    ("text", "zero_based", "columns"),
    [
        (b"1 1:1 4:1\n", "auto", [0, 3]),
        (b"1 1:1 4:1\n1 0:1\n", "auto", [1, 4, 0]),
        (b"1 1:1 4:1\n", True, [1, 4]),
        (b"1 1:1 4:1\n", False, [0, 3]),
        (b"1 9999:1 12345:1 2147483646:3\n", True, [9999, 12345, 2147483646]),
    ],
)
def test_where_indices_start(text, zero_based, columns):
    X, _ = read(text, zero_based=zero_based)
    assert X.indices.tolist() == columns
    assert X.shape[1] == max(columns) + 1


def test_float32_is_the_rounded_float64():
    X, y = read(b"0.1 1:0.1 2:16777217 3:7 4:1e300\n", dtype=np.float32)
    assert X.dtype == np.float32
    assert y.dtype == np.float64
    np.testing.assert_array_equal(X.data, np.array([0.1, 16777216, 7, np.inf], np.float32))


def test_words_for_numbers_that_are_not_finite():
    X, y = read(b"nan 1:inf 2:-Infinity 3:+NaN 4:-inf\n")
    assert math.isnan(y[0])
    np.testing.assert_array_equal(X.data, [np.inf, -np.inf, np.nan, -np.inf])


NASTY = """0 -0 +0 0.0 .5 5. 1e0 1E+2 1e-2 9007199254740992 9007199254740993 9007199254740995 9007199254740991e22
1e22 1e23 1e-22 1e-23 123456789012345678e-22 4.9406564584124654e-324 2.4703282292062327e-324 2.4703282292062328e-324
2.2250738585072011e-308 2.2250738585072014e-308 1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308
1.8e308 1e309 -1e309 1e-400 -1e-400 1e999999999999999999999 1e-999999999999999999999 0e999999999999999999999
0.1 0.3 6.02214076e23 3.141592653589793238462643383279502884197 8.5 0.500000000000000166533453693773481063544750213
18446744073709551615 18446744073709551616 184467440737095516150 9223372036854775808 00000000000000000000000000001.5
0.0000000000000000000000000000000000000001 1.00000000000000011102230246251565404236316680908203124
1.00000000000000011102230246251565404236316680908203125 1.00000000000000011102230246251565404236316680908203126
12345678 123456789 1234567.8 1234567.12345678 12345678.87654321 99999999.99999999 1e+05 1e005 8.41e+21 2.0e-1074"""
NASTY = NASTY.split()
NASTY += ["0." + "0" * 400 + "1e400", "1" + "0" * 400 + "e-400", "1" + "0" * 400, "9" * 30 + "." + "9" * 30]


def bits(x: float) -> bytes:
    return struct.pack("<d", x)


def parsed(words: list[str]) -> list[float]:
    X, y = read("".join(f"{w} 1:{w}\n" for w in words).encode())
    assert X.data.tobytes() == y.tobytes()
    return y.tolist()


def test_nasty_decimals_are_rounded_as_python_rounds_them():
    assert [bits(x) for x in parsed(NASTY)] == [bits(float(w)) for w in NASTY]


@settings(max_examples=300)
@given(
    st.from_regex(r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True)
    | st.floats(allow_nan=False).map(repr)
    | st.floats(allow_nan=False).map(lambda x: f"{x:.17e}")
    | st.floats(allow_nan=False, min_value=1e-9, max_value=1e9).map(lambda x: f"{x:.12f}")
)
@example("9007199254740993")
def test_decimals_are_rounded_as_python_rounds_them(word):
    assert bits(parsed([word])[0]) == bits(float(word))


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2"])
@pytest.mark.parametrize(
    "text",
    [TEXT, TEXT.rstrip(), TEXT.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + TEXT],
    ids=["plain", "no-last-newline", "crlf", "byte-order-mark"],
)
def test_plain_packed_and_open_files(tmp_path, suffix, text):
    pack = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}[suffix]
    path = tmp_path / f"data.svm{suffix}"
    path.write_bytes(pack(text))
    same(read_svmlight(path), read(TEXT))
    same(read_svmlight(str(path)), read(TEXT))
    same(stacked(stream_svmlight(path)), read(TEXT))
    same(stacked(stream_svmlight(path, batch_bytes=1, n_features=12)), read(TEXT))
    if not suffix:
        with open(path, "rb") as file:
            same(read_svmlight(file), read(TEXT))
            assert read_svmlight(file)[0].shape == (0, 0)  # a file is read from where it stands


@pytest.mark.parametrize("text", [b"", b"\n", b"# nothing\n", b" \r\n\t\n"])
def test_empty_files(tmp_path, text):
    path = tmp_path / "empty.svm"
    path.write_bytes(text)
    X, y = read_svmlight(path)
    assert X.shape == (0, 0)
    assert y.shape == (0,)
    assert read_svmlight(path, n_features=7)[0].shape == (0, 7)
    assert read_svmlight(path, multilabel=True)[1] == []
    assert list(stream_svmlight(path)) == []


def test_standard_input_and_text_streams(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT))))
    same(read_svmlight("-"), read(TEXT))
    same(read_svmlight(io.StringIO(TEXT.decode())), read(TEXT))


@pytest.mark.parametrize("name", ["dtype", "zero_based", "n_features"])
def test_bad_parameters(name):
    bad = {"dtype": [np.int32, bool], "zero_based": ["yes", None, 2], "n_features": [-1, 2.5, 2**40]}
    for value in bad[name]:
        with pytest.raises(BadInput, match=name):
            read(b"1 1:1\n", **{name: value})
