"""The one problem that all support vector machines are.

Problem  min over b:  1/2 b'Kb - t.b   s.t.  lower <= b <= upper,  sum of b over group g = total_g
Symbols  variable v speaks of item v mod n: N = n variables, or 2n (first those that pull up, then those that pull
         down); K(v, u) is the kernel of their items. b is signed: there are no labels left in the problem.
         C-SVC        t = y             y [0, C_i]                      sum 0
         eps-SVR      t = z -+ eps      [0, C_i] and [-C_i, 0]          sum 0
         one-class    t = 0             [0, w_i]                        sum nu W,  W = sum w_i
         nu-SVC       t = 0             y [0, w_i]                      each class sums to +- nu W / 2
         nu-SVR       t = z             [0, C w_i] and [-C w_i, 0]      each side sums to +- C nu W / 2
Method   scaled as in LIBSVM                                            [ChangLin11, sec. 2; ScholkopfEtAl00]
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..base.errors import BadInput

ROUNDING = 1e-12  # of the largest feasible nu: shares such as 0.4 are not exact


@dataclass(frozen=True, eq=False)
class BoxProblem:
    """A quadratic problem in a box with fixed sums.

    Attributes
    ----------
    t, lower, upper : ndarray of float64 of shape (N,)
        Linear term and box; a hard margin has infinite bounds.
    group : ndarray of int8 of shape (N,), or None
        Which sum each variable belongs to; None: all to the one.
    total : tuple of float
        The value of each group's sum; empty: no sum is fixed, which is the machine without a bias.
    n : int
        Items; N is n or 2n.
    """

    t: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    group: np.ndarray | None
    total: tuple[float, ...]
    n: int

    # ---- the five formulations ---------------------------------------------------------------------------------

    @classmethod
    def c_svc(cls, y: Any, C: Any) -> BoxProblem:
        """Labels y of -1 and +1; C one number or one a row, infinite (for all) for a hard margin."""
        y = _signs(y)
        if np.ndim(C) or not C > 0:
            C = _bounds(C, len(y), "C")
            if np.isinf(C).any() and not np.isinf(C).all():
                infinite = f"C is infinite for {np.isinf(C).sum()} of {len(C)} rows"
                raise BadInput(f"{infinite}: make it so for all, or for none.")
        positive = y > 0
        return cls(y, np.where(positive, 0.0, -C), np.where(positive, C, 0.0), None, (0.0,), len(y))

    @classmethod
    def eps_svr(cls, z: Any, eps: float, C: Any) -> BoxProblem:
        """Targets z, half-width eps of the tube, C one number or one a row."""
        z = _targets(z)
        if not (math.isfinite(eps) and eps >= 0):
            raise BadInput(f"epsilon is {eps!r}: it must be finite and not negative.")
        lower, upper = _up_and_down(_finite(_bounds(C, len(z), "C"), "C"))
        return cls(np.concatenate([z - eps, z + eps]), lower, upper, None, (0.0,), len(z))

    @classmethod
    def one_class(cls, weight: Any, nu: float) -> BoxProblem:
        """Weights of the rows; nu bounds the share of outliers from above, that of support vectors from below."""
        w = _finite(_bounds(weight, None, "sample_weight"), "sample_weight")
        total = _check_nu(nu) * float(w.sum())
        return cls(np.zeros(len(w)), np.zeros(len(w)), w, None, (total,), len(w))

    @classmethod
    def nu_svc(cls, y: Any, weight: Any, nu: float) -> BoxProblem:
        """Labels of -1 and +1, weights, nu. The solution is to be divided by rho afterwards."""
        y = _signs(y)
        w = _finite(_bounds(weight, len(y), "sample_weight"), "sample_weight")
        share = _check_nu(nu) * float(w.sum()) / 2
        positive = y > 0
        small = min(float(w[positive].sum()), float(w[~positive].sum()))
        if share > small * (1 + ROUNDING):
            raise BadInput(
                f"specified nu is infeasible: nu is {nu:g}, but these classes allow at most {2 * small / w.sum():.6g} "
                "(twice the share of the smaller one): lower nu."
            )
        share = min(share, small)
        lower, upper = np.where(positive, 0.0, -w), np.where(positive, w, 0.0)
        return cls(np.zeros(len(y)), lower, upper, (~positive).astype(np.int8), (share, -share), len(y))

    @classmethod
    def nu_svr(cls, z: Any, C: float, weight: Any, nu: float) -> BoxProblem:
        """Targets, C, weights, nu: the tube's half-width is found such that about a share nu lies outside."""
        z = _targets(z)
        w = _bounds(weight, len(z), "sample_weight")
        bound = _finite(_bounds(C * w, len(z), "C"), "C")
        share = _check_nu(nu) * float(bound.sum()) / 2
        lower, upper = _up_and_down(bound)
        group = np.repeat(np.array([0, 1], np.int8), len(z))
        return cls(np.concatenate([z, z]), lower, upper, group, (share, -share), len(z))

    # ---- what follows ------------------------------------------------------------------------------------------

    @property
    def n_variables(self) -> int:
        return len(self.t)

    @property
    def groups(self) -> np.ndarray:
        """The group of every variable, also where there is only one."""
        return np.zeros(self.n_variables, np.int8) if self.group is None else self.group

    @cached_property
    def hard(self) -> bool:
        """Whether the bounds are infinite: a margin that no item may break."""
        return bool(np.isinf(self.lower).any() or np.isinf(self.upper).any())

    @cached_property
    def sum_of_bounds(self) -> float:
        """The sum of the C_i: the scale of the objective."""
        return float((self.upper - self.lower)[: self.n].sum())

    def take(self, order: np.ndarray) -> BoxProblem:
        """The same problem with its items in another order."""
        v = (np.arange(self.n_variables // self.n)[:, None] * self.n + order).ravel()
        group = None if self.group is None else self.group[v]
        return replace(self, t=self.t[v], lower=self.lower[v], upper=self.upper[v], group=group)

    def without_sums(self) -> BoxProblem:
        """The same box with free sums: the machine whose bias is fixed at 0."""
        return replace(self, group=None, total=())

    def start(self) -> np.ndarray:
        """A feasible point: 0, or the first variables of each group filled up to its total, as LIBSVM begins."""
        b = np.zeros(self.n_variables)
        for g, total in enumerate(self.total):
            if total != 0:
                here = self.groups == g
                room = (self.upper if total > 0 else -self.lower)[here]
                before = np.cumsum(room) - room
                b[here] = math.copysign(1.0, total) * np.clip(abs(total) - before, 0.0, room)
        return b

    def items(self, b: np.ndarray) -> np.ndarray:
        """The coefficient of each item: both its variables together (b itself where there is one)."""
        b = np.asarray(b, dtype=np.float64)
        return b if len(b) == self.n else b.reshape(-1, self.n).sum(axis=0)

    def offsets(self, intercept: float, rho: float = 0.0) -> np.ndarray:
        """The multiplier of each group's sum, from LIBSVM's two numbers.

        nu-SVC: the margin is rho (before the model is divided by it). nu-SVR: the half-width of the tube is -rho.
        One-class: its rho is minus the intercept here.
        """
        return np.array([intercept - rho, intercept + rho] if len(self.total) == 2 else [intercept] * len(self.total))


# ---- checks ----------------------------------------------------------------------------------------------------------


def _signs(y: Any) -> np.ndarray:
    y = np.array(y, dtype=np.float64)
    if not ((y == 1) | (y == -1)).all():
        raise BadInput("the labels of a two-class problem must be -1 and +1.")
    return y


def _targets(z: Any) -> np.ndarray:
    z = np.asarray(z, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(z))
    if bad.size:
        raise BadInput(f"{bad.size} targets are not finite, the first being that of row {bad[0]}.")
    return z


def _bounds(C: Any, n: int | None, name: str) -> np.ndarray:
    C = np.asarray(C, dtype=np.float64)
    C = C.copy() if n is None else np.broadcast_to(C, (n,)).copy()
    bad = np.flatnonzero(~(C > 0))
    if bad.size:
        raise BadInput(f"{name} is {C[bad[0]]:g} for row {bad[0]}: it must be positive (leave out rows of weight 0).")
    return C


def _finite(C: np.ndarray, name: str) -> np.ndarray:
    bad = np.flatnonzero(np.isinf(C))
    if bad.size:
        raise BadInput(f"{name} is infinite for row {bad[0]}: only the hard margin of two classes can have that.")
    return C


def _check_nu(nu: float) -> float:
    if not 0 < nu <= 1:
        raise BadInput(f"nu is {nu!r}: it must lie above 0 and not above 1.")
    return float(nu)


def _up_and_down(C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    none = np.zeros(len(C))
    return np.concatenate([none, -C]), np.concatenate([C, none])
