"""How many threads to use, and a crew of them for independent parts of a fit."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import Any, TypeVar

import joblib
import numpy as np
import threadpoolctl

from .. import _core
from .drive import Cancelled

MOST = 1024  # a model file may ask for any number
T = TypeVar("T")


class PoolController(threadpoolctl.LibController):
    """Our pool as threadpoolctl sees it: `threadpool_limits(2)` holds for every fit inside."""

    user_api = "widemargin"
    internal_api = "widemargin"
    filename_prefixes = ("_core",)
    check_symbols = ("widemargin_get_num_threads", "widemargin_set_num_threads")

    def get_num_threads(self) -> int:
        return _core.thread_limit() or _unlimited()

    def set_num_threads(self, num_threads: int) -> None:
        limit = 0 if num_threads >= _unlimited() else max(num_threads, 1)
        self.dynlib.widemargin_set_num_threads(limit)

    def get_version(self) -> None:
        return None


def _unlimited() -> int:
    """A limit as large as the machine is none: so threadpoolctl takes back what it set. 1 is one on any machine."""
    return max(joblib.cpu_count(), 2)


threadpoolctl.register(PoolController)


def _from_environment(name: str) -> int:
    """MOST where the environment says nothing."""
    text = os.environ.get(name, "")
    return (int(text) if text.isdigit() else 0) or MOST


def threads(n_jobs: int | None) -> int:
    """The number of threads for `n_jobs` as in scikit-learn: None is 1 outside of a joblib context, -1 is all.

    Never above MOST, WIDEMARGIN_NUM_THREADS or a limit set through threadpoolctl; "all" also obeys cgroups and
    OMP_NUM_THREADS, by which joblib tells its workers their share.
    """
    wanted = joblib.effective_n_jobs(n_jobs)
    if wanted == 1:
        return 1
    wanted = min(wanted, MOST, _from_environment("WIDEMARGIN_NUM_THREADS"), _core.thread_limit() or MOST)
    if n_jobs is None or n_jobs < 0:
        wanted = min(wanted, _from_environment("OMP_NUM_THREADS"))
    return max(1, wanted)


def crew(n_threads: int, work: Callable[[Any, Event], T], parts: Sequence[Any]) -> list[T]:
    """work(part, cancelled) for every part, on several threads; the results in order of the parts.

    The caller's thread works too, so a machine that gives no more threads only makes it slower. The first error, or
    Ctrl-C, stops all: `cancelled` is set, no part is begun any more, and it is raised when the others have ended.
    """
    cancelled = Event()
    results: dict[int, T] = {}
    errors: dict[int, BaseException] = {}
    waiting = deque(range(len(parts)))

    def labour() -> None:
        while not cancelled.is_set():
            try:
                i = waiting.popleft()  # one step, so no part is taken twice
            except IndexError:
                return
            try:
                results[i] = work(parts[i], cancelled)
            except BaseException as error:
                errors[i] = error
                cancelled.set()

    helpers: list[_Helper] = []
    try:
        _start(helpers, labour, min(n_threads, len(parts)) - 1)
        labour()
        _join(helpers)
    except BaseException:  # Ctrl-C between two parts, or while a helper begins
        cancelled.set()
        for helper in helpers:
            helper.go.set()
        _join(helpers)
        raise
    first = next((errors[i] for i in sorted(errors) if not isinstance(errors[i], Cancelled)), None)
    if first is not None:
        raise first
    return [results[i] for i in range(len(parts))]


RESERVE = 4 << 20  # bytes that a new thread may need before its first line of ours


class _Helper(Thread):
    """A thread that has all it needs before it begins.

    NumPy and others keep variables in each thread; the C library gets memory for them when they are first touched, and
    ends the process if there is none. So memory is set aside while the thread is made, let go, and taken up here.
    """

    def __init__(self, target: Callable[[], None]) -> None:
        super().__init__(name="widemargin", daemon=True)
        self._work = target
        self.go, self.ready = Event(), Event()

    def run(self) -> None:
        self.go.wait()
        try:
            _core.touch_thread()
            np.add(np.zeros(1), 1.0)
        except MemoryError:  # the others do the work
            return
        finally:
            self.ready.set()
        self._work()


def _start(helpers: list[_Helper], target: Callable[[], None], count: int) -> None:
    """Each is in the list before it runs: whoever is interrupted here can still stop and await them."""
    for _ in range(count):
        helper = _Helper(target)
        helpers.append(helper)
        try:
            reserve = bytearray(RESERVE)
            helper.start()
        except (RuntimeError, MemoryError):  # no more threads to be had
            break
        del reserve
        helper.go.set()
        helper.ready.wait()


def _join(helpers: Sequence[Thread]) -> None:
    for helper in helpers:
        while helper.is_alive():
            helper.join(0.1)  # a wait without end would not see Ctrl-C on every system
