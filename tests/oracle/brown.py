"""BrownBoost's first round with a learner of two values, in decimal numbers of 40 digits."""

from decimal import Decimal, getcontext

getcontext().prec = 40
PI = Decimal("3.141592653589793238462643383279502884197169")


def erf(x):
    """2 / sqrt(pi) times the sum of (-1)^n x^(2n+1) / (n! (2n+1))."""
    term, total, n = x, x, 0
    while abs(term) > Decimal(10) ** -38:
        n += 1
        term = -term * x * x / n
        total += term / (2 * n + 1)
    return 2 / PI.sqrt() * total


def root(f, low, high):
    """Where a falling f is 0, by halving."""
    for _ in range(130):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return low


def first_round(epsilon, error):
    """(t, a) where the edge has gone before the time is over: c ln((1 - e) / e) = 4 a (c - t), the potential kept."""
    epsilon, e = Decimal(epsilon), Decimal(error)
    size = root(lambda x: 1 - epsilon - erf(x), Decimal(0), Decimal(4))
    c = size * size

    def a(t):
        return c * ((1 - e) / e).ln() / (4 * (c - t))

    def potential(t):
        return (1 - e) * erf((a(t) + c - t) / size) + e * erf((c - t - a(t)) / size) - (1 - epsilon)

    t = root(potential, Decimal(0), c / 2)
    return float(t), float(a(t))
