"""`wm tune`: which learner, with which settings? A search on held-out rows that never sees the rows set apart."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from widemargin.base.files import write_atomically
from widemargin.study.tuning_record import setting_text

from . import root
from .out import Out, plain
from .searching import add_search_flags, leaderboard_csv, places, search_arguments, share, show_leaderboard
from .session import command_parser
from .sources import whole

if TYPE_CHECKING:
    from widemargin.app.search import Searched


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("tune")
    search = add_search_flags(parser, "tuned", "--data-format", "--format")
    held = search.add_mutually_exclusive_group()
    held.add_argument(
        "--validation", type=half, metavar="SHARE", nargs="?", const=0.25, help="hold out this share once; 0.25"
    )
    held.add_argument("--cv", type=whole, metavar="N", help="folds; default: five, above 5000 rows a quarter held out")
    search.add_argument(
        "--test",
        type=share_or_none,
        default=0.25,
        metavar="SHARE",
        help="share of the rows never looked at: those that wm easy tests on; 0: none; default: %(default)s",
    )
    return parser.parse_args(words)


def half(text: str) -> float:
    value = share(text)
    if value > 0.5:
        raise argparse.ArgumentTypeError(f"at most 0.5 can be held out; it is {text!r}")
    return value


def share_or_none(text: str) -> float:
    return 0.0 if text.strip() in ("0", "0.0") else share(text)


def run(args: argparse.Namespace) -> int:
    out = Out(args)
    with places(args.output, "model.wm", "leaderboard.csv", "tuning.json", "search.log") as place:
        found, document = _found_and_kept(args, out, place)
    out.document(document)
    winner, tuning = found.tuning.winner, found.tuning
    settings = f" with {setting_text(winner.setting)}" if winner.setting else ""
    out.line(f"{winner.learner}{settings} won by the rule {tuning.rule} ({tuning.folds})")
    for sentence in tuning.left_out:
        out.line(sentence)
    show_leaderboard(out, found.tuning)
    if len(found.held):
        out.line(f"{len(found.held)} rows were set apart and not looked at; wm easy looks at them, once")
    out.line(", ".join(sorted(place.values())))
    return root.OK


def _found_and_kept(args: argparse.Namespace, out: Out, place: dict[str, str]) -> tuple[Searched, dict[str, Any]]:
    """What was found, and as values for JSON; model, leaderboard and document stand in the folder, each whole."""
    from widemargin.app.search import search
    from widemargin.estimator.file_model import FileModel
    from widemargin.store import save

    with out.progress("tune", 1.0) as advance:
        found = search(
            **search_arguments(args, place["search.log"]),
            cv=args.cv,
            validation=args.validation,
            observe=lambda words, done: advance(done, words),
        )
        advance(0.85, "learning the winner from all rows")
        model = FileModel(found.fitted(), found.data.encoder, found.data.zero_based)
    document = {
        "source": found.data.source,
        "target": found.data.target,
        "kind": found.data.kind,
        "rows": {"learn": len(found.train), "set_apart": len(found.held)},
        "set_apart": found.held.tolist(),
        "tuning": found.tuning.to_dict(),
        "output": args.output,
    }
    save(model, place["model.wm"])
    write_atomically(place["leaderboard.csv"], leaderboard_csv(found.tuning))
    write_atomically(place["tuning.json"], json.dumps(plain(document), ensure_ascii=False).encode())
    return found, document
