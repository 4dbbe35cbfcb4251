"""How much memory a fit may use for things that only save time."""

from __future__ import annotations

import os
import time
from pathlib import Path

MB = 1 << 20
MOST = 4096 * MB


def budget(cache_size: float | str = "auto") -> int:
    """Bytes for `cache_size` in MB; "auto" is a quarter of the memory available here, at most 4 GB.

    WIDEMARGIN_MEMORY (in MB) overrides both.
    """
    wish = os.environ.get("WIDEMARGIN_MEMORY", "")
    if wish.isdigit():
        return int(wish) * MB
    if cache_size != "auto":
        return int(float(cache_size) * MB)
    return min(_lately() // 4, MOST)


def _lately() -> int:
    """`available` of the last second: asking takes as long as a small fit."""
    global _known
    now = time.monotonic()
    if now - _known[0] > 1:
        _known = now, available()
    return _known[1]


_known = (float("-inf"), 0)


def available() -> int:
    """Bytes free for this process: the machine's, or what its control group leaves."""
    free = _from_meminfo()
    limit, used = (_number(f"/sys/fs/cgroup/memory.{name}") for name in ("max", "current"))
    if limit is not None and used is not None:
        free = min(free, max(limit - used, 0))
    return free


def _from_meminfo() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 4 * 1024 * MB


def _number(path: str) -> int | None:
    try:
        text = Path(path).read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
