"""Learning from batches: one pass over each, going on from what was learnt before."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from ..base.drive import drive
from ..base.errors import BadInput
from ..base.records import Stop
from ..base.seeds import seed_from
from ..data.labels import Labels, as_column, encode_labels
from ..data.rows import Training
from ..solver.parts import PartsState


def _may_stream(self: Any) -> bool:
    if getattr(self, "early_stopping", False):
        raise AttributeError("partial_fit sees one batch at a time and cannot stop early: set early_stopping=False.")
    return True


def stream_labels(estimator: Any, classes: Any, first: bool) -> Labels:
    """The classes of a stream of batches: given at the first call, or known already."""
    if not first:
        if classes is not None and not np.array_equal(np.unique(as_column(classes)), estimator.classes_):
            raise BadInput(f"`classes={classes}` is not the same as on last call to partial_fit: {estimator.classes_}.")
        return Labels(estimator.classes_)
    if classes is None:
        raise BadInput("classes must be passed on the first call to partial_fit.")
    return encode_labels(as_column(classes))


class Streamed:
    """partial_fit for online learners. The order within a batch is keyed by its number: one stream, one result."""

    def _learn_batch(self, data: Training) -> None:
        stream = self._stream
        parts = self._batch_parts(data, stream["seed"] + stream["batches"])
        state: PartsState = parts.start()
        if stream["states"] is not None:
            for fresh, old in zip(state.states, stream["states"], strict=True):
                fresh.continue_from(old)
        number = stream["batches"] + 1
        stop, self.trace_ = drive(
            parts,
            state,
            last=1,
            explain=lambda _kind: Stop("epochs", f"batch {number} of a stream: one pass over {data.n} rows"),
            watch=self._watch(),
        )
        self._keep(state, stop)
        stream.update(rows=stream["rows"] + data.n, batches=number, states=[s.without_rows() for s in state.states])
        self.n_iter_ = number
        self.proof_: Any = None
        self.certificate_ = self._claim_little(None)

    def _batch_parts(self, data: Training, seed: int) -> Any:
        """What goes over a batch, once."""
        return self._parts(data, seed, None, patience=0)

    def _begin_stream(self) -> bool:
        """True at the first batch; a fit before it is where the stream starts."""
        if hasattr(self, "_stream"):
            return False
        self._stream: dict[str, Any] = {
            "rows": 0,
            "batches": 0,
            "seed": seed_from(self.random_state),
            "states": None,
            "digest": 0,
        }
        return True


class StreamedClassifier(Streamed):
    @available_if(_may_stream)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None):
        """One pass over a batch, going on from what was learnt before.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All labels that will ever come; needed at the first call only.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._validate_params()
        if isinstance(self.class_weight, str):
            raise BadInput("class_weight='balanced' needs all data at once: give partial_fit a dictionary instead.")
        first = not hasattr(self, "classes_")
        labels = stream_labels(self, classes, first)
        rows_before = self._stream["rows"] if hasattr(self, "_stream") else 0
        data = self._read(X, y, sample_weight, labels=labels, reset=first, first=rows_before)
        self.classes_ = labels.classes
        self._begin_stream()
        self._learn_batch(data)
        return self


class StreamedRegressor(Streamed):
    @available_if(_may_stream)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None):
        """One pass over a batch, going on from what was learnt before.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._validate_params()
        first = not hasattr(self, "n_features_in_")
        rows_before = self._stream["rows"] if hasattr(self, "_stream") else 0
        data = self._read(X, y, sample_weight, reset=first, first=rows_before)
        self._begin_stream()
        self._learn_batch(data)
        return self
