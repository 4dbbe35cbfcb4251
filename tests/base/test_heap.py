"""Memory that is freed stays for the next fit."""

import subprocess
import sys

CODE = """
import resource
import sys

import numpy as np

from widemargin.base.heap import keep_freed_memory


def fresh_pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        arrays = [np.ones(50_000) for _ in range(8)]
        del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


if sys.argv[1] == "keep":
    keep_freed_memory()
fresh_pages()
print(fresh_pages())
"""


def test_arrays_that_come_and_go_get_pages_that_were_there():
    """Fifty times eight arrays of 400 kB: 39,000 pages if they were fresh each time."""
    run = subprocess.run([sys.executable, "-c", CODE, "keep"], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 4000
