"""A `TableEncoder` as plain data and back. Whatever comes from a file is checked before it is believed."""

from __future__ import annotations

import math
from typing import Any

from widemargin.base.errors import BadInput
from widemargin.data.encode import ColumnCode, TableEncoder

VERSION = 1
_KEYS = {
    "version": int,
    "columns": list,
    "source_columns": list,
    "target": (str, type(None)),
    "target_kind": (str, type(None)),
    "header": bool,
    "missing": str,
    "missing_values": list,
    "decimal": str,
    "quote": (str, type(None)),
    "sparse": bool,
}
_COLUMN_KEYS = {
    "name": str,
    "kind": str,
    "coding": str,
    "categories": list,
    "fill": (str, float, int, type(None)),
}
MISSING = ("error", "mean", "median", "keep", "drop")


def encoder_to_dict(encoder: TableEncoder) -> dict[str, Any]:
    return {
        "version": VERSION,
        "columns": [
            {
                "name": column.name,
                "kind": column.kind,
                "coding": column.coding,
                "categories": list(column.categories),
                "fill": column.fill,
            }
            for column in encoder.columns
        ],
        "source_columns": list(encoder.source_columns),
        "target": encoder.target,
        "target_kind": encoder.target_kind,
        "header": encoder.header,
        "missing": encoder.missing,
        "missing_values": list(encoder.missing_values),
        "decimal": encoder.decimal,
        "quote": encoder.quote,
        "sparse": encoder.sparse,
    }


def encoder_from_dict(plain: Any) -> TableEncoder:
    _check_keys(plain, _KEYS, "the encoder")
    _need(plain["version"] == VERSION, f"it has version {plain['version']}, this release reads version {VERSION}")
    _need(plain["missing"] in MISSING, f"missing={plain['missing']!r}")
    _need(plain["decimal"] in (".", ","), f"decimal={plain['decimal']!r}")
    _need(plain["quote"] is None or len(plain["quote"]) == 1, f"quote={plain['quote']!r}")
    columns = tuple(_column(column) for column in plain["columns"])
    source = _strings(plain["source_columns"], "source_columns")
    names = [column.name for column in columns]
    _need(len(columns) > 0, "it has no columns")
    _need(len(columns) == 1 or all(c.kind != "text" for c in columns), "a column of text stands beside others")
    _need(len(set(names)) == len(names) and len(set(source)) == len(source), "a column is named twice")
    _need(set(names) <= set(source), "a coded column is not among the source columns")
    target, kind = plain["target"], plain["target_kind"]
    _need((target is None) == (kind is None), f"target={target!r} with target_kind={kind!r}")
    _need(kind in (None, "number", "text", "bool"), f"target_kind={kind!r}")
    _need(target is None or (target in source and target not in names), f"the target {target!r} is not a source column")
    return TableEncoder(
        columns,
        source,
        target,
        kind,
        plain["header"],
        plain["missing"],
        _strings(plain["missing_values"], "missing_values"),
        plain["decimal"],
        plain["quote"],
        plain["sparse"],
    )


def _column(plain: Any) -> ColumnCode:
    _check_keys(plain, _COLUMN_KEYS, "a column")
    name, kind, coding, fill = plain["name"], plain["kind"], plain["coding"], plain["fill"]
    categories = _strings(plain["categories"], f"the categories of {name!r}")
    known = {"number": ("number",), "category": ("onehot", "ordinal"), "text": ("text",)}
    _need(coding in known.get(kind, ()), f"column {name!r} is a {kind!r} coded as {coding!r}")
    _need(len(set(categories)) == len(categories), f"column {name!r} has a category twice")
    if kind == "text":
        _need(not categories and fill is None, f"the column of text {name!r} has categories or a fill value")
        return ColumnCode(name, kind, coding)
    if kind == "number":
        _need(not categories, f"the numeric column {name!r} has categories")
        is_number = isinstance(fill, (int, float)) and not isinstance(fill, bool) and math.isfinite(fill)
        _need(fill is None or is_number, f"the fill value of column {name!r} is {fill!r}")
        return ColumnCode(name, kind, coding, (), None if fill is None else float(fill))
    _need(len(categories) > 0, f"column {name!r} has no categories")
    _need(fill is None or fill in categories, f"the fill value of column {name!r} is {fill!r}, no category of it")
    return ColumnCode(name, kind, coding, categories, fill)


def _check_keys(plain: Any, keys: dict[str, Any], what: str) -> None:
    _need(isinstance(plain, dict), f"{what} is a {type(plain).__name__}, not a dictionary")
    _need(set(plain) == set(keys), f"{what} has the entries {sorted(map(str, plain))}, not {sorted(keys)}")
    for key, kind in keys.items():
        value = plain[key]
        fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        _need(fits, f"the entry {key!r} of {what} is {value!r:.60}")


def _strings(values: list[Any], what: str) -> tuple[str, ...]:
    _need(all(isinstance(value, str) for value in values), f"{what} are not all strings")
    return tuple(values)


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise BadInput(f"not a table encoder: {what}")
