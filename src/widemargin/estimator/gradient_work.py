"""The parts of a fit by stochastic gradients under way, and the gap that each has reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.drive import geometric_steps
from ..base.records import Stop
from ..certificate.record import SVMCertificate
from ..solver.parts import Parts, PartsState, worst

RATIO = 1.5  # of the epochs at which the gap is recomputed: all of it costs a few epochs


class ProvedParts(Parts):
    """Parts that end when their duality gap, recomputed after growing numbers of epochs, is what was asked for.

    `certify(state, k)` gives the certificate of part k as it is, and the dual point that it rests on; `tol` is None
    where nobody waits for a gap.
    """

    def __init__(
        self,
        solvers: list[Any],
        threads: int,
        certify: Callable[[Any, int], tuple[SVMCertificate, np.ndarray]],
        tol: float | None,
    ) -> None:
        super().__init__(solvers, threads)
        self.columns = (*self.columns, "gap")
        self._certify, self.tol = certify, tol
        self.certificates: list[Any] = [None] * len(solvers)
        self.points: list[Any] = [None] * len(solvers)
        self._proved_at = [-1] * len(solvers)
        self._looks = geometric_steps(1, RATIO)
        self._next = next(self._looks)

    def advance(self, state: PartsState, budget: int, until: int) -> str | None:
        kind = super().advance(state, budget, min(until, self._next) if self.tol is not None else until)
        step = self.step(state)
        if self.tol is None or step < self._next:
            return kind
        while self._next <= step:
            self._next = next(self._looks)
        for k, certificate in enumerate(self.prove(state)):
            if state.kinds[k] is None and reached(certificate, self.tol):
                state.kinds[k] = "converged"
        return None if None in state.kinds else worst(state.kinds)

    def prove(self, state: PartsState) -> list[SVMCertificate]:
        """The certificates of all parts as they are; those that have not moved since are not computed again."""
        for k, one in enumerate(state.states):
            if self._proved_at[k] != one.visits:
                self.certificates[k], self.points[k] = self._certify(one, k)
                self._proved_at[k] = one.visits
        return self.certificates

    def gap(self, k: int) -> float:
        """The relative gap of part k when it was last recomputed; 1 at the start, where w is 0."""
        certificate = self.certificates[k]
        gap = None if certificate is None else certificate.relative_gap
        return 1.0 if gap is None else gap

    def look(self, state: PartsState) -> dict[str, Any]:
        looks = [s.look(x) for s, x in zip(self.solvers, state.states, strict=True)]
        columns = {name: sum(look[name] for look in looks) for name in self.columns if name != "gap"}
        return {**columns, "gap": max(self.gap(k) for k in range(len(self.solvers)))}

    def explain(self, state: PartsState, *limits: Any) -> Callable[[str], Stop]:
        """The sentence of the only part, or the count of parts that reached the gap and that of one that did not."""
        max_iter, max_time = limits

        def sentence(kind: str) -> Stop:
            kinds = [k or kind for k in state.kinds]
            at = max(range(len(kinds)), key=lambda k: (kinds[k] == worst(kinds), self.gap(k)))
            words = _sentence(kinds[at], state.states[at], self.gap(at), self.tol, max_iter, max_time)
            if len(kinds) > 1:
                good = sum(k == "converged" for k in kinds)
                words = f"{good} of {len(kinds)} binary parts converged; part {at}: {words}"
            return Stop(kinds[at], words)

        return sentence


def reached(certificate: SVMCertificate, tol: float) -> bool:
    return bool(certificate.holds and certificate.relative_gap is not None and certificate.relative_gap <= tol)


def _sentence(kind: str, state: Any, gap: float, tol: float | None, max_iter: int, max_time: float | None) -> str:
    """How a part ended: what was reached, what was asked, why, what to do."""
    done = f"{state.steps} step{'s' * (state.steps != 1)} in {state.epoch} epochs"
    figures = f"relative gap {gap:.2g}" + ("" if tol is None else f" reached, {tol:.2g} asked")
    if kind == "converged":
        return f"converged: relative gap {gap:.2g} <= {tol or 0:.2g} after {done}"
    if kind == "time":
        return f"max_time={max_time} s is over after {done}: {figures}: raise max_time or alpha, or use LinearSVC"
    if kind == "asked":
        return f"stopped on request after {done}: {figures}"
    return f"all {max_iter} epochs done ({done}): {figures}: raise max_iter or alpha, or use LinearSVC"
