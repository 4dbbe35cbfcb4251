"""`wm inspect`: what a model file holds, after its checksum was verified."""

from __future__ import annotations

import argparse
import io
import math
from typing import Any

import numpy as np

from widemargin.estimator.file_model import FileModel
from widemargin.store import inspect, loads

from . import root
from .out import Out, plain
from .session import command_parser

LARGEST = 8  # arrays that are shown


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("inspect")
    parser.add_argument("model", metavar="MODEL.wm", help='"-" is standard input')
    return parser.parse_args(words)


def run(args: argparse.Namespace) -> int:
    data = _bytes(args.model)
    stream = io.BytesIO(data)
    stream.name = "standard input" if args.model == "-" else args.model
    out = Out(args)
    with out.progress("reading", None):
        info, found = inspect(stream), loads(data)
    document = {
        "file": args.model,
        "type": info.type,
        "version": info.version,
        "format": info.format,
        "bytes": info.size,
        "sha256": info.sha256,
        "proof": info.proof,
        "written_by": info.written_by,
        "parts": {place: {"type": kind, "version": version} for place, (kind, version) in info.parts.items()},
        "arrays": {
            name: {"dtype": dtype, "shape": list(shape), "bytes": np.dtype(dtype).itemsize * math.prod(shape)}
            for name, (dtype, shape) in info.arrays.items()
        },
        **_model_facts(found),
    }
    out.document(document)
    _show(out, document)
    return root.OK


def _bytes(path: str) -> bytes:
    import sys

    if path == "-":
        return sys.stdin.buffer.read()
    with open(path, "rb") as file:
        return file.read()


def _model_facts(found: Any) -> dict[str, Any]:
    whole, encoder = (found.estimator, found.encoder) if isinstance(found, FileModel) else (found, None)
    facts: dict[str, Any] = {}
    if hasattr(whole, "steps") and hasattr(whole, "named_steps"):
        facts["steps"] = [f"{name}: {type(step).__name__}" for name, step in whole.steps]
    estimator = whole.steps[-1][1] if "steps" in facts else whole
    facts["estimator"] = type(estimator).__name__
    if hasattr(estimator, "get_params"):
        facts["parameters"] = estimator.get_params(deep=False)
    if hasattr(whole, "n_features_in_"):
        facts["features"] = whole.n_features_in_
    if hasattr(estimator, "classes_"):
        facts["classes"] = estimator.classes_
    for name in ("n_iter_", "n_updates_", "n_rounds_", "converged_", "stop_reason_"):
        if hasattr(estimator, name):
            value = getattr(estimator, name)
            facts[name.strip("_").removeprefix("n_")] = value.tolist() if isinstance(value, np.ndarray) else value
    if hasattr(estimator, "support_"):
        facts["support"] = len(estimator.support_)
    if hasattr(estimator, "trees_"):
        facts["trees"] = len(estimator.trees_)
    certificate = getattr(estimator, "certificate_", None)
    facts["certificate"] = None if certificate is None else certificate.to_dict()
    if encoder is not None:
        facts |= {"target": encoder.target, "columns": [column.name for column in encoder.columns]}
    return plain(facts)


def _show(out: Out, document: dict[str, Any]) -> None:
    names = ["steps", "estimator", "features", "classes", "target", "columns"]
    names += ["iter", "updates", "rounds", "support", "trees", "converged", "stop_reason"]
    rows = [(name.replace("_", " "), document[name]) for name in names if document.get(name) is not None]
    certificate = document["certificate"]
    if certificate is not None:
        said = {True: "held", False: "FAILED", None: "unchecked"}[certificate["holds"]]
        rows.append(("certificate at training", f"{said}: {certificate['claim']}"))
    versions = ", ".join(f"{name} {version}" for name, version in document["written_by"].items())
    rows += [
        ("proof", "kept" if document["proof"] else "left out"),
        ("written by", versions),
        ("bytes", document["bytes"]),
        ("sha256", document["sha256"]),
    ]
    out.table(f"{document['file']}: {document['type']}, version {document['version']}", rows)
    largest = sorted(document["arrays"].items(), key=lambda item: -item[1]["bytes"])[:LARGEST]
    if largest:
        lines = [(name, array["dtype"], array["shape"], array["bytes"]) for name, array in largest]
        left = len(document["arrays"]) - len(largest)
        out.table("largest arrays" if left else "arrays", lines, ("name", "type", "shape", "bytes"))
    if "parameters" in document:
        out.table("parameters", sorted(document["parameters"].items()))
