"""The losses of linear machines, in NumPy: for certificates, which may not trust the core's, and for small sums.

Symbols  z scores, t targets (+1 or -1 for classes), C prices, b signed dual variables; l*(s) = sup_z (s z - l(z))
A loss   value, slope (dl/dz), conjugate, residual = C l(z) + C l*(-b/C) + b z >= 0 without cancellation, bounds of b
         core/loss/losses.hpp has the same functions, and a step of its own for each
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

Bounds = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Loss:
    """What solvers and certificates may ask. `code` is the core's number; `kinked` ones have no slope everywhere, of
    `unbounded` ones no bound of b depends on the price."""

    code: ClassVar[int]
    kinked: ClassVar[bool] = False
    unbounded: ClassVar[bool] = False
    eps: ClassVar[float] = 0.0

    def value(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def slope(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def conjugate(self, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def residual(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def bounds(self, t: np.ndarray, C: np.ndarray) -> Bounds:
        raise NotImplementedError

    def steepest(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> np.ndarray:
        """A bound on how fast the residual changes with z, near z."""
        return np.abs(b) + C * np.abs(self.slope(z, t))

    def reward(self, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> np.ndarray:
        """D(b) = -C l*(-b / C)."""
        return -C * self.conjugate(-b / C, t)

    def terms(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, ...]:
        """C value, residual, reward and steepest, all at once: what they share need not be made four times."""
        return C * self.value(z, t), self.residual(z, b, t, C), self.reward(b, t, C), self.steepest(z, b, t, C)


def _margin_bounds(t: np.ndarray, most: Any) -> Bounds:
    signed = t * most
    return np.minimum(signed, 0.0), np.maximum(signed, 0.0)


def _only(inside: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values, infinite where not `inside`; np.where takes longer than all that it is given."""
    return values if np.all(inside) else np.where(inside, values, np.inf)


@dataclass(frozen=True)
class Hinge(Loss):
    """max(0, 1 - t z)                                                                            [CortesVapnik95]"""

    code: ClassVar[int] = 0
    kinked: ClassVar[bool] = True

    def value(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.maximum(1 - t * z, 0.0)

    def slope(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.where(t * z < 1, -t, 0.0)

    def conjugate(self, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        m = t * s
        return _only((m >= -1) & (m <= 0), m)

    def residual(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> np.ndarray:
        r, a = 1 - t * z, t * b
        return (C - a) * np.maximum(r, 0.0) - a * np.minimum(r, 0.0)

    def bounds(self, t: np.ndarray, C: np.ndarray) -> Bounds:
        return _margin_bounds(t, C)

    def steepest(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> np.ndarray:
        return np.abs(b) + C

    def terms(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, ...]:
        r, a = 1 - t * z, t * b
        over = np.maximum(r, 0.0)
        inside = (a >= 0) & (a / C <= 1)
        return C * over, (C - a) * over - a * np.minimum(r, 0.0), -_only(inside, -a), np.abs(b) + C


@dataclass(frozen=True)
class SquaredHinge(Loss):
    """max(0, 1 - t z)^2"""

    code: ClassVar[int] = 1
    unbounded: ClassVar[bool] = True

    def value(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.maximum(1 - t * z, 0.0) ** 2

    def slope(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        return -2 * t * np.maximum(1 - t * z, 0.0)

    def conjugate(self, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        m = t * s
        return _only(m <= 0, m + s * s / 4)

    def residual(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> np.ndarray:
        r, a = 1 - t * z, t * b
        off = np.maximum(r, 0.0) - a / (2 * C)
        return C * off * off - a * np.minimum(r, 0.0)

    def bounds(self, t: np.ndarray, C: np.ndarray) -> Bounds:
        return _margin_bounds(t, np.inf)

    def terms(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, ...]:
        r, a = 1 - t * z, t * b
        over, half = np.maximum(r, 0.0), a / (2 * C)
        slope, off = C * over, over - half
        return (
            slope * over,
            C * off * off - a * np.minimum(r, 0.0),
            -_only(a >= 0, a * half / 2 - a),
            np.abs(b) + 2 * slope,
        )


@dataclass(frozen=True)
class Logistic(Loss):
    """log(1 + exp(-t z))                                                                           [YuHuangLin11]"""

    code: ClassVar[int] = 2

    def value(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.logaddexp(0.0, -t * z)

    def slope(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        return -t * np.exp(-np.logaddexp(0.0, t * z))

    def conjugate(self, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        a = -t * s
        inside = (a >= 0) & (a <= 1)
        p = np.where(inside, a, 0.5)
        return np.where(inside, _times_log(p, np.zeros_like(p)) + _times_log(1 - p, np.zeros_like(p)), np.inf)

    def residual(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> np.ndarray:
        """C times the relative entropy of b's share and the one that z asks for."""
        p, m = np.clip(t * b / C, 0.0, 1.0), t * z
        yes = -np.logaddexp(0.0, m)
        return C * np.maximum(_times_log(p, yes) + _times_log(1 - p, yes + m), 0.0)

    def bounds(self, t: np.ndarray, C: np.ndarray) -> Bounds:
        return _margin_bounds(t, C)


def _times_log(p: np.ndarray, log_of: np.ndarray) -> np.ndarray:
    """p log(p / of), 0 where p is."""
    return np.where(p > 0, p * (np.log(np.where(p > 0, p, 1.0)) - log_of), 0.0)


@dataclass(frozen=True)
class Tube(Loss):
    """max(0, |t - z| - eps)                                                                       [DruckerEtAl97]"""

    code: ClassVar[int] = 3
    kinked: ClassVar[bool] = True

    eps: float = 0.0  # type: ignore[misc]

    def value(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.maximum(np.abs(t - z) - self.eps, 0.0)

    def slope(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.where(np.abs(t - z) > self.eps, np.sign(z - t), 0.0)

    def conjugate(self, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        size = np.abs(s)
        return _only(size <= 1, t * s + self.eps * size)

    def residual(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> np.ndarray:
        u, a = np.where(b < 0, z - t, t - z), np.abs(b)
        inside = C * np.maximum(-u - self.eps, 0.0) + a * (self.eps - u)
        return np.where(u > self.eps, (C - a) * (u - self.eps), inside)

    def bounds(self, t: np.ndarray, C: np.ndarray) -> Bounds:
        return -C, C

    def steepest(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> np.ndarray:
        return np.abs(b) + C


@dataclass(frozen=True)
class SquaredTube(Loss):
    """max(0, |t - z| - eps)^2                                                                           [HoLin12]"""

    code: ClassVar[int] = 4
    unbounded: ClassVar[bool] = True

    eps: float = 0.0  # type: ignore[misc]

    def value(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.maximum(np.abs(t - z) - self.eps, 0.0) ** 2

    def slope(self, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        return 2 * np.sign(z - t) * np.maximum(np.abs(t - z) - self.eps, 0.0)

    def conjugate(self, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        return t * s + self.eps * np.abs(s) + s * s / 4

    def residual(self, z: np.ndarray, b: np.ndarray, t: np.ndarray, C: np.ndarray) -> np.ndarray:
        u, a = np.where(b < 0, z - t, t - z), np.abs(b)
        inside = C * np.maximum(-u - self.eps, 0.0) ** 2 + a * a / (4 * C) + a * (self.eps - u)
        return np.where(u > self.eps, C * (u - self.eps - a / (2 * C)) ** 2, inside)

    def bounds(self, t: np.ndarray, C: np.ndarray) -> Bounds:
        return np.full_like(C, -np.inf), np.full_like(C, np.inf)


FOR_CLASSES: dict[str, Loss] = {"hinge": Hinge(), "squared_hinge": SquaredHinge(), "logistic": Logistic()}
FOR_NUMBERS: dict[str, type[Any]] = {"epsilon_insensitive": Tube, "squared_epsilon_insensitive": SquaredTube}
