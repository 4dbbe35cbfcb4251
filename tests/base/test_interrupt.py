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
    "support vector classifier": """
        X, y = data(20_000, 20, 2)
        work = lambda: wm.SVC(C=1e3, gamma=1.0).fit(X, y)
    """,
    "support vector classifier of many pairs on two threads": """
        X, y = data(8_000, 20, 6)
        work = lambda: wm.SVC(C=1e3, gamma=0.1, n_jobs=2).fit(X, y)
    """,
    "support vector classifier with a kernel of Python": """
        X, y = data(6_000, 20, 2)
        work = lambda: wm.SVC(C=1e3, kernel=lambda a, b: np.tanh(a @ b.T) + (a @ b.T) ** 2).fit(X, y)
    """,
    "support vector regressor": """
        X, y = data(20_000, 20, 50)
        work = lambda: wm.SVR(C=1e3, gamma=1.0).fit(X, y)
    """,
    "one-class machine": """
        X, y = data(40_000, 40, 2)
        work = lambda: wm.OneClassSVM(gamma=0.1).fit(X)
    """,
    "forest on two threads": """
        X, y = data(60_000, 30, 3)
        work = lambda: wm.RandomForestClassifier(10**5, n_jobs=2).fit(X, y)
    """,
    "boosting of stumps on two threads": """
        X, y = data(60_000, 30, 2)
        work = lambda: wm.AdaBoostClassifier(n_estimators=10**6, n_jobs=2).fit(X, y)
    """,
    "boosting of stumps for many classes": """
        X, y = data(20_000, 30, 6)
        work = lambda: wm.LogitBoostClassifier(n_estimators=10**6).fit(X, y)
    """,
    "one large tree": """
        X, y = data(1_000_000, 10, 3)
        work = lambda: [wm.DecisionTreeClassifier().fit(X, y) for _ in range(9)]
    """,
    "bag of words": """
        texts = [" ".join(f"w{i * 7919 % 99991}" for i in range(k, k + 40_000)) for k in range(200)]
        work = lambda: [wm.BagOfWords(ngram_range=(1, 3)).fit(texts) for _ in range(99)]
    """,
    "search over C and gamma": """
        X, y = data(6_000, 20, 2)
        work = lambda: wm.SVCCV(Cs=20, gammas=[0.01, 0.1, 1.0]).fit(X, y)
    """,
    "path along C": """
        X, y = data(6_000, 20, 3)
        work = lambda: wm.SVC(gamma=0.1).path(X, y, np.logspace(-2, 3, 30))
    """,
    "linear machine by Newton's method": """
        X, y = data(200_000, 40, 2)
        work = lambda: [wm.LinearSVC(loss="hinge", C=1e3, tol=1e-12).fit(X, y) for _ in range(99)]
    """,
    "linear machine by dual descent": """
        X, y = data(20_000, 40, 2)
        work = lambda: [wm.LinearSVC(loss="hinge", C=1e3, dual=True, tol=1e-12).fit(X, y) for _ in range(99)]
    """,
    "linear machine of all classes at once": """
        X, y = data(20_000, 40, 5)
        work = lambda: wm.LinearSVC(multi_class="crammer_singer", C=1e3, tol=1e-12).fit(X, y)
    """,
    "sparse linear machine": """
        X, y = data(50_000, 40, 2)
        work = lambda: [wm.LinearSVC(penalty="l1", C=1e3, tol=1e-12).fit(X, y) for _ in range(99)]
    """,
    "Pegasos on two threads": """
        X, y = data(50_000, 40, 3)
        work = lambda: wm.Pegasos(alpha=1e-9, max_iter=10**9, n_jobs=2).fit(X, y)
    """,
    "stochastic gradients, one short epoch after another": """
        X, y = data(60, 3, 2)
        work = lambda: wm.SGDSVC(max_iter=10**9, tol=None).fit(X, y)
    """,
    "decisions of a large support vector machine": """
        import warnings
        X, y = data(20_000, 60, 2)
        with warnings.catch_warnings(action="ignore"):
            model = wm.SVC(C=1.0, gamma=10.0, max_iter=1, cache_size=100).fit(X, y)
        model.support_items_ = type(model.support_items_)(X)
        model.support_, model.n_support_ = np.arange(20_000), np.bincount(y)
        model.dual_coef_ = np.ones((1, 20_000))
        Z = np.tile(X, (20, 1))
        work = lambda: model.decision_function(Z)
    """,
    "one thread of the pool": "work = lambda: _core.spin(10**9, 1, 10_000)",
    "two threads of the pool": "work = lambda: _core.spin(10**9, 2, 10_000)",
}

PROGRAM = """
import time
# All imports done: the signal must meet the loop, not an import.
for name in wm.__all__:
    getattr(wm, name)
for learner in (wm.Perceptron(max_iter=1), wm.SVC(n_jobs=2)):
    learner.fit(*data(50, 2, 3))
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
