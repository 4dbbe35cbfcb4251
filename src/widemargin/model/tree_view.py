"""One tree as scikit-learn shows it: arrays by node, numbered by a walk from the left."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import BadInput
from .trees import Trees, impurities, leaf_says

TREE_LEAF, TREE_UNDEFINED = -1, -2


class TreeView:
    """Node by node; everything is worked out when it is first asked for.

    Attributes
    ----------
    node_count, n_leaves, max_depth, n_features, n_outputs, n_classes, max_n_classes, capacity
    children_left, children_right, feature, threshold, missing_go_to_left : arrays of shape (node_count,)
        Leaves have children -1, feature -2 and threshold -2.
    impurity, n_node_samples, weighted_n_node_samples : arrays of shape (node_count,)
    value : array of shape (node_count, n_outputs, max_n_classes)
        Shares of the classes, or means.
    """

    def __init__(self, trees: Trees, criterion: str) -> None:
        if len(trees) != 1:
            raise BadInput(f"a view shows one tree, but there are {len(trees)}: take one of them.")
        self._trees, self._criterion = trees, criterion

    @cached_property
    def _layout(self) -> tuple[np.ndarray, ...]:
        return self._trees.layout(0)

    @cached_property
    def _sums(self) -> tuple[np.ndarray, np.ndarray]:
        stats, rows = self._trees.node_sums(0)
        return stats[self._layout[5]], rows[self._layout[5]]

    @property
    def node_count(self) -> int:
        return int(self._trees.first[1])

    capacity = node_count

    @property
    def n_features(self) -> int:
        return self._trees.n_columns

    @property
    def n_outputs(self) -> int:
        return self._trees.n_outputs

    @property
    def n_classes(self) -> np.ndarray:
        return np.array(self._trees.classes or [1] * self.n_outputs)

    @property
    def max_n_classes(self) -> int:
        return int(self.n_classes.max())

    @property
    def n_leaves(self) -> int:
        return int((self.children_left == TREE_LEAF).sum())

    @property
    def max_depth(self) -> int:
        return int(self._layout[6].max())

    @property
    def children_left(self) -> np.ndarray:
        return self._layout[0]

    @property
    def children_right(self) -> np.ndarray:
        return self._layout[1]

    @property
    def feature(self) -> np.ndarray:
        return self._layout[2]

    @property
    def threshold(self) -> np.ndarray:
        return self._layout[3]

    @cached_property
    def category_sets(self) -> dict[int, tuple[int, ...]]:
        """The categories that go left, by node; their thresholds only number the sets."""
        marks = self._trees.categorical
        if marks is None:
            return {}
        inner = np.flatnonzero(self.children_left != TREE_LEAF)
        nodes = inner[marks[self.feature[inner]].astype(bool)]
        words = self._trees.sets.reshape(-1, 8)[self.threshold[nodes].astype(np.int64)]
        bits = np.unpackbits(words.astype("<u4").view(np.uint8), axis=1, bitorder="little")
        return {int(t): tuple(int(c) for c in np.flatnonzero(row)) for t, row in zip(nodes, bits, strict=True)}

    @property
    def missing_go_to_left(self) -> np.ndarray:
        return self._layout[4]

    @property
    def n_node_samples(self) -> np.ndarray:
        return self._sums[1]

    @cached_property
    def weighted_n_node_samples(self) -> np.ndarray:
        stats = self._sums[0]
        return stats[:, : self._trees.classes[0]].sum(axis=1) if self._trees.classes else stats[:, 0].copy()

    @cached_property
    def impurity(self) -> np.ndarray:
        return impurities(self._sums[0], self._trees.classes, self.n_outputs, self._criterion)

    @cached_property
    def value(self) -> np.ndarray:
        says = leaf_says(self._sums[0], self._trees.classes, self.n_outputs, medians=self._trees.centres is not None)
        out = np.zeros((self.node_count, self.n_outputs, self.max_n_classes))
        begin = 0
        for o, k in enumerate(self.n_classes):
            out[:, o, :k] = says[:, begin : begin + k]
            begin += k
        return out

    @cached_property
    def _numbers(self) -> np.ndarray:
        """scikit-learn's number of each node here."""
        out = np.empty(self.node_count, dtype=np.int64)
        out[self._layout[5]] = np.arange(self.node_count)
        return out

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row of float32 numbers."""
        X = np.ascontiguousarray(X.toarray() if sp.issparse(X) else X, dtype=np.float32)
        return self._numbers[self._trees.leaves(X, bool(np.isnan(X).any()))[:, 0]]

    def predict(self, X: Any) -> np.ndarray:
        """`value` of the leaf of each row."""
        out = self.value[self.apply(X)]
        return out[:, 0] if self.n_outputs == 1 else out

    def decision_path(self, X: Any) -> Any:
        """A CSR matrix of ones where a row passes a node."""
        return self.path_to(self.apply(X))

    def path_to(self, leaves: np.ndarray) -> Any:
        """The same for rows that end in these leaves."""
        parent = np.full(self.node_count, -1, dtype=np.int64)
        for child in (self.children_left, self.children_right):
            inner = np.flatnonzero(child >= 0)
            parent[child[inner]] = inner
        rows, nodes = [np.arange(len(leaves))], [leaves]
        while True:
            up = parent[nodes[-1]]
            inside = up >= 0
            if not inside.any():
                break
            rows.append(rows[-1][inside])
            nodes.append(up[inside])
        i, j = np.concatenate(rows), np.concatenate(nodes)
        path = sp.csr_matrix((np.ones(len(i), dtype=np.int64), (i, j)), shape=(len(leaves), self.node_count))
        path.sort_indices()
        return path

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """The fall of impurity that each column brought, over the weight of all rows."""
        inner = self.children_left != TREE_LEAF
        held = self.weighted_n_node_samples * self.impurity
        fall = held[inner] - held[self.children_left[inner]] - held[self.children_right[inner]]
        sums = np.bincount(self.feature[inner], weights=fall, minlength=self.n_features) / held_weight(self)
        total = sums.sum()
        return sums / total if normalize and total > 0 else sums


def held_weight(view: TreeView) -> float:
    """The weight of all rows of a tree."""
    return float(view.weighted_n_node_samples[0])
