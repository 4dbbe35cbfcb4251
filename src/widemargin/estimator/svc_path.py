"""A soft-margin machine for many C: one set of kernel values, each solution the start of the next."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import clone

from ..base.drive import Watch
from ..base.errors import BadInput
from ..base.memory import budget
from ..base.params import InvalidParameterError
from ..kernels.gram import GramSource
from ..kernels.whole import LazyGram, WholeGram
from ..model.curve import CPath
from ..model.dual import DualPoint, DualPoints
from ..model.multiclass import binary_parts
from ..solver.box import BoxOptions
from ..solver.folds import Fold, all_paths
from .kernel_support import refuse_overflow


def checked_Cs(Cs: Any) -> np.ndarray:
    """Rising, each once."""
    try:
        values = np.array(Cs, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError) as e:
        raise BadInput(f"Cs must hold numbers, but is {str(Cs)[:60]!r}.") from e
    if values.size == 0:
        raise BadInput("Cs is empty: give at least one value of C.")
    bad = np.flatnonzero(~((values > 0) & np.isfinite(values)))
    if bad.size:
        raise BadInput(f"Cs holds {values[bad[0]]:g} at place {bad[0]}: every C must be positive and finite.")
    return np.unique(values)


def refuse_unordered(search: Any, *names: str) -> None:
    """What has no order cannot be a list of candidates or folds."""
    for name in names:
        value = getattr(search, name)
        if isinstance(value, set | frozenset | dict):
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(search).__name__} must be a list, an array or a single value. "
                f"Got {value!r} instead."
            )


def shared_gram(
    kernel: Any, items: Any, threads: int, cache_size: float | str, last: WholeGram | LazyGram | None = None
) -> tuple[WholeGram | LazyGram, int]:
    """All kernel values at once if they fit into the memory allowed, and what is left of it; `last` is given up."""
    source = GramSource(kernel, items, threads)
    refuse_overflow(source)
    memory = budget(cache_size)
    if WholeGram.bytes(source.n) <= memory:
        return WholeGram(source, last.K if isinstance(last, WholeGram) else None), memory - WholeGram.bytes(source.n)
    return LazyGram(source), memory


class AlongC:
    """Comes before a machine that has a C."""

    def path(self, X: Any, y: Any, Cs: Any, sample_weight: Any = None) -> CPath:
        """The machines for many C with everything else as here; this one stays as it is.

        One set of kernel values serves all pairs of classes and all C; from the smallest C on, each solution is the
        start of the next. The optimum of each is that of a fit of its own, with the same certificate.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
        y : array-like of shape (n_samples,)
        Cs : array-like of float
            Positive and finite, in any order.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        CPath
            `Cs` (rising), `models` (an SVC each), `gaps`, `n_iter`, `seconds`
        """
        return path(self, X, y, Cs, sample_weight)


def path(machine: Any, X: Any, y: Any, Cs: Any, sample_weight: Any) -> CPath:
    """The optima found together, then each made exact and certified by a fit that starts there."""
    Cs = checked_Cs(Cs)
    machine = clone(machine).set_params(C=float(Cs[0]))
    machine._validate_params()
    data = machine._read(X, y, sample_weight)
    parts = binary_parts(len(data.labels.classes), machine.multiclass)
    threads = machine._threads()
    gram, memory = shared_gram(data.kernel, data.items, threads, machine.cache_size)
    weight = np.ones(data.n) if data.weight is None else data.weight
    options = BoxOptions(
        tol=machine.tol, gap_tol=machine.gap_tol, max_steps=machine.max_iter, memory=memory, threads=threads
    )
    watch = Watch(max_time=machine.max_time)
    fold = Fold(weight, np.empty(0, np.intp))
    (found,) = all_paths(gram, data.y, parts, [fold], Cs, options, watch, keep=True)
    models, seconds = [], []
    for c, C in enumerate(Cs):
        began = time.perf_counter()
        starts = [p.b[c] for p in found] if all(len(p.b) > c for p in found) else None
        models.append(_fitted(machine, float(C), starts, watch.deadline, X, y, sample_weight))
        seconds.append(time.perf_counter() - began + sum(np.nan_to_num(p.seconds[c]) for p in found))
    steps = [int(sum(np.nan_to_num(p.steps[c]) for p in found) + m.n_iter_.sum()) for c, m in enumerate(models)]
    gaps = np.array([m.certificate_.relative_gap for m in models])
    return CPath(Cs, models, gaps, np.array(steps), np.array(seconds))


def _fitted(
    machine: Any, C: float, starts: list[np.ndarray] | None, deadline: float | None, X: Any, y: Any, sample_weight: Any
) -> Any:
    model = clone(machine).set_params(C=C, warm_start=starts is not None)
    model._deadline = deadline
    if starts is not None:
        model.proof_ = DualPoints.of([DualPoint(b) for b in starts])
    model.fit(X, y, sample_weight=sample_weight)
    return model.set_params(warm_start=machine.warm_start)
