"""Trees in arrays: what a forest, or a single tree, can say of rows.

Symbols  nodes: two or four words each (core/model/tree.hpp), of which a leaf names its line in `stats` and `rows`.
         Leaves that hold the same share a line. Lines hold weights of classes, output after output; for numbers the
         weight, the sums of targets and of their squares (of y log y where counts were learnt; where absolute errors
         were: median, and sum of distances from it, which are kept for every node, as they do not add up).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .. import _core

LEAF_KEY, LINES = np.uint32(0xFF800000), 1 << 23  # core/model/tree.hpp


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees side by side.

    Attributes
    ----------
    nodes, shift, first : the trees themselves; tree t has the nodes first[t] to first[t + 1].
    stats, rows : what leaves hold; number of training rows in them.
    sets : sets of categories that go left.
    n_columns : int
    classes : tuple of int
        How many there are for each output; empty for numbers.
    categorical : ndarray of uint8 or None
        Which columns hold categories.
    centres : ndarray of shape (nodes, 2 n_outputs) or None
        What follows the weight in the line of every node, where absolute errors were learnt.
    """

    nodes: np.ndarray
    shift: int
    first: np.ndarray
    stats: np.ndarray
    rows: np.ndarray
    sets: np.ndarray
    n_columns: int
    classes: tuple[int, ...]
    n_outputs: int = 1
    categorical: np.ndarray | None = None
    centres: np.ndarray | None = None
    _kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False, init=False)

    @classmethod
    def grown(cls, forest: _core.Forest, n_columns: int, classes: tuple[int, ...], n_outputs: int, categorical: Any):
        native, nodes, shift, first, stats, rows, sets, centres = forest.arrays()
        width = sum(classes) if classes else 1 + 2 * n_outputs
        lines, own = stats.reshape(-1, width), centres.reshape(-1, 2 * n_outputs) if len(centres) else None
        trees = cls(nodes, shift, first, lines, rows, sets, n_columns, classes, n_outputs, categorical, own)
        if native is not None and categorical is None:
            vars(trees)["native"] = native
        return trees

    def __len__(self) -> int:
        return len(self.first) - 1

    @cached_property
    def native(self) -> _core.Trees:
        return _core.Trees(
            self.nodes, self.shift, self.first, len(self.rows), self.n_columns, self.categorical, self.sets
        )

    @property
    def words(self) -> int:
        """Of a node."""
        return 2 if self.shift else 4

    @property
    def nbytes(self) -> int:
        arrays = (self.nodes, self.first, self.stats, self.rows, self.sets, self.centres)
        return sum(a.nbytes for a in arrays if a is not None)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("native", "speaking", "says", "_kept")} | {"_kept": {}}

    def take(self, tree: int) -> Trees:
        """One tree alone; it shares the lines of its leaves with the others."""
        begin, end = self.first[tree : tree + 2]
        words = self.words
        return Trees(
            self.nodes[begin * words : end * words],
            self.shift,
            np.array([0, end - begin], dtype=np.int64),
            self.stats,
            self.rows,
            self.sets,
            self.n_columns,
            self.classes,
            self.n_outputs,
            self.categorical,
            None if self.centres is None else self.centres[begin:end],
        )

    def parts(self) -> tuple[np.ndarray, ...]:
        """(whether it is a leaf, column, threshold, whether missing values go right, line) of each node."""
        nodes = self.nodes.reshape(-1, self.words)
        key, word = nodes[:, 0], nodes[:, 1]
        if self.shift:
            left, column, line = word >> self.shift, (word & ((1 << self.shift) - 1)) >> 2, key - LEAF_KEY
            far = word & 1
        else:
            left, column, line, far = word, nodes[:, 2] & 0x7FFFFFFF, nodes[:, 3], nodes[:, 2] >> 31
        threshold = np.where(key >> 31, key ^ 0x80000000, ~key).view(np.float32)
        place = np.arange(len(nodes)) - np.repeat(self.first[:-1], np.diff(self.first))
        return left == place, column, threshold, far.astype(bool), line

    @staticmethod
    def packed_nodes(
        left: np.ndarray, column: np.ndarray, threshold: np.ndarray, far: np.ndarray, line: np.ndarray, *sizes: int
    ) -> tuple[np.ndarray, int]:
        """Nodes and shift from parts of the nodes, where the threshold of a leaf is NaN; `sizes`: nodes of the longest
        tree, columns, lines."""
        longest, columns, lines = sizes
        bits = (threshold + np.float32(0.0)).view(np.uint32)
        key, leaf = np.where(bits >> 31, ~bits, bits | 0x80000000), np.isnan(threshold)
        width = (columns - 1).bit_length()
        if longest.bit_length() + width > 30 or lines > LINES:
            key[leaf] = 0xFFFFFFFF
            return np.column_stack([key, left, column | far << 31, line]).ravel(), 0
        key[leaf] = LEAF_KEY + line[leaf]
        return np.column_stack([key, left << (width + 2) | column << 2 | far]).ravel(), width + 2

    # ---- what leaves say -------------------------------------------------------------------------------------------

    @cached_property
    def says(self) -> tuple[np.ndarray, np.ndarray | None]:
        """For each line the means, or the shares of the classes. Of one output only where there are several classes:
        then also the class of each line, or -1 - its place among these."""
        if len(self.classes) == 1:
            mixed, only = _core.leaf_table(self.stats)
            return mixed.reshape(-1, self.classes[0]), only
        return leaf_says(self.stats, self.classes, self.n_outputs, medians=self.centres is not None), None

    @cached_property
    def speaking(self) -> _core.Trees:
        """The native trees, whose leaves know what to say."""
        self.native.tell(*self.says)
        return self.native

    def leaves(self, X: np.ndarray, missing: bool, threads: int = 1, *, lines: bool = False) -> np.ndarray:
        """The place of the leaf of each row in each tree, counted from the tree's first node; or its line."""
        out = np.empty((len(X), len(self)), dtype=np.uint32)
        self.native.leaves(X, missing, lines, out, threads)
        return out

    def votes(self, X: np.ndarray, missing: bool, threads: int = 1, trees: slice = slice(None)) -> np.ndarray:
        """The sum over trees of what they say of each row."""
        begin, end, _ = trees.indices(len(self))
        out = np.zeros((len(X), self.says[0].shape[1]))
        self.speaking.votes(X, missing, begin, end, None, out, None, threads)
        return out

    # ---- one tree, node by node ------------------------------------------------------------------------------------

    def layout(self, tree: int) -> tuple[np.ndarray, ...]:
        """(left, right, column, threshold, missing_left, origin, depth) by scikit-learn's numbers of nodes."""
        return self.native.layout(tree)

    def node_sums(self, tree: int) -> tuple[np.ndarray, np.ndarray]:
        """Lines and numbers of rows of all nodes of a tree, by their places here."""
        size = int(self.first[tree + 1] - self.first[tree])
        stats, rows = np.empty((size, self.stats.shape[1])), np.empty(size, dtype=np.int64)
        self.native.sum_up(tree, self.stats, self.rows, stats, rows)
        if self.centres is not None:
            stats[:, 1:] = self.centres[self.first[tree] : self.first[tree + 1]]
        return stats, rows

    def empty(self) -> _core.Forest:
        """A forest of the same kind without trees."""
        return _core.Forest(self.n_columns, self.stats.shape[1], bool(self.classes))


def leaf_says(stats: np.ndarray, classes: tuple[int, ...], n_outputs: int, *, medians: bool = False) -> np.ndarray:
    """Shares of the classes, output after output, or means or medians."""
    if medians:
        return np.ascontiguousarray(stats[:, 1 : 1 + n_outputs])
    if not classes:
        return np.ascontiguousarray(stats[:, 1 : 1 + n_outputs] / stats[:, :1])
    return _core.leaf_shares(np.ascontiguousarray(stats), list(classes)).reshape(stats.shape)


def impurities(stats: np.ndarray, classes: tuple[int, ...], n_outputs: int, criterion: str) -> np.ndarray:
    """How mixed nodes are, from their lines; the mean over outputs."""
    if not classes:
        mean, other = stats[:, 1 : 1 + n_outputs] / stats[:, :1], stats[:, 1 + n_outputs :] / stats[:, :1]
        if criterion == "absolute_error":
            spread = other
        elif criterion == "poisson":
            spread = other - mean * np.log(mean, out=np.zeros_like(mean), where=mean > 0)
        else:
            spread = other - mean**2
        return np.maximum(spread.mean(axis=1), 0.0)
    shares = leaf_says(stats, classes, n_outputs)
    if criterion == "gini":
        own = shares**2
        return np.maximum((n_outputs - own.sum(axis=1)) / n_outputs, 0.0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.abs((shares * logs).sum(axis=1)) / n_outputs
