"""Our regression trees as members: columns are ranked once for all rounds, and splits found by sums over their codes.

Problem  the tree that `DecisionTreeRegressor(max_bins=..., max_depth=...)` would grow, for one weighted target after
         the other
Method   core/solver/boost_trees.hpp. Of equal splits the first counts, where a single tree draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from .. import _core
from ..base.params import Integral
from ..base.records import Trace
from ..base.seeds import keyed
from ..certificate.forest import ForestProof
from ..certificate.record import ForestCertificate
from ..model.trees import Trees
from ..solver.weak import Answer, Ask, EstimatorLearner, Sample
from .tree import DecisionTreeRegressor

DEEPEST = 64


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
        tree.set_params(random_state=seed)
        d = s.X.shape[1]
        trees = Trees(nodes, shift, first, stats.reshape(-1, 3), rows, sets, d, ())
        vars(tree).update(
            trees_=trees,
            n_outputs_=1,
            n_features_in_=d,
            max_features_=d,
            proof_=ForestProof(seed, 0, 0, s.n, True),
            trace_=Trace(),
            stop_reason_="all 1 tree grown",
            certificate_=ForestCertificate(
                claim="a member of a sum, which has a certificate", kind="estimate", data_digest="", n_trees=1
            ),
        )
        return Answer(tree, said[:, None], np.nan)
