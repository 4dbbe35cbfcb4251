"""Several solvers side by side: the binary parts of a multiclass problem.

They advance in step, epoch by epoch, so that time limits, callbacks, validation and traces see one fit, not k.
Each part ends by its own rule; threads share the parts, and no part's result depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.records import Stop
from ..base.threads import crew


@dataclass
class PartsState:
    states: list[Any]
    kinds: list[str | None] = field(default_factory=list)  # how each part ended, None while it runs


class Parts:
    """A solver made of solvers."""

    def __init__(self, solvers: list[Any], threads: int = 1) -> None:
        self.solvers = solvers
        self.threads = threads
        self.columns = solvers[0].columns
        self.work_per_unit = sum(s.work_per_unit for s in solvers)

    def start(self, starts: list[Any] | None = None) -> PartsState:
        starts = starts or [None] * len(self.solvers)
        states = [s.start(w) for s, w in zip(self.solvers, starts, strict=True)]
        return PartsState(states, [None] * len(states))

    def advance(self, state: PartsState, budget: int, until: int) -> str | None:
        behind = [
            i
            for i, solver in enumerate(self.solvers)
            if state.kinds[i] is None and solver.step(state.states[i]) < until
        ]

        self._advance(state, behind, budget, until)
        return None if None in state.kinds else worst(state.kinds)

    def _advance(self, state: PartsState, parts: list[int], budget: int, until: int) -> None:
        """In the core where it can take several solvers at once, else by threads of Python."""
        together = getattr(self.solvers[0], "advance_all", None)
        if together is not None and len(parts) > 1:
            solvers, states = [self.solvers[i] for i in parts], [state.states[i] for i in parts]
            for i, kind in zip(parts, together(solvers, states, budget, until, self.threads), strict=True):
                state.kinds[i] = kind
            return

        def one(i: int, _cancelled: Any) -> None:
            state.kinds[i] = self.solvers[i].advance(state.states[i], budget, until)

        crew(self.threads, one, parts)

    def step(self, state: PartsState) -> int:
        steps = [s.step(x) for s, x in zip(self.solvers, state.states, strict=True)]
        running = [k for k, kind in zip(steps, state.kinds, strict=True) if kind is None]
        return min(running) if running else max(steps)

    def look(self, state: PartsState) -> dict[str, Any]:
        looks = [s.look(x) for s, x in zip(self.solvers, state.states, strict=True)]
        return {name: sum(look[name] for look in looks) for name in self.columns}

    def explain(self, state: PartsState, *limits: Any) -> Callable[[str], Stop]:
        """The sentence of the only part, or the count of parts that ended well and the sentence of one that did not."""

        def sentence(kind: str) -> Stop:
            kinds = [k or kind for k in state.kinds]
            at = kinds.index(worst(kinds))
            stop = self.solvers[at].explain(state.states[at], *limits)(kinds[at])
            if len(kinds) == 1:
                return stop
            good = sum(k == "converged" for k in kinds)
            return Stop(stop.kind, f"{good} of {len(kinds)} binary parts converged; part {at}: {stop.sentence}")

        return sentence


@dataclass
class KeptState(PartsState):
    """Of parts whose mistakes refer to rows: what else is known about the fit."""

    kept: dict[str, Any] = field(default_factory=dict)


class KeepingParts(Parts):
    """Parts whose states carry along what the estimator needs to make sense of them."""

    def __init__(self, solvers: list[Any], threads: int = 1, **kept: Any) -> None:
        super().__init__(solvers, threads)
        self.kept = kept

    def start(self, starts: list[Any] | None = None) -> KeptState:
        state = super().start(starts)
        return KeptState(state.states, state.kinds, {**self.kept, "starts": starts})


def worst(kinds: Sequence[str | None]) -> str:
    order = ["asked", "time", "flat", "epochs", "stalled", "converged"]
    return min((k for k in kinds if k is not None), key=order.index)
