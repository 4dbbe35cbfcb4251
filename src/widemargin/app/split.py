"""Rows set apart for the one last look; copies of a row are never parted."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import GroupKFold, train_test_split

from ..base.errors import BadInput
from ..study.group_folds import StratifiedGroups


def set_apart(y: np.ndarray, groups: np.ndarray, share: float, kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from and rows to test on; classes keep their shares as far as copies allow."""
    if not 0 < share < 1:
        raise BadInput(f"test={share!r}: a share of the rows above 0 and below 1 is needed")
    n = len(y)
    if n < 10:
        raise BadInput(f"{n} rows are too few to learn from some and test on others: at least 10 are needed")
    counts = np.unique(y, return_counts=True)[1] if kind == "classes" else np.array([n])
    if len(np.unique(groups)) == n:
        stratify = y if kind == "classes" and counts.min() >= 2 and round(share * n) >= len(counts) else None
        train, test = train_test_split(np.arange(n), test_size=share, random_state=seed, stratify=stratify)
        return np.sort(train), np.sort(test)
    folds = max(2, round(1 / share))
    stratified = kind == "classes" and counts.min() >= folds
    splitter = (StratifiedGroups if stratified else GroupKFold)(folds, shuffle=True, random_state=seed)
    train, test = next(splitter.split(np.zeros(n), y, groups))
    return train, test
