"""`wm certify`: does what the model's file claims hold for these data?"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput

from . import root
from .loading import add_model_and_file, load_model
from .models import kind_of
from .out import Out
from .session import command_parser
from .sources import labelled_batches


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("certify")
    add_model_and_file(parser)
    parser.add_argument("--prove", action="store_true", help="also decide separability by a linear program")
    parser.add_argument("--witness", action="store_true", help="with --json: the rows and weights of the witness")
    return parser.parse_args(words)


def run(args: argparse.Namespace) -> int:
    model, out = load_model(args), Out(args)
    one_class = kind_of(model.estimator) == "one class"
    X, y = _whole(list(labelled_batches(model, args, out, "reading", training=True, optional=one_class)), args.file)
    with out.progress("certifying", None):
        certificate = recertified(model.estimator, X, y, prove=args.prove)
    if certificate is None:
        sys.stderr.write(
            f"wm certify: {args.model} holds no certificate: a {type(model.estimator).__name__} has none\n"
        )
        return root.NOT_CERTIFIED
    out.document({"model": args.model, "file": args.file, **certificate.to_dict(witness=args.witness)})
    rows: list[tuple[str, Any]] = [("verdict", certificate.verdict()), ("claim", certificate.claim)]
    rows += [(name.replace("_", " "), _short(value)) for name, value in certificate.figures().items()]
    rows.append(("data", certificate.data_digest or None))
    out.table(f"{args.model} on {args.file}", rows)
    if certificate.parts:
        parts = [[name, part.verdict(), part.claim] for name, part in certificate.parts.items()]
        out.table("by decision", parts, ["decision", "verdict", "claim"])
    return root.OK if certificate.holds is True else root.NOT_CERTIFIED


def recertified(estimator: Any, X: Any, y: Any, *, prove: bool = False) -> Any:
    """The certificate computed anew, or None where the estimator keeps none."""
    from widemargin import certify

    return certify(estimator, X, y, prove=prove) if hasattr(estimator, "certificate_") else None


def _whole(batches: list[tuple[Any, Any]], name: str) -> tuple[Any, Any]:
    if not batches:
        raise BadInput(f"{name} holds no rows: there is nothing to certify")
    if len(batches) == 1:
        return batches[0]
    y = None if batches[0][1] is None else np.concatenate([y for _, y in batches])
    if isinstance(batches[0][0], np.ndarray):
        return np.concatenate([X for X, _ in batches]), y
    import scipy.sparse

    return scipy.sparse.vstack([X for X, _ in batches], format="csr"), y


def _short(value: Any) -> Any:
    return f"{np.count_nonzero(value)} of {value.size} rows" if isinstance(value, np.ndarray) else value
