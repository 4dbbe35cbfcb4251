"""The kernel perceptron on a whole Gram matrix, one visit at a time, in exact arithmetic where the numbers allow it."""

import numpy as np


def kernel_perceptron(K, y, orders, eta=1.0, steps=None, intercept=True):
    """c after visiting the rows in the given orders, the updates in order, and the mean of c over all visits."""
    n = len(y)
    c, total, visits, log = np.zeros(n), np.zeros(n), 0, []
    for order in orders:
        for i in order:
            u = sum(c[j] * (K[j, i] + intercept) for j in np.flatnonzero(c))
            if y[i] * u <= 0:
                step = eta * y[i] * (1.0 if steps is None else steps[i])
                c[i] += step
                log.append((visits, i, step))
            visits += 1
            total += c
    return c, log, total / visits


def votes(K_test, log, visits, intercept=True):
    """Share of votes for +1 minus votes for -1; every expansion votes with the visits that it survived."""
    ends = [t for t, _, _ in log[1:]] + [visits]
    u, out = np.zeros(len(K_test)), np.zeros(len(K_test))
    for (t, i, step), end in zip(log, ends, strict=True):
        u = u + step * (K_test[:, i] + intercept)
        out += (end - t) * np.sign(u)
    return out / visits
