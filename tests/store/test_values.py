"""Values keep their types on the way through JSON and arrays."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from tests.store.toys import same

from widemargin.store.reading import Shelf, from_json
from widemargin.store.values import Box, Violation, to_json


def there_and_back(value):
    box = Box()
    text = msgspec.json.encode(to_json(value, "x", box))
    shelf = Shelf(box.arrays, box.parts)
    back = from_json(msgspec.json.decode(text), "x", shelf)
    assert not shelf.left_over()
    return back


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers() | st.none() | st.floats(allow_nan=False), inner)
    ),
    max_leaves=20,
)


@given(VALUES)
def test_plain_values_come_back_the_same(value):
    assert same(there_and_back(value), value)


@given(st.lists(st.integers() | st.text(), min_size=30, max_size=40) | st.lists(st.floats(), min_size=33, max_size=40))
def test_long_lists_come_back_the_same(value):
    assert same(there_and_back(value), value)
    assert same(there_and_back([1] * len(value)), [1] * len(value))
    assert same(there_and_back(["ä"] * len(value)), ["ä"] * len(value))


DTYPES = st.sampled_from(["?", "u1", "i1", "<i2", ">i4", "<u4", "<i8", ">f8", "<f4", "<f8", "<U3", ">U2", "S4", "<u8"])


@given(hnp.arrays(DTYPES, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)))
def test_arrays_come_back_the_same_but_for_the_byte_order(array):
    if array.dtype.kind == "U" and any("\ud800" <= c <= "\udfff" for c in "".join(array.ravel().tolist())):
        with pytest.raises(Violation, match="surrogate"):
            there_and_back(array)
        return
    back = there_and_back(array)
    assert same(back, array.astype(array.dtype.newbyteorder("=")))
    assert back.flags.writeable
    assert back.flags.c_contiguous


@given(st.lists(SCALARS, max_size=8))
def test_labels_of_mixed_kinds_come_back_the_same(labels):
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    assert same(there_and_back(array), array)


def test_numpy_scalars_become_python_ones():
    assert same(there_and_back({np.int64(3): np.float64(0.5), np.str_("a"): np.bool_(True)}), {3: 0.5, "a": True})


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array, sparse.csc_matrix])
def test_sparse_matrices_come_back_canonical(make):
    x = np.array([[0, 1.5, 0], [0, 0, 0], [2, 0, -1]])
    back = there_and_back(make(x))
    assert back.format == "csr"
    assert isinstance(back, sparse.spmatrix) == issubclass(make, sparse.spmatrix)
    np.testing.assert_array_equal(back.toarray(), x)


@pytest.mark.parametrize(
    "value",
    [
        np.ma.array([1.0], mask=[True]),
        np.array(["2020-01-01"], "M8[D]"),
        np.array([1j]),
        np.array([1.0], np.float16),
        np.array([[1], [2]], dtype=object),
        np.array([object()], dtype=object),
        sparse.csr_array(np.eye(2, dtype=int)),
        {(1, 2): 3},
        "\ud800",
        ["\udfff"] * 40,
    ],
)
def test_what_has_no_form_is_refused_or_handed_on_as_a_part(value):
    box = Box()
    try:
        to_json(value, "x", box)
    except Violation:
        return
    assert box.parts == {"x": value}


def test_a_list_that_holds_itself_is_refused():
    loop: list = []
    loop.append(loop)
    with pytest.raises(Violation, match="deep"):
        to_json(loop, "x", Box())


CSR = {"csr": {"columns": 3, "matrix": False}}
GOOD = {"data": np.ones(2), "indices": np.array([0, 2], np.int32), "indptr": np.array([0, 1, 2])}


@pytest.mark.parametrize(
    ("field", "array"),
    [
        ("indices", np.array([0, 3], np.int32)),
        ("indices", np.array([0, -1], np.int32)),
        ("indices", np.array([0], np.int32)),
        ("indptr", np.array([0, 3, 2])),
        ("indptr", np.array([0, 2, 1])),
        ("indptr", np.array([1, 2])),
        ("indptr", np.array([], np.int64)),
        ("indptr", np.array([[0, 2]])),
        ("indptr", np.array([0.0, 2.0])),
        ("data", np.ones((2, 1))),
    ],
)
def test_a_broken_sparse_matrix_is_refused(field, array):
    good = {f"x.{name}": value for name, value in GOOD.items()}
    assert from_json(CSR, "x", Shelf(good, {})).shape == (2, 3)
    with pytest.raises(Violation):
        from_json(CSR, "x", Shelf({**good, f"x.{field}": array}, {}))


def test_columns_out_of_order_are_refused():
    arrays = {"x.data": np.ones(2), "x.indices": np.array([2, 0], np.int32), "x.indptr": np.array([0, 2, 2])}
    with pytest.raises(Violation, match="order"):
        from_json(CSR, "x", Shelf(arrays, {}))


@pytest.mark.parametrize(
    ("value", "arrays"),
    [
        ({"text": "x"}, {"x": np.array([[0x110000]], np.uint32)}),
        ({"text": "x"}, {"x": np.array([[0xD800]], np.uint32)}),
        ({"text": "x"}, {"x": np.array(7, np.uint32)}),
        ({"text": "x"}, {"x": np.zeros((2, 0), np.uint32)}),
        ({"bytes": "x"}, {"x": np.array([[7]], np.uint32)}),
        ({"strings": "x"}, {"x.utf8": np.array([255], np.uint8), "x.offsets": np.array([0, 1])}),
        ({"strings": "x"}, {"x.utf8": np.array([[65]], np.uint8), "x.offsets": np.array([0, 1])}),
        ({"strings": "x"}, {"x.utf8": np.array([65], np.uint8), "x.offsets": np.array([0, 2])}),
        ({"int_list": "x"}, {"x": np.array([0.5])}),
        ({"float_list": "x"}, {"x": np.array([[0.5]])}),
        ({"array": "y"}, {"y": np.array([0.5])}),
        ({"part": "x"}, {}),
    ],
)
def test_arrays_that_do_not_fit_their_form_are_refused(value, arrays):
    with pytest.raises(Violation):
        from_json(value, "x", Shelf(arrays, {}))
