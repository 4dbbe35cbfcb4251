"""Data files as the flags describe them."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.estimator.file_model import FORMATS, FileModel, whole_labels

from .out import Out
from .session import UsageError


def add_file_flags(
    parser: argparse.ArgumentParser, *, optional: bool = False, format_flags: Sequence[str] = ("--format",)
) -> Any:
    """FILE and how it is written."""
    number: Any = {"nargs": "?"} if optional else {}
    parser.add_argument("file", metavar="FILE", help='data file; "-" is standard input', **number)
    group = parser.add_argument_group("reading")
    add_dialect_flags(group, *format_flags)
    group.add_argument(
        "--batch-rows", type=whole, default=10_000, metavar="N", help="rows at a time; default: %(default)s"
    )
    return group


def add_dialect_flags(group: Any, *format_flags: str) -> None:
    """How a data file is written."""
    group.add_argument(
        *format_flags, dest="format", choices=FORMATS, default="auto", help="default: told by name and contents"
    )
    group.add_argument("--delimiter", help="of a CSV file; default: found out")
    group.add_argument("--no-header", action="store_true", help="the first line of a CSV file is data")
    group.add_argument("--encoding", default="utf-8", help="of a text file; default: %(default)s")


def add_coding_flags(group: Any) -> None:
    """How columns become features; fixed at training."""
    group.add_argument("--target", metavar="COL", help="column to be predicted: its name, or its number from 0")
    group.add_argument("--ignore", metavar="COL,…", type=names, default=(), help="columns to leave out")
    group.add_argument("--categorical", metavar="COL,…", type=names, default=(), help="numbers that are names")
    group.add_argument("--categories", choices=("onehot", "ordinal", "error"), default="onehot", help="columns of text")
    missing = ("error", "mean", "median", "keep", "drop")
    group.add_argument("--missing", choices=missing, default="error", help="what becomes of missing cells")
    group.add_argument(
        "--missing-values", metavar="A,B,…", type=names, help="what marks a missing cell beside an empty one"
    )
    group.add_argument("--decimal", choices=(".", ","), default=".", help="decimal sign")
    group.add_argument("--zero-based", action="store_true", help="indices of an svmlight file start at 0, not 1")
    group.add_argument("--n-features", type=whole, metavar="N", help="features of an svmlight file; default: found out")


def names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def whole(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1; it is {text!r}")
    return int(text)


def dialect(args: argparse.Namespace) -> dict[str, Any]:
    return {"delimiter": args.delimiter, "header": _header(args), "encoding": args.encoding}


def _header(args: argparse.Namespace) -> bool | None:
    """Whoever names the target has read its name in a header; x0, x1, … are the names where there is none."""
    if args.no_header:
        return False
    target = getattr(args, "target", None)
    return True if target is not None and not re.fullmatch(r"-?\d+|x\d+", target) else None


def coding(args: argparse.Namespace) -> dict[str, Any]:
    marks = {} if args.missing_values is None else {"missing_values": args.missing_values}
    return {
        **marks,
        "categories": args.categories,
        "missing": args.missing,
        "categorical": args.categorical,
        "ignore": args.ignore,
        "decimal": args.decimal,
    }


def target_of(args: argparse.Namespace) -> str | int:
    """The target as the readers take it: a whole number is a position, anything else a name."""
    if args.target is None:
        if args.file != "-":
            os.stat(args.file)  # that there is no such file is the first thing to say
        raise UsageError("--target is needed: the name of the column to be predicted, or its number from 0")
    return int(args.target) if re.fullmatch(r"-?\d+", args.target) else args.target


def is_svmlight(args: argparse.Namespace) -> bool:
    """By --format, by the name, else by the first line."""
    if args.format != "auto":
        return args.format == "svmlight"
    from widemargin.data.svmlight import looks_like_svmlight

    return looks_like_svmlight(args.file, has_target=args.target is not None)


def read_training(args: argparse.Namespace, *, kind: str) -> tuple[Any, Any, Any, tuple[str, ...]]:
    """(X, y, encoder or None, what reading did) of a whole file; one class needs no y, so it may be None there."""
    if is_svmlight(args):
        from widemargin.data import read_svmlight

        X, y = read_svmlight(args.file, zero_based=args.zero_based, n_features=args.n_features, n_jobs=args.threads)
        if X.shape[0] == 0:
            raise BadInput(f"{args.file} holds no rows: there is nothing to learn from")
        if X.shape[1] == 0:
            raise BadInput(f"{args.file} has {X.shape[0]} rows without any feature: there is nothing to learn from")
        return X, whole_labels(y) if kind == "classes" else y, None, ()
    from widemargin.data import read_table

    target = None if kind == "one class" and args.target is None else target_of(args)
    table = read_table(args.file, target, format=args.format, **dialect(args), **coding(args))
    if kind != "one class":
        assert table.y is not None
        check_labels(table.y, args, kind=kind)
    return table.X, table.y, table.encoder, table.report


def check_labels(y: np.ndarray, args: argparse.Namespace, *, kind: str) -> None:
    """Words cannot be regressed; fractions are no classes."""
    if kind == "numbers" and y.dtype.kind not in "iuf":
        raise BadInput(f"column {args.target!r} holds text, for instance {str(y[0])!r}: a regressor needs numbers")
    if kind == "classes" and y.dtype.kind == "f":
        raise BadInput(
            f"column {args.target!r} holds fractions, for instance {y[y != np.floor(y)][0]:g}, which are no classes: "
            "choose another target, or --model svr, kernel-ridge or passive-aggressive-regressor"
        )


def labelled_batches(
    model: FileModel, args: argparse.Namespace, out: Out, what: str, *, training: bool = False, optional: bool = False
) -> Iterator[tuple[Any, Any]]:
    """(X, y) of a file that must have the target, unless that is `optional`: then y may be None; with progress."""
    said = {"format": args.format, "batch_rows": args.batch_rows, **dialect(args)}
    with out.progress(what, None) as advance:
        rows = 0
        for X, y in model.batches(args.file, training=training, **said):
            if y is None and not optional:
                assert model.encoder is not None
                raise BadInput(f"{args.file} has no column {model.encoder.target!r}, which holds the true labels")
            yield X, y
            rows += X.shape[0]
            advance(rows, "rows")
