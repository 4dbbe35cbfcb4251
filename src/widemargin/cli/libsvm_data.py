"""Data files as LIBSVM's programs take them: svmlight text; a precomputed kernel has serial numbers in column 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.base.errors import BadInput, MalformedFile
from widemargin.estimator.file_model import whole_labels


@dataclass(frozen=True)
class LibsvmData:
    """Rows, or their kernel values with the training rows in the order of the serial numbers; labels or targets."""

    X: Any
    y: np.ndarray

    def take(self, rows: np.ndarray, *, square: bool) -> LibsvmData:
        """Some rows; `square` where X is a matrix of kernel values among them all."""
        return LibsvmData(self.X[np.ix_(rows, rows)] if square else self.X[rows], self.y[rows])


def read_rows(path: str) -> LibsvmData:
    from widemargin.data import read_svmlight

    try:
        X, y = read_svmlight(path, zero_based=False)
    except MalformedFile as error:
        if "index 0" not in str(error):
            raise
        reason = "there is an index 0, where indices start at 1: 0 is for serial numbers, with -t 4"
        raise MalformedFile(reason, path=path, line=error.line) from None
    return LibsvmData(X, _some(y, path))


def read_values(path: str) -> tuple[LibsvmData, np.ndarray]:
    """Kernel values with the training rows 1, 2, …, and the serial number of each row."""
    from widemargin.data import read_svmlight

    X, y = read_svmlight(path, zero_based=True)
    _some(y, path)
    dense = X.toarray()
    numbers = dense[:, 0]
    bad = np.flatnonzero((numbers != np.floor(numbers)) | (np.diff(X.indptr) == 0))
    if bad.size:
        raise BadInput(f"{path}, row {bad[0] + 1}: with a precomputed kernel each line starts with 0:serial number")
    return LibsvmData(dense[:, 1:], y), numbers.astype(np.int64)


def training_values(path: str) -> tuple[LibsvmData, np.ndarray]:
    """The square matrix of kernel values among the rows, found by their serial numbers, and these."""
    data, numbers = read_values(path)
    n = data.X.shape[1]
    bad = np.flatnonzero((numbers < 1) | (numbers > n))
    if bad.size:
        raise BadInput(
            f"{path}, row {bad[0] + 1}: the serial number in column 0 is {numbers[bad[0]]}, but the kernel values are "
            f"numbered 1 to {n}"
        )
    return LibsvmData(data.X[:, numbers - 1], data.y), numbers


def labels_of(y: np.ndarray, path: str, program: str = "LIBSVM", numbers: str = "-s 3 or -s 4") -> np.ndarray:
    """Labels of classes: both programs know whole numbers only."""
    labels = whole_labels(y)
    if labels.dtype.kind != "i":
        raise BadInput(
            f"{path}: the label {y[y != np.floor(y)][0]:g} is no whole number, which {program}'s classes are: "
            f"use {numbers} for numbers"
        )
    return labels


def libsvm_order(labels: np.ndarray) -> np.ndarray:
    """Classes as LIBSVM orders them: as they are met, but +1 before -1."""
    classes, first = np.unique(labels, return_index=True)
    if classes.tolist() == [-1, 1]:
        return classes[::-1]
    return classes[np.argsort(first)]


def _some(y: np.ndarray, path: str) -> np.ndarray:
    if len(y) == 0:
        raise BadInput(f"{path} holds no rows")
    return y
