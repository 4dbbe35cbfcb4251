"""LIBSVM's model files: text that its own programs and bindings read and write.

A header of ``name value …`` lines, the line ``SV``, then a line a support vector: its coefficients, then
``index:value …`` (``0:number`` with a precomputed kernel). Numbers are written so that they come back to the last bit.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.errors import BadInput, DamagedFile, MalformedFile
from ..base.files import write_atomically
from ..data.source import describe, open_bytes
from ..data.svmlight import read_svmlight
from ..kernels.precomputed import Precomputed
from ..kernels.rows import RBF, Linear, Polynomial, PolynomialFunction, Tanh
from .libsvm_layout import as_libsvm
from .libsvm_model import CLASSIFIERS, REGRESSORS, LibsvmModel
from .text_model import TextReading, head_lines

_TYPES = (*CLASSIFIERS, "one_class", *REGRESSORS)
_NEEDED = {"linear": (), "polynomial": ("degree", "gamma", "coef0"), "rbf": ("gamma",), "sigmoid": ("gamma", "coef0")}


def _polynomial(**given: Any) -> Polynomial | PolynomialFunction:
    """LIBSVM asks for no more than a gamma that is not negative."""
    may_be = given["degree"] >= 0 and (given["gamma"] == 0 or (given["gamma"] > 0 and given["offset"] < 0))
    return PolynomialFunction(**given) if may_be else Polynomial(**given)


_KERNELS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "linear": lambda h: Linear(),
    "polynomial": lambda h: _polynomial(degree=h["degree"], gamma=h["gamma"], offset=h["coef0"]),
    "rbf": lambda h: RBF(gamma=h["gamma"]),
    "sigmoid": lambda h: Tanh(alpha=h["gamma"], beta=h["coef0"]),
    "precomputed": lambda h: Precomputed(),
}


def save_libsvm(model: Any, target: Any) -> None:
    """Write a machine as a model file of LIBSVM.

    Parameters
    ----------
    model : LibsvmModel, or fitted SVC, SVCCV, NuSVC, SVR, NuSVR or OneClassSVM
        With a linear, polynomial, radial, sigmoid or precomputed kernel; classes one against one, labels whole numbers.
    target : path, "-" or binary file object
        Written whole or not at all.
    """
    model = model if isinstance(model, LibsvmModel) else as_libsvm(model)
    write_atomically(target, _text(model).encode("ascii"))


def load_libsvm(source: Any) -> LibsvmModel:
    """Read a model file of LIBSVM.

    Parameters
    ----------
    source : path, "-" or binary file object

    Returns
    -------
    LibsvmModel

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


def _text(model: LibsvmModel) -> str:
    head: list[tuple[str, list[Any]]] = [("svm_type", [model.svm_type]), *_kernel_lines(model.kernel)]
    head += [("nr_class", [len(model.labels) or 2]), ("total_sv", [model.coef.shape[1]]), ("rho", model.rho.tolist())]
    if model.is_classifier:
        head.append(("label", model.labels.tolist()))
    for key, values in (("probA", model.prob_a), ("probB", model.prob_b)):
        if values is not None:
            head.append((key, values.tolist()))
    if model.is_classifier:
        head.append(("nr_sv", model.n_support.tolist()))
    return "\n".join([*head_lines(head), "SV", *_support_lines(model), ""])


def _kernel_lines(kernel: Any) -> list[tuple[str, list[Any]]]:
    if isinstance(kernel, Linear):
        return [("kernel_type", ["linear"])]
    if isinstance(kernel, Polynomial | PolynomialFunction):
        gamma, coef0 = float(kernel.gamma), float(kernel.offset)
        return [
            ("kernel_type", ["polynomial"]),
            ("degree", [int(kernel.degree)]),
            ("gamma", [gamma]),
            ("coef0", [coef0]),
        ]
    if isinstance(kernel, RBF):
        return [("kernel_type", ["rbf"]), ("gamma", [float(kernel.gamma)])]
    if isinstance(kernel, Tanh):
        return [("kernel_type", ["sigmoid"]), ("gamma", [float(kernel.alpha)]), ("coef0", [float(kernel.beta)])]
    return [("kernel_type", ["precomputed"])]


def _support_lines(model: LibsvmModel) -> list[str]:
    coefs = [" ".join(map(str, column)) for column in model.coef.T.tolist()]
    if model.precomputed:
        return [f"{c} 0:{number} " for c, number in zip(coefs, model.support.tolist(), strict=True)]
    X = model.support
    entries = [f"{j}:{v} " for j, v in zip((X.indices + 1).tolist(), X.data.tolist(), strict=True)]
    ends = X.indptr.tolist()
    return [f"{c} {''.join(entries[a:b])}" for c, a, b in zip(coefs, ends[:-1], ends[1:], strict=True)]


# ---- reading ---------------------------------------------------------------------------------------------------------


class _Reading(TextReading):
    program, last_word = "LIBSVM", "SV"
    words = frozenset({"svm_type", "kernel_type"})
    whole, real = frozenset({"degree", "nr_class", "total_sv"}), frozenset({"gamma", "coef0"})
    wholes, reals = frozenset({"label", "nr_sv"}), frozenset({"rho", "probA", "probB"})
    ignored = frozenset({"prob_density_marks"})  # of newer versions, one class: nothing here uses them

    def model(self) -> LibsvmModel:
        first = self.read_head()
        head = self.head
        for key in ("svm_type", "kernel_type", "nr_class", "total_sv", "rho"):
            self.need(key, first)
        kernel = self._kernel(first)
        labels, n_support = self._classes(first)
        rows = first + 1
        coef, support = self._support(rows, isinstance(kernel, Precomputed), head["nr_class"] - 1)
        prob_a, prob_b = self._probabilities(len(head["rho"]))
        return LibsvmModel(head["svm_type"], kernel, support, coef, head["rho"], labels, n_support, prob_a, prob_b)

    def _kernel(self, line: int) -> Any:
        name = self.head["kernel_type"]
        if name not in _KERNELS:
            raise self.fault(self.at["kernel_type"], f"kernel_type {name[:40]!r} is none of {', '.join(_KERNELS)}")
        for key in _NEEDED.get(name, ()):
            self.need(key, line)
        try:
            return _KERNELS[name](self.head)
        except BadInput as error:
            raise self.fault(self.at.get("gamma", line), str(error)) from None

    def _classes(self, line: int) -> tuple[np.ndarray, np.ndarray]:
        head, k = self.head, self.head["nr_class"]
        if head["svm_type"] not in _TYPES:
            raise self.fault(self.at["svm_type"], f"svm_type {head['svm_type'][:40]!r} is none of {', '.join(_TYPES)}")
        classifier = head["svm_type"] in CLASSIFIERS
        if k < 1 or (not classifier and k != 2):
            raise self.fault(self.at["nr_class"], f"nr_class is {k}")
        due = k * (k - 1) // 2
        if len(head["rho"]) != due:
            raise self.fault(self.at["rho"], f"rho has {len(head['rho'])} values, {due} are due for {k} classes")
        if head["total_sv"] < 0:
            raise self.fault(self.at["total_sv"], f"total_sv is {head['total_sv']}")
        if not classifier:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        labels = self.labels_of(k, line)
        if len(self.need("nr_sv", line)) != k:
            raise self.fault(self.at["nr_sv"], f"nr_sv has {len(head['nr_sv'])} values, {k} are due for {k} classes")
        if head["nr_sv"].min() < 0 or head["nr_sv"].sum() != head["total_sv"]:
            raise self.fault(self.at["nr_sv"], f"nr_sv sums to {head['nr_sv'].sum()}, total_sv is {head['total_sv']}")
        return labels, head["nr_sv"]

    def _probabilities(self, n_pairs: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        found = self.head.get("probA"), self.head.get("probB")
        for key, values in zip(("probA", "probB"), found, strict=True):
            if values is not None and len(values) != n_pairs:
                raise self.fault(self.at[key], f"{key} has {len(values)} values, {n_pairs} are due")
        return found

    def _support(self, begin: int, precomputed: bool, n_coef: int) -> tuple[np.ndarray, Any]:
        """Coefficients and vectors; `begin` is the number of their first line, from 1."""
        due = self.head["total_sv"]
        numbered = [(begin + k, line) for k, line in enumerate(self.lines[begin - 1 :]) if line.strip()]
        if len(numbered) != due:
            last = numbered[-1][0] if numbered else begin
            raise self.fault(last, f"there are {len(numbered)} support vectors, total_sv announces {due}")
        coefs, rests = [], []
        for number, line in numbered:
            words = line.split(maxsplit=n_coef)
            if len(words) < n_coef:
                raise self.fault(number, f"{len(words)} coefficients where {n_coef} are due")
            numerals = [word.decode("ascii", "replace") for word in words[:n_coef]]
            coefs.append([self.number(number, "a coefficient", text, float) for text in numerals])
            rests.append(words[n_coef] if len(words) > n_coef else b"")
        coef = np.array(coefs, np.float64).reshape(due, n_coef).T.copy()
        if precomputed:
            serials = [self._serial(number, rest) for (number, _), rest in zip(numbered, rests, strict=True)]
            return coef, np.array(serials, np.int64)
        return coef, self._vectors(begin, [n for n, _ in numbered], rests)

    def _serial(self, line: int, rest: bytes) -> int:
        index, _, value = rest.decode("ascii", "replace").strip().partition(":")
        if index != "0" or not value.isdigit() or int(value) < 1:
            raise self.fault(line, "with a precomputed kernel 0:number is due, the number of the training row from 1")
        return int(value)

    def _vectors(self, begin: int, numbers: list[int], rests: list[bytes]) -> Any:
        # Empty lines stand in for all that was read before, so that the reader counts lines as the file does.
        lines = [b""] * (numbers[-1] if numbers else begin)
        for number, rest in zip(numbers, rests, strict=True):
            lines[number - 1] = b"0 " + rest
        file = io.BytesIO(b"\n".join(lines))
        file.name = self.name
        try:
            return read_svmlight(file, zero_based=False, n_jobs=1)[0]
        except MalformedFile as error:
            raise DamagedFile(str(error)) from None
