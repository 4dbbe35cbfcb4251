"""What the kernel values and the counts of a kernel perceptron prove: the figures of perceptron.py in feature space.

Problem  z_i = y_i [phi(x_i), 1], known only by z_i.z_j = y_i y_j (k(x_i, x_j) + 1); updates v += s_i z_i whenever
         v.z_i <= 0: how many can there be?
Symbols  c_i = updates caused by item i times its step s_i, C = sum c_i, v = sum c_i z_i, m_i = v.z_i,
         |v|^2 = sum c_i m_i, R^2 = max k(x, x) + 1; e bounds the error of every m_i: that of the sums, and kernel
         values taken to be right to 2^-40 of the largest
Stops    if all m_i > e: updates <= R^2 |v|^2 / min m_i^2 times s_max / s_min, rounded outwards           [Novikoff62]
Method   v is a point of the hull of the z_i times C, so no unit vector has a margin above |v| / C
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np

from .bounded import gamma
from .perceptron import _claim
from .record import PerceptronCertificate

KERNEL_ERROR = 2.0**-40
_BLOCK = 1 << 21  # kernel values held at a time


def certify_kernel_perceptron(
    source: Any,
    y: np.ndarray,
    counts: np.ndarray,
    *,
    updates: int,
    coef: np.ndarray | None = None,
    eta: float = 1.0,
    steps: np.ndarray | None = None,
    intercept: bool = True,
    data_digest: str = "",
) -> PerceptronCertificate:
    """Check the last expansion of a kernel perceptron against its items.

    Parameters
    ----------
    source : GramSource
        `n`, `diag` and `block(I, J)` of the items that took part.
    y : ndarray of -1.0 and +1.0
    counts : ndarray of int of shape (n,)
        Updates caused by each item.
    updates : int
        Corrections made.
    coef : ndarray of shape (n,), optional
        The expansion's coefficients, to be compared with eta c_i y_i.
    eta, steps, intercept
        As in the fit.

    Returns
    -------
    PerceptronCertificate
    """
    began = time.perf_counter()
    one = float(intercept)
    c = np.asarray(counts, dtype=np.float64) * (1.0 if steps is None else steps)
    largest = float(np.max(source.diag, initial=0.0))
    R = math.sqrt(largest + one) * (1 + KERNEL_ERROR)
    m = _margins(source, y, c, one)
    e = float(c.sum()) * (largest + one) * (gamma(int(np.count_nonzero(c)) + 8) + KERNEL_ERROR)
    wrong = int(np.count_nonzero(~(m > e)))
    low, high = _length(c, m, e)
    least = float(np.min(m, initial=math.inf)) - e
    figures: dict[str, Any] = {"updates": updates, "radius": R, "rows_wrong": wrong, "margin": 0.0}
    if high > 0 and low > 0:
        figures["margin"] = least / (high if least > 0 else low)
    figures["separable"] = True if wrong == 0 else None
    faults = _faults(y, counts, updates, coef, eta * c)
    if c.any() and not faults:
        figures |= {"margin_upper": high / float(c.sum()) * (1 + gamma(c.size)), "witness": c / c.sum()}
    if wrong == 0 and least > 0:
        spread = 1.0 if steps is None else float(np.max(steps) / np.min(steps))
        bound = math.floor((R * high / least) ** 2 * spread * (1 + KERNEL_ERROR))
        figures["mistake_bound"] = bound
        if updates > bound:
            faults.append(f"{updates} updates exceed the bound {bound}")
    certificate = PerceptronCertificate(claim="", holds=not faults, data_digest=data_digest, **figures)
    claim = "; ".join(faults) if faults else _claim(certificate, len(y)) + f"; in the space of {source.kernel}"
    return replace(certificate, claim=claim, seconds=time.perf_counter() - began)


def _margins(source: Any, y: np.ndarray, c: np.ndarray, one: float) -> np.ndarray:
    """m_i = sum_j c_j y_i y_j (k_ij + one), in blocks."""
    support = np.flatnonzero(c)
    signed = (c * y)[support]
    m = np.empty(source.n)
    size = max(1, _BLOCK // max(support.size, 1))
    for start in range(0, source.n, size):
        rows = np.arange(start, min(start + size, source.n))
        m[rows] = y[rows] * (source.block(rows, support) @ signed + one * signed.sum())
    return m


def _length(c: np.ndarray, m: np.ndarray, e: float) -> tuple[float, float]:
    """|v| rounded down and up."""
    square, off = float(c @ m), float(c.sum()) * e + float(c @ np.abs(m)) * gamma(c.size + 4)
    return math.sqrt(max(square - off, 0.0)), math.sqrt(max(square + off, 0.0))


def _faults(y: np.ndarray, counts: np.ndarray, updates: int, coef: np.ndarray | None, size: np.ndarray) -> list[str]:
    total = int(np.sum(counts))
    if np.min(counts, initial=0) < 0 or total != updates:
        return [f"the items' counts sum to {total}, not to the {updates} updates stated"]
    if coef is None:
        return []
    off = np.abs(coef - y * size)
    if not np.all(off <= 4 * gamma(total + 8) * np.abs(size)):
        i = int(np.argmax(off))
        return [f"the coefficient of item {i} is {coef[i]:.9g}, but its updates sum to {y[i] * size[i]:.9g}"]
    return []
