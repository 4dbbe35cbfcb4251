"""Training items that are not rows of numbers: labels and weights are read as for rows, the items stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import BadInput
from .labels import Labels, as_column, class_factors, encode_labels
from .rows import Scanned, Training, _some_weight, _weights


def read_items(
    items: Any, y: Any, sample_weight: Any = None, *, labels: Labels | None = None, class_weight: Any = None
) -> Training:
    """`items` has a length, `take` and `digest`; they become `X` of the training set. Items of weight 0 are absent."""
    y = as_column(y)
    if len(items) == 0:
        raise BadInput("there are no items: at least one of each of two classes is needed.")
    if len(items) != len(y):
        raise BadInput(f"there are {len(items)} items but {len(y)} labels: give one label an item.")
    weight = _weights(sample_weight, np.empty((len(items), 1)))
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
