"""The shape of the house: lengths of files and functions, and words that may not occur."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FILE_LINES, FUNCTION_LINES, COLUMNS = 400, 60, 120
NAMES = {"utils", "util", "misc", "common", "helper", "helpers"}  # say nothing about what is inside
PYTHON, CPP, BUILD = {".py"}, {".cpp", ".hpp"}, {"CMakeLists.txt", "pyproject.toml", "Makefile"}
FORBIDDEN = (
    # (where, pattern, why)
    ({"src", "core", "bind"}, re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "finish it or open an issue"),
    (
        {"core", "bind", "src"},
        re.compile(r"#\s*pragma\s+omp|\bomp_\w+\s*\(|<omp\.h>|fopenmp"),
        "no OpenMP: base/parallel",
    ),
    ({"core", "bind"}, re.compile(r"\bstd::(cout|cerr|printf)|\bf?printf\s*\("), "the core prints nothing"),
    (
        {"core"},
        re.compile(r"\bgetenv\b|\bstd::(random_device|mt19937)"),
        "the core reads no environment, owns no chance",
    ),
    ({"src", "core", "bind", "."}, re.compile(r"-ffast-math|-Ofast|-funsafe-math"), "only for a file of its own"),
)
FAST_MATH_FILE = re.compile(r"set_source_files_properties\(\s*core/\w+/\w+_fast\.cpp\b")


def files(root: Path) -> list[Path]:
    rooms = [p for room in ("src", "core", "bind") for p in sorted((root / room).rglob("*"))]
    return [p for p in rooms if p.suffix in PYTHON | CPP] + [root / name for name in sorted(BUILD)]


def python_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """(name, line, lines of code): the docstring of a public function may be as long as it has to be."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        length = node.end_lineno - node.lineno + 1
        if ast.get_docstring(node, clean=False) is not None:
            length -= node.body[0].end_lineno - node.body[0].lineno + 1
        yield node.name, node.lineno, length


def cpp_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """Blocks that close at the margin or inside a class, from the line of the same depth before."""
    lines = text.splitlines()
    for end, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        if line.strip() != "}" or depth > 2:
            continue
        for begin in range(end - 1, -1, -1):
            head = lines[begin]
            if head[:depth].strip() or (head[depth : depth + 1].strip() and head[depth] not in "}#/"):
                yield head.strip()[:60], begin + 1, end - begin + 1
                break


def breaches(path: Path, root: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    room = path.relative_to(root).parts[0] if path.parent != root else "."
    if path.suffix in PYTHON | CPP:
        if len(lines) > FILE_LINES:
            yield f"{path}: {len(lines)} lines, at most {FILE_LINES}: split it by what it is about"
        if path.stem in NAMES:
            yield f"{path}: name the file after what is inside"
        functions = python_functions(text) if path.suffix in PYTHON else cpp_functions(text)
        for name, line, length in functions:
            if length > FUNCTION_LINES:
                yield f"{path}:{line}: {name} has {length} lines, at most {FUNCTION_LINES}"
    for number, line in enumerate(lines, 1):
        if path.suffix in CPP and len(line) > COLUMNS:
            yield f"{path}:{number}: {len(line)} columns, at most {COLUMNS}"
        for rooms, pattern, why in FORBIDDEN:
            if room in rooms and pattern.search(line) and not FAST_MATH_FILE.search(line):
                yield f"{path}:{number}: {pattern.search(line).group()!r}: {why}"


def main(root: Path) -> int:
    found = [b for path in files(root) for b in breaches(path, root)]
    sys.stderr.writelines(f"{b}\n" for b in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[1]))
