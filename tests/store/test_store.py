"""Estimators, states and kernels as files: the same object, the same bytes, and nothing else."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import safetensors.numpy
from scipy import sparse
from tests.base.test_files import full_disk
from tests.store.golden.make import X, objects
from tests.store.toys import HERE, SPECS, ToyKernel, ToyLinear, ToyPipeline, ToyRows, ToyState, same

from widemargin import store
from widemargin.base.errors import CannotStore, CannotWrite, DamagedFile, UnsupportedFile
from widemargin.store import registry
from widemargin.store.container import MAX_HEADER, chunks, unpack
from widemargin.store.estimators import EstimatorSpec
from widemargin.store.records import DataclassSpec, dataclass_entry
from widemargin.store.rules import Array, Labels, Part, Plain, Rows, Size, Strings, apply_rules
from widemargin.store.values import Violation


@pytest.mark.parametrize("name", ["toy_linear", "toy_state", "toy_pipeline"])
def test_save_load_save_gives_the_same_bytes(name, tmp_path):
    obj = objects()[name]
    store.save(obj, tmp_path / "a.wm")
    back = store.load(tmp_path / "a.wm")
    store.save(back, tmp_path / "b.wm")
    assert same(back, obj)
    assert (tmp_path / "a.wm").read_bytes() == (tmp_path / "b.wm").read_bytes() == store.dumps(objects()[name])


def test_bytes_do_not_depend_on_layout_byte_order_or_order_of_attributes():
    a, b = ToyLinear().fit(X, [0, 1] * 3 + [0]), ToyLinear().fit(X, [0, 1] * 3 + [0])
    b.coef_ = np.asfortranarray(b.coef_).astype(">f8")
    for key in sorted(vars(b)):
        vars(b)[key] = vars(b).pop(key)
    assert store.dumps(a) == store.dumps(b)


def test_the_safetensors_library_reads_the_arrays(tmp_path):
    linear = objects()["toy_linear"]
    store.save(linear, tmp_path / "a.wm")
    read = safetensors.numpy.load_file(tmp_path / "a.wm")
    np.testing.assert_array_equal(read["fitted.coef_"], linear.coef_)
    assert list(read)[-1] == "sha256"


def test_loaded_arrays_are_owned_and_writable():
    back = store.loads(store.dumps(objects()["toy_state"]))
    back.w += 1
    assert back.w.flags.owndata


def test_unfitted_estimators_and_streams():
    stream = io.BytesIO()
    store.save(ToyLinear(C=3), stream)
    stream.seek(0)
    back = store.load(stream)
    assert back.get_params() == ToyLinear(C=3).get_params()
    assert not hasattr(back, "coef_")


def test_standard_output_and_input(monkeypatch, capfdbinary):
    store.save(ToyLinear(C=3), "-")
    out = capfdbinary.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(out)))
    assert store.load("-").C == 3


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 1, 2]),
        np.array([True, False]),
        np.array([0.5, -1.0]),
        np.array(["b", "äöü", ""]),
        np.array([b"x", b"yy"]),
        np.array(["a", "b"], dtype=object),
        np.array([None, 1, "1", 1.5, False], dtype=object),
        np.array([2, 1], dtype=np.uint8),
    ],
)
def test_labels_of_any_kind_come_back(labels):
    linear = ToyLinear().fit(X, np.arange(7) % 3)
    linear.classes_ = labels
    k = 1 if len(labels) == 2 else len(labels)
    linear.coef_, linear.intercept_ = np.ones((k, 3)), np.zeros(k)
    assert same(store.loads(store.dumps(linear)).classes_, labels)


def test_the_proof_can_be_left_out():
    linear = objects()["toy_linear"]
    slim = store.loads(store.dumps(linear, proof=False))
    assert slim.proof_ is None
    assert store.dumps(slim, proof=False) == store.dumps(linear, proof=False)
    assert b"proof_" not in store.dumps(linear, proof=False)
    assert same(store.loads(store.dumps(linear)).proof_, linear.proof_)


def test_inspect_tells_without_building(tmp_path, monkeypatch):
    store.save(objects()["toy_linear"], tmp_path / "a.wm")
    monkeypatch.setattr(registry, "entry_named", None)
    info = store.inspect(tmp_path / "a.wm")
    assert (info.type, info.version, info.format, info.proof) == ("ToyLinear", 1, 1, True)
    assert info.params["C"] == 0.1
    assert info.arrays["fitted.coef_"] == ("float64", (3, 3))
    assert info.parts["params.kernel/inner"] == ("ToyKernel", 1)
    assert info.size == (tmp_path / "a.wm").stat().st_size
    assert set(info.written_by) == {"python", "numpy", "scikit-learn", "widemargin"}


def test_a_full_disk_keeps_the_old_model(tmp_path):
    path = tmp_path / "a.wm"
    store.save(objects()["toy_linear"], path)
    big = ToyState(np.zeros(20_000), np.zeros(20_000, np.int64), 0, 1.0)
    with full_disk(100_000), pytest.raises(CannotWrite):
        store.save(big, path)
    assert same(store.load(path), objects()["toy_linear"])
    assert os.listdir(tmp_path) == ["a.wm"]


class Foreign:
    pass


class Heir(ToyLinear):
    pass


@pytest.mark.parametrize(
    "obj",
    [
        Foreign(),
        Heir(),
        None,
        np.zeros(3),
        ToyLinear(kernel=print),
        ToyLinear(kernel=np.random.RandomState(0)),
        ToyLinear(class_weight={(1, 2): 3}),
        ToyPipeline(rest=["x"] * 31 + ["\ud800"] * 5),
        ToyPipeline(first=["x" * (1 << 20)]),
    ],
)
def test_what_cannot_be_stored_is_named_and_nothing_is_written(obj, tmp_path):
    with pytest.raises(CannotStore):
        store.save(obj, tmp_path / "a.wm")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("coef_", np.full((3, 3), np.nan)),
        ("coef_", np.ones((3, 4))),
        ("coef_", np.ones((3, 3), np.float32)),
        ("coef_", [[1.0]]),
        ("intercept_", np.ones(2)),
        ("classes_", np.array([1, 1, 2])),
        ("classes_", np.array([1, 2])),
        ("classes_", np.array([[1, 2, 3]])),
        ("n_iter_", 0),
        ("n_iter_", True),
        ("stop_reason_", None),
        ("proof_", ToyKernel()),
        ("feature_names_in_", np.array(["a"], dtype=object)),
        ("n_features_in_", -3),
    ],
)
def test_a_model_that_breaks_its_rules_is_not_saved(attribute, value):
    linear = objects()["toy_linear"]
    setattr(linear, attribute, value)
    with pytest.raises(CannotStore, match=attribute if attribute != "classes_" else "sizes|classes_"):
        store.dumps(linear)


@pytest.mark.parametrize("name", ["order_", "starts_"])
@pytest.mark.parametrize("bad", [-1, 7, 1 << 62])
def test_an_index_outside_is_refused_on_loading(name, bad):
    text, arrays = unpack(store.dumps(ToyRows().fit(X)))
    edited = np.array(arrays[f"fitted.{name}"])
    edited[1] = bad + (name == "starts_" and bad > 0)  # offsets may equal the size
    with pytest.raises(DamagedFile, match=name):
        store.loads(b"".join(chunks(text, {**arrays, f"fitted.{name}": edited})))


@pytest.mark.parametrize("make", [np.asarray, np.float32, sparse.csr_array, sparse.csr_matrix])
def test_rows_dense_and_sparse(make):
    rows = ToyRows().fit(make(X))
    assert same(store.loads(store.dumps(rows)), rows)


def test_memory_stays_below_twice_the_file_and_a_megabyte(tmp_path):
    path = tmp_path / "a.wm"
    store.save(ToyState(np.zeros(400_000), np.zeros(400_000, np.int64), 0, 1.0), path)
    store.load(path)
    tracemalloc.start()
    store.load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 2 * path.stat().st_size + (1 << 20)


def test_a_header_as_large_as_allowed_takes_bounded_memory_and_time():
    inner = "[" + "1," * (MAX_HEADER // 2 - 600) + "1]"
    data = b"".join(chunks('{"format":1,"object":' + inner + "}", {}))
    tracemalloc.start()
    with pytest.raises(DamagedFile):
        store.loads(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20


# --------------------------------------------------------------------------------------------------- versions and table


def _rename(data, arrays):
    data["params"]["max_epochs"] = data["params"].pop("epochs")
    return data, arrays


def test_an_old_version_is_brought_up_to_date_or_refused_politely():
    text, arrays = unpack(store.dumps(ToyLinear(C=4.0, max_epochs=9)))
    text = text.replace('"kernel":null,"max_epochs":9', '"epochs":9,"kernel":null')
    old = b"".join(chunks(text, arrays))
    with pytest.raises(DamagedFile, match="max_epochs"):
        store.loads(old)
    spec = SPECS["ToyLinear"]
    for migrate in ({1: _rename}, {}):
        registry.TABLE["ToyLinear"] = EstimatorSpec(spec.target, 2, spec.fitted, migrate=migrate)
        registry._entries.clear()
        if migrate:
            assert store.loads(old).max_epochs == 9
        else:
            with pytest.raises(UnsupportedFile, match="older"):
                store.loads(old)
        with pytest.raises(DamagedFile if migrate else UnsupportedFile):
            store.loads(b"".join(chunks(text.replace("epochs", "epoch"), arrays)))


def test_the_table_only_changes_for_the_length_of_a_test():
    spec = {"Other": DataclassSpec(f"{HERE}:ToyKernel", 1)}
    with registry.temporarily(spec):
        assert "Other" in registry.stored_names()
    assert "Other" not in registry.stored_names()
    with pytest.raises(ValueError, match="already"), registry.temporarily(SPECS):
        pass


def test_every_line_of_the_table_can_be_resolved():
    for name in registry.stored_names():
        entry = registry.entry_named(name)
        assert f"{entry.cls.__module__}:{entry.cls.__qualname__}" == registry.TABLE[name].target


def test_wrong_declarations_are_found_when_the_entry_is_made():
    with pytest.raises(TypeError, match="no fields"):
        dataclass_entry(ToyKernel, "x", 1, checks={"nothing": Plain(int)})
    with pytest.raises(TypeError, match="optional"):
        EstimatorSpec("", 1, {"proof_": Part("ToyProof", proof=True)}).entry("x", ToyLinear)


@pytest.mark.parametrize(
    ("rules", "values"),
    [
        ({"a": Size("d")}, {}),
        ({"a": Size("d")}, {"a": 1.0}),
        ({"a": Array("i8", ("n",), below="m")}, {"a": np.arange(2)}),
        ({"a": Array("i8", ("n",), offsets_of="m")}, {"a": np.arange(2)}),
        ({"a": Array("i8", (2,))}, {"a": np.arange(3)}),
        ({"a": Array("i8", ("n", "n"))}, {"a": np.ones((2, 3), np.int64)}),
        ({"a": Array("i8", ("n",))}, {"a": np.ones((2, 3), np.int64)}),
        ({"a": Labels("n")}, {"a": np.array([[], []], dtype=object)}),
        ({"a": Labels("n")}, {"a": np.array([{}, {}], dtype=object)}),
        ({"a": Strings("n")}, {"a": np.array([1], dtype=object)}),
        ({"a": Strings("n")}, {"a": np.array(["a"])}),
        ({"a": Plain(float)}, {"a": float("inf")}),
        ({"a": Plain(int, high=3)}, {"a": 4}),
        ({"a": Part("ToyKernel", size="n")}, {"a": ToyKernel()}),
        ({"a": Part("ToyKernel", size="n")}, {"a": [ToyLinear()]}),
        ({"a": Rows("f8", ("n", "d"))}, {"a": sparse.csc_array(X)}),
        ({"a": Rows("f8", ("n", "d"))}, {"a": np.full((1, 1), np.inf)}),
    ],
)
def test_rules_refuse(rules, values):
    with pytest.raises(Violation):
        apply_rules(rules, values)


def test_loading_imports_nothing_but_the_table_needs():
    code = "import sys, widemargin.store; assert not any(m.startswith('widemargin.estimator') for m in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_validate_runs_on_every_save_and_load():
    seen = []

    class Watched(DataclassSpec):
        def entry(self, name, cls):
            return replace(super().entry(name, cls), validate=seen.append)

    registry.TABLE["ToyKernel"] = Watched(f"{HERE}:ToyKernel", 1)
    data = store.dumps(ToyKernel())
    assert len(seen) == 1
    store.loads(data)
    assert len(seen) == 2


def test_what_only_matters_during_fit_is_saved_as_none_with_a_warning(caplog):
    spec = SPECS["ToyLinear"]
    registry.TABLE["ToyLinear"] = EstimatorSpec(spec.target, 1, spec.fitted, transient=("kernel",))
    assert store.loads(store.dumps(ToyLinear(kernel=print))).kernel is None
    assert "kernel=<built-in function print> cannot be stored" in caplog.text
    assert store.loads(store.dumps(ToyLinear(kernel="rbf"))).kernel == "rbf"
