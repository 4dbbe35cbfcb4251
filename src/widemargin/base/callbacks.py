"""The one adapter to scikit-learn's callbacks (experimental there: its names are used in this file only)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # a scikit-learn without callbacks: fit works, set_callbacks does not exist

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method):
        return method


__all__ = ["CallbackSupportMixin", "EpochTasks", "hand_on_callbacks", "with_callbacks", "without_callbacks"]


def without_callbacks(estimator: Any) -> Any:
    """A clone has those of its original: not where nobody should look on."""
    vars(estimator).pop("_skl_callbacks", None)
    return estimator


def hand_on_callbacks(estimator: Any, inner: Any) -> None:
    """What looks at the estimator looks at a fit inside of it."""
    callbacks = getattr(estimator, "_skl_callbacks", None)
    if callbacks:
        inner.set_callbacks(*callbacks)


class EpochTasks:
    """Tells callbacks of every epoch; each may ask to stop. Costs nothing where there are none.

    `data` has the rows `X` and their labels or numbers `targets`; `n_epochs` is None where nobody knows.
    """

    def __init__(self, estimator: Any, data: Any, n_epochs: int | None) -> None:
        self.active = bool(getattr(estimator, "_skl_callbacks", None))
        self.estimator, self.left = estimator, math.inf if n_epochs is None else n_epochs
        self.task: Any = None
        if self.active:
            self.rows = {"X": data.X, "y": data.targets}
            self.root = estimator._init_callback_context(max_subtasks=n_epochs)
            self.root.call_on_fit_task_begin(estimator=estimator, **self.rows)
            self._begin()

    def _begin(self) -> None:
        if self.left > 0:  # scikit-learn refuses more subtasks than were announced
            self.left -= 1
            self.task = self.root.subcontext(task_name="epoch")
            self.task.call_on_fit_task_begin(estimator=self.estimator, **self.rows)

    def epoch_done(self, fitted: Callable[[], dict[str, Any]]) -> bool:
        """`fitted` gives the attributes of an estimator that can predict as of now; True = stop."""
        task, self.task = self.task, None
        stop = task is not None and self._end(task, fitted)
        if not stop:
            self._begin()
        return stop

    def close(self, fitted: Callable[[], dict[str, Any]]) -> None:
        """The fit has ended: so have its last epoch, unless that was told already, and the whole."""
        if self.active:
            if self.task is not None:
                self._end(self.task, fitted)
            self._end(self.root, fitted)

    def _end(self, task: Any, fitted: Callable[[], dict[str, Any]]) -> bool:
        stop = task.call_on_fit_task_end(estimator=self.estimator, reconstruction_attributes=fitted, **self.rows)
        return bool(stop)
