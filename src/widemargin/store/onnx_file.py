"""Writing .onnx files, which runtimes without Python can ask."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import __version__
from ..base.errors import BadInput, CannotStore, MissingExtra
from ..base.files import write_atomically
from .onnx_graph import Graph

OPSET, IR_VERSION = 15, 8  # of 2021: older runtimes can read it
LARGEST = 2**31 - 2**20  # bytes of a protobuf message


def save_onnx(estimator: Any, target: Any, *, dtype: str = "float32") -> None:
    """Write a linear or kernel machine as an ONNX model.

    The input is ``X`` of shape (n, features). Classifiers have the outputs ``label`` and ``scores`` (what `predict` and
    `decision_function` give), so has one class; regressors have ``variable``. All sums are float64.

    Parameters
    ----------
    estimator : fitted estimator
        Perceptrons, passive-aggressive and linear machines; kernel machines with a linear, polynomial, radial or
        sigmoid kernel.
    target : path, "-" or binary file object
        Written whole or not at all.
    dtype : {"float32", "float64"}
        Of the input; float32 rows are widened before anything is computed.

    Raises
    ------
    CannotStore
        Where ONNX cannot express the machine: other kernels, votes of many vectors, trees.
    MissingExtra
        Without the package onnx.
    """
    if dtype not in ("float32", "float64"):
        raise BadInput(f"dtype={dtype!r}: it must be 'float32' or 'float64'.")
    write_atomically(target, onnx_model(estimator, dtype).SerializeToString(deterministic=True))


def onnx_model(estimator: Any, dtype: str = "float32") -> Any:
    """The onnx.ModelProto of a fitted estimator."""
    try:
        import onnx
        from onnx import TensorProto, helper, numpy_helper
    except ImportError as error:
        raise MissingExtra("onnx", "onnx", "writing an .onnx file") from error
    if not hasattr(estimator, "model_") or not hasattr(estimator, "n_features_in_"):
        raise CannotStore(f"ONNX: a {type(estimator).__name__} has no model that could be written as sums of products.")
    graph = Graph(helper, numpy_helper)
    x = "X" if dtype == "float64" else graph.to_double("X")
    scores = graph.add_scores(estimator.model_, x)
    outputs = _outputs(estimator, graph, scores, TensorProto, helper)
    kind = TensorProto.DOUBLE if dtype == "float64" else TensorProto.FLOAT
    rows = helper.make_tensor_value_info("X", kind, ["n", estimator.n_features_in_])
    name = type(estimator).__name__
    made = helper.make_graph(graph.nodes, name, [rows], outputs, graph.constants)
    model = helper.make_model(
        made,
        producer_name="widemargin",
        producer_version=__version__,
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    if model.ByteSize() > LARGEST:
        raise CannotStore(f"The model has {model.ByteSize()} bytes, an .onnx file at most {LARGEST}: save it as .wm.")
    onnx.checker.check_model(model)
    return model


def _outputs(estimator: Any, graph: Graph, scores: str, types: Any, helper: Any) -> list[Any]:
    """The nodes of the decision, and what the outputs are."""
    if not hasattr(estimator, "classes_"):
        if not hasattr(estimator, "offset_"):
            graph.op("Squeeze", scores, np.array([1]), name="variable")
            return [helper.make_tensor_value_info("variable", types.DOUBLE, ["n"])]
        graph.add_inside(scores, float(estimator.intercept_[0]))
        kind, shape = types.INT64, ["n"]
    else:
        graph.add_labels(estimator, scores)
        dtype = estimator.classes_.dtype.kind
        kind = {"i": types.INT64, "u": types.INT64, "b": types.BOOL, "f": types.DOUBLE}.get(dtype, types.STRING)
        shape = ["n"] if len(estimator.classes_) == 2 else ["n", "columns"]
    return [
        helper.make_tensor_value_info("label", kind, ["n"]),
        helper.make_tensor_value_info("scores", types.DOUBLE, shape),
    ]
