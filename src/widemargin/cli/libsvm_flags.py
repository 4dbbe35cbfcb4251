"""Flags as LIBSVM and LIBLINEAR take them: one letter and a value, files at the end; long ones as everywhere."""

from __future__ import annotations

import argparse
import math
import re
from typing import Any

from . import root
from .session import Parser, UsageError

TYPES = ("C-SVC", "nu-SVC", "one-class", "epsilon-SVR", "nu-SVR")
KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")
_WEIGHT = re.compile(r"-w(-?\d+)")


def libsvm_parser(command: str, example: str) -> Parser:
    """A parser in which -h and -q are LIBSVM's own."""
    parser = Parser(
        prog=f"wm {command}",
        description=f"wm {command}: {root.COMMANDS[command]}.",
        epilog=f"example: wm {command} {example}",
        add_help=False,
    )
    parser.add_argument("--help", action="help", help="show this and leave")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of the program's lines")
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return parser


def add_training_flags(parser: Parser) -> None:
    group = parser.add_argument_group("LIBSVM's flags")

    def add(letter: str, kind: Any, default: Any, what: str) -> None:
        group.add_argument(f"-{letter}", type=kind, default=default, metavar="X", help=f"{what}; default: %(default)s")

    add("s", one_of(5), 0, ", ".join(f"{k} {name}" for k, name in enumerate(TYPES)))
    add("t", one_of(5), 2, ", ".join(f"{k} {name}" for k, name in enumerate(KERNELS)))
    add("d", whole_from(0), 3, "degree of the polynomial kernel")
    add("g", number_from(0), 0.0, "gamma of poly, rbf and sigmoid; 0 means 1 / features")
    add("r", number_from(-math.inf), 0.0, "coef0 of poly and sigmoid")
    add("c", number_above(0), 1.0, "C of C-SVC, epsilon-SVR and nu-SVR")
    add("n", number_above(0, 1), 0.5, "nu of nu-SVC, one-class and nu-SVR")
    add("p", number_from(0), 0.1, "epsilon of epsilon-SVR")
    add("m", number_above(0), 100.0, "memory for kernel values in MB")
    add("e", number_above(0), 0.001, "tolerance of the optimality conditions")
    add("h", one_of(2), 1, "shrinking, 0 or 1")
    add("b", one_of(2), 0, "probabilities, 0 or 1")
    group.add_argument("-wi", metavar="X", help="C of class i is X times C, for instance -w1 2 -w-1 0.5")
    group.add_argument("-v", type=whole_from(2), metavar="N", help="cross-validate in N folds, save no model")


def take_weights(words: list[str]) -> tuple[list[str], dict[int, float]]:
    """The words without -wi and its value, and the factors by label."""
    rest, factors, at = [], {}, 0
    while at < len(words):
        found = _WEIGHT.fullmatch(words[at])
        if found is None:
            rest.append(words[at])
        elif at + 1 == len(words):
            raise UsageError(f"{words[at]} needs a value: a factor of C")
        else:
            factors[int(found[1])] = _checked(number_above(0), words[at], words[at + 1])
            at += 1
        at += 1
    return rest, factors


def _checked(kind: Any, flag: str, text: str) -> Any:
    try:
        return kind(text)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"argument {flag}: {error}") from None


def one_of(count: int) -> Any:
    def read(text: str) -> int:
        if not re.fullmatch(r"\d", text) or int(text) >= count:
            raise argparse.ArgumentTypeError(f"must be a whole number from 0 to {count - 1}; it is {text!r}")
        return int(text)

    return read


def whole_from(least: int) -> Any:
    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}; it is {text!r}")
        return int(text)

    return read


def number_from(least: float) -> Any:
    """A finite number of at least `least`."""

    def read(text: str) -> float:
        value = _number(text)
        if not value >= least:
            wish = "a finite number" if least == -math.inf else f"a finite number of at least {least:g}"
            raise argparse.ArgumentTypeError(f"must be {wish}; it is {text!r}")
        return value

    return read


def number_above(least: float, most: float = math.inf) -> Any:
    """A finite number above `least` and not above `most`."""

    def read(text: str) -> float:
        value = _number(text)
        if not least < value <= most:
            wish = f"above {least:g}" if math.isinf(most) else f"above {least:g} and at most {most:g}"
            raise argparse.ArgumentTypeError(f"must be a finite number {wish}; it is {text!r}")
        return value

    return read


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
