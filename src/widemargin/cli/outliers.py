"""`wm evaluate` for a model of one class: how many rows lie outside, and whether they are those that should."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.estimator.file_model import FileModel
from widemargin.study.evaluation import Evaluation, wilson

from .out import Out, label_text
from .sources import labelled_batches


def tell_outliers(out: Out, args: argparse.Namespace, model: FileModel) -> None:
    """Figures by the file's labels; labels 1 (inside) and -1 (outside) are the truth, any others only names."""
    counts = _counts(args, model, out)
    rows, outside = (sum(c[i] for c in counts.values()) for i in (0, 1))
    low, high = wilson(outside, rows)
    found: dict[str, Any] = {
        "rows": rows,
        "outside": outside,
        "share_outside": outside / rows,
        "share_interval": [low, high],
    }
    named = {label: c for label, c in counts.items() if label is not None}
    by_label = [[label, n, k] for label, (n, k) in sorted(named.items())]
    found["by_label"] = [dict(zip(("label", "rows", "outside"), line, strict=True)) for line in by_label]
    truth = _truth(named)
    if truth is not None:
        found |= {"accuracy": truth.accuracy, "by_class": truth.by_class()}
    out.document({"file": args.file, **found})
    told: list[tuple[str, Any]] = [
        ("rows", rows),
        ("outside", f"{outside} ({outside / rows:.4f}, 95 % interval {low:.4f} to {high:.4f})"),
    ]
    if truth is not None:
        told.append(("accuracy", f"{truth.accuracy:.4f} (label 1 belongs inside, -1 outside)"))
    out.table(f"{args.model} on {args.file}", told)
    if named:
        lines = [[label_text(label), n, k] for label, n, k in by_label]
        out.table("by label", lines, ["label", "rows", "outside"])
    if truth is not None:
        by_class = [[label_text(c["class"]), c["precision"], c["recall"], c["f1"]] for c in truth.by_class()]
        out.table("as outliers (-1) and members (1)", by_class, ["class", "precision", "recall", "F1"])


def _counts(args: argparse.Namespace, model: FileModel, out: Out) -> dict[Any, tuple[int, int]]:
    """(rows, those outside) of each label; of None where the file has no target."""
    counts: dict[Any, tuple[int, int]] = {}
    for X, y in labelled_batches(model, args, out, "evaluating", optional=True):
        outside = model.estimator.predict(X) < 0
        y = np.full(len(outside), None) if y is None else y
        labels, codes = (y[:1], np.zeros(len(y), int)) if y[0] is None else np.unique(y, return_inverse=True)
        for k, label in enumerate(labels.tolist()):
            rows, away = counts.get(label, (0, 0))
            here = codes == k
            counts[label] = rows + int(here.sum()), away + int(outside[here].sum())
    if not counts:
        raise BadInput(f"{args.file} holds no rows: there is nothing to evaluate")
    return counts


def _truth(counts: dict[Any, tuple[int, int]]) -> Evaluation | None:
    """The kinds of error where the labels say what is true."""
    if not counts or not set(counts) <= {-1, 1}:
        return None
    confusion = np.array([[outside, rows - outside] for rows, outside in (counts.get(k, (0, 0)) for k in (-1, 1))])
    return Evaluation((-1, 1), confusion)
