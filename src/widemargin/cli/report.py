"""`wm report`: saved models on a file whose answers are known, compared on one page."""

from __future__ import annotations

import argparse
import re
import shlex
import sys

import numpy as np

from widemargin.base.files import write_atomically

from . import root
from .costs import read_costs
from .loading import load_model
from .out import Out, label_text, plain
from .session import UsageError, command_parser
from .sources import add_dialect_flags, dialect

_EXAMPLE = """
  wm report mail.wm new.csv                               # report.html
  wm report forest.wm svm.wm new.csv --target kind -o which.html
  wm report mail.wm new.csv --format md -o -              # as text, on standard output
"""
FORMATS = ("html", "md", "json")


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("report")
    parser.epilog = f"examples:{_EXAMPLE}"
    parser.add_argument("paths", metavar="MODEL.wm … FILE", nargs="+", help="model files, and the data file at the end")
    group = parser.add_argument_group("reading")
    group.add_argument("--target", metavar="COL", help="column of the true answers; default: the name at training")
    add_dialect_flags(group, "--data-format")
    parser.add_argument("--cost", help="of two classes: fp=10,fn=1; of any number: a CSV file, a row a true class")
    parser.add_argument("--positive", metavar="LABEL", help="the class that fp and fn speak of; default: the second")
    parser.add_argument("--format", choices=FORMATS, dest="shape", help="default: by the name of the output, or html")
    parser.add_argument("-o", "--output", metavar="OUT", help='default: report.html; "-" is standard output')
    args = parser.parse_intermixed_args(words)
    *args.models, args.file = args.paths
    args.again = shlex.join(["wm", "report", *words])
    return args


def run(args: argparse.Namespace) -> int:
    from widemargin.app.compare import compare
    from widemargin.report.page import written_report

    shape, place = _output(args)
    out = Out(args, data_on_stdout=place == "-")
    if not args.models:
        raise UsageError("a model file and a data file are needed: wm report MODEL.wm FILE")
    if args.file == "-":
        raise UsageError("report needs a file that it can read once for each model, not standard input")
    names = _names(args.models)
    models = []
    for name, path in zip(names, args.models, strict=True):
        args.model = path
        models.append((name, load_model(args)))
    target = int(args.target) if args.target and re.fullmatch(r"-?\d+", args.target) else args.target
    with out.progress("comparing" if len(models) > 1 else "judging", None):
        found = compare(
            models,
            args.file,
            target,
            cost=None if args.cost is None else lambda classes: _costs(args, classes),
            format=args.format,
            **dialect(args),
        )
    document = plain({**found.to_dict(), "again": args.again})
    text = written_report(document, shape)
    if place == "-":
        sys.stdout.write(text)
        return root.OK
    write_atomically(place, text.encode())
    out.document({**document, "output": place})
    for sentence in found.verdict:
        out.line(sentence)
    out.line(place)
    return root.OK


def _output(args: argparse.Namespace) -> tuple[str, str]:
    """(format, file), each told by the other where only one is given."""
    ending = (args.output or "").rpartition(".")[2].lower()
    shape = args.shape or (ending if ending in FORMATS else "html")
    return shape, args.output or f"report.{shape}"


def _names(paths: list[str]) -> list[str]:
    """The files' own names where they differ, else with their folders."""
    short = [re.split(r"[\\/]", path)[-1] for path in paths]
    if len(set(short)) == len(short):
        return short
    if len(set(paths)) < len(paths):
        raise UsageError("the same model is named twice")
    return paths


def _costs(args: argparse.Namespace, classes: np.ndarray) -> np.ndarray:
    return read_costs(args.cost, args.positive, [label_text(label) for label in classes])
