"""A fit succeeds as a whole, or the model stays what it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any


def whole_or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
    """`fit` that leaves the estimator as it was where it fails.

    What Ctrl-C leaves behind is a model if it has a certificate, and a warning that was made an error tells of one.
    """

    @wraps(fit)
    def guarded(self: Any, *args: Any, **options: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **options)
        except BaseException as error:
            learnt = vars(self).get("certificate_") is not before.get("certificate_")
            if not (learnt and isinstance(error, KeyboardInterrupt | Warning)):
                vars(self).clear()
                vars(self).update(before)
            raise

    return guarded
