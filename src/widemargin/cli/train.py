"""`wm train`: file in, model with its certificate out."""

from __future__ import annotations

import argparse
import inspect
import os
import time
from typing import Any

import numpy as np

from widemargin.base.errors import CannotWrite
from widemargin.estimator.file_model import FileModel

from . import root
from .certify import recertified
from .flags import add_model_flags, given_parameters
from .models import DEFAULT, MODELS, can_stream, is_svm, kind_of, model_class, streaming_models
from .out import Out, label_text
from .session import Parser, UsageError, command_parser
from .sources import add_coding_flags, add_file_flags, names, read_training, whole


def parse(words: list[str]) -> argparse.Namespace:
    chosen = Parser(add_help=False)
    chosen.add_argument("--model", default=DEFAULT)
    name = chosen.parse_known_args(words)[0].model
    parser = command_parser("train")
    add_coding_flags(add_file_flags(parser))
    group = parser.add_argument_group("training")
    group.add_argument("--model", default=DEFAULT, help=f"one of {', '.join(MODELS)}; default: %(default)s")
    group.add_argument("-o", "--output", metavar="MODEL.wm", help='where to save the model; "-" is standard output')
    group.add_argument("--certify", action="store_true", help="recompute the certificate from scratch after training")
    group.add_argument("--prove", action="store_true", help="the same, and decide separability by a linear program")
    group.add_argument(
        "--no-proof", action="store_true", help="leave the proof out of the file: smaller, not certifiable"
    )
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="of the row order; default: %(default)s")
    group.add_argument("--threads", type=threads, metavar="N", help="-1 means all; the result does not depend on it")
    group.add_argument("--max-time", type=seconds, metavar="SECONDS", help="stop after so long")
    group.add_argument("--stream", action="store_true", help="read in batches, in constant memory")
    group.add_argument("--epochs", type=whole, metavar="N", help="passes over a stream; default: 1")
    group.add_argument("--classes", type=names, metavar="A,B,…", help="of a stream; default: found by a first pass")
    cls = model_class(name)
    add_model_flags(parser, name, cls)
    args = parser.parse_args(words)
    args.parameters = given_parameters(args, cls)
    _check_together(args, cls)
    return args


def _check_together(args: argparse.Namespace, cls: type[Any]) -> None:
    if args.max_time is not None and "max_time" not in inspect.signature(cls).parameters:
        raise UsageError(f"--max-time: {args.model} is solved in one step, which cannot be cut short: leave it out")
    if args.stream and not can_stream(cls):
        raise UsageError(f"--stream: {args.model} needs all rows at once; {', '.join(streaming_models())} can stream")
    if not args.stream and (args.epochs or args.classes):
        raise UsageError("--epochs and --classes belong to --stream; otherwise --max-iter limits the epochs")
    if args.stream and args.parameters.get("early_stopping"):
        raise UsageError("--early-stopping needs all rows at once, which a stream never has: leave it out")
    if args.stream and isinstance(args.parameters.get("class_weight"), str):
        raise UsageError("--class-weight balanced needs all rows at once; give factors: --class-weight spam=2,ham=1")
    if args.stream and (args.certify or args.prove):
        raise UsageError("--certify needs all rows at once, which a stream never has: leave out --stream or --certify")


def seed(text: str) -> int:
    if not text.isdigit() or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 2^63 - 1; it is {text!r}")
    return int(text)


def threads(text: str) -> int:
    number = int(text) if text.removeprefix("-").isdigit() else 0
    if number == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number other than 0; it is {text!r}")
    return number


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number of seconds; it is {text!r}")
    return value


def run(args: argparse.Namespace) -> int:
    out = Out(args, data_on_stdout=args.output == "-")
    refuse_unwritable(args.output)
    estimator = _made(args)
    began = time.perf_counter()
    if args.stream:
        from .stream import train_stream

        model, facts = train_stream(args, estimator, out)
    else:
        model, facts = _train_at_once(args, estimator, out)
    facts["seconds"] = time.perf_counter() - began
    certificate = getattr(model.estimator, "certificate_", None)
    facts["certificate"] = None if certificate is None else certificate.to_dict()
    if args.output is not None:
        from widemargin.store import save

        save(model, args.output, proof=not args.no_proof)
    facts["output"] = args.output
    _report(args, out, facts, certificate)
    wanted = args.certify or args.prove
    return root.NOT_CERTIFIED if wanted and (certificate is None or certificate.holds is not True) else root.OK


def _made(args: argparse.Namespace) -> Any:
    """The estimator as the flags describe it."""
    cls = model_class(args.model)
    shared = {"random_state": args.seed, "n_jobs": args.threads, "max_time": args.max_time}
    known = inspect.signature(cls).parameters
    return cls(**{name: value for name, value in shared.items() if name in known}, **args.parameters)


def refuse_unwritable(output: str | None) -> None:
    """Learning may take hours: what can be known beforehand about saving is asked beforehand."""
    if output is None or output == "-":
        return
    directory = os.path.dirname(os.path.realpath(output)) or "."
    if os.path.isdir(output):
        raise CannotWrite(f"Cannot write {output}: it is a directory; give the name of a file.")
    if not os.path.isdir(directory):
        raise CannotWrite(f"Cannot write {output}: the directory {directory} does not exist.")
    if not os.access(directory, os.W_OK) or (os.path.exists(output) and not os.access(output, os.W_OK)):
        raise CannotWrite(f"Cannot write {output}: permission denied.")


def _train_at_once(args: argparse.Namespace, estimator: Any, out: Out) -> tuple[FileModel, dict[str, Any]]:
    kind = kind_of(estimator)
    X, y, encoder, report = read_training(args, kind=kind)
    if kind == "classes":
        use_labels(estimator, np.unique(y))
    _fit(estimator, X, y, out)
    if args.certify or args.prove:
        certificate = recertified(estimator, X, y, prove=args.prove)
        if certificate is not None:
            estimator.certificate_ = certificate
    called = estimator.predict(X)
    facts = describe(args, estimator, X.shape)
    if kind == "numbers":
        facts["mean_absolute_error"] = float(np.mean(np.abs(called - y)))
    elif kind == "one class":
        outside = int(np.count_nonzero(called < 0))
        facts |= {"outside": outside, "share_outside": outside / len(called)}
    else:
        wrong = int(np.count_nonzero(called != y))
        facts |= {"training_errors": wrong, "training_error": wrong / len(y)}
    facts["reading"] = list(report)
    return FileModel(estimator, encoder, bool(args.zero_based)), facts


def _fit(estimator: Any, X: Any, y: Any, out: Out) -> None:
    limit = getattr(estimator, "max_iter", -1)
    unit = "step" if is_svm(estimator) else "epoch"
    with out.progress("learning", limit if limit > 0 else None) as advance:
        if hasattr(estimator, "observe"):
            estimator.observe = lambda step, columns, snapshot: advance(step, f"{unit} {step}")
        estimator.fit(X, y)
    if hasattr(estimator, "observe"):
        estimator.observe = None


def use_labels(estimator: Any, classes: np.ndarray) -> None:
    """Factors given by the text of a label are for the label itself."""
    wish = getattr(estimator, "class_weight", None)
    if isinstance(wish, dict):
        known = {label_text(label): label for label in classes}
        estimator.class_weight = {_python(known.get(text, text)): factor for text, factor in wish.items()}


def _python(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def describe(args: argparse.Namespace, estimator: Any, shape: tuple[int, int]) -> dict[str, Any]:
    """What is told of every fit."""
    classes, iterations = getattr(estimator, "classes_", None), getattr(estimator, "n_iter_", None)
    steps = int(np.sum(np.asarray(iterations))) if is_svm(estimator) else None
    return {
        "model": args.model,
        "file": args.file,
        "rows": shape[0],
        "features": shape[1],
        "classes": None if classes is None else classes.tolist(),
        "epochs": iterations if steps is None else None,
        "steps": steps,
        "support": len(estimator.support_) if hasattr(estimator, "support_") else None,
        "solver": getattr(estimator, "solver_", None),
        "updates": getattr(estimator, "n_updates_", None),
        "converged": getattr(estimator, "converged_", None),
        "stop_reason": getattr(estimator, "stop_reason_", None),
    }


def _report(args: argparse.Namespace, out: Out, facts: dict[str, Any], certificate: Any) -> None:
    out.document(facts)
    for sentence in facts.get("reading", ())[1:]:
        out.note(sentence)
    told = ("rows", "features", "classes", "epochs", "steps", "solver", "updates")
    rows = [(name, facts[name]) for name in told if facts[name] is not None]
    if facts["support"] is not None:
        rows.append(("support", f"{facts['support']} of {facts['rows']} rows"))
    if "training_errors" in facts:
        rows.append(
            ("training error", f"{facts['training_errors']} of {facts['rows']} ({facts['training_error']:.2%})")
        )
    if "mean_absolute_error" in facts:
        rows.append(("mean absolute error", facts["mean_absolute_error"]))
    if "outside" in facts:
        rows.append(("outside", f"{facts['outside']} of {facts['rows']} ({facts['share_outside']:.2%})"))
    if facts["stop_reason"] is not None:
        rows.append(("stopped", facts["stop_reason"]))
    if certificate is not None:
        rows.append(("certificate", f"{certificate.verdict()}: {certificate.claim}"))
    rows.append(("seconds", facts["seconds"]))
    rows.append(("saved", args.output or "no (-o MODEL.wm saves it)"))
    out.table(f"{args.model} on {args.file}", rows)
