"""Where SciPy keeps the routine of LAPACK that the core calls: the core brings none of its own."""

from __future__ import annotations

from functools import cache
from typing import Any

from .. import _core


@cache
def dsysv() -> Any:
    """SciPy's capsule of dsysv, or None if its integers are not those that the core knows."""
    from scipy.linalg import cython_lapack

    capsule = cython_lapack.__pyx_capi__["dsysv"]
    return capsule if _core.is_dsysv(capsule) else None
