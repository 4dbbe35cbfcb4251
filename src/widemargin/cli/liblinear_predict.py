"""`wm liblinear-predict`: LIBLINEAR's predict; reads model files of LIBLINEAR itself and of `wm liblinear-train`."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.base.files import write_atomically
from widemargin.store import LiblinearModel, load_liblinear

from . import root
from .libsvm_data import read_rows
from .libsvm_flags import libsvm_parser, one_of
from .libsvm_lines import regression_figures
from .out import Out
from .session import UsageError


def parse(words: list[str]) -> argparse.Namespace:
    parser = libsvm_parser("liblinear-predict", "test.svm train.model called.txt")
    parser.add_argument("-b", type=one_of(2), default=0, metavar="X", help="probabilities: 0 (default) or 1")
    parser.add_argument("file", metavar="TEST_FILE", help="svmlight text, indices from 1")
    parser.add_argument("model", metavar="MODEL_FILE", help="what liblinear-train wrote, this one or LIBLINEAR's")
    parser.add_argument("output", metavar="OUTPUT_FILE", help='one prediction a line; "-" is standard output')
    return parser.parse_args(words)


def run(args: argparse.Namespace) -> int:
    if args.file == "-" == args.model:
        raise UsageError("model and data cannot both come from standard input")
    model = load_liblinear(args.model)
    out = Out(args, data_on_stdout=args.output == "-")
    if args.b and not model.has_probabilities:
        raise BadInput(f"{args.model} is {model.solver_type}: probabilities are for logistic regression (-s 0, 6 or 7)")
    data = read_rows(args.file)
    with out.progress("predicting", None):
        called, lines = _answers(args, model, data.X)
    write_atomically(args.output, "".join(f"{line}\n" for line in lines).encode("ascii"))
    document: dict[str, Any] = {"rows": len(called), "output": args.output}
    if model.is_regressor:
        error, correlation = regression_figures(data.y, called)
        out.line(f"Mean squared error = {error:g} (regression)")
        out.line(f"Squared correlation coefficient = {correlation:g} (regression)")
        out.document(document | {"mean_squared_error": error, "squared_correlation": correlation})
        return root.OK
    right = int(np.count_nonzero(called == data.y))
    out.line(f"Accuracy = {100 * right / len(called):g}% ({right}/{len(called)})")
    out.document(document | {"right": right, "accuracy": right / len(called)})
    return root.OK


def _answers(args: argparse.Namespace, model: LiblinearModel, X: Any) -> tuple[np.ndarray, list[str]]:
    """Predictions, and the lines of the output file."""
    called = model.predict(X)
    if not args.b:
        return called, [f"{value:.17g}" for value in called.tolist()]
    shares = model.predict_proba(X).tolist()
    head = " ".join(["labels", *map(str, model.labels.tolist())])
    body = [
        " ".join([str(label), *(f"{p:g}" for p in row)]) for label, row in zip(called.tolist(), shares, strict=True)
    ]
    return called, [head, *body]
