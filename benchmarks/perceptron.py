"""How long does one epoch of the perceptron take, against scikit-learn's, certificate and all?

CPU seconds of `fit` on one thread, best of 5, all in one run. Both estimators do the same thing: one epoch over all
rows in a shuffled order from a zero start with step 1. Also a whole fit of ten epochs, certificate included.
"""

import json
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Perceptron as PeerPerceptron
from sklearn.linear_model import SGDClassifier

import widemargin as wm

RUNS = 5
RESULTS = Path(__file__).parent / "results"


def text_like(n=200_000, d=100_000, words=60, seed=0):
    """Zipf-distributed words, 60 draws a row, labels from a random plane with noise."""
    rng = np.random.default_rng(seed)
    p = np.arange(1, d + 1) ** -1.05
    columns = rng.choice(d, size=(n, words), p=p / p.sum())
    X = sp.csr_matrix(
        (np.abs(rng.standard_normal(n * words)), columns.ravel(), np.arange(0, n * words + 1, words)), (n, d)
    )
    X.sum_duplicates()
    return X, np.where(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0, 1, -1)


def dense(n=500_000, d=50, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.where(X @ rng.standard_normal(d) + 3 * rng.standard_normal(n) > 0, 1, -1)


def best_cpu(make, X, y):
    best = np.inf
    for _ in range(RUNS):
        estimator = make()
        began = time.process_time()
        estimator.fit(X, y)
        best = min(best, time.process_time() - began)
    return best


def main():
    import warnings

    warnings.simplefilter("ignore")
    table = {}
    for name, make_data in (("sparse text-like 200,000 x 100,000", text_like), ("dense 500,000 x 50", dense)):
        X, y = make_data()
        for epochs in (1, 10):
            peers = {
                "scikit-learn Perceptron": lambda e=epochs: PeerPerceptron(max_iter=e, tol=None),
                "scikit-learn SGD hinge": lambda e=epochs: SGDClassifier(max_iter=e, tol=None, alpha=1e-9),
                "widemargin Perceptron": lambda e=epochs: wm.Perceptron(max_iter=e, oscillation="ignore"),
                "widemargin AveragedPerceptron": lambda e=epochs: wm.AveragedPerceptron(
                    max_iter=e, oscillation="ignore"
                ),
            }
            seconds = {peer: best_cpu(make, X, y) for peer, make in peers.items()}
            table[f"{name}, {epochs} epochs"] = seconds
            theirs = seconds["scikit-learn Perceptron"]
            print(f"{name}, {epochs} epoch(s)")
            for peer, s in seconds.items():
                print(f"  {peer:<32} {s * 1000:8.1f} ms   {theirs / s:5.2f} x scikit-learn's Perceptron")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "perceptron.json").write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
