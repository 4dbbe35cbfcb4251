"""`wm study noise`: learners on many data files, with shares of the training labels turned."""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.study.label_noise import NoiseStudy, label_noise_study

from . import root
from .out import Out
from .session import UsageError, command_parser
from .sources import is_svmlight, names, whole
from .study import STUDIES, prepare_to_draw, save_picture, share
from .study_models import LEARNERS, learner
from .train import refuse_unwritable, seconds, seed

MODELS = (
    *("bagged-trees", "boosted-trees", "boosted-stumps", "real-adaboost", "gentleboost", "logitboost", "brownboost"),
    "floatboost",
)
ENDS = (".arff", ".csv", ".svm", ".data")


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("study")
    parser.add_argument("study", choices=STUDIES, help="what to study")
    parser.add_argument("files", nargs="*", metavar="FILE", help="data files, or folders of them; labels stand last")
    group = parser.add_argument_group("noise")
    group.add_argument(
        "--model", type=names, default=MODELS, metavar="A,B,…",
        help=f"learners out of {', '.join(LEARNERS)}; default: {','.join(MODELS)}",
    )  # fmt: skip
    group.add_argument("--members", type=whole, default=100, metavar="N", help="rounds or trees; default: %(default)s")
    group.add_argument("--shares", type=shares, default=(0.05, 0.1, 0.2), metavar="A,B,…", help="default: 0.05,0.1,0.2")
    group.add_argument("--repeats", type=whole, default=5, metavar="N", help="splits of a set; default: %(default)s")
    group.add_argument(
        "--most-rows", type=whole, default=1000, metavar="N", help="drawn of a set; default: %(default)s"
    )
    group.add_argument("--keep", metavar="FILE.json", help="results as they come; what is there is not done again")
    group.add_argument("--max-time", type=seconds, metavar="SECONDS", help="begin no further split after so long")
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="default: %(default)s")
    group.add_argument("--picture", metavar="FILE.png", help="accuracy lost, by learner and share")
    group.add_argument("--scatter", metavar="FILE.png", help="errors of the first two learners, a point a set")
    args = parser.parse_args(words)
    if not args.files:
        raise UsageError("at least one FILE or folder is needed: the data sets to study")
    if args.scatter is not None and len(args.model) < 2:
        raise UsageError("--scatter draws two learners against each other: --model names one")
    return args


def shares(text: str) -> tuple[float, ...]:
    return tuple(share(word) for word in names(text))


def run(args: argparse.Namespace) -> int:
    out = Out(args)
    prepare_to_draw(args.picture, args.scatter)
    if args.keep is not None:
        refuse_unwritable(args.keep)
    learners = {name: learner(name, "classes", args.members) for name in args.model}
    sets = {_name(path): lambda path=path: read(path) for path in _paths(args.files)}
    with out.progress("learning", len(sets) * args.repeats) as advance:

        def after(name: str, repeat: int, study: NoiseStudy) -> None:
            advance(repeat * len(sets) + list(sets).index(name) + 1, name)

        options = {"shares": args.shares, "repeats": args.repeats, "most_rows": args.most_rows}
        options |= {"keep": args.keep, "max_time": args.max_time, "random_state": args.seed, "after": after}
        study = label_noise_study(learners, sets, **options)
    out.document({**study.to_dict(), "sets": study.sets, "table": study.table(), "orderings": study.orderings()})
    _show(out, study, len(sets) * args.repeats)
    if args.picture is not None:
        from widemargin.report.plot import NoiseLossDisplay

        save_picture(NoiseLossDisplay.from_study(study), args.picture, out)
    if args.scatter is not None:
        from widemargin.report.plot import NoiseScatterDisplay

        save_picture(NoiseScatterDisplay.from_study(study, *args.model[:2]), args.scatter, out)
    return root.OK


def _paths(files: list[str]) -> list[str]:
    found: list[str] = []
    for path in files:
        if os.path.isdir(path):
            inside = sorted(name for name in os.listdir(path) if _stem(name).endswith(ENDS))
            found += [os.path.join(path, name) for name in inside]
        else:
            os.stat(path)
            found.append(path)
    if not found:
        raise BadInput(f"{', '.join(files)}: no file ends in {', '.join(ENDS)}, packed or not")
    return found


def _stem(name: str) -> str:
    stem, end = os.path.splitext(name)
    return stem if end in (".gz", ".xz", ".bz2") else name


def _name(path: str) -> str:
    """The file's name without its endings; train and data files are named by their folder."""
    folder, name = os.path.split(path)
    stem = os.path.splitext(_stem(name))[0]
    return os.path.basename(folder) if stem in ("train", "data") and folder else stem


def read(path: str) -> tuple[np.ndarray, np.ndarray]:
    """Dense rows and labels of a file; the last column is the label, missing numbers stay missing."""
    from widemargin.data import read_svmlight, read_table

    if is_svmlight(argparse.Namespace(file=path, format="auto", target=None)):
        X, y = read_svmlight(path)
        return X.toarray(), y
    table = read_table(path, -1, missing="keep")
    assert table.y is not None
    X = table.X.toarray() if hasattr(table.X, "toarray") else np.asarray(table.X)
    return X, table.y


def _show(out: Out, study: NoiseStudy, asked: int) -> None:
    if not study.sets:
        out.note("no split was finished in this time: raise --max-time")
        return
    done = sum(len(study.repeats(name)) for name in study.sets)
    told = f"accuracy lost by wrong labels, in points, mean of {len(study.sets)} sets with 95 % interval"
    lines = [_line(line) for line in study.table()]
    out.table(told, lines, ["learner", "wrong labels", "error, clean", "error", "lost", "interval", "s a fit"])
    for order in study.orderings():
        points = f"{100 * order['low']:.2f} to {100 * order['high']:.2f}"
        out.line(f"{100 * order['share']:g} % wrong: {order['better']} loses {points} less than {order['worse']}")
    if done < asked:
        out.note(f"{done} of {asked} splits are done: call again with --keep to go on")


def _line(line: dict[str, Any]) -> list[Any]:
    points = {name: 100 * line[name] for name in ("clean error", "error", "mean", "low", "high")}
    return [
        line["learner"],
        f"{100 * line['share']:g} %",
        f"{points['clean error']:.2f}",
        f"{points['error']:.2f}",
        f"{points['mean']:.2f}",
        f"{points['low']:.2f} … {points['high']:.2f}",
        f"{line['seconds']:.2f}",
    ]
