"""The one adapter to scikit-learn's callbacks (experimental there: its names are used in this file only)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # a scikit-learn without callbacks: fit works, set_callbacks does not exist

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method):
        return method


__all__ = ["CallbackSupportMixin", "EpochTasks", "with_callbacks"]


class EpochTasks:
    """Tells callbacks of every epoch; each may ask to stop. Costs nothing where there are none."""

    def __init__(self, estimator: Any, X: Any, y: Any, n_epochs: int) -> None:
        self.active = bool(getattr(estimator, "_skl_callbacks", None))
        self.estimator, self.X, self.y = estimator, X, y
        if self.active:
            self.root = estimator._init_callback_context(max_subtasks=n_epochs)
            self.root.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
            self._begin()

    def _begin(self) -> None:
        self.task = self.root.subcontext(task_name="epoch")
        self.task.call_on_fit_task_begin(estimator=self.estimator, X=self.X, y=self.y)

    def epoch_done(self, fitted: Callable[[], dict[str, Any]]) -> bool:
        """`fitted` gives the attributes of an estimator that can predict as of now; True = stop."""
        stop = self.task.call_on_fit_task_end(
            estimator=self.estimator, X=self.X, y=self.y, reconstruction_attributes=fitted
        )
        if not stop:
            self._begin()
        return bool(stop)

    def close(self, fitted: Callable[[], dict[str, Any]]) -> None:
        if self.active:
            self.root.call_on_fit_task_end(
                estimator=self.estimator, X=self.X, y=self.y, reconstruction_attributes=fitted
            )
