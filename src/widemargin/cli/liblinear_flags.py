"""LIBLINEAR's flags for training."""

from __future__ import annotations

import argparse
from typing import Any

from widemargin.store.liblinear_model import SOLVERS

from .libsvm_flags import number_above, number_from, whole_from
from .session import Parser

CLASSES, NUMBERS, ONE_CLASS = (0, 1, 2, 3, 4, 5, 6, 7), (11, 12, 13), 21
SEARCHED = (0, 2)  # those for which -C looks for a C
FREE = (0, 2, 5, 6, 11)  # those that take -R
_NAMES = {
    0: "logistic",
    1: "squared hinge, dual",
    2: "squared hinge",
    3: "hinge, dual",
    4: "Crammer and Singer",
    5: "|w|_1 and squared hinge",
    6: "|w|_1 and logistic",
    7: "logistic, dual",
    11: "squared error beyond p",
    12: "the same, dual",
    13: "error beyond p, dual",
    21: "one class",
}


def add_training_flags(parser: Parser) -> None:
    group = parser.add_argument_group("LIBLINEAR's flags")

    def add(letter: str, kind: Any, default: Any, what: str) -> None:
        group.add_argument(f"-{letter}", type=kind, default=default, metavar="X", help=what)

    add("s", _solver, None, "; ".join(f"{k} {name}" for k, name in _NAMES.items()) + "; default: 1, with -C 2")
    add("c", number_above(0), None, "price C of the losses; default: 1; with -C the smallest that is tried")
    add("p", number_from(0), 0.1, "p of -s 11, 12 and 13: errors up to it cost nothing; default: %(default)s")
    add("n", number_above(0, 1), 0.5, "nu of -s 21; default: %(default)s")
    add("e", number_above(0), 1e-4, "relative duality gap; above 1e-4 it is 1e-4; default: %(default)s")
    add("B", number_from(-float("inf")), -1.0, "the constant feature; negative: none; default: -1")
    group.add_argument("-R", action="store_true", help="the weight of the constant feature is not penalised; with -B 1")
    group.add_argument("-wi", metavar="X", help="C of class i is X times C, for instance -w1 2 -w-1 0.5")
    group.add_argument("-v", type=whole_from(2), metavar="N", help="cross-validate in N folds, save no model")
    group.add_argument("-C", action="store_true", help="look for the best C by cross-validation, save no model")


def _solver(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) not in SOLVERS:
        names = ", ".join(map(str, SOLVERS))
        raise argparse.ArgumentTypeError(f"must be one of {names}; it is {text!r}")
    return int(text)
