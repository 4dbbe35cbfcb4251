"""Labels become codes: by a table where they are whole numbers close together, else by sorting, with one result."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin import _core
from widemargin.base.errors import BadInput
from widemargin.data.labels import SPAN, labels_and_codes

DTYPES = ("bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64", "U", "O")


@given(st.lists(st.integers(0, 120), min_size=1, max_size=50), st.sampled_from(DTYPES), st.booleans())
def test_classes_and_codes_are_those_of_numpy(numbers, dtype, every_other):
    y = np.array([str(v) for v in numbers], dtype) if dtype in "UO" else np.array(numbers, dtype)
    y = y[::2] if every_other else y
    labels, codes = labels_and_codes(y, least=1)
    classes, expected = np.unique(y, return_inverse=True)
    assert labels.classes.dtype == y.dtype
    assert codes.dtype == np.intp
    np.testing.assert_array_equal(labels.classes, classes)
    np.testing.assert_array_equal(codes, expected)
    np.testing.assert_array_equal(labels.encode(y), expected)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=6), st.integers(0, 2 * SPAN))
def test_labels_far_apart_or_large_are_sorted(numbers, step):
    y = np.array([*numbers, max(min(numbers[0] + step, 2**63 - 1), -(2**63))])
    labels, codes = labels_and_codes(y, least=1)
    np.testing.assert_array_equal(labels.classes[codes], y)
    np.testing.assert_array_equal(labels.classes, np.unique(y))


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("low", [-(2**31) + 1, -5, 0, 2**31 - SPAN])
def test_the_table_ends_where_it_says(dtype, low):
    classes, codes = _core.whole_labels(np.array([low + SPAN - 1, low], dtype), SPAN)
    assert (classes.tolist(), codes.tolist()) == ([low, low + SPAN - 1], [1, 0])
    for y in ([low, low + SPAN], [2**31], [-(2**31)], []):
        assert _core.whole_labels(np.array(y, dtype), SPAN) is None


@pytest.mark.parametrize("value", [0.5, np.nan, np.inf, -np.inf, 1e300])
def test_what_is_not_whole_has_no_table(value):
    assert _core.whole_labels(np.array([1.0, value, 2.0]), SPAN) is None


def test_numbers_between_whole_ones_are_no_labels():
    with pytest.raises(BadInput, match=r"continuous, the first being 1\.5 in row 1"):
        labels_and_codes(np.array([1.0, 1.5]))
