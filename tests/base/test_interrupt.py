"""Ctrl-C, as a real signal to a process in the middle of a long native loop."""

import signal
import textwrap
import time

import pytest
from tests.base.outside import start

LIMIT = 0.2  # seconds from the signal to the handler

CASES = {
    "perceptron": """
        X, y = data(20_000, 20, 2)
        work = lambda: wm.Perceptron(max_iter=10**9, oscillation="ignore").fit(X, y)
    """,
    "perceptron on two threads": """
        X, y = data(20_000, 20, 4)
        work = lambda: wm.Perceptron(max_iter=10**9, oscillation="ignore", n_jobs=2).fit(X, y)
    """,
    "averaged perceptron, one short epoch after another": """
        X, y = data(60, 3, 2)
        work = lambda: wm.AveragedPerceptron(max_iter=10**9, oscillation="ignore").fit(X, y)
    """,
    "a block of distances": """
        from widemargin.kernels import Laplacian
        X, _ = data(6_000, 2_000, 2)
        work = lambda: Laplacian(0.1)(X)
    """,
    "one thread of the pool": "work = lambda: _core.spin(10**9, 1, 10_000)",
    "two threads of the pool": "work = lambda: _core.spin(10**9, 2, 10_000)",
}

PROGRAM = """
import time
wm.Perceptron(max_iter=1).fit(*data(50, 2, 2))  # all imports done: the signal must meet the loop, not an import
print("ready", flush=True)
try:
    work()
except KeyboardInterrupt:
    print(time.monotonic(), flush=True)
else:
    print("never interrupted", flush=True)
X, y = data(5000, 3, 3)
for jobs in (1, 2):
    model = wm.Perceptron(max_iter=3, n_jobs=jobs).fit(X, y)
    assert model.predict(X).shape == (5000,)
_core.spin(10, 2, 1000)
print("usable", flush=True)
"""


def delay(setting: str) -> float:
    """Seconds from the signal to the first line of the handler; the clock is the same in all processes."""
    with start(textwrap.dedent(setting) + PROGRAM) as process:
        assert process.stdout.readline().strip() == "ready", process.stderr.read()
        time.sleep(0.4)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    lines = out.split("\n")
    assert process.returncode == 0, (out, err)
    assert lines[1] == "usable", (out, err)
    return float(lines[0]) - sent


@pytest.mark.parametrize("case", CASES)
def test_ctrl_c_is_heard_within_a_fifth_of_a_second(case):
    # Best of five: a busy machine may hold back any process for longer than our limit.
    delays = []
    for _ in range(5):
        delays.append(delay(CASES[case]))
        if delays[-1] <= LIMIT:
            return
    raise AssertionError(f"{min(delays):.3f} s from the signal to the handler at best, at most {LIMIT} s is promised")
