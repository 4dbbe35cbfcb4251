"""Sums of stumps that ask whether a document holds a term: its number is larger than 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .stumps import Stumps


def presence(X: Any) -> sp.csr_array:
    """1 where a number is larger than 0, and nothing elsewhere."""
    X = sp.csr_array(X)
    there = X.data > 0
    if there.all():
        return sp.csr_array((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)
    kept = sp.csr_array((there.astype(np.float64), X.indices.copy(), X.indptr.copy()), shape=X.shape)
    kept.eliminate_zeros()
    return kept


@dataclass(frozen=True, eq=False)
class WordStumps(Stumps):
    """Stumps whose threshold is 0, on sparse rows: `values[t, 0]` where the term is not, `values[t, 1]` where it is."""

    def says(self, t: int, X: Any) -> np.ndarray:
        """What stump t says of each row."""
        held = np.asarray((X[:, [int(self.column[t])]] > 0).toarray()).ravel()
        return self.values[t][held.astype(np.intp)]

    def staged(self, X: Any) -> Iterator[np.ndarray]:
        columns = sp.csc_array(X)
        for t in range(len(self)):
            yield self.steps[t] * self.says(t, columns)

    def scores(self, X: Any, threads: int = 1) -> np.ndarray:
        """The sum: what they all say where no term is, and what each term adds to it."""
        said = self.steps[:, None, None] * self.values
        more = np.zeros((X.shape[1], self.n_outputs))
        np.add.at(more, self.column, said[:, 1] - said[:, 0])
        return said[:, 0].sum(axis=0) + presence(X) @ more
