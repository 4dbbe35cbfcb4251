"""Builds and runs the tests of the core: cpp_tests.py plain | asan | tsan | arm.

The sanitizer jobs also run canaries, programs with one planted fault each; a job that does not catch its canaries is
blind and fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SYSROOT = "/usr/aarch64-linux-gnu"
QEMU = ("qemu-aarch64", "-L", SYSROOT)
ARM_PACKAGES = "g++-aarch64-linux-gnu qemu-user"  # of Debian


@dataclass(frozen=True)
class Kind:
    settings: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    runner: tuple[str, ...] = ()
    canaries: dict[str, str] = field(default_factory=dict)  # fault -> what the report must say
    needs: tuple[str, ...] = ()
    forks: bool = True  # whether the tool can follow threads made in a child of a process with threads


KINDS = {
    "plain": Kind(("-DCMAKE_BUILD_TYPE=Release",)),
    "asan": Kind(
        ("-DWIDEMARGIN_SANITIZE=address,undefined",),
        {"ASAN_OPTIONS": "detect_leaks=1", "UBSAN_OPTIONS": "print_stacktrace=1"},
        canaries={"oob": "heap-buffer-overflow", "ub": "signed integer overflow", "leak": "LeakSanitizer"},
    ),
    "tsan": Kind(
        ("-DWIDEMARGIN_SANITIZE=thread",),
        {"TSAN_OPTIONS": "halt_on_error=1"},
        forks=False,
        canaries={"race": "data race"},
    ),
    "arm": Kind(
        (
            "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_SYSTEM_NAME=Linux",
            "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
            "-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++",
        ),
        runner=QEMU,
        forks=False,
        needs=("aarch64-linux-gnu-g++", "qemu-aarch64"),
    ),
}


def run(*command: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=ROOT, check=False, **options)


def build(name: str, kind: Kind) -> Path:
    folder = ROOT / "build" / f"cpp-{name}"
    jobs = os.environ.get("JOBS", "2")
    configure = ("cmake", "-S", ".", "-B", str(folder), "-G", "Ninja", "-DWIDEMARGIN_CPP_TESTS=ON", *kind.settings)
    for command in (configure, ("cmake", "--build", str(folder), "-j", jobs)):
        done = run(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"{done.stdout}\n{name}: {' '.join(command[:2])} failed")
    return folder


def check_canaries(kind: Kind, folder: Path) -> list[str]:
    blind = []
    for fault, words in kind.canaries.items():
        done = run(*kind.runner, str(folder / "canary"), fault, capture_output=True, text=True)
        if done.returncode == 0 or words not in done.stderr:
            blind.append(f"the planted fault {fault!r} was not caught: exit {done.returncode}, {words!r} not reported")
    return blind


def main(name: str) -> int:
    kind = KINDS[name]
    os.environ.update(kind.environment)
    os.environ["PATH"] = sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"]
    missing = [tool for tool in kind.needs if shutil.which(tool) is None]
    if missing:
        sys.exit(f"{name}: {' and '.join(missing)} not found; on Debian: apt-get install {ARM_PACKAGES}")
    folder = build(name, kind)
    failed = run(*kind.runner, str(folder / "core_tests"), *(() if kind.forks else ("-forked",))).returncode != 0
    blind = check_canaries(kind, folder)
    for sentence in blind:
        sys.stderr.write(f"{name}: {sentence}\n")
    caught = f", {len(kind.canaries)} canaries caught" if kind.canaries and not blind else ""
    sys.stdout.write(f"{name}: {'FAILED' if failed or blind else 'passed'}{caught}\n")
    return 1 if failed or blind else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
