"""What LIBSVM's programs print, to the letter: scripts read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.model.pairs import pairs
from widemargin.store import LibsvmModel


@dataclass(frozen=True)
class PartFigures:
    """What LIBSVM says about one solved problem; `extra` is its line of nu, C or epsilon."""

    steps: int
    extra: str
    objective: float
    rho: float
    n_support: int
    n_bounded: int

    def lines(self) -> list[str]:
        head = ["optimization finished, #iter = " + str(self.steps), *([self.extra] if self.extra else [])]
        return [
            *head,
            f"obj = {self.objective:f}, rho = {self.rho:f}",
            f"nSV = {self.n_support}, nBSV = {self.n_bounded}",
        ]


def figures_of(estimator: Any, model: LibsvmModel, C: float, equal_costs: bool) -> list[PartFigures]:
    """One for each solved problem, in LIBSVM's order of the pairs of classes."""
    if not model.is_classifier:
        return [_of_one(estimator, model, C)]
    k = len(model.labels)
    codes = np.searchsorted(estimator.classes_.astype(np.int64), model.labels)
    number = {pair: p for p, pair in enumerate(pairs(k))}
    found = []
    certificates = list(estimator.certificate_.parts.values()) or [estimator.certificate_]
    for p, (a, b) in enumerate(pairs(k)):
        i, j = sorted((int(codes[a]), int(codes[b])))
        q = number[i, j]
        c, point = certificates[q], estimator.proof_[q]
        nu = model.svm_type == "nu_svc"
        extra = f"C = {1 / point.rho:f}" if nu else ""
        if not nu and equal_costs:
            extra = f"nu = {np.abs(point.b).sum() / (C * len(point.b)):f}"
        scale = point.rho**2 if nu else 1.0
        rho = float(model.rho[p])
        steps = int(estimator.n_iter_[q])
        found.append(PartFigures(steps, extra, -c.dual / scale, rho, c.n_free + c.n_bounded, c.n_bounded))
    return found


def _of_one(estimator: Any, model: LibsvmModel, C: float) -> PartFigures:
    certificate, point = estimator.certificate_, estimator.proof_
    extra = ""
    if model.svm_type == "epsilon_svr":
        extra = f"nu = {np.abs(estimator.dual_coef_).sum() / (C * (len(point.b) // 2)):f}"
    if model.svm_type == "nu_svr":
        extra = f"epsilon = {-point.rho:f}"
    support = int(np.count_nonzero(model.coef))
    return PartFigures(
        int(estimator.n_iter_), extra, -certificate.dual, float(model.rho[0]), support, certificate.n_bounded
    )


def accuracy_line(right: int, rows: int) -> str:
    return f"Accuracy = {100 * right / rows:g}% ({right}/{rows}) (classification)"


def regression_figures(truth: np.ndarray, called: np.ndarray) -> tuple[float, float]:
    """(mean squared error, squared correlation); the latter is nan where one side does not vary."""
    error = float(np.mean((called - truth) ** 2))
    spread = float(np.var(truth) * np.var(called))
    together = float(np.mean((truth - truth.mean()) * (called - called.mean())))
    return error, together**2 / spread if spread > 0 else float("nan")
