"""`wm convert`: models between .wm, LIBSVM, LIBLINEAR and ONNX, data between svmlight and tables."""

from __future__ import annotations

import argparse
import csv
import io
import os
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from widemargin.base.errors import BadInput, MissingExtra
from widemargin.base.files import write_atomically
from widemargin.data.source import open_bytes
from widemargin.estimator.file_model import FileModel

from . import root
from .out import Out
from .session import UsageError, command_parser
from .sources import add_coding_flags, add_file_flags, coding, dialect, is_svmlight, target_of

MODELS, DATA = ("wm", "libsvm", "liblinear", "onnx"), ("svmlight", "csv", "parquet")
_ENDS = {".wm": "wm", ".onnx": "onnx", ".csv": "csv", ".parquet": "parquet", ".pq": "parquet"} | dict.fromkeys(
    (".svm", ".svmlight", ".libsvm", ".svml"), "svmlight"
)
_PACKED = (".gz", ".xz", ".bz2")
_TEXT = {b"svm_type": "libsvm", b"solver_type": "liblinear"}
_LINEAR = ("LinearSVC", "LinearSVCCV", "LinearSVR")


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("convert")
    add_coding_flags(add_file_flags(parser))
    parser.add_argument("output", metavar="OUT", help='where to; its end says the format; "-" is standard output')
    parser.add_argument("--to", choices=(*MODELS, *DATA), help="the format, where the name of OUT does not say it")
    parser.add_argument("--float64", action="store_true", help="the input of an .onnx model is float64, not float32")
    args = parser.parse_args(words)
    if args.file == "-":
        raise UsageError("FILE must have a name: what it holds is told by its first bytes")
    return args


def run(args: argparse.Namespace) -> int:
    kind = _kind_of(args.file)
    wish = args.to or _wish_of(args.output)
    out = Out(args, data_on_stdout=args.output == "-")
    return _convert_model(args, out, kind, wish) if kind in MODELS else _convert_data(args, out, wish)


def _kind_of(path: str) -> str:
    """What a file holds: a format of models, or "data"."""
    with open_bytes(path) as opened:
        words = opened.head.split(maxsplit=1)
        if words and words[0] in _TEXT:
            return _TEXT[words[0]]
    with open(path, "rb") as file:
        head = file.read(9)
    return "wm" if len(head) == 9 and head[8:] == b"{" and head[5:8] == b"\0\0\0" else "data"


def _wish_of(output: str) -> str | None:
    stem, end = os.path.splitext(output.lower())
    return _ENDS.get(os.path.splitext(stem)[1] if end in _PACKED else end)


# ---- models ----------------------------------------------------------------------------------------------------------


def _convert_model(args: argparse.Namespace, out: Out, kind: str, wish: str | None) -> int:
    from widemargin import store
    from widemargin.estimator.text_models import estimator_of

    model: Any = {"wm": store.load, "libsvm": store.load_libsvm, "liblinear": store.load_liblinear}[kind](args.file)
    fitted = model if kind != "wm" else model.estimator if isinstance(model, FileModel) else model
    if wish is None:
        linear = kind == "liblinear" or type(fitted).__name__ in _LINEAR
        wish = "liblinear" if linear else "libsvm"
    if wish in DATA:
        raise UsageError(f"{args.file} is a model; {wish} is a format of data: --to is one of {', '.join(MODELS)}")
    if wish != kind and kind != "wm":
        fitted = estimator_of(model)
    if wish == "wm":
        store.save(model if kind == "wm" else fitted, args.output)
    elif wish == "onnx":
        store.save_onnx(fitted, args.output, dtype="float64" if args.float64 else "float32")
    else:
        (store.save_libsvm if wish == "libsvm" else store.save_liblinear)(fitted, args.output)
    if isinstance(model, FileModel) and model.encoder is not None and wish != "wm":
        out.note(f"{wish} keeps no coding of columns: rows must come as {fitted.n_features_in_} numbers")
    name = type(fitted).__name__
    out.line(f"{name} of {args.file} ({kind}) written to {args.output} ({wish})")
    out.document({"holds": name, "from": kind, "to": wish, "output": args.output})
    return root.OK


# ---- data ------------------------------------------------------------------------------------------------------------


def _convert_data(args: argparse.Namespace, out: Out, wish: str | None) -> int:
    from widemargin.data import read_svmlight, read_table, write_svmlight

    if wish not in DATA:
        told = f"{args.file} is data: name OUT .svm, .csv or .parquet, or say --to {', '.join(DATA)}"
        raise UsageError(told if wish is None else f"{told}; {wish} is a format of models")
    from_svmlight = is_svmlight(args)
    if from_svmlight:
        with out.progress("reading", None):
            X, y = read_svmlight(args.file, zero_based=args.zero_based, n_features=args.n_features)
        names = [f"x{j}" for j in range(0 if args.zero_based else 1, X.shape[1] + (not args.zero_based))]
    else:
        with out.progress("reading", None):
            table = read_table(args.file, target_of(args), format=args.format, **dialect(args), **coding(args))
        X, y, names = table.X, np.asarray(table.y), list(table.feature_names)
        for line in table.report:
            out.note(line)
    if len(y) == 0:
        raise BadInput(f"{args.file} holds no rows")
    with out.progress("writing", None):
        if wish == "svmlight":
            write_svmlight(X, _numbers(y, out), args.output, zero_based=args.zero_based)
        else:
            target = "label" if from_svmlight else table.encoder.target
            _write_table(args, wish, X, y, [str(target), *names])
    out.line(f"{len(y)} rows of {args.file} written to {args.output} ({wish})")
    out.document({"rows": len(y), "features": X.shape[1], "to": wish, "output": args.output})
    return root.OK


def _numbers(y: np.ndarray, out: Out) -> np.ndarray:
    """Labels as numbers; words become 0, 1, … in their order, which is told."""
    if y.dtype.kind in "iufb":
        return y
    classes, codes = np.unique(y.astype(str), return_inverse=True)
    out.note("labels are written as " + ", ".join(f"{k} = {name}" for k, name in enumerate(classes)))
    return codes


def _write_table(args: argparse.Namespace, wish: str, X: Any, y: np.ndarray, names: list[str]) -> None:
    dense = X.toarray() if sp.issparse(X) else np.asarray(X)
    if wish == "parquet":
        try:
            import polars
        except ImportError as error:
            raise MissingExtra("polars", "files", "writing Parquet") from error
        frame = polars.DataFrame({names[0]: y, **{name: dense[:, j] for j, name in enumerate(names[1:])}})
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        write_atomically(args.output, buffer.getbuffer())
        return

    def fill(file: BinaryIO) -> None:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        try:
            lines = csv.writer(text, lineterminator="\n")
            lines.writerow(names)
            lines.writerows([label, *row] for label, row in zip(y.tolist(), dense.tolist(), strict=True))
        finally:
            text.detach()

    write_atomically(args.output, fill)
