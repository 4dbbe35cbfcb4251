"""The same numbers in any container give the same model, to the last bit, and the caller's arrays stay as they are."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from tests.common.estimators import answers, each_estimator, few, fingerprint, is_ensemble, make, sample, takes

import widemargin as wm
from widemargin.data.rows import canonical, read_rows, read_training

NAMES = ["a", "b", "c", "d"]


def real(X):
    """Numbers that no sum keeps exact, but that float32 holds; zeros stay."""
    return (X / 3).astype(np.float32).astype(np.float64)


def mapped(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    return np.load(tmp_path / "X.npy", mmap_mode="r")


def frozen(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def unaligned(X):
    buffer = np.empty(X.nbytes + 1, np.uint8)
    out = buffer[1:].view(X.dtype).reshape(X.shape)
    out[:] = X
    assert not out.flags.aligned
    return out


def strided(X):
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def part_of_wide(X):
    wide = np.full((X.shape[0], X.shape[1] + 5), np.nan)
    wide[:, 2:-3] = X
    return wide[:, 2:-3]


DENSE = {
    "fortran order": np.asfortranarray,
    "negative strides": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "rows backwards": lambda X: X[::-1].copy()[::-1],
    "step slices": strided,
    "columns of a wider array": part_of_wide,
    "read-only": frozen,
    "byte-swapped": lambda X: X.astype(">f8"),
    "unaligned": unaligned,
    "long double": lambda X: X.astype(np.longdouble),
    "objects": lambda X: X.astype(object),
    "list of lists": lambda X: X.tolist(),
    "list of arrays": list,
    "tuple of tuples": lambda X: tuple(map(tuple, X)),
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "pandas nullable": lambda X: pd.DataFrame(X, columns=NAMES).convert_dtypes(),
    "pandas mixed dtypes": lambda X: pd.DataFrame(X, columns=NAMES).astype(
        {"a": "float32", "b": "Float64", "c": object}
    ),
    "pandas arrow": lambda X: pd.DataFrame(X, columns=NAMES).astype("double[pyarrow]"),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "pyarrow": lambda X: pa.table(dict(zip(NAMES, X.T, strict=True))),
    "pyarrow in chunks": lambda X: pa.concat_tables(
        [pa.table(dict(zip(NAMES, part.T, strict=True))) for part in (X[:7], X[7:])]
    ),
}
WHOLE = {
    "int8": lambda X: X.astype(np.int8),
    "int64": lambda X: X.astype(np.int64),
    "float16": lambda X: X.astype(np.float16),
    "ints of Python": lambda X: X.astype(int).tolist(),
    "pandas Int8": lambda X: pd.DataFrame(X, columns=NAMES).astype("Int8"),
    "polars integers": lambda X: pl.DataFrame(X.astype(np.int16), schema=NAMES),
}
POSITIVE = {"uint8": np.uint8, "uint64": np.uint64, "bool": bool}


def learnt(model):
    """Without the figures of the certificate: BLAS rounds products of rows in another order of memory otherwise."""
    return {name: value for name, value in fingerprint(model).items() if name != "certificate_"}


def scores(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


@each_estimator
@pytest.mark.parametrize("how", DENSE)
def test_dense_containers(cls, how):
    X, y = sample(cls)
    X = real(X)
    given = DENSE[how](X)
    before = pl.DataFrame(given) if how == "polars" else None if isinstance(given, pa.Table) else np.array(given)
    model, plain = make(cls).fit(given, y), make(cls).fit(X, y)
    assert learnt(model) == learnt(plain)
    assert model.certificate_.data_digest == plain.certificate_.data_digest
    assert model.certificate_.holds == plain.certificate_.holds
    np.testing.assert_allclose(scores(model, given), scores(plain, X), rtol=1e-12, atol=1e-14)
    if before is not None:
        np.testing.assert_array_equal(np.array(given), before)


@each_estimator
@pytest.mark.parametrize("how", WHOLE)
def test_whole_numbers_of_any_type(cls, how):
    X, y = sample(cls)
    given = WHOLE[how](X)
    model, plain = make(cls).fit(given, y), make(cls).fit(X, y)
    assert fingerprint(model) == fingerprint(plain)
    assert answers(model, given) == answers(plain, X)


@each_estimator
@pytest.mark.parametrize("kind", POSITIVE)
def test_unsigned_numbers_and_truth_values(cls, kind):
    X, y = sample(cls)
    given = np.abs(X).astype(POSITIVE[kind])
    model, plain = make(cls).fit(given, y), make(cls).fit(given.astype(float), y)
    assert fingerprint(model) == fingerprint(plain)


@each_estimator
def test_a_memory_mapped_file(cls, tmp_path):
    X, y = sample(cls)
    X = real(X)
    given = mapped(X, tmp_path)
    assert fingerprint(make(cls).fit(given, y)) == fingerprint(make(cls).fit(X, y))


# ---- sparse -------------------------------------------------------------------------------------------------------


def with_duplicates(X):
    """Each number as two halves, in reverse order of the columns."""
    rows, columns = np.nonzero(X)
    order = np.lexsort((-columns, rows))
    rows, columns = np.repeat(rows[order], 2), np.repeat(columns[order], 2)
    offsets = np.searchsorted(rows, np.arange(X.shape[0] + 1))
    return sp.csr_array((X[rows, columns] / 2, columns, offsets), shape=X.shape)


def unsorted(X):
    csr = sp.csr_array(X)
    for begin, end in zip(csr.indptr, csr.indptr[1:], strict=False):
        csr.indices[begin:end] = csr.indices[begin:end][::-1].copy()
        csr.data[begin:end] = csr.data[begin:end][::-1].copy()
    csr.has_sorted_indices = False
    return csr


def long_indices(X):
    csr = sp.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


def frozen_parts(X):
    csr = sp.csr_array(X)
    for part in (csr.data, csr.indices, csr.indptr):
        part.flags.writeable = False
    return csr


def zero_at_end(X):
    csr = sp.csr_array(X)
    csr.resize(X.shape[0], X.shape[1] + 1)
    csr.resize(X.shape)
    return csr


FORMATS = ("csr", "csc", "coo", "dia", "lil", "bsr", "dok")
SPARSE = {
    **{f"{f}_array": (lambda X, f=f: getattr(sp, f"{f}_array")(X)) for f in FORMATS},
    **{f"{f}_matrix": (lambda X, f=f: getattr(sp, f"{f}_matrix")(X)) for f in FORMATS},
    "unsorted": unsorted,
    "duplicates": with_duplicates,
    "int64 indices": long_indices,
    "read-only parts": frozen_parts,
    "resized": zero_at_end,
    "coo with duplicates": lambda X: with_duplicates(X).tocoo(),
    "slice": lambda X: sp.csr_array(np.vstack([X, X]))[: len(X)],
    "transposed csc": lambda X: sp.csc_array(X.T).T,
}


def parts_of(X):
    names = ("data", "indices", "indptr", "row", "col", "offsets", "rows")
    return {name: np.copy(getattr(X, name)) for name in names if isinstance(getattr(X, name, None), np.ndarray)}


@each_estimator
@pytest.mark.parametrize("how", SPARSE)
def test_sparse_containers(cls, how):
    X, y = sample(cls)
    X = real(X)
    given, plain = SPARSE[how](X), make(cls).fit(sp.csr_array(X), y)
    before = parts_of(given)
    model = make(cls).fit(given, y)
    assert fingerprint(model) == fingerprint(plain)
    assert answers(model, given) == answers(plain, sp.csr_array(X))
    for name, part in parts_of(given).items():
        np.testing.assert_array_equal(part, before[name])


@each_estimator
def test_explicit_zeros_are_zeros_and_sparse_is_dense(cls):
    """The same data (one digest), the same decisions but for the order in which sums are rounded."""
    X, y = sample(cls)
    columns = np.tile(np.arange(X.shape[1]), len(X))
    zeros = sp.csr_array((X.ravel(), columns, np.arange(len(X) + 1) * X.shape[1]), shape=X.shape)
    dense = make(cls).fit(X, y)
    for given in (zeros, sp.csr_array(X), sp.csr_array(X.astype(np.int32))):
        model = make(cls).fit(given, y)
        assert model.certificate_.data_digest == dense.certificate_.data_digest
        assert model.certificate_.holds == dense.certificate_.holds
        np.testing.assert_allclose(scores(model, given), scores(dense, X), rtol=1e-9, atol=1e-9)
    assert zeros.nnz == X.size


# ---- number types and copies --------------------------------------------------------------------------------------


@each_estimator
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_single_and_double_precision_agree_on_numbers_exact_in_both(cls, container):
    X, y = sample(cls)
    single, double = container(X.astype(np.float32)), container(X)
    one, two = make(cls).fit(single, y), make(cls).fit(double, y)
    np.testing.assert_array_equal(one.predict(single), two.predict(double))
    np.testing.assert_array_equal(one.predict(double), two.predict(single))
    assert one.certificate_.data_digest == two.certificate_.data_digest
    assert wm.certify(one, double, y).holds == two.certificate_.holds


COPY_FREE = {
    "C order": lambda X: X,
    "rows backwards": lambda X: X[::-1],
    "every other row": lambda X: X[::2],
    "columns of a wider array": lambda X: X[:, 1:3],
    "read-only": frozen,
    "one column": lambda X: X[:, :1],
    "one column of many": lambda X: X[:, 1::9],
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("how", COPY_FREE)
def test_dense_rows_are_not_copied(how, dtype):
    X, y = sample(wm.Perceptron, k=2)
    X = COPY_FREE[how](X.astype(dtype))
    model = make(wm.Perceptron)
    data = read_training(model, X, y[: len(X)])
    assert np.shares_memory(data.X, X)
    assert np.shares_memory(read_rows(model, X), X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_canonical_csr_is_not_copied(dtype, kind):
    X, y = sample(wm.Perceptron, k=2)
    X = kind(X.astype(dtype))
    data = read_training(make(wm.Perceptron), X, y)
    assert np.shares_memory(data.X.data, X.data)
    assert np.shares_memory(data.X.indices, X.indices)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("d", [40, 3000, 2_000_000_000])  # keys of 32 and of 64 bits
@pytest.mark.parametrize("twice", [False, True])
def test_columns_in_any_order_become_those_of_the_sorted_matrix(dtype, d, twice):
    rng = np.random.default_rng(0)
    sizes = np.array([0, 1, 2, 7, 8, 30, 0, 40, 600])
    columns = [rng.permutation(700 if d > 700 else d)[:m].astype(np.int32) for m in sizes]
    columns = [c * (d // 701) if d > 700 else c for c in columns]
    if twice:
        columns = [np.append(c, c[:2]) for c in columns]
    data, offsets = rng.standard_normal(sum(map(len, columns))), np.cumsum([0, *map(len, columns)])
    X = sp.csr_array((data.astype(dtype), np.concatenate(columns), offsets), shape=(len(sizes), d))
    before = X.copy()
    made, sorted_ = canonical(X), X.copy()
    sorted_.sum_duplicates()
    assert made.has_canonical_format
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(made, name), getattr(sorted_, name))
        np.testing.assert_array_equal(getattr(X, name), getattr(before, name))


@each_estimator
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_fit_and_a_prediction_take_little_memory_beside_the_data(cls, container, dtype):
    """Less than half of X, and no more for a larger X, unless the rows of mistakes or kernel values are kept."""
    if takes(cls, "kernel") or takes(cls, "n_members") or is_ensemble(cls):  # trees rank the numbers, twice a code each
        return
    if takes(cls, "Cs"):  # the folds of a search are copies
        return
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((2000, 1000)).astype(dtype)
    y = (dense[:, 0] + dense[:, 1] > 0).astype(float)
    X = container(dense)
    size = dense.nbytes if container is np.asarray else X.data.nbytes + X.indices.nbytes
    soon = {"tol": 0.3} if takes(cls, "regularize_intercept") else few(cls, 3)
    model = make(cls, **soon).fit(X[:50], y[:50])  # lazy imports
    for call in (lambda: make(cls, **soon).fit(X, y), lambda: model.predict(X)):
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < size / 2, f"{peak / size:.2f} times the data"
