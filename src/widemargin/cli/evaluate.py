"""`wm evaluate`: how a model does on rows whose labels are known."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.data.labels import Labels
from widemargin.estimator.file_model import FileModel
from widemargin.study.evaluation import Evaluation, RegressionErrors, confusion_of

from . import root
from .costs import read_costs
from .loading import add_model_and_file, load_model
from .models import kind_of
from .out import Out, label_text
from .outliers import tell_outliers
from .session import UsageError, command_parser
from .sources import labelled_batches


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("evaluate")
    add_model_and_file(parser)
    parser.add_argument(
        "--cost",
        help="of two classes: fp=10,fn=1; of any number: a CSV file with a row a true class, a column a called one",
    )
    parser.add_argument("--positive", metavar="LABEL", help="the class that fp and fn speak of; default: the second")
    return parser.parse_args(words)


def run(args: argparse.Namespace) -> int:
    model, out = load_model(args), Out(args)
    kind = kind_of(model.estimator)
    if args.cost is not None and kind != "classes":
        what = "predicts numbers" if kind == "numbers" else "knows one class"
        raise UsageError(f"--cost is for classes; this model {what}")
    if kind == "numbers":
        errors = _regression_errors(args, model, out)
        out.document({"file": args.file, **errors})
        out.table(f"{args.model} on {args.file}", [(name.replace("_", " "), value) for name, value in errors.items()])
        return root.OK
    if kind == "one class":
        tell_outliers(out, args, model)
        return root.OK
    classes = model.estimator.classes_
    cost = (
        read_costs(args.cost, args.positive, [label_text(label) for label in classes])
        if args.cost is not None
        else None
    )
    found = Evaluation(tuple(classes.tolist()), _confusion(args, model, out), cost)
    out.document({"file": args.file, **found.to_dict()})
    _show(out, args, found)
    return root.OK


def _confusion(args: argparse.Namespace, model: FileModel, out: Out) -> np.ndarray:
    classes = model.estimator.classes_
    known, k = Labels(classes), len(classes)
    total = np.zeros((k, k), np.int64)
    for X, y in labelled_batches(model, args, out, "evaluating"):
        truth = _codes(known, y, args.file)
        total += confusion_of(truth, known.encode(model.estimator.predict(X)), k)
    if not total.any():
        raise BadInput(f"{args.file} holds no rows: there is nothing to evaluate")
    return total


def _codes(known: Labels, y: np.ndarray, name: str) -> np.ndarray:
    """Codes of the true labels; the model cannot be right about a class that it never saw."""
    strange = ~np.isin(y, known.classes)
    if strange.any():
        classes = ", ".join(label_text(label) for label in known.classes[:8])
        raise BadInput(
            f"{name} holds {int(strange.sum())} labels that the model does not know, the first being "
            f"{label_text(y[strange][0])!r}; it knows {classes}"
        )
    return known.encode(y)


def _regression_errors(args: argparse.Namespace, model: FileModel, out: Out) -> dict[str, Any]:
    errors = RegressionErrors()
    for X, y in labelled_batches(model, args, out, "evaluating"):
        if y.dtype.kind not in "iuf":
            raise BadInput(
                f"{args.file}: the target holds text, for instance {label_text(y[0])!r}, where numbers are due"
            )
        errors.add(y.astype(np.float64), model.estimator.predict(X))
    if errors.rows == 0:
        raise BadInput(f"{args.file} holds no rows: there is nothing to evaluate")
    return errors.to_dict()


def _show(out: Out, args: argparse.Namespace, found: Evaluation) -> None:
    names = [label_text(label) for label in found.classes]
    low, high = found.interval
    rows: list[tuple[str, Any]] = [
        ("rows", found.rows),
        ("errors", found.errors),
        ("accuracy", f"{found.accuracy:.4f} (95 % interval {low:.4f} to {high:.4f})"),
    ]
    if found.total_cost is not None:
        rows += [("cost", found.total_cost), ("mean cost", found.total_cost / found.rows)]
    out.table(f"{args.model} on {args.file}", rows)
    if len(names) <= 20:
        counts = [[name, *line] for name, line in zip(names, found.confusion.tolist(), strict=True)]
        out.table("rows of each class, by what they were called", counts, ["true class", *names])
    by_class = [[label_text(c["class"]), c["rows"], c["precision"], c["recall"], c["f1"]] for c in found.by_class()]
    out.table("by class", by_class, ["class", "rows", "precision", "recall", "F1"])
