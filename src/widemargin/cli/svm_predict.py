"""`wm svm-predict`: LIBSVM's svm-predict; reads model files of LIBSVM itself and of `wm svm-train`."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.base.files import write_atomically
from widemargin.store import LibsvmModel, load_libsvm

from . import root
from .libsvm_data import LibsvmData, read_rows, read_values
from .libsvm_flags import libsvm_parser, one_of
from .libsvm_lines import accuracy_line, regression_figures
from .out import Out
from .session import UsageError


def parse(words: list[str]) -> argparse.Namespace:
    parser = libsvm_parser("svm-predict", "test.svm train.model called.txt")
    parser.add_argument("-b", type=one_of(2), default=0, metavar="X", help="probabilities: 0 (default) or 1")
    parser.add_argument("file", metavar="TEST_FILE", help="svmlight text, indices from 1")
    parser.add_argument("model", metavar="MODEL_FILE", help="what svm-train wrote, this one or LIBSVM's")
    parser.add_argument("output", metavar="OUTPUT_FILE", help='one prediction a line; "-" is standard output')
    return parser.parse_args(words)


def run(args: argparse.Namespace) -> int:
    if args.file == "-" == args.model:
        raise UsageError("model and data cannot both come from standard input")
    model = load_libsvm(args.model)
    out = Out(args, data_on_stdout=args.output == "-")
    if args.b and (model.prob_a is None or model.svm_type == "one_class"):
        raise BadInput(f"{args.model} holds no probabilities: train with -b 1, or leave it out here")
    if not args.b and model.prob_a is not None:
        out.line("Model supports probability estimates, but disabled in prediction.")
    data = read_values(args.file)[0] if model.precomputed else read_rows(args.file)
    with out.progress("predicting", None):
        called, lines = _answers(args, model, data, out)
    write_atomically(args.output, "".join(f"{line}\n" for line in lines).encode("ascii"))
    _report(args, out, model, data.y, called)
    return root.OK


def _answers(args: argparse.Namespace, model: LibsvmModel, data: LibsvmData, out: Out) -> tuple[np.ndarray, list[str]]:
    """Predictions, and the lines of the output file."""
    if args.b and model.is_classifier:
        shares = model.predict_proba(data.X)
        called = model.labels[shares.argmax(axis=1)]
        head = " ".join(["labels", *map(str, model.labels.tolist())])
        body = [
            " ".join([str(label), *(f"{p:g}" for p in row)])
            for label, row in zip(called.tolist(), shares.tolist(), strict=True)
        ]
        return called, [head, *body]
    if args.b:
        assert model.prob_a is not None
        out.line("Prob. model for test data: target value = predicted value + z,")
        out.line(f"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma={model.prob_a[0]:g}")
    called = model.predict(data.X)
    return called, [f"{value:.17g}" for value in called.tolist()]


def _report(args: argparse.Namespace, out: Out, model: LibsvmModel, truth: np.ndarray, called: np.ndarray) -> None:
    document: dict[str, Any] = {"rows": len(called), "output": args.output}
    if model.svm_type.endswith("svr"):
        error, correlation = regression_figures(truth, called)
        out.line(f"Mean squared error = {error:g} (regression)")
        out.line(f"Squared correlation coefficient = {correlation:g} (regression)")
        out.document(document | {"mean_squared_error": error, "squared_correlation": correlation})
        return
    right = int(np.count_nonzero(called == truth))
    out.line(accuracy_line(right, len(called)))
    out.document(document | {"right": right, "accuracy": right / len(called)})
