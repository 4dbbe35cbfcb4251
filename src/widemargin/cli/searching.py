"""What `wm easy` and `wm tune` have in common: flags of a search, its folder, its leaderboard."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin.base.errors import CannotWrite

from .costs import read_costs
from .out import Out, label_text
from .session import UsageError
from .sources import add_file_flags, dialect, names, target_of
from .train import seconds, seed, threads


def add_search_flags(parser: argparse.ArgumentParser, folder: str, *format_flags: str) -> Any:
    """FILE, its columns, and how to search; returns the group of the search."""
    group = add_file_flags(parser, format_flags=format_flags)
    group.add_argument("--target", metavar="COL", help="column to be predicted: its name, or its number from 0")
    group.add_argument("--kind", choices=("auto", "classes", "numbers"), default="auto", help="what the target holds")
    group.add_argument("--text", metavar="COL", help="a column of prose to learn from; also found by itself")
    group.add_argument("--ignore", metavar="COL,…", type=names, default=(), help="columns to leave out")
    group.add_argument("--categorical", metavar="COL,…", type=names, default=(), help="numbers that are names")
    group.add_argument("--decimal", choices=(".", ","), default=".", help="decimal sign")
    group.add_argument(
        "--missing-values", metavar="A,B,…", type=names, help="what marks a missing cell beside an empty one"
    )
    search = parser.add_argument_group("search")
    search.add_argument(
        "--time", type=seconds, default=60.0, metavar="SECONDS", help="to plan for; default: %(default)g"
    )
    search.add_argument("--learners", type=names, metavar="A,B,…", help="names of learners; default: all that suit")
    search.add_argument("--rule", choices=("best", "one-se", "knee"), default="best", help="how the winner is chosen")
    search.add_argument("--cost", help="of two classes: fp=10,fn=1; of any number: a CSV file, a row a true class")
    search.add_argument("--positive", metavar="LABEL", help="the class that fp and fn speak of; default: the second")
    search.add_argument("--seed", type=seed, default=0, metavar="N", help="default: %(default)s")
    search.add_argument("--threads", type=threads, metavar="N", help="-1 means all; the result does not depend on it")
    search.add_argument("--resume", action="store_true", help="go on from the folder of a search that was cut off")
    parser.add_argument("-o", "--output", default=folder, metavar="FOLDER", help="default: %(default)s")
    return search


def search_arguments(args: argparse.Namespace, log: str) -> dict[str, Any]:
    """The flags as `easy` and `search` take them."""
    from widemargin.data.svmlight import looks_like_svmlight

    if args.file == "-":
        raise UsageError("a search needs a file that it can come back to, not standard input")
    lines = args.format == "svmlight" or (
        args.format == "auto" and looks_like_svmlight(args.file, has_target=args.target is not None)
    )
    reading = {
        **dialect(args),
        **({} if args.missing_values is None else {"missing_values": args.missing_values}),
        **{name: getattr(args, name) for name in ("text", "ignore", "categorical", "decimal")},
    }
    return {
        "source": args.file,
        "target": None if lines else target_of(args),
        "time": args.time,
        "test": args.test,
        "learners": args.learners,
        "cost": None if args.cost is None else lambda classes: _costs(args, classes),
        "rule": args.rule,
        "log": log,
        "resume": args.resume,
        "random_state": args.seed,
        "n_jobs": args.threads,
        "kind": args.kind,
        "format": args.format,
        **({} if lines else reading),
    }


def _costs(args: argparse.Namespace, classes: np.ndarray) -> np.ndarray:
    return read_costs(args.cost, args.positive, [label_text(label) for label in classes])


@contextlib.contextmanager
def places(folder: str, *files: str) -> Iterator[dict[str, str]]:
    """The paths of files in a folder, which is made, and those above it; where nothing came to stand in them they are
    taken away again."""
    missing, path = [], os.path.abspath(folder)
    while not os.path.exists(path):
        missing.append(path)
        path = os.path.dirname(path)
    try:
        _make(folder)
        yield {name: os.path.join(folder, name) for name in files}
    except BaseException:
        with contextlib.suppress(OSError):  # not empty: what stands there is whole
            for path in missing:
                if os.path.isdir(path):
                    os.rmdir(path)
        raise


def _make(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"Cannot make the folder {folder}: {error.strerror}. Choose another with -o.") from error


def show_leaderboard(out: Out, tuning: Any) -> None:
    rows = [(t.learner, t.loss, t.se, t.seconds) for t in tuning.leaderboard()]
    out.table("leaderboard, on held-out rows", rows, ["learner", tuning.measure, "±", "seconds"])


def leaderboard_csv(tuning: Any) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["learner", "settings", tuning.measure, "standard error", "rows", "seconds", "gap"])
    for t in tuning.leaderboard():
        setting = "; ".join(f"{key}={value}" for key, value in t.setting.items())
        writer.writerow([t.learner, setting, t.loss, t.se, t.rows, t.seconds, t.gap])
    return text.getvalue().encode()


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"must be a share above 0 and below 1; it is {text!r}")
    return value
