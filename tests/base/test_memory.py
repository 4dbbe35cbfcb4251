"""No memory: MemoryError or success, never a crash, and the process goes on."""

import pytest
from tests.base.outside import output

SWEEP = """
import resource
from pathlib import Path

def size():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()

def sweep(work, megabytes):
    work()  # whatever is loaded or kept at the first call is there before memory gets scarce
    seen = []
    for extra in megabytes:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (size() + int(extra * 2**20), hard))
        try:
            work()
            seen.append("done")
        except MemoryError:
            seen.append("MemoryError")
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    work()
    print(" ".join(sorted(set(seen))))
"""

CASES = {
    "dense perceptron": ("X, y = data(400_000, 10, 2)", "wm.Perceptron(max_iter=2).fit(X, y)"),
    "wide perceptron": ("X, y = data(4, 2_000_000, 2)", "wm.AveragedPerceptron(max_iter=2).fit(X, y)"),
    "many classes on two threads": (
        "X, y = data(50_000, 4, 30)",
        "wm.Perceptron(max_iter=1, n_jobs=2).fit(X, y)",
    ),
    "sparse perceptron": (
        "import scipy.sparse as sp; X = sp.random(20_000, 1000, 0.02, 'csc', random_state=0); y = data(20_000)[1]",
        "wm.Perceptron(max_iter=1).fit(X, y).predict(X)",
    ),
    "Pegasos": ("X, y = data(400_000, 10, 2)", "wm.Pegasos(max_iter=2).fit(X, y)"),
    "boosting": ("X, y = data(60_000, 10, 2)", "wm.AdaBoostClassifier(n_estimators=3).fit(X, y)"),
    "boosting of many classes": ("X, y = data(60_000, 10, 3)", "wm.LogitBoostClassifier(n_estimators=2).fit(X, y)"),
    "forest": ("X, y = data(60_000, 10, 3)", "wm.RandomForestClassifier(3).fit(X, y)"),
    "bag of words": (
        "texts = [' '.join(f'w{i * 7919 % 99991}' for i in range(k, k + 20_000)) for k in range(9)]",
        "wm.BagOfWords(ngram_range=(1, 2)).fit(texts)",
    ),
    "kernel ridge": ("X, y = data(2500, 5, 2)", "wm.KernelRidge().fit(X, y)"),
    "native arrays": ("", "_core.permutation(10_000_000, 0, 0)"),
    "threads": ("", "_core.spin(100, 40, 1000)"),
}


@pytest.mark.parametrize("case", CASES)
def test_no_memory_raises_memory_error_and_harms_nothing(case):
    setting, work = CASES[case]
    amounts = "[0.25, 0.5, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 800]"
    program = f"{SWEEP}\n{setting}\nsweep(lambda: {work}, {amounts})"
    # Freed blocks go back to the system, or later calls would live on what the first one left behind.
    scarce = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_MMAP_THRESHOLD_": "16384", "MALLOC_TRIM_THRESHOLD_": "0"}
    seen = output(program, **scarce).strip()
    assert seen == ("done" if case == "threads" else "MemoryError done")
