"""What `wm` itself says, as data: commands, exit codes, help. Start-up counts here, so only `sys` is imported."""

from __future__ import annotations

import sys

COMMANDS = {
    "easy": "from a data file to a tuned model, an honest figure and a report",
    "tune": "which learner with which settings, on held-out rows; goes on after a kill",
    "train": "learn a model from a data file and save it",
    "predict": "write the labels that a model gives to the rows of a file",
    "evaluate": "kinds of error, accuracy with its interval, precision, recall, costs",
    "report": "saved models on a file whose answers are known, compared on one page",
    "certify": "recompute a model's certificate from its data and its proof",
    "inspect": "what a model file holds",
    "spam": "learn, classify, explain: a filter for raw mails, with the words that decided",
    "study": "bias-variance, margins, four-errors, noise: experiments on learners, with tables and pictures",
    "svm-train": "LIBSVM's program of this name: its flags, its model files",
    "svm-predict": "LIBSVM's program of this name: its flags, its model files",
    "liblinear-train": "LIBLINEAR's train: its flags, its model files",
    "liblinear-predict": "LIBLINEAR's predict: its flags, its model files",
    "convert": "a model or data file in another format",
    "doctor": "versions, processor, threads, BLAS, memory, optional packages",
    "demo": "from raw messages to a report, and the perceptron family on Iris and on real spam",
}

OK, NOT_CERTIFIED, USAGE, BAD_INPUT, DAMAGED, CANNOT_WRITE, OTHER_DATA, MISSING_EXTRA, NO_MEMORY = range(9)
INTERNAL, INTERRUPTED, BROKEN_PIPE, TERMINATED = 70, 130, 141, 143

EXIT_CODES = {
    OK: "done; certify: the certificate holds",
    NOT_CERTIFIED: "a certificate was asked for and does not hold or cannot be checked",
    USAGE: "wrong usage: unknown command, flag or value",
    BAD_INPUT: "the data cannot be used: missing file, malformed line, wrong columns",
    DAMAGED: "a model file is damaged, cut off, not one, or of a newer version",
    CANNOT_WRITE: "the output cannot be written; what was there before is untouched",
    OTHER_DATA: "certify: these are not the data of the fit",
    MISSING_EXTRA: "an optional package is needed",
    NO_MEMORY: "not enough memory",
    INTERNAL: "a defect of widemargin",
    INTERRUPTED: "interrupted (Ctrl-C); nothing half-written is left",
    BROKEN_PIPE: "the reader of the output went away",
    TERMINATED: "terminated by the system; nothing half-written is left",
}

HEAD = """\
usage: wm COMMAND [ARGUMENTS]

Large-margin learning with the proof attached.

"""
TAIL = """
every command: --help  --json (one JSON document)  --quiet  --debug (traceback)
"-" is standard input or output. wm --version prints the version.

  wm train mail.csv --target kind --model averaged -o mail.wm
  wm certify mail.wm mail.csv && wm evaluate mail.wm new.csv
"""


def help_text() -> str:
    commands = "".join(f"  {name:<18}{what}\n" for name, what in COMMANDS.items())
    codes = "".join(f"  {code:<18}{what}\n" for code, what in EXIT_CODES.items())
    return f"{HEAD}commands:\n{commands}\nexit codes:\n{codes}{TAIL}"


def answer(words: list[str]) -> int:
    """Run `words` and return the exit code; a vanished reader and Ctrl-C end quietly."""
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        sys.stderr.write("wm: interrupted\n")
        return INTERRUPTED


def _dispatch(words: list[str]) -> int:
    first = words[0] if words else ""
    if first == "help" and len(words) > 1:
        words, first = [words[1], "--help"], words[1]
    if first in ("-h", "--help", "help"):
        sys.stdout.write(help_text())
        return OK
    if first in ("--version", "-V"):
        from widemargin import __version__

        sys.stdout.write(f"widemargin {__version__}\n")
        return OK
    if first not in COMMANDS:
        sys.stderr.write(_no_command(first))
        return USAGE
    from .session import run

    return run(first, words[1:])


def _no_command(word: str) -> str:
    if not word:
        return f"wm: a command is needed: {', '.join(COMMANDS)} (wm --help explains them)\n"
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, 1)
    guess = f"did you mean {near[0]}?" if near else f"the commands are {', '.join(COMMANDS)}"
    return f"wm: there is no command {word!r}; {guess}\n"


def _drop_output() -> None:
    """Python flushes standard output at exit and would complain once more."""
    import os

    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError):
        pass
