"""Trees that grow one after the other: state and driver of the core's grower.

Problem  as in core/solver/grow.hpp
Stops    when there are as many trees as were asked for; a tree depends on the seed and its number alone, so a forest
         that was stopped can be grown on, and n single steps give the same trees as one of n
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..model.trees import Trees

CRITERIA = {
    "gini": 0,
    "entropy": 1,
    "log_loss": 1,
    "information_gain": 2,
    "squared_error": 3,
    "friedman_mse": 3,
    "poisson": 5,
    "absolute_error": 6,
}


@dataclass(frozen=True)
class GrowPlan:
    """How trees are grown; sizes are numbers of rows and columns, 0 is no limit."""

    criterion: str
    random: bool
    max_features: int
    max_depth: int = 0
    max_leaves: int = 0
    min_split: int = 2
    min_leaf: int = 1
    min_leaf_share: float = 0.0
    min_decrease: float = 0.0
    seed: int = 0
    draws: int = 0  # rows drawn for each tree; 0: all rows, once
    balance: bool = False
    members: int = 0  # rows are dealt out to so many trees; 0: drawn
    honest: bool = False  # half of the rows of a tree choose its splits, the others fill its leaves
    monotonic: np.ndarray | None = None  # by column: what is said may only rise (1) or fall (-1)


class ForestState:
    """The trees so far."""

    def __init__(self, columns: int, classes: tuple[int, ...], outputs: int, start: Trees | None = None) -> None:
        self.columns, self.classes, self.outputs = columns, classes, outputs
        self.forest = _core.Forest(columns, sum(classes) if classes else 1 + 2 * outputs, bool(classes))
        if start is not None and len(start):
            self.forest.append(start.native, start.stats, start.rows, start.centres)

    @property
    def grown(self) -> int:
        return self.forest.trees

    def trees(self, categorical: np.ndarray | None) -> Trees:
        return Trees.grown(self.forest, self.columns, self.classes, self.outputs, categorical)


class ForestSolver:
    """Grows trees on ground that was made ready once."""

    columns: tuple[str, ...] = ("trees",)
    work_per_unit = 1e12  # one tree at a time at first: nobody knows how long one takes

    def __init__(self, ground: _core.Ground, plan: GrowPlan, sums: np.ndarray | None, threads: int) -> None:
        self.ground, self.plan, self.sums, self.threads = ground, plan, sums, threads

    def step(self, state: ForestState) -> int:
        return state.grown

    def look(self, state: ForestState) -> dict[str, Any]:
        return {"trees": state.grown}

    def advance(self, state: ForestState, budget: int, until: int) -> str | None:
        """Some trees, as many as there are threads at least where `until` allows it."""
        self.grow(state, max(0, min(max(budget, self.threads), until - state.grown)))
        return None

    def grow(self, state: ForestState, count: int) -> None:
        p = self.plan
        state.forest.grow(
            self.ground,
            CRITERIA[p.criterion],
            p.random,
            p.max_features,
            p.max_depth,
            p.max_leaves,
            p.min_split,
            p.min_leaf,
            p.min_leaf_share,
            p.min_decrease,
            p.seed % 2**64,
            p.draws > 0,
            p.draws,
            self.sums,
            p.balance,
            p.members,
            p.monotonic,
            p.honest,
            state.grown,
            count,
            self.threads,
        )
