"""Strict separability by brute force in fractions.

Gordan's polytope {lambda >= 0, sum 1, sum lambda_i z_i = 0} is empty exactly if a separator exists. If it is not, it
has a vertex, whose support has a one-dimensional kernel with entries of one sign. So all small supports are tried.
"""

from fractions import Fraction
from itertools import combinations


def kernel(columns):
    """The kernel vector of the matrix with these columns if the kernel is one-dimensional, else None."""
    k, m = len(columns[0]), len(columns)
    rows = [[Fraction(columns[j][i]) for j in range(m)] for i in range(k)]
    pivots, r = [], 0
    for j in range(m):
        i = next((i for i in range(r, k) if rows[i][j] != 0), None)
        if i is None:
            continue
        rows[r], rows[i] = rows[i], rows[r]
        rows[r] = [v / rows[r][j] for v in rows[r]]
        rows = [
            row if i == r else [a - row[j] * b for a, b in zip(row, rows[r], strict=True)] for i, row in enumerate(rows)
        ]
        pivots.append(j)
        r += 1
    free = [j for j in range(m) if j not in pivots]
    if len(free) != 1:
        return None
    vector = [Fraction(0)] * m
    vector[free[0]] = Fraction(1)
    for i, j in enumerate(pivots):
        vector[j] = -rows[i][free[0]]
    return vector


def inseparable_supports(z):
    """All supports of vertices of Gordan's polytope."""
    found = []
    for size in range(1, len(z[0]) + 2):
        for rows in combinations(range(len(z)), size):
            vector = kernel([z[i] for i in rows])
            if vector is not None and (all(v > 0 for v in vector) or all(v < 0 for v in vector)):
                found.append(rows)
    return found


def is_separable(z):
    """Whether some v has v.z_i > 0 for all i."""
    return not inseparable_supports(z)


def fewest_removed(z):
    """The fewest rows whose removal leaves a separable set: every support must lose a row."""
    supports = inseparable_supports(z)
    for size in range(len(z) + 1):
        for removed in combinations(range(len(z)), size):
            if all(set(s) & set(removed) for s in supports):
                return size
    return len(z)
