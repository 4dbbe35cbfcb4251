"""How much memory does Pegasos take on a file of 2 GB that it reads in batches?

Rows: text-like, 100,000 features, 60 non-zeros a row, columns by Zipf's law, labels by a hidden plane with some noise;
a block of rows is written again and again until the svmlight file is large enough. It lies in a temporary folder and
goes when the question is answered. Measured: peak of the resident set of `wm train --stream` in a process of its own,
its seconds and what it learnt. Asked: at most 300 MB.

    python benchmarks/stream_memory.py [GB] [model ...]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).parent))
from voted_memory import text_like

import widemargin as wm

RESULTS = Path(__file__).parent / "results" / "stream_memory.json"
ASKED = 300e6


def write_file(path: Path, size: float) -> int:
    """Rows written."""
    X, y = text_like(n=40_000)
    block = path.with_suffix(".block")
    wm.data.write_svmlight(X, np.where(y, 1, -1), block)
    text, rows = block.read_bytes(), 0
    block.unlink()
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(text)
            rows += len(y)
    return rows


def measured(path: Path, model: str) -> dict[str, Any]:
    """One pass in a process of its own, watched from here every 20 ms."""
    command = [sys.executable, "-m", "widemargin", "train", str(path), "--model", model, "--stream", "--json"]
    command += ["--classes=-1,1", "--n-features", "100000", "--threads", "1"]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    watched, peak, cpu = psutil.Process(process.pid), 0, 0.0
    while process.poll() is None:
        try:
            peak = max(peak, watched.memory_info().rss)
            cpu = sum(watched.cpu_times()[:2])
        except psutil.NoSuchProcess:
            break
        time.sleep(0.02)
    said = json.loads(process.communicate()[0])
    return {
        "peak_MB": round(peak / 1e6, 1),
        "seconds": round(time.perf_counter() - began, 1),
        "cpu_s": round(cpu, 1),
        "rows": said["rows"],
        "training_error": said["training_error"],
        "stopped": said["stop_reason"],
    }


def main() -> int:
    size = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    found: dict[str, Any] = {"cpu_count": os.cpu_count()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.svm"
        found |= {"rows": write_file(path, size * 1e9), "file_GB": round(path.stat().st_size / 1e9, 3)}
        for model in sys.argv[2:] or ["pegasos", "sgd"]:
            found[model] = measured(path, model)
            print(model, found[model], flush=True)
    if size >= 2:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    over = [name for name, row in found.items() if isinstance(row, dict) and row["peak_MB"] > ASKED / 1e6]
    print(
        f"a file of {found['file_GB']} GB; " + (f"above {ASKED / 1e6:.0f} MB: {over}" if over else "all below 300 MB")
    )
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
