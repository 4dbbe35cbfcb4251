"""`wm svm-train`: LIBSVM's svm-train with this library's solver, so that old scripts go on working."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.store import LibsvmModel, save_libsvm
from widemargin.store.libsvm_layout import as_libsvm

from . import root
from .libsvm_data import LibsvmData, labels_of, libsvm_order, read_rows, training_values
from .libsvm_flags import KERNELS, TYPES, add_training_flags, libsvm_parser, take_weights
from .libsvm_lines import figures_of, regression_figures
from .libsvm_probability import laplace_width, sigmoids
from .models import model_class
from .out import Out
from .session import UsageError
from .train import refuse_unwritable

_MODELS = ("svc", "nu-svc", "one-class", "svr", "nu-svr")  # by the number after -s
_CLASSES, _ONE_CLASS, _NUMBERS = (0, 1), (2,), (3, 4)


def parse(words: list[str]) -> argparse.Namespace:
    parser = libsvm_parser("svm-train", "-c 10 -g 0.5 train.svm train.model")
    add_training_flags(parser)
    parser.add_argument("file", metavar="TRAINING_FILE", help="svmlight text, indices from 1")
    parser.add_argument("model", metavar="MODEL_FILE", nargs="?", help="default: TRAINING_FILE.model, here")
    rest, weights = take_weights(words)
    args = parser.parse_args(rest)
    args.weights = weights
    if args.file == "-" and args.model is None and not args.v:
        raise UsageError("standard input gives the model no name: add MODEL_FILE")
    args.model = args.model or os.path.basename(args.file) + ".model"
    if args.v and args.b:
        raise UsageError("-b 1 belongs to a model that is saved, -v saves none: choose one")
    if args.b and args.s in _ONE_CLASS:
        raise UsageError("-b 1: one-class SVMs have no probabilities here; leave it out")
    return args


def run(args: argparse.Namespace) -> int:
    out = Out(args)
    data, numbers = training_values(args.file) if args.t == 4 else (read_rows(args.file), None)
    if args.s in _CLASSES:
        data = LibsvmData(data.X, labels_of(data.y, args.file))
    if args.v:
        _cross_validate(args, out, data)
        return root.OK
    refuse_unwritable(args.model)
    factors = _factors(args, data, out)
    with out.progress("learning", None):
        estimator = _made(args, data, factors).fit(data.X, data.y)
    model = as_libsvm(estimator, libsvm_order(data.y) if args.s in _CLASSES else None)
    if numbers is not None:
        model = replace(model, support=numbers[model.support - 1])
    found = figures_of(estimator, model, args.c, equal_costs=not factors)
    for line in [line for part in found for line in part.lines()]:
        out.line(line)
    if args.s in _CLASSES:
        out.line(f"Total nSV = {model.coef.shape[1]}")
    with out.progress("probabilities", None):
        model = _with_probabilities(args, model, data, factors)
    save_libsvm(model, args.model)
    out.document(
        {
            "type": TYPES[args.s],
            "rows": len(data.y),
            "labels": model.labels,
            "support": model.coef.shape[1],
            "parts": [vars(part) for part in found],
            "certificate": estimator.certificate_.to_dict(),
            "output": args.model,
        }
    )
    return root.OK


def _made(args: argparse.Namespace, data: LibsvmData, factors: dict[int, float], **more: Any) -> Any:
    """The estimator that the flags describe."""
    gamma = args.g or 1.0 / max(data.X.shape[1], 1)
    given: dict[str, Any] = {"kernel": KERNELS[args.t], "gamma": gamma, "degree": args.d, "coef0": args.r}
    given |= {"tol": args.e, "shrinking": bool(args.h), "cache_size": args.m, "random_state": 0}
    if args.s in (0, 3, 4):
        given["C"] = args.c
    if args.s in (1, 2, 4):
        given["nu"] = args.n
    if args.s == 3:
        given["epsilon"] = args.p
    if args.s in _CLASSES:
        given |= {"class_weight": factors or None, **more}
    return model_class(_MODELS[args.s])(**given)


def _factors(args: argparse.Namespace, data: LibsvmData, out: Out) -> dict[int, float]:
    """Of C-SVC only, as in LIBSVM; labels that do not occur are told."""
    if args.s != 0:
        return {}
    known = set(np.unique(data.y).tolist())
    for label in args.weights.keys() - known:
        out.note(f"-w{label}: no row has the label {label}")
    return {label: factor for label, factor in args.weights.items() if label in known}


def _with_probabilities(
    args: argparse.Namespace, model: LibsvmModel, data: LibsvmData, factors: dict[int, float]
) -> LibsvmModel:
    if not args.b:
        return model
    if args.s in _NUMBERS:
        called = cross_predicted(args, data, 5)
        return replace(model, prob_a=np.array([laplace_width(data.y - called)]))

    def make(part: LibsvmData, pair: tuple[int, int]) -> Any:
        here = {label: factor for label, factor in factors.items() if label in pair}
        return _made(args, data, here, probability=True).fit(part.X, part.y)

    prob_a, prob_b = sigmoids(make, data, model.labels, square=args.t == 4)
    return replace(model, prob_a=prob_a, prob_b=prob_b)


# ---- cross-validation ------------------------------------------------------------------------------------------------


def _cross_validate(args: argparse.Namespace, out: Out, data: LibsvmData) -> None:
    with out.progress("folds", None):
        called = cross_predicted(args, data, args.v)
    if args.s in _NUMBERS:
        error, correlation = regression_figures(data.y, called)
        out.document({"rows": len(data.y), "mean_squared_error": error, "squared_correlation": correlation})
        out.line(f"Cross Validation Mean squared error = {error:g}")
        out.line(f"Cross Validation Squared correlation coefficient = {correlation:g}")
        return
    right = int(np.count_nonzero(called == data.y))
    out.document({"rows": len(data.y), "right": right, "accuracy": right / len(data.y)})
    out.line(f"Cross Validation Accuracy = {100 * right / len(data.y):g}%")


def cross_predicted(args: argparse.Namespace, data: LibsvmData, n_folds: int) -> np.ndarray:
    """For each row what a model says that was trained on the other folds."""
    n = len(data.y)
    if n < 2:
        raise BadInput(f"{args.file} has {n} row: cross-validation needs at least 2")
    fold = folds(data.y if args.s in _CLASSES else np.zeros(n), min(n_folds, n))
    called = np.empty(n)
    factors = args.weights if args.s == 0 else {}
    for k in range(fold.max() + 1):
        learn, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        part = data.take(learn, square=args.t == 4)
        present = set(np.unique(part.y).tolist())
        if args.s in _CLASSES and len(present) == 1:
            called[test] = part.y[0]
            continue
        estimator = _made(args, data, {c: f for c, f in factors.items() if c in present})
        estimator.fit(part.X, part.y)
        called[test] = estimator.predict(data.X[np.ix_(test, learn)] if args.t == 4 else data.X[test])
    return called


def folds(labels: np.ndarray, n_folds: int) -> np.ndarray:
    """The fold of each row: every class dealt out in a random order, always the same one."""
    random = np.random.default_rng(0)
    order = random.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(len(labels), np.intp)
    fold[order] = np.arange(len(labels)) % n_folds
    return fold
