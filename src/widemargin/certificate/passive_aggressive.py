"""What the losses of a passive-aggressive learner cannot exceed, from the data and any comparator.

Problem  at visit t the loss l_t = (1 - y w.z)+ (regression: (|y - w.z| - eps)+), then w moves by tau_t along the row z
Symbols  z = [x, 1], R = max |z|, C_i = C s_i with smallest C_min; u any comparator with loss l*_i on row i; E epochs,
         each visiting row i k_i times (1 unless weighted); U visits with a loss above 0; w_1 the start
Stops    every visit has tau (2 l - tau |z|^2 - 2 l*) <= |w_t - u|^2 - |w_t+1 - u|^2. With P = |u - w_1|^2 this sums to
         linear,  tau = min(C, l/|z|^2):     sum tau l <= B = P + 2 E sum k_i C_i l*_i. As tau l >= c l - c^2 R^2 / 4
                  for every c <= C_min, sum l <= B/c + U c R^2/4; the best c is min(C_min, 2 sqrt(B/U)/R)
         squared, tau = l/(|z|^2 + 1/2C):    sum l^2 <= (R^2 + 1/(2 C_min)) (P + 2 E sum k_i C_i l*_i^2),
                  and sum l <= sqrt(U sum l^2)
Method   the telescoping sum of [CrammerEtAl06, lemma 1, theorems 4 and 5]; the bound on sum l of the linear rule is
         derived here from it (the paper bounds only the mistakes). The best of several comparators is taken.
"""

from __future__ import annotations

import math
import time
from typing import Any, Literal, NamedTuple

import numpy as np

from . import bounded
from .perceptron import augmented_margin, radius
from .record import PassiveAggressiveCertificate

Rule = Literal["linear", "squared"]


class LossBounds(NamedTuple):
    """Bounds on sum l, on sum l^2 (squared rule only) and on the visits with y w.z <= 0 (classification)."""

    loss: float
    squared_loss: float | None
    mistakes: int | None


def passive_aggressive_bound(
    X: Any,
    y: np.ndarray,
    u: np.ndarray,
    *,
    rule: Rule,
    C: float,
    epochs: int,
    updates: int,
    steps: np.ndarray | None = None,
    visits: np.ndarray | None = None,
    w_start: np.ndarray | None = None,
    intercept: bool = True,
    epsilon: float | None = None,
) -> LossBounds:
    """What the losses of `epochs` whole epochs cannot exceed, by comparator u (d + 1 entries, last the intercept).

    `steps` multiply C row by row, `visits` says how often an epoch comes to each row (once). `epsilon` not None means
    regression with a tube of that half-width.
    """
    u = np.asarray(u, dtype=np.float64)
    cost = np.full(len(y), C) if steps is None else C * np.asarray(steps, dtype=np.float64)
    losses = _losses_above(X, y, u, epsilon)
    start = np.zeros_like(u) if w_start is None else np.asarray(w_start, dtype=np.float64)
    away = bounded.norm_above(u - start, 2 * bounded.UNIT * (np.abs(u) + np.abs(start)))
    R, least = radius(X, intercept), float(cost.min())
    P, R2 = away * away, R * R  # products, because powers of floats raise where these overflow
    power = 1 if rule == "linear" else 2
    paid = cost * losses**power if visits is None else cost * visits * losses**power
    B = _up(P + 2 * epochs * float(paid.sum()), len(y))
    if rule == "squared":
        squared = _up((R2 + 0.5 / least) * B)
        mistakes = None if epsilon is not None else math.floor(min(squared, 2.0**62))
        return LossBounds(_up(math.sqrt(updates * squared)), squared, mistakes)
    if updates == 0 or B == 0:
        return LossBounds(0.0, None, 0 if epsilon is None else None)
    c = min(least, 2 * math.sqrt(B / updates) / math.sqrt(R2)) if R2 > 0 else least
    loss = _up(B / c + updates * c * R2 / 4)
    mistakes = None if epsilon is not None else math.floor(min(_up(max(R2, 1 / least) * B), 2.0**62))
    return LossBounds(loss, None, mistakes)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is never called separation
def certify_passive_aggressive(
    X: Any,
    y: np.ndarray,
    w: np.ndarray,
    b: float,
    *,
    rule: Rule,
    C: float,
    epochs: int,
    updates: int,
    loss_sum: float,
    squared_loss_sum: float,
    steps: np.ndarray | None = None,
    visits: np.ndarray | None = None,
    w_start: np.ndarray | None = None,
    intercept: bool = True,
    epsilon: float | None = None,
    data_digest: str = "",
) -> PassiveAggressiveCertificate:
    """Compare the recorded sums of losses with their bound.

    Comparators are the model itself, the model scaled to margin 1 (if it separates) and 0. Only whole epochs can be
    checked: pass the sums at the end of an epoch. X holds only rows that took part.
    """
    began = time.perf_counter()
    v = np.append(np.asarray(w, dtype=np.float64), b)
    R = radius(X, intercept)
    figures: dict[str, Any] = {"updates": updates, "radius": R}
    if epsilon is None:
        wrong = int(np.count_nonzero(bounded.signs(X, y, v[:-1], b, R) <= 0))
        figures |= {"margin": augmented_margin(X, y, w, b), "rows_wrong": wrong}
        figures["separable"] = True if wrong == 0 else None
    options: dict[str, Any] = {"rule": rule, "C": C, "epochs": epochs, "updates": updates, "steps": steps}
    options |= {"visits": visits, "w_start": w_start, "intercept": intercept, "epsilon": epsilon}
    found = [passive_aggressive_bound(X, y, u, **options) for u in _comparators(X, y, v, R, epsilon)]
    squares = [f.squared_loss for f in found if f.squared_loss is not None]
    mistakes = [f.mistakes for f in found if f.mistakes is not None]
    figures |= {"loss_sum": loss_sum, "loss_bound": min(f.loss for f in found), "squared_loss_sum": squared_loss_sum}
    figures |= {"squared_loss_bound": min(squares, default=None), "mistake_bound": min(mistakes, default=None)}
    faults = _faults(figures, epochs * (len(y) if visits is None else int(np.sum(visits))))
    return PassiveAggressiveCertificate(
        claim="; ".join(faults) or _claim(figures, epochs, len(y)),
        holds=not faults,
        data_digest=data_digest,
        seconds=time.perf_counter() - began,
        **figures,
    )


def _comparators(X: Any, y: np.ndarray, v: np.ndarray, R: float, epsilon: float | None) -> list[np.ndarray]:
    """The model, nothing, and the model scaled to margin 1 if it separates."""
    least = bounded.least_margin(X, y, v[:-1], float(v[-1]), R) if epsilon is None else 0.0
    return [v, np.zeros_like(v)] + ([v / least] if 0 < least < math.inf else [])


def _faults(figures: dict[str, Any], visits: int) -> list[str]:
    # The recorded sums were rounded at each of the visits.
    slack = 1 + bounded.gamma(visits + 8)
    faults = []
    if not 0 <= figures["loss_sum"] <= figures["loss_bound"] * slack:
        faults.append(f"the losses sum to {figures['loss_sum']:.6g}, not within [0, {figures['loss_bound']:.6g}]")
    squared, bound = figures["squared_loss_sum"], figures["squared_loss_bound"]
    if bound is not None and not 0 <= squared <= bound * slack:
        faults.append(f"the squared losses sum to {squared:.6g}, not within [0, {bound:.6g}]")
    if figures["updates"] > visits:
        faults.append(f"{figures['updates']} updates in {visits} visits")
    return faults


def _claim(figures: dict[str, Any], epochs: int, n: int) -> str:
    said = f"losses of {epochs} epochs sum to {figures['loss_sum']:.6g} <= bound {figures['loss_bound']:.6g}"
    if figures["squared_loss_bound"] is not None:
        said += f", their squares to {figures['squared_loss_sum']:.6g} <= {figures['squared_loss_bound']:.6g}"
    return said + (f"; {figures['rows_wrong']} of {n} rows on the wrong side" if "rows_wrong" in figures else "")


def _losses_above(X: Any, y: np.ndarray, u: np.ndarray, epsilon: float | None) -> np.ndarray:
    if epsilon is None:
        m, e = bounded.margins(X, y, u[:-1], float(u[-1]))
        return np.maximum(0.0, (1 - m + e) * (1 + 4 * bounded.UNIT))
    value, e = bounded.margins(X, np.ones(len(y)), u[:-1], float(u[-1]))
    return np.maximum(0.0, (np.abs(y - value) + e) * (1 + 4 * bounded.UNIT) - epsilon)


def _up(value: float, terms: int = 8) -> float:
    return value * (1 + bounded.gamma(terms + 16))
