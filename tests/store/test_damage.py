"""Damaged and hostile files: every flip and cut of the golden files is refused; edits under a right checksum too."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.store.edits import edit_array, edit_header, sealed
from tests.store.golden.make import objects
from tests.store.toys import same

from widemargin import store
from widemargin.base.errors import DamagedFile, UnsupportedFile
from widemargin.store.container import MAX_HEADER, chunks, unpack, verify

GOLDEN = sorted(Path(__file__).parent.glob("golden/*.wm"))
NAMES = [path.stem for path in GOLDEN]


def raw_file(header: bytes, buffer: bytes = b"") -> bytes:
    return sealed(len(header).to_bytes(8, "little") + header + buffer)


def with_header(data: bytes, edit) -> bytes:
    """The file with its model header edited and everything else right."""
    text, arrays = unpack(data)
    header = json.loads(text)
    edit(header)
    text = msgspec.json.encode(header, order="sorted").decode()
    return b"".join(chunks(text, arrays))


def state_bytes() -> bytes:
    return store.dumps(objects()["toy_state"])


def test_there_are_three_golden_files_of_two_to_three_kilobytes():
    assert len(GOLDEN) >= 3
    assert max(path.stat().st_size for path in GOLDEN) < 6000


@pytest.mark.parametrize("path", GOLDEN, ids=NAMES)
def test_golden_files_load_as_they_were_saved(path):
    assert same(store.load(path), objects()[path.stem])


@pytest.mark.parametrize("path", GOLDEN, ids=NAMES)
def test_every_single_bit_flip_is_refused(path):
    data = bytearray(path.read_bytes())
    refused = 0
    for place in range(len(data)):
        for bit in range(8):
            data[place] ^= 1 << bit
            try:
                verify(data)
            except DamagedFile:
                refused += 1
            data[place] ^= 1 << bit
    assert refused == 8 * len(data)
    verify(data)


@pytest.mark.parametrize("path", GOLDEN, ids=NAMES)
def test_every_truncation_is_refused(path):
    data = path.read_bytes()
    for size in range(len(data)):
        with pytest.raises(DamagedFile):
            store.loads(data[:size])


@pytest.mark.parametrize("path", GOLDEN, ids=NAMES)
@pytest.mark.parametrize("extra", [b"\0", b"x" * 8, b"\0" * 32, b"y" * 1000])
def test_appended_and_prepended_bytes_are_refused(path, extra):
    for data in (path.read_bytes() + extra, extra + path.read_bytes(), sealed(path.read_bytes() + extra)):
        with pytest.raises(DamagedFile):
            store.loads(data)


def _outcome(data: bytes) -> str:
    """Refused, or loaded as something that passes the rules and can be saved again."""
    try:
        obj = store.loads(data)
    except DamagedFile:
        return "damaged"
    except UnsupportedFile:
        return "unsupported"
    assert same(store.loads(store.dumps(obj)), obj)
    return "loaded"


@pytest.mark.parametrize("path", GOLDEN, ids=NAMES)
def test_random_edits_of_the_bytes_with_a_right_checksum_never_crash(path):
    body = path.read_bytes()[:-32]
    dice = random.Random(7)
    outcomes = []
    for _ in range(1500):
        edited = bytearray(body)
        for _ in range(dice.choice((1, 1, 1, 2, 5))):
            place = dice.randrange(len(edited))
            action = dice.randrange(4)
            if action == 0:
                edited[place] ^= 1 << dice.randrange(8)
            elif action == 1:
                edited[place] = dice.choice(b'0123456789-{}[]",:.eE\x00\xff')
            elif action == 2:
                del edited[place : place + dice.randrange(1, 9)]
            else:
                edited[place:place] = dice.randbytes(dice.randrange(1, 9))
        outcomes.append(_outcome(sealed(bytes(edited))))
    assert outcomes.count("damaged") > 500


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@pytest.mark.parametrize("path", GOLDEN, ids=NAMES)
def test_edits_of_the_structure_with_a_right_checksum_are_refused_or_valid(path):
    text, arrays = unpack(path.read_bytes())
    dice = random.Random(11)
    outcomes = []
    for _ in range(1500):
        header, edited = json.loads(text), dict(arrays)
        if dice.random() < 0.6:
            edit_header(header, dice)
        else:
            edit_array(edited, dice)
        encoded = msgspec.json.encode(header, order="sorted").decode()
        outcomes.append(_outcome(b"".join(chunks(encoded, edited))))
    assert outcomes.count("damaged") > 500
    assert outcomes.count("loaded") > 5


# ------------------------------------------------------------------------------------------------ one file per attack


def one_array(entry: str, name: str = "a") -> bytes:
    return ('{"__metadata__":{"widemargin":"{}"},"' + name + '":{' + entry + "}}").encode()


@pytest.mark.parametrize(
    "header",
    [
        b'{"__metadata__":{"widemargin":"{}"}',
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b"[]",
        b"null",
        b"{}",
        b"",
        b"\xff\xfe\xfd",
        b'{"__metadata__":{"widemargin":NaN}}',
        b'{"__metadata__":{"widemargin":"{}","other":""}}',
        one_array('"dtype":"F64","shape":[-1],"data_offsets":[0,8]'),
        one_array('"dtype":"F64","shape":[281474976710656,281474976710656],"data_offsets":[0,8]'),
        one_array('"dtype":"F64","shape":[1e3],"data_offsets":[0,8]'),
        one_array('"dtype":"F64","shape":[' + "9" * 4000 + '],"data_offsets":[0,8]'),
        one_array('"dtype":"F64","shape":[' + "1," * 8 + '1],"data_offsets":[0,8]'),
        one_array('"dtype":"F16","shape":[4],"data_offsets":[0,8]'),
        one_array('"dtype":"F64","shape":[1],"data_offsets":[0,8],"code":"os"'),
        one_array('"dtype":"F64","shape":[1],"data_offsets":[0,8]', "../a"),
        one_array('"dtype":"U8","shape":[8],"data_offsets":[0,8]', "sha256"),
    ],
    ids=range(19),
)
def test_a_hostile_safetensors_header_is_refused(header):
    with pytest.raises(DamagedFile):
        store.loads(raw_file(header, bytes(8)))


def _pieces_of(data):
    length = int.from_bytes(data[:8], "little")
    return data[8 : 8 + length].decode().rstrip(" "), data[8 + length : -32]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"data_offsets":[0,320]', '"data_offsets":[8,328]'),
        ('"data_offsets":[0,320]', '"data_offsets":[0,312]'),
        ('"data_offsets":[0,320]', '"data_offsets":[-1,319]'),
        ('"w":{"dtype":"F64","shape":[3],', '"w":{"dtype":"F64","shape":[2],"shape":[3],'),
        ('"w":{', '"w":{"dtype":"F64","shape":[3],"data_offsets":[0,24]},"w":{'),
        ('"__metadata__":', ' "__metadata__":'),
        ('\\"step\\":7', '\\"step\\":9,\\"step\\":7'),
        ('\\"step\\":7', '\\"step\\":7.0e0'),
        ('\\"step\\":7', '\\"step\\":NaN'),
        ('\\"step\\":7', '\\"step\\":Infinity'),
        ('\\"step\\":7', '\\"step\\": 7'),
        ('\\"step\\":7', '\\"step\\":-7e999'),
        ('"shape":[3]', '"shape":[3,1]'),
    ],
)
def test_an_edit_of_the_header_text_is_refused(old, new):
    text, buffer = _pieces_of(state_bytes())
    same_text = text + " " * (-len(text) % 8)
    assert store.loads(raw_file(same_text.encode(), buffer)).step == 7
    assert old in text
    text = text.replace(old, new, 1)
    text += " " * (-len(text) % 8)
    with pytest.raises(DamagedFile):
        store.loads(raw_file(text.encode(), buffer))


def test_a_header_longer_than_the_cap_is_refused_unread():
    text, buffer = _pieces_of(state_bytes())
    with pytest.raises(DamagedFile, match="header of"):
        store.loads(raw_file((text + " " * (MAX_HEADER + 8 - len(text))).encode(), buffer))
    with pytest.raises(DamagedFile, match="header of"):
        store.loads(sealed(b"\xff" * 8 + text.encode() + buffer))


def test_bytes_that_are_not_booleans_are_refused():
    data = with_header(state_bytes(), lambda h: None)
    text, arrays = unpack(data)
    packed = b"".join(chunks(text, {**arrays, "flag": np.array([True])}))
    broken = bytearray(packed[:-32])
    broken[-1] = 7
    with pytest.raises(DamagedFile, match="neither true nor false"):
        store.loads(sealed(bytes(broken)))


def test_an_empty_array_with_impossible_dimensions_is_refused():
    huge = {"dtype": "F64", "shape": [0, 1 << 48, 1 << 48], "data_offsets": [0, 0]}
    digest = {"dtype": "U8", "shape": [32], "data_offsets": [0, 32]}
    text = msgspec.json.encode({"__metadata__": {"widemargin": "{}"}, "z": huge, "sha256": digest})
    text += b" " * (-len(text) % 8)
    with pytest.raises(DamagedFile, match="impossible"):
        store.loads(raw_file(text))


def test_an_unknown_type_is_named_and_nothing_is_imported():
    def edit(header):
        header["object"]["type"] = "os:system"

    with pytest.raises(UnsupportedFile, match="os:system"):
        store.loads(with_header(state_bytes(), edit))


def test_a_newer_version_and_a_newer_format_ask_for_an_upgrade():
    def newer_type(header):
        header["object"]["version"] = 2

    def newer_format(header):
        header["format"] = 2
        header["future"] = [1]

    for edit in (newer_type, newer_format):
        with pytest.raises(UnsupportedFile, match="upgrade"):
            store.loads(with_header(state_bytes(), edit))


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: d.update(step=-0.5),
        lambda d: d.update(step=True),
        lambda d: d.update(step={"float": "nan"}),
        lambda d: d.update(eta={"float": "nan"}),
        lambda d: d.update(eta={"float": "0.5"}),
        lambda d: d.update(step={"int": "0x7"}, extra=1),
        lambda d: d.update(step={"int": "7"}),
        lambda d: d.update(step={"int": "0x" + "f" * 10_000}),
        lambda d: d.update(w={"array": "visits"}),
        lambda d: d.update(w={"text": "w"}),
        lambda d: d.update(w={"part": "w"}),
        lambda d: d.update(w=[0.5, 0.5, 0.5]),
        lambda d: d.update(reason=7),
        lambda d: d.update(flags={"tuple": [1, 0]}),
        lambda d: d.update(flags={"tuple": {"tuple": []}}),
        lambda d: d.update(history={"objects": [[1]]}),
        lambda d: d.update(history={"dict": [["a", "a"], [1, 2]]}),
        lambda d: d.update(history={"dict": [["a"], [1, 2]]}),
        lambda d: d.update(history={"dict": [[[1]], [1]]}),
        lambda d: d.update(history={"eval": "1"}),
        lambda d: d.update(history={"a": 1, "b": 2}),
        lambda d: d.update(history=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]),
        lambda d: d.pop("step"),
    ],
)
def test_a_wrong_field_of_a_record_is_refused(edit):
    with pytest.raises(DamagedFile):
        store.loads(with_header(state_bytes(), lambda header: edit(header["object"]["data"])))


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("w", np.ones(4)),
        ("w", np.array([1.0, np.nan, 0.0])),
        ("w", np.ones(3, np.float32)),
        ("w", np.ones((3, 1))),
        ("visits", np.arange(3, dtype=np.int32)),
        ("more", np.ones(2)),
        ("part/more", np.ones(2)),
    ],
)
def test_a_wrong_array_of_a_record_is_refused(name, array):
    text, arrays = unpack(state_bytes())
    with pytest.raises(DamagedFile):
        store.loads(b"".join(chunks(text, {**arrays, name: array})))


def test_a_missing_array_is_named():
    text, arrays = unpack(state_bytes())
    arrays.pop("w")
    with pytest.raises(DamagedFile, match="the array w is missing"):
        store.loads(b"".join(chunks(text, arrays)))


def test_the_sentence_names_the_file_and_says_what_to_do(tmp_path):
    path = tmp_path / "model.wm"
    path.write_bytes(b"a,b,c\n" * 20)
    with pytest.raises(DamagedFile, match=r"model\.wm: not an intact .*checksum of its 120 bytes .* train"):
        store.load(path)
    with pytest.raises(DamagedFile, match=r"model\.wm"):
        store.inspect(path)


def test_a_fit_without_its_attributes_is_not_taken_for_no_fit():
    data = store.dumps(objects()["toy_linear"])
    text, _ = unpack(data)
    header = json.loads(text)
    params = {"C": 1.0, "class_weight": None, "kernel": None, "max_epochs": 1}
    header["object"]["data"] = {"params": params, "fitted": {}}
    header["object"]["parts"] = {}
    edited = msgspec.json.encode(header, order="sorted").decode()
    with pytest.raises(DamagedFile, match="missing"):
        store.loads(b"".join(chunks(edited, {})))


def test_eighteen_thousand_empty_arrays_take_bounded_memory():
    text, _ = unpack(state_bytes())
    data = b"".join(chunks(text, {f"{i:x}": np.empty(0, np.uint8) for i in range(17_900)}))
    tracemalloc.start()
    with pytest.raises(DamagedFile):
        store.loads(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24 << 20
