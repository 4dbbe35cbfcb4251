"""Stumps and AdaBoost by their definitions, on fractions: every question of every column, one row at a time."""

import math
from fractions import Fraction


def stumps(X):
    """All (column, threshold): the questions x[column] <= threshold; the last of a column asks nothing."""
    for f in range(len(X[0])):
        values = sorted({row[f] for row in X if row[f] == row[f]})
        if not values:
            yield f, float("inf")
            continue
        for low, high in zip(values, [*values[1:], None], strict=True):
            yield f, float("inf") if high is None else (low + high) / 2


def side(row, f, threshold):
    return 2 if row[f] != row[f] else int(row[f] > threshold)


def edge(X, y, w, f, threshold):
    """The largest sum of w y h over signs h of the three sides."""
    sums = [0, 0, 0]
    for row, label, weight in zip(X, y, w, strict=True):
        sums[side(row, f, threshold)] += label * weight
    return sum(abs(s) for s in sums)


def best_edge(X, y, w):
    """The largest edge of all stumps."""
    return max(edge(X, y, w, f, t) for f, t in stumps(X))


def signs(X, y, w, f, threshold):
    sums = [0, 0, 0]
    for row, label, weight in zip(X, y, w, strict=True):
        sums[side(row, f, threshold)] += label * weight
    return [1 if sums[side(row, f, threshold)] >= 0 else -1 for row in X]


def adaboost(X, y, rounds):
    """Weighted errors of the rounds, as fractions: wrong rows are divided by 2 e, right ones by 2 (1 - e)."""
    w = [Fraction(1, len(y))] * len(y)
    errors = []
    for _ in range(rounds):
        f, t = max(stumps(X), key=lambda question: edge(X, y, w, *question))
        h = signs(X, y, w, f, t)
        e = sum(weight for weight, a, b in zip(w, y, h, strict=True) if a != b)
        errors.append(e)
        w = [v / (2 * e if a != b else 2 * (1 - e)) for v, a, b in zip(w, y, h, strict=True)]
    return errors


def word_z(held, signs, w, abstain):
    """Z of each term, from weights that sum to 1: both sides with their best votes; where it abstains, weight alone."""
    out = []
    for column in held.T:
        z = 0.0
        for side, rows in ((1, column), (0, ~column)):
            plus = (w * (signs > 0))[rows].sum(axis=0)
            minus = (w * (signs < 0))[rows].sum(axis=0)
            z += sum(plus + minus) if abstain and side == 0 else sum(2 * (plus * minus) ** 0.5)
        out.append(z)
    return out


def word_votes(held, signs, w, eta, abstain):
    """[votes without the term, votes with it], half the logarithms of the odds; nothing where no document is."""
    out = []
    for side, rows in ((0, ~held), (1, held)):
        votes = []
        for label in range(signs.shape[1]):
            plus = w[rows & (signs[:, label] > 0), label].sum()
            minus = w[rows & (signs[:, label] < 0), label].sum()
            told = plus + minus > 0 and not (abstain and side == 0)
            votes.append(0.5 * math.log((plus + eta) / (minus + eta)) if told else 0.0)
        out.append(votes)
    return out
