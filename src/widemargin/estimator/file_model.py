"""A model together with the way from a file to its rows: what the command line saves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from ..base.errors import BadInput
from ..data.encode import TableEncoder
from ..data.readers import check_choice
from ..data.svmlight import stream_svmlight
from ..data.table import stream_table

FORMATS = ("auto", "csv", "arff", "parquet", "svmlight")


@dataclass(frozen=True, eq=False)
class FileModel:
    """A fitted estimator and the coding of its files.

    Attributes
    ----------
    estimator : fitted estimator
    encoder : TableEncoder or None
        The coding of tables; None for a model learnt from an svmlight file.
    zero_based : bool
        Whether indices in svmlight files start at 0.
    """

    estimator: Any
    encoder: TableEncoder | None = None
    zero_based: bool = False

    def batches(
        self, source: Any, *, format: str = "auto", batch_rows: int = 10_000, training: bool = False, **dialect: Any
    ) -> Iterator[tuple[Any, np.ndarray | None]]:
        """(X, y) of a file in batches, coded as at training; y is None where the file has no target.

        Parameters
        ----------
        source : path, "-" or binary file object
        format : {"auto", "csv", "arff", "parquet", "svmlight"}
            "auto" is svmlight for a model learnt from such a file, otherwise told by the contents.
        batch_rows : int
            Rows in memory at a time.
        training : bool
            Leave rows out as training did (missing="drop"); otherwise every row must get its answer.
        **dialect
            `delimiter`, `header`, `encoding` of a table.
        """
        check_choice("format", format, FORMATS)
        if (self.encoder is None) != (format == "svmlight") and format != "auto":
            learnt = "an svmlight file" if self.encoder is None else "a table"
            raise BadInput(f"format={format!r}: the model was learnt from {learnt} and can read nothing else")
        if self.encoder is not None:
            yield from stream_table(
                source, encoder=self.encoder, batch_rows=batch_rows, drop_incomplete=training, format=format, **dialect
            )
            return
        d = self.estimator.n_features_in_
        for X, y in stream_svmlight(source, n_features=d, batch_rows=batch_rows, zero_based=self.zero_based):
            yield X, y if is_regressor(self.estimator) else whole_labels(y)


def whole_labels(y: np.ndarray) -> np.ndarray:
    """Labels of an svmlight file as integers where they are whole, so that 1.0 is called 1."""
    if np.isfinite(y).all() and (np.abs(y) < 2**53).all() and (y == np.floor(y)).all():
        return y.astype(np.int64)
    return y
