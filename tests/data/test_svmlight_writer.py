"""Written svmlight text reads back as the same numbers, and a failed write leaves the old file."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array, csr_matrix, random
from sklearn.datasets import load_svmlight_file

from widemargin.base.errors import BadInput, CannotWrite
from widemargin.data import read_svmlight, write_svmlight


def written(X, y, **options) -> bytes:
    file = io.BytesIO()
    write_svmlight(X, y, file, **options)
    return file.getvalue()


@given(st.data(), st.sampled_from([np.float64, np.float32]), st.booleans())
def test_what_is_written_reads_back_bit_for_bit(data, dtype, zero_based):
    n, d = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 6))
    X = data.draw(arrays(dtype, (n, d), elements={"allow_nan": False}))
    y = data.draw(arrays(np.float64, n, elements={"allow_nan": False}))
    text = written(X, y, zero_based=zero_based)
    X2, y2 = read_svmlight(io.BytesIO(text), zero_based=zero_based, n_features=d, dtype=dtype)
    assert y2.tobytes() == y.tobytes()
    np.testing.assert_array_equal(X2.toarray(), X)
    assert X2.nnz == np.count_nonzero(X)


def test_the_text_itself():
    X = csr_matrix(np.array([[1, 0, 0.1], [0, 0, 0], [0, -2.5e-7, 3]]))
    assert written(X, [1, -1, 0.5]) == b"1 1:1 3:0.1\n-1\n0.5 2:-2.5e-07 3:3\n"
    assert written(X, [1, -1, 2], zero_based=True, query_id=[7, 8, -9], comment="two\nlines") == (
        b"# two\n# lines\n1 qid:7 0:1 2:0.1\n-1 qid:8\n2 qid:-9 1:-2.5e-07 2:3\n"
    )
    assert written(X, [(1, 2), (0,), ()], multilabel=True) == b"1,2 1:1 3:0.1\n0\n 2:-2.5e-07 3:3\n"


@given(st.lists(st.tuples(st.lists(st.integers(-3, 3), max_size=3).map(sorted), st.integers(0, 2)), max_size=6))
def test_several_labels_read_back(rows):
    rows = [(labels or [1], column) for labels, column in rows[:1]] + rows[1:]
    y = [tuple(map(float, labels)) for labels, _ in rows]
    X = np.zeros((len(rows), 3))
    X[np.arange(len(rows)), [column for _, column in rows]] = 2.5
    X2, y2 = read_svmlight(io.BytesIO(written(X, y, multilabel=True)), multilabel=True, zero_based=False, n_features=3)
    assert y2 == y
    np.testing.assert_array_equal(X2.toarray(), X)


@pytest.mark.parametrize("make", [csr_matrix, csr_array, lambda X: csr_matrix(X).tocsc(), lambda X: X.toarray()])
def test_scikit_learn_reads_it(tmp_path, make):
    X = random(9000, 30, density=0.2, random_state=0, format="csr")  # more rows than are formatted at a time
    y = np.arange(9000) % 3
    path = tmp_path / "x.svm"
    write_svmlight(make(X), y, path)
    X2, y2 = load_svmlight_file(str(path), n_features=30)
    np.testing.assert_array_equal(X2.toarray(), X.toarray())
    np.testing.assert_array_equal(y2, y)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".bz2"])
def test_packed_by_name(tmp_path, suffix):
    path = tmp_path / f"x.svm{suffix}"
    write_svmlight(np.eye(3), [1, 2, 3], path)
    assert not path.read_bytes().startswith(b"1 1:1")
    np.testing.assert_array_equal(read_svmlight(path)[0].toarray(), np.eye(3))


def test_unsorted_and_duplicate_entries_are_made_canonical_and_the_matrix_is_left_alone():
    X = csr_matrix((np.array([1.0, 2, 4]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    assert written(X, [1]) == b"1 1:2 3:5\n"
    assert X.data.tolist() == [1, 2, 4]
    assert X.indices.tolist() == [2, 0, 2]


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        (np.eye(2), [1, 2, 3], {}, r"y has shape \(3,\), but X has 2 rows"),
        (np.eye(2), ["a", "b"], {}, "cannot be written as numbers"),
        (np.eye(2), [[1], [2]], {}, r"y has shape \(2, 1\)"),
        (np.zeros(3), [1, 2, 3], {}, "X has 1 dimensions"),
        (np.eye(2) * 1j, [1, 2], {}, "only real numbers"),
        (np.eye(2), [(1,)], {"multilabel": True}, "labels for 1 rows, but X has 2"),
        (np.eye(2), [("x",), ()], {"multilabel": True}, "must be numbers"),
        (np.zeros((2, 2)), [(1,), ()], {"multilabel": True}, "Row 1 has neither labels nor entries"),
        (np.eye(2), [1, 2], {"query_id": [1]}, "2 integers are needed"),
        (np.eye(2), [1, 2], {"query_id": [0.5, 1]}, "2 integers are needed"),
    ],
)
def test_what_cannot_be_written_is_refused_and_the_old_file_stays(tmp_path, X, y, options, message):
    path = tmp_path / "old.svm"
    path.write_bytes(b"old")
    with pytest.raises(BadInput, match=message):
        write_svmlight(X, y, path, **options)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_directory(tmp_path):
    with pytest.raises(CannotWrite):
        write_svmlight(np.eye(2), [1, 2], tmp_path / "no" / "x.svm")
