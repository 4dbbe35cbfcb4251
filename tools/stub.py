"""Is src/widemargin/_core.pyi what the built core says? `--write` makes it so (make stub)."""

from __future__ import annotations

import sys
from pathlib import Path

from nanobind.stubgen import StubGen

import widemargin._core

STUB = Path(__file__).resolve().parents[1] / "src/widemargin/_core.pyi"


def generated() -> str:
    generator = StubGen(widemargin._core, quiet=True)
    generator.put(widemargin._core)
    return generator.get()


def main(write: bool) -> int:
    text = generated()
    if STUB.exists() and STUB.read_text(encoding="utf-8") == text:
        return 0
    if write:
        STUB.write_text(text, encoding="utf-8")
        return 0
    sys.stderr.write(f"{STUB} is not current: run make stub and commit it\n")
    return 1


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv[1:]))
