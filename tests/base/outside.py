"""Programs run in a process of their own, where a crash, a hang or a signal harms nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

DATA = """
import numpy as np
import widemargin as wm
from widemargin import _core

def data(n=10_000, d=5, k=3, seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal((n, d)), random.integers(0, k, n)  # labels by chance: never separable
"""


def start(program: str, **environment: str) -> subprocess.Popen[str]:
    """A Python process that runs DATA and then the program; its output is piped."""
    return subprocess.Popen(
        [sys.executable, "-c", DATA + textwrap.dedent(program)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def output(program: str, timeout: float = 120, **environment: str) -> str:
    """What the program printed; fails if it ends by a signal, an exception or not at all."""
    process = start(program, **environment)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"still running after {timeout} s\n{out}\n{err}") from None
    assert process.returncode == 0, f"exit {process.returncode}\n{out}\n{err}"
    return out
