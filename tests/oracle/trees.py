"""Splits and forests by the definitions: every cut of every column, one row at a time."""

import itertools
import math


def impurity(criterion, y, w):
    """Of labels or numbers y with weights w."""
    total = sum(w)
    if criterion == "squared_error":
        mean = sum(a * b for a, b in zip(y, w, strict=True)) / total
        return sum(b * (a - mean) ** 2 for a, b in zip(y, w, strict=True)) / total
    if criterion == "absolute_error":  # about any median: one of the numbers is one
        return min(sum(b * abs(a - m) for a, b in zip(y, w, strict=True)) for m in y) / total
    if criterion == "poisson":
        mean = sum(a * b for a, b in zip(y, w, strict=True)) / total
        return sum(b * a * math.log(a / mean) for a, b in zip(y, w, strict=True) if a > 0) / total
    shares = [sum(b for a, b in zip(y, w, strict=True) if a == c) / total for c in sorted(set(y))]
    if criterion == "gini":
        return 1 - sum(p * p for p in shares)
    return -sum(p * math.log2(p) for p in shares if p > 0)


def left_over(criterion, goes_left, y, w):
    """Weight times impurity of both sides; for information gain, minus the normalised gain."""
    sides = [[(a, b) for a, b, left in zip(y, w, goes_left, strict=True) if left == side] for side in (True, False)]
    if not all(sides):
        return math.inf
    weights = [sum(b for _, b in side) for side in sides]
    if criterion == "information_gain":
        total = sum(weights)
        rest = sum(v * impurity("entropy", *zip(*s, strict=True)) for v, s in zip(weights, sides, strict=True)) / total
        whole = impurity("entropy", y, w)
        split = -sum(v / total * math.log2(v / total) for v in weights)
        return -2 * (whole - rest) / (split + whole)
    return sum(v * impurity(criterion, *zip(*side, strict=True)) for v, side in zip(weights, sides, strict=True))


def best_cut(criterion, X, y, w):
    """The least of `left_over` over all columns and all cuts."""
    best = math.inf
    for f in range(len(X[0])):
        values = sorted({row[f] for row in X})
        for low, high in itertools.pairwise(values):
            t = low / 2 + high / 2
            best = min(best, left_over(criterion, [row[f] <= t for row in X], y, w))
    return best


def best_subset(criterion, column, y, w):
    """The least over all ways to divide the categories."""
    names = sorted(set(column))
    best = math.inf
    for size in range(1, len(names)):
        for left in itertools.combinations(names, size):
            best = min(best, left_over(criterion, [c in left for c in column], y, w))
    return best


def prunings(left, right, cost, node=0):
    """(cost, leaves) of every tree that arises by cutting back the one below `node`."""
    found = [(cost[node], 1)]
    if left[node] >= 0:
        for a, la in prunings(left, right, cost, left[node]):
            found += [(a + b, la + lb) for b, lb in prunings(left, right, cost, right[node])]
    return found


def breiman(votes, drawn, y, classes):
    """(strength, correlation) from the votes of trees [t][i], which rows each has drawn, and the right classes."""
    n, trees = len(y), len(votes)
    margins, rivals = {}, {}
    for i in range(n):
        free = [t for t in range(trees) if not drawn[t][i]]
        if not free:
            continue
        share = [sum(votes[t][i] == c for t in free) / len(free) for c in range(classes)]
        rivals[i] = max((c for c in range(classes) if c != y[i]), key=lambda c: (share[c], -c))
        margins[i] = share[y[i]] - share[rivals[i]]
    s = sum(margins.values()) / len(margins)
    variance = sum((m - s) ** 2 for m in margins.values()) / len(margins)
    deviations = []
    for t in range(trees):
        rows = [i for i in margins if not drawn[t][i]]
        if rows:
            p1 = sum(votes[t][i] == y[i] for i in rows) / len(rows)
            p2 = sum(votes[t][i] == rivals[i] for i in rows) / len(rows)
            deviations.append(math.sqrt(p1 + p2 - (p1 - p2) ** 2))
    return s, variance / (sum(deviations) / len(deviations)) ** 2
