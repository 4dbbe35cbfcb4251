"""Part of the Python tests against a core built with AddressSanitizer and UndefinedBehaviorSanitizer.

The stock interpreter is used with the sanitizer loaded before it. The instrumented package lives in a folder of its
own; an empty environment sees it and the usual one's other packages by PYTHONPATH, so that the editable install,
which would come first, is not seen at all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITE, VENV = ROOT / "build" / "asan-site", ROOT / "build" / "asan-venv"
TESTS = ("tests/common", "tests/data", "tests/estimator", "tests/base/test_threads.py", "tests/certificate")
CANARY = "import ctypes as c; new = c.CDLL(None).malloc; new.restype = c.c_void_p; c.memset(new(16), 0, 17)"


def library(name: str) -> str:
    return subprocess.check_output(["g++", f"-print-file-name={name}"], text=True).strip()


def build() -> None:
    flags = ["-C", "cmake.define.WIDEMARGIN_SANITIZE=address,undefined", "-C", "build-dir=build/asan-module"]
    flags += ["-C", "install.strip=false"]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q", "-q"]
    subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--upgrade", "--target", str(SITE), *flags, "."],
        cwd=ROOT,
        check=True,
        env={**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": os.environ.get("JOBS", "2")},
    )


def make_venv() -> None:
    if not VENV.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(VENV)], check=True)


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(SITE), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]),
        "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so')}",
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "PYTHONMALLOC": "malloc",
    }


def main() -> int:
    build()
    make_venv()
    core = next(SITE.glob("widemargin/_core*.so"))
    python, env = str(VENV / "bin" / "python"), environment()
    where = "import widemargin._core as core; print(core.__file__)"
    found = subprocess.run([python, "-c", where], env=env, cwd=ROOT, capture_output=True, text=True)
    if Path(found.stdout.strip()) != core or b"__asan_report" not in core.read_bytes():
        sys.exit(f"asan python: the instrumented core is not the one in use\n{found.stdout}{found.stderr}")
    canary = subprocess.run([python, "-c", CANARY], env=env, cwd=ROOT, capture_output=True, text=True)
    if "heap-buffer-overflow" not in canary.stderr:
        sys.exit(f"asan python: the planted fault was not caught\n{canary.stderr}")
    tests = [t for t in TESTS if (ROOT / t).exists()]
    pytest = [python, "-m", "pytest", "-q", "-n", os.environ.get("JOBS", "2"), "-m", "not slow", *tests]
    failed = subprocess.run(pytest, env=env, cwd=ROOT).returncode
    sys.stdout.write(f"asan python: {'FAILED' if failed else 'passed'}, 1 canary caught\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
