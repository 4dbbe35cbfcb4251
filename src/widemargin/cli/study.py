"""`wm study`: which study is meant; and bias-variance, on a file or on a source whose truth is known."""

from __future__ import annotations

import argparse
import re
from importlib import import_module
from typing import Any

import numpy as np

from widemargin.study.bias_record import BiasVariance
from widemargin.study.bias_study import bias_variance
from widemargin.study.noise import KINDS
from widemargin.study.sources import SOURCES, KnownSource, known_source, turned_labels
from widemargin.study.sweep import BiasVarianceSweep, bias_variance_sweep

from . import root
from .out import Out, label_text
from .session import UsageError, command_parser
from .sources import add_coding_flags, add_file_flags, names, read_training, whole
from .study_models import LEARNERS, learner
from .train import refuse_unwritable, seed, threads

OTHERS = {"margins": "study_boosting", "four-errors": "study_boosting", "noise": "study_noise"}
STUDIES = ("bias-variance", *OTHERS)
LOSSES = {"auto": "auto", "squared": "squared", "domingos": "domingos", "kohavi-wolpert": "kohavi_wolpert"}


def parse(words: list[str]) -> argparse.Namespace:
    study = next((word for word in words if word in STUDIES), "")
    if study in OTHERS:
        return import_module(f".{OTHERS[study]}", __package__).parse(words)
    parser = command_parser("study")
    parser.add_argument("study", choices=STUDIES, help="what to study")
    add_coding_flags(add_file_flags(parser, optional=True))
    group = parser.add_argument_group("bias-variance")
    group.add_argument("--source", choices=SOURCES, help="fresh samples of a known source in place of FILE")
    group.add_argument("--rows", type=whole, default=300, metavar="N", help="of a sample; default: %(default)s")
    group.add_argument("--points", type=whole, default=500, metavar="N", help="to judge at; default: %(default)s")
    group.add_argument("--bootstrap", action="store_true", help="one sample of the source, by replicates as of a file")
    group.add_argument(
        "--model", type=names, default=("tree", "bagged-trees"), metavar="A,B,…",
        help=f"learners out of {', '.join(LEARNERS)}; default: tree,bagged-trees",
    )  # fmt: skip
    group.add_argument("--members", type=whole, default=30, metavar="N", help="of an ensemble; default: %(default)s")
    group.add_argument("--numbers", action="store_true", help="whole numbers in the target are numbers, not classes")
    group.add_argument("-B", "--replicates", type=whole, default=100, metavar="B", help="default: %(default)s")
    group.add_argument("--draws", type=whole, metavar="M", help="rows drawn for a replicate; default: all")
    group.add_argument("--without-replacement", action="store_true", help="draw no row twice")
    group.add_argument("--loss", choices=LOSSES, default="auto", help="default: squared, or domingos for classes")
    group.add_argument("--noise", choices=KINDS, help="where the noise is told from; default: it is left in the bias")
    group.add_argument("--neighbours", type=whole, default=1, metavar="K", help="for --noise; default: %(default)s")
    group.add_argument("--label-noise", type=share, default=0.0, metavar="SHARE", help="labels turned before learning")
    group.add_argument("--vary", metavar="PARAMETER=VALUES", help="for example max_features=1,2,5 or max_features=1:20")
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="default: %(default)s")
    group.add_argument("--threads", type=threads, metavar="N", help="-1 means all; the result does not depend on it")
    group.add_argument("--picture", metavar="FILE.png", help="bars, or curves with --vary")
    group.add_argument("--map", metavar="FILE.png", help="bias and variance at every point, of the first learner")
    args = parser.parse_args(words)
    _check_together(args)
    return args


def _check_together(args: argparse.Namespace) -> None:
    if (args.file is None) == (args.source is None):
        raise UsageError("either FILE or --source is needed: what data to study")
    if args.source is None and args.bootstrap:
        raise UsageError("--bootstrap belongs to --source: a file is always studied by replicates")
    if args.source is not None and not args.bootstrap and (args.draws or args.without_replacement):
        raise UsageError("--draws and --without-replacement shape replicates: --source needs --bootstrap for them")
    if args.vary is not None and args.map is not None:
        raise UsageError("--map shows one study, --vary makes several: leave one of them out")
    args.parameter, args.values = (None, ()) if args.vary is None else varied(args.vary)


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 0.5:
        raise argparse.ArgumentTypeError(f"must be a share from 0 to 0.5; it is {text!r}")
    return value


def varied(text: str) -> tuple[str, list[Any]]:
    """The parameter and its values: a=1,2,5 or a=1:20."""
    name, _, values = text.partition("=")
    found = re.fullmatch(r"(-?\d+):(-?\d+)", values.strip())
    if found:
        low, high = map(int, found.groups())
        listed: list[Any] = list(range(low, high + 1))
    else:
        listed = [_typed(value) for value in names(values)]
    if not name.strip() or not listed:
        raise UsageError(f"--vary {text}: give a parameter and its values, for example max_features=1,2,5 or 1:20")
    return name.strip(), listed


def _typed(text: str) -> Any:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return {"none": None, "true": True, "false": False}.get(text.lower(), text)


def run(args: argparse.Namespace) -> int:
    if args.study in OTHERS:
        return import_module(f".{OTHERS[args.study]}", __package__).run(args)
    out = Out(args)
    prepare_to_draw(args.picture, args.map)
    X, y, kind, options = _data(args)
    learners = {name: learner(name, kind, args.members) for name in args.model}
    options |= {"loss": LOSSES[args.loss], "noise": args.noise, "neighbours": args.neighbours}
    options |= {"random_state": args.seed, "n_jobs": args.threads}
    if args.parameter is not None:
        return _run_sweep(args, out, learners, X, y, options)
    studies = {}
    with out.progress("learning", len(learners)) as advance:
        for k, (name, one) in enumerate(learners.items()):
            advance(k, name)
            studies[name] = bias_variance(one, X, y, args.replicates, **options)
    out.document({**_told(args, y), "studies": {name: record.to_dict() for name, record in studies.items()}})
    _show(out, args, studies)
    if args.picture is not None:
        from widemargin.report.plot import BiasVarianceDisplay

        save_picture(BiasVarianceDisplay.from_studies(studies), args.picture, out)
    if args.map is not None:
        from widemargin.report.plot import BiasVarianceMapDisplay

        save_picture(BiasVarianceMapDisplay.from_study(next(iter(studies.values())), X), args.map, out)
    return root.OK


def prepare_to_draw(*paths: str | None) -> None:
    """A study may take long: what can be known beforehand about its pictures is asked beforehand."""
    wanted = [path for path in paths if path is not None]
    for path in wanted:
        refuse_unwritable(path)
    if wanted:
        from widemargin.report.plot.style import pyplot

        pyplot().switch_backend("Agg")


def _data(args: argparse.Namespace) -> tuple[Any, np.ndarray, str, dict[str, Any]]:
    """Points, labels, "classes" or "numbers", and how samples come about."""
    drawn = {"m": args.draws, "replace": not args.without_replacement}
    if args.source is None:
        X, y, _, report = read_training(args, kind="one class" if args.target is not None else "classes")
        for sentence in report[1:]:
            Out(args).note(sentence)
        kind = "numbers" if args.numbers or (y.dtype.kind == "f" and (y % 1).any()) else "classes"
        if kind == "numbers" and args.label_noise:
            raise UsageError("--label-noise turns labels of classes; this target holds numbers")
        turned = {"y_train": turned_labels(y, args.label_noise, args.seed)} if args.label_noise else {}
        return X, y.astype(np.int64) if kind == "classes" and y.dtype.kind == "f" else y, kind, {**drawn, **turned}
    regression = args.source == "friedman1"
    if regression and args.label_noise:
        raise UsageError("--label-noise turns labels of classes; friedman1 gives numbers")
    source: KnownSource = known_source(args.source, args.rows, None if regression else args.label_noise)
    kind = "numbers" if regression else "classes"
    if args.bootstrap:
        X, y = source(np.random.default_rng(args.seed))
        return X, y, kind, drawn
    repeats = 5 if args.noise == "repeats" else 1
    X, y, _ = source.points(-(-args.points // repeats), repeats, args.seed)
    return X, y, kind, {"source": source}


def _run_sweep(args: argparse.Namespace, out: Out, learners: Any, X: Any, y: Any, options: dict[str, Any]) -> int:
    done = 0
    with out.progress("learning", len(learners) * len(args.values)) as advance:

        def after(name: str, value: Any, record: BiasVariance) -> None:
            nonlocal done
            done += 1
            advance(done, f"{name} {args.parameter}={value}")

        sweep = bias_variance_sweep(
            learners, args.parameter, args.values, X, y, args.replicates, after=after, **options
        )
    out.document({**_told(args, y), **sweep.to_dict()})
    _show_sweep(out, args, sweep)
    if args.picture is not None:
        from widemargin.report.plot import BiasVarianceSweepDisplay

        save_picture(BiasVarianceSweepDisplay.from_sweep(sweep), args.picture, out)
    return root.OK


def _told(args: argparse.Namespace, y: np.ndarray) -> dict[str, Any]:
    return {"file": args.file, "source": args.source, "points": len(y), "label_noise": args.label_noise}


def _place(args: argparse.Namespace) -> str:
    return args.file or args.source


def _show(out: Out, args: argparse.Namespace, studies: dict[str, BiasVariance]) -> None:
    first = next(iter(studies.values()))
    words = [name for name, *_ in first.table()]
    lines = [
        [name, *(f"{value:.4g} ± {error:.2g}" for _, value, error in record.table())]
        for name, record in studies.items()
    ]
    out.table(f"bias and variance on {_place(args)}", lines, ["learner", *words])
    _notes(out, first)
    for name, record in studies.items():
        if record.left_out:
            out.note(f"{name}: {record.left_out} points were asked about fewer than twice and left out: raise -B")


def _show_sweep(out: Out, args: argparse.Namespace, sweep: BiasVarianceSweep) -> None:
    head = ["learner", sweep.parameter, *sweep.terms]
    out.table(f"bias and variance on {_place(args)}", [[label_text(c) if i == 1 else c for i, c in enumerate(line)]
                                                       for line in sweep.table()], head)  # fmt: skip
    _notes(out, next(iter(sweep.records.values()))[0])


def _notes(out: Out, record: BiasVariance) -> None:
    out.line(f"deviation: {record.deviation}")
    out.line(record.note)


def save_picture(display: Any, path: str, out: Out) -> None:
    from io import BytesIO

    from widemargin.base.files import write_atomically

    drawn = BytesIO()
    display.figure_.savefig(drawn, dpi=120, format="svg" if path.lower().endswith(".svg") else "png")
    write_atomically(path, drawn.getvalue())
    out.line(f"picture: {path}")
