"""LIBLINEAR's model files: text that its own programs and bindings read and write.

A header of ``name value …`` lines, the line ``w``, then a line a feature with its weight for each label, and last that
of the constant feature, if there is one. Numbers are written so that they come back to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import CannotStore
from ..base.files import write_atomically
from ..data.source import describe, open_bytes
from .liblinear_model import ONE_CLASS, TYPES, LiblinearModel
from .text_model import TextReading, head_lines, label_order

_LINES = 4096  # of weights, turned into numbers at a time
_LOSSES = {
    ("l2", "logistic"): "L2R_LR",
    ("l2", "squared_hinge"): "L2R_L2LOSS_SVC",
    ("l2", "hinge"): "L2R_L1LOSS_SVC_DUAL",
    ("l1", "squared_hinge"): "L1R_L2LOSS_SVC",
    ("l1", "logistic"): "L1R_LR",
}
_REGRESSIONS = {
    "epsilon_insensitive": "L2R_L1LOSS_SVR_DUAL",
    "squared_epsilon_insensitive": "L2R_L2LOSS_SVR",
}
KINDS = ("LinearSVC", "LinearSVCCV", "LinearSVR", "OneClassSVM")


def save_liblinear(model: Any, target: Any) -> None:
    """Write a machine as a model file of LIBLINEAR.

    Parameters
    ----------
    model : LiblinearModel, or fitted LinearSVC, LinearSVCCV, LinearSVR, or OneClassSVM with a linear kernel
        Classes one against the rest or all at once, labels whole numbers.
    target : path, "-" or binary file object
        Written whole or not at all.
    """
    model = model if isinstance(model, LiblinearModel) else as_liblinear(model)
    write_atomically(target, _text(model).encode("ascii"))


def load_liblinear(source: Any) -> LiblinearModel:
    """Read a model file of LIBLINEAR.

    Parameters
    ----------
    source : path, "-" or binary file object

    Returns
    -------
    LiblinearModel

    Raises
    ------
    DamagedFile
        With the number of the first bad line and what is wrong with it.
    """
    name = describe(source)
    with open_bytes(source) as opened:
        lines = opened.stream.read().split(b"\n")
    return _Reading(name, lines).model()


# ---- writing ---------------------------------------------------------------------------------------------------------


def as_liblinear(estimator: Any, order: Any = None) -> LiblinearModel:
    """A fitted machine as LIBLINEAR would hold it.

    Parameters
    ----------
    estimator : fitted LinearSVC, LinearSVCCV, LinearSVR, or OneClassSVM with a linear kernel
    order : sequence of labels, optional
        Of the classes; by default +1 before -1, else ascending. Ties of scores go to the class that comes first.

    Raises
    ------
    CannotStore
        Where the format has no place for the machine: other estimators, labels that are no whole numbers, pairs of
        classes.
    """
    kind, nobody = type(estimator).__name__, np.empty(0, np.int64)
    if kind not in KINDS:
        raise CannotStore(f"A LIBLINEAR file holds {', '.join(KINDS)}, not a {kind}: save it as .wm or .onnx instead.")
    if kind == "OneClassSVM":
        if not hasattr(estimator, "coef_"):
            raise CannotStore(f"A LIBLINEAR file holds linear machines; the kernel here is {estimator.kernel_}.")
        w = np.asarray(estimator.coef_.todense() if hasattr(estimator.coef_, "todense") else estimator.coef_)
        return LiblinearModel(ONE_CLASS, w, -1.0, np.zeros(1), nobody, float(-estimator.intercept_[0]))
    coef, intercept = estimator.model_.coef, estimator.model_.intercept
    bias = 1.0 if estimator.fit_intercept else -1.0
    if kind == "LinearSVR":
        return LiblinearModel(_REGRESSIONS[estimator.loss], coef, bias, intercept, nobody)
    labels, codes = label_order(estimator.classes_, order, "LIBLINEAR")
    solver = _solver_of(estimator)
    if len(labels) == 2:
        sign = 1.0 if codes[0] == 1 else -1.0
        coef, intercept = sign * coef, sign * intercept
        if solver == "MCSVM_CS":  # one row a label: each has half of the difference
            coef, intercept = np.vstack([coef, -coef]) / 2, np.concatenate([intercept, -intercept]) / 2
        return LiblinearModel(solver, coef, bias, intercept, labels)
    if estimator.multi_class == "ovo":
        raise CannotStore("A LIBLINEAR file has one row of weights a class: fit with multi_class='ovr', not 'ovo'.")
    return LiblinearModel(solver, coef[codes], bias, intercept[codes], labels)


def _solver_of(estimator: Any) -> str:
    if estimator.multi_class == "crammer_singer":
        return "MCSVM_CS"
    found = _LOSSES[estimator.penalty, estimator.loss]
    dual = estimator.dual is True and found in ("L2R_LR", "L2R_L2LOSS_SVC")
    return f"{found}_DUAL" if dual else found


def _text(model: LiblinearModel) -> str:
    head: list[tuple[str, list[Any]]] = [("solver_type", [model.solver_type]), ("nr_class", [len(model.labels) or 2])]
    if model.is_classifier:
        head.append(("label", model.labels.tolist()))
    head += [("nr_feature", [model.w.shape[1]]), ("bias", [float(model.bias)])]
    if model.solver_type == ONE_CLASS:
        head.append(("rho", [float(model.rho)]))
    w = model.w.T if model.bias < 0 else np.vstack([model.w.T, model.bias_weight])
    rows = [" ".join(map(str, row)) + " " for row in (w + 0.0).tolist()]  # no -0.0
    return "\n".join([*head_lines(head), "w", *rows, ""])


# ---- reading ---------------------------------------------------------------------------------------------------------


class _Reading(TextReading):
    program, last_word = "LIBLINEAR", "w"
    words = frozenset({"solver_type"})
    whole, real = frozenset({"nr_class", "nr_feature"}), frozenset({"bias", "rho"})
    wholes, reals = frozenset({"label"}), frozenset[str]()

    def model(self) -> LiblinearModel:
        first = self.read_head()
        head = self.head
        for key in ("solver_type", "nr_class", "nr_feature", "bias"):
            self.need(key, first)
        solver = head["solver_type"]
        if solver not in TYPES:
            raise self.fault(self.at["solver_type"], f"solver_type {solver[:40]!r} is none of {', '.join(TYPES)}")
        labels = self._labels(solver, first)
        if solver == ONE_CLASS:
            self.need("rho", first)
        k, d = head["nr_class"], head["nr_feature"]
        columns = 1 if k == 2 and solver != "MCSVM_CS" else k
        if d < 0:
            raise self.fault(self.at["nr_feature"], f"nr_feature is {d}")
        w = self._weights(first + 1, d + (head["bias"] >= 0), columns).T
        beside = w[:, d].copy() if head["bias"] >= 0 else np.zeros(columns)
        rho = head["rho"] if solver == ONE_CLASS else 0.0
        return LiblinearModel(solver, np.ascontiguousarray(w[:, :d]), head["bias"], beside, labels, rho)

    def _labels(self, solver: str, line: int) -> np.ndarray:
        k = self.head["nr_class"]
        classifier = solver != ONE_CLASS and "SVR" not in solver
        if k < 1 or (not classifier and k != 2):
            raise self.fault(self.at["nr_class"], f"nr_class is {k}")
        return self.labels_of(k, line) if classifier else np.empty(0, np.int64)

    def _weights(self, begin: int, due: int, columns: int) -> np.ndarray:
        """Lines x columns; `begin` is the number of the first line, from 1."""
        numbered = [(begin + k, line) for k, line in enumerate(self.lines[begin - 1 :]) if line.strip()]
        if len(numbered) != due:
            last = numbered[-1][0] if numbered else begin
            told = f"there are {len(numbered)} lines of weights, {due} are due for nr_feature and bias"
            raise self.fault(last, told)
        blocks = [self._block(numbered[a : a + _LINES], columns) for a in range(0, due, _LINES)]
        return np.concatenate([np.empty((0, columns)), *blocks])

    def _block(self, numbered: list[tuple[int, bytes]], columns: int) -> np.ndarray:
        rows = [line.split() for _, line in numbered]
        for (number, _), row in zip(numbered, rows, strict=True):
            if len(row) != columns:
                raise self.fault(number, f"{len(row)} weights where {columns} are due")
        try:
            found = np.array(rows, dtype="S").astype(np.float64)
        except ValueError:
            found = np.array([[np.nan]])
        if np.isfinite(found).all() and not any(b"_" in line for _, line in numbered):
            return found
        return np.array(
            [
                [self.number(number, "a weight", word.decode("ascii", "replace"), float) for word in row]
                for (number, _), row in zip(numbered, rows, strict=True)
            ]
        )
