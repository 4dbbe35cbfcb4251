"""Fitted machines as graphs of ONNX: scores in float64 from plain operators, then the decision that `predict` makes.

ONNX has operators of its own for linear and kernel machines, but these keep their numbers in float32, so that rows near
a boundary change sides. Products, exponentials and votes written out in float64 say what the machine here says.

Symbols  x · s products of the rows with the support; score of part c: sum_j coef_cj k(x, s_j) + intercept_c
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import CannotStore
from ..kernels.rows import RBF, Linear, Polynomial, PolynomialFunction, Tanh
from ..model.kernel import EDGE, KernelModel
from ..model.linear import LinearModel
from ..model.pairs import PairsModel, pairs


class Graph:
    """Nodes and constants as they are added; a value is the name of what a node gives."""

    def __init__(self, helper: Any, numpy_helper: Any) -> None:
        self._helper, self._numpy = helper, numpy_helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, array: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(self._numpy.from_array(np.asarray(array), name))
        return name

    def op(self, kind: str, *inputs: Any, name: str | None = None, **attributes: Any) -> str:
        """The output of an operator; inputs that are no names become constants."""
        given = [v if isinstance(v, str) else self.constant(v) for v in inputs]
        name = name or f"v{len(self.nodes)}"
        self.nodes.append(self._helper.make_node(kind, given, [name], **attributes))
        return name

    def to_double(self, value: str) -> str:
        return self.op("Cast", value, to=11)  # TensorProto.DOUBLE

    def add_scores(self, model: Any, x: str) -> str:
        """n x parts."""
        if isinstance(model, LinearModel):
            return self._affine(x, model.coef, model.intercept)
        if not isinstance(model, KernelModel | PairsModel):
            raise CannotStore(f"ONNX has no place for a {type(model).__name__}: save it as .wm instead.")
        kernel = model.kernel
        coef = _pair_coef(model) if isinstance(model, PairsModel) else model.coef
        rows = getattr(model.support, "X", None)
        if not isinstance(kernel, Linear | Polynomial | PolynomialFunction | RBF | Tanh) or rows is None:
            told = "linear, polynomial, radial and sigmoid kernels of rows can be written"
            raise CannotStore(f"ONNX has no operator for the kernel {kernel}: {told}; save it as .wm instead.")
        S = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)
        if isinstance(kernel, Linear):
            return self._affine(x, coef @ S, model.intercept)
        return self.op("Add", self.op("MatMul", self._kernel(kernel, x, S), coef.T.copy()), model.intercept)

    def _affine(self, x: str, W: np.ndarray, b: np.ndarray) -> str:
        W, b = np.asarray(W, np.float64), np.asarray(b, np.float64)
        return self.op("Add", self.op("MatMul", x, np.ascontiguousarray(W.T)), b)

    def _kernel(self, kernel: Any, x: str, S: np.ndarray) -> str:
        """n x support. Factors go into the constants: a runtime may join a product and a factor, then in float32."""
        if isinstance(kernel, RBF):
            own = self.op("ReduceSum", self.op("Mul", x, x), np.array([1]), keepdims=1)
            products = self.op("MatMul", x, np.ascontiguousarray(-2.0 * S.T))
            square = self.op("Add", self.op("Add", products, own), (S * S).sum(axis=1))
            square = self.op("Max", square, np.float64(0.0))
            return self.op("Exp", self.op("Mul", square, np.float64(-kernel.gamma)))
        slope, offset = (kernel.alpha, kernel.beta) if isinstance(kernel, Tanh) else (kernel.gamma, kernel.offset)
        line = self.op("Add", self.op("MatMul", x, np.ascontiguousarray(slope * S.T)), np.float64(offset))
        return self.op("Tanh", line) if isinstance(kernel, Tanh) else self.op("Pow", line, np.float64(kernel.degree))

    # ---- decisions ---------------------------------------------------------------------------------------------

    def add_inside(self, scores: str, intercept: float) -> None:
        """One class: scores that are 0 to rounding are inside."""
        score = self.op("Squeeze", scores, np.array([1]), name="scores")
        edge = np.float64(-EDGE * abs(intercept))
        inside = self.op("GreaterOrEqual", score, edge)
        self.op("Where", inside, np.int64(1), np.int64(-1), name="label")

    def add_labels(self, estimator: Any, scores: str) -> None:
        """`label` and `scores`, as `predict` and `decision_function` give them."""
        k = len(estimator.classes_)
        if k == 2:
            score = self.op("Squeeze", scores, np.array([1]), name="scores")
            code = self.op("Cast", self.op("Greater", score, np.float64(0.0)), to=7)  # TensorProto.INT64
        elif "ovo" not in (getattr(estimator, name, None) for name in ("multiclass", "multi_class")):
            code = self.op("ArgMax", self.op("Identity", scores, name="scores"), axis=1, keepdims=0)
        elif isinstance(estimator.model_, PairsModel):
            code = self._from_pairs(estimator, scores)
        else:
            code = self.op("ArgMax", self._ranked(scores, k, "scores"), axis=1, keepdims=0)
        self.op("Gather", _labels(estimator.classes_), code, name="label")

    def _from_pairs(self, estimator: Any, scores: str) -> str:
        """Kernel machines: positive scores of pair (i, j) speak for i; most pairs won, the first of several."""
        k = len(estimator.classes_)
        against = self.op("Neg", scores)
        if estimator.decision_function_shape == "ovo":
            self.op("Identity", scores, name="scores")
            ranked = ""
        else:
            ranked = self._ranked(against, k, "scores")
        if estimator.break_ties:
            return self.op("ArgMax", ranked or self._ranked(against, k), axis=1, keepdims=0)
        won = self.op("Greater", scores, np.float64(0.0))
        return self.op("ArgMax", self._votes(self.op("Not", won), k), axis=1, keepdims=0)

    def _votes(self, second: str, k: int) -> str:
        """Pairs won by each class, where `second` says whether the second class of a pair wins."""
        first, other = _sides(k)
        won = self.to_double(second)
        return self.op("Add", self.op("MatMul", won, other - first), first.sum(axis=0))

    def _ranked(self, scores: str, k: int, name: str | None = None) -> str:
        """Votes, and the sum of scores squeezed into (-1/3, 1/3); positive scores of (i, j) speak for j."""
        first, other = _sides(k)
        total = self.op("MatMul", scores, other - first)
        room = self.op("Add", self.op("Mul", self.op("Abs", total), np.float64(3.0)), np.float64(3.0))
        votes = self._votes(self.op("Greater", scores, np.float64(0.0)), k)
        return self.op("Add", votes, self.op("Div", total, room), name=name)


def _sides(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs x classes: which class is the first of a pair, and which the second."""
    order = np.array(list(pairs(k)))
    return np.eye(k)[order[:, 0]], np.eye(k)[order[:, 1]]


def _pair_coef(model: PairsModel) -> np.ndarray:
    """Pairs x support, from LIBSVM's layout."""
    ends = np.cumsum(model.n_support)
    places = [slice(e - n, e) for e, n in zip(ends, model.n_support, strict=True)]
    coef = np.zeros((len(model.intercept), model.coef.shape[1]))
    for p, (i, j) in enumerate(pairs(len(model.n_support))):
        coef[p, places[i]] = model.coef[j - 1, places[i]]
        coef[p, places[j]] = model.coef[i, places[j]]
    return coef


def _labels(classes: np.ndarray) -> np.ndarray:
    if classes.dtype.kind in "iu":
        return classes.astype(np.int64)
    return classes.astype(str).astype(object) if classes.dtype.kind in "OUT" else classes
