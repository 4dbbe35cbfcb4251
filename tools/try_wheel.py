"""Builds sdist and wheel, looks inside, installs the wheel outside of the tree and tries it there.

The wheel is built from the sdist, so the sdist is whole.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
NEEDED = ("widemargin/py.typed", "widemargin/_core.pyi", "widemargin/data/bundled/LICENSES.md", "entry_points.txt")
LICENCES = ("LICENSE", "LICENSES.md")  # in the wheel's dist-info
TESTS = ("tests/common", "tests/base/test_threads.py", "tests/store", "tests/test_api.py", "tests/test_startup.py")
PIP = ("-m", "pip", "--disable-pip-version-check", "-q", "-q")
SMOKE = """
import pathlib, sys
import widemargin as wm
import widemargin._core
from sklearn.datasets import load_iris
assert pathlib.Path(wm.__file__).is_relative_to(sys.prefix), wm.__file__
assert pathlib.Path(wm._core.__file__).is_relative_to(sys.prefix), wm._core.__file__
X, y = load_iris(return_X_y=True)
assert wm.Perceptron().fit(X[:100], y[:100]).score(X[:100], y[:100]) == 1.0
"""


def build() -> Path:
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    hook = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", hook, str(DIST)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    sdist = next(DIST.glob("*.tar.gz"))
    env = {**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": os.environ.get("JOBS", "2")}
    wheel = (*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", str(DIST), str(sdist))
    subprocess.run([sys.executable, *wheel], check=True, env=env)
    return next(DIST.glob("*.whl"))


def missing(wheel: Path) -> list[str]:
    names = zipfile.ZipFile(wheel).namelist()
    absent = [n for n in NEEDED if not any(name.endswith(n) for name in names)]
    licences = [name for name in names if ".dist-info/licenses/" in name]
    absent += [n for n in LICENCES if not any(Path(name).name == n for name in licences)]
    return absent + [f"no {n} in a wheel" for n in names if n.startswith(("tests/", "core/", "bind/"))]


def try_outside(wheel: Path, folder: Path) -> int:
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    subprocess.run([python, *PIP, "install", f"{wheel}[test]"], check=True)
    subprocess.run([python, "-I", "-c", SMOKE], cwd=folder, check=True)
    shutil.copytree(ROOT / "tests", folder / "tests")
    shutil.copy(ROOT / "pyproject.toml", folder)
    tests = [t for t in TESTS if (folder / t).exists()]
    pytest = [python, "-m", "pytest", "-q", "-n", os.environ.get("JOBS", "2"), "-m", "not slow", *tests]
    return subprocess.run(pytest, cwd=folder).returncode


def main() -> int:
    wheel = build()
    absent = missing(wheel)
    if absent:
        sys.exit(f"{wheel.name} lacks {', '.join(absent)}")
    with tempfile.TemporaryDirectory() as folder:
        failed = try_outside(wheel, Path(folder))
    sizes = ", ".join(f"{p.name} ({p.stat().st_size / 1e6:.1f} MB)" for p in sorted(DIST.iterdir()))
    sys.stdout.write(f"{sizes}: {'FAILED' if failed else 'installed and tried outside of the tree'}\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
