"""NumPy's and SciPy's linear algebra on one thread.

Their threads spin while they wait: beside one other busy process, equations that take 6 ms took 800 (measured). And
sums cut by the number of threads would let results depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import threadpoolctl


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  (brings its own BLAS, which must be there to be found)

    return threadpoolctl.ThreadpoolController().select(user_api="blas")


_lock = Lock()
_inside = 0
_before: list[tuple[Any, int]] = []  # libraries that would use more threads, and how many


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """The limit holds for the process; calls from several threads share it, and the last one to leave lifts it."""
    global _inside
    with _lock:
        if _inside == 0:  # threadpoolctl's own limits ask for much else: more than small equations take
            _before[:] = [(one, n) for one in _controller().lib_controllers if (n := one.num_threads) != 1]
            for one, _ in _before:
                one.set_num_threads(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                for one, n in _before:
                    one.set_num_threads(n)
