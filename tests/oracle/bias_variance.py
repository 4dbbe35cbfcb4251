"""Bias, variance and noise by the definitions, one point and one prediction at a time."""

from collections import Counter
from statistics import mean


def squared(said, y):
    """(loss, bias, variance) of the numbers said at one point."""
    h = mean(said)
    return (
        mean((y - s) ** 2 for s in said),
        y - h,
        sum((s - h) ** 2 for s in said) / (len(said) - 1),
    )


def domingos(said, y, at_x):
    """(loss, bias, variance, net variance) of the labels said at one point; `at_x` are labels seen there."""
    main, best = most_frequent(said), most_frequent(at_x)
    share = {c: n / len(said) for c, n in Counter(said).items()}
    bias = int(main != best)
    variance = mean(s != main for s in said)
    return mean(s != y for s in said), bias, variance, -share.get(best, 0.0) if bias else variance


def kohavi_wolpert(said, y):
    """(loss, squared bias, variance) of the labels said at one point where labels have no noise."""
    n, classes = len(said), set(said) | {y}
    p = {c: mean(s == c for s in said) for c in classes}
    bias = sum(((c == y) - p[c]) ** 2 - p[c] * (1 - p[c]) / (n - 1) for c in classes) / 2
    variance = (1 - sum(q * q - q * (1 - q) / (n - 1) for q in p.values())) / 2
    return mean(s != y for s in said), bias, variance


def most_frequent(labels):
    """Of several the first in order."""
    counts = Counter(labels)
    return min(c for c in counts if counts[c] == max(counts.values()))
