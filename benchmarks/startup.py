"""How long does it take to start? CPU seconds of fresh processes, best of 20, interleaved.

Promised: `wm --help` at most 3 times `python -c pass`; `import widemargin` at most 1.3 times `import numpy`.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import sysconfig
from pathlib import Path

WM = str(Path(sysconfig.get_path("scripts")) / "wm")
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "wm --help": [WM, "--help"],
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import widemargin": [sys.executable, "-c", "import widemargin"],
    "widemargin.Perceptron": [sys.executable, "-c", "import widemargin; widemargin.Perceptron"],
}
PROMISES = (("wm --help", "python -c pass", 3.0), ("import widemargin", "import numpy", 1.3))


def cpu_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: int = 20) -> int:
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            best[name] = min(best[name], cpu_seconds(command))
    for name, seconds in best.items():
        print(f"{name:<24} {seconds * 1000:6.1f} ms")
    kept = True
    for name, base, most in PROMISES:
        ratio = best[name] / best[base]
        kept &= ratio <= most
        print(f"{name} / {base}: {ratio:.2f} (at most {most})")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
