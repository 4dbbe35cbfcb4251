"""How many threads to use, and a crew of them for independent parts of a fit."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Event
from typing import Any, TypeVar

import joblib
import threadpoolctl

from .. import _core

T = TypeVar("T")


class PoolController(threadpoolctl.LibController):
    """Our pool as threadpoolctl sees it: `threadpool_limits(2)` holds for every fit inside."""

    user_api = "widemargin"
    internal_api = "widemargin"
    filename_prefixes = ("_core",)
    check_symbols = ("widemargin_get_num_threads", "widemargin_set_num_threads")

    def get_num_threads(self) -> int:
        return _core.thread_limit() or joblib.cpu_count()

    def set_num_threads(self, num_threads: int) -> None:
        # A limit as large as the machine is none: so threadpoolctl takes back what it set.
        limit = 0 if num_threads >= max(joblib.cpu_count(), 2) else max(num_threads, 1)
        self.dynlib.widemargin_set_num_threads(limit)

    def get_version(self) -> None:
        return None


threadpoolctl.register(PoolController)


def _from_environment(name: str) -> int | None:
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() and int(text) > 0 else None


def threads(n_jobs: int | None) -> int:
    """The number of threads for `n_jobs` as in scikit-learn: None is 1 outside of a joblib context, -1 is all.

    Never above WIDEMARGIN_NUM_THREADS or a limit set through threadpoolctl; "all" also obeys cgroups and
    OMP_NUM_THREADS, by which joblib tells its workers their share.
    """
    wanted = joblib.effective_n_jobs(n_jobs)
    limits = [_from_environment("WIDEMARGIN_NUM_THREADS"), _core.thread_limit() or None]
    if n_jobs is None or n_jobs < 0:
        limits.append(_from_environment("OMP_NUM_THREADS"))
    return max(1, min([wanted, *(limit for limit in limits if limit is not None)]))


def crew(n_threads: int, work: Callable[[Any, Event], T], parts: Sequence[Any]) -> list[T]:
    """work(part, cancelled) for every part, in order, on several threads; Ctrl-C and the first error stop all."""
    cancelled = Event()
    if n_threads == 1 or len(parts) < 2:
        return [work(part, cancelled) for part in parts]
    with ThreadPoolExecutor(min(n_threads, len(parts))) as pool:
        futures = [pool.submit(work, part, cancelled) for part in parts]
        try:
            # Short waits: a thread blocked without end would not see Ctrl-C on every system.
            while wait(futures, timeout=0.1, return_when=FIRST_EXCEPTION).not_done:
                if any(f.done() and f.exception() for f in futures):
                    break
        finally:
            cancelled.set() if any(not f.done() for f in futures) else None
            for f in futures:
                f.cancel()
    errors = [f.exception() for f in futures if not f.cancelled() and f.exception()]
    from .drive import Cancelled

    first = next((e for e in errors if not isinstance(e, Cancelled)), None)
    if first is not None:
        raise first
    return [f.result() for f in futures]
