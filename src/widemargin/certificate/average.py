"""What is true of a weighted average: its squared error on the rows of the fit, parted into that of its members.

Problem  e(f) = mean |f(x_i) - t_i|² with t_i the target, or the unit vector of the class and f probabilities
Symbols  w >= 0 with sum 1, f_j the answers of member j, f = sum_j w_j f_j
Proved   e(f) = sum_j w_j e(f_j) - sum_j w_j mean |f_j - f|²: the average is better than its members are on the
         average, by as much as they disagree                                                   [KroghVedelsby95, eq. 6]
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .record import Certificate, verdict_of_all

_ROUNDING = 1e-9  # of the larger sum


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class AverageCertificate(Certificate):
    """Figures of an average on the rows of its fit; `parts` are the certificates of its members.

    Attributes
    ----------
    n_members : int or None
    squared_error : float or None
        Of the average; of probabilities, summed over the classes.
    members_error : float or None
        The same of its members, by weight. The average's cannot exceed it.
    spread : float or None
        Mean squared distance of the members from the average: the difference of the two.
    """

    n_members: int | None = None
    squared_error: float | None = None
    members_error: float | None = None
    spread: float | None = None


def certify_average(
    answers: Sequence[np.ndarray],
    weights: np.ndarray,
    target: np.ndarray,
    parts: Mapping[str, Certificate],
    *,
    data_digest: str = "",
) -> AverageCertificate:
    """The three sums, each computed by itself, and the certificates of those members that have one.

    Parameters
    ----------
    answers : for each member, an array like `target`
    weights : ndarray, >= 0 with sum 1
    target : ndarray of shape (n,) or (n, k)
    parts : certificates by the members' names
    """
    began = time.perf_counter()
    w = np.asarray(weights, dtype=np.float64)
    t = np.asarray(target, dtype=np.float64).reshape(len(target), -1)
    told = [np.asarray(answer, dtype=np.float64).reshape(t.shape) for answer in answers]
    whole = sum(share * answer for share, answer in zip(w, told, strict=True))
    error = _mean_square(whole - t)
    of_members = float(w @ [_mean_square(answer - t) for answer in told])
    spread = float(w @ [_mean_square(answer - whole) for answer in told])
    fair = bool((w >= 0).all() and abs(w.sum() - 1) <= 1e-12 * len(w))
    right = fair and abs(error - (of_members - spread)) <= _ROUNDING * max(of_members, 1e-300)
    sure = sum(part.holds is True for part in parts.values())
    proved = len(parts) == len(w) and all(part.kind == "proof" for part in parts.values())
    return AverageCertificate(
        claim=f"on the rows of the fit the average of {len(w)} models has the mean squared error {error:.4g}: that of "
        f"its members, {of_members:.4g} on average, less what they disagree by, {spread:.4g}; {sure} of {len(w)} "
        "members are certified themselves",
        kind="proof" if proved else "estimate",
        holds=verdict_of_all([right, *(part.holds for part in parts.values())]),
        data_digest=data_digest,
        seconds=time.perf_counter() - began + sum(part.seconds for part in parts.values()),
        parts=dict(parts),
        n_members=len(w),
        squared_error=error,
        members_error=of_members,
        spread=spread,
    )


def _mean_square(rows: np.ndarray) -> float:
    return float((rows**2).sum() / len(rows))
