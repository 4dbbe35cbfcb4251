"""Proof that two classes overlap in a feature space: the ray along which the dual of the hard margin is unbounded.

Problem  lambda >= 0, sum lambda = 1, sum lambda_i y_i = 0 with |v|^2 = sum_ij lambda_i lambda_j y_i y_j k(i, j) = 0
Symbols  v = sum lambda_i y_i phi(x_i), half the difference of a point in each class's hull
Stops    for a unit w and any bias the smallest y_i (w.phi(x_i) + b) <= sum lambda_i y_i (w.phi(x_i) + b) = w.v <= |v|.
         |v| = 0 means that no separator exists; in float64 |v|^2 is known only up to e, so what is shown is that none
         has a margin above sqrt(|v|^2 + e)
Method   Gordan's alternative in feature space [Gordan1873]
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from .bounded import gamma
from .expansion import expansion
from .record import InseparableCertificate

FEASIBLE = 2.0**-33  # of the sums


def check_ray(source: Any, y: np.ndarray, ray: np.ndarray, *, data_digest: str = "") -> InseparableCertificate:
    """Recompute a proof that no hard margin exists.

    Parameters
    ----------
    source : GramSource
        `n`, `diag` and `block(I, J)` of the items.
    y : ndarray of -1.0 and +1.0
    ray : ndarray of shape (n,)
        lambda: not negative, with sum 1.

    Returns
    -------
    InseparableCertificate
        `holds` if the ray is what it should be and |v|^2 is not above rounding.
    """
    began = time.perf_counter()
    ray = np.array(ray, dtype=np.float64).ravel()
    if ray.size != source.n or not np.isfinite(ray).all():
        return InseparableCertificate(
            claim=f"the ray must hold {source.n} finite numbers, one an item", holds=False, data_digest=data_digest
        )
    c = ray * y
    f, e = expansion(source, c)
    square = float(c @ f)
    rounding = float(ray @ e) + gamma(ray.size + 4) * float(np.abs(ray) @ np.abs(f))
    upper = math.sqrt(max(square, 0.0) + rounding)
    off = max(float(-ray.min(initial=0.0)), abs(float(ray.sum()) - 1), abs(float(c.sum())))
    faults = []
    if off > FEASIBLE:
        faults.append(f"the ray misses its conditions by {off:.3g}")
    if not square <= rounding:
        faults.append(f"|sum lambda y phi|^2 is {square:.3g}, above rounding ({rounding:.2g})")
    claim = f"no unit vector has both classes apart by a margin above {upper:.2g}: their hulls meet"
    return InseparableCertificate(
        claim="; ".join(faults) or claim,
        holds=not faults,
        data_digest=data_digest,
        seconds=time.perf_counter() - began,
        margin_upper=upper,
        infeasibility=off,
        witness=ray,
        rounding=rounding,
    )
