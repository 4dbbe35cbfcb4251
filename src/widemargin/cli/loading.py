"""Model files for the commands that use one."""

from __future__ import annotations

import argparse
from typing import Any

from widemargin.base.errors import BadInput
from widemargin.estimator.file_model import FileModel
from widemargin.store import load

from .session import UsageError
from .sources import add_file_flags


def add_model_and_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL.wm", help='model file that wm train wrote; "-" is standard input')
    add_file_flags(parser)


def load_model(args: argparse.Namespace) -> FileModel:
    """The model of a file; one saved from Python without a coding can read svmlight files only."""
    if args.model == "-" and getattr(args, "file", None) == "-":
        raise UsageError("model and data cannot both come from standard input")
    found: Any = load(args.model)
    if isinstance(found, FileModel):
        return found
    if not hasattr(found, "predict"):
        raise BadInput(f"{args.model} holds a {type(found).__name__}, which cannot predict: give what wm train wrote")
    if not hasattr(found, "n_features_in_") and hasattr(found, "classes_"):
        raise BadInput(
            f"{args.model} holds a {type(found).__name__}, which takes texts, not rows of a table: a filter of mails "
            "is used by wm spam classify"
        )
    if not hasattr(found, "n_features_in_"):
        raise BadInput(f"{args.model} holds a {type(found).__name__} that was never fitted: there is nothing to use")
    return FileModel(found)
