"""What a race is judged by: the duality gap of a learner's dual point in float64, and the best the machine can do."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import threadpoolctl

from widemargin.certificate.svm import certify_svm
from widemargin.kernels import RBF
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems
from widemargin.model.box import BoxProblem

from .problems import load


def gaps(data: Path, points: Path, C: float, gamma: float) -> dict[str, Any]:
    """Objectives and gaps of the learner's point with the learner's intercept, summed over pairs of classes."""
    X, y, _, _ = load(data)
    X = sp.csr_array(X) if sp.issparse(X) else X
    file = np.load(points)
    certificates = []
    for p in range(int(file["pairs"])):
        plus, minus = int(file[f"plus_{p}"]), int(file[f"minus_{p}"])
        rows = np.flatnonzero((y == plus) | (y == minus))
        signs = np.where(y[rows] == plus, 1.0, -1.0)
        b = np.zeros(len(y))
        b[file[f"rows_{p}"]] = file[f"coef_{p}"]
        source = GramSource(RBF(gamma), RowItems(X), 1)
        source = source if len(rows) == len(y) else source.take(rows)
        problem = BoxProblem.c_svc(signs, C)
        certificates.append(certify_svm(source, problem, b[rows], intercept=float(file[f"intercept_{p}"])))
    primal = sum(c.primal for c in certificates)
    faults = [c.claim for c in certificates if c.holds is False]
    return {
        "primal": primal,
        "dual": sum(c.dual for c in certificates),
        "relative_gap": sum(c.gap for c in certificates) / primal,
        "worst_relative_gap": max(c.relative_gap for c in certificates),
        "worst_violation": max(c.kkt_violation for c in certificates),
        "faults": len(faults),
        "first_fault": faults[0] if faults else "",
    }


def best(work: Any, times: int = 7) -> float:
    seconds = []
    for _ in range(times):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return min(seconds)


def exp_rate() -> float:
    """Seconds of one exponential in float32: NumPy's, in the cache."""
    block = np.random.default_rng(0).random((16, 2048), dtype=np.float32) - 1
    out = np.empty_like(block)

    def work() -> None:
        for _ in range(200):
            np.exp(block, out=out)

    return best(work) / (200 * block.size)


def product_rate(d: int, rows: int = 512, columns: int = 4096) -> float:
    """Seconds of one float32 product of two rows of d numbers, in blocks of NumPy's matrix product on one thread."""
    rng = np.random.default_rng(0)
    A, B = rng.random((rows, d), dtype=np.float32), rng.random((columns, d), dtype=np.float32)
    out = np.empty((rows, columns), np.float32)

    def work() -> None:
        for _ in range(4):
            np.matmul(A, B.T, out=out)

    return best(work) / (4 * rows * columns)


def roofline(data: Path) -> dict[str, float]:
    """Nanoseconds of a kernel value if nothing but product and exponential were needed.

    For sparse rows the product counts the columns that are not zero in a row, at the rate of a dense product.
    """
    X = load(data)[0]
    with threadpoolctl.threadpool_limits(1):
        dense, exp = product_rate(X.shape[1]), exp_rate()
    width = X.shape[1] if not sp.issparse(X) else max(round(X.nnz / X.shape[0]), 1)
    product = dense * width / X.shape[1]
    return {
        "columns_a_row": width,
        "sgemm_gflops": 2 * X.shape[1] / dense / 1e9,
        "exp_per_ns": 1e-9 / exp,
        "ns_a_value": (product + exp) * 1e9,
    }
