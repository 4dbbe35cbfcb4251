"""Our regression trees as members: columns are ranked once for all rounds, and splits found by sums over their codes.

Problem  the tree that `DecisionTreeRegressor(max_bins=..., max_depth=...)` would grow, for one weighted target after
         the other
Method   core/solver/boost_trees.hpp. Of equal splits the first counts, where a single tree draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from .. import _core
from ..base.params import Integral
from ..base.records import Trace
from ..base.seeds import keyed
from ..certificate.forest import ForestProof
from ..certificate.record import ForestCertificate
from ..model.grove import can_join, joined, parted
from ..model.trees import Trees
from ..solver.weak import Answer, Ask, EstimatorLearner, Sample
from .tree import DecisionTreeRegressor

DEEPEST = 64
CLAIM = "a member of a sum, which has a certificate"


def grows_by_counting(template: Any) -> bool:
    """A tree with bins and no other wish than limits of depth and rows."""
    if type(template) is not DecisionTreeRegressor or template.max_bins is None:
        return False
    plain = DecisionTreeRegressor().get_params()
    limits = {"max_depth", "max_bins", "min_samples_leaf", "min_samples_split", "n_jobs", "random_state", "criterion"}
    given = template.get_params()
    return (
        all(given[name] == plain[name] for name in plain if name not in limits)
        and template.criterion in ("squared_error", "friedman_mse")
        and 1 <= (template.max_depth or 0) <= DEEPEST
        and isinstance(template.min_samples_leaf, Integral)
        and isinstance(template.min_samples_split, Integral)
    )


class HistogramLearner(EstimatorLearner):
    """Such trees, one for each ask; where values are missing they are grown as any other member is."""

    def __init__(
        self, sample: Sample, template: Any, labels: np.ndarray, seed: int, drawn: bool | None, threads: int
    ) -> None:
        super().__init__(sample, template, labels, seed, drawn)
        template._validate_params()
        self.threads = threads
        self.ground = _core.TreeGround(np.ascontiguousarray(sample.X), template.max_bins, threads)

    def answer(self, ask: Ask, t: int = 0) -> Answer:
        if not self.ground.takes:
            return super().answer(ask, t)
        s, tree = self.sample, clone(self.template)
        w = ask.v / ask.v.max() if s.u is None else ask.v / ask.v.max() * s.u
        w, said = np.maximum(w, np.finfo(np.float64).tiny), np.empty(s.n)
        limits = (int(tree.max_depth), int(tree.min_samples_split), int(tree.min_samples_leaf))
        nodes, shift, first, stats, rows, sets = self.ground.grow(
            w, np.asarray(ask.z, np.float64), *limits, said, self.threads
        )
        seed = int(keyed(self.seed, "learner", t).integers(2**31))
        trees = Trees(nodes, shift, first, stats.reshape(-1, 3), rows, sets, s.X.shape[1], ())
        return Answer(counted_tree(tree, trees, seed, s.n), said[:, None], np.nan)


def counted_tree(tree: DecisionTreeRegressor, trees: Trees, seed: int, n: int) -> DecisionTreeRegressor:
    """`tree` as if fitted to n rows."""
    tree.set_params(random_state=seed)
    vars(tree).update(
        trees_=trees,
        n_outputs_=1,
        n_features_in_=trees.n_columns,
        max_features_=trees.n_columns,
        proof_=ForestProof(seed, 0, 0, n, True),
        trace_=Trace(),
        stop_reason_="all 1 tree grown",
        certificate_=ForestCertificate(claim=CLAIM, kind="estimate", data_digest="", n_trees=1),
    )
    return tree


@dataclass(frozen=True, eq=False)
class Grove:
    """Such trees as a file keeps them: one tree without its fit, all fits, and the seed of each."""

    template: Any
    trees: Any
    lines: np.ndarray
    seeds: np.ndarray
    n: int

    @classmethod
    def of(cls, members: Sequence[Any]) -> Grove | None:
        """None where the members are others, or few."""
        if len(members) < 2 or not all(_is_counted(m) for m in members) or not can_join([m.trees_ for m in members]):
            return None
        given, rows = [m.get_params() | {"random_state": None} for m in members], {m.proof_.rows for m in members}
        if len(rows) > 1 or any(params != given[0] for params in given):
            return None
        trees, lines = joined([m.trees_ for m in members])
        return cls(type(members[0])(**given[0]), trees, lines, np.array([m.random_state for m in members]), rows.pop())

    def members(self) -> list[Any]:
        each = zip(parted(self.trees, self.lines), self.seeds.tolist(), strict=True)
        return [counted_tree(clone(self.template), tree, seed, self.n) for tree, seed in each]


def _is_counted(member: Any) -> bool:
    fitted = type(member) is DecisionTreeRegressor and isinstance(getattr(member, "proof_", None), ForestProof)
    return fitted and member.certificate_.claim == CLAIM and type(member.random_state) is int


def packed(booster: Any) -> dict[str, Any]:
    """The attributes of a booster as a file keeps them."""
    grove = Grove.of(vars(booster).get("members_", ()))
    return vars(booster) if grove is None else {**vars(booster), "members_": [], "grove_": grove}


def unpack(booster: Any) -> None:
    """Members from the grove, if there is one."""
    grove = vars(booster).pop("grove_", None)
    if grove is not None:
        if booster.members_:
            raise ValueError("there are members beside those of the grove")
        booster.members_ = grove.members()
