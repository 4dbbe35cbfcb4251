"""How fast is read_svmlight on one core, against every other reader of the format that installs?

CPU seconds with one thread, best of five calls in one process (fewer for a reader that needs more than PATIENCE).
The first call in a process also pays for memory that the machine has not given out before; the best does not. Two files
of 200 MB: a9a repeated (short entries, index:1) and random rows with six-digit decimals.

WIDEMARGIN_DATA   directory with a9a/train.svm.xz; without it there is nothing to measure
WIDEMARGIN_PEERS  a Python that has the peers (`make bench` makes one); without it this one is used, and peers that it
                  lacks are left out

Found on PyPI and not measured: libsvm-official (the same reader as liblinear-official), mxnet (its import fails with
the NumPy that pip chooses for it).
"""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SIZE = 200_000_000
CALLS = 5
PATIENCE = float(os.environ.get("WIDEMARGIN_PATIENCE", "90"))  # CPU seconds
RESULTS = Path(__file__).parent / "results" / "svmlight.json"


def ours(path: str) -> Any:
    from widemargin.data import read_svmlight

    return read_svmlight(path)


def scikit_learn(path: str) -> Any:
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(path)


def lightgbm(path: str) -> Any:  # also sorts the values into bins
    import lightgbm

    return lightgbm.Dataset(path, params={"num_threads": 1, "verbose": -1}).construct()


def xgboost(path: str) -> Any:
    import xgboost

    return xgboost.DMatrix(f"{path}?format=libsvm", nthread=1)


def catboost(path: str) -> Any:
    import catboost

    return catboost.Pool(f"libsvm://{path}", thread_count=1)


def snapml(path: str) -> Any:
    from snapml.Loaders import load_from_svmlight_format

    return load_from_svmlight_format(path, num_chunks=1)


def svmloader(path: str) -> Any:
    from svmloader import load_svmfile

    return load_svmfile(path)


def svmlight_loader(path: str) -> Any:
    import svmlight_loader

    with open(path, "rb") as file:
        return svmlight_loader.regression_from_lines(file)


def liblinear(path: str) -> Any:
    from liblinear.commonutil import svm_read_problem

    return svm_read_problem(path, return_scipy=True)


PEERS = (scikit_learn, lightgbm, xgboost, catboost, snapml, svmloader, svmlight_loader, liblinear)
READERS = {reader.__name__: reader for reader in (ours, *PEERS)}


def measure_here(name: str, small: str, path: str) -> None:
    """CPU seconds of each call; a small file first, so that imports are not counted."""
    READERS[name](small)
    seconds: list[float] = []
    while len(seconds) < CALLS and sum(seconds) < PATIENCE:
        start = time.process_time()
        data = READERS[name](path)
        seconds.append(time.process_time() - start)
        del data
    print(json.dumps(seconds))


def measure(name: str, small: str, path: str) -> list[float]:
    """Empty if the reader is not there or fails."""
    python = sys.executable if name == "ours" else os.environ.get("WIDEMARGIN_PEERS", sys.executable)
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "WIDEMARGIN_NUM_THREADS"), "1")
    command = [python, "-W", "ignore", __file__, name, small, path]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | one, check=False)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else []


def decimals(n: int) -> bytes:
    import numpy as np

    rng = np.random.default_rng(0)
    rows = []
    for _ in range(n):
        columns = np.sort(rng.choice(100_000, 40, replace=False)) + 1
        entries = (f"{j}:{x:.6g}" for j, x in zip(columns.tolist(), rng.normal(size=40).tolist(), strict=True))
        rows.append(f"{rng.choice([-1, 1])} {' '.join(entries)}\n")
    return "".join(rows).encode()


def race(small: str, path: str) -> dict[str, list[float]]:
    seconds = {name: measure(name, small, path) for name in READERS}
    return {name: runs for name, runs in seconds.items() if runs}


def table(title: str, size: int, seconds: dict[str, list[float]]) -> dict[str, Any]:
    mine = min(seconds["ours"])
    print(f"\n{title}, {size / 1e6:.0f} MB\n{'reader':<18}{'CPU s':>8}{'MB/s':>8}{'runs':>6}{'ours is':>10}")
    for name, runs in sorted(seconds.items(), key=lambda item: min(item[1])):
        best = min(runs)
        print(f"{name:<18}{best:>8.3f}{size / best / 1e6:>8.0f}{len(runs):>6}{best / mine:>9.1f}x")
    peers = {name: min(runs) for name, runs in seconds.items() if name != "ours"}
    fastest = min(peers, key=peers.__getitem__)
    return {
        "bytes": size,
        "cpu_seconds": seconds,
        "times_scikit_learn": peers["scikit_learn"] / mine,
        "fastest_peer": fastest,
        "times_fastest_peer": peers[fastest] / mine,
    }


def main() -> int:
    source = Path(os.environ.get("WIDEMARGIN_DATA", "")) / "a9a" / "train.svm.xz"
    if "WIDEMARGIN_DATA" not in os.environ or not source.exists():
        print("svmlight: skipped, WIDEMARGIN_DATA does not name a directory with a9a/train.svm.xz")
        return 0
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for title, text in (("a9a", lzma.decompress(source.read_bytes())), ("decimals", decimals(5000))):
            small, big = Path(folder) / "small.svm", Path(folder) / f"{title}.svm"
            small.write_bytes(text)
            big.write_bytes(text * -(-SIZE // len(text)))
            results[title] = table(title, big.stat().st_size, race(str(small), str(big)))
            big.unlink()
            RESULTS.parent.mkdir(exist_ok=True)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    a9a = results["a9a"]
    met = a9a["times_scikit_learn"] >= 5 and a9a["times_fastest_peer"] >= 1.5
    print(f"\nasked on a9a: 5x scikit-learn, 1.5x the fastest other reader: {'met' if met else 'NOT met'}")
    return 0 if met else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure_here(*sys.argv[1:])
    else:
        raise SystemExit(main())
