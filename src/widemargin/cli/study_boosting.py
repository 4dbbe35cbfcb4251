"""`wm study margins` and `wm study four-errors`: a booster of classes, round by round."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from widemargin.base.seeds import keyed
from widemargin.estimator.boosting_base import Boosting
from widemargin.study.boosting import boosting_errors, boosting_margins

from . import root
from .models import MODELS, model_class
from .out import Out
from .session import UsageError, command_parser
from .sources import add_coding_flags, add_file_flags, names, read_training, whole
from .study import STUDIES, prepare_to_draw, save_picture, share
from .study_models import learner
from .train import seed, threads


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("study")
    parser.add_argument("study", choices=STUDIES, help="what to study")
    add_coding_flags(add_file_flags(parser))
    group = parser.add_argument_group("margins, four-errors")
    group.add_argument("--model", default="adaboost", help=f"one of {', '.join(boosters())}; default: %(default)s")
    group.add_argument("--algorithm", choices=("SAMME", "M1", "M2", "MH"), help="of adaboost, for many classes")
    group.add_argument("--base", metavar="LEARNER", help="members: tree, linear, …; default: stumps")
    group.add_argument("--max-depth", type=whole, metavar="N", help="of --base tree; default: until leaves are pure")
    group.add_argument("--draws", action="store_true", help="members learn from rows drawn by weight")
    group.add_argument("--rounds", type=whole, default=100, metavar="N", help="of the fit; default: %(default)s")
    group.add_argument("--at", type=rounds_of, metavar="A,B,…", help="margins after these; default: 5,100,1000 and all")
    group.add_argument("--test-share", type=share, default=0.3, metavar="SHARE", help="default: %(default)s; 0: none")
    group.add_argument("--train-rows", type=whole, metavar="N", help="learn from the first N rows, test on the others")
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="default: %(default)s")
    group.add_argument("--threads", type=threads, metavar="N", help="-1 means all; the result does not depend on it")
    group.add_argument("--picture", metavar="FILE.png", help="curves")
    args = parser.parse_args(words)
    if args.at is not None and args.study != "margins":
        raise UsageError("--at belongs to margins: the four errors are told of every round")
    if args.max_depth is not None and args.base != "tree":
        raise UsageError("--max-depth belongs to --base tree")
    if args.algorithm is not None and args.model != "adaboost":
        raise UsageError(f"--algorithm belongs to --model adaboost; this is {args.model}")
    return args


def rounds_of(text: str) -> list[int]:
    return [whole(word) for word in names(text)]


def boosters() -> list[str]:
    """Models that boost classes."""
    return [name for name in MODELS if issubclass(model_class(name), Boosting) and not model_class(name)._regression]


def run(args: argparse.Namespace) -> int:
    out = Out(args)
    prepare_to_draw(args.picture)
    model = _booster(args)
    X, y, _, report = read_training(args, kind="classes")
    for sentence in report[1:]:
        out.note(sentence)
    train, test = _parts(args, len(y))
    with out.progress("learning", None):
        model.fit(X[train], y[train])
    held = (X[test], y[test]) if len(test) else (None, None)
    told = {"file": args.file, "train_rows": len(train), "test_rows": len(test), "stop": model.stop_reason_}
    record: Any
    if args.study == "margins":
        record = boosting_margins(model, X[train], y[train], *held, rounds=args.at)
        lines = record.table()
        out.table(f"margins of {len(train)} rows of {args.file}", [list(line.values()) for line in lines], lines[0])
        if record.bound is not None:
            out.line(f"the bound holds for unseen rows with probability {1 - record.delta:g}; 1 says nothing")
    else:
        record = boosting_errors(model, X[train], y[train], *held)
        out.table(f"errors on {args.file}", record.table(), ["round", *record.curves()])
    out.document({**told, **record.to_dict()})
    out.line(f"stopped: {model.stop_reason_}")
    if args.picture is not None:
        from widemargin.report import plot

        display = plot.MarginsDisplay if args.study == "margins" else plot.BoostingErrorsDisplay
        save_picture(display.from_study(record), args.picture, out)
    return root.OK


def _booster(args: argparse.Namespace) -> Any:
    if args.model not in boosters():
        raise UsageError(f"--model {args.model} is no booster of classes: choose one of {', '.join(boosters())}")
    cls = model_class(args.model)
    parameters: dict[str, Any] = {"n_estimators": args.rounds, "random_state": args.seed, "n_jobs": args.threads}
    if args.draws:
        parameters["sampling"] = "draws"
    if args.algorithm is not None:
        parameters["algorithm"] = args.algorithm
    model = cls(**parameters)
    if args.base is not None:
        kind = "numbers" if model._asked(2) == "numbers" else "classes"
        base = learner(args.base, kind, 10)
        model.estimator = base.set_params(max_depth=args.max_depth) if args.max_depth is not None else base
    return model


def _parts(args: argparse.Namespace, n: int) -> tuple[np.ndarray, np.ndarray]:
    if args.train_rows is not None:
        if args.train_rows > n:
            raise UsageError(f"--train-rows {args.train_rows}: the file has {n} rows")
        return np.arange(args.train_rows), np.arange(args.train_rows, n)
    order = keyed(args.seed, "split", 0).permutation(n)
    last = n - round(args.test_share * n)
    return np.sort(order[:last]), np.sort(order[last:])
