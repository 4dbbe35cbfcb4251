"""Training items that are not rows of numbers: labels and weights are read as for rows, the items stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import BadInput
from .labels import Labels, as_column, as_numbers, class_factors, encode_labels
from .rows import Scanned, Training, _some_weight, _weights


def read_items(
    items: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    labels: Labels | None = None,
    class_weight: Any = None,
    regression: bool = False,
) -> Training:
    """`items` has a length, `take` and `digest`; they become `X` of the training set. Items of weight 0 are absent."""
    y = as_column(y)
    if len(items) == 0:
        raise BadInput("there are no items: at least one is needed, and one of each class where there are classes.")
    if len(items) != len(y):
        raise BadInput(f"there are {len(items)} items but {len(y)} labels: give one label an item.")
    weight = _weights(sample_weight, np.empty((len(items), 1)))
    if regression:
        labels, codes = Labels(np.empty(0)), as_numbers(y)
    else:
        labels = labels or encode_labels(y)
        codes = labels.encode(y)
    if class_weight is not None:
        factors = class_factors(class_weight, labels, codes, weight)[codes]
        weight = _some_weight(factors if weight is None else factors * weight)
    kept = None
    if weight is not None and (weight == 0).any():
        kept = np.flatnonzero(weight > 0)
        items, codes, weight = items.take(kept), codes[kept], weight[kept]
    if weight is not None and (weight == 1).all():
        weight = None
    seen = Scanned(int(items.digest, 16), np.nan)
    return Training(items, None, codes, weight, labels, seen, kept)  # type: ignore[arg-type]
