"""A tree drawn node by node, without Graphviz."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import BadInput
from .style import FAINT, INK, axes, colour, tint, title

LETTERS = 18  # of the name of a column or class


@dataclass
class Node:
    """A box: where it stands, what it says, and its children."""

    x: float
    depth: int
    lines: tuple[str, ...]
    face: Any
    children: tuple[int, ...]


@dataclass(kw_only=True, eq=False)
class TreeDisplay:
    """The questions of a tree and what its leaves say; left is yes.

    Make one with `from_estimator`.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
    nodes : dict of int to Node
        By scikit-learn's numbers of nodes; those below `max_depth` are left out.
    """

    nodes: dict[int, Node]
    headline: str
    note: str
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        max_depth: int = 3,
        feature_names: Any = None,
        class_names: Any = None,
        ax: Any = None,
    ) -> TreeDisplay:
        """Draw a fitted tree, ours or scikit-learn's.

        Parameters
        ----------
        estimator : fitted tree of one output
        max_depth : int, default=3
            Edges below the root that are drawn.
        feature_names, class_names : sequences of str, optional
            Columns default to those of the data frame of the fit, classes to the labels.
        ax : matplotlib Axes, optional

        Returns
        -------
        TreeDisplay
        """
        tree = getattr(estimator, "tree_", None)
        if tree is None:
            raise BadInput(f"{type(estimator).__name__} has no tree_: give a fitted tree, or one of `estimators_`.")
        if tree.n_outputs != 1:
            raise BadInput(f"a picture shows trees of one output, and this one has {tree.n_outputs}.")
        names = feature_names if feature_names is not None else getattr(estimator, "feature_names_in_", None)
        names = [f"x{j}" for j in range(tree.n_features)] if names is None else [str(n) for n in names]
        labels = getattr(estimator, "classes_", None) if class_names is None else class_names
        nodes = _nodes(tree, max_depth, names, None if labels is None else [str(one) for one in labels])
        depth = int(_depths(tree).max())
        head = f"{tree.n_leaves} leaves, {depth} edges deep"
        note = "left: yes, right: no" + (f"; drawn to depth {max_depth}, … goes on" if depth > max_depth else "")
        return cls(nodes=nodes, headline=head, note=note).plot(ax=ax)

    def plot(self, ax: Any = None) -> TreeDisplay:
        """Draw on the axes given, or on new ones."""
        wide = max(node.x for node in self.nodes.values()) + 1
        deep = max(node.depth for node in self.nodes.values()) + 1
        letters = max(len(line) for node in self.nodes.values() for line in node.lines)
        lines = max(len(node.lines) for node in self.nodes.values())
        self.figure_, self.ax_ = axes(
            ax, (max(4.5, (0.35 + 0.068 * letters) * wide), (0.4 + 0.16 * lines) * deep + 0.7)
        )
        ax = self.ax_
        for number, node in self.nodes.items():
            for child in (self.nodes[c] for c in node.children):
                ax.plot([node.x, child.x], [-node.depth, -child.depth], color=FAINT, linewidth=1.0, zorder=1)
            ax.text(
                node.x,
                -node.depth,
                "\n".join(node.lines),
                ha="center",
                va="center",
                fontsize=8,
                color=INK,
                linespacing=1.25,
                zorder=2,
                bbox={"boxstyle": "round,pad=0.35", "facecolor": node.face, "edgecolor": FAINT, "linewidth": 0.8},
                gid=f"node {number}",
            )
        ax.set_xlim(-0.7, wide - 0.3)
        ax.set_ylim(-deep + 0.45, 0.5)
        ax.set_axis_off()
        title(ax, self.headline, self.note)
        return self


def _depths(tree: Any) -> np.ndarray:
    depth = np.zeros(tree.node_count, dtype=np.int64)
    for t in range(tree.node_count):  # parents come first
        if tree.children_left[t] >= 0:
            depth[[tree.children_left[t], tree.children_right[t]]] = depth[t] + 1
    return depth


def _nodes(tree: Any, max_depth: int, names: list[str], labels: list[str] | None) -> dict[int, Node]:
    left, right, depth = tree.children_left, tree.children_right, _depths(tree)
    shown = [t for t in range(tree.node_count) if depth[t] <= max_depth]
    ends = [t for t in shown if left[t] < 0 or depth[t] == max_depth]
    place = {t: float(k) for k, t in enumerate(ends)}  # a walk from the left comes to them in this order
    for t in reversed(shown):
        if t not in place:
            place[t] = (place[left[t]] + place[right[t]]) / 2
    values = np.asarray(tree.value)[:, 0, :]
    low, high = values[:, 0].min(), values[:, 0].max()
    found = {}
    for t in shown:
        inner = left[t] >= 0
        children = (int(left[t]), int(right[t])) if inner and depth[t] < max_depth else ()
        lines = list(_question(tree, t, names)) if inner else []
        if labels is not None:
            best = int(values[t].argmax())
            share = values[t, best] / values[t].sum()
            lines.append(f"{_short(labels[best])} {100 * share:.0f} %")
            face = tint(colour(best), 0.06 + 0.3 * max(0.0, (share - 1 / len(labels)) / (1 - 1 / len(labels))))
        else:
            lines.append(f"{values[t, 0]:.4g}")
            face = tint(colour(0), 0.05 + (0.3 * (values[t, 0] - low) / (high - low) if high > low else 0.0))
        lines.append(f"{int(tree.n_node_samples[t])} rows")
        if inner and not children:
            lines.append("…")
        found[t] = Node(place[t], int(depth[t]), tuple(lines), face, children)
    return found


def _question(tree: Any, t: int, names: list[str]) -> tuple[str, str]:
    name, sets = _short(names[tree.feature[t]]), getattr(tree, "category_sets", {})
    if t in sets:
        said = ", ".join(str(c) for c in sets[t][:4]) + (" …" if len(sets[t]) > 4 else "")
        return name, f"in {{{said}}}?"
    return name, f"≤ {tree.threshold[t]:.4g}?"


def _short(name: str) -> str:
    return name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"
