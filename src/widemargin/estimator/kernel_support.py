"""What a kernel perceptron keeps of its solvers: the items that were used, and the expansions on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import BadInput
from ..data.rows import Training
from ..kernels.gram import GramSource
from ..kernels.rows import RowKernel
from ..model.kernel import Steps
from ..solver.kernel_perceptron import KernelState
from ..solver.online import OnlineProof


@dataclass
class KernelTraining(Training):
    """A training set with its kernel and the items that the kernel compares."""

    kernel: Any = None
    items: Any = None

    @classmethod
    def of(cls, data: Training, kernel: Any, items: Any) -> KernelTraining:
        return cls(data.X, data.rows, data.y, data.weight, data.labels, data.scanned, data.kept, kernel, items)


@dataclass(frozen=True)
class Expansion:
    used: np.ndarray  # numbers of the items
    support: Any  # the items themselves
    coef: np.ndarray  # parts x used
    intercept: np.ndarray
    steps: list[Steps]  # one a part; empty unless all expansions vote


def kept_expansion(estimator: Any, items: Any, states: list[KernelState], places: list[np.ndarray]) -> Expansion:
    """The union of what the parts used; `places` tells for each part which items its state speaks of."""
    used = np.unique(np.concatenate([p[s.updates_of > 0] for s, p in zip(states, places, strict=True)]))
    coef = np.zeros((len(states), len(used)))
    steps = []
    for k, (state, place) in enumerate(zip(states, places, strict=True)):
        here = state.updates_of > 0
        values = state.average() if estimator.decide == "averaged" else state.c
        coef[k, np.searchsorted(used, place[here])] = values[here]
        if estimator.decide == "voted":
            steps.append(_steps(state, np.searchsorted(used, place)))
    intercept = coef.sum(axis=1) * float(estimator.fit_intercept)
    return Expansion(used, items.take(used).compact(), coef, intercept, steps)


def _steps(state: KernelState, place: np.ndarray) -> Steps:
    visit, item, step = state.joined_log()
    life = np.diff(np.concatenate([[0], visit, [state.visits]])).astype(np.float64)
    return Steps(place[item].astype(np.int32), step, life)


def kernel_proof(states: list[KernelState], places: list[np.ndarray], seed: int) -> OnlineProof:
    """Who caused how many updates; the losses met on the way are not kept."""
    used = [np.flatnonzero(s.updates_of) for s in states]
    return OnlineProof(
        np.concatenate([p[u] for u, p in zip(used, places, strict=True)]).astype(np.int64),
        np.concatenate([s.updates_of[u] for s, u in zip(states, used, strict=True)]).astype(np.int32),
        np.cumsum([0, *(len(u) for u in used)]),
        np.array([s.updates for s in states]),
        np.array([s.epoch for s in states]),
        np.zeros(len(states)),
        np.zeros(len(states)),
        np.array([s.position == 0 for s in states]),
        None,
        seed,
    )


def carried(state: KernelState, used: np.ndarray) -> KernelState:
    """The state with nothing but the used items, to go on from with the next batch."""
    visit, item, step = state.joined_log()
    log = [(visit, np.searchsorted(used, item).astype(np.int32), step)] if len(visit) else []
    return KernelState(
        state.c[used], state.a[used], state.updates_of[used], state.counters.copy(), state.sums.copy(), np.empty(0), log
    )


def refuse_overflow(source: GramSource) -> None:
    """Kernels of the core: numbers so large that values, or the squares under them, leave float64."""
    if not isinstance(source.kernel, RowKernel):
        return  # blocks of other kernels are checked as they come
    good = np.isfinite(source.diag + source.squared_norms)
    if not good.all():
        bad = np.flatnonzero(~good)
        raise BadInput(
            f"the kernel {source.kernel} overflows for {bad.size} rows, the first being row {bad[0]}: "
            "scale the data, for example with sklearn.preprocessing.StandardScaler."
        )
