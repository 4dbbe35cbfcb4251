"""The floors of the core, checked by include paths: a file may include its own floor and those below, never above.

Python's floors are import-linter's business (pyproject.toml).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

FLOORS = ("base", "data", "feature", "kernel", "loss", "model", "solver")  # lowest first
SIBLINGS = {("feature", "kernel"), ("kernel", "feature")}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
FOREIGN = re.compile(r"^(Python\.h|pybind11/|nanobind/|numpy/|omp\.h|iostream$|chrono$|ctime$|random$)")


def breaches(path: Path, root: Path) -> Iterator[str]:
    """One sentence for every include of `path` that climbs a floor or brings in what the core may not know."""
    floor = path.relative_to(root).parts[0]
    if floor not in FLOORS:
        yield f"{path}: core/{floor} is no known floor; add it to FLOORS in tools/check_includes.py"
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        quote, name = found.groups()
        if FOREIGN.match(name):
            yield f"{path}:{number}: the core may not include <{name}> (no Python, printing, clocks, random state)"
        if quote == "<":
            continue
        target = name.split("/")[0]
        if target not in FLOORS or not (root / name).exists():
            yield f'{path}:{number}: "{name}" is no file of the core; write the path from core/'
        elif FLOORS.index(target) > FLOORS.index(floor) or (floor, target) in SIBLINGS:
            yield f'{path}:{number}: core/{floor} may not see core/{target} ("{name}")'


def main(root: Path) -> int:
    found = [b for path in sorted(root.rglob("*.?pp")) for b in breaches(path, root)]
    sys.stderr.writelines(f"{b}\n" for b in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[1] / "core"))
