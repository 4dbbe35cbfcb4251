"""How much memory does the voted perceptron take on sparse text, where dense copies of its vectors would not fit?

Rows: text-like, 200,000 x 100,000, 60 non-zeros a row, columns by Zipf's law; labels by a hidden plane with some noise.
Measured: peak of the resident set during fit over that before, against the bytes of the data; mistakes made; CPU time
of fit and of predictions. Peak by a thread that looks every 5 ms.
"""

from __future__ import annotations

import json
import sys
import threading
import time

import numpy as np
import psutil
import scipy.sparse as sp

import widemargin as wm


def text_like(n: int = 200_000, d: int = 100_000, per_row: int = 60, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    rng = np.random.default_rng(seed)
    columns = np.minimum((d ** rng.random((n, per_row))).astype(np.int64) - 1, d - 1)
    columns.sort(axis=1)
    values = rng.random(n * per_row)
    offsets = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sp.csr_array((values, columns.ravel().astype(np.int32), offsets), shape=(n, d))
    X.sum_duplicates()
    score = X @ rng.normal(size=d)
    return X, score + 0.3 * score.std() * rng.normal(size=n) > np.median(score)


class Peak:
    """The largest resident set while open."""

    def __enter__(self) -> Peak:
        self.process = psutil.Process()
        self.before = self.bytes = self.process.memory_info().rss
        self.open = True
        self.thread = threading.Thread(target=self._look)
        self.thread.start()
        return self

    def _look(self) -> None:
        while self.open:
            self.bytes = max(self.bytes, self.process.memory_info().rss)
            time.sleep(0.005)

    def __exit__(self, *_: object) -> None:
        self.open = False
        self.thread.join()
        self.bytes = max(self.bytes, self.process.memory_info().rss)


def main(epochs: int = 5) -> dict[str, float]:
    X, y = text_like()
    data = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    wm.VotedPerceptron(max_iter=1).fit(X[:100], y[:100])  # imports are no part of it
    began = time.process_time()
    with Peak() as peak:
        model = wm.VotedPerceptron(max_iter=epochs, oscillation="ignore").fit(X, y)
    fitted = time.process_time()
    model.predict(X[:500])
    done = time.process_time()
    growth = peak.bytes - peak.before
    return {
        "epochs": model.n_iter_,
        "data_MB": data / 1e6,
        "growth_MB": growth / 1e6,
        "growth_over_data": growth / data,
        "mistakes": model.n_updates_,
        "rows_kept": model.support_.shape[0],
        "dense_vectors_would_take_GB": model.n_updates_ * X.shape[1] * 8 / 1e9,
        "fit_cpu_s": fitted - began,
        "predict_500_cpu_s": done - fitted,
    }


if __name__ == "__main__":
    result = main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    print(json.dumps(result, indent=1))
    if result["growth_over_data"] >= 2:
        sys.exit("the resident set grew by twice the data or more")
