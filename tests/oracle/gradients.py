"""Pegasos and stochastic gradient descent, line by line, in plain NumPy: slow, short, obviously right."""

import numpy as np


def pegasos_step(w, n, lam, X, y):
    """Step n = 1, 2, ... on the subset (X, y) of k rows."""
    k = len(y)
    active = [t for t in range(k) if y[t] * (w @ X[t]) <= 1]
    gradient = lam * w - sum((y[t] * X[t] for t in active), np.zeros(len(w))) / k
    w = w - gradient / (lam * n)
    length = np.linalg.norm(w)
    return min(1.0, (1 / np.sqrt(lam)) / length) * w if length > 0 else w


def pegasos(X, y, lam, batches, k):
    """All vectors w_2, w_3, ... for the given orders of the rows, one an epoch, cut into subsets of k."""
    w, vectors, n = np.zeros(X.shape[1]), [], 0
    for order in batches:
        for first in range(0, len(order), k):
            n += 1
            rows = order[first : first + k]
            w = pegasos_step(w, n, lam, X[rows], y[rows])
            vectors.append(w)
    return np.array(vectors)


def sgd(X, y, lam, draws, m, n):
    """(w, b) after one epoch for each list of drawn rows; the step is m / (e + n) in epoch e."""
    w, b = np.zeros(X.shape[1]), 0.0
    for e, drawn in enumerate(draws, start=1):
        eta = m / (e + n)
        for i in drawn:
            if y[i] * (w @ X[i] + b) >= 1:
                w = w - eta * (lam * w)
            else:
                w, b = w - eta * (lam * w - y[i] * X[i]), b + eta * y[i]
    return w, b


def objective(X, y, lam, w, b=0.0, weight=None):
    """lambda/2 |w|^2 + the mean of (1 - y (w.x + b))+."""
    return lam / 2 * (w @ w) + np.average(np.maximum(0, 1 - y * (X @ w + b)), weights=weight)
