"""Trees of one leaf table each, as one table of all: a file of many small trees would be mostly names.

Symbols  tree t has the nodes first[t] to first[t + 1], and lines[t] lines of the table behind those of tree t - 1
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .trees import LEAF_KEY, LINES, Trees


def can_join(trees: Sequence[Trees]) -> bool:
    """Whether they are single trees of one kind, for numbers, without categories, and short enough together."""
    a = trees[0]
    alike = all(
        (len(t), t.shift, t.n_columns, t.classes, t.n_outputs, t.categorical, t.centres, len(t.sets))
        == (1, a.shift, a.n_columns, (), a.n_outputs, None, None, 0)
        for t in trees
    )
    return alike and a.shift > 0 and sum(len(t.rows) for t in trees) <= LINES


def joined(trees: Sequence[Trees]) -> tuple[Trees, np.ndarray]:
    """All of them as one, and how many lines each has."""
    a, lines = trees[0], np.array([len(t.rows) for t in trees])
    nodes = [_moved(t, up) for t, up in zip(trees, lines.cumsum() - lines, strict=True)]
    first = np.concatenate([[0], np.cumsum([t.first[1] for t in trees])]).astype(np.int64)
    stats, rows = np.concatenate([t.stats for t in trees]), np.concatenate([t.rows for t in trees])
    whole = Trees(np.concatenate(nodes), a.shift, first, stats, rows, a.sets, a.n_columns, (), a.n_outputs)
    return whole, lines


def parted(whole: Trees, lines: np.ndarray) -> list[Trees]:
    """Each by itself again; ValueError where a leaf names a line of another tree."""
    if len(lines) != len(whole) or (lines < 1).any() or int(lines.sum()) != len(whole.rows) or not whole.shift:
        raise ValueError(f"{len(whole)} trees with {len(whole.rows)} lines are said to have {lines.tolist()[:9]} …")
    found = []
    for t, (end, count) in enumerate(zip(lines.cumsum().tolist(), lines.tolist(), strict=True)):
        one, here = whole.take(t), slice(end - count, end)
        leaf, *_, line = one.parts()
        if ((line[leaf] < here.start) | (line[leaf] >= here.stop)).any():
            raise ValueError(f"a leaf of tree {t} names a line of another tree")
        args = (whole.stats[here].copy(), whole.rows[here].copy(), whole.sets, whole.n_columns, (), whole.n_outputs)
        found.append(Trees(_moved(one, -here.start), whole.shift, one.first, *args))
    return found


def _moved(tree: Trees, by: int) -> np.ndarray:
    """The nodes of a tree whose lines stand elsewhere."""
    nodes = tree.nodes.reshape(-1, tree.words).copy()
    leaf, *_, line = tree.parts()
    nodes[leaf, 0] = LEAF_KEY + (line[leaf].astype(np.int64) + by).astype(np.uint32)
    return nodes.ravel()
