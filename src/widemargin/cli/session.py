"""One run of one command: parse, work, and turn whatever goes wrong into one sentence and an exit code."""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import logging
import re
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

from . import root
from .examples import EXAMPLES


class UsageError(Exception):
    """A flag or value that cannot be; the message is one sentence."""


class Parser(argparse.ArgumentParser):
    """argparse that raises instead of leaving, and never abbreviates: new flags must not change old scripts."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{_first_word_lower(message)} ({self.prog} --help)")


def command_parser(command: str) -> Parser:
    """A parser with the flags that every command has."""
    parser = Parser(prog=f"wm {command}", description=f"wm {command}: {root.COMMANDS[command]}.")
    parser.epilog = f"examples:{EXAMPLES[command]}" if command in EXAMPLES else None
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no tables, notes or progress")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return parser


def run(command: str, words: list[str]) -> int:
    """Run `command` and return the exit code."""
    debug = "--debug" in words
    try:
        with _unwound_by_termination():
            module = importlib.import_module(f".{command.replace('-', '_')}", __package__)
            args = module.parse(words)
            with _spoken(args.quiet):
                return module.run(args)
    except SystemExit as leaving:  # argparse after --help; termination
        return int(leaving.code or 0)
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if debug:
            traceback.print_exc()
        code = exit_code(error)
        if code == root.BROKEN_PIPE:
            raise BrokenPipeError from error
        sys.stderr.write(f"wm {command}: {sentence(error, code)}\n")
        return code


@contextlib.contextmanager
def _unwound_by_termination() -> Iterator[None]:
    """SIGTERM unwinds, so that temporary files go too; other threads than the first cannot ask for that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(root.TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def exit_code(error: BaseException) -> int:
    """The exit code for an exception."""
    from widemargin.base import errors
    from widemargin.base.params import InvalidParameterError

    if isinstance(error, errors.CannotWrite):
        return root.BROKEN_PIPE if error.errno == errno.EPIPE else root.CANNOT_WRITE
    for kinds, code in (
        ((UsageError, InvalidParameterError), root.USAGE),
        (errors.DataMismatch, root.OTHER_DATA),
        ((errors.DamagedFile, errors.UnsupportedFile), root.DAMAGED),
        (errors.CannotStore, root.CANNOT_WRITE),
        (errors.MissingExtra, root.MISSING_EXTRA),
        (MemoryError, root.NO_MEMORY),
        # scikit-learn's own checks of the data raise ValueError; reading a file raises OSError.
        ((ValueError, OSError), root.BAD_INPUT),
    ):
        if isinstance(error, kinds):
            return code
    return root.INTERNAL


_PYTHON = re.compile(
    r"\b(missing|categories|format|encoding|delimiter|decimal|n_features|zero_based|class_weight|early_stopping|"
    r"batch_rows|max_given_up|target)=(?:'([^']*)'|(-?\w+))"
)
_ADVICE = {  # advice for Python, and what it means here
    ": pass multilabel=True": "; one label a line is needed",
    "pass header=False": "--no-header",
    " (pass quote=None where quotes are ordinary characters)": ": close it, or double it where it is a character",
    ", or pass quote=None)": ")",
    "give all classes to the first call": "--classes must name all",
}
_NAMES = re.compile(r"(?<!-)`?\b(n_features|missing_values|categorical)\b`?")


def sentence(error: BaseException, code: int) -> str:
    """One line; the names of Python parameters become flags."""
    if code == root.NO_MEMORY:
        return f"not enough memory ({error}); use --stream, fewer rows or fewer features"
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    text = " ".join(str(error).split()) or type(error).__name__
    if code == root.INTERNAL:
        return f"this is a defect of widemargin: {type(error).__name__}: {text}; --debug shows where"
    for advice, here in _ADVICE.items():
        text = text.replace(advice, here)
    return _NAMES.sub(lambda name: f"--{name[1].replace('_', '-')}", _PYTHON.sub(_as_flag, text))


def _as_flag(match: re.Match[str]) -> str:
    name, quoted, word = match.groups()
    flag = f"--{name.replace('_', '-')}"
    if word in ("True", "False"):
        return flag if word == "True" else f"no {flag}"
    return f"{flag} {word if quoted is None else quoted}"


@contextlib.contextmanager
def _spoken(quiet: bool) -> Iterator[None]:
    """The library's warnings as lines on standard error."""
    logger = logging.getLogger("widemargin")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("wm: warning: %(message)s"))
    handler.setLevel(logging.ERROR if quiet else logging.WARNING)
    logger.addHandler(handler)
    propagate, logger.propagate = logger.propagate, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if quiet else "default")
            warnings.showwarning = lambda message, *_: logger.warning(" ".join(str(message).split()))
            yield
    finally:
        logger.propagate = propagate
        logger.removeHandler(handler)


def _first_word_lower(message: str) -> str:
    return message[:1].lower() + message[1:]
