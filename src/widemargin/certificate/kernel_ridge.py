"""How far a kernel ridge regression can be from its optimum.

Problem  P(c, b) = 1/2 sum_i w_i (z_i - f_i - b)^2 + alpha/2 c'Kc,   f = Kc, b free (or 0)
         D(c) = alpha z.c - alpha^2/2 sum_i c_i^2 / w_i - alpha/2 c'Kc,   sum c = 0 (or free)
Symbols  r_i = z_i - f_i - b
Stops    D(c) <= P(c', b) for all, and P - D = 1/2 sum_i w_i (r_i - alpha c_i / w_i)^2 - alpha b sum c at one c: no
         cancellation is left in it
Method   [SaundersEtAl98]; the dual with a free b as in [BoydVandenberghe04, sec. 5.2]
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .bounded import UNIT, gamma
from .expansion import expansion
from .record import SVMCertificate
from .svm import EQUAL, FEASIBLE, gap_sentence
from .svm_points import gap_figures


def certify_kernel_ridge(
    source: Any,
    z: np.ndarray,
    c: np.ndarray,
    *,
    alpha: float,
    intercept: float,
    weight: np.ndarray | None = None,
    fit_intercept: bool = True,
    coef: np.ndarray | None = None,
    psd: bool = True,
    data_digest: str = "",
) -> SVMCertificate:
    """Recompute both objectives of a kernel ridge regression.

    Parameters
    ----------
    source : GramSource
    z : ndarray of shape (n,)
        Targets.
    c : ndarray of shape (n,)
        The saved proof: a point of the dual.
    alpha, intercept, weight, fit_intercept
        Penalty, the model's b, weights of the items (None = 1), whether b was free.
    coef : ndarray of shape (n,), optional
        The model's coefficients, to be compared with the proof.
    psd : bool, default=True
        Whether the kernel is known to be positive semidefinite.

    Returns
    -------
    SVMCertificate
        `n_free` counts the coefficients that are not 0; there are no bounds.
    """
    began = time.perf_counter()
    c, w = np.array(c, dtype=np.float64).ravel(), np.ones(len(z)) if weight is None else weight
    if c.size != len(z) or c.size != source.n:
        fault = f"the proof has {c.size} coefficients for {source.n} items"
        return SVMCertificate(claim=fault, holds=False, data_digest=data_digest)
    f, e = expansion(source, c)
    r = z - f - intercept
    off = r - alpha * c / w
    total = float(c.sum())
    square = float(c @ f)
    primal = float(w @ r**2) / 2 + alpha * square / 2
    dual = alpha * float(z @ c) - alpha**2 * float((c**2 / w).sum()) / 2 - alpha * square / 2
    gap = float(w @ off**2) / 2 - (alpha * intercept * total if fit_intercept else 0.0)
    of_r = e + 4 * UNIT * (np.abs(z) + np.abs(f) + abs(intercept) + np.abs(alpha * c / w))
    rounding = float(w @ (np.abs(off) * of_r + of_r**2)) + gamma(c.size + 8) * abs(gap)
    # A sum of c that is not 0 to the last bit moves the dual's bound by this much.
    rounding += 2 * alpha * abs(intercept * total)
    figures: dict[str, Any] = {
        k: float(v) for k, v in gap_figures(primal, dual, gap, rounding, 1e-12 * float(w.sum())).items()
    }
    figures |= {
        "kkt_violation": float(np.max(np.abs(w * off), initial=0.0)),
        "infeasibility": abs(total) if fit_intercept else 0.0,
        "n_free": int(np.count_nonzero(c)),
        "n_bounded": 0,
    }
    faults = _faults(figures, c, f, coef)
    negative = square < -float(np.abs(c) @ (e + gamma(c.size + 4) * np.abs(f)))
    known = psd and not negative
    claim = gap_sentence(figures, None) + f"; in the space of {getattr(source, 'kernel', 'K')}"
    if not known:
        claim += "; the kernel is not positive semidefinite, so this bounds nothing"
    return SVMCertificate(
        claim="; ".join(faults) or claim,
        holds=False if faults else True if known else None,
        data_digest=data_digest,
        seconds=time.perf_counter() - began,
        **figures,
    )


def _faults(figures: dict[str, Any], c: np.ndarray, f: np.ndarray, coef: np.ndarray | None) -> list[str]:
    if not (np.isfinite(c).all() and np.isfinite(f).all()):
        return ["the proof or the kernel holds numbers that are not finite"]
    faults = []
    if figures["infeasibility"] > FEASIBLE * float(np.abs(c).sum()):
        faults.append(f"the coefficients sum to {figures['infeasibility']:.3g}, not to 0")
    if coef is not None:
        wrong = np.flatnonzero(~(np.abs(np.asarray(coef) - c) <= EQUAL * np.abs(c)))
        if wrong.size:
            i = int(wrong[0])
            faults.append(f"the model's coefficient of item {i} is {coef[i]:.9g}, the proof's {c[i]:.9g}")
    if figures["gap"] < -figures["rounding"]:
        faults.append(f"the gap is {figures['gap']:.3g}, below 0 by more than rounding ({figures['rounding']:.2g})")
    return faults
