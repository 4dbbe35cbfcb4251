"""Costs of errors, as typed or as a small CSV file."""

from __future__ import annotations

import csv
import math

import numpy as np

from widemargin.base.errors import BadInput

from .session import UsageError


def read_costs(text: str, positive: str | None, classes: list[str]) -> np.ndarray:
    """cost[i, j] of a row of class i that is called j."""
    return _from_pairs(text, positive, classes) if "=" in text else _from_file(text, classes)


def _from_pairs(text: str, positive: str | None, classes: list[str]) -> np.ndarray:
    if len(classes) != 2:
        raise UsageError(f"--cost {text}: fp and fn are for two classes, the model has {len(classes)}: give a CSV file")
    positive = classes[1] if positive is None else positive
    if positive not in classes:
        raise UsageError(f"--positive {positive}: the classes are {' and '.join(classes)}")
    p = classes.index(positive)
    place = {"fp": (1 - p, p), "fn": (p, 1 - p), "tp": (p, p), "tn": (1 - p, 1 - p)}
    cost = np.zeros((2, 2))
    for part in text.split(","):
        kind, _, number = part.partition("=")
        if kind.strip() not in place:
            raise UsageError(f"--cost {text}: {kind.strip()!r} is none of fp, fn, tp, tn")
        cost[place[kind.strip()]] = _finite(number, f"--cost {text}")
    return cost


def _from_file(path: str, classes: list[str]) -> np.ndarray:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = [[cell.strip() for cell in line] for line in csv.reader(file) if line]
    except UnicodeDecodeError:
        raise BadInput(f"{path} is no text file, so it holds no costs") from None
    called = lines[0][1:] if lines else []
    if sorted(called) != sorted(classes) or sorted(line[0] for line in lines[1:]) != sorted(classes):
        raise BadInput(
            f"{path}: the first line and the first column must name the classes {', '.join(classes)}, once each"
        )
    cost = np.zeros((len(classes), len(classes)))
    for line in lines[1:]:
        if len(line) != len(called) + 1:
            raise BadInput(f"{path}: the line of {line[0]!r} has {len(line) - 1} costs, {len(called)} are due")
        for name, number in zip(called, line[1:], strict=True):
            cost[classes.index(line[0]), classes.index(name)] = _finite(number, path)
    return cost


def _finite(text: str, place: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{place}: {text.strip()!r} is not a finite number")
    return value
