"""Small sets for support vector machines, fits that are certified anew, and objectives written down as people know
them: nothing here comes from the solver or the certificate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import widemargin as wm

EXACT = {"tol": 1e-8, "gap_tol": 1e-10}
CLASSES = [wm.SVC, wm.NuSVC]
NUMBERS = [wm.SVR, wm.NuSVR]
MACHINES = [*CLASSES, *NUMBERS, wm.OneClassSVM]


class Rows(NamedTuple):
    """Rows, labels -1 and +1, targets, weights, and a width for the RBF kernel.

    Whole weights may leave no row between its bounds, and then several biases are optimal: these are not whole.
    """

    X: np.ndarray
    y: np.ndarray
    z: np.ndarray
    w: np.ndarray
    gamma: float

    def of(self, cls: type) -> np.ndarray:
        return self.y if cls in CLASSES else self.z

    def take(self, rows: np.ndarray) -> Rows:
        return Rows(self.X[rows], self.y[rows], self.z[rows], self.w[rows], self.gamma)


def rows(seed: int, n: int = 40, d: int = 2, noise: float = 0.5, gamma: float = 0.7) -> Rows:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = -1.0, 1.0
    z = np.sin(2 * X[:, 0]) + noise * rng.normal(size=n)
    return Rows(X, y, z, rng.uniform(0.5, 3.0, n), gamma)


@st.composite
def sets(draw: Any, smallest: int = 6, largest: int = 40) -> Rows:
    """Of all sizes, easy and hard; no kernel is so wide that its matrix is singular to rounding."""
    return rows(
        draw(st.integers(0, 10**6)),
        draw(st.integers(smallest, largest)),
        draw(st.integers(2, 4)),
        draw(st.sampled_from([0.0, 0.3, 1.0, 5.0])),
        draw(st.sampled_from([0.5, 2.0, 8.0])),
    )


def rbf(X: np.ndarray, Z: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-gamma * cdist(X, Z, "sqeuclidean"))


def make(cls: type, r: Rows | None = None, **params: Any) -> Any:
    """A machine that is solved to the last digits; nu is feasible for these sets, and no share of whole weights."""
    usual: dict[str, Any] = dict(EXACT)
    if r is not None:
        usual["gamma"] = r.gamma
    if "nu" in cls().get_params():
        usual["nu"] = 0.29289
    if r is not None and cls is wm.NuSVC:  # with these weights and without
        usual["nu"] = 0.78539 * min(feasible_nu(r.y, w) for w in (r.w, np.ones(len(r.y))))
    return cls(**{**usual, **params})


def feasible_nu(y: np.ndarray, w: np.ndarray) -> float:
    """The largest nu that the labels allow."""
    return 2 * min(w[y < 0].sum(), w[y > 0].sum()) / w.sum()


def fitted(model: Any, X: Any, y: Any = None, w: Any = None) -> Any:
    """The fit; its gap, recomputed in float64 from data and model alone, is what was asked for."""
    model.fit(X, y, sample_weight=w)
    found = wm.certify(model, X, y, w)
    assert found.holds, found.claim
    assert found.relative_gap <= model.gap_tol
    assert found.kkt_violation <= model.tol
    assert model.converged_, model.stop_reason_
    assert abs(found.primal - model.certificate_.primal) <= found.rounding + 1e-12 * abs(found.primal)
    return model


def coefs(model: Any, n: int) -> np.ndarray:
    """The coefficient of each row of a binary machine or a regression."""
    c = np.zeros(n)
    c[model.support_] = model.dual_coef_[0]
    return c


def scores(model: Any, X: Any) -> np.ndarray:
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def objective(model: Any, K: np.ndarray, target: Any, c: np.ndarray, b: float, w: np.ndarray) -> float:
    """The least that the function sum_i c_i k(x_i, .) + b costs, over the margin or the width where that is free."""
    f, half = K @ c, c @ K @ c / 2
    if isinstance(model, wm.SVC):
        return half + model.C * w @ np.maximum(0, 1 - target * (f + b))
    if isinstance(model, wm.SVR):
        return half + model.C * w @ np.maximum(0, np.abs(target - f - b) - model.epsilon)
    if isinstance(model, wm.NuSVR):
        off = np.abs(target - f - b)
        tubes = [model.nu * w.sum() * e + w @ np.maximum(0, off - e) for e in np.append(off, 0.0)]
        return half + model.C * min(tubes)
    if isinstance(model, wm.OneClassSVM):
        return half + model.nu * w.sum() * b + w @ np.maximum(0, -b - f)
    # NuSVC is rho (c, b) before it is divided by its margin rho: a quadratic in rho, whose least value this is.
    gain = model.nu * w.sum() - w @ np.maximum(0, 1 - target * (f + b))
    return -(max(gain, 0.0) ** 2) / (4 * half)
