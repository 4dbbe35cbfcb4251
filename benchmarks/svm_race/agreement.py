"""Do two solutions of one box problem agree as far as their certified gaps allow?

An objective D of the dual lies at most its gap below the optimum, so two of them differ by at most the larger gap. The
weights of a model lie at most sqrt(2 gap) from those of the optimum, so the scores of two models at x differ by at
most (sqrt(2 gap) + sqrt(2 gap')) sqrt(k(x, x)) and the difference of their intercepts; a label may differ only where
the score is smaller than that: a tie.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.certificate.svm import certify_svm
from widemargin.kernels import RBF
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems
from widemargin.model.box import BoxProblem


@dataclass(frozen=True)
class Point:
    """A solution with what was recomputed of it in float64; scores, intercept and norm are the model's."""

    dual: float
    gap: float
    rho: float  # what the model was divided by
    intercept: float
    norm: float  # |w| before the division
    scores: np.ndarray


@dataclass(frozen=True)
class Agreement:
    objective: float  # how far the objectives are apart
    allowed: float
    rows: int
    differ: int  # labels that differ
    wrong: int  # of them, those that are no ties; for numbers, those further apart than the gaps allow

    @property
    def holds(self) -> bool:
        return self.objective <= self.allowed and self.wrong == 0


def box_problem(form: str, y: np.ndarray, target: np.ndarray, p: dict[str, float]) -> BoxProblem:
    ones = np.ones(len(y))
    return {
        "c_svc": lambda: BoxProblem.c_svc(y, p["C"]),
        "nu_svc": lambda: BoxProblem.nu_svc(y, ones, p["nu_svc_nu"]),
        "one_class": lambda: BoxProblem.one_class(ones, p["one_class_nu"]),
        "eps_svr": lambda: BoxProblem.eps_svr(target, p["epsilon"], p["C"]),
        "nu_svr": lambda: BoxProblem.nu_svr(target, p["C"], ones, p["nu_svr_nu"]),
    }[form]()


def libsvm_point(form: str, X: np.ndarray, problem: BoxProblem, gamma: float, found: dict[str, Any]) -> Point:
    """LIBSVM's answer certified by us; its nu-SVC comes divided by the margin, which the fixed sums give back."""
    coef, rho, scale = np.asarray(found["coef"]), 0.0, 1.0
    if form == "nu_svc":
        scale = rho = problem.total[0] / float(coef[coef > 0].sum())
    elif form == "nu_svr":
        rho = -float(found["epsilon"])
    c = coef * scale
    b = c if problem.n_variables == problem.n else np.concatenate([np.maximum(c, 0.0), np.minimum(c, 0.0)])
    if form == "nu_svr":  # where the tube is empty both sides of a row may be used; only their difference is known
        b = _filled(b, problem)
    source = GramSource(RBF(gamma), RowItems(X))
    certificate = certify_svm(source, problem, b, intercept=-float(found["rho"]), rho=rho, scale=scale)
    square = max(2 * (float(problem.t @ b) - certificate.dual), 0.0)
    return Point(
        certificate.dual,
        max(certificate.gap, 0.0) + certificate.rounding,
        scale,
        -float(found["rho"]),
        math.sqrt(square),
        np.asarray(found["scores"]),
    )


def _filled(b: np.ndarray, problem: BoxProblem) -> np.ndarray:
    """Both sides of rows raised together until the sums are what they must be: neither Kb nor the objective changes."""
    b, n = b.copy(), problem.n
    missing = problem.total[0] - b[:n].sum()
    if missing > 0:
        room = np.minimum(problem.upper[:n] - b[:n], b[n:] - problem.lower[n:])
        step = np.clip(missing - (np.cumsum(room) - room), 0.0, room)
        b[:n] += step
        b[n:] -= step
    return b


def our_point(form: str, model: Any, problem: BoxProblem, Z: np.ndarray) -> Point:
    c = model.certificate_
    b = model.proof_.b if form in ("eps_svr", "nu_svr", "one_class") else model.proof_[0].b
    square = max(2 * (float(problem.t @ b) - c.dual), 0.0)
    scores = model.predict(Z) if form.endswith("svr") else model.decision_function(Z)
    rho = float(model.proof_[0].rho) if form == "nu_svc" else 1.0
    return Point(c.dual, max(c.gap, 0.0) + c.rounding, rho, float(model.intercept_[0]), math.sqrt(square), scores)


def reach(ours: Point, peer: Point) -> float:
    """How far the scores of two models of a kernel with k(x, x) = 1 may be apart."""
    weights = (math.sqrt(2 * ours.gap) + math.sqrt(2 * peer.gap)) / ours.rho
    return weights + peer.norm * abs(1 / ours.rho - 1 / peer.rho) + abs(ours.intercept - peer.intercept)


def agreement(form: str, ours: Point, peer: Point, obj: float) -> Agreement:
    """`obj` is what LIBSVM printed: minus the dual objective, of nu-SVC divided by the square of the margin."""
    allowed = max(ours.gap, peer.gap)
    printed = abs(obj * peer.rho**2 + ours.dual) - peer.rho**2 * (
        1e-6 + 2.0**-22 * abs(obj)
    )  # six decimals, float32 values
    objective = max(abs(ours.dual - peer.dual), printed if math.isfinite(obj) else math.inf)
    near = reach(ours, peer) + 1e-9
    apart = np.abs(ours.scores - peer.scores)
    if form.endswith("svr"):
        return Agreement(objective, allowed, len(apart), 0, int(np.count_nonzero(apart > near)))
    differ = (ours.scores > 0) != (peer.scores > 0)
    wrong = differ & (np.maximum(np.abs(ours.scores), np.abs(peer.scores)) > near)
    return Agreement(objective, allowed, len(apart), int(differ.sum()), int(wrong.sum()))
