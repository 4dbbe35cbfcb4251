"""The command line `wm`: nothing is imported here before it is known what was asked for."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code; `wm --help` lists both."""
    from .root import answer

    return answer(sys.argv[1:] if argv is None else list(argv))
