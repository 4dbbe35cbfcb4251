"""Files that cannot be read or written: the documented exception names line or path; nothing is left half-written."""

from __future__ import annotations

import io
import os

import pytest
from tests.base.test_files import full_disk
from tests.common.estimators import each_estimator, knob, make, sample

from widemargin import data, store
from widemargin.base.errors import BadInput, CannotWrite, DamagedFile, MalformedFile

READ = {
    "svmlight without colon": (data.read_svmlight, b"1 1:2\n-1 3\n", "line 2: '3' is not of the form index:value"),
    "svmlight with a word": (data.read_svmlight, b"1 1:2\n\n-1 3:x\n", "line 3: the value in '3:x' is not a number"),
    "svmlight with a bad label": (data.read_svmlight, b"yes 1:2\n", "line 1: the label 'yes' is not a number"),
    "svmlight with an index twice": (data.read_svmlight, b"1 2:1 2:3\n", "line 1: the index 2 occurs more than once"),
    "CSV with too few fields": (data.read_table, b"a,b\n1,2\n3\n", "line 3: .*1 fields where the header has 2"),
    "CSV with too many fields": (data.read_table, b"a,b\n1,2\n3,4,5\n", "line 3: .*3 fields where the header has 2"),
    "CSV with an open quote": (data.read_table, b'a,b\n1,2\n3,"4\n', "line 3: .*never closed"),
    "CSV with a stray word": (data.read_table, b"a,b\n" + b"1,2\n" * 30 + b"oops,2\n", "line 32: .*'oops'"),
    "CSV that is no text": (data.read_table, b"a,b\n1,2\n3,\xff\n", "line 3: .*0xff"),
    "empty CSV": (data.read_table, b"", "is empty"),
}


@pytest.mark.parametrize("name", READ)
def test_malformed_lines_are_named(name):
    read, content, words = READ[name]
    with pytest.raises(MalformedFile if "line" in words else BadInput, match=words):
        read(io.BytesIO(content))


@pytest.mark.parametrize("read", [data.read_svmlight, data.read_table, store.load])
@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_files_that_cannot_be_opened_are_named(read, kind, tmp_path):
    path = tmp_path if kind == "folder" else tmp_path / "nowhere.csv"
    with pytest.raises((OSError, BadInput, DamagedFile), match=path.name):
        read(path)


@each_estimator
def test_a_full_disk_keeps_the_older_model(cls, tmp_path):
    path = tmp_path / "model.wm"
    name, values = knob(cls)
    old, new = (make(cls, **{name: value}).fit(*sample(cls)) for value in values)
    store.save(old, path)
    before = path.read_bytes()
    for size in (0, 100, len(before) // 2):
        with full_disk(size), pytest.raises(CannotWrite, match=r"model\.wm"):
            store.save(new, path)
        assert path.read_bytes() == before
        assert os.listdir(tmp_path) == ["model.wm"]


@each_estimator
def test_outputs_that_cannot_be_written_are_named(cls, tmp_path):
    model = make(cls).fit(*sample(cls))
    for path, words in (
        (tmp_path / "no" / "model.wm", "no"),
        (tmp_path, tmp_path.name),
        ("/dev/full", "No space left"),
    ):
        with pytest.raises(CannotWrite, match=words):
            store.save(model, path)
    assert os.listdir(tmp_path) == []


@each_estimator
def test_damaged_models_are_refused(cls, tmp_path):
    whole = store.dumps(make(cls).fit(*sample(cls)))
    flips = range(0, len(whole), max(1, len(whole) // 97))
    for damaged in (
        whole[:-1],
        whole[: len(whole) // 2],
        whole + b"\0",
        b"",
        *(whole[:k] + bytes([whole[k] ^ 1 << k % 8]) + whole[k + 1 :] for k in flips),
    ):
        with pytest.raises(DamagedFile):
            store.loads(damaged)
