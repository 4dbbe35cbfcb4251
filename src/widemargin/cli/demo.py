"""`wm demo`: from raw messages to a report, then the perceptron family on Iris and on real spam."""

from __future__ import annotations

import argparse
import csv
import io
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput
from widemargin.base.files import write_atomically

from . import easy, root
from .certify import recertified
from .models import model_class
from .out import Out
from .searching import places
from .session import command_parser

# Enough epochs for the sources' figures, few enough for a demonstration.
_SETTINGS: dict[str, dict[str, Any]] = {
    "perceptron": {"max_iter": 100},
    "averaged": {"max_iter": 100},
    "voted": {"max_iter": 100},
    "batch": {"max_iter": 1000},
    "margin": {"max_iter": 300},
    "kernel": {"max_iter": 100},
    "passive-aggressive": {"max_iter": 100},
}
_SECONDS = "10"  # that the search on the messages plans for
_COLUMNS = ["model", "training errors", "test errors", "updates", "bound", "certificate"]


@dataclass(frozen=True)
class Task:
    """A question put to every model; every third row of each class is kept for the test."""

    name: str
    X: Any
    y: np.ndarray

    def split(self) -> tuple[np.ndarray, np.ndarray]:
        test = np.zeros(len(self.y), bool)
        for label in np.unique(self.y):
            test[np.flatnonzero(self.y == label)[2::3]] = True
        return np.flatnonzero(~test), np.flatnonzero(test)


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("demo")
    parser.add_argument("-o", "--output", default="out", metavar="FOLDER", help="default: %(default)s")
    return parser.parse_args(words)


def run(args: argparse.Namespace) -> int:
    out, began = Out(args), time.perf_counter()
    found, easily = _easily(args, out)
    out.line("real messages, from raw text to a verdict: wm easy sms_spam.csv --target kind")
    easy.show(out, found, easily["output"])
    document: dict[str, Any] = {"easy": easily, "tasks": {}}
    for task in _tasks():
        learn, test = task.split()
        with out.progress(task.name, len(_SETTINGS)) as advance:
            results: list[dict[str, Any]] = []
            for name in _SETTINGS:
                advance(len(results), name)
                results.append(_result(name, task, learn, test))
        document["tasks"][task.name] = {"training_rows": len(learn), "test_rows": len(test), "models": results}
        rows = [
            [r["model"], r["training_errors"], r["test_errors"], r["updates"], r["bound"], r["verdict"]]
            for r in results
        ]
        out.table(f"{task.name}: {len(learn)} rows to learn from, {len(test)} to test", rows, _COLUMNS)
    document["picture"] = _picture(args.output)
    document["seconds"] = time.perf_counter() - began
    out.document(document)
    out.line(
        f"picture: {document['picture'] or 'none, matplotlib is not installed'}; {document['seconds']:.1f} s in all"
    )
    return root.OK


def _easily(args: argparse.Namespace, out: Out) -> tuple[Any, dict[str, Any]]:
    """What `wm easy` finds in the bundled messages; a second run takes the search from the log of the first."""
    from widemargin.data import load_sms_spam

    folder = os.path.join(args.output, "sms_spam")
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["message", "kind"])
    writer.writerows(zip(*load_sms_spam(), strict=True))
    with places(folder, "sms_spam.csv") as place:
        path = place["sms_spam.csv"]
        write_atomically(path, text.getvalue().encode())
    words = [path, "--target", "kind", "--time", _SECONDS, "-o", folder]
    try:
        return easy.found_and_kept(easy.parse([*words, "--resume"]), out)
    except BadInput:  # the log of an older version
        return easy.found_and_kept(easy.parse(words), out)


def _tasks() -> Iterator[Task]:
    from widemargin.data import sms_features

    yield from _iris()
    words, kinds, _ = sms_features()
    yield Task("SMS spam, bag of words", words, kinds)


def _iris() -> Iterator[Task]:
    from widemargin.data import load_iris

    X, species = load_iris()
    for wanted, note in (("virginica", ""), ("setosa", " (separable)")):
        y = np.where(species == wanted, wanted, "other")
        yield Task(f"Iris petals, {wanted} or not{note}", X[:, 2:], y)


def _result(name: str, task: Task, learn: np.ndarray, test: np.ndarray) -> dict[str, Any]:
    model = model_class(name)(random_state=0, **_SETTINGS[name])
    X, y = task.X[learn], task.y[learn]
    model.fit(X, y)
    certificate = recertified(model, X, y, prove=True)
    return {
        "model": name,
        "training_errors": int(np.count_nonzero(model.predict(X) != y)),
        "test_errors": int(np.count_nonzero(model.predict(task.X[test]) != task.y[test])),
        "updates": int(model.n_updates_),
        "bound": getattr(certificate, "mistake_bound", None),
        "verdict": "–" if certificate is None else f"{certificate.verdict()}: {certificate.claim}",
        "holds": None if certificate is None else certificate.holds,
    }


def _picture(folder: str) -> str | None:
    """Two boundaries on the petals, drawn by the report room; None without matplotlib."""
    try:
        import matplotlib

        from widemargin.report.plot import BoundaryDisplay
    except ImportError:
        return None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(12, 5), layout="constrained")
    for place, task, name in zip(axes, _iris(), ("averaged", "margin"), strict=True):
        model = model_class(name)(random_state=0, **_SETTINGS[name]).fit(task.X, task.y)
        BoundaryDisplay.from_estimator(
            model, task.X, task.y, feature_names=["petal length in cm", "petal width in cm"], ax=place
        )
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=120)
    pyplot.close(figure)
    with places(folder, "demo.png") as place:
        write_atomically(place["demo.png"], picture.getvalue())
    return place["demo.png"]
