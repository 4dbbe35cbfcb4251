"""scikit-learn's compositions as stored types: steps one after the other, side by side, and by columns.

Their parameters hold the steps, each a stored object of its own. A cache (`memory`) is never kept: what lies in one are
pickles, and those run code.
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from .rules import Plain, Rule, Sizes, Strings
from .sklearn_steps import step
from .values import Violation

_KEYWORDS = ("drop", "passthrough", None)


def _named(entries: Any, width: int, name: str) -> None:
    """Raise Violation unless these are tuples of `width`, each with a name of its own in front."""
    if type(entries) is not list or not all(type(e) is tuple and len(e) == width for e in entries):
        raise Violation(f"{name} is no list of tuples of {width}")
    names = [entry[0] for entry in entries]
    if not all(type(one) is str for one in names) or len(set(names)) != len(names):
        raise Violation(f"{name} has names that are no strings, or one of them twice")


def _is_step(value: Any, *methods: str) -> bool:
    return value in _KEYWORDS if value is None or type(value) is str else all(hasattr(value, m) for m in methods)


def _pipeline_agrees(pipeline: Any) -> None:
    _named(pipeline.steps, 2, "steps")
    pipeline._validate_steps()


def _union_agrees(union: Any) -> None:
    _named(union.transformer_list, 2, "transformer_list")
    union._validate_transformers()
    union._validate_transformer_weights()


class _Transformers(Rule):
    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        _named(value, 3, name)
        if not all(_is_step(one, "fit", "transform") for _, one, _ in value):
            raise Violation(f"{name} holds something that does not transform")


class _Columns(Rule):
    """{name of a transformer: numbers of columns}."""

    def check(self, value: Any, name: str, sizes: Sizes) -> None:
        if type(value) is not dict or not all(type(places) is list for places in value.values()):
            raise Violation(f"{name} is no table of columns")
        if not all(type(j) is int and 0 <= j < sizes["d"] for places in value.values() for j in places):
            raise Violation(f"{name} names a column that is none of {sizes['d']}")


class _Slices(Rule):
    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if type(value) is not dict or not all(type(part) is slice for part in value.values()):
            raise Violation(f"{name} is no table of slices")


def _names_agree(pattern: Any) -> None:
    """A pattern of names may say where two names go, and nothing that fills a memory or looks into objects."""
    if type(pattern) is str:
        for _, field, spec, conversion in string.Formatter().parse(pattern):
            if field not in (None, "transformer_name", "feature_name") or spec or conversion:
                raise Violation(f"verbose_feature_names_out={pattern[:80]!r} asks for more than two names")


def _columns_agree(columns: Any) -> None:
    _named(columns.transformers, 3, "transformers")
    columns._validate_transformers()
    _names_agree(columns.verbose_feature_names_out)
    if not hasattr(columns, "transformers_"):
        return
    names = {name for name, _, _ in columns.transformers_}
    for table in (columns._transformer_to_input_indices, columns.output_indices_):
        if not names <= set(table):
            raise Violation(f"the columns of {sorted(names - set(table))} are missing")
    asked = [(name, found) for (name, _, _), found in zip(columns.transformers, columns._columns, strict=True)]
    taken = [(name, places) for name, _, places in columns.transformers_]
    if not _alike(taken[: len(asked)], asked) or {name for name, _ in taken[len(asked) :]} - {"remainder"}:
        raise Violation(f"the transformers {[name for name, _ in taken]} take other columns than they were told")
    named = getattr(columns, "feature_names_in_", None)
    if named is not None and len(set(named)) != len(named):
        raise Violation("two columns have one name")
    for name, places in taken:
        if type(places) is list and places:
            kind = type(places[0])
            chosen = columns._transformer_to_input_indices[name]
            if kind is str and (named is None or [*named[chosen]] != places):
                raise Violation(f"{name} takes the columns {places} and those at {chosen}")
            if kind is int and [j % columns.n_features_in_ for j in places] != chosen:
                raise Violation(f"{name} takes the columns {places} and those at {chosen}")


def _alike(a: Any, b: Any) -> bool:
    """Equal, in the same types."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and np.array_equal(a, b))
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(_alike, a, b))
    return bool(a == b)


def _with_found_columns(columns: Any) -> dict[str, Any]:
    """Functions that chose columns are replaced by what they chose."""
    params = columns.get_params(deep=False)
    if hasattr(columns, "_columns"):
        params["transformers"] = [
            (name, one, found if callable(asked) else asked)
            for (name, one, asked), found in zip(columns.transformers, columns._columns, strict=True)
        ]
    return params


PIPELINES: dict[str, Any] = {
    "sklearn.Pipeline": step("pipeline:Pipeline", {}, agree=_pipeline_agrees, fixed={"memory": None}),
    "sklearn.FeatureUnion": step("pipeline:FeatureUnion", {}, agree=_union_agrees),
    "sklearn.ColumnTransformer": step(
        "compose._column_transformer:ColumnTransformer",
        {
            "transformers_": _Transformers(),
            "_columns": Plain(list),
            "_remainder": Plain(tuple),
            "_transformer_to_input_indices": _Columns(),
            "sparse_output_": Plain(bool),
            "output_indices_": _Slices(),
            "_transformers_feature_names_out": Strings("out", optional=True),
        },
        agree=_columns_agree,
        params_of=_with_found_columns,
    ),
}
