"""How far a linear machine of all classes at once can be from its optimum.

Problem  model/class_problem.py.  For every W, c and every b, with v_m = sum_i b_im x_i, u_im = e_im + z_im and
         a_im = C_i [m = y_i] - b_im >= 0,
         P - D = 1/2 sum_m |w_m - v_m|^2 + the same of the biases + sum_im a_im (max_l u_il - u_im)
Stops    as certificate/linear: no term of the gap is below 0
Method   Fenchel's inequality [BoydVandenberghe04, sec. 3.3.2; CrammerSinger01]
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..model.class_problem import ClassProblem
from .bounded import UNIT, gamma
from .linear import products
from .record import SVMCertificate
from .svm import EQUAL, FEASIBLE, gap_sentence
from .svm_points import gap_figures


def certify_classes(
    problem: ClassProblem,
    W: np.ndarray,
    b: np.ndarray,
    *,
    radius: float,
    asked: float | None = None,
    data_digest: str = "",
) -> SVMCertificate:
    """Recompute both objectives.

    Parameters
    ----------
    problem : ClassProblem
        Made anew from labels, weights and parameters.
    W : ndarray of shape (k, d + 1)
        The model, a line a class with the bias last.
    b : ndarray of shape (n * k,)
        The saved proof.
    radius : float
        No row is longer than this.
    asked, data_digest
        As in certify_linear.

    Returns
    -------
    SVMCertificate
    """
    began = time.perf_counter()
    p, b = problem, np.array(b, dtype=np.float64)
    if b.size != p.n_variables or W.shape != p.shape:
        fault = f"the proof has {b.size} variables for {p.n} rows and {p.k} classes"
        return SVMCertificate(claim=fault, holds=False, data_digest=data_digest)
    b = b.reshape(p.n, p.k)
    with np.errstate(all="ignore"):  # what is not finite becomes a fault
        z, v = products(p.X, np.ascontiguousarray(W[:, :-1].T), b)
        figures = _figures(p, W, b, z + W[:, -1], v, radius)
        faults = _faults(p, W, b, figures)
    return SVMCertificate(
        claim="; ".join(faults) or gap_sentence(figures, asked),
        holds=not faults,
        data_digest=data_digest,
        seconds=time.perf_counter() - began,
        **figures,
    )


def _figures(p: ClassProblem, W: np.ndarray, b: np.ndarray, z: np.ndarray, v: np.ndarray, radius: float) -> Any:
    own = np.arange(p.n), p.y
    u = z + 1.0
    u[own] -= 1.0
    top = u.max(axis=1)
    a = -b
    a[own] += p.C
    residual = float((a * (top[:, None] - u)).sum())
    w, c, sums = W[:, :-1], W[:, -1], b.sum(axis=0)
    off = w - v.T
    primal = float((w * w).sum()) / 2 + float(p.C @ (top - u[own]))
    dual = float(b[own].sum()) - float((v * v).sum()) / 2
    gap, size = residual + float((off * off).sum()) / 2, float(np.abs(b).sum())
    if p.bias == "regularised":
        bias = c / p.scale - p.scale * sums
        primal, dual = primal + float(c @ c) / p.scale**2 / 2, dual - p.scale**2 * float(sums @ sums) / 2
        gap += float(bias @ bias) / 2
    of_v = gamma(p.n + 4) * radius * size
    of_z = gamma(p.d + 4) * (radius * float(np.abs(w).max(initial=0.0)) * np.sqrt(p.d) + float(np.abs(c).max()))
    rounding = float(np.linalg.norm(off)) * of_v + of_v * of_v + 2 * (of_z + 8 * UNIT) * float(p.C.sum() + size)
    rounding += gamma(p.n * p.k) * abs(gap) + float(np.abs(c) @ np.abs(sums)) * (p.bias == "free")
    bound = np.zeros_like(b)
    bound[own] = p.C
    outside = [float((b - bound).max(initial=0.0)), float(np.abs(b.sum(axis=1)).max(initial=0.0))]
    outside += [float(np.abs(sums).max())] if p.bias == "free" else []
    return {k: float(v) for k, v in gap_figures(primal, dual, gap, rounding, p.least).items()} | {
        "infeasibility": max(0.0, *outside),
        "n_free": int(np.count_nonzero((b != bound) & (b != 0))),
        "n_bounded": int(np.count_nonzero((b == bound) & (b != 0))),
    }


def _faults(p: ClassProblem, W: np.ndarray, b: np.ndarray, figures: dict[str, Any]) -> list[str]:
    if not (np.isfinite(b).all() and np.isfinite(W).all()):
        return ["the proof or the model holds numbers that are not finite"]
    if not np.isfinite(figures["gap"]):
        return ["sums overflow float64"]
    said, bound = [], np.zeros_like(b)
    bound[np.arange(p.n), p.y] = p.C
    i, m = np.unravel_index(int(np.argmax(b - bound)), b.shape)
    if b[i, m] - bound[i, m] > EQUAL * p.C[i]:
        said.append(f"variable {m} of row {i} is {b[i, m]:.9g}, above its bound {bound[i, m]:.9g}")
    along = np.abs(b.sum(axis=1))
    if (along > FEASIBLE * p.C).any():
        said.append(f"the variables of row {int(np.argmax(along / p.C))} miss their sum")
    across = np.abs(b.sum(axis=0))
    if p.bias == "free" and float(across.max()) > FEASIBLE * float(np.abs(b).sum()):
        said.append(f"the variables of class {int(np.argmax(across))} miss their sum by {across.max():.3g}")
    if figures["gap"] < -figures["rounding"]:
        said.append(f"the gap is {figures['gap']:.3g}, below 0 by more than rounding ({figures['rounding']:.2g})")
    return said
