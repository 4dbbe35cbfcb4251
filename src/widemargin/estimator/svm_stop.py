"""How a support vector machine's fit ended, in sentences: what was reached, what was asked, why, what to do."""

from __future__ import annotations

from typing import Any

# The first words of the peers, since programs look for them.
EARLY = "Solver terminated early (max_iter={}).  Consider pre-processing your data with StandardScaler or MinMaxScaler."


def reached(estimator: Any, solved: Any) -> bool:
    """Whether the recomputed figures of a certificate, none of which is missing, are what was asked for."""
    c = solved.certificate
    return meets(estimator, c) or bool(c.holds is not False and is_nothing(solved) and c.kkt_violation <= estimator.tol)


def meets(estimator: Any, c: Any) -> bool:
    """Whether gap and violation are what was asked for."""
    return bool(c.holds is not False and c.relative_gap <= estimator.gap_tol and c.kkt_violation <= estimator.tol)


def is_nothing(solved: Any) -> bool:
    """Whether the optimum is 0: a gap relative to it says nothing, so rounding is the measure: that of the check, and
    what the last digits of the coefficients make of an objective without a linear term."""
    c = solved.certificate
    if c.primal is None:  # nothing was recomputed
        return False
    return bool(max(abs(c.primal), abs(c.dual), c.gap) <= c.rounding + solved.resolution)


def sentence(estimator: Any, solved: Any) -> str:
    """For a part that ended."""
    s, c, kind = solved.solution, solved.certificate, solved.solution.stop.kind
    steps = f"{s.steps} step{'s' * (s.steps != 1)}"
    gap, tol = f"{estimator.gap_tol:.2g}", f"{estimator.tol:.2g}"
    if kind == "converged" and (c.relative_gap > estimator.gap_tol or (is_nothing(solved) and estimator._of_nothing)):
        rounding = c.rounding + solved.resolution
        said = f"the objective is 0 to rounding ({rounding:.2g}), violation {c.kkt_violation:.2g} <= {tol}"
        return f"converged: {said}{estimator._of_nothing}"
    if kind == "converged":
        figures = f"relative gap {c.relative_gap:.2g} <= {gap} and violation {c.kkt_violation:.2g} <= {tol}"
        return f"converged: {figures} after {steps}"
    figures = f"relative gap {c.relative_gap:.2g} and violation {c.kkt_violation:.2g} reached, {gap} and {tol} asked"
    if c.holds is False:
        figures += f" ({c.claim})"
    if kind == "epochs":
        return (
            f"{EARLY.format(estimator.max_iter)} After {steps}: {figures}: raise max_iter, lower C, or raise gap_tol."
        )
    if kind == "time":
        sample = f" for a sample of {s.sampled} of the {solved.problem.n} rows" if s.sampled else ""
        return (
            f"max_time={estimator.max_time} s is over after {steps}{sample} and {c.seconds:.2g} s for the certificate: "
            f"{figures}: raise max_time, lower C, or scale the features."
        )
    if kind == "asked":
        return f"stopped on request after {steps}: {figures}: fit again to go on to the end."
    return f"rounding allows no further step after {steps}: {figures}: scale the features, lower C, or raise gap_tol."


def interrupted(estimator: Any, solved: Any) -> str:
    """For a part that Ctrl-C cut short."""
    gap = solved.certificate.relative_gap
    reached = "certify says what was reached" if gap is None else f"{gap:.2g} was reached"
    return (
        f"interrupted after {solved.solution.steps} steps; {estimator.gap_tol:.2g} was asked for the relative gap, and "
        f"{reached}: fit again to go on to the end, or use the model as it is."
    )
