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
    """Rows of a dense float array or a canonical CSR matrix."""

    def __init__(self, X: Any) -> None:
        self.X = X

    @classmethod
    def checked(cls, X: Any) -> RowItems:
        X = canonical(check_array(X, accept_sparse="csr", dtype=FLOATS, ensure_all_finite=False))
        scan(native_rows(X), X)
        return cls(X)

    def __len__(self) -> int:
        return self.X.shape[0]

    @property
    def sparse(self) -> bool:
        return sp.issparse(self.X)

    @property
    def native(self) -> _core.Rows:
        return native_rows(self.X)

    def take(self, index: np.ndarray) -> RowItems:
        return RowItems(self.X[index])

    def join(self, other: RowItems) -> RowItems:
        if self.sparse or other.sparse:
            return RowItems(canonical(sp.vstack([sp.csr_array(self.X), sp.csr_array(other.X)], format="csr")))
        return RowItems(np.vstack([self.X, other.X]))

    def compact(self) -> RowItems:
        return self

    def as_sparse(self) -> RowItems:
        return self if self.sparse else RowItems(sp.csr_array(self.X))

    @property
    def nbytes(self) -> int:
        arrays = (self.X.data, self.X.indices, self.X.indptr) if self.sparse else (self.X,)
        return sum(a.nbytes for a in arrays)

    @property
    def digest(self) -> str:
        return f"{self.native.scan(0, 1)[3]:016x}"


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
