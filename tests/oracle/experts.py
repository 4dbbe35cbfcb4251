"""Games with expert advice by the definitions, one round and one expert at a time."""

import math
from collections import Counter


def hedge(losses, rate):
    """Own losses summed after each round; rate(t) is that of round t = 1, 2, …"""
    n = len(losses[0])
    total, own, so_far = [0.0] * n, 0.0, []
    for t, row in enumerate(losses, 1):
        w = [math.exp(-rate(t) * loss) for loss in total]
        own += sum(a * b for a, b in zip(w, row, strict=True)) / sum(w)
        total = [a + b for a, b in zip(total, row, strict=True)]
        so_far.append(own)
    return so_far


def majority(said, y, beta):
    """Errors of the vote after each round; of equal votes the first class wins. beta a Fraction: no rounding."""
    mistakes, errors, so_far = [0] * len(said[0]), 0, []
    for row, truth in zip(said, y, strict=True):
        votes = Counter()
        for label, m in zip(row, mistakes, strict=True):
            votes[label] += beta**m
        winner = min(c for c in votes if votes[c] == max(votes.values()))
        errors += winner != truth
        mistakes = [m + (label != truth) for m, label in zip(mistakes, row, strict=True)]
        so_far.append(errors)
    return so_far
