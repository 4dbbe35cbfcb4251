"""`wm predict`: rows in, labels out, batch by batch."""

from __future__ import annotations

import argparse
import csv
import io
import itertools
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.base.files import write_atomically
from widemargin.estimator.file_model import FileModel

from . import root
from .loading import add_model_and_file, load_model
from .out import Out, label_text
from .session import UsageError, command_parser
from .sources import dialect


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("predict")
    add_model_and_file(parser)
    parser.add_argument("-o", "--output", metavar="OUT.csv", default="-", help="default: standard output")
    parser.add_argument("--scores", action="store_true", help="also write the decision values")
    return parser.parse_args(words)


def run(args: argparse.Namespace) -> int:
    model = load_model(args)
    if args.scores and not hasattr(model.estimator, "decision_function"):
        raise UsageError(f"--scores: a {type(model.estimator).__name__} has no decision values")
    out = Out(args, data_on_stdout=args.output == "-")
    if args.json and args.output == "-":
        _print_document(args, model, out)
        return root.OK
    counted = [0]
    write_atomically(args.output, lambda file: _write_csv(file, args, model, out, counted))
    if args.output != "-":
        out.document({"rows": counted[0], "output": args.output})
        out.line(f"{counted[0]} predictions written to {args.output}")
    return root.OK


def _print_document(args: argparse.Namespace, model: FileModel, out: Out) -> None:
    document: dict[str, Any] = {"rows": 0, "predictions": []}
    if args.scores:
        document |= {"columns": _score_names(model.estimator), "scores": []}
    for labels, scores in _answers(args, model, out):
        document["predictions"] += labels.tolist()
        if scores is not None:
            document["scores"] += scores.tolist()
    document["rows"] = len(document["predictions"])
    Out(args).document(document)


def _write_csv(file: BinaryIO, args: argparse.Namespace, model: FileModel, out: Out, counted: list[int]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    try:
        rows = csv.writer(text, lineterminator="\n")
        for labels, scores in _answers(args, model, out):
            if counted[0] == 0:  # not before the first batch is there: bad data leave no header behind
                rows.writerow(["prediction", *(_score_names(model.estimator) if args.scores else [])])
            words = map(label_text, labels)
            rows.writerows([word] for word in words) if scores is None else rows.writerows(
                [word, *map(repr, line)] for word, line in zip(words, scores.tolist(), strict=True)
            )
            counted[0] += len(labels)
    finally:
        text.detach()  # the file belongs to the caller


def _answers(args: argparse.Namespace, model: FileModel, out: Out) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Labels and, if asked for, scores as a matrix, of each batch."""
    seen = 0
    with out.progress("predicting", None) as advance:
        for X, _ in model.batches(args.file, format=args.format, batch_rows=args.batch_rows, **dialect(args)):
            labels = model.estimator.predict(X)
            scores = model.estimator.decision_function(X) if args.scores else None
            seen += len(labels)
            yield labels, None if scores is None else scores.reshape(len(labels), -1)
            advance(seen, "rows")
    if seen == 0:
        raise BadInput(f"{args.file} holds no rows: there is nothing to predict")


def _score_names(estimator: Any) -> list[str]:
    names = [label_text(label) for label in getattr(estimator, "classes_", ())]
    if len(names) <= 2:
        return ["score"]
    if {getattr(estimator, wish, None) for wish in ("multiclass", "decision_function_shape")} == {"ovo"}:
        return [f"score_{a}_{b}" for a, b in itertools.combinations(names, 2)]
    return [f"score_{name}" for name in names]
