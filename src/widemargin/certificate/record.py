"""The frozen records that say what was proved about a model, one small class per family.

A certificate is recomputed from the data, the model and the saved proof alone. `claim` says in one sentence what was
shown and nothing more; `holds` is True if every figure in it was recomputed and agrees, False if one does not, None if
it could not be checked (for example because the data were streamed and are gone).
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

Kind = Literal["proof", "estimate"]


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Certificate:
    """What every certificate has.

    Attributes
    ----------
    claim : str
        The statement, in one sentence with its numbers.
    kind : {"proof", "estimate"}
        Whether the figures are proved or estimated from samples.
    holds : bool or None
        True: recomputed and right. False: a figure does not agree. None: could not be checked.
    data_digest : str
        Fingerprint of the data that the claim speaks about.
    seconds : float
        Time the check took.
    parts : mapping of str to Certificate
        One certificate per class or pair of classes; empty for a single decision.
    """

    claim: str
    kind: Kind = "proof"
    holds: bool | None = None
    data_digest: str = ""
    seconds: float = 0.0
    parts: Mapping[str, Certificate] = field(default_factory=dict)

    def to_dict(self, *, witness: bool = False) -> dict[str, Any]:
        """The record as JSON-able values; `witness=True` also lists the non-zero entries of long arrays."""
        out: dict[str, Any] = {"type": type(self).__name__}
        for f in fields(self):
            if f.name != "parts":
                out[f.name] = _plain(getattr(self, f.name), witness)
        out["parts"] = {name: part.to_dict(witness=witness) for name, part in self.parts.items()}
        return out

    def figures(self) -> dict[str, Any]:
        """The family's own attributes that have a value, by name."""
        shared = {f.name for f in fields(Certificate)}
        named = ((f.name, getattr(self, f.name)) for f in fields(self) if f.name not in shared)
        return {name: value for name, value in named if value is not None}

    def verdict(self) -> str:
        """One word for `holds`."""
        return {True: "holds", False: "FAILS", None: "unchecked"}[self.holds]

    def __str__(self) -> str:
        lines = [f"{self.kind} ({self.verdict()}): {self.claim}"]
        lines += [f"  {name:<16} {_short(value)}" for name, value in self.figures().items()]
        lines += [f"  {name}: {part.verdict()}: {part.claim}" for name, part in self.parts.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.verdict()}: {self.claim}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{html.escape(_short(value))}</td></tr>"
            for name, value in [*self.figures().items(), *((k, p.claim) for k, p in self.parts.items())]
        )
        return f"<div><b>{self.kind}, {self.verdict()}</b>: {html.escape(self.claim)}<table>{rows}</table></div>"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class PerceptronCertificate(Certificate):
    """Figures of a learner that corrects itself row by row. Margins are those of unit (w, b) on rows [x, 1].

    Attributes
    ----------
    updates : int or None
        Corrections made.
    radius : float or None
        Largest length of a row [x, 1], never rounded down.
    margin : float or None
        Smallest y(w.x + b)/|(w, b)| of the model, rounded down; negative if a row is on the wrong side.
    margin_upper : float or None
        No (w, b) at all has a larger margin on these rows.
    mistake_bound : int or None
        Updates cannot exceed it (a separator of known margin exists).
    separable : bool or None
        Whether some (w, b) has all rows strictly on the right side.
    witness : ndarray or None
        Weights of the rows that prove `margin_upper`: lambda >= 0 with sum 1.
    rows_wrong : int or None
        Rows with y(w.x + b) <= 0.
    """

    updates: int | None = None
    radius: float | None = None
    margin: float | None = None
    margin_upper: float | None = None
    mistake_bound: int | None = None
    separable: bool | None = None
    witness: np.ndarray | None = None
    rows_wrong: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class PassiveAggressiveCertificate(PerceptronCertificate):
    """Also the losses suffered on the way and what they cannot exceed.

    Attributes
    ----------
    loss_sum, loss_bound : float or None
        Sum of the losses at the visits, and its bound.
    squared_loss_sum, squared_loss_bound : float or None
        The same for squared losses (only the squared rule has such a bound).
    """

    loss_sum: float | None = None
    loss_bound: float | None = None
    squared_loss_sum: float | None = None
    squared_loss_bound: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class SVMCertificate(Certificate):
    """Figures of a model that solves a convex problem: how far from the optimum it can be at most.

    Attributes
    ----------
    primal : float or None
        The objective of the model; infinite if a hard margin is broken.
    dual : float or None
        No model at all has a smaller objective than this.
    gap : float or None
        primal - dual, summed in such a way that little cancels.
    relative_gap : float or None
        gap / max(|primal|, |dual|, 1e-12 sum C_i).
    kkt_violation : float or None
        Largest violation of the optimality conditions, as LIBSVM measures it; 0 at an optimum.
    infeasibility : float or None
        How far the proof's point lies outside of its box, or its sums from their totals; the larger of both.
    n_free, n_bounded : int or None
        Coefficients strictly between their bounds, and at a bound other than 0.
    rounding : float or None
        The gap is right to within this, and of kernel machines with hinges primal and dual too: sums in float64,
        kernel values right to 2^-40 of the largest.
    """

    primal: float | None = None
    dual: float | None = None
    gap: float | None = None
    relative_gap: float | None = None
    kkt_violation: float | None = None
    infeasibility: float | None = None
    n_free: int | None = None
    n_bounded: int | None = None
    rounding: float | None = None

    merge_rules: ClassVar[dict[str, Any]] = {
        **dict.fromkeys(("primal", "dual", "gap", "n_free", "n_bounded", "rounding"), sum),
        **dict.fromkeys(("relative_gap", "kkt_violation", "infeasibility"), max),
    }


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class InseparableCertificate(Certificate):
    """Proof that two classes overlap in a feature space.

    Attributes
    ----------
    margin_upper : float or None
        No unit vector and bias of the feature space have all items on the right side by more than this.
    infeasibility : float or None
        How far the witness is from its own conditions.
    witness : ndarray or None
        lambda >= 0 with sum 1 and sum lambda y = 0: a point that the hulls of both classes share.
    rounding : float or None
        The squared distance of both points in the hulls is known to within this.
    """

    margin_upper: float | None = None
    infeasibility: float | None = None
    witness: np.ndarray | None = None
    rounding: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ExpertCertificate(Certificate):
    """Figures of a game with expert advice: own loss against that of the best expert, and what it cannot exceed.

    Attributes
    ----------
    rounds : int or None
    loss : float or None
        Sum of own losses; for a vote, its errors.
    best_loss : float or None
        Sum of the losses of the best expert.
    best_expert : int or None
        The first of those.
    regret : float or None
        loss - best_loss.
    regret_bound : float or None
        No sequence of losses at all makes the regret larger than this.
    worst_round : int or None
        The round, counted from 1, after which the regret was closest to its bound.
    rounding : float or None
        The regret is right to within this.
    """

    rounds: int | None = None
    loss: float | None = None
    best_loss: float | None = None
    best_expert: int | None = None
    regret: float | None = None
    regret_bound: float | None = None
    worst_round: int | None = None
    rounding: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ForestCertificate(Certificate):
    """Figures of trees and of ensembles of them. The error is a share of wrong labels, or a mean squared error.

    Attributes
    ----------
    n_trees : int or None
    training_error : float or None
        On the rows of the fit.
    oob_error : float or None
        On each row by the trees that have never drawn it.
    oob_se : float or None
        Its standard error, as of a mean over rows.
    n_oob : int or None
        Rows that some tree has never drawn.
    strength : float or None
        Mean margin of the out-of-bag votes: share for the right class minus that of the strongest other.
    correlation : float or None
        Of the margins of single trees.
    error_bound : float or None
        correlation (1 - strength²) / strength²: with these, the error of a forest without end is at most this.
    """

    n_trees: int | None = None
    training_error: float | None = None
    oob_error: float | None = None
    oob_se: float | None = None
    n_oob: int | None = None
    strength: float | None = None
    correlation: float | None = None
    error_bound: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class BoostingCertificate(Certificate):
    """Figures of a sum of weak learners. Margins are those of the sum divided by the largest value that it could have.

    Attributes
    ----------
    n_rounds : int or None
    training_error : float or None
        Share of the weight of rows whose label is wrong or undecided; for numbers the mean squared error.
    z : ndarray or None
        Round by round, the factor by which the mean exponential loss fell.
    product_z : float or None
        Their product: the mean exponential loss. The training error cannot exceed it.
    exp_bound : float or None
        exp(-2 sum (1/2 - error)²), which the product cannot exceed.
    loss_bound : float or None
        The mean of the loss that was made small, on a scale on which the training error cannot exceed it.
    min_margin : float or None
        The smallest margin of a row; positive if all labels are right.
    min_edge : float or None
        The smallest edge of a round. Where the learners are the best stumps: under its weights no stump at all has a
        larger one, so no sum of stumps has a larger smallest margin.
    margin_gap : float or None
        min_edge - min_margin: how far the margin is from the largest one at most.
    potential, time_left : float or None
        BrownBoost: the mean potential, which stays what it was at the beginning, and what is left of its time.
    """

    n_rounds: int | None = None
    training_error: float | None = None
    z: np.ndarray | None = None
    product_z: float | None = None
    exp_bound: float | None = None
    loss_bound: float | None = None
    min_margin: float | None = None
    min_edge: float | None = None
    margin_gap: float | None = None
    potential: float | None = None
    time_left: float | None = None


# How a parent's figure comes from its parts'; a figure that one part lacks is missing in the parent too.
_MERGE = {
    "updates": sum,
    "radius": max,
    "margin": min,
    "margin_upper": min,
    "mistake_bound": sum,
    "rows_wrong": sum,
    "loss_sum": sum,
    "loss_bound": sum,
    "squared_loss_sum": sum,
    "squared_loss_bound": sum,
}


def verdict_of_all(verdicts: list[bool | None]) -> bool | None:
    """True if all are, False if one is, otherwise None."""
    if any(v is False for v in verdicts):
        return False
    return None if any(v is None for v in verdicts) else True


@cache
def _rules(kind_of: type[Certificate]) -> dict[str, Any]:
    """How each of a family's own figures is merged."""
    rules, own = {**_MERGE, **getattr(kind_of, "merge_rules", {})}, {f.name for f in fields(kind_of)}
    return {name: rule for name, rule in rules.items() if name in own}


def merge(parts: Mapping[str, Certificate], *, data_digest: str = "") -> Certificate:
    """One certificate over those of the classes or pairs: worst margin, summed updates, holds if all do.

    A family with figures of its own names its rules by a class attribute `merge_rules`: name to function of a list.
    """
    members = list(parts.values())
    if not members:
        raise ValueError("merge needs at least one certificate, got 0")
    if len(members) == 1:
        return members[0]
    kind_of: Any = type(members[0])
    figures: dict[str, Any] = {}
    of_members = [vars(m) for m in members]
    for name, rule in _rules(kind_of).items():
        values = [own.get(name) for own in of_members]
        figures[name] = None if None in values else rule(values)
    if hasattr(kind_of, "separable"):
        figures["separable"] = verdict_of_all([getattr(m, "separable", None) for m in members])
    good = sum(m.holds is True for m in members)
    return kind_of(
        claim=f"{good} of {len(members)} decisions certified" + _worst(figures),
        kind="estimate" if any(m.kind == "estimate" for m in members) else "proof",
        holds=verdict_of_all([m.holds for m in members]),
        data_digest=data_digest or members[0].data_digest,
        seconds=sum(m.seconds for m in members),
        parts=dict(parts),
        **figures,
    )


def _worst(figures: Mapping[str, Any]) -> str:
    said = [f"{figures['updates']} updates in all"] if figures.get("updates") is not None else []
    if figures.get("margin") is not None:
        said.append(f"smallest margin {figures['margin']:.4g}")
    if figures.get("relative_gap") is not None:
        said.append(f"largest relative gap {figures['relative_gap']:.2g}")
    return "".join(f"; {s}" for s in said)


def _plain(value: Any, long_arrays: bool) -> Any:
    if isinstance(value, np.ndarray):
        support = np.flatnonzero(value)
        short: dict[str, Any] = {"length": int(value.size), "nonzero": int(support.size)}
        if long_arrays:
            short |= {"rows": support.tolist(), "values": value.ravel()[support].tolist()}
        return short
    if isinstance(value, np.generic):
        value = value.item()
    # JSON has no infinity; a missing bound and an infinite one say the same.
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{np.count_nonzero(value)} rows of {value.size}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
