"""`wm easy`: from a file to a tuned model, an honest figure and a report, in one command."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from widemargin.base.files import write_atomically

from . import root
from .out import Out, plain
from .report import FORMATS
from .searching import add_search_flags, leaderboard_csv, places, search_arguments, share, show_leaderboard
from .session import command_parser

if TYPE_CHECKING:
    from widemargin.app.record import Easy

FILES = ("model.wm", "leaderboard.csv", "search.log")  # and the report


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("easy")
    search = add_search_flags(parser, "easy", "--data-format")
    search.add_argument(
        "--test", type=share, default=0.25, help="share of the rows looked at once; default: %(default)s"
    )
    search.add_argument("--folds", type=int, metavar="N", help="of cross-validation; default: by the number of rows")
    parser.add_argument(
        "--format", choices=FORMATS, dest="shape", default="html", help="of the report; default: %(default)s"
    )
    return parser.parse_args(words)


def run(args: argparse.Namespace) -> int:
    out = Out(args)
    found, document = found_and_kept(args, out)
    out.document(document)
    show(out, found, args.output, args.shape)
    return root.OK


def found_and_kept(args: argparse.Namespace, out: Out) -> tuple[Easy, dict[str, Any]]:
    """What was found, and as values for JSON; model, leaderboard and report stand in the folder, each whole."""
    from widemargin.app.easy import easy
    from widemargin.report.page import written_report
    from widemargin.store import save

    report = f"report.{args.shape}"
    with places(args.output, *FILES, report) as place, out.progress("easy", 1.0) as advance:
        found = easy(
            **search_arguments(args, place["search.log"]),
            cv=args.folds,
            observe=lambda words, done: advance(done, words),
        )
        document = plain({**found.to_dict(), "output": args.output})
        advance(0.98, "writing")
        save(found.model, place["model.wm"])
        write_atomically(place["leaderboard.csv"], leaderboard_csv(found.tuning))
        write_atomically(place[report], written_report(document, args.shape).encode())
    return found, document


def show(out: Out, found: Easy, folder: str, shape: str = "html") -> None:
    """Verdict, leaderboard, what is worth a look, and where it all is."""
    for sentence in found.verdict:
        out.line(sentence)
    show_leaderboard(out, found.tuning)
    worth = [(c.name, c.finding, c.advice) for c in found.checks if c.state != "fine"]
    if worth:
        out.table("worth a look", worth, ["check", "finding", "what to do"])
    out.line(", ".join(os.path.join(folder, name) for name in (*FILES, f"report.{shape}")))
