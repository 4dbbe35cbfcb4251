"""The long tests: every part runs even if an earlier one failed; a table of verdicts and times at the end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTEST = (sys.executable, "-m", "pytest", "-q", "-n", os.environ.get("JOBS", "2"))
PARTS = (
    # (name, command, environment)
    ("core tests", (sys.executable, "tools/cpp_tests.py", "plain"), {}),
    # All others are the same with the next part, and in `make test`.
    ("properties, many examples", (*PYTEST, "--hypothesis-profile", "full", "-m", "hypothesis", "tests"), {}),
    ("all tests, plain loops", (*PYTEST, "tests"), {"WIDEMARGIN_SIMD": "scalar"}),
    ("core, address and undefined behaviour", (sys.executable, "tools/cpp_tests.py", "asan"), {}),
    ("core, threads", (sys.executable, "tools/cpp_tests.py", "tsan"), {}),
    ("Python, address and undefined behaviour", (sys.executable, "tools/asan_python.py"), {}),
    ("core, aarch64", (sys.executable, "tools/cpp_tests.py", "arm"), {}),
)
ARM_TOOLS = ("aarch64-linux-gnu-g++", "qemu-aarch64")


def verdict(name: str, command: tuple[str, ...], environment: dict[str, str]) -> str:
    if name == "core, aarch64" and not all(shutil.which(tool) for tool in ARM_TOOLS):
        return "NOT RUN: needs Debian's g++-aarch64-linux-gnu and qemu-user"
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment})
    return "FAILED" if done.returncode else "passed"


def main() -> int:
    lines, failed = [], False
    for name, command, environment in PARTS:
        sys.stdout.write(f"\n==== {name}\n")
        sys.stdout.flush()
        began = time.monotonic()
        found = verdict(name, command, environment)
        failed |= found == "FAILED"
        lines.append(f"{name:<42} {time.monotonic() - began:6.0f} s   {found}\n")
    sys.stdout.write("\n")
    sys.stdout.writelines(lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
