"""Bad svmlight files: always the number of the first bad line and what is wrong with it, never a crash."""

from __future__ import annotations

import bz2
import gzip
import lzma
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.data.svmlight_files import TEXT, read

from widemargin.base.errors import BadInput, MalformedFile
from widemargin.data import read_svmlight

BAD = [
    ("1 2", "'2' is not of the form index:value"),
    ("1 a:1", "'a:1' is not of the form index:value"),
    ("1 -3:1", "'-3:1' is not of the form index:value"),
    ("1 :1", "':1' is not of the form index:value"),
    ("1 1:1 2.5:1", "'2.5:1' is not of the form index:value"),
    ("1 1:1 qid:3", "'qid:3' is not of the form index:value"),
    ("1 2:", "the value in '2:' is not a number"),
    ("1 2: 3", "the value in '2:' is not a number"),
    ("1 2:3x", "the value in '2:3x' is not a number"),
    ("1 2:3:4 5:6", "the value in '2:3:4' is not a number"),
    ("1 2:1e", "the value in '2:1e' is not a number"),
    ("1 2:.", "the value in '2:.' is not a number"),
    ("1 2:--1", "the value in '2:--1' is not a number"),
    ("1 2:0x10", "the value in '2:0x10' is not a number"),
    ("1 2:1,5", "the value in '2:1,5' is not a number"),
    ("1 2:infinit", "the value in '2:infinit' is not a number"),
    ("1 2:\xff", r"the value in '2:\\xc3\\xbf' is not a number"),
    ("1 2:1\x003:1", r"the value in '2:1\\x003:1' is not a number"),
    ("1 2147483647:1", "the index in '2147483647:1' is larger than 2147483646"),
    ("1 99999999999999999999999:1", "is larger than 2147483646"),
    ("1 18446744073709551617:1", "is larger than 2147483646"),
    ("1 5:1 5:2", "the index 5 occurs more than once"),
    ("1 5:1 7:1 5:2", "the index 5 occurs more than once"),
    ("abc 1:1", "the label 'abc' is not a number"),
    ("1:1 2:1", "there is no label before '1:1'"),
    ("1,2 1:1", "there are several labels, '1,2': pass multilabel=True"),
    ("1 qid:x 1:1", "the query number in 'qid:x' is not an integer"),
    ("1 qid:9999999999999999999 1:1", "is not an integer of at most 18 digits"),
    ("x" * 100, r"the label 'x{40}\.\.\.' is not a number"),
]


@pytest.mark.parametrize(("line", "message"), BAD, ids=[line[:20].encode("unicode_escape").decode() for line, _ in BAD])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_bad_line_is_named_with_its_number(line, message, n_jobs):
    good = ["1 1:1 3:2", "# comment", "", "-1 2:0.5\r", "1"]
    for before in (0, 1, 3, 200):
        text = "\n".join([*(good[i % 5] for i in range(before)), line, "1 1:1", "also bad"]).encode()
        for block in (1, 30, 1000, 1 << 18):
            with pytest.raises(MalformedFile, match=f"^the file object, line {before + 1}: .*{message}") as caught:
                read(text, _block_bytes=block, n_jobs=n_jobs)
            assert caught.value.line == before + 1


def test_the_message_names_the_file(tmp_path):
    path = tmp_path / "bad.svm"
    path.write_bytes(b"1 1:1\n1 x\n")
    with pytest.raises(MalformedFile, match=r"bad\.svm, line 2: 'x' is not of the form index:value"):
        read_svmlight(path)


def test_several_bad_labels():
    with pytest.raises(MalformedFile, match="line 1: the label '1,,2' is not a number"):
        read(b"1,,2 1:1\n", multilabel=True)


def test_index_zero_where_indices_start_at_one():
    with pytest.raises(MalformedFile, match="line 2: there is an index 0, but zero_based=False"):
        read(b"1 1:1\n1 2:1 0:1\n", zero_based=False)


def test_a_missing_query_number():
    with pytest.raises(MalformedFile, match="line 2: there is no qid"):
        read(b"1 qid:1 1:1\n1 1:1\n", query_id=True)


@pytest.mark.parametrize(("zero_based", "n"), [("auto", 8), (False, 8), (True, 9)])
def test_an_index_beyond_n_features_is_named(zero_based, n):
    text = b"1 1:1\n\n1 8:1\n1 8:1\n"
    assert read(text, zero_based=zero_based, n_features=n)[0].shape == (3, n)
    with pytest.raises(MalformedFile, match=f"line 3: index 8 does not fit into {n - 1} features.* at least {n}"):
        read(text, zero_based=zero_based, n_features=n - 1)


svmlight_like = st.text("0123456789:.,# \n\r\t-+eqid", max_size=80).map(str.encode)


@settings(max_examples=400)
@given(st.binary(max_size=200) | svmlight_like, st.integers(1, 50))
def test_any_bytes_give_rows_or_a_named_line(rest, block):
    data = b"1 qid:1\n" + rest  # so that it does not begin like a packed file
    for options in ({}, {"multilabel": True}, {"query_id": True}):
        line, X = None, None
        try:
            X, *_ = read(data, _block_bytes=block, **options)
        except MalformedFile as error:
            line = error.line
        if X is None:
            assert 1 <= line <= data.count(b"\n") + 1
        else:
            X.check_format(full_check=True)
            assert all(np.all(np.diff(X.indices[a:b]) > 0) for a, b in zip(X.indptr, X.indptr[1:], strict=False))


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)])
def test_damaged_packed_files(tmp_path, suffix, pack):
    path = tmp_path / f"data{suffix}"
    packed = pack(TEXT * 50)
    for damaged in (packed[:-12], packed[:20] + bytes([packed[20] ^ 255]) + packed[21:]):
        path.write_bytes(damaged)
        with pytest.raises(MalformedFile, match=r"data\.\w+: the compressed file is damaged"):
            read_svmlight(path)


def test_too_little_memory_is_a_memory_error(tmp_path):
    path = tmp_path / "large.svm"
    path.write_bytes((b"1 " + b" ".join(b"%d:1" % i for i in range(1, 100)) + b"\n") * 40_000)  # 48 MB of numbers
    code = f"""
import resource
from widemargin.data import read_svmlight
used = resource.getpagesize() * int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (used + (50 << 20),) * 2)
try:
    read_svmlight({str(path)!r})
except MemoryError:
    print("as it should be", read_svmlight.__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "as it should be read_svmlight\n"


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(BadInput, match="None is neither a path nor an open file"):
        read_svmlight(None)
    with pytest.raises(BadInput, match="does not exist"):
        read_svmlight(tmp_path / "missing.svm")
    with pytest.raises(BadInput, match="is a directory"):
        read_svmlight(tmp_path)
    foreign = tmp_path / "data.zip"
    foreign.write_bytes(b"PK\x03\x04 1:1\n")
    with pytest.raises(MalformedFile, match="zip archive"):
        read_svmlight(foreign)
