"""Memory that one fit leaves to the next.

glibc hands freed memory back to the system page by page, and asks for it anew, until a larger piece than those in use
has been freed once: its thresholds follow the largest that it saw, up to 32 MB. A short fit whose arrays go and come
that way spends a tenth of its time on fresh pages.
"""

from __future__ import annotations

from functools import cache

import numpy as np

LARGE = 31 << 20


@cache
def keep_freed_memory() -> None:
    """As if an array of 31 MB had been used and freed; its pages are never touched. Elsewhere it does nothing."""
    np.empty(LARGE, np.uint8)
