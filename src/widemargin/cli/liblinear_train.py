"""`wm liblinear-train`: LIBLINEAR's train with this library's solvers, so that old scripts go on working."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.store import LiblinearModel, save_liblinear
from widemargin.store.liblinear import as_liblinear
from widemargin.store.liblinear_model import SOLVERS

from . import root
from .liblinear_flags import CLASSES, FREE, NUMBERS, ONE_CLASS, SEARCHED, add_training_flags
from .libsvm_data import LibsvmData, labels_of, libsvm_order, read_rows
from .libsvm_flags import libsvm_parser, take_weights
from .libsvm_lines import regression_figures
from .models import model_class
from .out import Out
from .session import UsageError
from .svm_train import folds
from .train import refuse_unwritable

_LOSSES = {0: "logistic", 1: "squared_hinge", 2: "squared_hinge", 3: "hinge", 4: "hinge", 5: "squared_hinge"} | {
    6: "logistic",
    7: "logistic",
    11: "squared_epsilon_insensitive",
    12: "squared_epsilon_insensitive",
    13: "epsilon_insensitive",
}
_DUAL = (1, 3, 4, 7, 12, 13)  # what LIBLINEAR prints of these is the dual objective
_TIGHTEST, _LARGEST_C = 1e-4, 1024.0


def parse(words: list[str]) -> argparse.Namespace:
    parser = libsvm_parser("liblinear-train", "-s 2 -c 0.5 -B 1 train.svm train.model")
    add_training_flags(parser)
    parser.add_argument("file", metavar="TRAINING_FILE", help="svmlight text, indices from 1")
    parser.add_argument("model", metavar="MODEL_FILE", nargs="?", help="default: TRAINING_FILE.model, here")
    rest, weights = take_weights(words)
    args = parser.parse_args(rest)
    args.weights = weights
    args.s = args.s if args.s is not None else 2 if args.C else 1
    if args.file == "-" and args.model is None and not (args.v or args.C):
        raise UsageError("standard input gives the model no name: add MODEL_FILE")
    args.model = args.model or os.path.basename(args.file) + ".model"
    if args.R and (args.B != 1 or args.s not in FREE):
        raise UsageError(f"-R needs -B 1 and -s {', '.join(map(str, FREE))}; here are -B {args.B:g} and -s {args.s}")
    if args.C and args.s not in SEARCHED:
        raise UsageError(f"-C looks for a C with -s {' and -s '.join(map(str, SEARCHED))}; here is -s {args.s}")
    return args


def run(args: argparse.Namespace) -> int:
    out = Out(args)
    data = read_rows(args.file)
    if data.X.shape[1] == 0:
        raise BadInput(f"{args.file} has {len(data.y)} rows without any feature: there is nothing to learn from")
    if args.s in CLASSES:
        data = LibsvmData(data.X, labels_of(data.y, args.file, "LIBLINEAR", "-s 11, 12 or 13"))
    (_search if args.C else _cross_validate if args.v else _train)(args, out, data)
    return root.OK


def _train(args: argparse.Namespace, out: Out, data: LibsvmData) -> None:
    refuse_unwritable(args.model)
    for label in args.weights.keys() - set(np.unique(data.y).tolist()):
        out.note(f"-w{label}: no row has the label {label}")
    with out.progress("learning", None):
        model, machines = trained(args, data)
    for line in [line for machine in machines for line in _lines(args, machine, model.labels)]:
        out.line(line)
    save_liblinear(model, args.model)
    out.document(
        {
            "type": model.solver_type,
            "rows": len(data.y),
            "features": model.w.shape[1],
            "labels": model.labels,
            "certificates": [machine.certificate_.to_dict() for machine in machines],
            "output": args.model,
        }
    )


# ---- machines --------------------------------------------------------------------------------------------------------


def trained(args: argparse.Namespace, data: LibsvmData) -> tuple[LiblinearModel, list[Any]]:
    """The model in LIBLINEAR's layout, and the machines that it was made of."""
    solver = SOLVERS[args.s]
    if args.s not in CLASSES:
        machine = _made(args).fit(data.X, data.y)
        return replace(as_liblinear(machine), solver_type=solver), [machine]
    labels = libsvm_order(data.y)
    factors = {label: f for label, f in args.weights.items() if label in set(labels.tolist())}
    if len(labels) < 3 or args.s == 4 or not factors:
        machine = _made(args, class_weight=factors or None).fit(data.X, data.y)
        return replace(as_liblinear(machine, labels), solver_type=solver), [machine]
    # Against the rest LIBLINEAR weighs the one class alone.
    machines = [_made(args, class_weight={1: factors.get(c, 1.0)}).fit(data.X, data.y == c) for c in labels.tolist()]
    w, bias = (np.vstack([getattr(m, name) for m in machines]) for name in ("coef_", "intercept_"))
    return LiblinearModel(solver, w, 1.0 if args.B > 0 else -1.0, bias[:, 0], labels), machines


def _made(args: argparse.Namespace, **more: Any) -> Any:
    """The estimator that the flags describe."""
    tol = min(args.e, _TIGHTEST)
    if args.s == ONE_CLASS:
        return model_class("one-class")(kernel="linear", nu=args.n, gap_tol=tol)
    given: dict[str, Any] = {"loss": _LOSSES[args.s], "C": args.c or 1.0, "tol": tol, **more}
    given |= {"fit_intercept": args.B > 0, "regularize_intercept": not args.R}
    if args.B > 0:
        given["intercept_scaling"] = args.B
    if args.s in NUMBERS:
        return model_class("linear-svr")(epsilon=args.p, **given)
    scheme = "crammer_singer" if args.s == 4 else "ovr"
    return model_class("linear-svm")(penalty="l1" if args.s in (5, 6) else "l2", multi_class=scheme, **given)


def _lines(args: argparse.Namespace, machine: Any, labels: np.ndarray) -> list[str]:
    """What LIBLINEAR says at the end of each problem; its lines of single steps are not imitated."""
    certificate = machine.certificate_
    parts = list(certificate.parts.values()) or [certificate]
    found = []
    for k in np.argsort(np.argsort(labels)) if len(parts) > 1 else [0]:
        c = parts[k]
        objective = -c.dual if args.s in _DUAL else c.primal
        found += [f"optimization finished, #iter = {machine.n_iter_}", f"Objective value = {objective:f}"]
        if args.s in (1, 3, 12, 13):
            found.append(f"nSV = {np.count_nonzero(machine.proof_[k].b)}")
        if args.s in (5, 6):
            w = np.append(machine.coef_[k], machine.intercept_[k : k + 1] if args.B > 0 else [])
            found.append(f"#nonzeros/#features = {np.count_nonzero(w)}/{len(w)}")
    return found


# ---- cross-validation ------------------------------------------------------------------------------------------------


def _folds(args: argparse.Namespace, data: LibsvmData, wish: int) -> np.ndarray:
    n = len(data.y)
    if n < 2:
        raise BadInput(f"{args.file} has {n} row: cross-validation needs at least 2")
    return folds(data.y if args.s in CLASSES else np.zeros(n), min(wish, n))


def _cross_validate(args: argparse.Namespace, out: Out, data: LibsvmData) -> None:
    fold, called = _folds(args, data, args.v), np.empty(len(data.y))
    with out.progress("folds", int(fold.max()) + 1) as advance:
        for k in range(fold.max() + 1):
            part = data.take(np.flatnonzero(fold != k), square=False)
            if args.s in CLASSES and len(np.unique(part.y)) == 1:
                called[fold == k] = part.y[0]
            else:
                called[fold == k] = trained(args, part)[0].predict(data.X[fold == k])
            advance(k + 1)
    if args.s in NUMBERS:
        error, correlation = regression_figures(data.y, called)
        out.document({"rows": len(data.y), "mean_squared_error": error, "squared_correlation": correlation})
        out.line(f"Cross Validation Mean squared error = {error:g}")
        out.line(f"Cross Validation Squared correlation coefficient = {correlation:g}")
        return
    right = int(np.count_nonzero(called == data.y))
    out.document({"rows": len(data.y), "right": right, "accuracy": right / len(data.y)})
    out.line(f"Cross Validation Accuracy = {100 * right / len(data.y):g}%")


def _search(args: argparse.Namespace, out: Out, data: LibsvmData) -> None:
    """-C: from a price at which nothing is learnt yet, or -c, by doubling up to 1024, as LIBLINEAR."""
    from widemargin import LinearSVCCV

    square = float(data.X.multiply(data.X).sum(axis=1).max()) + max(args.B, 0.0) ** 2
    least = 1 / (len(data.y) * max(square, 1e-300) * (2 if args.s == 2 else 1))
    start = args.c or 2.0 ** np.floor(np.log2(least))
    Cs = start * 2.0 ** np.arange(max(np.floor(np.log2(_LARGEST_C / start)), 0) + 1)
    fold = _folds(args, data, args.v or 5)
    split = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(fold.max() + 1)]
    known = set(np.unique(data.y).tolist())
    factors = {label: f for label, f in args.weights.items() if label in known}
    params = {n: v for n, v in _made(args, class_weight=factors or None).get_params().items() if n != "C"}
    with out.progress("search", None):
        found = LinearSVCCV(**params, Cs=Cs, cv=split, refit=False).fit(data.X, data.y)
    sizes = np.bincount(fold)
    accuracy = float((found.path_.fold_scores[found.path_.best] * sizes).sum() / sizes.sum())
    out.document({"rows": len(data.y), "C": found.C_, "accuracy": accuracy, "Cs": Cs})
    out.line(f"Best C = {found.C_:g}  CV accuracy = {100 * accuracy:g}%")
