"""The things that kernels compare, behind one door: rows of numbers, strings, graphs, anything."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from .. import _core
from ..base.errors import BadInput
from ..base.lazy import lazy
from ..data.rows import FLOATS, canonical, native_rows, scan


class Items(Protocol):
    """Things in order. `take` copies some of them, `join` puts others behind, `compact` holds nothing but the items."""

    def __len__(self) -> int: ...
    def take(self, index: np.ndarray) -> Items: ...
    def join(self, other: Any) -> Items: ...
    def compact(self) -> Items: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def digest(self) -> str: ...


class RowItems:
    """Rows of a dense float array or a canonical CSR matrix.

    `names` are those of the columns, if they have any. Some of the rows or columns know their numbers among all
    (`of_rows`, `of_columns`), so that a message can name the place of a value in the data that were given.
    """

    def __init__(self, X: Any, names: tuple[str, ...] | None = None) -> None:
        self.X, self.names, self.sparse = X, names, sp.issparse(X)
        self.of_rows: np.ndarray | None = None
        self.of_columns: tuple[int, ...] | None = None
        self._views: dict[tuple[int, ...], RowItems] = {}

    @classmethod
    def checked(cls, X: Any) -> RowItems:
        names = _column_names(X)
        X = canonical(check_array(X, accept_sparse="csr", dtype=FLOATS, ensure_all_finite=False))
        scan(native_rows(X), X)
        return cls(X, names)

    def __len__(self) -> int:
        return self.X.shape[0]

    @lazy
    def native(self) -> _core.Rows:
        return native_rows(self.X)

    def take(self, index: np.ndarray) -> RowItems:
        some = RowItems(self.X[index], self.names)
        some.of_rows = np.asarray(index) if self.of_rows is None else self.of_rows[index]
        some.of_columns = self.of_columns
        return some

    def on(self, columns: tuple[int, ...]) -> RowItems:
        """Some columns of all rows; kept, since a kernel asks for the same ones block by block."""
        if columns not in self._views:
            names = None if self.names is None else tuple(self.names[j] for j in columns)
            view = RowItems(canonical(self.X[:, list(columns)]), names)
            view.of_rows = self.of_rows
            view.of_columns = columns if self.of_columns is None else tuple(self.of_columns[j] for j in columns)
            self._views[columns] = view
        return self._views[columns]

    @lazy
    def least(self) -> tuple[float, int, int]:
        """The smallest value (0 if none is negative), its row and its column in the data that were given."""
        values = self.X.data if self.sparse else self.X
        smallest = float(values.min(initial=0.0))
        if smallest >= 0:
            return smallest, 0, 0
        row, column = (int(i[0]) for i in (smallest == self.X).nonzero())
        row = row if self.of_rows is None else int(self.of_rows[row])
        return smallest, row, column if self.of_columns is None else self.of_columns[column]

    def __getstate__(self) -> dict[str, Any]:
        return {**{name: value for name, value in vars(self).items() if name not in ("least", "native")}, "_views": {}}

    def join(self, other: RowItems) -> RowItems:
        if self.sparse or other.sparse:
            joined = sp.vstack([sp.csr_array(self.X), sp.csr_array(other.X)], format="csr")
            return RowItems(canonical(joined), self.names)
        return RowItems(np.vstack([self.X, other.X]), self.names)

    def compact(self) -> RowItems:
        return RowItems(self.X)

    def as_sparse(self) -> RowItems:
        if self.sparse:
            return self
        sparse = RowItems(sp.csr_array(self.X), self.names)
        sparse.of_rows, sparse.of_columns = self.of_rows, self.of_columns
        return sparse

    @property
    def nbytes(self) -> int:
        arrays = (self.X.data, self.X.indices, self.X.indptr) if self.sparse else (self.X,)
        return sum(a.nbytes for a in arrays)

    @property
    def digest(self) -> str:
        return f"{self.native.scan(0, 1)[3]:016x}"


def _column_names(X: Any) -> tuple[str, ...] | None:
    """Those of a data frame or an Arrow table, if all are strings."""
    names = getattr(X, "column_names", getattr(X, "columns", None))
    return tuple(names) if names is not None and all(isinstance(name, str) for name in names) else None


def same_storage(a: RowItems, b: RowItems) -> tuple[RowItems, RowItems]:
    """Both dense or both sparse, with the same number of features."""
    if a.X.shape[1] != b.X.shape[1]:
        raise BadInput(f"the rows have {a.X.shape[1]} and {b.X.shape[1]} features: both sides need the same number.")
    return (a, b) if a.sparse == b.sparse else (a.as_sparse(), b.as_sparse())


class ListItems:
    """Any Python objects."""

    def __init__(self, objects: Sequence[Any]) -> None:
        self.objects = list(objects)

    def __len__(self) -> int:
        return len(self.objects)

    def __getitem__(self, i: int) -> Any:
        return self.objects[i]

    def take(self, index: np.ndarray) -> ListItems:
        return ListItems([self.objects[i] for i in index])

    def join(self, other: ListItems) -> ListItems:
        return ListItems(self.objects + other.objects)

    def compact(self) -> ListItems:
        return self

    @property
    def nbytes(self) -> int:
        return sum(len(o) if isinstance(o, str | bytes) else 64 for o in self.objects)

    @property
    def digest(self) -> str:
        total = hashlib.blake2b(digest_size=8)
        for o in self.objects:
            piece = o.encode() if isinstance(o, str) else o if isinstance(o, bytes) else pickle.dumps(o, protocol=5)
            total.update(len(piece).to_bytes(8, "little") + piece)
        return total.hexdigest()
