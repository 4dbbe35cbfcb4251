"""Trees cut back by cost and complexity: core/model/prune.hpp on the nodes of a tree."""

from __future__ import annotations

import numpy as np

from .. import _core
from .tree_view import TreeView, held_weight
from .trees import Trees


def prune_path(view: TreeView) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(alphas, costs, step): alpha and cost of the leaves after each cut, the whole tree first; by node the cut that
    made it a leaf, 0 for none."""
    cost = view.weighted_n_node_samples * view.impurity / held_weight(view)
    return _core.prune_path(view.children_left, view.children_right, cost)


def pruned(trees: Trees, criterion: str, alpha: float) -> Trees:
    """Every tree as it minimises cost + alpha times its leaves."""
    if alpha == 0.0:
        return trees
    forest = trees.empty()
    for t in range(len(trees)):
        one = trees.take(t)
        view = TreeView(one, criterion)
        alphas, _, step = prune_path(view)
        last = int(np.searchsorted(np.maximum.accumulate(alphas), alpha, side="right")) - 1
        cut = np.zeros(view.node_count, dtype=np.uint8)
        cut[view._layout[5]] = (step > 0) & (step <= last)
        stats, rows = one.node_sums(0)
        forest.append_cut(one.native, 0, cut, stats, rows, one.centres)
    return Trees.grown(forest, trees.n_columns, trees.classes, trees.n_outputs, trees.categorical)
