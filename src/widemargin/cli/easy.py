"""`wm easy`: from a file to a tuned model, an honest figure and a report, in one command."""

from __future__ import annotations

import argparse
import csv
import io
import os
from typing import Any

import numpy as np

from widemargin.base.errors import CannotWrite
from widemargin.base.files import write_atomically

from . import root
from .costs import read_costs
from .out import Out, label_text
from .session import UsageError, command_parser
from .sources import add_file_flags, dialect, names, target_of
from .train import seconds, seed, threads

_EXAMPLE = """
  wm easy mail.csv --target kind --time 60 -o mail      # mail/model.wm, report.html, leaderboard.csv
  wm easy mail.csv --target kind --cost fp=10,fn=1 --positive spam -o mail
  wm predict mail/model.wm new.csv
"""


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("easy")
    parser.epilog = f"examples:{_EXAMPLE}"
    group = add_file_flags(parser)
    group.add_argument("--target", metavar="COL", help="column to be predicted: its name, or its number from 0")
    group.add_argument("--kind", choices=("auto", "classes", "numbers"), default="auto", help="what the target holds")
    group.add_argument("--text", metavar="COL", help="a column of prose to learn from; also found by itself")
    group.add_argument("--ignore", metavar="COL,…", type=names, default=(), help="columns to leave out")
    group.add_argument("--categorical", metavar="COL,…", type=names, default=(), help="numbers that are names")
    search = parser.add_argument_group("search")
    search.add_argument("--time", type=seconds, default=60.0, metavar="SECONDS", help="to plan for; default: %(default)g")
    search.add_argument("--test", type=share, default=0.25, help="share of the rows looked at once; default: %(default)s")
    search.add_argument("--learners", type=names, metavar="A,B,…", help="names of learners; default: all that suit")
    search.add_argument("--folds", type=int, metavar="N", help="of cross-validation; default: by the number of rows")
    search.add_argument("--rule", choices=("best", "one-se", "knee"), default="best", help="how the winner is chosen")
    search.add_argument("--cost", help="of two classes: fp=10,fn=1; of any number: a CSV file, a row a true class")
    search.add_argument("--positive", metavar="LABEL", help="the class that fp and fn speak of; default: the second")
    search.add_argument("--seed", type=seed, default=0, metavar="N", help="default: %(default)s")
    search.add_argument("--threads", type=threads, metavar="N", help="-1 means all; the result does not depend on it")
    search.add_argument("--resume", action="store_true", help="go on from the folder of a search that was cut off")
    parser.add_argument("-o", "--output", default="easy", metavar="FOLDER", help="default: %(default)s")
    return parser.parse_args(words)


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"must be a share above 0 and below 1; it is {text!r}")
    return value


def run(args: argparse.Namespace) -> int:
    from widemargin.app.easy import easy
    from widemargin.data.svmlight import looks_like_svmlight
    from widemargin.report.page import html_report
    from widemargin.store import save

    out = Out(args)
    if args.file == "-":
        raise UsageError("easy needs a file that it can come back to, not standard input")
    lines = args.format == "svmlight" or (args.format == "auto" and looks_like_svmlight(args.file, has_target=args.target is not None))
    target = None if lines else target_of(args)
    _make_folder(args.output)
    place = {name: os.path.join(args.output, name) for name in ("model.wm", "report.html", "leaderboard.csv", "search.log")}
    with out.progress("easy", 1.0) as advance:
        found = easy(
            args.file,
            target,
            time=args.time,
            test=args.test,
            learners=args.learners,
            cost=None if args.cost is None else lambda classes: _costs(args, classes),
            rule=args.rule,
            cv=args.folds,
            log=place["search.log"],
            resume=args.resume,
            random_state=args.seed,
            n_jobs=args.threads,
            observe=lambda words, done: advance(done, words),
            kind=args.kind,
            **({"format": args.format} if lines else _reading(args)),
        )
    document = found.to_dict()
    save(found.model, place["model.wm"])
    write_atomically(place["leaderboard.csv"], _table(document).encode())
    write_atomically(place["report.html"], html_report(document).encode())
    out.document({**document, "output": args.output})
    for sentence in found.verdict:
        out.line(sentence)
    rows = [(t.learner, t.loss, t.se, t.seconds) for t in found.tuning.leaderboard()]
    out.table("leaderboard, on held-out rows", rows, ["learner", found.tuning.measure, "±", "seconds"])
    worth = [(c.name, c.finding, c.advice) for c in found.checks if c.state != "fine"]
    if worth:
        out.table("worth a look", worth, ["check", "finding", "what to do"])
    out.line(f"{', '.join(sorted(set(place.values())))}")
    return root.OK


def _reading(args: argparse.Namespace) -> dict[str, Any]:
    return {
        **dialect(args),
        "format": args.format,
        "text": args.text,
        "ignore": args.ignore,
        "categorical": args.categorical,
    }


def _costs(args: argparse.Namespace, classes: np.ndarray) -> np.ndarray:
    return read_costs(args.cost, args.positive, [label_text(label) for label in classes])


def _make_folder(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"Cannot make the folder {folder}: {error.strerror}.") from error


def _table(document: dict[str, Any]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["learner", "settings", document["tuning"]["measure"], "standard error", "rows", "seconds", "gap"])
    for t in document["tuning"]["leaderboard"]:
        setting = "; ".join(f"{key}={value}" for key, value in t["setting"].items())
        writer.writerow([t["learner"], setting, t["loss"], t["se"], t["rows"], t["seconds"], t["gap"]])
    return text.getvalue()
