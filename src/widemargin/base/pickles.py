"""What comes out of a pickle is looked over before it is used: its arrays go into native loops.

The table that says what an estimator may hold lies on an upper floor, since it knows all estimators. It is looked up by
name when the first pickle is read.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LookedOver:
    """Comes before BaseEstimator: an estimator that is unpickled or copied obeys the rules of model files."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[misc]
        import_module("widemargin.store.pickles").look_over(self)
