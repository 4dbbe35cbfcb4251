"""Learning from a file that is never in memory as a whole: one pass over an svmlight file, batch by batch."""

import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse

from widemargin import AveragedPerceptron
from widemargin.data import stream_svmlight, write_svmlight

rng = np.random.default_rng(0)
n, d = 40_000, 2_000
X = sparse.random_array((n, d), density=0.01, rng=rng, format="csr")
y = np.where(X @ rng.normal(size=d) + rng.normal(0, 0.3, n) > 0, 1, -1)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "rows.svm.gz"
    write_svmlight(X[:36_000], y[:36_000], path)
    print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB; errors on 4000 rows that are not in it")
    model = AveragedPerceptron()
    for k, (rows, labels) in enumerate(stream_svmlight(path, batch_rows=6_000, n_features=d), start=1):
        model.partial_fit(rows, labels, classes=[-1, 1])
        errors = np.mean(model.predict(X[36_000:]) != y[36_000:])
        print(f"after batch {k}: {6_000 * k:>6} rows, {model.n_updates_:>6} updates, {errors:6.2%} errors")
print(model.certificate_.claim)
