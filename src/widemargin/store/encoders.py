"""Table encoders as stored objects: arrays with an entry a column, so that the header of a wide table stays small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import BadInput
from .objects import ObjectSpec
from .rules import Array, Plain, Sizes
from .values import Violation

if TYPE_CHECKING:
    from ..data.encode import TableEncoder

_CODINGS = ("number", "onehot", "ordinal", "text")
_KINDS = ("number", "category", "category", "text")


class _Names(Plain):
    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if type(value) is not list or not all(type(item) is str for item in value):
            raise Violation(f"{name} is no list of names")


def _fields(encoder: TableEncoder) -> dict[str, Any]:
    plain = encoder.to_dict()
    columns = plain.pop("columns")
    plain.pop("version")
    return {
        **plain,
        "names": [column["name"] for column in columns],
        "coding": np.array([_CODINGS.index(column["coding"]) for column in columns], np.int8),
        "categories": [category for column in columns for category in column["categories"]],
        "n_categories": np.array([len(column["categories"]) for column in columns], np.int64),
        "fill": np.array([_fill_number(column) for column in columns], np.float64),
    }


def _fill_number(column: dict[str, Any]) -> float:
    """NaN for none; the number of a category for a category."""
    fill = column["fill"]
    if fill is None:
        return np.nan
    return float(column["categories"].index(fill) if isinstance(fill, str) else fill)


def _make(cls: Any, values: dict[str, Any]) -> TableEncoder:
    counts, names = values["n_categories"].tolist(), values["names"]
    if len(names) != len(counts) or sum(counts) != len(values["categories"]):
        raise Violation(f"{len(counts)} columns and {sum(counts)} categories are due, the lists have other lengths")
    columns, at = [], 0
    for name, code, count, fill in zip(names, values["coding"], counts, values["fill"].tolist(), strict=True):
        categories = values["categories"][at : at + count]
        at += count
        columns.append(
            {
                "name": name,
                "kind": _KINDS[code],
                "coding": _CODINGS[code],
                "categories": categories,
                "fill": _fill_value(fill, categories, number=code == 0),
            }
        )
    own = ("names", "coding", "categories", "n_categories", "fill")
    rest = {key: value for key, value in values.items() if key not in own}
    try:
        return cls.from_dict({"version": 1, "columns": columns, **rest})
    except BadInput as error:
        raise Violation(str(error)) from error


def _fill_value(fill: float, categories: list[str], *, number: bool) -> float | str | None:
    if np.isnan(fill):
        return None
    if number:
        return fill
    if fill != int(fill) or not 0 <= fill < len(categories):
        raise Violation(f"a fill value is category {fill} of {len(categories)}")
    return categories[int(fill)]


ENCODER = ObjectSpec(
    "widemargin.data.encode:TableEncoder",
    1,
    _fields,
    _make,
    {
        "names": _Names(),
        "coding": Array("i1", ("c",), low=0, below=len(_CODINGS)),
        "categories": _Names(),
        "n_categories": Array("i8", ("c",), low=0, below=2**31),
        "fill": Array("f8", ("c",), finite=False),
        "source_columns": _Names(),
        "target": Plain(str, optional=True),
        "target_kind": Plain(str, optional=True),
        "header": Plain(bool),
        "missing": Plain(str),
        "missing_values": _Names(),
        "decimal": Plain(str),
        "quote": Plain(str, optional=True),
        "sparse": Plain(bool),
    },
)
