"""Types that exist only to be stored: two estimators, a state, a kernel, a pipeline of two."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from widemargin.store.estimators import EstimatorSpec
from widemargin.store.records import DataclassSpec
from widemargin.store.rules import Array, Labels, Part, Plain, Rows


@dataclass(frozen=True)
class ToyKernel:
    gamma: float = 1.0
    degree: int | None = None
    inner: ToyKernel | None = None


@dataclass(frozen=True)
class ToyProof:
    alpha: NDArray[np.float64]
    bound: float


@dataclass
class ToyState:
    w: NDArray[np.float64]
    visits: NDArray[np.int64]
    step: int
    eta: float
    reason: str | None = None
    history: list[float] = field(default_factory=list)
    flags: tuple[bool, ...] = ()


class ToyLinear(BaseEstimator):
    def __init__(self, C=1.0, kernel=None, class_weight=None, max_epochs=10):
        self.C = C
        self.kernel = kernel
        self.class_weight = class_weight
        self.max_epochs = max_epochs

    def fit(self, X, y):
        X = np.asarray(X, dtype=float)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        signs = np.eye(len(self.classes_))[codes] * 2 - 1
        signs = signs[:, 1:] if len(self.classes_) == 2 else signs
        self.coef_ = signs.T @ X
        self.intercept_ = signs.sum(axis=0)
        self.n_features_in_ = X.shape[1]
        self.n_iter_ = 3
        self.stop_reason_ = "a clean epoch"
        self.proof_ = ToyProof(np.linspace(0, 1, len(X)), float("inf"))
        return self


class ToyRows(BaseEstimator):
    """Keeps rows, dense or sparse, and indexes into them."""

    def __init__(self, neighbours=1):
        self.neighbours = neighbours

    def fit(self, X, y=None):
        self.rows_ = X
        self.n_features_in_ = X.shape[1]
        self.order_ = np.arange(X.shape[0])[::-1].astype(np.int64)
        self.starts_ = np.array([0, 1, X.shape[0]], dtype=np.int64)
        return self


class ToyPipeline(BaseEstimator):
    def __init__(self, first=None, rest=()):
        self.first = first
        self.rest = rest

    def fit(self, X, y):
        self.members_ = [ToyLinear().fit(X, y), ToyLinear(C=2.0).fit(X, y)]
        return self


HERE = "tests.store.toys"
SPECS = {
    "ToyKernel": DataclassSpec(f"{HERE}:ToyKernel", 1),
    "ToyProof": DataclassSpec(f"{HERE}:ToyProof", 1, nonfinite=("bound",)),
    "ToyState": DataclassSpec(f"{HERE}:ToyState", 1, checks={"w": Array("f8", ("d",)), "visits": Array("i8", ("d",))}),
    "ToyLinear": EstimatorSpec(
        f"{HERE}:ToyLinear",
        1,
        fitted={
            "classes_": Labels("c"),
            "coef_": Array("f8", ("k", "d")),
            "intercept_": Array("f8", ("k",)),
            "n_iter_": Plain(int, low=1),
            "stop_reason_": Plain(str),
            "proof_": Part("ToyProof", optional=True, proof=True),
        },
        rule=lambda s: s["k"] == (1 if s["c"] == 2 else s["c"]),
    ),
    "ToyRows": EstimatorSpec(
        f"{HERE}:ToyRows",
        1,
        fitted={
            "rows_": Rows(("f4", "f8"), ("n", "d")),
            "order_": Array("i8", ("n",), low=0, below="n"),
            "starts_": Array("i8", ("groups",), offsets_of="n"),
        },
    ),
    "ToyPipeline": EstimatorSpec(f"{HERE}:ToyPipeline", 1, fitted={"members_": Part("ToyLinear", size="m")}),
}


def same(a, b) -> bool:
    """Deep equality of types, dtypes and values; NaN equals NaN."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and all(map(same, a.ravel().tolist(), b.ravel().tolist()))
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a), list(b)) and same(list(a.values()), list(b.values()))
    if hasattr(a, "tocsr"):
        return a.shape == b.shape and all(same(getattr(a, n), getattr(b, n)) for n in ("data", "indices", "indptr"))
    if isinstance(a, float):
        return a == b or (a != a and b != b)
    if hasattr(a, "__dict__"):
        return same(dict(sorted(a.__getstate__().items())), dict(sorted(b.__getstate__().items())))
    return a == b
