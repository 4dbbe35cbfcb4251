"""From scores to probabilities: a sigmoid for each binary part, one distribution of all, no quarrel with `predict`.

Problem  sigmoid    max over A, B of the weighted log likelihood of p = 1 / (1 + exp(A f + B)), the labels being
                    smoothed to (N+ + 1) / (N+ + 2) and 1 / (N- + 2)                                           [Platt00]
         coupling   min over p >= 0, sum p = 1 of sum_{i != j} (r_ji p_i - r_ij p_j)^2, where r_ij estimates the
                    probability of class i if it is i or j                                          [WuEtAl04, sec. 4]
         agreement  the nearest distribution that gives no class more than the decided one; a hair more decides ties
Stops    Newton's method: when the gradient is below 1e-10 of its scale or no step is left
Method   Newton's method with a line search                                                          [LinEtAl07, sec. 2]
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from .pairs import pairs

LEAST = 1e-7  # of a pairwise probability, as in LIBSVM
HAIR = 1e-6  # by how much the decided class leads where it would not lead by itself


def fit_sigmoid(f: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """A and B for scores f of rows of which some are positive."""
    up, down = float(weight[positive].sum()), float(weight[~positive].sum())
    t = np.where(positive, (up + 1) / (up + 2), 1 / (down + 2))
    scale = float(np.abs(f).max(initial=0.0)) or 1.0
    z = f / scale
    a, b = 0.0, float(np.log((down + 1) / (up + 1)))
    value = _loss(z, t, weight, a, b)
    for _ in range(100):
        p = expit(-(a * z + b))
        r, h = weight * (t - p), weight * p * (1 - p)
        g = np.array([(r * z).sum(), r.sum()])
        if np.abs(g).max() <= 1e-10 * weight.sum():
            break
        H = np.array([[(h * z * z).sum(), (h * z).sum()], [(h * z).sum(), h.sum()]])
        step = np.linalg.solve(H + 1e-12 * weight.sum() * np.eye(2), -g)
        length = 1.0
        while length > 1e-10:
            new = _loss(z, t, weight, a + length * step[0], b + length * step[1])
            if new < value + 1e-4 * length * float(g @ step):
                break
            length /= 2
        else:
            break
        a, b, value = a + length * float(step[0]), b + length * float(step[1]), new
    return a / scale, b


def _loss(z: np.ndarray, t: np.ndarray, weight: np.ndarray, a: float, b: float) -> float:
    u = a * z + b
    return float(weight @ (t * u + np.logaddexp(0.0, -u)))


def of_parts(scores: np.ndarray, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The probability of the positive side of every part, n x parts."""
    return expit(-(scores * A + B))


def coupled(r: np.ndarray, n_classes: int) -> np.ndarray:
    """Probabilities of the classes from those of the first class of all pairs (i, j), i < j."""
    n, k = len(r), n_classes
    R = np.zeros((n, k, k))
    for p, (i, j) in enumerate(pairs(k)):
        R[:, i, j] = np.clip(r[:, p], LEAST, 1 - LEAST)
        R[:, j, i] = 1 - R[:, i, j]
    Q = np.zeros((n, k + 1, k + 1))
    Q[:, :k, :k] = -R * R.transpose(0, 2, 1)
    Q[:, np.arange(k), np.arange(k)] = (R**2).sum(axis=1)
    Q[:, :k, k] = Q[:, k, :k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    return _distribution(np.linalg.solve(Q, right)[:, :k, 0])


def normalised(p: np.ndarray) -> np.ndarray:
    """Probabilities of the classes from those of each class against the rest."""
    return _distribution(p)


def _distribution(p: np.ndarray) -> np.ndarray:
    p = np.maximum(p, 1e-300)
    return p / p.sum(axis=1, keepdims=True)


def agreeing(p: np.ndarray, decided: np.ndarray) -> np.ndarray:
    """p where its largest entry is the decided class; elsewhere that class and those above it share what they have.

    The decided class then leads by at most HAIR, and by less the further it had been behind, so that rows keep their
    order.
    """
    p = p.copy()
    mine = p[np.arange(len(p)), decided]
    rows = np.flatnonzero((p >= mine[:, None]).sum(axis=1) > 1)
    if not rows.size:
        return p
    q, at = p[rows], decided[rows]
    here = np.arange(len(rows))
    own = q[here, at]
    q[here, at] = -1.0
    order = np.argsort(-q, axis=1, kind="stable")[:, :-1]
    others = np.take_along_axis(q, order, axis=1)
    sums = own[:, None] + np.cumsum(others, axis=1)
    counts = np.arange(1, others.shape[1] + 1)
    above = np.logical_and.accumulate(others >= (sums - others) / counts, axis=1)
    m = above.sum(axis=1)
    level = sums[here, m - 1] / (m + 1)
    hair = HAIR * level * (1 - (others[:, 0] - own))
    shared = np.where(above, (level - hair / m)[:, None], others)
    np.put_along_axis(q, order, shared, axis=1)
    q[here, at] = level + hair
    p[rows] = q
    return p
