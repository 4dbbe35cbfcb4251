"""How a linear machine's fit ended, in sentences: what was reached, what was asked, why, what to do."""

from __future__ import annotations

from typing import Any


def reached(estimator: Any, c: Any) -> bool:
    """Whether the recomputed gap is what was asked for."""
    # Where the optimum is 0, a gap relative to it says nothing: then rounding is the measure.
    nothing = max(abs(c.primal), abs(c.dual), c.gap) <= c.rounding
    return bool(c.holds is not False and (c.relative_gap <= estimator.tol or nothing))


def sentence(estimator: Any, solved: Any) -> str:
    """For a part that ended."""
    s, c, kind = solved.solution, solved.certificate, solved.solution.stop.kind
    steps = f"{s.steps} step{'s' * (s.steps != 1)} of {s.solver}"
    tol = f"{estimator.tol:.2g}"
    if kind == "converged" and c.relative_gap > estimator.tol:
        return f"converged: the objective is 0 to rounding ({c.rounding:.2g})"
    if kind == "converged":
        return f"converged: relative gap {c.relative_gap:.2g} <= {tol} after {steps}"
    figures = f"relative gap {c.relative_gap:.2g} reached, {tol} asked"
    if c.holds is False:
        figures += f" ({c.claim})"
    if kind == "epochs":
        return f"max_iter={estimator.max_iter} is reached after {steps}: {figures}: raise max_iter or tol."
    if kind == "time":
        return (
            f"max_time={estimator.max_time} s is over after {steps}: {figures}: raise max_time or tol, lower C, or "
            "scale the features."
        )
    if kind == "asked":
        return f"stopped on request after {steps}: {figures}: fit again to go on to the end."
    return f"rounding allows no further step after {steps}: {figures}: scale the features, lower C, or raise tol."


def interrupted(estimator: Any, solved: Any) -> str:
    """For a part that Ctrl-C cut short."""
    return (
        f"interrupted after {solved.solution.steps} steps; {estimator.tol:.2g} was asked for the relative gap, and "
        "certify says what was reached: fit again to go on to the end, or use the model as it is."
    )
